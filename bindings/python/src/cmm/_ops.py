# SPDX-License-Identifier: Apache-2.0
"""Operations on managed memory and batched copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Union

from . import _cmm
from ._location import Location
from ._options import Advice, CopyOptions, HintPolicy, Strategy, choose, options_code
from ._stream import StreamLike

if TYPE_CHECKING:
    from ._buffer import Buffer

Targets = Union["Buffer", Sequence["Buffer"]]
Locations = Union[Location, Sequence[Location]]
Report = _cmm.Report


def advise(
    targets: Targets,
    advice: Advice | str,
    location: Locations | None = None,
    *,
    hints: HintPolicy | str | None = None,
) -> Report:
    """Tells the driver how memory will be used.

    Parameters
    ----------
    targets : Buffer or sequence of Buffer
        What it is about. A buffer of zero bytes is skipped.
    advice : Advice or str
        ``"set_read_mostly"``, ``"set_preferred_location"``, ``"set_accessed_by"``, or the same with ``unset``.
    location : Device, Host or sequence of them, optional
        For preferred_location and accessed_by. One serves all targets; a sequence pairs by index.
    hints : HintPolicy or str, optional
        What advice that this machine cannot honour does: ``"strict"`` (the default), ``"warn"``, ``"ignore"``.

    Returns
    -------
    Report
        What it became.

    Raises
    ------
    ValueError
        For no targets, another number of locations, memory that is not managed, a location the advice does not
        take.
    NotImplementedError
        For what this driver or device cannot do.
    DriverError
        When the driver refused; advice that was given before has been taken back.

    Notes
    -----
    Everything is checked before the driver is called: a call refused by these checks has changed nothing.
    """
    chosen = choose(Advice, advice, "advice")
    return _cmm.advise(targets, chosen, location, None if hints is None else options_code(None, hints))


def prefetch(
    targets: Targets,
    location: Locations,
    *,
    stream: StreamLike,
    strategy: Strategy | str | None = None,
    hints: HintPolicy | str | None = None,
) -> Report:
    """Moves memory to where it will be needed, in stream order. Contents are kept.

    Parameters
    ----------
    targets : Buffer or sequence of Buffer
        What is moved. Neighbours in one allocation that go to the same place reach the driver as one range.
    location : Device, Host or sequence of them
        Where to. One serves all targets; a sequence pairs by index.
    stream : stream
        A `Stream`, any object with ``__cuda_stream__``, or a CUstream as an int.
    strategy : Strategy or str, optional
        How what is left after merging reaches the driver; ``"automatic"`` by default.
    hints : HintPolicy or str, optional
        What a device that cannot be prefetched to does: ``"strict"`` (the default), ``"warn"``, ``"ignore"``.

    Returns
    -------
    Report
        What it became: ranges in and out, driver calls, bytes, entry point and why.

    Raises
    ------
    ValueError
        For no targets, another number of locations, memory that is not managed.
    NotImplementedError
        For a capturing stream, a device without concurrentManagedAccess, a NUMA node below CUDA 12.2.
    DriverError
        When the driver refused; ``issued`` says how many runs had been issued.

    Examples
    --------
    >>> report = cmm.prefetch([weights, cache], Device(0), stream=s)
    """
    options = None if strategy is None and hints is None else options_code(strategy, hints)
    return _cmm.prefetch(targets, location, stream, options)


def discard(targets: Targets, *, stream: StreamLike, hints: HintPolicy | str | None = None) -> Report:
    """Says that contents are no longer needed. Afterwards they are indeterminate.

    Parameters
    ----------
    targets : Buffer or sequence of Buffer
        What is discarded. Pages that a range covers partly keep their contents.
    stream : stream
        In whose order.
    hints : HintPolicy or str, optional
        What a device that cannot do it does.

    Raises
    ------
    NotImplementedError
        Below CUDA 13.0.
    """
    return _cmm.discard(targets, stream, None if hints is None else options_code(None, hints))


def discard_prefetch(
    targets: Targets, location: Locations, *, stream: StreamLike, hints: HintPolicy | str | None = None
) -> Report:
    """Discards contents and places the memory without moving them: for buffers about to be overwritten.

    Parameters
    ----------
    targets : Buffer or sequence of Buffer
        What is discarded and placed.
    location : Device, Host or sequence of them
        Where to. One serves all targets; a sequence pairs by index.
    stream : stream
        In whose order.
    hints : HintPolicy or str, optional
        What a device that cannot do it does.

    Raises
    ------
    NotImplementedError
        Below CUDA 13.0.
    """
    return _cmm.discard_prefetch(targets, location, stream, None if hints is None else options_code(None, hints))


def copy_batch(
    stream: StreamLike,
    srcs: Sequence[Buffer],
    dsts: Sequence[Buffer],
    *,
    options: CopyOptions | Sequence[CopyOptions] | None = None,
    strategy: Strategy | str | None = None,
    hints: HintPolicy | str | None = None,
) -> Report:
    """Copies many buffers at once, in stream order. Sources dropped right after the call live until it is done.

    Parameters
    ----------
    stream : stream
        In whose order. In a capturing stream the copies become nodes of the graph.
    srcs, dsts : sequence of Buffer
        Sizes match pairwise. Copies are unordered among themselves and must not depend on each other.
    options : CopyOptions or sequence of them, optional
        One for all copies, or one per copy.
    strategy : Strategy or str, optional
        How what is left after merging reaches the driver.
    hints : HintPolicy or str, optional
        What an overlap mode or location hint that cannot be honoured does.

    Raises
    ------
    TypeError
        For a lone buffer: `Buffer.copy_to` and `Buffer.copy_from` copy one.
    ValueError
        For sizes or lengths that do not match, and copies that overlap; ``index`` and ``other_index`` say which.
    """
    code = None if strategy is None and hints is None else options_code(strategy, hints)
    return _cmm.copy_batch(stream, srcs, dsts, options, code)
