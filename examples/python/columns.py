# SPDX-License-Identifier: Apache-2.0
"""Columns of a table in managed memory: numpy fills them, the device gets them in one move, numpy reads the result.

    CMM_DRIVER=sim python columns.py        # without a GPU, on the simulated driver
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import cmm
from cmm import Device, Host, ManagedBuffer, ManagedMemoryResource, Plan, Stream

ROWS = 100_000


def column(buffer: ManagedBuffer) -> npt.NDArray[np.float32]:
    """The buffer's bytes as numbers; the array keeps the memory alive."""
    return np.frombuffer(memoryview(buffer), np.float32)


def main() -> None:
    info = cmm.driver_info()
    print(f"{'SIMULATED driver' if info.simulated else info.library}, {info.devices} device(s)")
    # Pieces of an arena touch, so that operations on all columns reach the driver as one.
    mr = ManagedMemoryResource(arena=True)
    price, amount, total = mr.allocate_batch([ROWS * 4] * 3)
    column(price)[:] = np.linspace(1, 2, ROWS)
    column(amount)[:] = 3
    cmm.advise([price, amount], "set_read_mostly")
    with Stream() as stream:
        report = cmm.prefetch([price, amount], Device(0), stream=stream)
        print(f"{report.ranges_in} columns went as {report.ranges_out} range by {report.entry}")
        # A result that is about to be written needs no old contents there.
        if Device(0).supports("discard_prefetch"):
            total.discard_prefetch(Device(0), stream=stream)
        # ... kernels on `stream` would work here; numpy stands in for them.
        stream.sync()
        np.multiply(column(price), column(amount), out=column(total))
        back = Plan.prefetch([total], Host())
        back.run(stream)
        stream.sync()
    print(f"sum {column(total).sum(dtype=np.float64):.1f}, last at {total.last_prefetch_location}")


if __name__ == "__main__":
    main()
