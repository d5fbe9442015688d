# SPDX-License-Identifier: Apache-2.0
"""Tensors of torch over managed memory, by DLPack, on torch's own stream. Needs torch with CUDA and a GPU."""

from __future__ import annotations

import sys

import numpy as np

import cmm
from cmm import Device, ManagedMemoryResource


def main() -> int:
    try:
        import torch  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        print("skipped: torch is not installed")
        return 0
    if not torch.cuda.is_available() or cmm.driver_info().simulated:
        print("skipped: torch finds no GPU, or the driver is the simulated one")
        return 0
    weights = ManagedMemoryResource().allocate(1 << 20)
    np.frombuffer(memoryview(weights), np.float32)[:] = 0.5
    weights.read_mostly = True
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        cmm.prefetch(weights, Device(0), stream=stream)
        tensor = torch.as_tensor(weights, device="cuda").view(torch.float32)
        doubled = (tensor * 2).sum()
    stream.synchronize()
    weights.close(stream)
    print(f"sum {doubled.item():.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
