"""The page's files: precompressed variants, media types, caching, and the headers that keep the page confined."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path

import anyio
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

from client.media_type import media_type
from client.urls import GitHubHosts

SANDBOX = "sandbox.html"
"""The page of the frame that scripts run in."""

_IMMUTABLE = "public, max-age=31536000, immutable"
_REVALIDATED = "no-cache"
# The build puts a digest of the content into a file's name, or into the name of a folder of files.
_DIGEST_IN_NAME = re.compile(r"\.[0-9a-f]{8,64}(?:\.|/|$)")
_HOST = re.compile(r"(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?")
_TYPES = {
    "webmanifest": "application/manifest+json",
    "map": "application/json",
    "whl": "application/zip",
    "zip": "application/zip",
    "data": "application/octet-stream",
}
_ENCODINGS = (("br", ".br"), ("gzip", ".gz"))
_LINK = re.compile(r'<link rel="(stylesheet|icon|apple-touch-icon)"[^>]*?href="\.?/?([A-Za-z0-9._/-]+)">')
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_NOT_PAGES = frozenset({"_headers", "nginx.conf", "vercel.json"})
_POLICY = "Content-Security-Policy"

_MISSING = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Not found</title>
<h1>There is nothing here</h1>
<p>The address may be mistyped, or what it named is gone.</p>
<p><a href="/">Back to the catalogue</a></p>
"""


@dataclass(frozen=True, slots=True)
class Addresses:
    """What the page of one request may talk to: the registry it came from, and GitHub or the local origin."""

    registry: str
    github: GitHubHosts
    page: str

    def config(self) -> dict[str, object]:
        """``/config.json`` of this server."""
        github = {"raw": self.github.raw, "media": self.github.media, "api": self.github.api}
        return {"registry": self.registry, "github": github}


def addresses(request: Request, hosts: GitHubHosts, public_url: str | None) -> Addresses:
    """The addresses as the browser that asks reaches them."""
    authority = request.headers.get("host", "")
    if not _HOST.fullmatch(authority):
        authority = "127.0.0.1"
    hostname = authority if authority.endswith("]") else re.sub(r":\d{1,5}$", "", authority)
    page = f"{request.url.scheme}://{authority}"
    registry = public_url or page
    github = GitHubHosts(*(base.replace("{host}", hostname) for base in (hosts.raw, hosts.media, hosts.api)))
    return Addresses(registry, github, public_url or page)


class PageHeaders:
    """The headers of every page, script and style; workers take their policy from their own script's answer.

    They are written down once, beside the page, because other hosts than this server have to send them too.

    :raises OSError: the file can't be read
    """

    def __init__(self, file: Path) -> None:
        written = json.loads(file.read_text())
        sandbox = written.pop(f"/{SANDBOX}")
        self._policy: dict[str, list[str]] = written.pop(_POLICY)
        self._others = {name.lower(): value for name, value in written.items()}
        self._sandbox_policy: dict[str, list[str]] = sandbox.pop(_POLICY)
        self._sandbox_others = {name.lower(): value for name, value in sandbox.items()}

    def to(self, where: Addresses) -> dict[str, str]:
        """The headers for a page that may talk to these addresses."""
        sources = {
            "{registry}": where.registry,
            "{raw}": where.github.raw,
            "{media}": where.github.media,
            "{api}": where.github.api,
            "{sandbox}": f"{where.page}/{SANDBOX}",
        }
        return {_POLICY.lower(): _policy(self._policy, sources), **self._others}

    def to_sandbox(self, page: str) -> dict[str, str]:
        """The headers of the frame that scripts run in; ``page`` is its HTML, whose one script alone may run."""
        script = _SCRIPT.search(page)
        digest = base64.b64encode(hashlib.sha256((script[1] if script else "").encode()).digest()).decode()
        return {
            _POLICY.lower(): _policy(self._sandbox_policy, {"{supervisor}": f"'sha256-{digest}'"}),
            **self._sandbox_others,
        }


def _policy(directives: dict[str, list[str]], sources: Mapping[str, str]) -> str:
    written = (
        " ".join([directive, *(sources.get(source, source) for source in allowed)])
        for directive, allowed in directives.items()
    )
    return "; ".join(written)


