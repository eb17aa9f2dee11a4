"""The table of others' mistakes in tests/README.md names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_every_mistake_others_shipped_has_tests_that_exist() -> None:
    rows = re.findall(r"^\| (\d+) \|.*$", (TESTS / "README.md").read_text(), re.MULTILINE)
    assert [int(number) for number in rows] == list(range(1, 29))
    written = {
        name
        for file in [*TESTS.glob("*/test_*.py"), *TESTS.glob("contract/*.py")]
        for name in re.findall(r"^(?:async )?def (\w+)", file.read_text(), re.MULTILINE)
    }
    for line in (TESTS / "README.md").read_text().splitlines():
        if re.match(r"\| \d+ \|", line):
            named = re.findall(r"`(\w+_\w+_\w+)`", line)
            assert named, line
            assert set(named) <= written, set(named) - written


def test_every_case_the_table_names_is_one() -> None:
    cases = set(re.findall(r'Case\("([^"]+)"', (TESTS / "e2e/test_each_fault.py").read_text()))
    named = re.findall(r" \[([^\]]+)\](?!\()", (TESTS / "README.md").read_text())
    assert len(named) > 8
    assert set(named) <= cases
