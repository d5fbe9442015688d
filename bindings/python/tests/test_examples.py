# SPDX-License-Identifier: Apache-2.0
"""The examples and the README's code run as they stand, and type-check."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))
README = Path(__file__).parents[1] / "README.md"


def test_there_are_examples():
    assert len(EXAMPLES) >= 3


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path):
    done = subprocess.run(
        [sys.executable, path], env={**os.environ, "CMM_DRIVER": "sim"}, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "sum" in done.stdout or "skipped" in done.stdout


def test_the_readmes_code_runs(sim, tmp_path):
    blocks = [block for block in README.read_text().split("\n\n    import ") if "numpy" in block.split("\n")[0]]
    assert len(blocks) == 1
    lines = ("    import " + blocks[0]).splitlines()
    code = "\n".join(line[4:] for line in lines[: next(i for i, l in enumerate(lines) if l and l[0] != " ")])  # noqa: E741
    script = tmp_path / "readme.py"
    script.write_text(code)
    runpy.run_path(str(script))


def test_mypy_accepts_the_package_and_the_examples():
    pytest.importorskip("mypy")
    source = ROOT / "bindings" / "python" / "src"
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", source / "cmm", *EXAMPLES],
        env={**os.environ, "MYPYPATH": str(source)},
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout
