"""The progress bar's truth: what is done of what is to be fetched for this table, packs included."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from client.ports import Clock

WINDOW = 3.0
"""Seconds the recent rate is taken over."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a pull. Sizes are bytes, ``rate`` bytes a second; ``bytes_total`` None when sizes are unknown."""

    percent: int
    bytes_done: int
    bytes_total: int | None
    files_done: int
    files_total: int
    rate: float
    seconds_left: float | None


class ProgressMeter:
    """Adds up files as they are planned, run and settle. A file retried counts once, and the bar never falls."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._started = clock.monotonic()
        self._expected: dict[str, int | None] = {}
        self._settled: dict[str, int] = {}
        self._running: dict[str, dict[str, int]] = {}
        self._known = 0
        self._unknown = 0
        self._settled_bytes = 0
        self._received = 0
        self._recent: deque[tuple[float, int]] = deque([(self._started, 0)])
        self._percent = 0
        self._followed: Progress | None = None
        self._bytes_done = 0
        self.complete = False
        """Set when nothing can be added any more; only then the bar reads 100."""

    def expect(self, file: str, size: int | None) -> None:
        """A file that will be fetched; ``file`` is unique across the game and its packs."""
        if file in self._expected:
            self._forget(file)
        self._expected[file] = size
        if size is None:
            self._unknown += 1
        else:
            self._known += size

    def settle(self, file: str, received: int) -> None:
        """The file has its outcome; ``received`` are the bytes it brought, 0 for a failure."""
        if file not in self._expected or file in self._settled:
            return
        counted = self._expected[file]
        self._settled[file] = counted if counted is not None else received
        self._settled_bytes += self._settled[file]
        self._received += received

    def running(self, lane: str, received: dict[str, int]) -> None:
        """Bytes received so far of the files ``lane`` is fetching now."""
        self._running[lane] = received

    def _forget(self, file: str) -> None:
        size = self._expected.pop(file)
        if size is None:
            self._unknown -= 1
        else:
            self._known -= size
        self._settled_bytes -= self._settled.pop(file, 0)

    def follow(self, values: Mapping[str, Any] | None) -> None:
        """Read as another tab's meter does (:meth:`as_plain`), while that one pulls for both; None ends it."""
        self._followed = _followed(values) if values is not None else None

    def as_plain(self) -> dict[str, Any]:
        """The present state as what JSON can hold."""
        return asdict(self.read())

    def read(self) -> Progress:
        """The present state."""
        if self._followed is not None and not self.complete:
            self._percent = max(self._percent, self._followed.percent)
            return replace(self._followed, percent=self._percent)
        now = self._clock.monotonic()
        partial = sum(
            min(got, self._expected.get(file) or got)
            for lane in self._running.values()
            for file, got in lane.items()
            if file not in self._settled
        )
        # What a lost attempt had brought comes again; until then the count waits instead of falling.
        done = self._bytes_done = max(self._bytes_done, self._settled_bytes + partial)
        files_total, files_done = len(self._expected), len(self._settled)
        total = None if self._unknown else self._known
        if total is not None:
            done = min(done, total)
        share = done / total if total else files_done / max(1, files_total)
        self._percent = max(self._percent, 100 if self.complete else min(99, int(share * 100)))
        rate = self._rate(now, self._received + partial)
        left = (total - done) / rate if total is not None and rate > 0 else None
        return Progress(self._percent, done, total, files_done, files_total, rate, left)

    def _rate(self, now: float, received: int) -> float:
        """The mean of the overall rate and that of the last three seconds: steady, yet awake to a change."""
        recent = self._recent
        recent.append((now, received))
        while len(recent) > 2 and recent[1][0] <= now - WINDOW:
            recent.popleft()
        overall = received / max(now - self._started, 1e-3)
        since, then = recent[0]
        lately = max(0, received - then) / max(now - since, 1e-3)
        return (overall + lately) / 2


def _followed(values: Mapping[str, Any]) -> Progress | None:
    """Another tab's progress, None when it makes no sense: it may be of another build."""
    match values:
        case {
            "percent": int(percent),
            "bytes_done": int(done),
            "bytes_total": int() | None as total,
            "files_done": int(files_done),
            "files_total": int(files_total),
            "rate": int() | float() as rate,
            "seconds_left": int() | float() | None as left,
        }:
            return Progress(min(99, max(0, percent)), done, total, files_done, files_total, float(rate), left)
    return None
