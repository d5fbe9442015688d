# SPDX-License-Identifier: Apache-2.0
"""Partitions of a Dask computation in managed memory: each is moved ahead of its use. Needs dask."""

from __future__ import annotations

import sys

import numpy as np

import cmm
from cmm import Device, Host, ManagedBuffer, ManagedMemoryResource, Stream

PARTITIONS, ITEMS = 8, 10_000


def load(mr: ManagedMemoryResource, number: int) -> ManagedBuffer:
    """One partition, filled on the host."""
    buffer = mr.allocate(ITEMS * 4)
    np.frombuffer(memoryview(buffer), np.float32)[:] = number
    return buffer


def reduce(partition: ManagedBuffer) -> float:
    """Moves one partition over, works on it, and hands it back to the host: one stream per task."""
    with Stream() as stream:
        cmm.prefetch(partition, Device(0), stream=stream)
        stream.sync()
        result = float(np.frombuffer(memoryview(partition), np.float32).sum())
        cmm.prefetch(partition, Host(), stream=stream)
        stream.sync()
    return result


def main() -> int:
    try:
        from dask import compute, delayed  # type: ignore[import-not-found,attr-defined,unused-ignore]
    except ImportError:
        print("skipped: dask is not installed")
        return 0
    mr = ManagedMemoryResource(arena=True)
    tasks = [delayed(reduce)(delayed(load)(mr, number)) for number in range(PARTITIONS)]
    print(f"sum {sum(compute(*tasks, scheduler='threads')):.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
