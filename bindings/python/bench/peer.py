# SPDX-License-Identifier: Apache-2.0
"""cmm beside the driver itself and cuda.core, in one process and on the same memory.

    python bench/peer.py [--json FILE]

Prints a table of microseconds per call: the median over rounds of the mean of a burst. The driver's own cost is
measured from C (raw.c, compiled by `cc` on the fly); without a C compiler that column stays empty, as cuda.core's
does where that is not installed.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import cmm
from cmm import Device, Host

KIB = 1024
Action = Callable[[], object]


def burst(action: Action, seconds: float = 0.02) -> float:
    """Median microseconds of a call."""
    action()
    begin = time.perf_counter_ns()
    action()
    once = max(time.perf_counter_ns() - begin, 50)
    count = max(1, min(20_000, int(seconds * 1e9 / once)))
    rounds = []
    for _ in range(11):
        begin = time.perf_counter_ns()
        for _ in range(count):
            action()
        rounds.append((time.perf_counter_ns() - begin) / count / 1000)
    return statistics.median(rounds)


class Driver:
    """The driver, called from C."""

    def __init__(self, folder: str) -> None:
        self.library = ctypes.CDLL(cmm.driver_info().library)
        self.timer: ctypes.CDLL | None = None
        source, target = Path(__file__).with_name("raw.c"), Path(folder) / "raw.so"
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang-19")
        if compiler:
            subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", target, source], check=True)
            self.timer = ctypes.CDLL(str(target))
            self.timer.nanoseconds.restype = ctypes.c_double
        self.value = (ctypes.c_int * 64)()

    def cost(self, name: str, *rows: tuple[int, ...]) -> float | None:
        """Microseconds of one call per row, in order; a call has up to eight whole arguments."""
        if self.timer is None:
            return None
        flat = [number for row in rows for number in (*row, *[0] * (8 - len(row)))]
        table = (ctypes.c_long * len(flat))(*flat)
        function = ctypes.cast(getattr(self.library, name), ctypes.c_void_p)

        def run(rounds: int) -> float:
            assert self.timer is not None
            taken = self.timer.nanoseconds(function, table, ctypes.c_long(len(rows)), ctypes.c_long(rounds))
            return float(taken) / 1000

        rounds = max(1, min(20_000, int(20_000 / max(run(1), 0.05))))
        return statistics.median(run(rounds) for _ in range(11))


def location(kind: int, ident: int) -> int:
    return kind | ident << 32  # a struct of two ints, passed in one register


def addresses(*arrays: object) -> list[int]:
    return [ctypes.addressof(array) for array in arrays]  # type: ignore[arg-type]


class Peer:
    """cuda.core, where it is installed."""

    def __init__(self) -> None:
        from cuda import core  # type: ignore[import-not-found,attr-defined,unused-ignore]
        from cuda.bindings import driver  # type: ignore[import-not-found,unused-ignore]

        self.core = core
        self.driver = driver
        self.device = core.Device(0)
        self.device.set_current()
        self.stream = self.device.create_stream()

    def borrow(self, buffer: cmm.ManagedBuffer) -> object:
        return self.core.ManagedBuffer.from_handle(buffer.handle, buffer.size, owner=buffer)


def assign(buffer: object, name: str, *values: object) -> Action:
    """Assigns the values in turn."""
    left = list(values)

    def action() -> None:
        left.append(left.pop(0))
        setattr(buffer, name, left[-1])

    return action


class Table:
    def __init__(self) -> None:
        self.rows: list[dict[str, object]] = []
        print(f"{'us per call':48}{'driver':>10}{'cmm':>10}{'over':>10}{'cuda.core':>12}{'times':>8}")

    def row(self, name: str, driver: float | None, ours: float, theirs: float | None) -> None:
        over = None if driver is None else ours - driver
        times = None if theirs is None else theirs / ours
        self.rows.append({"call": name, "driver": driver, "cmm": ours, "over": over, "peer": theirs})
        cells = [f"{value:10.2f}" if value is not None else f"{'':10}" for value in (driver, ours, over)]
        peer = f"{theirs:12.2f}{times:8.1f}" if theirs is not None and times is not None else ""
        print(f"{name:48}{''.join(cells)}{peer}", flush=True)


def properties(table: Table, driver: Driver, peer: Peer | None, stream: cmm.Stream) -> None:
    buffer = cmm.ManagedMemoryResource().allocate(64 * KIB)
    theirs = peer.borrow(buffer) if peer else None
    where = (buffer.handle, buffer.size)

    def query(attribute: int, count: int) -> float | None:
        return driver.cost("cuMemRangeGetAttribute", (*addresses(driver.value), 4 * count, attribute, *where))

    def advice(number: int, *where_to: int) -> float | None:
        return driver.cost("cuMemAdvise_v2", (*where, number, location(*where_to)))

    def both(name: str, of_driver: float | None, make: Callable[[object, object, object], Action]) -> None:
        ours = burst(make(buffer, Device(0), Host()))
        other = burst(make(theirs, peer.device, peer.core.Host())) if peer else None
        table.row(name, of_driver, ours, other)

    both("read_mostly get", query(1, 1), lambda b, d, h: lambda: b.read_mostly)  # type: ignore[attr-defined]
    both("read_mostly set", advice(1, 2, 0), lambda b, d, h: assign(b, "read_mostly", True))
    both("preferred_location get", None, lambda b, d, h: lambda: b.preferred_location)  # type: ignore[attr-defined]
    both("preferred_location set", advice(3, 1, 0), lambda b, d, h: assign(b, "preferred_location", d))
    buffer.accessed_by = {Device(0)}
    both("accessed_by, nothing to change", query(3, 2), lambda b, d, h: assign(b, "accessed_by", {d}))
    both("accessed_by, toggled", None, lambda b, d, h: assign(b, "accessed_by", {d}, {d, h}))
    table.row("Host()", None, burst(Host), burst(peer.core.Host) if peer else None)
    buffer.read_mostly = False
    buffer.prefetch(Device(0), stream=stream)
    stream.sync()
    alone = driver.cost("cuMemPrefetchAsync_v2", (*where, location(1, 0), 0, stream.handle))
    ours = burst(lambda: buffer.prefetch(Device(0), stream=stream))
    there = None
    if peer:
        there = burst(lambda: theirs.prefetch(peer.device, stream=peer.stream))  # type: ignore[union-attr,attr-defined]
    table.row("prefetch, already there", alone, ours, there)
    stream.sync()


def raw_prefetches(driver: Driver, buffers: list[cmm.ManagedBuffer], stream: cmm.Stream) -> float | None:
    """The better one of the driver's loop and its batch call."""
    count = len(buffers)
    calls = [(b.handle, b.size, location(1, 0), 0, stream.handle) for b in buffers]
    looped = driver.cost("cuMemPrefetchAsync_v2", *calls)
    arrays = (
        (ctypes.c_uint64 * count)(*[b.handle for b in buffers]),
        (ctypes.c_size_t * count)(*[b.size for b in buffers]),
        (ctypes.c_uint64 * 1)(location(1, 0)),
        (ctypes.c_size_t * 1)(0),
    )
    pointers, sizes, places, first = addresses(*arrays)
    batch = driver.cost("cuMemPrefetchBatchAsync", (pointers, sizes, count, places, first, 1, 0, stream.handle))
    return None if looped is None or batch is None else min(looped, batch)


