#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what run.sh measured, and writes the page about it: plot.py DOCS [--gpu RESULTS.json] [--host TEXT...]

From a GPU's results: DOCS/images/prefetch.svg, DOCS/images/copy.svg and the tables between the markers of
DOCS/performance.md. From the printed text of the host-side programs: the tables between the other
markers. Needs matplotlib.
"""

import argparse
import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from results import Table, goals, load, markdown, size_text

KIB = 1024
PIECE = 64 * KIB

# (placement, system): label, colour, line
PREFETCH = {
    ("neighbours", "cuda.core"): ("cuda.core, prefetch_batch", "#c44e52", "-"),
    ("neighbours", "raw batch"): ("driver, batch call", "#8c8c8c", "--"),
    ("neighbours", "raw loop"): ("driver, loop of calls", "#8c8c8c", ":"),
    ("neighbours", "cmm"): ("cmm, slices of one buffer", "#2a6fbb", "-"),
    ("arena", "cmm"): ("cmm, buffers of an arena", "#55a868", "-"),
    ("neighbours", "raw merged"): ("driver, one call for the whole", "#000000", "--"),
}
COPY = {
    ("neighbours", "cuda.core"): ("cuda.core, copy_batch", "#c44e52", "-"),
    ("neighbours", "raw loop"): ("driver, loop of calls", "#8c8c8c", ":"),
    ("neighbours", "raw batch"): ("driver, batch call", "#8c8c8c", "--"),
    ("scattered", "cmm"): ("cmm, buffers far apart", "#55a868", "-"),
    ("neighbours", "cmm"): ("cmm, neighbours", "#2a6fbb", "-"),
    ("neighbours", "raw merged"): ("driver, one copy of the whole", "#000000", "--"),
}


def draw_lines(axes, table: Table, group: str, what: str, systems: dict):
    for (placement, system), (label, colour, line) in systems.items():
        points = [
            (count, table.done(group, what, size, count, placement, system))
            for case, size, count in table.cases(group)
            if case == what and size == PIECE
        ]
        points = sorted((c, t) for c, t in points if t is not None)
        if points:
            axes.plot(*zip(*points, strict=True), line, color=colour, marker="o", markersize=4, label=label)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_title(f"{what}, {size_text(PIECE)} each", fontsize=10)
    axes.set_xlabel("ranges")
    ticks = sorted({count for _, size, count in table.cases(group) if size == PIECE})
    axes.set_xticks(ticks, [str(t) for t in ticks])
    axes.grid(True, which="major", alpha=0.3)


def draw(path: Path, table: Table, group: str, whats, systems: dict):
    figure, all_axes = plt.subplots(1, len(whats), figsize=(9, 4), sharey=True)
    for axes, what in zip(all_axes, whats, strict=True):
        draw_lines(axes, table, group, what, systems)
    all_axes[0].set_ylabel("microseconds until the stream is done")
    all_axes[-1].legend(fontsize=8, frameon=False)
    simulated = ", simulated: no time means anything" if table.run["simulated"] else ""
    figure.suptitle(f"{group}: {table.run['device']}, CUDA {table.run['cuda']}{simulated}", fontsize=11)
    figure.tight_layout()
    # The same measurement makes the same file.
    with mpl.rc_context({"svg.hashsalt": "cmm"}):
        figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")


def goal_lines(table: Table):
    yield "| goal | measured | at | |"
    yield "| --- | ---: | ---: | --- |"
    for g in goals(table):
        limit = f"{'at least' if g.at_least else 'at most'} {g.limit:g}"
        yield f"| {g.text} | {g.measured:.2f} | {limit} | {'met' if g.met else '**missed**'} |"


def by_placement(table: Table, group: str, read=None):
    """A table for neighbours and one for what is scattered, where a group has both."""
    placements = {p for p, _ in table.systems(group)}
    if "scattered" not in placements:
        return [markdown(table, group, read)]
    return [
        "Neighbours:",
        markdown(table, group, read, placements - {"scattered"}),
        "Scattered:",
        markdown(table, group, read, {"scattered"}),
    ]


def page(table: Table) -> str:
    run = table.run
    simulated = " This was the simulated driver: no time here means anything." if run["simulated"] else ""
    peer = f" beside {run['peer']}" if run["peer"] else ""
    parts = [
        (
            f"Measured on: {run['device']}, a driver of CUDA {run['cuda']}{peer}; medians of at least "
            f"{table.samples()} rounds, microseconds.{simulated}"
        )
    ]
    titles = {
        "prefetch": "Prefetch, until the stream is done",
        "already there": "Prefetch of ranges that are already there",
        "discard_prefetch": "Discard and prefetch",
        "copy_batch": "Copies",
        "one call": "Single calls",
        "allocate and free": "Allocating and freeing",
        "one large range": "One large range",
    }
    for group, title in titles.items():
        if table.cases(group):
            parts += [f"### {title}", *by_placement(table, group)]
    parts += ["### Prefetch, until the call returns", *by_placement(table, "prefetch", table.returned)]
    parts += ["### Copies, until the call returns", *by_placement(table, "copy_batch", table.returned)]
    parts += ["### Goals", "\n".join(goal_lines(table))]
    return "\n\n".join(parts)


def rewrite(path: Path, part: str, text: str):
    begin, end = f"<!-- {part}: begin -->", f"<!-- {part}: end -->"
    before, rest = path.read_text().split(begin)
    _, after = rest.split(end)
    path.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}")


def host_text(files) -> str:
    """The tables as they were printed, without the driver's path and the closing line."""
    lines = [line for f in files for line in f.read_text().splitlines()]
    kept = [
        line for line in lines if ": nanoseconds of CPU time" not in line and " from the heap" not in line
    ]
    header = kept[0]
    return "\n".join(["```text", header, *[line for line in kept if line != header], "```"])


def draw_gpu(results: Path, docs: Path):
    table = Table(load([results]))
    images = docs / "images"
    images.mkdir(exist_ok=True)
    draw(images / "prefetch.svg", table, "prefetch", ("to device", "to host"), PREFETCH)
    draw(images / "copy.svg", table, "copy_batch", ("pinned to device", "managed to managed"), COPY)
    rewrite(docs / "performance.md", "measured", page(table))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--gpu", type=Path, metavar="RESULTS.json")
    parser.add_argument("--host", type=Path, nargs="+", metavar="TEXT")
    arguments = parser.parse_args()
    if arguments.gpu:
        draw_gpu(arguments.gpu, arguments.docs)
    if arguments.host:
        rewrite(arguments.docs / "performance.md", "host", host_text(arguments.host))
    return 0


if __name__ == "__main__":
    sys.exit(main())
