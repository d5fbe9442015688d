# SPDX-License-Identifier: Apache-2.0
"""Fails where a declaration is compared with no real one: every_declaration.py HEADER TEST..."""

import re
import sys
from pathlib import Path

DECLARED = re.compile(r"^(?:using|struct|inline constexpr \w+) (\w+)|^    \w+ (\w+);", re.MULTILINE)


def main(header: Path, *tests: Path) -> None:
    declared = {first or second for first, second in DECLARED.findall(header.read_text())}
    compared = set(re.findall(r"\w+", " ".join(test.read_text() for test in tests)))
    if not declared:
        sys.exit(f"no declaration can be read in {header}")
    if missing := sorted(declared - compared):
        sys.exit(f"compared nowhere: {', '.join(missing)}")
    print(f"{len(declared)} declarations, each of them compared")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
