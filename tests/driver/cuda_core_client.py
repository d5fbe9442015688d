#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cuda.core, unmodified, as a client of a driver: cuda_core_client.py [--driver LIBRARY]

With --driver the library stands in for libcuda.so.1, so that the simulated driver is tested by a client
that nobody here wrote. Exits 77 where cuda.core is not installed.
"""

import argparse
import ctypes
import importlib.util
import os
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
KIB = 1024


def restart_with(driver: Path) -> int:
    """Runs this script again in a process whose libcuda.so.1 is `driver`."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "libcuda.so.1").symlink_to(driver.resolve(strict=True))
        path = os.pathsep.join(filter(None, [folder, os.environ.get("LD_LIBRARY_PATH")]))
        environment = os.environ | {"LD_LIBRARY_PATH": path}
        return os.spawnve(os.P_WAIT, sys.executable, [sys.executable, __file__], environment)


def view(buffer):
    return (ctypes.c_ubyte * buffer.size).from_address(int(buffer.handle))


def fill(buffer, byte):
    ctypes.memset(int(buffer.handle), byte, buffer.size)


def is_all(buffer, byte):
    return bytes(view(buffer)) == bytes([byte]) * buffer.size


def refuses(kind, action):
    try:
        action()
    except kind as error:
        return str(error)
    raise AssertionError(f"nothing was raised, where {kind.__name__} was expected")


def managed(core, driver, size):
    """Memory of cuMemAllocManaged: the driver's managed pools refuse advice."""
    error, pointer = driver.cuMemAllocManaged(size, 1)
    assert error == driver.CUresult.CUDA_SUCCESS, error
    return core.ManagedBuffer.from_handle(int(pointer), size, owner=object())


def check_device(core, device):
    assert device.compute_capability.major >= 7
    assert device.name and device.uuid
    assert device.properties.concurrent_managed_access
    assert core.Device(device.device_id) == device


def check_advice(core, buffer, device):
    assert buffer.is_managed and buffer.read_mostly is False and buffer.preferred_location is None
    buffer.read_mostly = True
    assert buffer.read_mostly is True
    buffer.preferred_location = device
    assert buffer.preferred_location == device
    buffer.preferred_location = core.Host()
    assert buffer.preferred_location == core.Host()
    buffer.preferred_location = None
    assert buffer.preferred_location is None


def check_accessed_by(core, buffer, device):
    assert set(buffer.accessed_by) == set()
    buffer.accessed_by = {device, core.Host()}
    assert set(buffer.accessed_by) == {device, core.Host()}
    buffer.accessed_by.discard(device)
    assert set(buffer.accessed_by) == {core.Host()}
    buffer.accessed_by.add(device)
    assert device in buffer.accessed_by and len(buffer.accessed_by) == 2
    buffer.accessed_by = set()
    assert not set(buffer.accessed_by)


def check_pool_memory_declines_advice(core, buffer):
    def advise():
        buffer.read_mostly = True

    assert "NOT_SUPPORTED" in refuses(Exception, advise)


def last_prefetch(driver, buffer):
    attribute = driver.CUmem_range_attribute.CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION
    error, value = driver.cuMemRangeGetAttribute(4, attribute, int(buffer.handle), buffer.size)
    assert error == driver.CUresult.CUDA_SUCCESS, error
    return int(value)


def check_moves(core, driver, buffers, device, stream):
    for byte, buffer in enumerate(buffers):
        fill(buffer, byte)
    core.utils.prefetch_batch(stream, buffers, device)
    stream.sync()
    assert [last_prefetch(driver, b) for b in buffers] == [device.device_id] * len(buffers)
    core.utils.prefetch_batch(stream, buffers[:2], [core.Host(), device])
    stream.sync()
    assert [last_prefetch(driver, b) for b in buffers[:2]] == [-1, device.device_id]
    assert all(is_all(buffer, byte) for byte, buffer in enumerate(buffers))
    buffers[0].prefetch(device, stream=stream)
    buffers[0].discard(stream=stream)
    core.utils.discard_batch(stream, buffers)
    core.utils.discard_prefetch_batch(stream, buffers, core.Host())
    stream.sync()
    assert [last_prefetch(driver, b) for b in buffers] == [-1] * len(buffers)


