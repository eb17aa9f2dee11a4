"""The bench's page and registry: the product's own server, told that raw files come from the HTTP/2 origin.

``python -m tests.bench.serve DIST MODS DATA RIVALS RAW`` prints ``ready URL SLOW_URL``, the second the same over a line
of 20 Mbit/s; then each line ``owner/repo`` on standard input registers that repository as it is now and answers with
its version, and a line with a number lists so many more mods that are like one of those.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

import uvicorn
from sqlalchemy import Engine, insert, select
from starlette.staticfiles import StaticFiles

from client.repository import Repository
from client.urls import GitHubHosts
from server.app import create_app
from server.database import mods, open_database
from server.github import GitHub
from server.origin import LocalOrigin
from server.registration import Publish, Registrar
from server.settings import GitHubEndpoints, Limits, Settings

SLOW_BYTES_A_SECOND = 20e6 / 8
_PIECE = 16 * 1024

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]


class SlowLine:
    """An app behind a line of :data:`SLOW_BYTES_A_SECOND`, shared by all answers under way."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._free_at = 0.0

    async def __call__(self, scope: Message, receive: Any, send: Send) -> None:
        async def send_slowly(message: Message) -> None:
            if message["type"] != "http.response.body":
                await send(message)
                return
            body = message.get("body", b"")
            more = message.get("more_body", False)
            for start in range(0, max(1, len(body)), _PIECE):
                piece = body[start : start + _PIECE]
                now = time.monotonic()
                self._free_at = max(now, self._free_at) + len(piece) / SLOW_BYTES_A_SECOND
                await asyncio.sleep(self._free_at - now)
                last = start + _PIECE >= len(body)
                await send({"type": "http.response.body", "body": piece, "more_body": more or not last})

        await self._app(scope, receive, send_slowly)


def main() -> None:
    """Serve until standard input ends."""
    dist, mods, data, rivals = (Path(argument) for argument in sys.argv[1:5])
    raw = sys.argv[5]
    with LocalOrigin([mods], log_limit=0) as origin:
        github = GitHubEndpoints(origin.raw, origin.media, origin.api, origin.git, origin.git, "local")
        settings = Settings(
            data=data,
            dist=dist,
            github=github,
            page_hosts=GitHubHosts(raw, raw, origin.api),
            limits=Limits(file_bytes=1 << 30),
        )
        data.mkdir(parents=True, exist_ok=True)
        app = create_app(settings)
        app.mount("/bench", StaticFiles(directory=rivals))
        app.router.routes.insert(0, app.router.routes.pop())
        servers = [
            uvicorn.Server(uvicorn.Config(one, port=0, log_level="error", lifespan="off"))
            for one in (app, SlowLine(app))
        ]
        threading.Thread(target=_answer, args=(servers, settings), daemon=True).start()
        asyncio.run(_serve(servers))


async def _serve(servers: list[uvicorn.Server]) -> None:
    await asyncio.gather(*(server.serve() for server in servers))


def _crowd(engine: Engine, count: int) -> None:
    with engine.execution_options(writes=True).begin() as connection:
        like = connection.execute(select(mods).limit(1)).one()._asdict()
        rows = [
            {**like, "id": f"{number:032x}", "repo_number": None, "repo_key": f"crowd/m{number}", "owner": "crowd"}
            | {"repo": f"m{number}", "slug": f"crowd-m{number}", "name": f"Crowded Table {number}"}
            for number in range(count)
        ]
        connection.execute(insert(mods), rows)


def _answer(servers: list[uvicorn.Server], settings: Settings) -> None:
    started = threading.Event()
    while not all(server.started for server in servers):
        started.wait(0.01)
    ports = [server.servers[0].sockets[0].getsockname()[1] for server in servers]
    print("ready", *(f"http://127.0.0.1:{port}/" for port in ports), flush=True)
    engine = open_database(settings.database)
    with GitHub(settings.github) as github:
        registrar = Registrar(engine, github, settings.limits)
        for line in sys.stdin:
            if line.strip().isdecimal():
                _crowd(engine, int(line))
                print("crowded", flush=True)
                continue
            repository = Repository.parse(line.strip())
            print(registrar.register(Publish(repository)).version, flush=True)
    for server in servers:
        server.should_exit = True


if __name__ == "__main__":
    main()
