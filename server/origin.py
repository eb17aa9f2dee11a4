"""The local origin: git repositories on disk, served in GitHub's URL shapes on ports of its own.

    with LocalOrigin([Path("mods")]) as origin:
        httpx.get(f"{origin.raw}/owner/repo/main/diceytable.mod.json")
        origin.faults.on("/owner/repo/*/cover.webp", Fault(ending="reset"))
        assert origin.requests.count("*/cover.webp", host="raw") == 0

Authors preview with it, machines without internet run on it, tests inject faults through it. It keeps GitHub's
quirks on purpose: plain GETs only on raw, text/plain for scripts and SVG, no CORS on a refused preflight.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import logging
import socket
import struct
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl, unquote

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from client.urls import GitHubHosts
from server.api_host import ApiHost, RateBudget
from server.asgi import App, Receive, Scope, Send
from server.device_login import DeviceLogins
from server.exchange import HOST_NAMES, Exchange, HostName, Reply, Request, RequestLog
from server.fault import Fault, Faults
from server.git import GitError
from server.git_host import GitHost
from server.raw_host import RawHost
from server.shelf import Shelf

_LARGEST_BODY = 16 << 20
_TRANSPORT = "diceytable.transport"
_WITHOUT_CONTENT = {204, 304}

logger = logging.getLogger(__name__)


class _DeliveryEndedError(Exception):
    """A fault has closed the connection; the server has nothing more to send."""


class _Protocol(HttpToolsProtocol):
    """uvicorn's own, which also lets an app close or reset the connection it was asked on."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        scope: Scope = self.scope  # type: ignore[assignment] # ASGI allows extensions of one's own
        scope["extensions"] = {_TRANSPORT: self.transport}


