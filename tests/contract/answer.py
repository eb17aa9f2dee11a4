"""What a host answers, as a value: the fake network plays it in memory and the test server over real sockets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer.

    ``ending`` is what happens after ``after`` body bytes (all, when None): ``cut`` closes the connection, ``stall``
    goes silent, ``refused`` gives no answer at all. ``declared`` is a Content-Length that need not be true; without it
    the body's is sent, and with ``announced=False`` none at all. ``delay`` is in seconds. ``location`` makes it a
    redirect to another path of the same host.
    """

    status: int = 200
    body: bytes = b""
    media_type: str = "application/octet-stream"
    headers: Mapping[str, str] = field(default_factory=dict)
    ending: Literal["whole", "cut", "stall", "refused"] = "whole"
    after: int | None = None
    declared: int | None = None
    announced: bool = True
    gzip: bool = False
    delay: float = 0.0
    location: str | None = None

    @property
    def sent(self) -> bytes:
        """The body bytes that leave the host before its ending."""
        return self.body if self.after is None else self.body[: self.after]


NOT_FOUND = Answer(status=404, body=b"404: Not Found", media_type="text/plain")
REFUSED = Answer(ending="refused")
