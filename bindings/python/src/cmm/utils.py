# SPDX-License-Identifier: Apache-2.0
"""Operations under the names of cuda.core's ``utils``, beside cmm's own."""

from __future__ import annotations

from collections.abc import Sequence

from . import _cmm
from ._buffer import Buffer
from ._ops import Locations, Report, advise, copy_batch, discard, discard_prefetch, prefetch
from ._options import CopyOptions, MemcpyOverlapMode, MemcpySrcAccessOrder
from ._stream import StreamLike

__all__ = [
    "CopyOptions",
    "MemcpyOverlapMode",
    "MemcpySrcAccessOrder",
    "advise",
    "copy_batch",
    "discard",
    "discard_batch",
    "discard_prefetch",
    "discard_prefetch_batch",
    "prefetch",
    "prefetch_batch",
]


def prefetch_batch(stream: StreamLike, buffers: Sequence[Buffer], locations: Locations) -> Report:
    """`cmm.prefetch` with the stream first."""
    return _cmm.prefetch(buffers, locations, stream, None)


def discard_batch(stream: StreamLike, buffers: Sequence[Buffer]) -> Report:
    """`cmm.discard` with the stream first."""
    return _cmm.discard(buffers, stream, None)


def discard_prefetch_batch(stream: StreamLike, buffers: Sequence[Buffer], locations: Locations) -> Report:
    """`cmm.discard_prefetch` with the stream first."""
    return _cmm.discard_prefetch(buffers, locations, stream, None)
