"""The registry as a peer asks it. Only mods it knows can be played with others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from client.errors import Blocked, RateLimited, UnknownMod, UnknownVersion, Unreachable
from client.index import LONGEST_INDEX, FileIndex, read_index
from client.json_document import DocumentUnreadable, read_json
from client.ports import Http, Reply
from client.publish import ModRecord, Publish, read_mod_record
from client.repository import Repository
from client.version import CommitSha, ContentVersion, commit_sha

LONGEST_ANSWER = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class PublishedVersion:
    """One publish of a mod. ``sha`` is None where no commit was proven, and then it can't be opened by itself;
    ``at`` is when, as ISO 8601."""

    version: str
    sha: CommitSha | None
    release: str | None
    at: str


class Registry:
    """Reads of the registry's HTTP API (CONTRACT.md) below ``base``.

    Each call raises :class:`Unreachable` when it does not answer, or answers with a server error, and
    :class:`Blocked` when it says that the mod or the version is stopped.
    """

    def __init__(self, http: Http, base: str) -> None:
        self._http = http
        self._base = base.rstrip("/")

    async def mod(self, mod_id: str) -> ModRecord:
        """The mod with this id.

        :raises UnknownMod: the registry has none
        """
        reply = await self._get(f"/api/mods/{quote(mod_id, safe='')}")
        record = read_mod_record(_json(reply)) if reply.status == 200 else None
        if record is None:
            raise UnknownMod(f"The registry knows no mod {mod_id!r}.")
        return record

    async def by_repository(self, repository: Repository) -> ModRecord | None:
        """The mod registered from this repository, None when there is none."""
        found = await self._list(repo=str(repository))
        return next((record for record in found if record.repository.key == repository.key), None)

    async def by_manifest_id(self, manifest_id: str) -> list[ModRecord]:
        """All mods whose manifest says this id: it is not unique."""
        return [record for record in await self._list(manifestId=manifest_id) if record.manifest_id == manifest_id]

    async def head(self, repository: Repository) -> CommitSha | None:
        """The head of any public repository's default branch; None where the registry won't or can't say.

        :raises Blocked: what is registered from it is stopped, or was when it was registered
        """
        try:
            reply = await self._get(f"/api/heads/{quote(repository.owner)}/{quote(repository.name)}")
        except (Unreachable, RateLimited):
            return None
        values = _json(reply) if reply.status == 200 else None
        return commit_sha(values.get("commitSha")) if isinstance(values, dict) else None

    async def files(self, publish: Publish) -> FileIndex | None:
        """The file index of a publish; None where the registration has none.

        :raises UnknownVersion: the registry neither recorded nor can prove the version
        """
        assert publish.mod_id is not None
        return await self._files(publish.mod_id, publish.version)

    async def pinned(self, record: ModRecord, sha: CommitSha) -> Publish:
        """The publish of ``record`` at a commit, proven by the registry.

        :raises UnknownVersion: it is not one of this mod's
        """
        if sha != record.sha:
            await self._files(record.id, ContentVersion(sha))
        return record.pinned(sha)

    async def versions(self, mod_id: str) -> list[PublishedVersion]:
        """The versions published last, newest first."""
        values = _json(await self._get(f"/api/mods/{quote(mod_id, safe='')}/versions"))
        items = values.get("items") if isinstance(values, dict) else None
        found = []
        for item in items if isinstance(items, list) else []:
            match item:
                case {"version": str(version), "at": str(at)}:
                    release = item.get("release")
                    sha = commit_sha(item.get("commitSha"))
                    found.append(PublishedVersion(version, sha, release if isinstance(release, str) else None, at))
        return found

    async def is_blocked(self, mod_id: str, version: ContentVersion) -> bool:
        """Whether the registry's kill switch has stopped a mod or this version of it."""
        try:
            await self._get(f"/api/mods/{quote(mod_id, safe='')}/versions/{version}")
        except Blocked:
            return True
        return False

    async def _files(self, mod_id: str, version: ContentVersion) -> FileIndex | None:
        path = f"/api/mods/{quote(mod_id, safe='')}/versions/{version}/files"
        reply = await self._get(path, most=LONGEST_INDEX)
        if reply.status == 404 and _problem(reply).get("code") == "unknown-version":
            raise UnknownVersion(f"{version} is no version of this mod that the registry recorded or can prove.")
        if reply.status != 200:
            return None
        try:
            return read_index(reply.body, path)
        except DocumentUnreadable:
            return None

    async def _list(self, **query: str) -> list[ModRecord]:
        values = _json(await self._get(f"/api/mods?{urlencode(query)}"))
        items = values.get("items") if isinstance(values, dict) else None
        read = [read_mod_record(item) for item in items] if isinstance(items, list) else []
        return [record for record in read if record is not None]

    async def _get(self, path: str, most: int = LONGEST_ANSWER) -> Reply:
        reply = await self._http.get(self._base + path, most=most)
        if reply.status == 429:
            raise RateLimited("The registry asks to wait a little.", retry_at=None)
        problem = _problem(reply) if reply.status == 403 else {}
        if problem.get("code") == "blocked":
            raise Blocked(str(problem.get("detail") or "The registry has stopped it."))
        if reply.status >= 500:
            raise Unreachable(f"The registry answered with an error ({reply.status}).")
        return reply


def _json(reply: Reply) -> Any:
    try:
        return read_json(reply.body)
    except ValueError:
        raise Unreachable("The registry's answer is not JSON.") from None


def _problem(reply: Reply) -> dict[str, Any]:
    """What a problem document says; nothing where it is none."""
    try:
        values = read_json(reply.body)
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}
