# SPDX-License-Identifier: Apache-2.0
"""Enumerations, which also take their members' names as strings, and the options of copies."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TypeVar, Union, cast

from . import _cmm

_E = TypeVar("_E", bound="Choice")


class Choice(enum.IntEnum):
    """An IntEnum whose members can be given by name, in any case."""

    @classmethod
    def _missing_(cls, value: object) -> Choice | None:
        if isinstance(value, str):
            return cls.__members__.get(value.upper())
        return None

    def __str__(self) -> str:
        return self.name.lower()


_by_name: dict[tuple[type[Choice], object], Choice] = {}


def choose(kind: type[_E], value: object, argument: str) -> _E:
    """The member of `kind` that `value` names, or an error that lists what is allowed."""
    if type(value) is kind:
        return value
    if type(value) is str and (kind, value) in _by_name:
        return cast(_E, _by_name[kind, value])
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        try:
            found = kind(cast(int, value))
        except ValueError:
            pass
        else:
            if type(value) is str:
                _by_name[kind, value] = found
            return found
    allowed = ", ".join(f'"{member}"' for member in kind)
    message = f"{argument}: expected {kind.__name__} or one of {allowed}, got {value!r}"
    raise (ValueError if isinstance(value, (str, int)) else TypeError)(message)


class Advice(Choice):
    """What `cmm.advise` can say about memory."""

    SET_READ_MOSTLY = 1
    UNSET_READ_MOSTLY = 2
    SET_PREFERRED_LOCATION = 3
    UNSET_PREFERRED_LOCATION = 4
    SET_ACCESSED_BY = 5
    UNSET_ACCESSED_BY = 6


class MemcpySrcAccessOrder(Choice):
    """When a batched copy may read its source."""

    STREAM = 1
    DURING_API_CALL = 2
    ANY = 3


class MemcpyOverlapMode(Choice):
    """Whether a copy would rather run beside kernels, on integrated GPUs."""

    DEFAULT = 0
    PREFER_OVERLAP_WITH_COMPUTE = 1


class Strategy(Choice):
    """How what is left after merging reaches the driver."""

    AUTOMATIC = 0
    DRIVER_BATCH = 1
    PER_RANGE = 2
    RETURN_EARLY = 3


class HintPolicy(Choice):
    """What a hint that this machine cannot honour does: raise, warn once, or nothing."""

    STRICT = 1
    WARN = 2
    IGNORE = 3


class MemoryKind(Choice):
    """What memory an address is in."""

    UNKNOWN = 0
    MANAGED = 1
    MANAGED_POOL = 2
    DEVICE = 3
    PINNED = 4
    PAGEABLE = 5


class Operation(Choice):
    """What `Device.supports` can be asked about."""

    ADVISE = 1
    PREFETCH = 2
    DISCARD = 3
    DISCARD_PREFETCH = 4
    COPY_BATCH = 5
    NUMA_LOCATIONS = 6
    MANAGED_MEMORY = 7
    BATCHES = 8
    PAGEABLE_MEMORY = 9


def options_code(strategy: object, hints: object) -> tuple[int, int] | None:
    """Strategy and hint policy as the extension takes them; None for the defaults."""
    if strategy is None and hints is None:
        return None
    chosen = 0 if strategy is None else int(choose(Strategy, strategy, "strategy"))
    return chosen, 0 if hints is None else int(choose(HintPolicy, hints, "hints"))


def _location_code(location: object, name: str) -> tuple[int, int]:
    if location is None:
        return 0, 0
    if not isinstance(location, _cmm.LocationBase):
        raise TypeError(f"{name}: expected a Device, a Host or None, got {location!r}")
    return location.kind, location.id


@dataclass(frozen=True)
class CopyOptions:
    """How one copy of a batch is to be done.

    Parameters
    ----------
    src_access_order : MemcpySrcAccessOrder or str
        When the source may be read: ``"stream"`` (in stream order), ``"during_api_call"`` (before `copy_batch`
        returns: the source may then be reused) or ``"any"``.
    src_location_hint, dst_location_hint : Device, Host or None
        Where managed memory is expected to be.
    overlap_mode : MemcpyOverlapMode or str
        ``"default"`` or ``"prefer_overlap_with_compute"``, which warns on GPUs that are not integrated.
    """

    src_access_order: Union[MemcpySrcAccessOrder, str] = MemcpySrcAccessOrder.STREAM
    src_location_hint: _cmm.LocationBase | None = None
    dst_location_hint: _cmm.LocationBase | None = None
    overlap_mode: Union[MemcpyOverlapMode, str] = MemcpyOverlapMode.DEFAULT
    _code: tuple[int, int, int, int, int, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        order = choose(MemcpySrcAccessOrder, self.src_access_order, "src_access_order")
        overlap = choose(MemcpyOverlapMode, self.overlap_mode, "overlap_mode")
        src = _location_code(self.src_location_hint, "src_location_hint")
        dst = _location_code(self.dst_location_hint, "dst_location_hint")
        object.__setattr__(self, "src_access_order", order)
        object.__setattr__(self, "overlap_mode", overlap)
        object.__setattr__(self, "_code", (int(order), *src, *dst, int(overlap)))
