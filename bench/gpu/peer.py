#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cuda.core at the work of cmm_bench_gpu, with samples in the same format: peer.py [--quick] --json FILE

Buffers have the sizes and placements of cmm_bench_gpu's, and each is brought back before each sample as
there. --driver LIBRARY stands in for libcuda.so.1: for a smoke test on the simulated driver.
"""

import argparse
import ctypes
import json
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

KIB = 1024
GIB = 1 << 30
MOST_MANAGED = 2 * GIB
MOST_AT_ONCE = 4 * GIB


def restart_with(driver: Path) -> int:
    """Runs this script again in a process whose libcuda.so.1 is `driver`."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "libcuda.so.1").symlink_to(driver.resolve(strict=True))
        path = os.pathsep.join(filter(None, [folder, os.environ.get("LD_LIBRARY_PATH")]))
        environment = os.environ | {"LD_LIBRARY_PATH": path, "CMM_PEER_SIMULATED": "1"}
        arguments = [a for a in sys.argv[1:]]
        at = arguments.index("--driver")
        del arguments[at : at + 2]
        return os.spawnve(os.P_WAIT, sys.executable, [sys.executable, __file__, *arguments], environment)


def free_host_bytes() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * KIB
    raise RuntimeError("/proc/meminfo does not say how much memory is available")


