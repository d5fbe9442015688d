# SPDX-License-Identifier: Apache-2.0
"""Runs the command-line tool, whose path is the environment's CMM_TOOL, on the simulated driver."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

TOOL = os.environ["CMM_TOOL"]
LEVELS = ("11080", "12020", "12080", "13000")


def environment(**settings: str) -> dict[str, str]:
    """Without what the caller's shell says about cmm; an empty CMM_DRIVER is none."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("CMM_") and k != "NO_COLOR"}
    return kept | {"CMM_DRIVER": "sim", "TERM": "xterm"} | settings


class InFolder(unittest.TestCase):
    """Each test has a folder of its own."""

    def setUp(self) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cmm-cli-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def file(self, name: str, content: bytes = b"") -> pathlib.Path:
        path = self.folder / name
        path.write_bytes(content)
        return path

    def run_tool(self, *arguments: object, status: int = 0, **settings: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [TOOL, *map(str, arguments)],
            env=environment(**settings),
            cwd=self.folder,
            text=True,
            errors="replace",
            capture_output=True,
            timeout=300,
            check=False,
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def json_of(self, *arguments: object, status: int = 0, **settings: str) -> dict:
        return json.loads(self.run_tool(*arguments, "--json", status=status, **settings).stdout)

    def refusal(self, *arguments: object, status: int = 1, **settings: str) -> str:
        """The error text; with a status of 1 it is one line that names the program."""
        text = self.run_tool(*arguments, status=status, **settings).stderr
        if status == 1:
            self.assertRegex(text, r"\Acmm: [^\n]+\n\Z")
        return text

    def without_a_driver(self) -> dict[str, str]:
        """A libcuda.so.1 that cannot be loaded stands before any other."""
        self.file("libcuda.so.1", b"no library")
        return {"CMM_DRIVER": "", "LD_LIBRARY_PATH": str(self.folder)}
