"""What the page draws, as plain data: the shapes of ``web/messages.js``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from client.asset_path import AssetPath
from client.cache import CachedMod
from client.errors import PeerError
from client.inventory import KeptVersion, standing
from client.manifest import ModManifest
from client.open_mod import OpenMod
from client.opening import Opening, PackSlot
from client.registry import PublishedVersion
from client.report import StoreKind

MOST_FAILURES = 200
"""Failures listed in a view; the count beside them is of all."""


MOST_REMOVABLE = 10
"""Cached mods offered for removal at once."""


def lobby() -> dict[str, Any]:
    """The view while no table is open."""
    return _view("lobby")


def failed(error: PeerError) -> dict[str, Any]:
    """The view when there is no readable manifest to open a table from."""
    return {**_view("failed"), "error": error.as_plain()}


def table(opening: Opening) -> dict[str, Any]:
    """The view of a table that is open or opening."""
    progress = opening.meter.read()
    current = [path for mod in opening.mods for path in mod.fetching][:3]
    failures = _failures(opening.mods)
    opened = opening.opened.done() and opening.opened.exception() is None
    settled, opening.settled = opening.settled, []
    return {
        **_view("open" if opened else "loading"),
        "mod": _mod(opening.game),
        "progress": {
            "percent": progress.percent,
            "bytesDone": progress.bytes_done,
            "bytesTotal": progress.bytes_total,
            "filesDone": progress.files_done,
            "filesTotal": progress.files_total,
            "rate": progress.rate,
            "secondsLeft": progress.seconds_left,
            "current": current,
        },
        "pulling": not opening.meter.complete,
        "failureCount": len(failures),
        "failures": failures[:MOST_FAILURES],
        "notices": _notices(opening),
        "packs": [_pack_line(slot) for slot in opening.packs],
        "settled": settled,
        "revision": sum(mod.revision for mod in opening.mods) + len(opening.issues),
    }


def _mod(mod: OpenMod) -> dict[str, Any]:
    publish, manifest = mod.publish, mod.manifest
    return {
        "owner": publish.repository.owner,
        "repo": publish.repository.name,
        "version": publish.version,
        "ref": publish.ref,
        "name": manifest.name if manifest is not None else publish.name,
        "kind": manifest.kind if manifest is not None else "game",
        "preview": publish.preview,
        "compatible": publish.compatible,
    }


def _view(state: str) -> dict[str, Any]:
    return {
        "state": state,
        "mod": None,
        "progress": None,
        "pulling": False,
        "failureCount": 0,
        "failures": [],
        "notices": [],
        "packs": [],
        "error": None,
        "settled": [],
        "revision": 0,
    }


def _failures(mods: Iterable[OpenMod]) -> list[dict[str, str]]:
    """Files that failed by themselves; a store that takes nothing is told once, as a notice."""
    found = []
    for mod in mods:
        name = str(mod.publish.repository)
        for path, state in mod.files.items():
            if state.status == "failed" and state.reason not in {"storage", "quota"}:
                found.append({"path": str(path), "mod": name, "reason": str(state.reason)})
        if mod.manifest is not None:
            found += [{"path": entry.path, "mod": name, "reason": "refused-path"} for entry in mod.manifest.refused]
    return found


def _notices(opening: Opening) -> list[dict[str, Any]]:
    game = opening.game
    notices: list[dict[str, Any]] = []
    store: StoreKind = opening.platform.store.kind
    errors = [mod.storage_error for mod in opening.mods if mod.storage_error is not None]
    if store == "none":
        notices.append(_notice("storage", "no-storage"))
    elif errors:
        full = any(error.quota for error in errors)
        removable = [asdict(mod) for mod in opening.removable[:MOST_REMOVABLE]]
        notices.append(
            _notice("storage", "quota", removable=removable) if full else _notice("storage", "storage-broken")
        )
    if game.publish.preview and not game.publish.offline:
        notices.append(_notice("preview", "solo-preview"))
    if game.publish.offline:
        notices.append(_notice("offline", "registry-unreachable"))
    if not game.publish.compatible:
        notices.append(_notice("incompatible", "has-issues"))
    elif game.manifest is not None and not game.manifest.engine_accepted:
        notices.append(_notice("incompatible", "engine-range"))
    if opening.issues or any(mod.issues for mod in opening.mods):
        notices.append(_notice("issues", "read-them", count=len(issues(opening))))
    return notices


def _notice(kind: str, code: str, **data: Any) -> dict[str, Any]:
    return {"kind": kind, "code": code, "data": data}


def _pack_line(slot: PackSlot) -> dict[str, Any]:
    mod = slot.mod
    if mod is None:
        return {
            "role": slot.reference.role,
            "name": slot.reference.pack_id,
            "owner": "",
            "repo": "",
            "version": "",
            "state": "failed" if slot.error is not None else "loading",
            "percent": 0,
            "code": slot.error.code if slot.error is not None else None,
        }
    settled = sum(1 for state in mod.files.values() if state.settled)
    return {
        "role": slot.reference.role,
        "name": mod.manifest.name if mod.manifest is not None else mod.publish.name,
        "owner": mod.publish.repository.owner,
        "repo": mod.publish.repository.name,
        "version": mod.publish.version,
        "state": mod.state,
        "percent": 100 if mod.state == "open" else settled * 100 // len(mod.files) if mod.manifest is not None else 0,
        "code": slot.error.code if slot.error is not None else None,
    }


def issues(opening: Opening) -> list[dict[str, Any]]:
    """Everything authors should know, of the game and its packs."""
    found = [asdict(issue) | {"mod": str(mod.publish.repository)} for mod in opening.mods for issue in mod.issues]
    return found + [asdict(issue) | {"mod": str(opening.game.publish.repository)} for issue in opening.issues]


def details(opening: Opening) -> dict[str, Any]:
    """All there is to show of an open table but the bytes.

    :raises client.errors.NotOpen: the manifest has not come yet
    """
    setup = opening.game.setup
    return {
        **about(opening.game, opening.manifest),
        "seats": list(setup.seats),
        "scene": {"objects": len(setup.objects), "decks": setup.decks, "cards": setup.cards},
        "issues": issues(opening),
    }


def about(mod: OpenMod, manifest: ModManifest) -> dict[str, Any]:
    """What a mod says of itself."""
    return {
        "name": manifest.name,
        "kind": manifest.kind,
        "release": manifest.release,
        "summary": manifest.summary,
        "description": manifest.description,
        "license": manifest.license,
        "tags": list(manifest.tags),
        "players": asdict(manifest.players) if manifest.players is not None else None,
        "cover": {"path": manifest.cover, "status": _status(mod, manifest.cover)} if manifest.cover else None,
        "screenshots": [asdict(shot) | {"status": _status(mod, shot.path)} for shot in manifest.screenshots],
        "rules": [asdict(rules) for rules in manifest.rules],
        "credits": [asdict(credit) for credit in manifest.credits],
        "assetRepos": [asdict(repository) for repository in manifest.asset_repositories],
    }


def looked_at(
    mod: OpenMod, manifest: ModManifest, versions: list[PublishedVersion], kept: list[CachedMod]
) -> dict[str, Any]:
    """A mod's own page. ``bytes`` is None while nobody knows all sizes; ``missing`` is what opening it would fetch."""
    publish = mod.publish
    here = {one.version for one in kept if one.key == mod.key}
    sizes = [state.size for state in mod.files.values()]
    lacking = [state.size for state in mod.files.values() if not state.settled]
    return {
        **about(mod, manifest),
        "mod": _mod(mod),
        "standing": standing(kept, mod.key, publish.version),
        "files": len(sizes),
        "bytes": _total(sizes),
        "missing": _total(lacking),
        "issues": [asdict(issue) | {"mod": str(publish.repository)} for issue in mod.issues],
        "versions": [
            {
                "version": version.version,
                "sha": version.sha,
                "release": version.release,
                "at": version.at,
                "current": version.version == publish.version,
                "kept": version.version in here,
            }
            for version in versions
        ],
    }


def _total(sizes: Iterable[int | None]) -> int | None:
    known = list(sizes)
    return None if None in known else sum(size for size in known if size is not None)


def kept_version(kept: KeptVersion) -> dict[str, Any]:
    """One line of the storage panel; ``lastUsed`` in milliseconds since the epoch."""
    mod = kept.mod
    return {
        "owner": mod.owner,
        "repo": mod.repo,
        "version": mod.version,
        "files": mod.files,
        "bytes": mod.bytes,
        "lastUsed": mod.last_used * 1000,
        "name": kept.name,
        "kind": kept.kind,
        "release": kept.release,
        "cover": kept.cover,
        "tabs": kept.tabs,
        "pinnedBy": list(kept.pinned_by),
    }


def _status(mod: OpenMod, path: AssetPath) -> str | None:
    state = mod.files.get(path)
    return None if state is None else state.status
