"""What the scanner has to say about a script, and where."""

from __future__ import annotations

from typing import Literal, NamedTuple

FindingCode = Literal["unsafe-script", "dynamic-plugin-call", "obfuscated-script", "minified-script"]

Rule = Literal[
    "unreadable",
    "hidden-text",
    "html-comment",
    "look-alike",
    "out-of-sight",
    "code-from-text",
    "network",
    "page",
    "storage",
    "worker",
    "messages",
    "timer",
    "global-object",
    "joined-name",
    "odd-member",
    "with",
    "plugin-call",
    "obfuscated",
    "minified",
]
"""What was broken, more finely than by code: what to do instead depends on it."""

REFUSED: tuple[FindingCode, ...] = ("unsafe-script", "dynamic-plugin-call")
"""Codes a publish is refused for; the others are warnings. The first one present is the refusal's own."""


class Finding(NamedTuple):
    """``line`` and ``column`` count from 1; columns are UTF-16 units, as editors and browsers count them."""

    line: int
    column: int
    code: FindingCode
    message: str
    rule: Rule

    @property
    def refuses(self) -> bool:
        return self.code in REFUSED
