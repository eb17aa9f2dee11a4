"""A small world of published mods: repositories at raw addresses, a registry that knows them, peers that open them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from client.asset_path import AssetPath
from client.github import GitHub
from client.manifest import MANIFEST_PATH
from client.open_mod import Platform
from client.opening import IDLE
from client.peer import FRAME, Peer
from client.ports import Store
from client.registry import Registry
from client.repository import Repository
from client.stage import Stage
from client.trace import Trace
from client.turn import Turns
from client.urls import GitHubHosts, media_url, raw_url
from client.version import AssetRef, ContentVersion
from tests.contract.answer import Answer
from tests.fakes import Machine, json_answer, sha256

HOSTS = GitHubHosts("https://raw.test", "https://media.test", "https://api.test")
REGISTRY = "https://registry.test"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {size}\n"


def pointer(data: bytes) -> bytes:
    """The Git LFS pointer that stands for ``data``."""
    return POINTER.format(oid=sha256(data), size=len(data)).encode()


def manifest(assets: list[Any] | None = None, **keys: Any) -> dict[str, Any]:
    """A manifest's content; ``keys`` add to it or replace."""
    values = {"schemaVersion": "1.0", "id": "chess", "name": "Chess", "type": "game-pack", "version": "1.0.0"}
    return {**values, "entry": {"setup": "setup.json"}, "assets": assets or [], **keys}


@dataclass
class Published:
    """One version of one repository, as it lies at the origin."""

    repository: Repository
    sha: str
    files: dict[str, bytes]
    lfs: dict[str, bytes] = field(default_factory=dict)

    @property
    def version(self) -> ContentVersion:
        return ContentVersion(self.sha)

    def url(self, path: str) -> str:
        return raw_url(HOSTS, self.repository, AssetRef(self.sha), None, AssetPath(path))

    def media(self, path: str) -> str:
        return media_url(HOSTS, self.repository, AssetRef(self.sha), None, AssetPath(path))


async def reported(peer: Peer, mod: str, version: str | None = None) -> dict[str, Any]:
    """Open a table and answer its report."""
    await peer.open(mod, version)
    return peer.report()


