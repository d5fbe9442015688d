# SPDX-License-Identifier: Apache-2.0
"""Plans: an operation that is checked, sorted and merged once, and run again and again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import _cmm
from ._ops import Locations, Report, Targets
from ._options import Advice, CopyOptions, HintPolicy, Strategy, choose, options_code
from ._stream import StreamLike, _Handle

if TYPE_CHECKING:
    from ._buffer import Buffer


class Plan(_Handle, _cmm.PlanBase):
    """A prepared operation. Keeps its buffers' memory alive; closing a buffer breaks the plan.

    Examples
    --------
    >>> plan = Plan.prefetch(weights, Device(0))
    >>> for step in range(steps):
    ...     plan.run(s)
    """

    __slots__ = ("__weakref__",)

    def __init__(self) -> None:
        raise TypeError("Plan: plans are made by Plan.prefetch, discard_prefetch, advise and copy_batch")

    @classmethod
    def prefetch(
        cls,
        targets: Targets,
        location: Locations,
        *,
        strategy: Strategy | str | None = None,
        hints: HintPolicy | str | None = None,
    ) -> Plan:
        """Prepares `cmm.prefetch`; raises as that does."""
        return cls._made(_cmm.plan_prefetch(targets, location, options_code(strategy, hints)))

    @classmethod
    def discard_prefetch(
        cls, targets: Targets, location: Locations, *, hints: HintPolicy | str | None = None
    ) -> Plan:
        """Prepares `cmm.discard_prefetch`; raises as that does."""
        return cls._made(_cmm.plan_discard_prefetch(targets, location, options_code(None, hints)))

    @classmethod
    def advise(
        cls,
        targets: Targets,
        advice: Advice | str,
        location: Locations | None = None,
        *,
        hints: HintPolicy | str | None = None,
    ) -> Plan:
        """Prepares `cmm.advise`; raises as that does. It runs without a stream."""
        code = choose(Advice, advice, "advice")
        return cls._made(_cmm.plan_advise(targets, code, location, options_code(None, hints)))

    @classmethod
    def copy_batch(
        cls,
        srcs: Sequence[Buffer],
        dsts: Sequence[Buffer],
        *,
        options: CopyOptions | Sequence[CopyOptions] | None = None,
        strategy: Strategy | str | None = None,
        hints: HintPolicy | str | None = None,
    ) -> Plan:
        """Prepares `cmm.copy_batch`; raises as that does."""
        return cls._made(_cmm.plan_copy(srcs, dsts, options, options_code(strategy, hints)))

    @classmethod
    def _made(cls, handle: int) -> Plan:
        return _cmm.make_object(cls, handle)

    def run(self, stream: StreamLike = 0) -> Report:
        """Does it, in the order of `stream`; a plan of advice ignores that.

        Raises
        ------
        ClosedError
            Where a buffer was closed since; ``index`` says which target.
        """
        return _cmm.plan_run(self, stream)

    @property
    def ranges_in(self) -> int:
        """Ranges as given, without empty ones."""
        return _cmm.plan_ranges_in(self)

    @property
    def ranges_out(self) -> int:
        """Ranges after merging."""
        return _cmm.plan_ranges_out(self)

    def describe(self) -> str:
        """How many ranges came in, how many go out, by which entry point, and why."""
        return _cmm.plan_describe(self)

    def __repr__(self) -> str:
        return "<closed cmm.Plan>" if self.is_closed else f"<cmm.Plan: {self.describe()}>"
