"""One request to the local origin and what it was answered, and the log of them that tests count by."""

from __future__ import annotations

import fnmatch
import threading
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

HostName = Literal["raw", "media", "api", "git"]
HOST_NAMES: tuple[HostName, ...] = ("raw", "media", "api", "git")

Ending = Literal["open", "complete", "cut", "reset", "stalled", "gone"]
"""How far an answer got: on its way, whole, ended early on purpose, or left by the client."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asked. ``segments`` are percent-decoded one by one; ``path`` joins them again for people.

    ``body`` reads what was sent along, up to a limit. ``base`` is the address the client used, without a path.
    """

    host: HostName
    method: str
    path: str
    segments: tuple[str, ...]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    base: str
    body: Callable[[], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer. A body that comes in pieces needs ``length`` in bytes if it is to be declared."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | AsyncIterator[bytes] = b""
    length: int | None = None


@dataclass(slots=True)
class Exchange:
    """A logged request. It is logged when it arrives; ``status`` and ``bytes`` (of the body, as sent) follow."""

    host: HostName
    method: str
    path: str
    query: str
    status: int | None = None
    bytes: int = 0
    ended: Ending = "open"


class RequestLog:
    """The last requests of all four hosts, oldest first. Safe to read from any thread."""

    def __init__(self, limit: int) -> None:
        self._exchanges: deque[Exchange] = deque(maxlen=limit)
        self._lock = threading.Lock()

    def add(self, exchange: Exchange) -> None:
        with self._lock:
            self._exchanges.append(exchange)

    def reset(self) -> None:
        """Forget every request so far."""
        with self._lock:
            self._exchanges.clear()

    def all(
        self, pattern: str = "*", *, host: HostName | None = None, method: str | None = None
    ) -> tuple[Exchange, ...]:
        """Requests whose decoded path matches the shell pattern, case-sensitively; ``*`` crosses slashes."""
        with self._lock:
            exchanges = tuple(self._exchanges)
        return tuple(
            exchange
            for exchange in exchanges
            if (host is None or exchange.host == host)
            and (method is None or exchange.method == method)
            and (pattern == "*" or fnmatch.fnmatchcase(exchange.path, pattern))
        )

    def count(self, pattern: str = "*", *, host: HostName | None = None, method: str | None = None) -> int:
        return len(self.all(pattern, host=host, method=method))

    def bytes(self, pattern: str = "*", *, host: HostName | None = None) -> int:
        """Body bytes sent in all matching answers, encoded as they were on the wire."""
        return sum(exchange.bytes for exchange in self.all(pattern, host=host))