class World:
    """Publishes mods and opens them."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.clock = machine.clock
        self.network = machine.network
        self.store: Store = machine.store
        self.disk = machine.store
        self.indexed = True
        """Whether the registry has file indexes."""
        self.views: list[tuple[float, dict[str, Any]]] = []
        self.scripts: set[str] = set()
        """SHA-256s of the scripts that the registry has read and found fit to run."""
        self.blocked: set[str] = set()
        """Ids of mods that the registry has stopped."""
        self.stage: Stage | None = None
        """Where scripts run, in tabs that are opened from now on."""
        self.heads: dict[str, str] = {}
        """What the registry says of ``owner/name``s that are not registered."""
        self._versions: dict[str, list[Published]] = {}
        self._records: dict[str, dict[str, Any]] = {}
        self.network.when(self._registry)

    # Publishing

    def publish(
        self,
        name: str = "alice/chess",
        /,
        files: Mapping[str, bytes] | None = None,
        *,
        registered: bool = True,
        lfs: Mapping[str, bytes] | None = None,
        setup: dict[str, Any] | None = None,
        **keys: Any,
    ) -> Published:
        """Publish a version: ``files`` are its assets, all declared unless ``assets`` says otherwise.

        ``lfs`` are assets that lie in Git LFS. ``setup`` is the content of its setup.json. ``keys`` go to the manifest.
        """
        repository = Repository.parse(name)
        files, lfs = dict(files or {}), dict(lfs or {})
        declared = keys.pop("assets", [*files, *lfs])
        content = {
            MANIFEST_PATH: json.dumps(manifest(declared, **keys)).encode(),
            "setup.json": json.dumps(setup or {}).encode(),
            **files,
            **{path: pointer(data) for path, data in lfs.items()},
        }
        everything = repr((name, sorted(content.items()), len(self._versions.get(repository.key, []))))
        sha = hashlib.sha1(everything.encode(), usedforsecurity=False).hexdigest()
        published = Published(repository, sha, content, lfs)
        for path, data in content.items():
            self.network.on(published.url(path), Answer(body=data))
        for path, data in lfs.items():
            self.network.on(published.media(path), Answer(body=data))
        self.network.on(f"{HOSTS.api}/repos/{repository}/commits/HEAD", json_answer({"sha": sha}))
        if registered:
            self._versions.setdefault(repository.key, []).append(published)
            self._records[repository.key] = self._record(published, manifest(**keys))
        return published

    @staticmethod
    def _record(published: Published, values: dict[str, Any]) -> dict[str, Any]:
        repository = published.repository
        return {
            "id": f"m-{repository.key.replace('/', '-')}",
            "manifestId": values["id"],
            "kind": str(values["type"]).removesuffix("-pack"),
            "name": values["name"],
            "owner": repository.owner,
            "repo": repository.name,
            "ref": "main",
            "commitSha": published.sha,
            "artifactHash": sha256(published.sha.encode()),
            "version": published.sha,
            "compatible": True,
            "available": True,
        }

    def record(self, name: str = "alice/chess") -> dict[str, Any]:
        """The registry's record, to change as a test likes."""
        return self._records[name]

    def unregister(self, name: str) -> None:
        del self._records[name]

    def _registry(self, url: str, attempt: int) -> Answer | None:
        if url.startswith(f"{REGISTRY}/api/heads/"):
            key = url.removeprefix(f"{REGISTRY}/api/heads/").lower()
            if key in self._records and self._records[key]["id"] in self.blocked:
                return json_answer({"code": "blocked"}, 403)
            head = self.heads.get(url.removeprefix(f"{REGISTRY}/api/heads/").lower())
            return json_answer({"commitSha": head}) if head else json_answer({"code": "repository-not-found"}, 404)
        if not url.startswith(f"{REGISTRY}/api/mods"):
            return None
        rest = url.removeprefix(f"{REGISTRY}/api/mods")
        records = list(self._records.values())
        listed = [record for record in records if record["id"] not in self.blocked]
        if rest.startswith("?repo="):
            key = rest.removeprefix("?repo=").lower()
            return json_answer({"items": [r for r in listed if quote(_key(r), safe="") == key.replace("%2f", "%2F")]})
        if rest.startswith("?manifestId="):
            wanted = rest.removeprefix("?manifestId=")
            return json_answer({"items": [record for record in listed if record["manifestId"] == wanted]})
        mod_id, _, rest = rest.removeprefix("/").partition("/")
        record = next((record for record in records if record["id"] == mod_id), None)
        if record is None:
            return json_answer({"code": "unknown-mod"}, 404)
        if mod_id in self.blocked and rest != "versions":
            return json_answer({"code": "blocked"}, 403)
        if not rest:
            return json_answer(record)
        if rest == "versions":
            published = reversed(self._versions[_key(record)])
            return json_answer({"items": [_version(one) for one in published], "next": None})
        if not rest.endswith("/files"):
            return json_answer({"version": record["version"]})
        version = rest.removeprefix("versions/").removesuffix("/files")
        found = next((one for one in self._versions[_key(record)] if one.sha == version), None)
        if found is None and version != record["version"]:
            return json_answer({"code": "unknown-version"}, 404)
        if found is None or not self.indexed:
            return json_answer({"code": "unknown-index"}, 404)
        files = [_indexed(found, path) for path in found.files]
        scripts = [{"path": "?", "sha256": digest} for digest in sorted(self.scripts)]
        return json_answer({"version": version, "files": files, "scripts": scripts})

    # Opening

    def platform(self, *, registry: bool = True) -> Platform:
        machine = self.machine
        return Platform(
            store=self.store,
            transfer=machine.transfer,
            http=machine.http,
            locks=machine.locks,
            turns=Turns(machine.locks, machine.channel(), machine.clock),
            clock=machine.clock,
            hosts=HOSTS,
            registry=Registry(machine.http, REGISTRY) if registry else None,
            boot="snapshot",
            trace=Trace(machine.clock),
            stage=self.stage,
        )

    def peer(self, *, registry: bool = True) -> Peer:
        """One tab; its views are added to :attr:`views`."""
        return Peer(self.platform(registry=registry), lambda view: self.views.append((self.clock.monotonic(), view)))

    async def opened(self, name: str = "alice/chess", version: str | None = None) -> tuple[Peer, dict[str, Any]]:
        """A tab in which the mod has been opened, with its report."""
        peer = self.peer()
        return peer, await reported(peer, name, version)

    async def visited(self, name: str = "alice/chess") -> dict[str, Any]:
        """The report of a visit that is over."""
        peer, report = await self.opened(name)
        await settle(peer)
        await peer.close()
        return report

    def raw_requests(self) -> list[str]:
        """What was asked of raw and media so far."""
        return [url for url in self.network.requests if url.startswith((HOSTS.raw, HOSTS.media))]

    @property
    def github(self) -> GitHub:
        return GitHub(self.machine.http, HOSTS)


async def settle(peer: Peer) -> None:
    """Wait until the open table has pulled, noted and tidied all it wants to, and shown it."""
    opening = peer._opening
    assert opening is not None
    while not opening.meter.complete:
        await opening.platform.clock.sleep(FRAME)
    await opening.platform.clock.sleep(IDLE + 2.0)


def _key(record: dict[str, Any]) -> str:
    return f"{record['owner']}/{record['repo']}".lower()


def _version(published: Published) -> dict[str, Any]:
    release = json.loads(published.files[MANIFEST_PATH])["version"]
    at = "2026-12-01T00:00:00Z"
    return {"version": published.sha, "commitSha": published.sha, "release": release, "at": at}


def _indexed(published: Published, path: str) -> dict[str, Any]:
    data = published.files[path]
    entry: dict[str, Any] = {"path": path, "size": len(data), "sha256": sha256(data)}
    if path in published.lfs:
        entry["lfs"] = {"oid": sha256(published.lfs[path]), "size": len(published.lfs[path])}
    return entry


def statuses(report: dict[str, Any]) -> dict[str, str]:
    """Each file's status, or its reason when it failed."""
    return {file["path"]: file["reason"] or file["status"] for file in report["files"]}


def file(report: dict[str, Any], path: str) -> dict[str, Any]:
    """One file of a report."""
    found: dict[str, Any] = next(one for one in report["files"] if one["path"] == path)
    return found
