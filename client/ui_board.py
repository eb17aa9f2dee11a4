"""Everything that scripts have put on the screen, changed at most twenty times a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from client.ports import Clock
from client.refusal import Refusal
from client.ui_element import MOST_ELEMENTS, UiElement

TICK = 0.05
"""Seconds between two drawings, and what a script's budget of changes is counted by (seed formats, "Mod scripts")."""


class UiBoard:
    """The elements of each script, by the script's key.

    :param draw: called once a tick at most, after something has changed
    """

    def __init__(self, clock: Clock, draw: Callable[[], None]) -> None:
        self._clock = clock
        self._draw = draw
        self._elements: dict[str, dict[str, UiElement]] = {}
        self._drawn_at = float("-inf")
        self._drawing: asyncio.Task[None] | None = None

    @property
    def tick(self) -> int:
        """The number of the tick that runs."""
        return int(self._clock.monotonic() / TICK + 1e-9)

    def put(self, script: str, element: UiElement) -> None:
        """Add an element, or replace the one of its id.

        :raises Refusal: too-many
        """
        of_script = self._elements.setdefault(script, {})
        if element.element_id not in of_script and len(of_script) >= MOST_ELEMENTS:
            raise Refusal("too-many", f"A script has at most {MOST_ELEMENTS} elements.")
        of_script[element.element_id] = element
        self._changed()

    def remove(self, script: str, element_id: str) -> bool:
        """Whether there was one of that id."""
        found = self._elements.get(script, {}).pop(element_id, None)
        if found is not None:
            self._changed()
        return found is not None

    def clear(self, script: str) -> None:
        """Take away all a script has put there."""
        if self._elements.pop(script, None):
            self._changed()

    def elements(self, script: str) -> list[UiElement]:
        return list(self._elements.get(script, {}).values())

    def find(self, script: str, element_id: str) -> UiElement | None:
        """An element, or a part of one."""
        for element in self.elements(script):
            found = element.find(element_id)
            if found is not None:
                return found
        return None

    def shown(self, seat: str | None, peer: str) -> list[dict[str, Any]]:
        """What the page of one player draws: {script, element} for each, in the order they came."""
        return [
            {"script": script, "element": element.as_plain(seat, peer)}
            for script, elements in self._elements.items()
            for element in elements.values()
            if element.visibility.includes(seat, peer)
        ]

    def close(self) -> None:
        if self._drawing is not None:
            self._drawing.cancel()

    def _changed(self) -> None:
        if self._drawing is None or self._drawing.done():
            self._drawing = asyncio.ensure_future(self._draw_soon())

    async def _draw_soon(self) -> None:
        wait = self._drawn_at + TICK - self._clock.monotonic()
        if wait > 0:
            await self._clock.sleep(wait)
        self._drawn_at = self._clock.monotonic()
        self._drawing = None
        self._draw()
