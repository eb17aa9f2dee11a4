"""What the scanner has to say about a script, and where."""

from __future__ import annotations

from typing import Literal, NamedTuple

FindingCode = Literal["unsafe-script", "dynamic-plugin-call", "obfuscated-script", "minified-script"]

REFUSED: tuple[FindingCode, ...] = ("unsafe-script", "dynamic-plugin-call")
"""Codes a publish is refused for; the others are warnings. The first one present is the refusal's own."""


class Finding(NamedTuple):
    """``line`` and ``column`` count from 1; columns are UTF-16 units, as editors and browsers count them."""

    line: int
    column: int
    code: FindingCode
    message: str

    @property
    def refuses(self) -> bool:
        return self.code in REFUSED
