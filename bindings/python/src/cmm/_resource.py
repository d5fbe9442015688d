# SPDX-License-Identifier: Apache-2.0
"""Resources that make buffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _cmm
from ._buffer import Buffer, ManagedBuffer
from ._location import Device
from ._stream import StreamLike, _Handle

_ATTACH_GLOBAL = 1


def _ordinal(device: Device | int | None) -> int:
    if device is None:
        return -1
    return (device if isinstance(device, Device) else Device(device)).id


class MemoryResource(_Handle, _cmm.ResourceBase):
    """What makes buffers. Buffers outlive the resource that made them."""

    __slots__ = ("__weakref__",)
    _buffers: type[Buffer] = Buffer

    def allocate(self, size: int, stream: StreamLike | None = None) -> Buffer:
        """A new buffer.

        Parameters
        ----------
        size : int
            Bytes; zero makes an empty buffer without a driver call.
        stream : stream, optional
            Ignored: this memory is not allocated in stream order.

        Raises
        ------
        MemoryError
            When the driver has none left, also after freeing what is retired.
        """
        return _cmm.allocate(self, size, self._buffers)

    @property
    def device(self) -> Device | None:
        """The device that it allocates for; None for host memory."""
        ordinal = _cmm.resource_device_ordinal(self)
        return None if ordinal < 0 else Device(ordinal)

    @property
    def is_arena(self) -> bool:
        """Whether allocations are pieces of slabs."""
        return _cmm.resource_is_arena(self)

    def cupy_allocator(self, size: int) -> Any:
        """An allocator for ``cupy.cuda.set_allocator``: ``set_allocator(mr.cupy_allocator)``."""
        import cupy  # type: ignore[import-not-found,unused-ignore]

        buffer = self.allocate(size)
        memory = cupy.cuda.UnownedMemory(buffer.handle, size, buffer, cupy.cuda.runtime.getDevice())
        return cupy.cuda.MemoryPointer(memory, 0)

    def __repr__(self) -> str:
        state = "closed " if self.is_closed else ""
        return f"<{state}cmm.{type(self).__name__}>"


class ManagedMemoryResource(MemoryResource):
    """Makes managed buffers: direct, or from an arena of slabs, where consecutive allocations touch and merge.

    Parameters
    ----------
    device : Device or int, optional
        By default the calling thread's current device, else device 0.
    arena : bool, optional
        Page-aligned pieces of large slabs instead of one driver allocation each.
    slab_bytes : int, optional
        Of one slab; 64 MiB by default.
    limit_bytes : int, optional
        Of all slabs; 0: no limit.
    """

    __slots__ = ()
    _buffers = ManagedBuffer

    def __new__(
        cls,
        device: Device | int | None = None,
        *,
        arena: bool = False,
        slab_bytes: int = 64 << 20,
        limit_bytes: int = 0,
    ) -> ManagedMemoryResource:
        ordinal = _ordinal(device)
        handle = (
            _cmm.resource_arena(ordinal, _ATTACH_GLOBAL, slab_bytes, limit_bytes)
            if arena
            else _cmm.resource_managed(ordinal, _ATTACH_GLOBAL)
        )
        return _cmm.make_object(cls, handle)

    def __init__(
        self,
        device: Device | int | None = None,
        *,
        arena: bool = False,
        slab_bytes: int = 64 << 20,
        limit_bytes: int = 0,
    ) -> None:
        pass

    def allocate(self, size: int, stream: StreamLike | None = None) -> ManagedBuffer:
        """See `MemoryResource.allocate`."""
        return _cmm.allocate(self, size, ManagedBuffer)

    def allocate_batch(self, sizes: Sequence[int]) -> list[ManagedBuffer]:
        """Buffers that touch in the order given, all or none."""
        made = _cmm.resource_allocate_batch(self, sizes)
        return [_cmm.make_buffer(ManagedBuffer, handle) for handle in made]

    @property
    def stats(self) -> _cmm.ArenaStatistics:
        """Slabs and pieces of the arena; zeros of a direct resource."""
        return _cmm.resource_stats(self)

    def trim(self) -> int:
        """Gives wholly free slabs back to the driver; bytes given back."""
        return _cmm.resource_trim(self)


class PinnedMemoryResource(MemoryResource):
    """Makes buffers of pinned host memory: the fast end of copies."""

    __slots__ = ()

    def __new__(cls) -> PinnedMemoryResource:
        return _cmm.make_object(cls, _cmm.resource_pinned())

    def __init__(self) -> None:
        pass


class DeviceMemoryResource(MemoryResource):
    """Makes buffers of device memory.

    Parameters
    ----------
    device : Device or int, optional
        Device 0 by default.
    """

    __slots__ = ()

    def __new__(cls, device: Device | int | None = None) -> DeviceMemoryResource:
        return _cmm.make_object(cls, _cmm.resource_device(_ordinal(device)))

    def __init__(self, device: Device | int | None = None) -> None:
        pass
