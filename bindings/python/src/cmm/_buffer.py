# SPDX-License-Identifier: Apache-2.0
"""Buffers, and the live set of what has a buffer mapped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSet
from typing import Any, TypeVar

from . import _cmm, _ops
from ._location import Device, Host, Location
from ._options import Advice, HintPolicy, MemoryKind, Strategy, options_code
from ._stream import StreamLike

_B = TypeVar("_B", bound="Buffer")
_HOST_KINDS = (MemoryKind.MANAGED, MemoryKind.MANAGED_POOL, MemoryKind.PINNED, MemoryKind.PAGEABLE)
# DLPack's device types.
_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13
_DLPACK_TYPES = {
    MemoryKind.MANAGED: _CUDA_MANAGED,
    MemoryKind.MANAGED_POOL: _CUDA_MANAGED,
    MemoryKind.DEVICE: _CUDA,
    MemoryKind.PINNED: _CUDA_HOST,
    MemoryKind.PAGEABLE: _CPU,
}


def _is_described(source: Any) -> bool:
    return hasattr(source, "__cuda_array_interface__") or hasattr(source, "__array_interface__")


def _describe(source: Any) -> tuple[int, int, bool]:
    """Address, bytes and whether it is read-only of an object that describes its memory."""
    for name in ("__cuda_array_interface__", "__array_interface__"):
        facts = getattr(source, name, None)
        if facts is None:
            continue
        if facts.get("strides") is not None:
            raise ValueError(f"ptr: {name}: the array is not contiguous")
        items = 1
        for extent in facts["shape"]:
            items *= extent
        address, read_only = facts["data"]
        return int(address or 0), items * int(facts["typestr"][2:]), bool(read_only)
    raise TypeError(
        f"ptr: expected an int or an object with __cuda_array_interface__ or __array_interface__, "
        f"got {type(source).__name__} ({source!r})"
    )


class Buffer(_cmm.BufferBase):
    """A range of memory and the right to it. Made by a resource, by `from_handle`, or as a slice.

    Attributes
    ----------
    handle : int
        The address.
    size : int
        Bytes.
    is_closed : bool
        Whether it was closed.

    Notes
    -----
    Host-accessible memory has the buffer protocol: ``bytes(buf)``, ``memoryview(buf)``, ``numpy.asarray(buf)``.
    All memory has ``__cuda_array_interface__`` and DLPack. ``buf[4096:8192]`` is a buffer of those bytes.
    Memory goes back when the buffer, its slices and views, and all work of cmm on it are done; work that cmm
    did not issue is named to `close`.
    """

    __slots__ = ("_owner", "__weakref__")
    _owner: object

    def __init_subclass__(cls) -> None:
        _cmm.finalize_class(cls)

    def __init__(self) -> None:
        raise TypeError(f"{type(self).__name__}: buffers come from a memory resource or from from_handle")

    @classmethod
    def from_handle(
        cls: type[_B], ptr: Any, size: int | None = None, owner: object = None, *, mr: object = None
    ) -> _B:
        """Borrows memory that something else owns.

        Parameters
        ----------
        ptr : int or array
            The address, or an object with ``__cuda_array_interface__`` or ``__array_interface__``, such as a
            numpy array, which then is the owner.
        size : int
            Bytes; by default those of the array.
        owner : object, optional
            Kept until the buffer and all work on it are done.
        mr : MemoryResource, optional
            Kept likewise; the memory is not given back to it.

        Raises
        ------
        InvalidArgumentError
            For a range that wraps, a null address with bytes, and, on `ManagedBuffer`, for memory that is not
            managed.
        """
        if owner is not None and mr is not None:
            raise ValueError("owner, mr: only one of them can be given")
        address = ptr
        if type(ptr) is not int and (_is_described(ptr) or not hasattr(ptr, "__index__")):
            address, extent, _ = _describe(ptr)
            size = extent if size is None else size
            if not 0 <= size <= extent:
                raise ValueError(f"size: {size} is more than the array's {extent} bytes")
            owner = ptr if owner is None else owner
        if size is None:
            raise TypeError("size: an address needs a size")
        return _cmm.borrow(cls, address, size, issubclass(cls, ManagedBuffer), mr if owner is None else owner)

    @property
    def kind(self) -> MemoryKind:
        """What memory it is; of borrowed memory the driver is asked."""
        return MemoryKind(_cmm.buffer_kind(self))

    @property
    def is_managed(self) -> bool:
        """Whether it is managed memory."""
        return self.kind in (MemoryKind.MANAGED, MemoryKind.MANAGED_POOL)

    @property
    def is_device_accessible(self) -> bool:
        """Whether kernels can use it."""
        return self.kind not in (MemoryKind.PAGEABLE, MemoryKind.UNKNOWN)

    @property
    def is_host_accessible(self) -> bool:
        """Whether the host can use it."""
        return self.kind in _HOST_KINDS

    @property
    def device(self) -> Device:
        """The device that it was allocated for."""
        return Device(_cmm.buffer_device(self))

    @property
    def device_id(self) -> int:
        """The ordinal of `device`."""
        return _cmm.buffer_device(self)

    @property
    def owner(self) -> object:
        """What owns borrowed memory, or the buffer that this is a slice of."""
        return None if self.is_closed else getattr(self, "_owner", None)

    def slice(self: _B, offset: int, size: int) -> _B:
        """The bytes [offset, offset + size) as a buffer that keeps this one's memory alive."""
        made = _cmm.make_buffer(type(self), _cmm.buffer_slice(self, offset, size))
        made._owner = self
        return made

    def __len__(self) -> int:
        return self.size

    def __getitem__(self: _B, key: object) -> _B:
        if not isinstance(key, slice):
            raise TypeError(f"Buffer: indices are slices, such as buf[4096:8192], got {key!r}")
        begin, end, step = key.indices(self.size)
        if step != 1:
            raise ValueError(f"Buffer: a slice has step 1, got {step}")
        return self.slice(begin, max(0, end - begin))

    def copy_to(self, dst: Buffer | None = None, *, stream: StreamLike) -> Buffer:
        """Copies all bytes to another buffer of the same size, in stream order; returns that buffer."""
        if dst is None:
            raise TypeError("dst: a Buffer is needed")
        _cmm.copy_batch(stream, (self,), (dst,), None, None)
        return dst

    def copy_from(self, src: Buffer, *, stream: StreamLike) -> None:
        """Copies all bytes of another buffer of the same size to this one, in stream order."""
        _cmm.copy_batch(stream, (src,), (self,), None, None)

    def close(self, stream: StreamLike | None = None) -> None:
        """Gives the memory up. Idempotent.

        Parameters
        ----------
        stream : stream, optional
            The memory goes back behind the work that it holds now, such as kernels that cmm knows nothing of.

        Raises
        ------
        BufferError
            While views (memoryview, numpy arrays) of it are alive.
        """
        _cmm.close_buffer(self, stream)

    def __enter__(self: _B) -> _B:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __bytes__(self) -> bytes:
        with memoryview(self) as view:
            return view.tobytes()

    @property
    def __cuda_array_interface__(self) -> dict[str, object]:
        if not self.is_device_accessible:
            raise AttributeError("__cuda_array_interface__: the device cannot use pageable host memory")
        return {"shape": (self.size,), "typestr": "|u1", "data": (self.handle, False), "version": 3, "stream": None}

    @property
    def __array_interface__(self) -> dict[str, object]:
        if not self.is_host_accessible:
            raise AttributeError("__array_interface__: the host cannot use device memory")
        memoryview(self).release()  # the checks of the buffer protocol
        return {"shape": (self.size,), "typestr": "|u1", "data": (self.handle, False), "version": 3}

    def __dlpack_device__(self) -> tuple[int, int]:
        kind = self.kind
        device = 0 if kind is MemoryKind.PAGEABLE else self.device_id
        return _DLPACK_TYPES.get(kind, _CUDA), max(device, 0)

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """A DLPack capsule of the bytes. Waits for nothing: the memory is used in the consumer's order."""
        if copy:
            raise BufferError("__dlpack__: copies are not made here")
        own = self.__dlpack_device__()
        device = own if dl_device is None else (int(dl_device[0]), int(dl_device[1]))
        if device != own and not (device[0] == _CPU and own[0] != _CUDA):
            raise BufferError(f"__dlpack__: the memory is on {own}, and cannot be had on {device}")
        versioned = max_version is not None and max_version[0] >= 1
        return _cmm.dlpack(self, versioned, device[0], device[1])

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"<closed cmm.{name}>" if self.is_closed else f"<cmm.{name} {self.handle:#x}, {self.size} bytes>"