def raw_copies(
    driver: Driver, srcs: list[cmm.ManagedBuffer], dsts: list[cmm.ManagedBuffer], stream: cmm.Stream
) -> float | None:
    count = len(srcs)
    arrays = (
        (ctypes.c_uint64 * count)(*[b.handle for b in dsts]),
        (ctypes.c_uint64 * count)(*[b.handle for b in srcs]),
        (ctypes.c_size_t * count)(*[b.size for b in srcs]),
        (ctypes.c_int * 6)(1),  # one attribute: stream order, no hints
        (ctypes.c_size_t * 1)(0),
    )
    to, of, sizes, attributes, first = addresses(*arrays)
    return driver.cost("cuMemcpyBatchAsync_v2", (to, of, sizes, count, attributes, first, 1, stream.handle))


def batch_of(count: int, table: Table, driver: Driver, peer: Peer | None, stream: cmm.Stream) -> None:
    mr = cmm.ManagedMemoryResource()
    buffers = [mr.allocate(64 * KIB) for _ in range(count)]
    targets = [mr.allocate(64 * KIB) for _ in range(count)]
    cmm.prefetch(buffers + targets, Device(0), stream=stream)
    stream.sync()
    prefetched = copied = None
    if peer:
        utils, queue, device = peer.core.utils, peer.stream, peer.device
        theirs, others = [peer.borrow(b) for b in buffers], [peer.borrow(b) for b in targets]
        if count > 1:
            prefetched = burst(lambda: utils.prefetch_batch(queue, theirs, device))
        copied = burst(lambda: utils.copy_batch(queue, theirs, others))
        queue.sync()
    alone = raw_prefetches(driver, buffers, stream)
    ours = burst(lambda: cmm.prefetch(buffers, Device(0), stream=stream))
    table.row(f"prefetch of {count}, already there", alone, ours, prefetched)
    plan = cmm.Plan.prefetch(buffers, Device(0))
    table.row(f"plan of {count}, already there", alone, burst(lambda: plan.run(stream)), None)
    stream.sync()
    alone = raw_copies(driver, buffers, targets, stream)
    ours = burst(lambda: cmm.copy_batch(stream, buffers, targets))
    table.row(f"copy_batch of {count}, managed to managed", alone, ours, copied)
    stream.sync()


