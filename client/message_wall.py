"""What a script sends, before anything of it is used: so many characters, so many values, so deep, and no more.

A message is the JSON text of a list of calls, ``[[number, method, argument, …], …]``. JSON, because a structured clone
carries arrays of four thousand million elements and objects that take Python minutes to walk; a text has a length.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from client.refusal import Refusal

LONGEST_MESSAGE = 256 * 1024
"""Characters."""
MOST_VALUES = 20_000
DEEPEST_VALUE = 32
MOST_CALLS = 500
"""Calls in one message."""
MOST_ARGUMENTS = 8


class Call(NamedTuple):
    """``number`` is the script's own, under which it waits for the answer."""

    number: int
    method: str
    arguments: list[Any]


def read_calls(message: object) -> list[Call]:
    """The calls of a message.

    :raises Refusal: too-large, or wrong-argument: it is none that the API in the script would send
    """
    if not isinstance(message, str):
        raise Refusal("wrong-argument", "A message is a text.")
    if len(message) > LONGEST_MESSAGE:
        raise Refusal("too-large", f"A message has at most {LONGEST_MESSAGE} characters.")
    # Every value but the first comes behind a bracket, a comma or a colon.
    if sum(map(message.count, "[{,:")) > 2 * MOST_VALUES:
        raise Refusal("too-large", f"A message has at most {MOST_VALUES} values.")
    try:
        values = _parsed(message)
    except (ValueError, RecursionError):
        raise Refusal("wrong-argument", "A message is JSON.") from None
    if not isinstance(values, list) or not 1 <= len(values) <= MOST_CALLS:
        raise Refusal("wrong-argument", f"A message is a list of at most {MOST_CALLS} calls.")
    check_value(values)
    return [_call(value) for value in values]


def check_value(value: object) -> None:
    """:raises Refusal: too-large, it is nested too deep or has too many values"""
    waiting, seen = [(value, 1)], 0
    while waiting:
        one, depth = waiting.pop()
        seen += 1
        if depth > DEEPEST_VALUE:
            raise Refusal("too-large", f"A value is nested at most {DEEPEST_VALUE} levels deep.")
        if seen > MOST_VALUES:
            raise Refusal("too-large", f"A message has at most {MOST_VALUES} values.")
        below = one if isinstance(one, list) else one.values() if isinstance(one, dict) else ()
        waiting += [(inner, depth + 1) for inner in below]


def _parsed(message: str) -> Any:
    depth = most = 0
    in_text = escaped = False
    if message.count("[") + message.count("{") > DEEPEST_VALUE:
        for character in message:
            if in_text:
                in_text, escaped = escaped or character != '"', character == "\\" and not escaped
            elif character == '"':
                in_text = True
            else:
                depth += (character in "[{") - (character in "]}")
                most = max(most, depth)
        if most > DEEPEST_VALUE:
            raise Refusal("too-large", f"A value is nested at most {DEEPEST_VALUE} levels deep.")
    return json.loads(message, parse_constant=_no_constant)


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _call(value: object) -> Call:
    match value:
        case [int(number), str(method), *arguments] if (
            not isinstance(number, bool) and 0 <= number < 2**53 and len(arguments) <= MOST_ARGUMENTS
        ):
            return Call(number, method[:40], arguments)
    raise Refusal("wrong-argument", "A call is a number, a method and its arguments.")
