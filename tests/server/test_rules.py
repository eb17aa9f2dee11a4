"""The table of rules in README.md names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent


def test_every_test_the_table_of_rules_names_is_there() -> None:
    written = {
        file.stem.removeprefix("test_"): set(re.findall(r"^def test_(\w+)", file.read_text(), re.MULTILINE))
        for file in HERE.glob("test_*.py")
    }
    named = re.findall(r"\b([a-z]\w*_\w+_\w+)\b", (HERE / "README.md").read_text())
    everything = set().union(*written.values(), written)
    assert len(named) > 50
    assert [name for name in named if name not in everything] == []
