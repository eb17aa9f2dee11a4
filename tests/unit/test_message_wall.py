"""What a script sends is measured before anything of it is used."""

from __future__ import annotations

import json
from typing import Any

import pytest

from client.message_wall import DEEPEST_VALUE, LONGEST_MESSAGE, MOST_CALLS, MOST_VALUES, Call, read_calls
from client.refusal import Refusal


def test_calls_come_through_as_they_were_made() -> None:
    message = json.dumps([[1, "log", "a"], [2, "setUiElement", {"id": "x", "__proto__": {"a": 1}}], [3, "listObjects"]])
    assert read_calls(message) == [
        Call(1, "log", ["a"]),
        Call(2, "setUiElement", [{"id": "x", "__proto__": {"a": 1}}]),
        Call(3, "listObjects", []),
    ]


def nested(depth: int) -> str:
    return f'[[1,"log",{"[" * depth}{"]" * depth}]]'


def test_values_as_deep_as_allowed_pass() -> None:
    read_calls(nested(DEEPEST_VALUE - 2))
    read_calls(json.dumps([[1, "log", "[{" * 5000]]))
    read_calls(json.dumps([[1, "log", '\\"[' * 5000]]))


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("x" * (LONGEST_MESSAGE + 1), "too-large"),
        (nested(DEEPEST_VALUE - 1), "too-large"),
        (nested(100_000), "too-large"),
        ('[[1,"log",' + "[" * 100_000, "too-large"),
        (json.dumps([[1, "log", list(range(MOST_VALUES))]]), "too-large"),
        (json.dumps([[1, "log"]] * (MOST_CALLS + 1)), "wrong-argument"),
        ("[]", "wrong-argument"),
        ("{}", "wrong-argument"),
        ("", "wrong-argument"),
        ("null", "wrong-argument"),
        ('[[1,"log",NaN]]', "wrong-argument"),
        ('[[1,"log",Infinity]]', "wrong-argument"),
        (f'[[1,"log",{"9" * 5000}]]', "wrong-argument"),
        ('[[true,"log"]]', "wrong-argument"),
        ('[[-1,"log"]]', "wrong-argument"),
        ('[[1.5,"log"]]', "wrong-argument"),
        ("[[1]]", "wrong-argument"),
        ("[[1,2]]", "wrong-argument"),
        ('[[1,"log",1,2,3,4,5,6,7,8,9]]', "wrong-argument"),
        ("[1]", "wrong-argument"),
        (None, "wrong-argument"),
        (b"[]", "wrong-argument"),
        ({"length": 2**32 - 1}, "wrong-argument"),
        ([[1, "log"]], "wrong-argument"),
    ],
)
def test_anything_else_is_refused_unused(message: Any, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_calls(message)
    assert refused.value.code == code
