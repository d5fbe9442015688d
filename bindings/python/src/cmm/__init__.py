# SPDX-License-Identifier: Apache-2.0
"""CUDA managed memory: advise, prefetch, discard and batched copies, for every driver from CUDA 11.8 to 13."""

from __future__ import annotations

import atexit as _atexit

from . import _cmm, utils
from ._buffer import AccessedBySet, Buffer, ManagedBuffer
from ._driver import (
    DriverInfo,
    collect,
    drain,
    driver_info,
    hint_policy,
    open_driver,
    open_simulated,
    set_hint_policy,
)
from ._errors import (
    ClosedError,
    DriverError,
    DriverMissingError,
    Error,
    InternalError,
    InvalidArgumentError,
    NotSupportedError,
    OutOfMemoryError,
)
from ._location import Device, Host, Location
from ._ops import Report, advise, copy_batch, discard, discard_prefetch, prefetch
from ._options import (
    Advice,
    CopyOptions,
    HintPolicy,
    MemcpyOverlapMode,
    MemcpySrcAccessOrder,
    MemoryKind,
    Operation,
    Strategy,
)
from ._plan import Plan
from ._resource import DeviceMemoryResource, ManagedMemoryResource, MemoryResource, PinnedMemoryResource
from ._stream import LEGACY_DEFAULT_STREAM, PER_THREAD_DEFAULT_STREAM, Event, Stream, StreamLike

__version__ = "0.1.0"
__all__ = [
    "LEGACY_DEFAULT_STREAM",
    "PER_THREAD_DEFAULT_STREAM",
    "AccessedBySet",
    "Advice",
    "Buffer",
    "ClosedError",
    "CopyOptions",
    "Device",
    "DeviceMemoryResource",
    "DriverError",
    "DriverInfo",
    "DriverMissingError",
    "Error",
    "Event",
    "HintPolicy",
    "Host",
    "InternalError",
    "InvalidArgumentError",
    "Location",
    "ManagedBuffer",
    "ManagedMemoryResource",
    "MemcpyOverlapMode",
    "MemcpySrcAccessOrder",
    "MemoryKind",
    "MemoryResource",
    "NotSupportedError",
    "Operation",
    "OutOfMemoryError",
    "PinnedMemoryResource",
    "Plan",
    "Report",
    "Strategy",
    "Stream",
    "StreamLike",
    "advise",
    "collect",
    "copy_batch",
    "discard",
    "discard_prefetch",
    "drain",
    "driver_info",
    "hint_policy",
    "open_driver",
    "open_simulated",
    "prefetch",
    "set_hint_policy",
    "utils",
]

# Runs before the interpreter takes itself apart: work in flight must not call back into it.
_atexit.register(_cmm.leave)