_cmm.finalize_class(Buffer)


class AccessedBySet(MutableSet[Location]):
    """The devices and the host that have a buffer mapped: a live set, asked of the driver at each use.

    Only devices and ``Host()`` can be in it.
    """

    __slots__ = ("_buffer",)

    def __init__(self, buffer: ManagedBuffer) -> None:
        self._buffer = buffer

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> set[Any]:
        return set(it)

    def _now(self) -> list[Location]:
        now = _cmm.get_accessed_by(self._buffer)
        devices: list[Location] = [Device(i) for i in range(now.devices.bit_length()) if now.devices >> i & 1]
        return [*devices, Host()] if now.host else devices

    def __contains__(self, location: object) -> bool:
        if not isinstance(location, (Device, Host)):
            return False
        now = _cmm.get_accessed_by(self._buffer)
        if isinstance(location, Device):
            return bool(now.devices >> location.id & 1)
        return now.host and location is Host()

    def __iter__(self) -> Iterator[Location]:
        return iter(self._now())

    def __len__(self) -> int:
        now = _cmm.get_accessed_by(self._buffer)
        return bin(now.devices).count("1") + now.host

    def add(self, location: Location) -> None:
        """Adds a device or the host; nothing where it is in the set."""
        _cmm.add_accessed_by(self._buffer, location)

    def discard(self, location: Location) -> None:
        """Takes a device or the host out; nothing where it is not in the set."""
        if isinstance(location, Host) and location is not Host():
            return
        _cmm.discard_accessed_by(self._buffer, location)

    def clear(self) -> None:
        """Takes everything out."""
        _cmm.assign_accessed_by(self._buffer, ())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (set, frozenset, MutableSet)):
            return NotImplemented
        return set(self._now()) == set(other)

    def __repr__(self) -> str:
        return f"AccessedBySet({self._now()!r})"


