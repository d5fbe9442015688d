# SPDX-License-Identifier: Apache-2.0
"""Turns the table of entry points into C++ rows: table_rows.py TABLE INCLUDE OUTPUT.

A row is ROW(cmm's signature, the driver's name, the pinned version). NEWER rows are those that CUDA
headers of INCLUDE's version cannot know yet. A row that the headers should know and do not is an error,
and so is a row of the table that cannot be read here.
"""

import re
import sys
from pathlib import Path

ROW = re.compile(r'entry<(code\([^;]*\))>\s+\w+\s*=\s*find\("(\w+)", (\d+)\);')


def rows_of(table: str) -> list[tuple[str, str, int]]:
    rows = [(" ".join(signature.split()), name, int(version))
            for signature, name, version in ROW.findall(table)]
    if not rows or len(rows) != len(re.findall(r"\bfind\(", table)):
        sys.exit(f"{len(rows)} rows can be read, find( stands {len(re.findall(r'find[(]', table))} times")
    return rows


def main(table: Path, include: Path, output: Path) -> None:
    cuda_version = int(re.search(r"#define CUDA_VERSION (\d+)", (include / "cuda.h").read_text())[1])
    known = (include / "cudaTypedefs.h").read_text()
    lines = []
    for signature, name, version in rows_of(table.read_text()):
        if f"PFN_{name}_v{version})" in known:
            lines.append(f"ROW(PFN_{name}_v{version}, {signature})")
        elif version > cuda_version:
            lines.append(f'NEWER("{name}", {version})')
        else:
            sys.exit(f"CUDA {cuda_version} has no {name} of version {version}")
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
