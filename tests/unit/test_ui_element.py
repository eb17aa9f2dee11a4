"""User interface is data of known types and properties, or it is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.refusal import Refusal
from client.ui_element import DEEPEST_ELEMENT, LONGEST_TEXT, MOST_PARTS, read_element

PANEL: dict[str, Any] = {
    "id": "score",
    "type": "panel",
    "props": {
        "title": "Score",
        "onClose": "closed",
        "onclick": "alert(1)",
        "innerHTML": "<b>",
        "style": "x",
        "order": 2,
    },
    "children": [
        {"type": "text", "props": {"text": "<img src=x onerror=alert(1)>"}},
        {"id": "bid", "type": "input", "props": {"value": 5, "onChange": "bid-changed", "disabled": False}},
        {"id": "who", "type": "select", "props": {"options": ["red", {"value": "blue", "label": "Blue"}]}},
        {
            "id": "secret",
            "type": "button",
            "props": {"label": "Peek"},
            "visibility": {"seats": ["red"], "peers": ["p2"]},
        },
    ],
}


def test_an_element_keeps_what_the_page_knows_and_nothing_else() -> None:
    assert read_element(PANEL).as_plain("red", "p1") == {
        "id": "score",
        "type": "panel",
        "props": {"title": "Score", "order": 2},
        "hooks": {"onClose": "closed"},
        "children": [
            {
                "id": "part-2",
                "type": "text",
                "props": {"text": "<img src=x onerror=alert(1)>"},
                "hooks": {},
                "children": [],
            },
            {
                "id": "bid",
                "type": "input",
                "props": {"value": "5", "disabled": False},
                "hooks": {"onChange": "bid-changed"},
                "children": [],
            },
            {
                "id": "who",
                "type": "select",
                "props": {"options": [{"value": "red", "label": "red"}, {"value": "blue", "label": "Blue"}]},
                "hooks": {},
                "children": [],
            },
            {"id": "secret", "type": "button", "props": {"label": "Peek"}, "hooks": {}, "children": []},
        ],
    }


@pytest.mark.parametrize(
    ("seat", "peer", "sees"), [("red", "p1", True), ("blue", "p1", False), (None, "p2", True), (None, "p1", False)]
)
def test_a_part_is_drawn_for_those_it_is_for(seat: str | None, peer: str, sees: bool) -> None:
    shown = read_element(PANEL).as_plain(seat, peer)
    assert ("secret" in [part["id"] for part in shown["children"]]) is sees


def deep(levels: int) -> dict[str, Any]:
    element: dict[str, Any] = {"id": "leaf", "type": "layout"}
    for level in range(levels - 1):
        element = {"id": f"level-{level}", "type": "layout", "children": [element]}
    return element


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "panel",
        {},
        {"id": "x", "type": "iframe"},
        {"id": "x", "type": ["panel"]},
        {"id": "", "type": "text"},
        {"type": "text"},
        {"id": 5, "type": "text"},
        {"id": "x", "type": "text", "props": []},
        {"id": "x", "type": "text", "props": {"text": "x" * (LONGEST_TEXT + 1)}},
        {"id": "x", "type": "text", "props": {"text": True}},
        {"id": "x", "type": "text", "props": {"text": {"html": "x"}}},
        {"id": "x", "type": "text", "props": {"color": "url(x)"}},
        {"id": "x", "type": "text", "props": {"width": 1e9}},
        {"id": "x", "type": "text", "props": {"size": "x; position: fixed"}},
        {"id": "x", "type": "text", "props": {"size": ["small"]}},
        {"id": "x", "type": "button", "props": {"onPress": {"a": 1}}},
        {"id": "x", "type": "button", "props": {"onPress": ""}},
        {"id": "x", "type": "select", "props": {"options": "abc"}},
        {"id": "x", "type": "select", "props": {"options": [{"label": "x"}]}},
        {"id": "x", "type": "text", "children": [{"type": "text"}]},
        {"id": "x", "type": "panel", "children": {"0": 1}},
        {"id": "x", "type": "panel", "children": [{"id": "x", "type": "text"}]},
        {"id": "x", "type": "panel", "visibility": ["red"]},
        {"id": "x", "type": "panel", "visibility": {"seats": ["gold"]}},
        {"id": "x", "type": "panel", "visibility": {"peers": "p1"}},
        {"id": "x", "type": "panel", "children": [{"type": "text"}] * MOST_PARTS},
        deep(DEEPEST_ELEMENT + 1),
    ],
)
def test_what_is_no_element_is_refused(value: Any) -> None:
    with pytest.raises(Refusal):
        read_element(value)


def test_an_element_is_as_deep_as_allowed() -> None:
    read_element(deep(DEEPEST_ELEMENT))


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
props = st.dictionaries(
    st.sampled_from(["text", "options", "size", "color", "width", "onPress", "disabled", "hidden"]), json_values
)


@given(
    st.fixed_dictionaries({"id": st.just("x"), "type": st.sampled_from(["panel", "text", "select"]), "props": props})
)
def test_whatever_a_script_declares_is_drawn_or_refused(value: Any) -> None:
    try:
        element = read_element(value)
    except Refusal:
        return
    for prop in element.props.values():
        assert isinstance(prop, str | bool | int | float | list)
