"""A mod as it stands published: which repository, at which ref, under which content version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from client.repository import Repository
from client.version import AssetRef, CommitSha, ContentVersion, asset_ref, commit_sha, content_version


@dataclass(frozen=True, slots=True)
class Publish:
    """What resolving a mod yields.

    ``mod_id`` is the registry's id, None for a solo preview. ``current`` tells the registered current version from
    a pinned or an older one: only opening the current one supersedes others. ``offline`` says that it was remembered,
    not asked for.
    """

    repository: Repository
    ref: AssetRef
    version: ContentVersion
    mod_id: str | None
    name: str
    current: bool
    compatible: bool = True
    available: bool = True
    offline: bool = False

    @property
    def preview(self) -> bool:
        """Whether the repository is not registered: no room, no script, not in the catalogue."""
        return self.mod_id is None

    def as_plain(self) -> dict[str, Any]:
        """What is remembered of it for opening offline."""
        return {
            "owner": self.repository.owner,
            "repo": self.repository.name,
            "ref": self.ref,
            "version": self.version,
            "id": self.mod_id,
            "name": self.name,
            "compatible": self.compatible,
        }


def remembered_publish(values: Any) -> Publish | None:
    """A publish out of :meth:`Publish.as_plain`; None when it makes no sense any more."""
    match values:
        case {"owner": str(owner), "repo": str(repo), "ref": str(ref), "version": str(version), "name": str(name)}:
            try:
                repository, of = Repository(owner, repo), content_version(commit_sha(version), version)
            except ValueError:
                return None
            mod_id = values.get("id")
            return Publish(
                repository,
                AssetRef(ref),
                of,
                mod_id if isinstance(mod_id, str) else None,
                name,
                current=False,
                compatible=values.get("compatible") is not False,
                offline=True,
            )
    return None


@dataclass(frozen=True, slots=True)
class ModRecord:
    """What the registry says of a mod (CONTRACT.md, mod record), as far as a peer needs it."""

    id: str
    manifest_id: str | None
    kind: str
    name: str
    repository: Repository
    branch: str
    sha: CommitSha | None
    version: ContentVersion
    compatible: bool
    available: bool

    def publish(self) -> Publish:
        """Its current version."""
        return Publish(
            self.repository,
            asset_ref(self.sha, self.branch),
            self.version,
            self.id,
            self.name,
            current=True,
            compatible=self.compatible,
            available=self.available,
        )

    def pinned(self, sha: CommitSha) -> Publish:
        """The version at a commit the registry recorded or proved."""
        if sha == self.sha:
            return self.publish()
        of = ContentVersion(sha)
        return Publish(self.repository, asset_ref(sha, self.branch), of, self.id, self.name, current=False)


def read_mod_record(values: Any) -> ModRecord | None:
    """A mod record out of the registry's JSON; None when it lacks what opening it takes."""
    if not isinstance(values, dict):
        return None
    match values:
        case {"id": str(mod_id), "name": str(name), "owner": str(owner), "repo": str(repo)}:
            sha = commit_sha(values.get("commitSha"))
            artifact_hash = values.get("artifactHash")
            try:
                repository = Repository(owner, repo)
                version = content_version(sha, artifact_hash if isinstance(artifact_hash, str) else None)
            except ValueError:
                return None
            branch, manifest_id = values.get("ref"), values.get("manifestId")
            return ModRecord(
                mod_id,
                manifest_id if isinstance(manifest_id, str) else None,
                str(values.get("kind")),
                name,
                repository,
                branch if isinstance(branch, str) and branch else "main",
                sha,
                version,
                values.get("compatible") is not False,
                values.get("available") is not False,
            )
    return None
