# SPDX-License-Identifier: Apache-2.0
"""``python -m cmm``: which driver, version and devices there are, and what works here."""

from __future__ import annotations

import sys

import cmm


def _version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _device(ordinal: int) -> None:
    device = cmm.Device(ordinal)
    free, total = device.memory
    print(f"device {ordinal}: {device.name}, {free >> 20} of {total >> 20} MiB free")
    for operation in cmm.Operation:
        reason = device.why_not(operation)
        print(f"  {str(operation):17}{f'no: {reason}' if reason else 'yes'}")


def main() -> int:
    """Prints the report; 1 where there is no driver."""
    try:
        info = cmm.driver_info()
    except cmm.DriverMissingError as error:
        print(f"cmm {cmm.__version__}: {error}")
        return 1
    simulated = "the SIMULATED driver, " if info.simulated else ""
    print(f"cmm {cmm.__version__} on {simulated}{info.library}")
    ceiling = "" if info.api_level == info.version else f", used up to {_version(info.api_level)}"
    print(f"CUDA {_version(info.version)}{ceiling}, {info.devices} device(s), {info.numa_nodes} host NUMA node(s)")
    for ordinal in range(info.devices):
        _device(ordinal)
    return 0


if __name__ == "__main__":
    sys.exit(main())
