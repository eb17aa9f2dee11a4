"""The registry's hot answers beside a bare handler, both by the server and framework that the product uses.

``python -m tests.bench.registry registry DATA`` serves the registry over a database that other rows have filled,
``python -m tests.bench.registry bare FILE`` a handler that looks nothing up: a constant record, and FILE's bytes as
they are. Each prints ``ready PORT``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Literal

from fastapi import FastAPI, Response
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server import Server

from server.app import create_app
from server.settings import Settings
from tests.bench.rows import MOD, Results
from tests.bench.site import OWNER, BenchSite, Line

AT_ONCE = 16
SECONDS = 1.0
_JSON = "application/json"


def registry(site: BenchSite, results: Results, rounds: int) -> None:
    """Answers a second over 16 connections that are kept: ours ÷ bare, for a mod's record and for its file index."""
    with contextlib.ExitStack() as stack:
        ours = stack.enter_context(_served("registry", site.data))
        listed = _get(ours, f"/api/mods?repo={OWNER}/{MOD}")
        mod = _items(listed)[0]
        record, index = f"/api/mods/{mod['id']}", f"/api/mods/{mod['id']}/versions/{mod['version']}/files"
        ready = stack.enter_context(tempfile.NamedTemporaryFile(prefix="peer-bench-index-"))
        ready.write(_get(ours, index))
        ready.flush()
        bare = stack.enter_context(_served("bare", Path(ready.name)))
        for key, path, beside in (("record", record, "/record/some-id"), ("index", index, "/index/some-id")):
            for counted in range(-1, rounds):
                samples = answers_a_second(ours, path), answers_a_second(bare, beside)
                if counted >= 0:
                    results.add(f"registry_{key}_a_second", samples[0])
                    results.add(f"bare_{key}_a_second", samples[1])
            results.compare(f"registry_{key}_vs_bare", f"registry_{key}_a_second", f"bare_{key}_a_second")


@contextlib.contextmanager
def _served(what: Literal["registry", "bare"], where: Path) -> Iterator[int]:
    line = Line([sys.executable, "-m", "tests.bench.registry", what, str(where)])
    try:
        yield int(line.read().split()[1])
    finally:
        line.close()


def _get(port: int, path: str) -> bytes:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers={"accept-encoding": "gzip"})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    if answer.status != 200:
        raise RuntimeError(f"{path} answers {answer.status}")
    return body


def _items(body: bytes) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = json.loads(body)["items"]
    return items


class _Asker(asyncio.Protocol):
    """Asks the same again as soon as it is answered; only this light, it is not what is measured."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self._head = b""
        self._left = 0
        self._transport: asyncio.Transport | None = None
        self.answers = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        if self._left == 0:
            self._head += data
            head, end, body = self._head.partition(b"\r\n\r\n")
            if not end:
                return
            if not head.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(head.decode("latin-1"))
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            self._left = int(length.partition(b":")[2]) - len(body)
            self._head = b""
        else:
            self._left -= len(data)
        if self._left == 0 and self._transport is not None:
            self.answers += 1
            self._transport.write(self._request)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()


def answers_a_second(port: int, path: str) -> float:
    """Whole answers within :data:`SECONDS`, from :data:`AT_ONCE` connections that ask one after the other."""
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept-Encoding: gzip\r\n\r\n".encode()

    async def ask() -> float:
        loop = asyncio.get_running_loop()
        askers = []
        for _ in range(AT_ONCE):
            _, asker = await loop.create_connection(lambda: _Asker(request), "127.0.0.1", port)
            askers.append(asker)
        began = time.perf_counter()
        await asyncio.sleep(SECONDS)
        answers, seconds = sum(asker.answers for asker in askers), time.perf_counter() - began
        for asker in askers:
            asker.close()
        return answers / seconds

    return asyncio.run(ask())


def _bare(ready: bytes) -> FastAPI:
    app = FastAPI(openapi_url=None)

    @app.get("/record/{mod_id}")
    async def record(mod_id: str) -> dict[str, str]:
        return {"id": mod_id}

    @app.get("/index/{mod_id}")
    async def index(mod_id: str) -> Response:
        return Response(ready, headers={"content-encoding": "gzip", "etag": f'"{mod_id}"'}, media_type=_JSON)

    return app


def load(what_and_where: tuple[str, Path]) -> FastAPI:
    """The app, in granian's worker."""
    what, where = what_and_where
    return create_app(Settings(data=where)) if what == "registry" else _bare(where.read_bytes())


def _follow(port: int) -> None:
    """Say when it answers, and stop it when standard input ends."""
    pause = threading.Event()
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            break
        pause.wait(0.02)
    print(f"ready {port}", flush=True)
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Serve until standard input ends."""
    what, where = sys.argv[1], Path(sys.argv[2])
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    multiprocessing.set_start_method("spawn", force=True)
    server = Server(
        (what, where),  # type: ignore[arg-type] # handed to load as it is
        address="127.0.0.1",
        port=port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        websockets=False,
        log_level=LogLevels.warning,
    )
    threading.Thread(target=_follow, args=(port,), daemon=True).start()
    server.serve(target_loader=load)


if __name__ == "__main__":
    main()
