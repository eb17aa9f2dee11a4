"""The store on ``web/opfs.js`` or ``web/indexeddb.js``: both offer the same few functions, so one adapter serves."""

from __future__ import annotations

import json
import secrets
from collections.abc import Awaitable, Iterable, Sequence
from typing import Any, TypeVar

import js
from pyodide.ffi import JsException, to_js

from client.errors import StorageFailure
from client.no_store import NoStore
from client.ports import Appender, Blob, DigestKind, ModFolder, Place, SegmentWriter, Store
from client.report import StoreKind
from worker.absent import absent

T = TypeVar("T")


async def open_store(opfs: Any, indexeddb: Any, digest: Any) -> Store:
    """The best store this browser offers: OPFS, else IndexedDB, else none.

    Firefox's private windows refuse OPFS with a SecurityError but have IndexedDB; WebKitGTK has no OPFS at all.
    """
    kinds: tuple[tuple[StoreKind, Any], ...] = (("opfs", opfs), ("indexeddb", indexeddb))
    for kind, module in kinds:
        try:
            root = await module.openRoot()
        except (JsException, AttributeError, TypeError):
            continue
        return BrowserStore(kind, module, root, digest)
    return NoStore()


async def _storing(work: Awaitable[T]) -> T:
    """Await a call of the storage and turn what it throws into what the loader understands."""
    try:
        return await work
    except JsException as error:
        name = str(getattr(error, "name", ""))
        raise StorageFailure(f"The browser's storage refused: {error}", quota=name == "QuotaExceededError") from None


class BrowserStore:
    """Mods in this browser's storage."""

    def __init__(self, kind: StoreKind, module: Any, root: Any, digest: Any) -> None:
        self.kind = kind
        self._module = module
        self._root = root
        self._digest = digest
        self._folders: dict[str, _Folder] = {}

    async def repositories(self) -> list[str]:
        return list((await _storing(self._module.repositories(self._root))).to_py())

    def folder(self, key: str) -> ModFolder:
        folder = self._folders.get(key)
        if folder is None:
            folder = self._folders[key] = _Folder(self._module.Folder.new(self._root, key), self._digest)
        return folder

    async def forget(self, key: str) -> None:
        self._folders.pop(key, None)
        await _storing(self._module.forget(self._root, key))

    async def estimate(self) -> tuple[int, int] | None:
        try:
            guess = await js.navigator.storage.estimate()
        except (JsException, AttributeError):
            return None
        return (int(guess.usage), int(guess.quota)) if guess.quota else None


class _Folder:
    def __init__(self, folder: Any, digest: Any) -> None:
        self._folder = folder
        self._digest = digest

    async def journals(self) -> list[str]:
        return list((await _storing(self._folder.journals())).to_py())

    async def read_journal(self, name: str) -> bytes:
        data: bytes = (await _storing(self._folder.readJournal(name))).to_bytes()
        return data

    async def write_journal(self, name: str) -> Appender:
        return _Appender(await _storing(self._folder.openJournal(name)))

    async def remove_journals(self, names: Iterable[str]) -> None:
        await _storing(self._folder.removeJournals(to_js(list(names))))

    async def segment_lengths(self, ids: Iterable[str] | None = None) -> dict[str, int]:
        wanted = js.JSON.parse("null") if ids is None else to_js(list(ids))
        return {
            str(segment): int(length)
            for segment, length in (await _storing(self._folder.segmentLengths(wanted))).to_py()
        }

    async def remove_segments(self, ids: Iterable[str]) -> None:
        await _storing(self._folder.removeSegments(to_js(list(ids))))

    async def writer(self) -> SegmentWriter:
        return Writer(await _storing(self._folder.writer(secrets.token_hex(8))))

    async def read(self, place: Place) -> bytes | None:
        blob = await self.blob(place, "")
        if blob is None:
            return None
        try:
            data: bytes = (await blob.arrayBuffer()).to_bytes()
        except JsException:  # removed since, by another tab or by the player clearing site data
            return None
        return data

    async def digest(self, places: Sequence[Place], kind: DigestKind = "sha256") -> list[str | None]:
        asked = json.dumps([[place.segment, place.offset, place.length] for place in places])
        digests: list[str | None] = json.loads(await _storing(self._digest.digestPlaces(self._folder, asked, kind)))
        return digests

    async def blob(self, place: Place, media_type: str) -> Blob | None:
        try:
            blob = await self._folder.blob(place.segment, place.offset, place.length, media_type)
        except JsException:
            return None
        return None if absent(blob) else blob


class _Appender:
    def __init__(self, appender: Any) -> None:
        self._appender = appender

    async def append(self, data: bytes) -> None:
        await _storing(self._appender.append(to_js(data)))

    async def close(self) -> None:
        await _storing(self._appender.close())


class Writer:
    """A writing session of ``web/``; :attr:`native` is what the pump hands bytes to."""

    def __init__(self, native: Any) -> None:
        self.native = native

    async def put(self, data: bytes) -> Place:
        return await _storing(self._put(data))

    async def _put(self, data: bytes) -> Place:
        place = self.native.gather(to_js(data))
        await self.native.commit()
        return Place(str(place.segment), int(place.offset), int(place.length))

    async def seal(self) -> None:
        await _storing(self.native.seal())

    async def close(self) -> None:
        await _storing(self.native.close())
