# SPDX-License-Identifier: Apache-2.0
"""What the table of cases cannot say: Python's own types, errors and warnings."""

import ctypes
import warnings

import pytest

import cmm
from cmm import Device, Host, utils
from cmm.utils import CopyOptions, MemcpyOverlapMode, MemcpySrcAccessOrder

KIB = 1024


def test_the_examples_of_the_feature_run(mr, stream):
    a, b, c = (mr.allocate(64 * KIB) for _ in range(3))
    a.read_mostly = True
    a.preferred_location = Host()
    a.accessed_by = {Device(0)}
    a.accessed_by.add(Host())
    a.accessed_by.discard(Device(0))
    assert a.accessed_by == {Host()} and a.preferred_location is Host() and a.read_mostly is True
    cmm.prefetch([a, b, c], Device(0), stream=stream)
    cmm.prefetch([a, b], [Device(0), Host()], stream=stream)
    cmm.advise(b, "set_read_mostly")
    a.prefetch(Device(0), stream=stream)
    a.discard(stream=stream)
    a.discard_prefetch(Device(0), stream=stream)
    stream.sync()
    assert a.last_prefetch_location is Device(0) and b.last_prefetch_location is Host() and b.read_mostly
    assert len(bytes(b)) == 64 * KIB


def test_the_names_of_the_released_peer_run(sim):
    device = Device(0)
    device.set_current()
    s = device.create_stream()
    mr = cmm.ManagedMemoryResource()
    buffers = [mr.allocate(4 * KIB, stream=s) for _ in range(3)]
    utils.prefetch_batch(s, buffers, device)
    utils.prefetch_batch(device.default_stream, buffers, [device, Host(), device])
    utils.discard_prefetch_batch(s, buffers, Host())
    utils.discard_batch(s, buffers)
    options = CopyOptions(src_access_order="during_api_call", overlap_mode="default")
    utils.copy_batch(s, buffers[:1], buffers[1:2], options=options)
    buffers[0].copy_to(buffers[2], stream=s)
    buffers[1].copy_from(buffers[2], stream=s)
    s.sync()
    assert buffers[0].is_managed and buffers[0].size == len(buffers[0]) == 4 * KIB
    borrowed = cmm.ManagedBuffer.from_handle(buffers[0].handle, 4 * KIB, owner=buffers[0])
    assert type(borrowed) is cmm.ManagedBuffer and borrowed.owner is buffers[0] and borrowed.read_mostly is False


WRONG = ["device", 0, None, 1.5, True, object()]


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_wrong_types_name_the_argument_the_index_and_the_type(mr, stream, wrong):
    a = mr.allocate(KIB)
    name = type(wrong).__name__
    with pytest.raises(TypeError, match=rf"targets.*{name}"):
        cmm.prefetch(wrong, Device(0), stream=stream)
    with pytest.raises(TypeError, match=rf"targets\[1\].*{name}"):
        cmm.prefetch([a, wrong], Device(0), stream=stream)
    with pytest.raises(TypeError, match=rf"location.*{name}"):
        cmm.prefetch(a, wrong, stream=stream)
    with pytest.raises(TypeError, match=rf"locations\[0\].*{name}"):
        cmm.prefetch([a], [wrong], stream=stream)
    with pytest.raises(TypeError, match=rf"accessed_by\[1\].*{name}"):
        a.accessed_by = [Device(0), wrong]
    with pytest.raises(TypeError, match=rf"dsts\[0\].*{name}"):
        cmm.copy_batch(stream, [a], [wrong])
    if wrong is not None:
        with pytest.raises(TypeError, match=rf"preferred_location.*{name}"):
            a.preferred_location = wrong
        with pytest.raises(TypeError, match="options"):
            cmm.copy_batch(stream, [a], [a], options=wrong)
    if not isinstance(wrong, int) or isinstance(wrong, bool):
        with pytest.raises(TypeError, match="stream"):
            cmm.prefetch(a, Device(0), stream=wrong)
    assert a.accessed_by == set() and a.preferred_location is None


def test_a_lone_buffer_is_told_about_copy_to(mr, stream):
    a = mr.allocate(KIB)
    with pytest.raises(TypeError, match=r"copy_to.*copy_from"):
        cmm.copy_batch(stream, a, [a])


def test_a_misspelt_property_is_an_error(mr):
    with pytest.raises(AttributeError):
        mr.allocate(KIB).prefered_location = Device(0)


def test_enumerations_take_names_and_list_what_is_allowed(mr, stream):
    a = mr.allocate(KIB)
    cmm.advise(a, cmm.Advice.SET_READ_MOSTLY)
    assert CopyOptions(src_access_order="any") == CopyOptions(MemcpySrcAccessOrder.ANY)
    assert CopyOptions(overlap_mode=1).overlap_mode is MemcpyOverlapMode.PREFER_OVERLAP_WITH_COMPUTE
    with pytest.raises(ValueError, match='"unset_accessed_by"'):
        cmm.advise(a, "read_mostly")
    with pytest.raises(ValueError, match="during_api_call"):
        CopyOptions(src_access_order="later")
    with pytest.raises(TypeError, match="Strategy"):
        cmm.prefetch(a, Device(0), stream=stream, strategy=1.5)
    with pytest.raises(AttributeError):
        CopyOptions().src_access_order = "any"


