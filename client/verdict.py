"""What the registry has said of a version's scripts, to be remembered for when it can't be asked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """``scripts`` are the SHA-256s, in hex, of those that it has read and found fit to run; ``stopped`` is whether its
    kill switch has stopped the mod or this version (SECURITY.md, sections 2 and 4)."""

    scripts: frozenset[str] = frozenset()
    stopped: bool = False