class LocalOrigin:
    """Four hosts over the repositories ``<root>/<owner>/<repo>`` of ``roots``, in a thread of its own.

    - ``latency_ms`` delays every answer
    - ``rate_limit`` is the REST budget an hour; ``budget.limit`` and ``budget.used`` may be set at any time
    - ``ports`` fixes some hosts' ports; the others get free ones
    - ``max_age_s`` is the Cache-Control of raw files (GitHub's is 300, for branches and commits alike)
    - ``logins`` are the people who sign in here, see :class:`DeviceLogins`
    - ``log_limit`` is how many requests :attr:`requests` remembers

    :raises OSError: on entering, when a port can't be had
    """

    def __init__(
        self,
        roots: Iterable[Path],
        *,
        host: str = "127.0.0.1",
        ports: Mapping[HostName, int] | None = None,
        latency_ms: float = 0,
        rate_limit: int = 5000,
        max_age_s: int = 300,
        log_limit: int = 200_000,
    ) -> None:
        self.host = host
        self.latency_ms = latency_ms
        self.budget = RateBudget(rate_limit)
        self.requests = RequestLog(log_limit)
        self.faults = Faults()
        self.shelf = Shelf(roots)
        self.ports: dict[HostName, int] = dict(ports or {})
        self._raw = RawHost(self.shelf, max_age_s=max_age_s)
        self.logins = DeviceLogins()
        self._api = ApiHost(self.shelf, self.budget, self.logins)
        self._git = GitHost(self.shelf, self.logins)
        self._servers: list[uvicorn.Server] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._thread: threading.Thread | None = None

    @property
    def raw(self) -> str:
        """The raw host's address, without a trailing slash; the same for the other three."""
        return self._address("raw")

    @property
    def media(self) -> str:
        return self._address("media")

    @property
    def api(self) -> str:
        return self._address("api")

    @property
    def git(self) -> str:
        return self._address("git")

    @property
    def hosts(self) -> GitHubHosts:
        """The addresses as the page's configuration wants them."""
        return GitHubHosts(raw=self.raw, media=self.media, api=self.api)

    @property
    def tree_limit(self) -> int:
        """How many entries the trees API lists before it answers ``truncated``."""
        return self._api.tree_limit

    @tree_limit.setter
    def tree_limit(self, entries: int) -> None:
        self._api.tree_limit = entries

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Listen; returns when all four hosts answer. After :meth:`stop`, on the same ports again.

        :raises OSError: when a port can't be had
        """
        sockets: list[socket.socket] = []
        try:
            for name in HOST_NAMES:
                listener = socket.create_server((self.host, self.ports.get(name, 0)), backlog=512)
                sockets.append(listener)
                self.ports[name] = listener.getsockname()[1]
        except OSError:
            for listener in sockets:
                listener.close()
            raise
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(sockets, ready), name="local-origin", daemon=True)
        self._thread.start()
        ready.wait()

    def stop(self) -> None:
        """Close every connection, whatever it is doing, and end the git processes."""
        loop, stopping, thread = self._loop, self._stopping, self._thread
        if loop is None or stopping is None or thread is None:
            return
        loop.call_soon_threadsafe(stopping.set)
        thread.join()
        self._loop = self._stopping = self._thread = None

    def _run(self, sockets: list[socket.socket], ready: threading.Event) -> None:
        try:
            import uvloop  # noqa: PLC0415 # twice as fast, but not to be had on every system

            factory: Callable[[], asyncio.AbstractEventLoop] | None = uvloop.new_event_loop
        except ImportError:
            factory = None
        try:
            with asyncio.Runner(loop_factory=factory) as runner:
                runner.run(self._serve(sockets, ready))
        finally:
            # Whoever waits must not wait for ever if the start failed; the thread's traceback says why.
            ready.set()

    async def _serve(self, sockets: list[socket.socket], ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        servers = []
        for name, listener in zip(HOST_NAMES, sockets, strict=True):
            config = uvicorn.Config(
                self.app(name),
                http=_Protocol,
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=75,
            )
            config.load()
            server = uvicorn.Server(config)
            server.lifespan = config.lifespan_class(config)
            await server.startup(sockets=[listener])
            servers.append(server)
        ticking = [asyncio.create_task(server.main_loop()) for server in servers]
        ready.set()
        await self._stopping.wait()
        for server in servers:
            server.should_exit = server.force_exit = True
            for listening in server.servers:
                listening.close()
        for task in ticking:
            task.cancel()
        await asyncio.gather(*ticking, return_exceptions=True)
        await self._end_connections([server.server_state for server in servers])
        await self.shelf.close()

    async def _end_connections(self, states: list[ServerState]) -> None:
        """Until there is none: whoever asks without pause is heard once more while the others are shown out."""
        # One that was accepted just now is a connection a turn later.
        await asyncio.sleep(0)
        while any(state.connections or state.tasks for state in states):
            for connection in [one for state in states for one in state.connections]:
                if connection.transport is not None:
                    connection.transport.abort()
            running = [task for state in states for task in state.tasks]
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            await asyncio.sleep(0)

    def app(self, name: HostName) -> App:
        """One host as an ASGI app, for a server of another kind (HTTP/2, TLS)."""

        async def host_app(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http":
                await self._handle(name, scope, receive, send)

        return host_app

    async def _handle(self, name: HostName, scope: Scope, receive: Receive, send: Send) -> None:
        request = self._request(name, scope, receive)
        exchange = Exchange(name, request.method, request.path, scope["query_string"].decode("latin-1"))
        self.requests.add(exchange)
        delivery = _Delivery(exchange, scope, receive, send)
        try:
            fault = self.faults.find(request)
            wait = self.latency_ms / 1000 + (fault.delay_s if fault is not None else 0)
            if wait:
                await asyncio.sleep(wait)
            if fault is not None and fault.ending is not None and fault.after is None:
                await delivery.end(fault.ending)
            reply = await self._reply(request)
            await delivery.send(reply if fault is None else await _damaged(reply, fault), fault)
        except _DeliveryEndedError:
            pass
        except (GitError, OSError) as failure:
            logger.warning("%s %s: %s", request.method, request.path, failure)
            if exchange.status is None:
                await delivery.send(Reply(500, {"content-type": "text/plain"}, b"git failed"), None)
            else:
                await delivery.close_early("cut")
        finally:
            if exchange.ended == "open":
                exchange.ended = "gone"

    async def _reply(self, request: Request) -> Reply:
        match request.host:
            case "raw":
                return await self._raw.raw(request)
            case "media":
                return await self._raw.media(request)
            case "api":
                return await self._api.answer(request, self._beside(request, "git"))
            case "git":
                return await self._git.answer(request)

    def _request(self, name: HostName, scope: Scope, receive: Receive) -> Request:
        raw_path = scope["raw_path"].decode("latin-1")
        segments = tuple(unquote(segment, errors="surrogateescape") for segment in raw_path.split("/")[1:])
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        query = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        base = f"{scope['scheme']}://{headers.get('host') or f'{self.host}:{self.ports[name]}'}"

        async def body() -> bytes:
            content = bytearray()
            while True:
                message = await receive()
                content += message.get("body", b"")
                if len(content) > _LARGEST_BODY or message["type"] == "http.disconnect":
                    raise ConnectionError("the request's body is too long or was cut")
                if not message.get("more_body"):
                    return bytes(content)

        return Request(name, scope["method"], "/" + "/".join(segments), segments, query, headers, base, body)

    def _beside(self, request: Request, name: HostName) -> str:
        """Another host's address as the client of ``request`` reaches this machine."""
        scheme, _, authority = request.base.partition("://")
        hostname = authority.rpartition(":")[0] or authority
        return f"{scheme}://{hostname}:{self.ports[name]}"

    def _address(self, name: HostName) -> str:
        host = "127.0.0.1" if self.host in {"0.0.0.0", ""} else "[::1]" if self.host == "::" else self.host  # noqa: S104
        return f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{self.ports[name]}"


