# SPDX-License-Identifier: Apache-2.0
"""What is common to all subcommands: usage, terminals, full disks, the benchmark beside the tool."""

import os
import pathlib
import pty
import shutil
import subprocess
import unittest

from cli_support import TOOL, InFolder, environment


def on_a_terminal(*arguments: str, **settings: str) -> str:
    """What a person sees, both streams together."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([TOOL, *arguments], env=environment(**settings), stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(ours, 65536):
                seen += part
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    assert process.returncode == 0, seen
    return seen.decode()


class Program(InFolder):
    def test_wrong_usage_is_status_2_and_names_what_is_wrong(self) -> None:
        self.assertIn("nonsense", self.refusal("nonsense", status=2))
        self.assertIn("--nope", self.refusal("demo", "--nope", status=2))
        self.assertIn("FILE", self.refusal("replay", status=2))
        self.assertIn("Subcommands", self.refusal(status=2))

    def test_help_and_version_are_no_failure(self) -> None:
        self.assertIn("Usage", self.run_tool("--help").stdout)
        self.assertIn("Usage", self.run_tool("demo", "--help").stdout)
        version = (pathlib.Path(__file__).parents[2] / "VERSION").read_text(encoding="utf-8").strip()
        self.assertEqual(self.run_tool("--version").stdout.strip(), version)

    def test_a_full_disk_is_a_failure(self) -> None:
        with open("/dev/full", "wb") as full:
            done = subprocess.run([TOOL, "doctor"], env=environment(), stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No space left", done.stderr)

    def test_a_reader_that_goes_away_is_no_noise(self) -> None:
        script = f"'{TOOL}' doctor --all | head -n 1"
        done = subprocess.run(["sh", "-c", script], env=environment(), capture_output=True, text=True, check=True)
        self.assertEqual((done.stdout.count("\n"), done.stderr), (1, ""))

    def test_bench_runs_the_program_beside_it_with_its_arguments_and_status(self) -> None:
        tool = shutil.copy(TOOL, self.folder / "cmm")
        libraries = pathlib.Path(TOOL).parent.parent / "lib"
        settings = environment(LD_LIBRARY_PATH=str(libraries))
        missing = subprocess.run([tool, "bench"], env=settings, capture_output=True, text=True, check=False)
        self.assertEqual(missing.returncode, 1)
        self.assertIn("cmm_bench_gpu could not be started", missing.stderr)
        beside = self.file("cmm_bench_gpu", b'#!/bin/sh\necho "$@"\nexit 7\n')
        beside.chmod(0o755)
        ran = subprocess.run([tool, "bench", "--quick", "x"], env=settings, capture_output=True, text=True, check=False)
        self.assertEqual((ran.returncode, ran.stdout), (7, "--quick x\n"))


class Terminal(InFolder):
    def test_a_terminal_gets_a_bar_and_colours(self) -> None:
        seen = on_a_terminal("demo", str(self.file("f", b"x" * 3_000_000)))
        self.assertRegex(seen, r"staging \[#+\.*\] +\d+% of 2\.9 MiB")
        self.assertIn("\x1b[32m1 file: every histogram", seen)
        self.assertIn("\r\x1b[K", seen)

    def test_no_colour_where_it_is_not_wanted(self) -> None:
        self.assertNotIn("\x1b[32m", on_a_terminal("demo", NO_COLOR="1"))
        self.assertNotIn("\x1b", on_a_terminal("demo", TERM="dumb"))
        self.assertNotIn("\x1b", self.run_tool("demo").stdout)

    def test_a_file_gets_no_bar(self) -> None:
        self.assertEqual(self.run_tool("demo").stderr, "")


if __name__ == "__main__":
    unittest.main()
