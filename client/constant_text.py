"""What a text that a script puts together will be, where that can be told without running it."""

from __future__ import annotations

import base64
import binascii
from typing import Any, NamedTuple
from urllib.parse import unquote

from client.javascript import Node, Program

LONGEST_TEXT = 10_000
_DEEPEST = 60
_MOST_PARTS = 2000


class ConstantText(NamedTuple):
    """``joined`` tells a text that was put together from one that stands in the script as it is."""

    text: str
    joined: bool


def constant_text(program: Program, node: Node) -> ConstantText | None:
    """The text an expression yields; None when it is no text or depends on something that can't be told."""
    found = _Folding(program).value(node, 0)
    if isinstance(found, _Value) and isinstance(found.value, str):
        return ConstantText(found.value, found.joined)
    return None


def may_be_text(program: Program, node: Node) -> bool:
    """Whether an expression is surely a text, known or not."""
    value = program.value(node)
    if value is None:
        return False
    if value.type == "TemplateLiteral":
        return True
    if value.type == "BinaryExpression" and value.operator == "+":
        return may_be_text(program, value.left) or may_be_text(program, value.right)
    return constant_text(program, value) is not None


class _Value(NamedTuple):
    value: Any
    joined: bool


class _Folding:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._parts = 0

    def value(self, node: Node | None, depth: int) -> _Value | None:
        """A text, a number or a list of those."""
        self._parts += 1
        if node is None or depth > _DEEPEST or self._parts > _MOST_PARTS:
            return None
        depth += 1
        match node.type:
            case "Literal":
                plain = isinstance(node.value, str | int | float) and not isinstance(node.value, bool)
                return _Value(node.value, False) if plain and not getattr(node, "regex", None) else None
            case "TemplateLiteral":
                return self._template(node, depth)
            case "BinaryExpression" if node.operator == "+":
                left, right = self.value(node.left, depth), self.value(node.right, depth)
                return self._sum(left, right)
            case "ArrayExpression":
                parts = [self.value(one, depth) for one in node.elements]
                known = [part for part in parts if part is not None]
                if len(known) != len(parts):
                    return None
                return _Value([part.value for part in known], any(part.joined for part in known))
            case "Identifier":
                variable = self._program.variable(node)
                return self.value(variable.value, depth) if variable is not None else None
            case "ParenthesizedExpression" | "ChainExpression":
                return self.value(node.expression, depth)
            case "SequenceExpression":
                return self.value(node.expressions[-1], depth)
            case "MemberExpression" if node.computed:
                return self._element(node, depth)
            case "CallExpression":
                return self._call(node, depth)
        return None

    def _template(self, node: Node, depth: int) -> _Value | None:
        parts = [self.value(one, depth) for one in node.expressions]
        if any(part is None or isinstance(part.value, list) for part in parts):
            return None
        texts = [str(part.value) for part in parts if part is not None]
        # Template elements carry the text as JavaScript reads it under ``cooked``.
        cooked = [one.value.cooked for one in node.quasis]
        if any(not isinstance(one, str) for one in cooked):
            return None
        whole = "".join(one + other for one, other in zip(cooked, [*texts, ""], strict=True))
        return _Value(whole[:LONGEST_TEXT], bool(parts))

    def _sum(self, left: _Value | None, right: _Value | None) -> _Value | None:
        if left is None or right is None or isinstance(left.value, list) or isinstance(right.value, list):
            return None
        if isinstance(left.value, str) or isinstance(right.value, str):
            return _Value(f"{left.value}{right.value}"[:LONGEST_TEXT], True)
        return _Value(left.value + right.value, True)

    def _element(self, node: Node, depth: int) -> _Value | None:
        whole, index = self.value(node.object, depth), self.value(node.property, depth)
        if (
            whole is None
            or index is None
            or not isinstance(index.value, int)
            or not isinstance(whole.value, str | list)
        ):
            return None
        if not 0 <= index.value < len(whole.value):
            return None
        return _Value(whole.value[index.value], whole.joined or isinstance(whole.value, str))

    def _call(self, node: Node, depth: int) -> _Value | None:
        given = [self.value(one, depth) for one in node.arguments]
        if any(one is None for one in given):
            return None
        arguments = [one.value for one in given if one is not None]
        callee = node.callee
        if self._program.is_global(callee, "atob", "unescape", "decodeURIComponent", "decodeURI", "String"):
            return _decoded(callee.name, arguments)
        if callee.type != "MemberExpression":
            return None
        method = self._method(callee, depth)
        if self._program.is_global(callee.object, "String") and method in {"fromCharCode", "fromCodePoint"}:
            codes = [one for one in arguments if isinstance(one, int) and 0 <= one < 0x110000]
            return _Value("".join(map(chr, codes)), True) if len(codes) == len(arguments) else None
        whole = self.value(callee.object, depth)
        return None if whole is None or method is None else _applied(whole.value, method, arguments)

    def _method(self, callee: Node, depth: int) -> str | None:
        if not callee.computed:
            name = getattr(callee.property, "name", None)
            return name if isinstance(name, str) else None
        found = self.value(callee.property, depth)
        return found.value if found is not None and isinstance(found.value, str) else None


def _decoded(function: str, arguments: list[Any]) -> _Value | None:
    match arguments:
        case [str(text)]:
            pass
        case _:
            return None
    if function == "String":
        return _Value(text, True)
    if function == "atob":
        try:
            return _Value(base64.b64decode(text + "=" * (-len(text) % 4)).decode("latin-1"), True)
        except (binascii.Error, ValueError):
            return None
    return _Value(unquote(text), True)


def _applied(whole: Any, method: str, arguments: list[Any]) -> _Value | None:
    found: Any = None
    match whole, method, arguments:
        case list(), "join", []:
            found = ",".join(map(str, whole))
        case list(), "join", [str(between)]:
            found = between.join(map(str, whole))
        case list(), "reverse" | "toReversed", []:
            found = whole[::-1]
        case str() | list(), "concat", _:
            parts = [whole, *arguments]
            if isinstance(whole, str):
                found = "".join(map(str, parts))
            else:
                found = [one for part in parts for one in (part if isinstance(part, list) else [part])]
        case str(), "split", [""]:
            found = list(whole)
        case str(), "split", [str(between)]:
            found = whole.split(between)
        case str(), "toLowerCase" | "toLocaleLowerCase", []:
            found = whole.lower()
        case str(), "toUpperCase" | "toLocaleUpperCase", []:
            found = whole.upper()
        case str(), "trim" | "toString" | "valueOf", []:
            found = whole.strip() if method == "trim" else whole
        case str(), "replace" | "replaceAll", [str(old), str(new)]:
            found = whole.replace(old, new, 1 if method == "replace" else -1)
        case str() | list(), "at" | "charAt", [int(index)] if -len(whole) <= index < len(whole):
            found = whole[index]
        case str() | list(), "slice" | "substring", [int(start)]:
            found = whole[start:] if method == "slice" else whole[max(0, start) :]
        case str() | list(), "slice" | "substring", [int(start), int(end)]:
            found = whole[start:end] if method == "slice" else whole[max(0, min(start, end)) : max(0, start, end)]
        case str(), "substr", [int(start), int(length)]:
            found = whole[start:][: max(0, length)]
        case str(), "padStart" | "padEnd" | "repeat", _:
            return None
    if isinstance(found, str):
        found = found[:LONGEST_TEXT]
    return None if found is None else _Value(found, True)
