"""A remark on a mod's content that its author should read; never a reason not to open it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Issue:
    """What is odd, and where: ``file`` is a path in the repository, ``key`` a place like ``assets[3].path``.

    ``line`` and ``column`` count from 1, None where no such place can be told.
    """

    code: str
    file: str
    key: str | None
    message: str
    line: int | None = None
    column: int | None = None
