"""A public GitHub repository by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

_OWNER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")


@dataclass(frozen=True, slots=True)
class Repository:
    """Owner and name as written; GitHub compares both without case, so :attr:`key` is the identity."""

    owner: str
    name: str

    def __post_init__(self) -> None:
        if not _OWNER.fullmatch(self.owner) or not _NAME.fullmatch(self.name) or self.name in {".", ".."}:
            raise ValueError(f"{self.owner}/{self.name} is not the name of a GitHub repository")

    @property
    def key(self) -> str:
        """``owner/name`` in lower case: the same for every spelling GitHub treats as one repository."""
        return f"{self.owner}/{self.name}".lower()

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"

    @classmethod
    def parse(cls, text: str) -> Repository:
        """Read ``owner/repo`` or an address of github.com.

        Strict on purpose: ``evilgithub.com/a/b`` and ``evil.com/?x=github.com/a/b`` are not repositories.

        :raises ValueError: for anything else
        """
        text = text.strip()
        if "://" in text or text.lower().startswith("github.com/"):
            parts = urlsplit(text if "://" in text else f"https://{text}")
            if parts.scheme != "https" or parts.netloc.lower() not in {"github.com", "www.github.com"}:
                raise ValueError(f"{text!r} is not an address of github.com")
            if parts.query or parts.fragment:
                raise ValueError(f"{text!r} names more than a repository")
            text = parts.path.strip("/")
            text = text.removesuffix(".git")
        owner, slash, name = text.partition("/")
        if not slash:
            raise ValueError(f"{text!r} is not of the form owner/repo")
        return cls(owner, name)
