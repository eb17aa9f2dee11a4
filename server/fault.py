"""Faults a test asks the local origin for: what goes wrong, for which paths, at which attempt."""

from __future__ import annotations

import fnmatch
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from server.exchange import HostName, Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """How one answer differs from the true one; what is left out stays true.

    - ``status``, ``headers``, ``body`` replace; ``without`` drops headers by lower-case name
    - ``damage`` turns the true body into a wrong one; both it and ``body`` send the bytes unencoded
    - ``declared_length`` is a Content-Length that need not be true, in bytes
    - ``delay_s`` waits before the status line; ``bytes_per_second`` drips the body
    - ``ending`` happens after ``after`` body bytes, or before the status line when that is None:
      `cut` closes the connection, `reset` makes the client's socket fail, `stall` is silent until the client goes
    """

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    body: bytes | None = None
    damage: Callable[[bytes], bytes] | None = None
    declared_length: int | None = None
    delay_s: float = 0
    bytes_per_second: float | None = None
    ending: Literal["cut", "reset", "stall"] | None = None
    after: int | None = None


CORS_HEADERS = frozenset({"access-control-allow-origin", "access-control-expose-headers"})

FaultFinder = Callable[[Request], Fault | None]


class Faults:
    """The script of faults; the first rule that has one for a request wins. Safe to change from any thread."""

    def __init__(self) -> None:
        self._finders: list[FaultFinder] = []
        self._lock = threading.Lock()

    def find(self, request: Request) -> Fault | None:
        with self._lock:
            finders = tuple(self._finders)
        for finder in finders:
            fault = finder(request)
            if fault is not None:
                return fault
        return None

    def when(self, finder: FaultFinder) -> None:
        """Ask ``finder`` about every request; it runs in the origin's thread and must not block."""
        with self._lock:
            self._finders.append(finder)

    def on(self, pattern: str, *steps: Fault | None, then: Fault | None = None, host: HostName | None = None) -> None:
        """For each path that matches the shell pattern: its first request meets ``steps[0]``, its second
        ``steps[1]`` and so on (None: the true answer); every later one meets ``then``. Preflights don't count."""
        attempts: Counter[tuple[HostName, str]] = Counter()

        def by_attempt(request: Request) -> Fault | None:
            if request.method == "OPTIONS" or (host is not None and request.host != host):
                return None
            if not fnmatch.fnmatchcase(request.path, pattern):
                return None
            attempts[request.host, request.path] += 1
            attempt = attempts[request.host, request.path]
            return steps[attempt - 1] if attempt <= len(steps) else then

        self.when(by_attempt)

    def clear(self) -> None:
        """Everything is answered truly again, from the next request on."""
        with self._lock:
            self._finders.clear()
