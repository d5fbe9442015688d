# SPDX-License-Identifier: Apache-2.0
"""Streams and events: cmm's own and other libraries'."""

from __future__ import annotations

from typing import Any, Protocol, Union, cast

from . import _cmm
from ._location import Device


class CudaStream(Protocol):
    """An object of another library that is a stream: the ``__cuda_stream__`` protocol."""

    def __cuda_stream__(self) -> tuple[int, int]: ...


#: What stands for a stream: a `Stream`, any object with ``__cuda_stream__``, a stream of torch
#: (``cuda_stream``) or cupy (``ptr``), or a CUstream as an int.
StreamLike = Union["Stream", CudaStream, int, Any]


def _number_of(stream: object) -> int:
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        version, number = protocol() if callable(protocol) else protocol
        if version != 0:
            raise TypeError(f"stream: version {version} of __cuda_stream__ is unknown; 0 is known")
        return cast(int, number)
    for attribute in ("cuda_stream", "ptr"):  # torch's, cupy's
        number = getattr(stream, attribute, None)
        if number is not None:
            return cast(int, number)
    if hasattr(stream, "__index__") and not isinstance(stream, bool):
        return int(stream.__index__())
    raise TypeError(
        f"stream: expected a Stream, an object with __cuda_stream__ or an int, got {type(stream).__name__} "
        f"({stream!r}); asynchronous operations name their stream"
    )


_cmm.set_stream_reader(_number_of)


class _Handle:
    """What all objects that can be closed have in common."""

    __slots__ = ()

    def close(self) -> None:
        """Closes it; closing again does nothing."""
        _cmm.close_object(self)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class Stream(_Handle, _cmm.StreamBase):
    """A stream of work on a device.

    Parameters
    ----------
    device : Device or int, optional
        By default the calling thread's current device, else device 0.
    priority : int, optional
        Lower is more urgent.
    blocking : bool, optional
        Whether it synchronises with the legacy default stream.

    Notes
    -----
    Closing a stream that has work in it lets the work finish.
    """

    __slots__ = ("_keeps", "__weakref__")
    _keeps: object

    def __new__(cls, *, device: Device | int | None = None, priority: int = 0, blocking: bool = False) -> Stream:
        ordinal = -1 if device is None else (device if isinstance(device, Device) else Device(device)).id
        return _cmm.make_object(cls, _cmm.stream_create(ordinal, priority, blocking))

    def __init__(self, *, device: Device | int | None = None, priority: int = 0, blocking: bool = False) -> None:
        pass

    @classmethod
    def from_handle(cls, handle: StreamLike) -> Stream:
        """Borrows another library's stream, which must live as long as it is used. What gave it is kept."""
        number = handle if type(handle) is int else _number_of(handle)
        made = _cmm.make_stream(cls, number)
        made._keeps = handle
        return made

    @staticmethod
    def legacy() -> Stream:
        """The legacy default stream of the current device."""
        return _cmm.make_stream(Stream, 1)

    @staticmethod
    def per_thread() -> Stream:
        """The default stream of the calling thread."""
        return _cmm.make_stream(Stream, 2)

    @property
    def handle(self) -> int:
        """The driver's CUstream."""
        return _cmm.stream_number(self)

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle

    @property
    def device(self) -> Device:
        """The device that it belongs to; not known of other libraries' streams."""
        return Device(_cmm.stream_device(self))

    @property
    def priority(self) -> int:
        """Lower is more urgent; not known of other libraries' streams."""
        return _cmm.stream_priority(self)

    @property
    def is_capturing(self) -> bool:
        """Whether it is being captured into a graph."""
        return _cmm.stream_capturing(self)

    @property
    def is_done(self) -> bool:
        """Whether all work in it has finished."""
        return _cmm.stream_done(self)

    def sync(self) -> None:
        """Waits for all work in it. Other threads run meanwhile."""
        _cmm.stream_sync(self)

    def wait(self, what: Event | StreamLike) -> None:
        """Lets later work of this stream wait for an event, or for what is in another stream now."""
        if isinstance(what, Event):
            _cmm.stream_wait_event(self, what)
        else:
            _cmm.stream_wait_stream(self, what)

    def record(self, *, timing: bool = False) -> Event:
        """A new event behind the work that is in the stream now."""
        return Event(self, timing=timing)

    def __repr__(self) -> str:
        return "<closed cmm.Stream>" if self.is_closed else f"<cmm.Stream {self.handle:#x}>"


class Event(_Handle, _cmm.EventBase):
    """A mark in a stream.

    Parameters
    ----------
    stream : stream
        Where it is recorded.
    timing : bool, optional
        Whether it can be used with `nanoseconds_since`.
    """

    __slots__ = ("__weakref__",)

    def __new__(cls, stream: StreamLike, *, timing: bool = False) -> Event:
        return _cmm.make_object(cls, _cmm.event_record(stream, timing))

    def __init__(self, stream: StreamLike, *, timing: bool = False) -> None:
        pass

    @property
    def handle(self) -> int:
        """The driver's CUevent."""
        return _cmm.event_raw(self)

    @property
    def is_done(self) -> bool:
        """Whether the work before it has finished."""
        return _cmm.event_done(self)

    def sync(self) -> None:
        """Waits for the work before it. Other threads run meanwhile."""
        _cmm.event_sync(self)

    def nanoseconds_since(self, earlier: Event) -> float:
        """Nanoseconds between two events that were made with timing."""
        return _cmm.event_nanoseconds_since(self, earlier)

    def __repr__(self) -> str:
        return "<closed cmm.Event>" if self.is_closed else f"<cmm.Event {self.handle:#x}>"


#: The default streams.
LEGACY_DEFAULT_STREAM = Stream.legacy()
PER_THREAD_DEFAULT_STREAM = Stream.per_thread()
