"""The local origin's raw and media hosts: one file of one commit, with the headers GitHub sends."""

from __future__ import annotations

import asyncio
import gzip
from collections import OrderedDict
from collections.abc import AsyncIterator
from pathlib import Path

from server.exchange import Reply, Request
from server.git import GitObject, Repository
from server.lfs import LARGEST_POINTER, object_file, read_pointer
from server.shelf import Shelf

_WHOLE_UP_TO = 8 << 20
_SNIFFED = 8000
_COMPRESSED_MEMORY = 64 << 20
_PIECE = 1 << 20
_IN_A_THREAD_FROM = 64 << 10

_IMAGES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "bmp": "image/bmp",
    "ico": "image/x-icon",
}
_ANY_ORIGIN = {"access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin"}
_HARDENED = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
    "x-frame-options": "deny",
}


def not_found() -> Reply:
    return Reply(404, {"content-type": "text/plain; charset=utf-8", **_ANY_ORIGIN, **_HARDENED}, b"404: Not Found")


def served_type(path: str, start: bytes) -> str:
    """The Content-Type raw gives: images their own, text of any kind text/plain, the rest octet-stream."""
    image = _IMAGES.get(path.rpartition(".")[2].lower())
    if image is not None:
        return image
    try:
        text = b"\0" not in start
        # The piece may end inside a character.
        start[: _SNIFFED - 4].decode()
    except UnicodeDecodeError:
        text = False
    return "text/plain; charset=utf-8" if text else "application/octet-stream"


class RawHost:
    """``/{owner}/{repo}/{ref}/{path}``; on the media host below ``/media``, with LFS pointers followed."""

    def __init__(self, shelf: Shelf, *, max_age_s: int) -> None:
        self._shelf = shelf
        self._max_age_s = max_age_s
        self._compressed: OrderedDict[str, bytes] = OrderedDict()
        self._compressed_size = 0

    async def raw(self, request: Request) -> Reply:
        return await self._answer(request, request.segments, follow_lfs=False)

    async def media(self, request: Request) -> Reply:
        if request.segments[:1] != ("media",):
            return not_found()
        return await self._answer(request, request.segments[1:], follow_lfs=True)

    async def _answer(self, request: Request, segments: tuple[str, ...], *, follow_lfs: bool) -> Reply:
        if request.method not in {"GET", "HEAD"}:
            # A preflight, too, is refused without a word of CORS: only plain GETs get through.
            return Reply(403, {"content-type": "text/plain; charset=utf-8"}, b"")
        if len(segments) < 4 or any("/" in segment for segment in segments):
            return not_found()
        found = await self._shelf.find(segments[0], segments[1])
        if found is None:
            return not_found()
        repository = found[1]
        split = await repository.leading_ref(list(segments[2:]))
        if split is None:
            return not_found()
        commit, path = split
        blob = await repository.entry(commit, path)
        if blob is None or blob.kind != "blob":
            return not_found()
        if follow_lfs and blob.size < LARGEST_POINTER:
            pointer = read_pointer(await repository.contents(blob.oid))
            if pointer is not None:
                return self._lfs_object(path, object_file(repository.git_dir, pointer.oid), pointer.oid)
        return await self._blob(request, repository, path, blob)

    async def _blob(self, request: Request, repository: Repository, path: str, blob: GitObject) -> Reply:
        if f'"{blob.oid}"' in request.headers.get("if-none-match", ""):
            return Reply(304, self._headers(blob.oid, None))
        if blob.size > _WHOLE_UP_TO:
            pieces = repository.stream(blob.oid)
            first = await anext(pieces, b"")
            headers = self._headers(blob.oid, served_type(path, first[:_SNIFFED]))
            return Reply(200, headers, _prepend(first, pieces), blob.size)
        content = await repository.contents(blob.oid)
        kind = served_type(path, content[:_SNIFFED])
        headers = self._headers(blob.oid, kind)
        if kind.startswith("text/") and "gzip" in request.headers.get("accept-encoding", ""):
            content = await self._gzipped(blob.oid, content)
            headers |= {"content-encoding": "gzip", "etag": f'W/"{blob.oid}"'}
        return Reply(200, headers, content)

    def _lfs_object(self, path: str, file: Path, oid: str) -> Reply:
        try:
            size = file.stat().st_size
            with file.open("rb") as stream:
                kind = served_type(path, stream.read(_SNIFFED))
        except OSError:
            return not_found()
        return Reply(200, self._headers(oid, kind), _file_pieces(file), size)

    def _headers(self, oid: str, kind: str | None) -> dict[str, str]:
        headers = {
            "cache-control": f"max-age={self._max_age_s}",
            "etag": f'"{oid}"',
            "vary": "Authorization,Accept-Encoding",
            **_ANY_ORIGIN,
            **_HARDENED,
        }
        return headers if kind is None else {"content-type": kind, **headers}

    async def _gzipped(self, oid: str, content: bytes) -> bytes:
        known = self._compressed.get(oid)
        if known is not None:
            self._compressed.move_to_end(oid)
            return known
        if len(content) < _IN_A_THREAD_FROM:
            compressed = gzip.compress(content, 6, mtime=0)
        else:
            compressed = await asyncio.to_thread(gzip.compress, content, 6, mtime=0)
        if oid not in self._compressed:
            self._compressed[oid] = compressed
            self._compressed_size += len(compressed)
        while self._compressed_size > _COMPRESSED_MEMORY:
            self._compressed_size -= len(self._compressed.popitem(last=False)[1])
        return compressed


async def _prepend(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in rest:
        yield piece


async def _file_pieces(file: Path) -> AsyncIterator[bytes]:
    with file.open("rb") as stream:
        while piece := await asyncio.to_thread(stream.read, _PIECE):
            yield piece