def check_copies(core, resource, stream):
    sources = [resource.allocate(64 * KIB, stream=stream) for _ in range(3)]
    targets = [resource.allocate(64 * KIB, stream=stream) for _ in range(3)]
    stream.sync()
    for byte, source in enumerate(sources, 10):
        fill(source, byte)
    core.utils.copy_batch(stream, sources, targets)
    stream.sync()
    assert all(is_all(target, byte) for byte, target in enumerate(targets, 10))
    options = core.utils.CopyOptions(src_access_order="during_api_call")
    fill(sources[0], 99)
    core.utils.copy_batch(stream, sources, targets, options=options)
    stream.sync()
    assert is_all(targets[0], 99)
    sources[1].copy_to(targets[0], stream=stream)
    targets[2].copy_from(sources[1], stream=stream)
    stream.sync()
    assert is_all(targets[0], 11) and is_all(targets[2], 11)
    for buffer in sources + targets:
        buffer.close(stream)
    stream.sync()


def check_device_memory(core, device, resource, stream):
    host = resource.allocate(4 * KIB, stream=stream)
    far = device.allocate(4 * KIB, stream=stream)
    back = resource.allocate(4 * KIB, stream=stream)
    stream.sync()
    fill(host, 7)
    host.copy_to(far, stream=stream)
    far.copy_to(back, stream=stream)
    stream.sync()
    assert is_all(back, 7) and far.is_device_accessible and not far.is_host_accessible
    far.fill(0x5A, stream=stream)
    far.copy_to(back, stream=stream)
    stream.sync()
    assert is_all(back, 0x5A)
    for buffer in (host, far, back):
        buffer.close(stream)


def check_events(core, device, stream):
    timed = core.EventOptions(timing_enabled=True)
    first, last = device.create_event(options=timed), device.create_event(options=timed)
    stream.record(first)
    stream.record(last)
    last.sync()
    assert last.is_done and last - first >= 0
    other = device.create_stream()
    other.wait(last)
    other.sync()
    other.close()


def check_graph(core, device, buffers, stream):
    source, target = buffers[0], buffers[1]
    fill(source, 33)
    fill(target, 0)
    builder = device.create_graph_builder().begin_building()
    source.copy_to(target, stream=builder)
    graph = builder.end_building().complete()
    assert is_all(target, 0)
    graph.launch(stream)
    stream.sync()
    assert is_all(target, 33)
    graph.close()
    builder.close()


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--driver", type=Path)
    driver = arguments.parse_args().driver
    if importlib.util.find_spec("cuda") is None or importlib.util.find_spec("cuda.core") is None:
        print("cuda.core is not installed: skipped")
        return SKIPPED
    if driver is not None:
        return restart_with(driver)

    import cuda.core as core
    import cuda.core.utils  # noqa: F401
    from cuda.bindings import driver as bindings

    device = core.Device()
    device.set_current()
    stream = device.create_stream()
    print(f"cuda.core {core.__version__} on {device.name}")
    check_device(core, device)
    buffers = [managed(core, bindings, 64 * KIB) for _ in range(4)]
    check_advice(core, buffers[0], device)
    check_accessed_by(core, buffers[1], device)
    check_moves(core, bindings, buffers, device, stream)
    resource = core.ManagedMemoryResource()
    check_pool_memory_declines_advice(core, resource.allocate(4 * KIB, stream=stream))
    check_copies(core, resource, stream)
    check_device_memory(core, device, resource, stream)
    check_events(core, device, stream)
    check_graph(core, device, buffers, stream)
    for buffer in buffers:
        (error,) = bindings.cuMemFree(int(buffer.handle))
        assert error == bindings.CUresult.CUDA_SUCCESS, error
    print("passed")
    # What is left open, the stream and the resource, is for the end of the interpreter.
    return 0


if __name__ == "__main__":
    sys.exit(main())
