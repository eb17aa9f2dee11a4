"""Where the time of a pull goes, in Chrome's trace-event format, for a developer's profiler."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from client.ports import Clock

MOST_EVENTS = 20_000


class Trace:
    """A ring of spans. Times are microseconds since the trace began."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._zero = clock.monotonic()
        self._events: deque[dict[str, Any]] = deque(maxlen=MOST_EVENTS)

    @contextmanager
    def span(self, name: str, **arguments: Any) -> Iterator[None]:
        """Record how long the body took."""
        began = self._clock.monotonic()
        try:
            yield
        finally:
            self.add(name, began, self._clock.monotonic() - began, **arguments)

    def add(self, name: str, began: float, seconds: float, **arguments: Any) -> None:
        """Record a span that is over; ``began`` is of the clock's monotonic time."""
        self._events.append(
            {
                "name": name,
                "cat": "peer",
                "ph": "X",
                "ts": round((began - self._zero) * 1e6),
                "dur": round(seconds * 1e6),
                "pid": 1,
                "tid": 1,
                "args": arguments,
            }
        )

    def as_plain(self) -> dict[str, Any]:
        """The trace as chrome://tracing and Perfetto load it."""
        return {"traceEvents": list(self._events), "displayTimeUnit": "ms"}