def until_done(action: Action, back: Action, wait: Action) -> float:
    rounds = []
    for _ in range(9):
        back()
        wait()
        begin = time.perf_counter_ns()
        action()
        wait()
        rounds.append((time.perf_counter_ns() - begin) / 1000)
    return statistics.median(rounds)


def neighbours(size: int, count: int, table: Table, peer: Peer | None, stream: cmm.Stream) -> None:
    """`count` pieces of one allocation, `size` KiB each, that move, until the stream is done."""
    whole = cmm.ManagedMemoryResource().allocate(size * KIB * count)
    parts = [whole.slice(i * size * KIB, size * KIB) for i in range(count)]
    ctypes.memset(whole.handle, 1, whole.size)
    theirs = [peer.borrow(part) for part in parts] if peer else []
    there: tuple[cmm.Location, cmm.Location]
    for there in ((Device(0), Host()), (Host(), Device(0))):
        to, back = there

        def whole_goes(where: cmm.Location) -> Action:
            return lambda: whole.prefetch(where, stream=stream)

        one = until_done(whole_goes(to), whole_goes(back), stream.sync)
        ours = until_done(lambda to=to: cmm.prefetch(parts, to, stream=stream), whole_goes(back), stream.sync)  # type: ignore[misc]
        other = None
        if peer:
            place = peer.device if isinstance(to, Device) else peer.core.Host()

            def their_batch(peer: Peer = peer, place: object = place) -> None:
                peer.core.utils.prefetch_batch(peer.stream, theirs, place)

            def both(peer: Peer = peer) -> None:
                stream.sync()
                peer.stream.sync()

            other = until_done(their_batch, whole_goes(back), both)
        table.row(f"{size} KiB x {count} neighbours to {to!r} (one call)", one, ours, other)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", help="also write the rows to this file")
    arguments = parser.parse_args()
    info = cmm.driver_info()
    if info.simulated:
        print("SIMULATED: these figures measure the simulated driver")
    print(f"cmm {cmm.__version__}, {Device(0).name}, driver {info.version}")
    try:
        peer = Peer()
        print(f"cuda.core {peer.core.__version__}")
    except ImportError as error:
        peer = None
        print(f"without cuda.core: {error}")
    table = Table()
    with cmm.Stream() as stream, tempfile.TemporaryDirectory() as folder:
        Device(0).set_current()
        driver = Driver(folder)
        properties(table, driver, peer, stream)
        for count in (1, 8, 64, 256):
            batch_of(count, table, driver, peer, stream)
        for size, count in ((4, 64), (4, 256), (64, 64), (64, 256), (2048, 64), (2048, 256)):
            neighbours(size, count, table, peer, stream)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(table.rows, file, indent=1)


if __name__ == "__main__":
    main()
