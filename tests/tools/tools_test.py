# SPDX-License-Identifier: Apache-2.0
"""The tools that judge can themselves say no."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).parent


def run(tool: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(HERE / tool), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class InFolder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


class ImportOrder(InFolder):
    def test_imports_from_below_are_accepted(self) -> None:
        self.write("ops.cppm", "export module cmm.ops;\nexport import cmm.buffer;\nimport :issue;\n")
        self.assertEqual(run("import_order.py", self.folder).returncode, 0)

    def test_an_import_from_above_is_refused_by_name(self) -> None:
        self.write("plan.cpp", "module;\n#include <span>\nmodule cmm.plan;\nimport cmm.driver;\n")
        result = run("import_order.py", self.folder)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cmm.plan imports cmm.driver", result.stderr)

    def test_an_import_from_the_same_layer_is_refused(self) -> None:
        self.write("range.cppm", "export module cmm.range;\nimport cmm.location;\n")
        self.assertEqual(run("import_order.py", self.folder).returncode, 1)

    def test_a_module_without_a_layer_is_refused(self) -> None:
        self.write("new.cppm", "export module cmm.new;\nimport cmm.error;\n")
        self.assertIn("cmm.new stands in no layer", run("import_order.py", self.folder).stderr)

    def test_reading_nothing_is_refused(self) -> None:
        self.assertEqual(run("import_order.py", self.folder).returncode, 1)


class Count(InFolder):
    def stage(self, report: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        self.write("core/status", str(status))
        self.write("core/report.xml", report)
        return run("count.py", self.folder)

    def assert_counts(self, result: subprocess.CompletedProcess[str], line: str) -> None:
        self.assertEqual(result.stdout.splitlines()[-1], line)
        self.assertEqual(result.returncode, 0 if line.endswith(" 0 failed") else 1)

    def test_ctest_pytest_and_surefire(self) -> None:
        cases = '<testcase name="a"/><testcase name="b"><failure/></testcase>'
        cases += '<testcase name="c"><error/></testcase><testcase name="d"><skipped message="no GPU"/></testcase>'
        self.assert_counts(self.stage(f"<testsuite>{cases}</testsuite>", 1), "1 passed, 2 failed")

    def test_nunit(self) -> None:
        cases = '<test-case name="a" result="Success"/><test-case name="b" result="Failure"/>'
        cases += '<test-case name="c" result="Ignored"/><test-case name="d" result="Inconclusive"/>'
        self.assert_counts(self.stage(f"<test-results>{cases}</test-results>", 2), "1 passed, 2 failed")

    def test_all_passed(self) -> None:
        self.assert_counts(self.stage('<r><testcase name="a"/></r>'), "1 passed, 0 failed")

    def test_a_program_that_was_not_built_has_failed(self) -> None:
        case = '<testcase name="a" status="notrun"><skipped message="Unable to find executable"/></testcase>'
        self.assert_counts(self.stage(f'<r><testcase name="b"/>{case}</r>'), "1 passed, 1 failed")

    def test_a_stage_without_tests_has_failed(self) -> None:
        self.assert_counts(self.stage("<testsuite/>"), "0 passed, 1 failed")

    def test_a_stage_that_only_skipped_has_failed(self) -> None:
        case = '<testcase name="a"><skipped/></testcase>'
        self.assert_counts(self.stage(f"<r>{case}</r>"), "0 passed, 1 failed")

    def test_a_bad_exit_status_behind_good_tests_has_failed(self) -> None:
        self.assert_counts(self.stage('<r><testcase name="a"/></r>', 3), "1 passed, 1 failed")

    def test_a_torn_report_has_failed(self) -> None:
        self.assert_counts(self.stage('<r><testcase name="a"/>'), "0 passed, 1 failed")

    def test_nothing_at_all_has_failed(self) -> None:
        self.assert_counts(run("count.py", self.folder), "0 passed, 1 failed")


if __name__ == "__main__":
    unittest.main()
