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


@dataclass(frozen=True, slots=True)
class RepositoryUrls:
    """The addresses of one publish's files, with what they share composed once.

    Branch-addressed URLs carry ``?v=<content version>`` to get past caches that still hold the previous publish;
    a commit's never change and need none.
    """

    raw_base: str
    media_base: str
    suffix: str

    def raw(self, path: AssetPath) -> str:
        """Where a peer fetches a file."""
        return f"{self.raw_base}{encoded(path)}{self.suffix}"

    def media(self, path: AssetPath) -> str:
        """Where the bytes behind a Git LFS pointer are."""
        return f"{self.media_base}{encoded(path)}{self.suffix}"


def repository_urls(
    hosts: GitHubHosts, repository: Repository, ref: AssetRef, version: ContentVersion | None
) -> RepositoryUrls:
    """The addresses of the files of ``repository`` at ``ref``."""
    place = f"{repository}/{encoded(ref)}/"
    suffix = "" if is_pinned(ref) or version is None else f"?v={version}"
    return RepositoryUrls(f"{hosts.raw}/{place}", f"{hosts.media}/media/{place}", suffix)


def raw_url(
    hosts: GitHubHosts, repository: Repository, ref: AssetRef, version: ContentVersion | None, path: AssetPath
) -> str:
    """Where a peer fetches one file."""
    return repository_urls(hosts, repository, ref, version).raw(path)


def media_url(
    hosts: GitHubHosts, repository: Repository, ref: AssetRef, version: ContentVersion | None, path: AssetPath
) -> str:
    """Where the bytes behind one Git LFS pointer are."""
    return repository_urls(hosts, repository, ref, version).media(path)
