# SPDX-License-Identifier: Apache-2.0
"""Other libraries' views of buffers, and buffers over other libraries' memory."""

import gc
import weakref

import numpy
import pytest

import cmm
from cmm import Device

KIB = 1024


def test_numpy_sees_and_changes_the_bytes(mr):
    buffer = mr.allocate(4 * KIB)
    array = numpy.asarray(buffer)
    assert array.dtype == numpy.uint8 and array.shape == (4 * KIB,)
    array[:] = 7
    assert bytes(buffer) == b"\7" * (4 * KIB)
    numpy.frombuffer(buffer, numpy.float32)[:] = 1.5
    assert memoryview(buffer).cast("f")[5] == 1.5


def test_slices_share_memory_and_outlive_their_parent(mr, sim):
    buffer = mr.allocate(16 * KIB)
    numpy.asarray(buffer)[:] = numpy.arange(16 * KIB, dtype=numpy.uint16).astype(numpy.uint8)
    part = buffer[4 * KIB : 8 * KIB]
    assert type(part) is cmm.ManagedBuffer and part.size == 4 * KIB and part.handle == buffer.handle + 4 * KIB
    assert buffer[-10:].size == 10 and buffer[20 * KIB :].size == 0
    buffer.close()
    assert sim.live().managed_allocations == 1 and bytes(part[1:3]) == bytes([1, 2])
    part.close()
    cmm.drain()
    assert sim.live().managed_allocations == 0
    with pytest.raises(ValueError, match="step"):
        mr.allocate(KIB)[::2]
    with pytest.raises(TypeError):
        mr.allocate(KIB)[0]
    with pytest.raises(cmm.InvalidArgumentError):
        mr.allocate(KIB).slice(KIB, 1)


def test_a_buffer_with_views_does_not_close(mr):
    buffer = mr.allocate(KIB)
    view = memoryview(buffer)
    with pytest.raises(BufferError, match="1 view"):
        buffer.close()
    view[0] = 3
    view.release()
    buffer.close()
    with pytest.raises(BufferError, match="closed"):
        memoryview(buffer)


def test_an_array_keeps_the_memory_of_a_lost_buffer(mr, sim):
    array = numpy.asarray(mr.allocate(4 * KIB))
    gc.collect()
    array[:] = 1
    assert sim.live().managed_allocations == 1 and int(array.sum()) == 4 * KIB
    del array
    cmm.drain()
    assert sim.live().managed_allocations == 0


def test_device_memory_has_no_host_view(sim):
    buffer = cmm.DeviceMemoryResource().allocate(KIB)
    with pytest.raises(BufferError, match="device memory"):
        memoryview(buffer)
    assert buffer.__cuda_array_interface__["data"] == (buffer.handle, False)
    assert not hasattr(buffer, "__array_interface__")
    assert buffer.__dlpack_device__() == (2, 0) and buffer.__dlpack__() is not None
    assert not buffer.is_host_accessible and buffer.is_device_accessible


@pytest.mark.machine("concurrent=0")
def test_the_host_waits_where_it_cannot_share(mr, sim, stream):
    source, target = mr.allocate(4 * KIB), mr.allocate(4 * KIB)
    sim.hold()
    cmm.copy_batch(stream, [source], [target])
    with pytest.raises(BufferError, match="concurrentManagedAccess|flight"):
        memoryview(target)
    sim.release()
    stream.sync()
    assert len(bytes(target)) == 4 * KIB


def test_interfaces_describe_the_memory(mr):
    buffer = mr.allocate(KIB)
    for facts in (buffer.__cuda_array_interface__, buffer.__array_interface__):
        assert facts["shape"] == (KIB,) and facts["typestr"] == "|u1" and facts["data"][0] == buffer.handle
    pinned = cmm.PinnedMemoryResource().allocate(KIB)
    assert pinned.__dlpack_device__() == (3, 0) and pinned.kind is cmm.MemoryKind.PINNED


def test_dlpack_keeps_the_memory(mr, sim):
    array = numpy.from_dlpack(mr.allocate(4 * KIB))
    gc.collect()
    assert array.shape == (4 * KIB,) and sim.live().managed_allocations == 1
    buffer = mr.allocate(KIB)
    capsule = buffer.__dlpack__(max_version=(1, 0), dl_device=(1, 0))
    assert "dltensor_versioned" in repr(capsule)
    del capsule
    with pytest.raises(BufferError):
        buffer.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError):
        buffer.__dlpack__(copy=True)
    del array
    buffer.close()


def test_arrays_are_borrowed_with_their_owner(sim):
    array = numpy.arange(KIB, dtype=numpy.int32)
    buffer = cmm.Buffer.from_handle(array)
    assert (buffer.handle, buffer.size) == (array.ctypes.data, 4 * KIB) and buffer.owner is array
    assert bytes(buffer) == array.tobytes()
    with pytest.raises(ValueError, match="contiguous"):
        cmm.Buffer.from_handle(array[::2])
    with pytest.raises(ValueError, match="more than"):
        cmm.Buffer.from_handle(array, 5 * KIB)
    with pytest.raises(TypeError, match="ptr"):
        cmm.Buffer.from_handle(object(), 5)
    with pytest.raises(TypeError, match="size"):
        cmm.Buffer.from_handle(4096)


def test_managed_memory_is_borrowed_by_its_interface(mr, stream):
    owner = mr.allocate(64 * KIB)
    borrowed = cmm.ManagedBuffer.from_handle(owner)
    borrowed.prefetch(Device(0), stream=stream)
    stream.sync()
    assert owner.last_prefetch_location is Device(0) and borrowed.owner is owner


class Owner:
    pass


def test_owners_live_as_long_as_the_buffer(mr):
    memory = mr.allocate(4 * KIB)
    owner = Owner()
    gone = weakref.ref(owner)
    buffer = cmm.ManagedBuffer.from_handle(memory.handle, 4 * KIB, owner=owner)
    part = buffer[KIB:]
    del owner, buffer
    gc.collect()
    assert gone() is not None
    del part
    gc.collect()
    assert gone() is None


def test_cycles_through_owners_are_collected(mr):
    memory = mr.allocate(4 * KIB)
    owner = Owner()
    gone = weakref.ref(owner)
    owner.buffer = cmm.ManagedBuffer.from_handle(memory.handle, 4 * KIB, owner=owner)
    owner.part = owner.buffer[KIB:]
    del owner
    gc.collect()
    assert gone() is None


def test_an_owner_lives_until_work_in_flight_is_done(mr, sim, stream):
    memory, target = mr.allocate(4 * KIB), mr.allocate(4 * KIB)
    owner = Owner()
    gone = weakref.ref(owner)
    sim.hold()
    cmm.copy_batch(stream, [cmm.ManagedBuffer.from_handle(memory.handle, 4 * KIB, owner=owner)], [target])
    del owner
    gc.collect()
    assert gone() is not None
    sim.release()
    stream.sync()
    cmm.drain()
    mr.allocate(KIB)
    assert gone() is None


def test_an_explicit_close_lets_the_owner_go(mr):
    memory = mr.allocate(4 * KIB)
    owner = Owner()
    gone = weakref.ref(owner)
    buffer = cmm.ManagedBuffer.from_handle(memory.handle, 4 * KIB, owner=owner)
    del owner
    buffer.close()
    assert buffer.owner is None and gone() is None
