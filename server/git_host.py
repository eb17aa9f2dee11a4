"""The local origin's git host: smart HTTP for reading (gitprotocol-http) and archives of one commit."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

from server.device_login import DeviceLogins
from server.exchange import Reply, Request
from server.git import GitError, Repository
from server.shelf import Shelf, ShelfPlace

_NO_CACHE = {"cache-control": "no-cache, max-age=0, must-revalidate", "pragma": "no-cache"}
_LARGEST_REQUEST = 16 << 20


class GitHost:
    """``/{owner}/{repo}[.git]/info/refs``, ``…/git-upload-pack`` and ``…/legacy.tar.gz/{ref}``, and the device flow's
    addresses below ``/login``. No pushes, no CORS."""

    def __init__(self, shelf: Shelf, logins: DeviceLogins) -> None:
        self._shelf = shelf
        self._logins = logins

    async def answer(self, request: Request) -> Reply:
        segments = request.segments
        if segments in {("login", "device", "code"), ("login", "oauth", "access_token")}:
            return await self._logins.answer(request)
        found = await self._shelf.find(segments[0], segments[1]) if len(segments) > 2 else None
        if found is None:
            return _text(404, "Not Found")
        place, repository = found
        match (request.method, *segments[2:]):
            case ("GET", "info", "refs"):
                if request.query.get("service") != "git-upload-pack":
                    return _text(403, "Only git-upload-pack is served here.")
                return await self._advertise(request, repository)
            case ("POST", "git-upload-pack"):
                return await self._upload_pack(request, repository)
            case ("GET", "legacy.tar.gz" | "tar.gz", *ref) if ref:
                return await self._archive(place, repository, "/".join(ref))
            case _:
                return _text(404, "Not Found")

    async def _advertise(self, request: Request, repository: Repository) -> Reply:
        command = ("upload-pack", "--stateless-rpc", "--advertise-refs", str(repository.git_dir))
        try:
            pieces = [piece async for piece in repository.output(*command, environment=_protocol(request))]
        except GitError:
            return _text(500, "git could not list the references.")
        # Version 2 starts with the capabilities; only the older ones name the service first (gitprotocol-http).
        head = b"" if _protocol(request) else b"001e# service=git-upload-pack\n0000"
        kind = {"content-type": "application/x-git-upload-pack-advertisement"}
        return Reply(200, {**kind, **_NO_CACHE}, head + b"".join(pieces))

    async def _upload_pack(self, request: Request, repository: Repository) -> Reply:
        body = await request.body()
        if request.headers.get("content-encoding") == "gzip":
            try:
                body = _gunzip(body)
            except (zlib.error, ValueError):
                return _text(400, "The request's gzip can't be read.")
        pieces = repository.output(
            "upload-pack",
            "--stateless-rpc",
            str(repository.git_dir),
            stdin=body,
            environment=_protocol(request),
        )
        kind = {"content-type": "application/x-git-upload-pack-result"}
        return Reply(200, {**kind, **_NO_CACHE}, pieces)

    async def _archive(self, place: ShelfPlace, repository: Repository, ref: str) -> Reply:
        sha = await repository.commit(ref)
        if sha is None:
            return _text(404, "404: Not Found")
        name = f"{place.owner}-{place.name}-{sha[:7]}"
        tar = repository.output("archive", "--format=tar", f"--prefix={name}/", sha)
        headers = {
            "content-type": "application/x-gzip",
            "content-disposition": f"attachment; filename={name}.tar.gz",
            "etag": f'"{sha}"',
        }
        return Reply(200, headers, _stored_gzip(tar))


def _text(status: int, text: str) -> Reply:
    return Reply(status, {"content-type": "text/plain; charset=utf-8"}, text.encode())


def _protocol(request: Request) -> dict[str, str]:
    return {"GIT_PROTOCOL": "version=2"} if request.headers.get("git-protocol") == "version=2" else {}


def _gunzip(data: bytes) -> bytes:
    machine = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    plain = machine.decompress(data, _LARGEST_REQUEST)
    if machine.unconsumed_tail or not machine.eof:
        raise ValueError("longer than a request may be")
    return plain


async def _stored_gzip(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """gzip without compressing: the client is on this machine, and most bytes are images already compressed."""
    machine = zlib.compressobj(level=0, wbits=zlib.MAX_WBITS | 16)
    async for piece in pieces:
        packed = machine.compress(piece)
        if packed:
            yield packed
    yield machine.flush()
