# SPDX-License-Identifier: Apache-2.0
"""Exceptions: one base, and one class per thing that a caller can do about it."""

from __future__ import annotations

from . import _cmm


class Error(Exception):
    """Base of cmm's exceptions.

    Attributes
    ----------
    argument : str
        Name of the argument to blame; empty where there is none.
    index, other_index : int or None
        Which element of it, in the caller's order, and the second one where two contradict each other.
    """

    argument: str = ""
    index: int | None = None
    other_index: int | None = None


class InvalidArgumentError(Error, ValueError):
    """A value that no machine accepts. Nothing has been changed."""


class NotSupportedError(Error, NotImplementedError):
    """This driver, device or mode cannot do it. Nothing has been changed."""


class ClosedError(Error, RuntimeError):
    """The object was closed before. Nothing has been changed."""


class DriverMissingError(Error, RuntimeError):
    """No driver could be loaded; the message says what was tried."""


class DriverError(Error, RuntimeError):
    """The driver refused a call.

    Attributes
    ----------
    code : int
        The driver's CUresult.
    name : str
        Its name, such as ``CUDA_ERROR_INVALID_VALUE``.
    entry : str
        The driver function that returned it.
    issued : int
        How many runs of the operation had reached the driver before: moves stay issued, advice has been taken back.
    """

    code: int = 0
    name: str = ""
    entry: str = ""
    issued: int = 0


class OutOfMemoryError(DriverError, MemoryError):
    """The driver is out of memory, also after what was retired had been freed."""


class InternalError(Error, RuntimeError):
    """A mistake in cmm itself."""


_kinds: dict[int, type[Error]] = {
    1: InvalidArgumentError,
    2: NotSupportedError,
    3: ClosedError,
    4: DriverMissingError,
    5: DriverError,
    6: OutOfMemoryError,
    7: InternalError,
}


def _make(
    kind: int,
    message: str,
    argument: str,
    index: int,
    other_index: int,
    code: int,
    name: str,
    entry: str,
    issued: int,
) -> Error:
    error = _kinds.get(kind, InternalError)(message)
    error.argument = argument
    error.index = None if index < 0 else index
    error.other_index = None if other_index < 0 else other_index
    if isinstance(error, DriverError):
        error.code, error.name, error.entry, error.issued = code, name, entry, issued
    return error


_cmm.set_error_factory(_make)