class Site:
    """The static files below ``root``; None where no page was built, so that only the API answers."""

    def __init__(self, root: Path | None, page_headers: PageHeaders) -> None:
        self._root = None if root is None else root.resolve()
        self._page_headers = page_headers

    async def answer(self, request: Request, where: Addresses) -> Response:
        headers = self._page_headers.to(where)
        if request.method not in {"GET", "HEAD"}:
            return Response(status_code=405, headers={**headers, "allow": "GET, HEAD"})
        path = request.url.path.removeprefix("/") or "index.html"
        found = await anyio.to_thread.run_sync(self._find, path, request.headers.get("accept-encoding", ""))
        if found is None:
            return await self._missing(request, headers)
        if path == SANDBOX:
            plain = await anyio.Path(found[0].with_name(SANDBOX)).read_text(encoding="utf-8")
            headers = self._page_headers.to_sandbox(plain)
        return self._file(request, path, found, headers)

    def headers(self, where: Addresses) -> dict[str, str]:
        """The headers of every page that this server writes itself."""
        return self._page_headers.to(where)

    async def missing(self, request: Request, where: Addresses) -> Response:
        """The page that says there is nothing here."""
        return await self._missing(request, self._page_headers.to(where))

    def head_links(self) -> str:
        """The page's style and icons, and the script of mods' own pages, as elements for the head of one; empty where
        no page was built."""
        index = None if self._root is None else self._root / "index.html"
        if index is None or not index.is_file():
            return ""
        found = _LINK.findall(index.read_text(encoding="utf-8"))
        links = [f'<link rel="{rel}" href="/{href}">' for rel, href in found]
        scripts = sorted(index.parent.glob("assets/game-page.*.js"))
        return "\n".join([*links, *(f'<script type="module" src="/assets/{one.name}"></script>' for one in scripts)])

    def _find(self, path: str, accepted: str) -> tuple[Path, str | None, bool] | None:
        """The file for a path, its content coding, and whether it has other variants."""
        root = self._root
        if root is None or "\0" in path or "\\" in path:
            return None
        segments = path.split("/")
        if any(segment.startswith(".") or not segment for segment in segments) or path in _NOT_PAGES:
            return None
        plain = root.joinpath(*segments)
        if not plain.is_file() or not plain.resolve().is_relative_to(root):
            return None
        variants = [(coding, plain.with_name(plain.name + suffix)) for coding, suffix in _ENCODINGS]
        present = [(coding, variant) for coding, variant in variants if variant.is_file()]
        for coding, variant in present:
            if _accepts(accepted, coding):
                return variant, coding, True
        return plain, None, bool(present)

    def _file(
        self, request: Request, path: str, found: tuple[Path, str | None, bool], headers: dict[str, str]
    ) -> Response:
        file, coding, varies = found
        # The page asks for it by a digest of its content and headers.
        is_named_sandbox = path == SANDBOX and request.url.query != ""
        status = file.stat()
        etag = f'"{status.st_mtime_ns:x}-{status.st_size:x}{f"-{coding}" if coding else ""}"'
        headers |= {
            "etag": etag,
            "last-modified": formatdate(status.st_mtime, usegmt=True),
            "cache-control": _IMMUTABLE if _DIGEST_IN_NAME.search(path) or is_named_sandbox else _REVALIDATED,
        }
        if varies:
            headers["vary"] = "accept-encoding"
        if etag in [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]:
            return Response(status_code=304, headers=headers)
        if coding is not None:
            headers["content-encoding"] = coding
        kind = _served_type(path)
        return FileResponse(file, headers=headers, media_type=kind, stat_result=status)

    async def _missing(self, request: Request, headers: dict[str, str]) -> Response:
        headers["cache-control"] = _REVALIDATED
        found = await anyio.to_thread.run_sync(self._find, "404.html", request.headers.get("accept-encoding", ""))
        if found is None:
            return HTMLResponse(_MISSING, 404, headers)
        file, coding, _ = found
        if coding is not None:
            headers["content-encoding"] = coding
        return FileResponse(file, 404, headers, media_type="text/html")


def _served_type(path: str) -> str:
    extension = path.rpartition(".")[2].lower()
    return _TYPES.get(extension) or media_type(path)


def _accepts(accepted: str, coding: str) -> bool:
    """Whether an Accept-Encoding takes a coding (RFC 9110, 12.5.3)."""
    weights: dict[str, float] = {}
    for part in accepted.lower().split(","):
        name, _, parameters = part.partition(";")
        weight = re.search(r"q\s*=\s*([01](?:\.\d{0,3})?)", parameters)
        weights[name.strip()] = float(weight[1]) if weight else 1.0
    return weights.get(coding, weights.get("*", 0.0)) > 0
