# SPDX-License-Identifier: Apache-2.0
"""Arrays of cupy from a resource of cmm. Needs cupy and a GPU."""

from __future__ import annotations

import sys

import cmm
from cmm import Device, ManagedMemoryResource


def main() -> int:
    try:
        import cupy  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        print("skipped: cupy is not installed")
        return 0
    if cmm.driver_info().simulated:
        print("skipped: the driver is the simulated one")
        return 0
    mr = ManagedMemoryResource(arena=True)
    cupy.cuda.set_allocator(mr.cupy_allocator)
    array = cupy.arange(1 << 20, dtype=cupy.float32)
    buffer = cmm.ManagedBuffer.from_handle(array)
    cmm.prefetch(buffer, Device(0), stream=cupy.cuda.get_current_stream())
    print(f"sum {float(array.sum()):.0f}, {mr.stats.pieces} pieces of {mr.stats.slabs} slab(s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