def test_driver_errors_carry_code_name_and_entry(mr, stream, sim):
    a = mr.allocate(KIB)
    sim.fault("cuMemPrefetchAsync", 1, 999)
    with pytest.raises(cmm.DriverError) as caught:
        a.prefetch(Device(0), stream=stream, strategy="per_range")
    error = caught.value
    assert (error.code, error.name, error.issued) == (999, "CUDA_ERROR_UNKNOWN", 0)
    assert error.entry.startswith("cuMemPrefetchAsync") and isinstance(error, RuntimeError)


def test_errors_are_pythons_own_kinds(mr, stream):
    a = mr.allocate(KIB)
    with pytest.raises(MemoryError):
        mr.allocate(1 << 60)
    with pytest.raises(ValueError) as caught:
        cmm.copy_batch(stream, [a, a], [a, mr.allocate(2 * KIB)])
    assert caught.value.index is not None and isinstance(caught.value, cmm.InvalidArgumentError)
    a.close()
    with pytest.raises(cmm.ClosedError):
        a.prefetch(Device(0), stream=stream)


@pytest.mark.machine(api_level=12080)
def test_what_the_driver_lacks_is_not_implemented(mr, stream):
    with pytest.raises(NotImplementedError, match=r"13\.0|13000|discard"):
        mr.allocate(KIB).discard(stream=stream)


@pytest.mark.machine("concurrent=0")
def test_a_hint_that_cannot_be_honoured_warns_where_asked_to(mr, stream):
    a = mr.allocate(64 * KIB)
    with pytest.raises(cmm.NotSupportedError, match="concurrentManagedAccess|CONCURRENT_MANAGED_ACCESS"):
        a.prefetch(Device(0), stream=stream)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cmm._cmm.reset_warnings()
        report = cmm.prefetch(a, Device(0), stream=stream, hints="warn")
    assert report.ignored == 1 and [w.category for w in caught] == [UserWarning]
    assert cmm.prefetch(a, Device(0), stream=stream, hints="ignore").ignored == 1
    assert not Device(0).supports("prefetch") and Device(0).why_not("prefetch")


@pytest.mark.machine("concurrent=0")
def test_a_warning_that_is_an_error_stops_the_call(mr, stream):
    a = mr.allocate(64 * KIB)
    cmm._cmm.reset_warnings()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            cmm.prefetch(a, Device(0), stream=stream, hints="warn")


class Foreign:
    def __init__(self, number):
        self.number = number

    def __cuda_stream__(self):
        return 0, self.number


def test_streams_of_other_libraries(mr, stream):
    a = mr.allocate(64 * KIB)
    torch = type("torch", (), {"cuda_stream": stream.handle})()
    cupy = type("cupy", (), {"ptr": stream.handle})()
    for foreign in (Foreign(stream.handle), torch, cupy, stream.handle, cmm.Stream.from_handle(stream.handle)):
        a.prefetch(Device(0), stream=foreign)
        stream.sync()
        assert a.last_prefetch_location is Device(0)
        a.prefetch(Host(), stream=foreign)
    stream.sync()
    assert stream.__cuda_stream__() == (0, stream.handle)
    a.prefetch(Device(0), stream=0)
    cmm.LEGACY_DEFAULT_STREAM.sync()
    assert a.last_prefetch_location is Device(0)
    with pytest.raises(ValueError):
        a.prefetch(Device(0), stream=-1)
    with pytest.raises(TypeError, match="version 1"):
        a.prefetch(Device(0), stream=type("s", (), {"__cuda_stream__": lambda self: (1, 0)})())


def test_events_order_and_time_work(mr, stream):
    with cmm.Stream() as other:
        begin = stream.record(timing=True)
        mr.allocate(64 * KIB).prefetch(Device(0), stream=stream)
        end = stream.record(timing=True)
        other.wait(end)
        other.wait(stream)
        other.sync()
        end.sync()
        assert end.is_done and end.nanoseconds_since(begin) >= 0 and stream.is_done
        begin.close()
        with pytest.raises(cmm.ClosedError):
            begin.sync()
    with pytest.raises(cmm.ClosedError):
        other.sync()


def test_a_plan_runs_again_and_again(mr, stream):
    buffers = [mr.allocate(64 * KIB) for _ in range(8)]
    plan = cmm.Plan.prefetch(buffers, Device(0))
    assert plan.ranges_in == 8 and "prefetch" in repr(plan)
    for _ in range(3):
        assert plan.run(stream).bytes == 8 * 64 * KIB
    buffers[5].close()
    with pytest.raises(cmm.ClosedError) as caught:
        plan.run(stream)
    assert caught.value.index == 5


def test_huge_batches(mr, stream):
    buffers = cmm.ManagedMemoryResource(arena=True).allocate_batch([4 * KIB] * 3000)
    report = cmm.prefetch(buffers, Device(0), stream=stream)
    assert (report.ranges_in, report.ranges_out) == (3000, 1)
    mixed = [Device(0) if i % 2 else Host() for i in range(3000)]
    assert cmm.prefetch(buffers, mixed, stream=stream).ranges_out == 3000


def test_pageable_memory_is_refused_by_name(sim, stream):
    memory = ctypes.create_string_buffer(4 * KIB)
    plain = cmm.Buffer.from_handle(ctypes.addressof(memory), 4 * KIB, memory)
    with pytest.raises((ValueError, NotImplementedError), match="pageable"):
        cmm.prefetch(plain, Device(0), stream=stream)
    with pytest.raises(cmm.InvalidArgumentError, match="pageable"):
        cmm.ManagedBuffer.from_handle(ctypes.addressof(memory), 4 * KIB)
