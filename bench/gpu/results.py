#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks measured: results.py [--merge FILE] JSON...

Puts the samples of several runs together, prints tables, and says which goals are met. Files of
cmm_bench_gpu and of peer.py have one format.
"""

import argparse
import json
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

KIB = 1024
KEY = ("group", "what", "bytes", "ranges", "placement", "system")


def load(paths) -> dict:
    """One run of all: rows with the same key keep the samples of every file."""
    runs = [json.loads(Path(p).read_text()) for p in paths]
    out = {name: runs[0][name] for name in ("device", "cuda", "simulated")}
    out["peer"] = next((r["peer"] for r in runs if "peer" in r), None)
    if any(r[name] != out[name] for r in runs for name in ("device", "cuda", "simulated")):
        raise SystemExit("these files are of different machines")
    rows = {}
    for run in runs:
        for row in run["rows"]:
            kept = rows.setdefault(tuple(row[k] for k in KEY), {**row, "done_ns": [], "returned_ns": []})
            kept["done_ns"] += row["done_ns"]
            kept["returned_ns"] += row["returned_ns"]
    out["rows"] = list(rows.values())
    return out


def size_text(size: int) -> str:
    return f"{size // KIB // KIB} MiB" if size % (KIB * KIB) == 0 else f"{size // KIB} KiB"


class Table:
    """Medians in microseconds by key, and ratios of them."""

    def __init__(self, run: dict):
        self.run = run
        self.rows = {tuple(r[k] for k in KEY): r for r in run["rows"]}

    def done(self, *key):
        row = self.rows.get(key)
        return statistics.median(row["done_ns"]) / 1e3 if row else None

    def returned(self, *key):
        row = self.rows.get(key)
        return statistics.median(row["returned_ns"]) / 1e3 if row else None

    def samples(self) -> int:
        return min(len(r["done_ns"]) for r in self.run["rows"])

    def cases(self, group: str):
        """(what, bytes, ranges) of a group, in the order measured."""
        return list(dict.fromkeys(key[1:4] for key in self.rows if key[0] == group))

    def systems(self, group: str):
        """(placement, system) of a group, in the order measured."""
        return list(dict.fromkeys(key[4:6] for key in self.rows if key[0] == group))

    def best_raw(self, group, what, size, count, placement):
        times = [
            self.done(*key)
            for key in self.rows
            if key[:5] == (group, what, size, count, placement) and key[5].startswith("raw")
        ]
        return min(times, default=None)


def number(value) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:,.1f}" if value >= 10 else f"{value:.2f}"


def markdown(table: Table, group: str, read=None, placements=None) -> str:
    """A line per case, a column per placement and system; of some placements, or of all."""
    read = read or table.done
    systems = [s for s in table.systems(group) if placements is None or s[0] in placements]
    lines = [
        "| ranges | " + " | ".join(f"{s}{', ' + p if p else ''}" for p, s in systems) + " |",
        "| --- |" + " ---: |" * len(systems),
    ]
    for what, size, count in table.cases(group):
        cells = [number(read(group, what, size, count, p, s)) for p, s in systems]
        name = f"{what}, {size_text(size)}" + (f" x {count}" if count > 1 else "")
        lines.append(f"| {name.strip(', ')} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


@dataclass
class Goal:
    text: str
    measured: float
    limit: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit


def ratio(text, above, below, limit, at_least=False):
    """A goal, where both were measured."""
    return [Goal(text, above / below, limit, at_least)] if above and below else []


def goals_of_neighbours(t: Table):
    faster = {("to device", 64): 15, ("to device", 4): 80, ("to host", 64): 5, ("to host", 4): 40}
    for what, size, count in t.cases("prefetch"):
        case = ("prefetch", what, size, count)
        name = f"prefetch {what}, {size_text(size)} x {count}"
        merged = t.done(*case, "neighbours", "raw merged")
        for placement in ("neighbours", "arena"):
            ours = t.done(*case, placement, "cmm")
            if size <= 64 * KIB and count >= 64:
                yield from ratio(f"{name}, {placement}: cmm / one merged call", ours, merged, 1.10)
            if (what, size // KIB) in faster and count == 64:
                peer = t.done(*case, "neighbours", "cuda.core")
                least = faster[what, size // KIB]
                yield from ratio(f"{name}, {placement}: cuda.core / cmm", peer, ours, least, True)


def goals_of_scattered(t: Table):
    for group, limit in (("prefetch", 1.05), ("already there", 1.15)):
        for what, size, count in t.cases(group):
            case = (group, what, size, count)
            name = f"{group} {what}, {size_text(size)} x {count}, scattered: cmm / better of loop and batch"
            if count >= 64:
                ours = t.done(*case, "scattered", "cmm")
                yield from ratio(name, ours, t.best_raw(*case, "scattered"), limit)


def goals_of_copies(t: Table):
    for what, size, count in t.cases("copy_batch"):
        case = ("copy_batch", what, size, count)
        name = f"copy_batch {what}, {size_text(size)} x {count}"
        if count < 64:
            continue
        batch = t.done(*case, "scattered", "raw batch")
        yield from ratio(
            f"{name}, scattered: cmm / raw batch", t.done(*case, "scattered", "cmm"), batch, 1.05
        )
        merged = t.done(*case, "neighbours", "raw merged")
        limit = 1.05 if size >= 64 * KIB else 1.10
        ours = t.done(*case, "neighbours", "cmm")
        yield from ratio(f"{name}, neighbours: cmm / one copy", ours, merged, limit)


def goals_of_allocations(t: Table):
    for what, size, count in t.cases("allocate and free"):
        case = ("allocate and free", what, size, count)
        ours = t.done(*case, "", "cmm arena")
        yield from ratio(
            f"allocate and free {size_text(size)}: driver / arena", t.done(*case, "", "raw"), ours, 20, True
        )


def goals(t: Table):
    for some in (goals_of_neighbours, goals_of_scattered, goals_of_copies, goals_of_allocations):
        yield from some(t)


def print_all(t: Table):
    simulated = " (the simulated driver: no time means anything)" if t.run["simulated"] else ""
    peer = t.run["peer"]
    print(f"{t.run['device']}, CUDA {t.run['cuda']}{simulated}; {peer}; at least {t.samples()} samples")
    for group in dict.fromkeys(key[0] for key in t.rows):
        print(f"\n== {group}, microseconds until done\n{markdown(t, group)}")
        if group in ("prefetch", "already there", "discard_prefetch", "copy_batch"):
            print(f"\n== {group}, microseconds until the call returned\n{markdown(t, group, t.returned)}")
    print("\n== goals")
    for g in goals(t):
        sign = ">=" if g.at_least else "<="
        print(f"{'met   ' if g.met else 'MISSED'} {g.measured:8.2f} {sign} {g.limit:<6} {g.text}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--merge", type=Path, help="write the rows of all files here")
    parser.add_argument("files", nargs="+", type=Path)
    arguments = parser.parse_args()
    run = load(arguments.files)
    if arguments.merge:
        arguments.merge.write_text(json.dumps(run) + "\n")
    print_all(Table(run))
    return 0


if __name__ == "__main__":
    sys.exit(main())
