"""What can go wrong on the way to a file, by name: values for the script of a local origin's faults.

    origin.faults.on("*/cover.webp", faults.cut(after=100))                      # the first attempt only
    origin.faults.on("*/board.webp", faults.status(503), faults.reset())         # the first two
    origin.faults.on("*/rules.md", then=faults.html())                           # every one
    origin.faults.on("/owner/repo/*", then=faults.drip(20_000), host="raw")      # a whole mod, slowly

``docs/testing-with-faults.md`` has a whole test around these. What none of them says can be said with
:class:`server.fault.Fault` itself, and two of them joined with :func:`dataclasses.replace`.
"""

from __future__ import annotations

import contextlib
import gzip as gzip_format
import hashlib
from collections.abc import Iterator

from server.fault import CORS_HEADERS, Fault
from server.origin import LocalOrigin

_PAGE = b"<!doctype html><title>Not found</title><p>There is no such page, but here is another one."


def status(code: int, body: bytes = b"", **headers: str) -> Fault:
    """An answer of this status, with CORS headers as raw hosts send them; ``retry_after="3"`` is ``Retry-After: 3``."""
    return Fault(status=code, body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


def too_many(*, cors: bool = True, retry_after: int | None = None) -> Fault:
    """429. Without CORS headers a page can't tell it from a dead network (PLATFORM.md); with them, and with
    ``retry_after`` seconds, it can read both."""
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    if cors and headers:
        headers["access-control-expose-headers"] = "retry-after"
    without = frozenset() if cors else CORS_HEADERS
    return Fault(status=429, body=b"429: Too Many Requests", headers=headers, without=without)


def cut(after: int) -> Fault:
    """The connection is closed in good order once ``after`` body bytes are sent; more were announced."""
    return Fault(ending="cut", after=after)


def reset(after: int | None = None) -> Fault:
    """The connection is torn (RST) after so many body bytes, or before the status line."""
    return Fault(ending="reset", after=after)


def stall(after: int | None = None) -> Fault:
    """Silence after so many body bytes, or before the status line, until the client gives up."""
    return Fault(ending="stall", after=after)


def drip(bytes_per_second: float) -> Fault:
    """The true bytes, slowly."""
    return Fault(bytes_per_second=bytes_per_second)


def late(seconds: float) -> Fault:
    """The true answer after a while."""
    return Fault(delay_s=seconds)


def wrong_bytes() -> Fault:
    """As many bytes as there should be, the last of them another one."""
    return Fault(damage=lambda content: content[:-1] + bytes([content[-1] ^ 1]))


def longer(by: int = 1) -> Fault:
    """So many bytes too many, announced as they come."""
    return Fault(damage=lambda content: content + b"\0" * by)


def shorter(by: int = 1) -> Fault:
    """So many bytes too few, announced as they come: what a cut download looks like once a proxy has kept it."""
    return Fault(damage=lambda content: content[:-by])


def announced(length: int) -> Fault:
    """A Content-Length that is not true. The body ends there, or where its bytes do."""
    return Fault(declared_length=length)


def empty() -> Fault:
    """200 and not a byte."""
    return Fault(body=b"")


def other(body: bytes) -> Fault:
    """Quite another file's bytes."""
    return Fault(body=body)


def html() -> Fault:
    """A page in place of the file, as a host does that answers 200 whatever it is asked."""
    return Fault(body=_PAGE, headers={"content-type": "text/html; charset=utf-8"})


def gzip() -> Fault:
    """The true bytes, compressed for the journey: Content-Length is then of fewer or more bytes than arrive."""
    return Fault(damage=lambda content: gzip_format.compress(content, 1), headers={"content-encoding": "gzip"})


def lfs_pointer(oid: str | None = None) -> Fault:
    """A Git LFS pointer in place of the file: to the true bytes, or to ``oid`` (64 hex digits)."""

    def pointer(content: bytes) -> bytes:
        digest = oid or hashlib.sha256(content).hexdigest()
        return f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n".encode()

    return Fault(damage=pointer)


def redirect(to: str, code: int = 302) -> Fault:
    """Go elsewhere: ``to`` is a path of the same host or a whole address."""
    return status(code, location=to)


@contextlib.contextmanager
def offline(origin: LocalOrigin) -> Iterator[None]:
    """All four hosts are away: running transfers break, connections are refused. Afterwards they are back, on the
    same ports."""
    origin.stop()
    try:
        yield
    finally:
        origin.start()
