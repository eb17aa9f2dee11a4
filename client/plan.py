"""Which files a pull needs, where each is fetched, and what its bytes must be."""

from __future__ import annotations

from typing import NamedTuple

from client.asset_path import AssetPath
from client.index import FileIndex
from client.manifest import DeclaredFile, Role
from client.repository import Repository
from client.urls import GitHubHosts, repository_urls
from client.version import AssetRef, ContentVersion

LONGEST_FILE = 2 * 1024**3
"""Bytes read of a file whose size nobody stated: as much as git hosts take."""


def host_of(url: str) -> str:
    """Host and port of an absolute URL of ours; plain splitting, because a pull asks it thousands of times."""
    return url.split("/", 3)[2]


class PlannedFile(NamedTuple):
    """One file of a pull. ``sha256`` and ``size`` are what its bytes must be, None where unknown.

    ``also_sha256`` is a second hash that must hold too, where manifest and registry name different ones:
    no bytes can meet both, so such a file fails as ``hash-mismatch`` and is never cached.
    """

    path: AssetPath
    role: Role
    url: str
    size: int | None
    sha256: str | None
    also_sha256: str | None
    optional: bool
    lfs: bool

    @property
    def host(self) -> str:
        return host_of(self.url)

    @property
    def most(self) -> int:
        """Bytes at most worth reading."""
        return self.size if self.size is not None else LONGEST_FILE


def plan_files(
    files: tuple[DeclaredFile, ...],
    index: FileIndex | None,
    hosts: GitHubHosts,
    repository: Repository,
    ref: AssetRef,
    version: ContentVersion,
) -> dict[AssetPath, PlannedFile]:
    """The planned file of each declared one. With an index every byte can be checked although no manifest lists
    hashes; without one, only what the manifest claims."""
    urls = repository_urls(hosts, repository, ref, version)
    planned = {}
    for declared in files:
        known = index.files.get(declared.path) if index is not None else None
        size, sha256, lfs = declared.size, declared.sha256, False
        also_sha256 = None
        if known is not None:
            lfs = known.lfs is not None
            scanned = known.lfs.oid if known.lfs is not None else known.sha256
            size = known.lfs.size if known.lfs is not None else known.size
            also_sha256 = scanned if sha256 is not None and scanned != sha256 else None
            sha256 = sha256 or scanned
        planned[declared.path] = PlannedFile(
            declared.path,
            declared.role,
            urls.media(declared.path) if lfs else urls.raw(declared.path),
            size,
            sha256,
            also_sha256,
            declared.optional,
            lfs,
        )
    return planned
