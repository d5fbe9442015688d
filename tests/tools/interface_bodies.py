# SPDX-License-Identifier: Apache-2.0
"""Asserts that users can link what they import: interface_bodies.py READELF MODULES OBJECT...

A body inside a class is not inline by itself in a module. Where it is neither inline nor exported, the
library keeps it to itself, and every program that calls it fails to link. Such functions stand as hidden
symbols in the object of an interface unit.
"""

import re
import subprocess
import sys
from pathlib import Path

HIDDEN_FUNCTION = re.compile(r"FUNC\s+GLOBAL\s+HIDDEN\s+\d+\s+(\S+)")
INITIALIZER = "_ZGI"  # a module's own, which importers call only where it does something


def is_interface(unit: Path) -> bool:
    return re.search(r"^export module ", unit.read_text(), re.MULTILINE) is not None


def hidden_functions(readelf: str, object_file: Path) -> list[str]:
    symbols = subprocess.run([readelf, "-sW", object_file], capture_output=True, text=True, check=True)
    found = sorted(set(HIDDEN_FUNCTION.findall(symbols.stdout)))
    return [name for name in found if not name.startswith(INITIALIZER)]


def main(readelf: str, modules: Path, *objects: str) -> None:
    checked, complaints = 0, []
    for object_file in map(Path, objects):
        unit = modules / object_file.stem
        # Units of other folders, which nobody imports, are compiled into the library too.
        if unit.suffix != ".cppm" or not unit.exists() or not is_interface(unit):
            continue
        checked += 1
        complaints += [f"{unit.name}: {name}" for name in hidden_functions(readelf, object_file)]
    if not checked:
        sys.exit("no object of an interface unit was given")
    if complaints:
        sys.exit("neither inline nor exported (c++filt reads the names):\n" + "\n".join(complaints))
    print(f"{checked} interface units, every body inline or exported")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
