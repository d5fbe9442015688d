# SPDX-License-Identifier: Apache-2.0
"""Asserts the layers: import_order.py FOLDER... Reads every import line of every module unit.

A module imports only what stands in a line above its own, so that a call walks straight down and there
can be no cycle. Parts of one module import each other as they like: the compiler refuses cycles there.
"""

import re
import sys
from pathlib import Path

LAYERS = [
    ["cmm.error"],
    ["cmm.trace"],
    ["cmm.location", "cmm.range"],
    ["cmm.plan", "cmm.slabs"],  # pure up to here: no driver call, no CUDA type
    ["cmm.driver"],
    ["cmm.context"],
    ["cmm.stream"],
    ["cmm.buffer"],
    ["cmm.target"],
    ["cmm.gather"],
    ["cmm.ops"],
    ["cmm.copy"],
    ["cmm.prepared"],
    ["cmm.managed"],
    ["cmm.handles"],
    ["cmm.boundary"],
    ["cmm.capi"],
    ["cmm"],
]
RANK = {module: rank for rank, layer in enumerate(LAYERS) for module in layer}

DECLARATION = re.compile(r"^(?:export )?module (cmm[\w.]*)(?::\w+)?;", re.MULTILINE)
IMPORT = re.compile(r"^(?:export )?import (cmm[\w.]*);", re.MULTILINE)


def complaints_about(unit: Path, importer: str, imported: str) -> list[str]:
    unknown = [module for module in (importer, imported) if module not in RANK]
    if unknown:
        return [f"{unit.name}: {module} stands in no layer" for module in unknown]
    if importer != imported and RANK[imported] >= RANK[importer]:
        return [f"{unit.name}: {importer} imports {imported}, which is not below it"]
    return []


def main(*folders: Path) -> None:
    imports, complaints = 0, []
    for unit in [unit for folder in folders for unit in sorted(folder.glob("*.cpp*"))]:
        text = unit.read_text()
        declared = DECLARATION.search(text)
        if not declared:
            continue  # no part of a module: it imports like a user
        for imported in IMPORT.findall(text):
            imports += 1
            complaints += complaints_about(unit, declared[1], imported)
    if not imports:
        complaints.append("no import line was read")
    if complaints:
        sys.exit("\n".join(complaints))
    print(f"{imports} imports, all of them downwards")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
