"""How deep a document may go: the parser itself would end Python in a browser, so nothing deep may reach it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.json_document import DEEPEST, DocumentUnreadable, read_object


def nested(levels: int) -> bytes:
    """An object of so many levels, lists and objects in turn."""
    text = "1"
    for level in range(levels, 0, -1):
        text = f'{{"a":{text}}}' if level % 2 else f"[{text}]"
    return text.encode()


def test_the_deepest_that_is_read() -> None:
    assert read_object(nested(DEEPEST), "x.json", longest=10_000)
    with pytest.raises(DocumentUnreadable, match=r"x\.json is nested too deep"):
        read_object(nested(DEEPEST + 1), "x.json", longest=10_000)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '[{"a":' * 5000, "[" * 500 + "]" * 499])
def test_what_only_opens_is_too_deep_before_it_is_no_json(text: str) -> None:
    with pytest.raises(DocumentUnreadable, match="nested too deep"):
        read_object(text.encode(), "x.json", longest=1_000_000)


@pytest.mark.parametrize("text", ["[" * 5000, '\\"[{' * 500, "\\\\", '"' + "[" * 500 + '"'])
def test_brackets_in_texts_are_no_levels(text: str) -> None:
    value = {"a": text, text: [text] * 60}
    assert read_object(json.dumps(value).encode(), "x.json", longest=1_000_000) == value


@given(st.dictionaries(st.text(), st.recursive(st.text() | st.integers(), st.lists), max_size=200))
def test_any_ordinary_document_is_read(value: dict[str, object]) -> None:
    assert read_object(json.dumps(value).encode(), "x.json", longest=10_000_000) == value


def test_a_wide_document_is_not_a_deep_one() -> None:
    value: dict[str, object] = {"a": [[], {}] * 100_000}
    assert read_object(json.dumps(value).encode(), "x.json", longest=10_000_000) == value
