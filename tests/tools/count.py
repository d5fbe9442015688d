# SPDX-License-Identifier: Apache-2.0
"""Counts test results: count.py RESULTS [STAGE].

RESULTS holds a folder per stage with the reports of its runner (ctest, pytest, surefire, NUnit) and the
runner's exit status. With a stage: its line, and what failed with what it said. Without: a line per
stage and the last line `N passed, N failed`; the exit status is 0 only if nothing failed. A stage that ran no
test has failed.
"""

import sys
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

LINES_SHOWN = 40


class Case(NamedTuple):
    name: str
    outcome: str  # passed, skipped or failed
    text: str = ""


class Counts(NamedTuple):
    passed: int
    skipped: int
    failures: list[Case]


def name_of(case: ElementTree.Element) -> str:
    name, group = case.get("name", "?"), case.get("classname", "")
    return name if name.startswith(group) else f"{group}.{name}"


def outcome_of(case: ElementTree.Element) -> str:
    """What a report does not clearly call passed or skipped has failed."""
    if case.tag == "test-case":  # NUnit
        words = {"Success": "passed", "Passed": "passed", "Ignored": "skipped", "Skipped": "skipped"}
        return words.get(case.get("result", ""), "failed")
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    skipped = case.find("skipped")
    if skipped is not None and "Unable to find executable" in skipped.get("message", ""):
        return "failed"  # ctest's word for a program that was not built
    if skipped is not None or case.get("status") == "disabled":
        return "skipped"
    return "passed"


def read(case: ElementTree.Element) -> Case:
    return Case(name_of(case), outcome_of(case), "".join(case.itertext()).strip())


def cases_of(report: Path) -> list[Case]:
    try:
        tree = ElementTree.parse(report)
    except ElementTree.ParseError as error:
        return [Case(f"{report.name} is not readable: {error}", "failed")]
    return [read(element) for element in tree.iter() if element.tag in ("testcase", "test-case")]


def count(stage: Path) -> Counts:
    cases = [case for report in sorted(stage.glob("*.xml")) for case in cases_of(report)]
    failures = [case for case in cases if case.outcome == "failed"]
    passed = sum(case.outcome == "passed" for case in cases)
    skipped = sum(case.outcome == "skipped" for case in cases)
    status = int((stage / "status").read_text())
    if not passed and not failures:
        failures.append(Case(f"{stage.name} ran no test (exit status {status})", "failed"))
    elif status and not failures:
        failures.append(Case(f"{stage.name} ended with exit status {status}", "failed"))
    return Counts(passed, skipped, failures)


def show(stage: Path) -> Counts:
    counts = count(stage)
    skipped = f", {counts.skipped} skipped" if counts.skipped else ""
    print(f"{stage.name}: {counts.passed} passed, {len(counts.failures)} failed{skipped}")
    return counts


def show_failures(stage: Path) -> None:
    for case in show(stage).failures:
        print(f"FAILED {case.name}")
        for line in case.text.splitlines()[-LINES_SHOWN:]:
            print(f"    {line}")


def show_all(results: Path) -> int:
    statuses = sorted(results.glob("*/status"), key=lambda path: path.stat().st_mtime)
    counts = [show(status.parent) for status in statuses]
    passed = sum(c.passed for c in counts)
    failed = sum(len(c.failures) for c in counts)
    if not counts:
        print("no stage has run")
        failed = 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) == 3:
        show_failures(Path(sys.argv[1], sys.argv[2]))
    else:
        sys.exit(show_all(Path(sys.argv[1])))
