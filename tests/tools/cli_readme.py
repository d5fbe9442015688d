# SPDX-License-Identifier: Apache-2.0
"""The first screen of the README: its programs are those that are built and run, its links lead somewhere."""

import pathlib
import re
import subprocess
import sys
import unittest

from cli_support import InFolder, environment

ROOT = pathlib.Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def stripped(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def has_python_package() -> bool:
    done = subprocess.run(
        [sys.executable, "-c", "import cmm, numpy"], env=environment(), capture_output=True, check=False
    )
    return done.returncode == 0


class Readme(InFolder):
    def test_the_cpp_program_is_the_example_that_is_built_and_run(self) -> None:
        example = stripped((ROOT / "examples/cpp/hello.cpp").read_text(encoding="utf-8"))
        self.assertEqual(len(blocks("cpp")), 1)
        shown = stripped(blocks("cpp")[0])
        begin = example.index(shown[0])
        self.assertEqual(example[begin : begin + len(shown)], shown)

    @unittest.skipUnless(has_python_package(), "the Python package or numpy is not here")
    def test_the_python_program_runs(self) -> None:
        self.assertEqual(len(blocks("python")), 1)
        program = blocks("python")[0] + "assert weights.last_prefetch_location == Device(0)\n"
        subprocess.run([sys.executable, "-c", program], env=environment(), check=True)

    def test_links_lead_to_files_that_are_there(self) -> None:
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", README):
            if "://" not in link:
                self.assertTrue((ROOT / link).exists(), link)

    def test_it_fits_its_lines(self) -> None:
        self.assertEqual([line for line in README.splitlines() if len(line) > 120 and line[0] not in "|!"], [])


if __name__ == "__main__":
    unittest.main()
