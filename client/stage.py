"""What scripts need of the machine: a confined place to run in, a line to it, and somewhere to be seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Line(Protocol):
    """A port straight into one script. What comes out of it is hostile; texts over the longest arrive as None."""

    def send(self, text: str) -> None: ...

    def listen(self, take: Callable[[object], None]) -> None: ...

    def close(self) -> None:
        """From now on nothing that was sent is taken."""


class Stage(Protocol):
    """The page's part. What it has to say comes back through :class:`client.script_runner.ScriptRunner`."""

    def start(self, script: str, source: str, config: dict[str, Any]) -> None:
        """Make the frame that runs this script, and send the line to it when there is one."""

    def stop(self, script: str) -> None:
        """Take the frame away, whatever it does."""

    def draw(self, elements: list[dict[str, Any]]) -> None:
        """Show these elements of scripts and no others."""

    def note(self, note: dict[str, Any]) -> None:
        """Show the author what a script says or what becomes of it."""