class ManagedBuffer(Buffer):
    """Managed memory: the host and every device see it at one address.

    Attributes
    ----------
    read_mostly : bool
        Whether devices may keep copies of pages that are mostly read.
    preferred_location : Device, Host or None
        Where its pages would rather be.
    last_prefetch_location : Device, Host or None
        Where it was last prefetched to. Read-only.

    Notes
    -----
    Getters ask the driver, one query each; there is no copy of the advice. None also stands for ranges whose
    pages differ.
    """

    __slots__ = ()

    @property
    def accessed_by(self) -> AccessedBySet:
        """The devices and the host that have it mapped: a live set.

        Assigning checks every element first, then sends only the differences, and puts back what it changed
        when the driver refuses one.
        """
        _ = self.size  # a closed buffer raises
        return AccessedBySet(self)

    @accessed_by.setter
    def accessed_by(self, locations: Iterable[Location]) -> None:
        _cmm.assign_accessed_by(self, locations)

    def advise(self, advice: Advice | str, location: Location | None = None) -> _cmm.Report:
        """See `cmm.advise`."""
        return _ops.advise(self, advice, location)

    def prefetch(
        self,
        location: Location,
        *,
        stream: StreamLike,
        strategy: Strategy | str | None = None,
        hints: HintPolicy | str | None = None,
    ) -> _cmm.Report:
        """See `cmm.prefetch`."""
        options = None if strategy is None and hints is None else options_code(strategy, hints)
        return _cmm.prefetch(self, location, stream, options)

    def discard(self, *, stream: StreamLike) -> _cmm.Report:
        """See `cmm.discard`."""
        return _cmm.discard(self, stream, None)

    def discard_prefetch(self, location: Location, *, stream: StreamLike) -> _cmm.Report:
        """See `cmm.discard_prefetch`."""
        return _cmm.discard_prefetch(self, location, stream, None)
