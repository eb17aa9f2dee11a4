"""The page as scripts need it, and the port into each of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import js
from pyodide.ffi import create_proxy, to_js


class PageStage:
    """Asks the page by messages (``web/messages.js``)."""

    def __init__(self, platform: Any) -> None:
        self._platform = platform

    def start(self, script: str, source: str, config: dict[str, Any]) -> None:
        self._post({"type": "script", "script": script, "source": source, "json": json.dumps(config)})

    def stop(self, script: str) -> None:
        self._post({"type": "script-stop", "script": script})

    def draw(self, elements: list[dict[str, Any]]) -> None:
        self._post({"type": "script-ui", "json": json.dumps(elements)})

    def note(self, note: dict[str, Any]) -> None:
        self._post({"type": "script-note", "json": json.dumps(note)})

    def _post(self, message: dict[str, Any]) -> None:
        self._platform.post(to_js(message, dict_converter=js.Object.fromEntries))


class PortLine:
    """``port`` is the object that ``web/script-line.js`` makes of a MessagePort."""

    def __init__(self, port: Any) -> None:
        self._port = port
        self._proxy: Any = None

    def send(self, text: str) -> None:
        self._port.send(text)

    def listen(self, take: Callable[[object], None]) -> None:
        self._proxy = create_proxy(take)
        self._port.listen(self._proxy)

    def close(self) -> None:
        self._port.close()
        if self._proxy is not None:
            # It may be called from inside of itself: a script that is ended by what it has just sent.
            js.setTimeout(self._proxy.destroy, 0)
            self._proxy = None
