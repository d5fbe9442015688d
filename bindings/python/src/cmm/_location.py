# SPDX-License-Identifier: Apache-2.0
"""Locations: where managed memory can live. Interned: equal locations are the same object."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar, Union, cast

from . import _cmm
from ._options import Operation, choose

if TYPE_CHECKING:
    from ._stream import Stream

_DEVICE, _HOST, _NUMA, _NUMA_CURRENT = 1, 2, 3, 4
_interned: dict[tuple[int, int], _cmm.LocationBase] = {}
_lock = threading.Lock()
_L = TypeVar("_L", bound=_cmm.LocationBase)


def _intern(cls: type[_L], kind: int, ident: int) -> _L:
    found = _interned.get((kind, ident))
    if found is None:
        with _lock:
            made = _cmm.make_location(cls, kind, ident)
            found = _interned.setdefault((kind, ident), made)
    return cast(_L, found)


def _ordinal(value: object, what: str) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{what}: expected an int, got {type(value).__name__} ({value!r})")
    number = value.__index__()
    if not 0 <= number <= 0x7FFFFFFF:
        raise ValueError(f"{what}: {number} is none; allowed are 0 to 2147483647")
    return int(number)


class _Location(_cmm.LocationBase):
    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, _cmm.LocationBase):
            return NotImplemented
        return (self.kind, self.id) < (other.kind, other.id)

    def __copy__(self: _L) -> _L:
        return self

    def __deepcopy__(self: _L, memo: object) -> _L:
        return self


class Device(_Location):
    """A CUDA device, by ordinal, as the driver counts them.

    Parameters
    ----------
    device_id : int
        The ordinal; 0 by default. Whether the machine has it is checked when it is used.

    Examples
    --------
    >>> Device(0) is Device(0)
    True
    """

    __slots__ = ()

    def __new__(cls, device_id: int = 0) -> Device:
        found = _interned.get((_DEVICE, device_id)) if type(device_id) is int else None
        if found is not None:
            return cast(Device, found)
        return _intern(Device, _DEVICE, _ordinal(device_id, "device_id"))

    def __init__(self, device_id: int = 0) -> None:
        pass

    def __repr__(self) -> str:
        return f"Device({self.id})"

    def __reduce__(self) -> tuple[type[Device], tuple[int]]:
        return Device, (self.id,)

    @property
    def device_id(self) -> int:
        """The ordinal."""
        return self.id

    @property
    def name(self) -> str:
        """What the driver calls it."""
        return _cmm.device_name(self.id)

    @property
    def memory(self) -> tuple[int, int]:
        """Bytes free and in all."""
        info = _cmm.device_memory(self.id)
        return info.free_bytes, info.total_bytes

    def supports(self, operation: Operation | str) -> bool:
        """Whether an operation works on this device with this driver. Makes no driver call.

        Parameters
        ----------
        operation : Operation or str
            Such as ``"prefetch"`` or ``"numa_locations"``.
        """
        return not self.why_not(operation)

    def why_not(self, operation: Operation | str) -> str:
        """The reason why an operation does not work here; empty where it does."""
        return _cmm.unsupported_reason(self.id, int(choose(Operation, operation, "operation")))

    def set_current(self) -> None:
        """Makes this device the calling thread's current one. cmm itself needs no current device."""
        _cmm.make_current(self.id)

    def create_stream(self, *, priority: int = 0, blocking: bool = False) -> Stream:
        """A new stream of this device; see `Stream`."""
        from ._stream import Stream

        return Stream(device=self, priority=priority, blocking=blocking)

    @property
    def default_stream(self) -> Stream:
        """The legacy default stream."""
        from ._stream import Stream

        return Stream.legacy()


class Host(_Location):
    """The host: any of its memory, one NUMA node of it, or the node of the calling thread.

    Parameters
    ----------
    numa_id : int, optional
        A NUMA node. Without one: any.
    is_numa_current : bool, optional
        The node of the thread that makes the call; the same as `Host.numa_current`.

    Examples
    --------
    >>> Host() is Host(), Host(numa_id=1), Host.numa_current()
    (True, Host(numa_id=1), Host.numa_current())
    """

    __slots__ = ()

    def __new__(cls, numa_id: int | None = None, *, is_numa_current: bool = False) -> Host:
        if numa_id is None:
            return cast(Host, _interned[_NUMA_CURRENT if is_numa_current else _HOST, 0])
        if is_numa_current:
            raise ValueError("numa_id, is_numa_current: only one of them can be given")
        return _intern(Host, _NUMA, _ordinal(numa_id, "numa_id"))

    def __init__(self, numa_id: int | None = None, *, is_numa_current: bool = False) -> None:
        pass

    @staticmethod
    def numa_current() -> Host:
        """The NUMA node of the thread that makes the call."""
        return cast(Host, _interned[_NUMA_CURRENT, 0])

    @property
    def numa_id(self) -> int | None:
        """The node; None where it names none."""
        return self.id if self.kind == _NUMA else None

    @property
    def is_numa_current(self) -> bool:
        """Whether it is the node of the calling thread."""
        return self.kind == _NUMA_CURRENT

    def __repr__(self) -> str:
        if self.is_numa_current:
            return "Host.numa_current()"
        return "Host()" if self.numa_id is None else f"Host(numa_id={self.numa_id})"

    def __reduce__(self) -> tuple[object, ...]:
        if self.is_numa_current:
            return Host.numa_current, ()
        return Host, (self.numa_id,)


_intern(Host, _HOST, 0)
_intern(Host, _NUMA_CURRENT, 0)

Location = Union[Device, Host]


def _from_code(kind: int, ident: int) -> _cmm.LocationBase:
    return _intern(Device if kind == _DEVICE else Host, kind, ident)


_cmm.set_location_factory(_from_code)
