"""From a path to something an element can load: the local cache first, else the live raw URL at once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from client.asset_path import AssetPath, path_fault, reference_kind
from client.errors import HashMismatch, PlatformAsset, RefusedPath, Unreachable
from client.media_type import is_code_or_data, media_type, must_be_wrapped
from client.open_mod import OpenMod
from client.ports import Blob
from client.pull import FileState
from client.urls import raw_url

MOST_LIVE_TEXT = 64 * 1024 * 1024
"""Bytes of a live file that Python is willing to read."""


@dataclass(frozen=True, slots=True)
class Asset:
    """Where a file's bytes come from. ``blob`` is set when they are at hand, else ``url`` is the live address."""

    source: Literal["cache", "live"]
    verified: bool
    media_type: str
    url: str | None
    blob: Blob | None


def checked_path(path: str) -> AssetPath:
    """``path`` as a file of the mod.

    :raises PlatformAsset: it names a piece of the platform: draw a stand-in, count no failure
    :raises RefusedPath: it can't name a file of the repository; it never resolves
    """
    kind = reference_kind(path)
    if kind == "platform":
        raise PlatformAsset(f"{path[:200]!r} is the platform's, not a file of this mod.")
    if kind == "refused":
        raise RefusedPath(f"{path[:200]!r} {path_fault(path) or 'names no file'}.")
    return AssetPath(path)


async def resolve(mod: OpenMod, path: str) -> Asset:
    """The asset at ``path`` of a mod (CONTRACT.md, "What resolves how").

    Never waits for a pull: what is not cached yet is live. Types a raw host can't serve to an element
    (svg, js, css, html) are fetched and given their type.

    :raises PlatformAsset, RefusedPath: as :func:`checked_path`
    :raises HashMismatch: script, setup or data whose bytes fail a known hash
    """
    checked = checked_path(path)
    state = mod.files.get(checked)
    cached = await _from_cache(mod, checked, state)
    if cached is not None:
        return cached
    _refuse_known_bad(mod, checked, state)
    url = _live_url(mod, checked, state)
    if must_be_wrapped(checked):
        return await _wrapped(mod, checked, state, url)
    return Asset("live", False, media_type(checked), url, None)


async def read_text(mod: OpenMod, path: str) -> str:
    """A file's text from the cache or live; its bytes were checked against every known hash.

    :raises PlatformAsset, RefusedPath: as :func:`checked_path`
    :raises HashMismatch: the bytes are not what they should be
    :raises Unreachable: it is not cached and can't be fetched
    """
    checked = checked_path(path)
    state = mod.files.get(checked)
    data = await mod.document(checked)
    if data is None:
        if state is not None and state.reason in {"hash-mismatch", "size-mismatch"}:
            raise _mismatch(checked)
        reply = await mod.platform.http.get(_live_url(mod, checked, state), most=MOST_LIVE_TEXT)
        if reply.status != 200:
            raise Unreachable(f"{path} could not be loaded ({reply.status}).")
        _refuse_wrong_bytes(checked, state, reply.body)
        data = reply.body
    return data.decode("utf-8", "replace")


async def _from_cache(mod: OpenMod, path: AssetPath, state: FileState | None) -> Asset | None:
    entry = mod.scope.entries.get(path)
    if entry is None:
        return None
    if _is_used_as_code_or_data(mod, path) and await mod.document(path) is None:
        return None
    blob = await mod.scope.folder.blob(entry.place, media_type(path))
    if blob is None:
        mod.lose(path)
        return None
    verified = state.verified if state is not None else entry.verified
    return Asset("cache", verified, media_type(path), None, blob)


async def _wrapped(mod: OpenMod, path: AssetPath, state: FileState | None, url: str) -> Asset:
    if _known_hash(state) is None or not _is_used_as_code_or_data(mod, path):
        found = await mod.platform.http.blob(url, media_type(path))
        return Asset("live", False, media_type(path), url if found is None else None, found[0] if found else None)
    reply = await mod.platform.http.get(url, most=MOST_LIVE_TEXT)
    if reply.status != 200:
        return Asset("live", False, media_type(path), url, None)
    _refuse_wrong_bytes(path, state, reply.body)
    return Asset("live", True, media_type(path), None, mod.platform.http.wrap(reply.body, media_type(path)))


def _live_url(mod: OpenMod, path: AssetPath, state: FileState | None) -> str:
    if state is not None:
        return state.planned.url
    publish = mod.publish
    return raw_url(mod.platform.hosts, publish.repository, publish.ref, publish.version, path)


def _is_used_as_code_or_data(mod: OpenMod, path: AssetPath) -> bool:
    state = mod.files.get(path)
    return is_code_or_data(path) or (state is not None and state.planned.role in {"manifest", "setup", "script"})


def _refuse_known_bad(mod: OpenMod, path: AssetPath, state: FileState | None) -> None:
    wrong = state is not None and state.reason in {"hash-mismatch", "size-mismatch"}
    if wrong and _is_used_as_code_or_data(mod, path):
        raise _mismatch(path)


def _known_hash(state: FileState | None) -> str | None:
    return state.planned.sha256 if state is not None else None


def _refuse_wrong_bytes(path: AssetPath, state: FileState | None, data: bytes) -> None:
    known = _known_hash(state)
    if known is not None and hashlib.sha256(data).hexdigest() != known:
        raise _mismatch(path)


def _mismatch(path: AssetPath) -> HashMismatch:
    return HashMismatch(f"{path} is not what the registry or the manifest says it should be; it is not used.")
