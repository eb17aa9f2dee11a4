"""Which failures pass, when to ask again, and when to leave a host alone."""

from __future__ import annotations

import random
from dataclasses import dataclass

from client.ports import Outcome
from client.report import PERMANENT, Reason


def reason_of(outcome: Outcome) -> Reason:
    """Why the attempt failed, in the words of the report.

    :raises ValueError: it did not fail
    """
    match outcome.fault:
        case "status":
            return _status_reason(outcome)
        case "network" | "cut":
            return "network"
        case "stall":
            return "timeout"
        case "too-long" | "size":
            return "size-mismatch"
        case "hash":
            return "hash-mismatch"
        case "html":
            return "server-error"
        case "pointer":
            return "lfs-missing"
        case "quota":
            return "quota"
        case "storage":
            return "storage"
        case "aborted":
            return "cancelled"
    raise ValueError("the attempt did not fail")


def _status_reason(outcome: Outcome) -> Reason:
    status = outcome.status
    if status == 429 or (status in {403, 503} and outcome.retry_after is not None):
        return "rate-limited"
    if status in {404, 410}:
        return "not-found"
    if status == 408:
        return "timeout"
    return "server-error" if status >= 500 else "forbidden"


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how soon. Times are seconds.

    Waiting has full jitter: anything from zero to the doubling bound, so that peers of one room don't come back
    in step. Wrong bytes are asked for once more (a proxy or a cut cache may be at fault), then they are the file.
    """

    attempts: int = 4
    first: float = 0.5
    longest: float = 8.0
    attempts_for_wrong_bytes: int = 2

    def may_retry(self, reason: Reason, attempts: int) -> bool:
        """Whether a file that failed for ``reason`` after ``attempts`` attempts is asked for again."""
        if reason in PERMANENT or reason == "cancelled":
            return False
        wrong_bytes = reason in {"hash-mismatch", "size-mismatch"}
        return attempts < (self.attempts_for_wrong_bytes if wrong_bytes else self.attempts)

    def delay(self, attempts: int, retry_after: float | None) -> float:
        """Seconds to wait before the next attempt."""
        jitter = random.uniform(0, min(self.longest, self.first * 2 ** (attempts - 1)))
        return jitter if retry_after is None else min(retry_after, 60.0) + jitter


class Breaker:
    """Leaves a host alone after a row of passing failures; lets one job probe it when the time is over.

    A 429 without CORS headers looks like a dead network (PLATFORM.md), so all passing failures count alike.
    After ``most_trips`` openings without a single answer in between, the host counts as gone for this pull.
    """

    def __init__(self, *, row: int = 8, first: float = 4.0, longest: float = 30.0, most_trips: int = 3) -> None:
        self._row = row
        self._first = first
        self._longest = longest
        self._most_trips = most_trips
        self._failures = 0
        self._trips = 0
        self._open_until = 0.0
        self._probing = False

    @property
    def gone(self) -> bool:
        """Whether the host is given up for this pull."""
        return self._trips > self._most_trips

    def allowance(self, now: float, most: int) -> int:
        """How many jobs may start now, at most ``most``."""
        if self._open_until == 0.0:
            return most
        return 0 if now < self._open_until or self._probing else min(most, 1)

    def wait(self, now: float) -> float:
        """Seconds until the host may be asked again."""
        return max(0.0, self._open_until - now)

    def started(self) -> None:
        """A job for this host was handed out."""
        if self._open_until:
            self._probing = True

    def called_back(self) -> None:
        """A job for this host was aborted and tells nothing of it."""
        self._probing = False

    def answered(self) -> None:
        """The host gave a proper answer, be it a 404."""
        self._failures = self._trips = 0
        self._open_until, self._probing = 0.0, False

    def failed(self, now: float, retry_after: float | None = None) -> bool:
        """A passing failure; returns whether the host is to be left alone from now on."""
        self._failures += 1
        probe_failed, self._probing = self._probing, False
        if self._open_until and not probe_failed:
            return False
        if not probe_failed and self._failures < self._row and (retry_after is None or retry_after < self._first):
            return False
        self._trips += 1
        bound = min(self._longest, self._first * 2 ** (self._trips - 1))
        self._open_until = now + max(min(retry_after or 0.0, 120.0), random.uniform(bound / 2, bound))
        self._failures = 0
        return True
