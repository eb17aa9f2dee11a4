"""What is kept on this device, as somebody sees it who wants to make room: whose it is and who needs it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from client import note as notes
from client.asset_path import AssetPath
from client.cache import CachedMod, cached_mods, shown_lock
from client.errors import ManifestUnreadable
from client.manifest import MANIFEST_PATH, ModManifest, read_manifest
from client.note import ModNote
from client.ports import Locks, ModFolder, Store
from client.publish import Publish
from client.repository import Repository
from client.scope import Scope
from client.version import AssetRef, ContentVersion, commit_sha

Standing = Literal["cached", "update", "none"]


@dataclass(frozen=True, slots=True)
class KeptVersion:
    """One cached version of a mod. ``cover`` is a path of it that is kept, ``tabs`` counts those that show it, and
    ``pinned_by`` names the cached games that need this very version."""

    mod: CachedMod
    name: str
    kind: str
    release: str | None
    cover: AssetPath | None
    tabs: int
    pinned_by: tuple[str, ...]


def standing(kept: Iterable[CachedMod], key: str, version: str) -> Standing:
    """Whether the published ``version`` of a mod is here, another one is and this would be an update, or none."""
    versions = {mod.version for mod in kept if mod.key == key}
    return "cached" if version in versions else "update" if versions else "none"


async def inventory(store: Store, locks: Locks) -> list[KeptVersion]:
    """Every cached version, the last used first."""
    kept = await cached_mods(store)
    held = await locks.held()
    known = {key: await notes.read_note(store.folder(key)) for key in dict.fromkeys(mod.key for mod in kept)}
    manifests = {(mod.key, mod.version): await _manifest(store.folder(mod.key), mod.version) for mod in kept}
    names = {of: found[0].name for of, found in manifests.items() if found is not None}
    needs: dict[tuple[str, str], list[str]] = {}
    for mod in kept:
        of = (mod.key, mod.version)
        note = known[of[0]].versions.get(mod.version)
        for pin in note.pins if note is not None else ():
            needs.setdefault(pin, []).append(names.get(of, f"{mod.owner}/{mod.repo}"))
    return [
        _kept_version(mod, manifests[mod.key, mod.version], held, needs.get((mod.key, mod.version), [])) for mod in kept
    ]


def _kept_version(
    mod: CachedMod, found: tuple[ModManifest, Scope] | None, held: list[str], needed_by: list[str]
) -> KeptVersion:
    manifest, scope = found if found is not None else (None, None)
    cover = manifest.cover if manifest is not None else None
    return KeptVersion(
        mod,
        name=manifest.name if manifest is not None else mod.repo,
        kind=manifest.kind if manifest is not None else "game",
        release=manifest.release if manifest is not None else None,
        cover=cover if scope is not None and cover in scope.entries else None,
        tabs=held.count(shown_lock(mod.key, mod.version)),
        pinned_by=tuple(dict.fromkeys(needed_by)),
    )


async def _manifest(folder: ModFolder, version: str) -> tuple[ModManifest, Scope] | None:
    """What a version says of itself; nothing is decided by it here, so its bytes are not digested."""
    scope = Scope(folder, ContentVersion(version))
    await scope.load()
    entry = scope.entries.get(MANIFEST_PATH)
    data = await folder.read(entry.place) if entry is not None else None
    try:
        return (read_manifest(data), scope) if data is not None else None
    except ManifestUnreadable:
        return None


async def kept_publish(store: Store, repository: Repository, version: str) -> Publish:
    """A cached version as something to open: as it was published where that is remembered, else by its commit."""
    note: ModNote = await notes.read_note(store.folder(repository.key))
    if note.resolved is not None and note.resolved.version == version:
        return replace(note.resolved, offline=note.resolved.preview)
    ref = AssetRef(version if commit_sha(version) else "HEAD")
    return Publish(repository, ref, ContentVersion(version), None, repository.name, current=False, offline=True)
