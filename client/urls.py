"""Addresses of GitHub's shape. The literal path stays the cache key; only here is it percent-encoded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

from client.asset_path import AssetPath
from client.repository import Repository
from client.version import AssetRef, ContentVersion, is_pinned

_PLAIN = re.compile(r"[A-Za-z0-9._~/-]*")


@dataclass(frozen=True, slots=True)
class GitHubHosts:
    """Base addresses, without a trailing slash; a local origin has others of the same shape."""

    raw: str = "https://raw.githubusercontent.com"
    media: str = "https://media.githubusercontent.com"
    api: str = "https://api.github.com"


def encoded(path: str) -> str:
    """Each segment percent-encoded by itself, so that ``#``, ``?``, ``%`` and spaces name the very file (RFC 3986)."""
    return path if _PLAIN.fullmatch(path) else quote(path, safe="/")


def raw_url(
    hosts: GitHubHosts, repository: Repository, ref: AssetRef, version: ContentVersion | None, path: AssetPath
) -> str:
    """Where a peer fetches a file. Branch-addressed URLs carry ``?v=<content version>`` to get past caches that
    still hold the previous publish; a commit's never change and need none."""
    url = f"{hosts.raw}/{repository}/{encoded(ref)}/{encoded(path)}"
    return url if is_pinned(ref) or version is None else f"{url}?v={version}"


def media_url(
    hosts: GitHubHosts, repository: Repository, ref: AssetRef, version: ContentVersion | None, path: AssetPath
) -> str:
    """Where the bytes behind a Git LFS pointer are."""
    url = f"{hosts.media}/media/{repository}/{encoded(ref)}/{encoded(path)}"
    return url if is_pinned(ref) or version is None else f"{url}?v={version}"
