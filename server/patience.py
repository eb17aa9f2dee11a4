"""When a host may be asked again: not before its budget is renewed, and not while it wants to be left alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping

_FIRST_S, _LONGEST_S = 60.0, 900.0
_LONGEST_RESET_S = 3600.0


class Patience:
    """Per host, in this process; safe to use from several threads.

    A refusal that does not say for how long doubles the wait of the one before, from a minute to a quarter of an
    hour (docs.github.com, "Best practices for using the REST API").
    """

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._waits: dict[str, float] = {}
        self._lock = threading.Lock()

    def left_s(self, host: str) -> float:
        """Seconds until the host may be asked; 0 when it may be now."""
        with self._lock:
            return max(0.0, self._until.get(host, 0.0) - time.monotonic())

    def answered(self, host: str, headers: Mapping[str, str]) -> None:
        """An answer came; it may have been the last one the budget had."""
        with self._lock:
            self._waits.pop(host, None)
            if headers.get("x-ratelimit-remaining") == "0":
                self._until[host] = time.monotonic() + _reset_s(headers)

    def refused(self, host: str, headers: Mapping[str, str]) -> float:
        """The host wants to be left alone: for how many seconds."""
        with self._lock:
            after = headers.get("retry-after", "")
            if after.isascii() and after.isdecimal():
                wait = min(float(after), _LONGEST_RESET_S)
            elif headers.get("x-ratelimit-remaining") == "0":
                wait = _reset_s(headers)
            else:
                wait = self._waits[host] = min(self._waits.get(host, _FIRST_S / 2) * 2, _LONGEST_S)
            self._until[host] = time.monotonic() + wait
            return wait

    def forget(self) -> None:
        """Ask everybody again at once."""
        with self._lock:
            self._until.clear()
            self._waits.clear()


def _reset_s(headers: Mapping[str, str]) -> float:
    try:
        seconds = float(headers.get("x-ratelimit-reset", "")) - time.time()
    except ValueError:
        return _FIRST_S
    return min(max(seconds, 1.0), _LONGEST_RESET_S)
