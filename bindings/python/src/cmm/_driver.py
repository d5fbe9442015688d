# SPDX-License-Identifier: Apache-2.0
"""The driver that is used, and the policy for hints."""

from __future__ import annotations

from dataclasses import dataclass

from . import _cmm
from ._options import HintPolicy, choose


@dataclass(frozen=True)
class DriverInfo:
    """Facts of the open driver.

    Attributes
    ----------
    library : str
        The file that was loaded.
    version, api_level : int
        What the driver says, such as 13000, and the ceiling that cmm keeps to.
    devices, numa_nodes : int
        How many there are.
    simulated : bool
        Whether it is the simulated driver.
    """

    library: str
    version: int
    api_level: int
    devices: int
    numa_nodes: int
    simulated: bool


def driver_info() -> DriverInfo:
    """Facts of the driver, which is opened on first use."""
    return DriverInfo(
        _cmm.driver_library(),
        _cmm.driver_version(),
        _cmm.api_level(),
        _cmm.devices(),
        _cmm.numa_nodes(),
        _cmm.driver_is_simulated(),
    )


def open_driver(library: str = "", api_level: int = 0) -> None:
    """Opens a driver, or another one in place of the first, whose objects must be gone.

    Parameters
    ----------
    library : str, optional
        A file, ``"sim"`` for the simulated driver; by default what CMM_DRIVER says, else the system's.
    api_level : int, optional
        The ceiling, such as 12080; 0: the driver's own.
    """
    _cmm.open_driver(library, api_level)


def open_simulated(config: str = "", api_level: int = 0) -> None:
    """Opens the simulated driver with a configuration such as ``"devices=2;concurrent=0"``."""
    _cmm.open_simulated(config, api_level)


def set_hint_policy(policy: HintPolicy | str | None) -> None:
    """What a hint that this machine cannot honour does, for operations that do not say; None: the defaults."""
    _cmm.set_hint_policy(0 if policy is None else int(choose(HintPolicy, policy, "policy")))


def hint_policy() -> HintPolicy | None:
    """The policy that was set; None: the defaults."""
    policy = _cmm.get_hint_policy()
    return HintPolicy(policy) if policy else None


def collect() -> int:
    """Frees what was closed and whose work has finished; how many buffers still wait."""
    return _cmm.collect_retired()


def drain() -> None:
    """Waits for the work that closed buffers wait for, and frees them all."""
    _cmm.drain_retired()