class Machine:
    """The device, a stream, and all memory that a run takes."""

    def __init__(self):
        from cuda import core
        from cuda.bindings import driver
        from cuda.core import utils

        self.core, self.utils, self.driver = core, utils, driver
        self.device = core.Device(0)
        self.device.set_current()
        self.host = core.Host()
        self.stream = self.device.create_stream()
        self.taken = 0  # managed bytes

    def call(self, name, *arguments):
        error, *out = getattr(self.driver, name)(*arguments)
        if error != self.driver.CUresult.CUDA_SUCCESS:
            raise RuntimeError(f"{name} answered {error!r}")
        return out[0] if out else None

    def allocate(self, kind: str, size: int) -> int:
        free_on_device = self.driver.cuMemGetInfo()[1]
        free = {
            "managed": min(free_on_device, free_host_bytes()),
            "pinned": free_host_bytes(),
            "device": free_on_device,
        }[kind]
        if size > min(MOST_AT_ONCE, free // 8):
            raise MemoryError(f"{size} bytes are more than this run may take at once")
        if kind == "managed":
            if self.taken + size > MOST_MANAGED:
                raise MemoryError(f"{size} bytes of managed memory beside {self.taken} are too many")
            pointer = int(self.call("cuMemAllocManaged", size, 1))
            self.taken += size
            return pointer
        if kind == "pinned":
            return int(self.call("cuMemHostAlloc", size, 0))
        return int(self.call("cuMemAlloc", size))

    def free(self, kind: str, pointer: int, size: int):
        self.call("cuMemFreeHost" if kind == "pinned" else "cuMemFree", pointer)
        if kind == "managed":
            self.taken -= size

    def buffer(self, kind: str, pointer: int, size: int):
        cls = self.core.ManagedBuffer if kind == "managed" else self.core.Buffer
        return cls.from_handle(pointer, size, owner=self)

    def wait(self):
        self.stream.sync()


class Buffers:
    """`count` buffers of `size` bytes: pieces of one allocation, or an allocation each."""

    def __init__(self, machine: Machine, kind: str, placement: str, size: int, count: int):
        self.machine, self.kind = machine, kind
        each = size * count if placement == "neighbours" else size
        self.allocations = []
        for _ in range(size * count // each):
            self.allocations.append((machine.allocate(kind, each), each))
        self.pieces = [
            machine.buffer(kind, pointer + offset, size)
            for pointer, whole in self.allocations
            for offset in range(0, whole, size)
        ]
        self.wholes = [machine.buffer(kind, *allocation) for allocation in self.allocations]
        if kind != "device":
            self.fill(1)

    def fill(self, byte: int):
        for pointer, size in self.allocations:
            ctypes.memset(pointer, byte, size)

    def bring(self, place):
        for whole in self.wholes:
            whole.prefetch(place, stream=self.machine.stream)
        self.machine.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.machine.wait()
        for pointer, size in self.allocations:
            self.machine.free(self.kind, pointer, size)


@dataclass
class Contender:
    placement: str
    work: object
    before: object = None
    system: str = "cuda.core"


@dataclass
class Results:
    machine: Machine
    rounds: int
    rows: list = field(default_factory=list)

    def row(self, subject, contender):
        group, what, size, count = subject
        return {
            "group": group,
            "what": what,
            "bytes": size,
            "ranges": count,
            "placement": contender.placement,
            "system": contender.system,
            "done_ns": [],
            "returned_ns": [],
        }

    def measure(self, subject, contenders, calls=1):
        """One warm-up, then the rounds, each of which begins with another contender."""
        rows = [self.row(subject, c) for c in contenders]
        for number in range(self.rounds + 1):
            for i in range(len(contenders)):
                at = (number + i) % len(contenders)
                returned, done = self.sample(contenders[at], calls)
                if number > 0:
                    rows[at]["returned_ns"].append(returned)
                    rows[at]["done_ns"].append(done)
        self.rows += rows
        for row in rows:
            print(
                f"{row['group']:<18} {row['what']:<32} {row['bytes'] // KIB:>6} KiB x {row['ranges']:<4} "
                f"{row['placement']:<11} {row['system']:<16} {statistics.median(row['done_ns']) / 1e3:>12.2f} us"
            )

    def sample(self, contender, calls):
        if contender.before is not None:
            contender.before()
        self.machine.wait()
        work, clock = contender.work, time.perf_counter_ns
        if calls > 1:
            begin = clock()
            for _ in range(calls):
                work()
            mean = (clock() - begin) / calls
            self.machine.wait()
            return mean, mean
        begin = clock()
        work()
        returned = clock()
        self.machine.wait()
        return returned - begin, clock() - begin


def shapes(quick: bool):
    if quick:
        return [(4 * KIB, 8), (64 * KIB, 8)]
    return [(size * KIB, count) for size in (4, 64, 2048) for count in (8, 64, 256)]


def directions(m: Machine):
    return [("to device", m.device, m.host), ("to host", m.host, m.device)]


def prefetch_case(r: Results, what: str, to, origin, size: int, count: int):
    m = r.machine
    with (
        Buffers(m, "managed", "neighbours", size, count) as near,
        Buffers(m, "managed", "scattered", size, count) as far,
    ):

        def batch(buffers):
            return lambda: m.utils.prefetch_batch(m.stream, buffers.pieces, to)

        whole = near.wholes[0]
        by_hand = Contender(
            "neighbours",
            lambda: whole.prefetch(to, stream=m.stream),
            lambda: near.bring(origin),
            "cuda.core, merged by hand",
        )
        moving = [
            Contender("neighbours", batch(near), lambda: near.bring(origin)),
            by_hand,
            Contender("scattered", batch(far), lambda: far.bring(origin)),
        ]
        r.measure(("prefetch", what, size, count), moving)
        near.bring(to)
        far.bring(to)
        staying = [Contender("neighbours", batch(near)), Contender("scattered", batch(far))]
        r.measure(("already there", what, size, count), staying)


def discard_case(r: Results, what: str, to, origin, size: int, count: int):
    m = r.machine
    with Buffers(m, "managed", "neighbours", size, count) as near:

        def written_at_origin():
            near.bring(m.host)
            near.fill(2)
            near.bring(origin)

        def work():
            m.utils.discard_prefetch_batch(m.stream, near.pieces, to)

        r.measure(("discard_prefetch", what, size, count), [Contender("neighbours", work, written_at_origin)])


def prefetches(r: Results, quick: bool):
    for what, to, origin in directions(r.machine):
        for size, count in shapes(quick):
            prefetch_case(r, what, to, origin, size, count)


def discard_prefetches(r: Results, quick: bool):
    for what, to, origin in directions(r.machine):
        for size, count in shapes(quick):
            if size * count <= 128 * KIB * KIB:
                discard_case(r, what, to, origin, size, count)


def copies(r: Results, quick: bool):
    m = r.machine
    ways = [("pinned to device", "pinned", "device"), ("managed to managed", "managed", "managed")]
    for what, source, target in ways:
        for size, count in shapes(quick):
            if target == "managed" and size > 64 * KIB or quick and size > 4 * KIB:
                continue
            contenders, opened = [], []
            for placement in ("neighbours", "scattered"):
                srcs = Buffers(m, source, placement, size, count)
                dsts = Buffers(m, target, placement, size, count)
                opened += [srcs, dsts]
                if target == "managed":
                    srcs.bring(m.device)
                    dsts.bring(m.device)
                contenders.append(
                    Contender(
                        placement,
                        lambda s=srcs, d=dsts: m.utils.copy_batch(m.stream, s.pieces, d.pieces),
                    )
                )
            r.measure(("copy_batch", what, size, count), contenders)
            for buffers in opened:
                buffers.__exit__()


def calls(r: Results, quick: bool):
    m = r.machine
    times = 10 if quick else 200
    with Buffers(m, "managed", "scattered", 64 * KIB, 1) as one:
        b = one.pieces[0]
        one.bring(m.device)
        b.accessed_by = {m.device}

        def compare(what, work):
            r.measure(("one call", what, b.size, 1), [Contender("", work)], times)

        def assign(name, value):
            return lambda: setattr(b, name, value)

        def toggle():
            b.accessed_by = {m.device, m.host}
            b.accessed_by = {m.device}

        compare("read_mostly, read", lambda: b.read_mostly)
        compare("preferred_location, read", lambda: b.preferred_location)
        compare("accessed_by, assigned unchanged", assign("accessed_by", {m.device}))
        compare("read_mostly, set", assign("read_mostly", True))
        compare("read_mostly, unset", assign("read_mostly", False))
        compare("preferred_location, set", assign("preferred_location", m.device))
        compare("accessed_by, toggled twice", toggle)
        compare("prefetch, already there", lambda: b.prefetch(m.device, stream=m.stream))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small and few")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--driver", type=Path)
    arguments = parser.parse_args()
    if arguments.driver is not None:
        return restart_with(arguments.driver)
    machine = Machine()
    simulated = "CMM_PEER_SIMULATED" in os.environ
    print(
        f"cuda.core {machine.core.__version__} on {machine.device.name}{' (simulated)' if simulated else ''}"
    )
    results = Results(machine, arguments.rounds)
    for group in (prefetches, discard_prefetches, copies, calls):
        group(results, arguments.quick)
    version = machine.call("cuDriverGetVersion")
    run = {
        "device": machine.device.name,
        "cuda": f"{version // 1000}.{version % 1000 // 10}",
        "simulated": simulated,
        "peer": f"cuda.core {machine.core.__version__}",
        "rows": results.rows,
    }
    arguments.json.write_text(json.dumps(run, indent=1) + "\n")
    return 0 if machine.taken == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
