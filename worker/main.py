"""The worker's message loop: calls from the page in, replies and views out (``web/messages.js``)."""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

import js
from pyodide.ffi import create_proxy, to_js

from client.errors import PeerError
from client.json_document import read_json
from client.open_mod import Platform
from client.peer import Peer
from client.registry import Registry
from client.trace import Trace
from client.turn import Turns
from client.urls import GitHubHosts
from worker.absent import absent
from worker.channel import TabChannel
from worker.clock import BrowserClock
from worker.http import FetchHttp
from worker.locks import WebLocks
from worker.stage import PageStage, PortLine
from worker.store import open_store
from worker.transfer import PumpTransfer


async def start(platform: Any) -> None:
    """Serve the page from now on. ``platform`` is the object ``web/worker.js`` makes."""
    peer = Peer(await connect(platform), lambda view: _post(platform, {"type": "view", "json": json.dumps(view)}))
    calls = _Calls(platform, peer)
    platform.on(create_proxy(calls.receive))
    platform.onScript(create_proxy(lambda news: _take_script_news(peer, news)))


async def connect(platform: Any) -> Platform:
    """The loader's ports over this browser."""
    clock = BrowserClock()
    http = FetchHttp(platform.early)
    config = platform.config.to_py()
    registry = config.get("registry")
    trace = Trace(clock)
    locks = WebLocks()
    trace.add(f"boot ({platform.boot})", clock.monotonic() - platform.bootMs / 1000, platform.bootMs / 1000)
    return Platform(
        store=await open_store(platform.opfs, platform.indexeddb, platform.digest),
        transfer=PumpTransfer(platform.pump),
        http=http,
        locks=locks,
        turns=Turns(locks, TabChannel(), clock),
        clock=clock,
        hosts=GitHubHosts(**config["github"]) if config.get("github") else GitHubHosts(),
        registry=Registry(http, registry) if isinstance(registry, str) else None,
        boot=platform.boot,
        trace=trace,
        stage=PageStage(platform),
    )


def _take_script_news(peer: Peer, news: Any) -> None:
    """What the page tells of a script's frame."""
    runner = peer.runner
    if runner is None:
        if news.type == "script-line":
            news.line.close()
    elif news.type == "script-line":
        runner.connected(news.script, PortLine(news.line))
    elif news.type == "script-ended":
        runner.ended(news.script, news.reason)
    elif news.type == "script-error":
        place = [None if absent(one) else int(one) for one in (news.line, news.column)]
        runner.failed(news.script, news.message, *place)


def _post(platform: Any, message: dict[str, Any]) -> None:
    platform.post(to_js(message, dict_converter=js.Object.fromEntries))


class _Calls:
    """Answers the page's calls; each is a task of its own, so a long one never holds up the others."""

    def __init__(self, platform: Any, peer: Peer) -> None:
        self._platform = platform
        self._tasks: set[asyncio.Task[None]] = set()
        self._methods: dict[str, Callable[..., Awaitable[Any]]] = {
            "open": self._open,
            "openNow": _immediate(peer.open_now),
            "close": peer.close,
            "about": self._about,
            "report": _immediate(peer.report),
            "text": self._text,
            "details": _immediate(peer.details),
            "box": self._box,
            "deck": self._deck,
            "retry": peer.retry,
            "online": peer.online,
            "cancel": _immediate(peer.cancel),
            "cached": peer.cached,
            "standing": peer.standing,
            "storage": peer.storage,
            "mend": peer.mend,
            "lastReport": _immediate(peer.last_report),
            "forget": peer.forget,
            "repair": peer.repair,
            "trace": _immediate(peer.trace),
            "room": _immediate(peer.room),
            "table": _immediate(peer.table),
            "scripts": _immediate(peer.scripts),
            "press": self._press,
        }
        self._peer = peer

    def receive(self, call: Any) -> None:
        """Take one message of the page; JavaScript calls this."""
        task = asyncio.ensure_future(self._answer(call.id, call.method, call.json))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, call: int, method: str, given: str) -> None:
        reply: dict[str, Any] = {"type": "reply", "id": call}
        try:
            arguments = read_json(given)
            if method == "asset":
                found = await self._asset(*arguments)
                reply |= found
            else:
                reply["json"] = json.dumps(await self._methods[method](*arguments))
        except PeerError as error:
            reply = {"type": "refusal", "id": call, **error.as_plain()}
        except Exception as error:
            js.console.error(traceback.format_exc())
            broken = PeerError(f"{type(error).__name__}: {error}")
            reply = {"type": "refusal", "id": call, **broken.as_plain()}
        _post(self._platform, reply)

    async def _open(self, mod: str, options: dict[str, Any] | None = None) -> None:
        await self._peer.open(str(mod), (options or {}).get("version"))

    async def _about(self, mod: str, options: dict[str, Any] | None = None) -> dict[str, Any]:
        return await self._peer.about(str(mod), (options or {}).get("version"))

    async def _press(self, script: str, element: str, prop: str, value: object = None) -> None:
        self._peer.press(str(script), str(element), str(prop), value)

    async def _box(self, search: str, told: dict[str, Any]) -> dict[str, Any]:
        return self._peer.box(str(search), {group: int(files) for group, files in told.items()})

    async def _deck(self, index: int) -> dict[str, Any] | None:
        return self._peer.deck(int(index))

    async def _text(self, path: str, options: dict[str, Any] | None = None) -> str:
        return await self._peer.text(str(path), (options or {}).get("mod"))

    async def _asset(self, path: str, options: dict[str, Any] | None = None) -> dict[str, Any]:
        mod, version = (options or {}).get("mod"), (options or {}).get("version")
        if mod is not None and version is not None:
            asset = await self._peer.kept(str(path), str(mod), str(version))
        else:
            asset = await self._peer.asset(str(path), mod)
        values = {"source": asset.source, "verified": asset.verified, "url": asset.url, "mime": asset.media_type}
        reply: dict[str, Any] = {"json": json.dumps(values)}
        return reply if asset.blob is None else reply | {"blob": asset.blob}


def _immediate(work: Callable[[], Any]) -> Callable[[], Awaitable[Any]]:
    async def run() -> Any:
        return work()

    return run
