"""Word of mouth between tabs, over one BroadcastChannel."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import js
from pyodide.ffi import JsException, create_proxy


class TabChannel:
    """Messages are JSON text; what is none comes from something else on this origin and is passed over."""

    def __init__(self) -> None:
        self._listeners: dict[str, list[Callable[[dict[str, Any]], None]]] = {}
        try:
            self._channel = js.BroadcastChannel.new("peer")
            self._channel.onmessage = create_proxy(self._receive)
        except (JsException, AttributeError):  # no such thing here: each tab is on its own
            self._channel = None

    def publish(self, topic: str, values: Mapping[str, Any]) -> None:
        if self._channel is not None:
            self._channel.postMessage(json.dumps({"topic": topic, "values": values}))

    def subscribe(self, topic: str, heard: Callable[[dict[str, Any]], None]) -> Callable[[], None]:
        listeners = self._listeners.setdefault(topic, [])
        listeners.append(heard)
        return lambda: listeners.remove(heard)

    def _receive(self, event: Any) -> None:
        try:
            message = json.loads(str(event.data))
            topic, values = message["topic"], message["values"]
        except (ValueError, TypeError, KeyError, RecursionError):
            return
        if isinstance(topic, str) and isinstance(values, dict):
            for heard in list(self._listeners.get(topic, ())):
                heard(values)