class _Delivery:
    """Sends one reply, counts its bytes, and ends it as a fault wants."""

    def __init__(self, exchange: Exchange, scope: Scope, receive: Receive, send: Send) -> None:
        self._exchange = exchange
        self._transport: asyncio.Transport | None = scope.get("extensions", {}).get(_TRANSPORT)
        self._receive = receive
        self._send = send
        self._headless = scope["method"] == "HEAD"

    async def send(self, reply: Reply, fault: Fault | None) -> None:
        headers = dict(reply.headers)
        if reply.status in _WITHOUT_CONTENT:
            pass
        elif isinstance(reply.body, bytes):
            headers["content-length"] = str(len(reply.body))
        elif reply.length is not None:
            headers["content-length"] = str(reply.length)
        if fault is not None and fault.declared_length is not None:
            headers["content-length"] = str(fault.declared_length)
        lines = [(key.encode("latin-1"), value.encode("latin-1")) for key, value in headers.items()]
        self._exchange.status = reply.status
        await self._send({"type": "http.response.start", "status": reply.status, "headers": lines})
        if fault is not None:
            await self._send_faulty(reply, fault)
        elif isinstance(reply.body, bytes):
            if not self._headless:
                self._exchange.bytes = len(reply.body)
            self._exchange.ended = "complete"
            await self._send({"type": "http.response.body", "body": reply.body})
        else:
            if not self._headless:
                async with contextlib.aclosing(_generator(reply.body)) as pieces:
                    async for piece in pieces:
                        if self._gone():
                            await self._disconnected()
                            return
                        await self._piece(piece)
            self._exchange.ended = "complete"
            await self._send({"type": "http.response.body", "body": b""})

    async def _send_faulty(self, reply: Reply, fault: Fault) -> None:
        body = reply.body if isinstance(reply.body, bytes) else b"".join([piece async for piece in reply.body])
        stop = len(body) if fault.after is None or fault.ending is None else min(fault.after, len(body))
        if fault.declared_length is not None:
            stop = min(stop, fault.declared_length)
        step = max(1, stop) if fault.bytes_per_second is None else max(1, int(fault.bytes_per_second / 20))
        for start in range(0, stop, step):
            if self._gone():
                await self._disconnected()
                return
            piece = body[start : min(start + step, stop)]
            await self._piece(piece)
            if fault.bytes_per_second is not None:
                await asyncio.sleep(len(piece) / fault.bytes_per_second)
        if fault.ending is not None:
            await self.end(fault.ending)
        if fault.declared_length is not None and fault.declared_length > len(body):
            # HTTP has no other way to end an answer that is shorter than it said.
            await self.close_early("cut")
            raise _DeliveryEndedError
        self._exchange.ended = "complete"
        await self._send({"type": "http.response.body", "body": b""})

    async def end(self, ending: str) -> None:
        """End the answer here, as the fault says.

        :raises _DeliveryEndedError: always
        """
        match ending:
            case "stall":
                self._exchange.ended = "stalled"
                await self._disconnected()
            case "reset":
                await self.close_early("reset")
            case _:
                await self.close_early("cut")
        raise _DeliveryEndedError

    async def close_early(self, how: str) -> None:
        """Close the connection in the middle of the answer, cleanly or (``reset``) with a TCP RST."""
        self._exchange.ended = "reset" if how == "reset" else "cut"
        transport = self._transport
        if transport is None:
            raise _DeliveryEndedError
        if how == "reset":
            raw = transport.get_extra_info("socket")
            # A linger time of zero makes closing send RST instead of FIN (socket(7)).
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            transport.abort()
        else:
            transport.close()
        await self._disconnected()

    async def _disconnected(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def _piece(self, piece: bytes) -> None:
        if piece and not self._headless:
            self._exchange.bytes += len(piece)
            await self._send({"type": "http.response.body", "body": piece, "more_body": True})

    def _gone(self) -> bool:
        return self._transport is not None and self._transport.is_closing()


async def _damaged(reply: Reply, fault: Fault) -> Reply:
    headers = {key: value for key, value in reply.headers.items() if key not in fault.without}
    body = reply.body
    if fault.body is not None:
        body = fault.body
        headers.pop("content-encoding", None)
    elif fault.damage is not None:
        plain = body if isinstance(body, bytes) else b"".join([piece async for piece in body])
        if headers.pop("content-encoding", None) == "gzip":
            plain = gzip.decompress(plain)
        body = fault.damage(plain)
    status = reply.status if fault.status is None else fault.status
    changed = not (fault.body is None and fault.damage is None)
    return Reply(status, {**headers, **fault.headers}, body, None if changed else reply.length)


async def _generator(pieces: AsyncIterator[bytes]) -> Any:
    try:
        async for piece in pieces:
            yield piece
    finally:
        close = getattr(pieces, "aclose", None)
        if close is not None:
            await close()
