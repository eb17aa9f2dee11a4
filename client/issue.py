"""A remark on a mod's content that its author should read; never a reason not to open it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Issue:
    """What is odd, and where: ``file`` is a path in the repository, ``key`` a place like ``assets[3].path``."""

    code: str
    file: str
    key: str | None
    message: str
