"""The two values that must not be confused, as two types (seed page "How a publish reaches players").

The *asset ref* is what a raw URL addresses: the commit sha when one is known, else the branch.
The *content version* scopes the cache and busts ``?v=``: the commit sha when known, else the artifact hash.
It is never a branch name: a value that stays the same across a publish would pin every player to the old files.
"""

from __future__ import annotations

import re
from typing import NewType

CommitSha = NewType("CommitSha", str)
AssetRef = NewType("AssetRef", str)
ContentVersion = NewType("ContentVersion", str)

_SHA = re.compile(r"[0-9a-f]{40}")
_VERSION = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def commit_sha(text: object) -> CommitSha | None:
    """``text`` as a full commit sha (40 lower-case hex digits), None for anything shorter, longer or other."""
    return CommitSha(text) if isinstance(text, str) and _SHA.fullmatch(text) else None


def asset_ref(sha: CommitSha | None, branch: str) -> AssetRef:
    """The git ref that raw URLs of this publish address."""
    return AssetRef(sha if sha is not None else branch)


def content_version(sha: CommitSha | None, artifact_hash: str | None) -> ContentVersion:
    """The value the cache is scoped by.

    :raises ValueError: when there is neither a sha nor a 64-digit artifact hash, so nothing immutable to name
    """
    value = sha if sha is not None else artifact_hash
    if value is None or not _VERSION.fullmatch(value):
        raise ValueError(f"{value!r} is neither a commit sha nor an artifact hash")
    return ContentVersion(value)


def is_pinned(ref: AssetRef) -> bool:
    """Whether the ref is a commit, so that what a URL of it yields can never change."""
    return _SHA.fullmatch(ref) is not None
