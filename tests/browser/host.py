"""A small HTTP server for what a real one never does: it cuts, stalls, lies about lengths and refuses to answer."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import threading
from collections import Counter
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from tests.contract.answer import Answer

Finder = Callable[[str, int], Answer]
"""The answer to a path as it was asked for, at its first, second … time."""


class Host:
    """A host on a port of its own, in a thread of its own; other origins may read all it says."""

    def __init__(self, answer: Finder) -> None:
        self._answer = answer
        self._attempts: Counter[str] = Counter()
        self.requests: list[str] = []
        """Method and target of each request, oldest first."""
        self.base = ""
        """Its address without a trailing slash."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread: threading.Thread | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        started = threading.Event()
        self._thread = threading.Thread(target=asyncio.run, args=(self._serve(started),), daemon=True)
        self._thread.start()
        started.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop is not None
        assert self._stop is not None
        assert self._thread is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def _serve(self, started: threading.Event) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        started.set()
        await self._stop.wait()
        server.close()
        for task in self._tasks:
            task.cancel()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Coroutine[Any, Any, None]:
        return self._converse(reader, writer)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while True:
                    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                    method, target, _ = head.split("\r\n", 1)[0].split(" ")
                    self.requests.append(f"{method} {target}")
                    path = urlsplit(target).path
                    self._attempts[path] += 1
                    if not await self._send(reader, writer, self._answer(path, self._attempts[path])):
                        break
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _send(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: Answer) -> bool:
        """Send an answer; False when the connection is over with it."""
        if answer.delay and not await _patient(reader, answer.delay):
            return False
        if answer.ending == "refused":
            return False
        body = gzip.compress(answer.sent, 1) if answer.gzip else answer.sent
        headers = {
            "Content-Type": answer.media_type,
            "Access-Control-Allow-Origin": "*",
            "Access-Control-Expose-Headers": "*",
            **answer.headers,
        }
        if answer.announced:
            whole = answer.declared if answer.declared is not None else len(answer.body)
            headers["Content-Length"] = str(len(body) if answer.gzip else whole)
        else:
            headers["Connection"] = "close"
        if answer.gzip:
            headers["Content-Encoding"] = "gzip"
        if answer.location is not None:
            headers["Location"] = answer.location
        lines = [f"HTTP/1.1 {answer.status} OK", *(f"{name}: {value}" for name, value in headers.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        await writer.drain()
        if answer.ending == "stall":
            await _patient(reader, 60.0)
        return answer.ending == "whole" and answer.announced


async def _patient(reader: asyncio.StreamReader, seconds: float) -> bool:
    """Wait; False when the client went away meanwhile."""
    try:
        await asyncio.wait_for(reader.read(1), seconds)
    except TimeoutError:
        return True
    return False
