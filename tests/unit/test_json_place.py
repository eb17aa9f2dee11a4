"""Telling the line of a key in a JSON file as its author wrote it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.issue import Issue
from client.json_place import lines_of, with_lines

TEXT = """{
  "id": "chess", "name": "}] \\" {[",
  "players": {"min": 2,
    "max": "many"},
  "assets": [
    "a.webp", "b.webp",
    {"path": "c.webp",
     "size": "big"},
    [
      {"deep": 1}
    ]
  ],
  "hashes": {
    "a.b/c.webp": 3
  },
  "id": "again"
}"""


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("players", 3),
        ("players.min", 3),
        ("players.max", 4),
        ("assets[0]", 6),
        ("assets[1]", 6),
        ("assets[2]", 7),
        ("assets[2].size", 8),
        ("assets[3][0].deep", 10),
        ("hashes.a.b/c.webp", 14),
        ("id", 16),
        ("name", 2),
    ],
)
def test_a_key_stands_on_the_line_an_editor_shows(place: str, line: int) -> None:
    assert lines_of(TEXT, [place]) == {place: line}


def test_of_a_key_that_is_absent_its_parent_s_line_is_told() -> None:
    assert lines_of(TEXT, ["players.best", "assets[2].sha256", "assets[9]", "nowhere", "nowhere.else[3]"]) == {
        "players.best": 3,
        "assets[2].sha256": 7,
        "assets[9]": 5,
    }


def test_only_issues_at_a_key_of_that_file_get_a_line() -> None:
    issues = [
        Issue("wrong-type", "mod.json", "players.max", "x"),
        Issue("wrong-type", "setup.json", "players.max", "x"),
        Issue("missing-file", "a.webp", None, "x"),
        Issue("wrong-type", "mod.json", "gone", "x"),
    ]
    assert [issue.line for issue in with_lines(issues, b"\xef\xbb\xbf" + TEXT.encode(), "mod.json")] == [
        4,
        None,
        None,
        None,
    ]


_KEYS = st.text(st.characters(codec="utf-8", exclude_characters=".[]"), min_size=1, max_size=8)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=12,
)


def _places(value: Any, place: str) -> list[str]:
    if isinstance(value, dict):
        inner = [(f"{place}.{key}" if place else key, child) for key, child in value.items()]
    elif isinstance(value, list):
        inner = [(f"{place}[{number}]", child) for number, child in enumerate(value)]
    else:
        return []
    return [found for name, child in inner for found in (name, *_places(child, name))]


@given(st.dictionaries(_KEYS, _VALUES, max_size=4))
def test_every_place_of_a_written_document_is_found_in_order(document: dict[str, Any]) -> None:
    places = _places(document, "")
    found = lines_of(json.dumps(document, indent=1), places)
    assert list(found) == places
    assert list(found.values()) == sorted(found.values())
