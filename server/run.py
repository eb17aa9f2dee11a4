"""``python -m server run``: the local origin, the registry and the page, until it is told to stop."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import multiprocessing.connection
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
from fastapi import FastAPI
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server import Server

from client.repository import Repository
from client.urls import GitHubHosts
from server.account import Account, Accounts
from server.app import create_app
from server.database import open_database
from server.github import GitHub
from server.origin import LocalOrigin
from server.problem import ProblemError
from server.registration import Publish, Reading, Registrar
from server.settings import GitHubEndpoints, Settings

LOCAL_ACCOUNT = "local"
_SCANS_AT_ONCE = 4
_READY_WITHIN_S = 60
_STOP_WITHIN_S = 5
_EVERY_ADDRESS = {"0.0.0.0", "::", ""}  # noqa: S104

logger = logging.getLogger(__name__)


class RunError(Exception):
    """It can't start; the message says why and what to do, in one sentence."""


@dataclass(frozen=True, slots=True)
class Run:
    """``mods`` are folders of ``<owner>/<repo>``; ``on_github`` asks GitHub itself and serves none of them."""

    port: int
    host: str
    settings: Settings
    mods: tuple[Path, ...]
    on_github: bool = False
    latency_ms: float = 0
    open_browser: bool = False

    def serve(self) -> None:
        """Serve until SIGINT or SIGTERM.

        :raises RunError: the port is taken, or a folder of mods is not there
        """
        port = _free_port(self.host, self.port)
        for folder in self.mods:
            if not folder.is_dir():
                raise RunError(f"{folder} is not a folder; --mods takes one that holds <owner>/<repo>.")
        self.settings.data.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            settings = self.settings
            if self.on_github:
                _hide_local_mods(settings)
            else:
                origin = stack.enter_context(
                    LocalOrigin(self.mods, host=self.host, latency_ms=self.latency_ms, log_limit=1000)
                )
                settings = replace(settings, github=_endpoints(origin), page_hosts=_page_hosts(origin))
                _register_all(settings, list(_named(origin)))
            _serve(settings, self.host, port, open_browser=self.open_browser)


def served_app(settings: Settings) -> FastAPI:
    """The app in granian's worker process, which ends when the process that started it is gone."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        sentinel = parent.sentinel

        def follow() -> None:
            multiprocessing.connection.wait([sentinel])
            os.kill(os.getpid(), signal.SIGTERM)

        threading.Thread(target=follow, name="follow-parent", daemon=True).start()
    return create_app(settings)


def _serve(settings: Settings, host: str, port: int, *, open_browser: bool) -> None:
    # A forked worker would inherit the origin's thread in the middle of whatever it is doing, and its sockets.
    multiprocessing.set_start_method("spawn", force=True)
    server = Server(
        settings,  # type: ignore[arg-type] # handed to served_app as it is
        address=host,
        port=port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        websockets=False,
        log_level=LogLevels.warning,
        workers_kill_timeout=_STOP_WITHIN_S,
    )
    base = f"http://{_reachable(host)}:{port}"
    threading.Thread(target=_announce, args=(settings, base, open_browser), name="announce", daemon=True).start()
    server.serve(target_loader=served_app)


def _announce(settings: Settings, base: str, open_browser: bool) -> None:  # a thread's target
    if not _answers(base):
        logger.error("The server does not answer at %s.", base)
        return
    link = f"{base}/#token={_local_token(settings)}"
    print(f"ready {base}/", flush=True)
    print(f"sign in: {link}", flush=True)
    # Without a display the standard library may find a browser that takes over the terminal.
    if open_browser and (os.name == "nt" or sys.platform == "darwin" or _has_display()):
        webbrowser.open(link)


def _answers(base: str) -> bool:
    pause = threading.Event()
    with httpx.Client(trust_env=False, timeout=5) as client:
        for _ in range(_READY_WITHIN_S * 20):
            with contextlib.suppress(httpx.HTTPError):
                if client.get(f"{base}/config.json").status_code == 200:
                    return True
            pause.wait(0.05)
    return False


def _has_display() -> bool:
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _local_token(settings: Settings) -> str:
    engine = open_database(settings.database)
    accounts = Accounts(engine)
    account: Account = accounts.named(LOCAL_ACCOUNT) or accounts.add(LOCAL_ACCOUNT, member=True, admin=True)
    # Only digests are kept, so the link of an earlier run can't be printed again: it ends here.
    token = accounts.issue_token(account, "run", replacing=True)
    engine.dispose()
    return token


def _register_all(settings: Settings, repositories: list[Repository]) -> None:
    engine = open_database(settings.database)
    with GitHub(settings.github) as github, ThreadPoolExecutor(_SCANS_AT_ONCE) as pool:
        registrar = Registrar(engine, github, settings.limits)
        registrar.keep_available({repository.key for repository in repositories})

        def read(repository: Repository) -> Reading | Exception | None:
            try:
                return registrar.read_if_moved(Publish(repository))
            except Exception as error:  # one repository's trouble must not keep the others away
                return error

        # Read at the same time but recorded in order, so that of two mods with one slug always the same one gets it.
        for repository, found in zip(repositories, pool.map(read, repositories), strict=True):
            try:
                if isinstance(found, Exception):
                    raise found
                if found is not None:
                    registrar.record(found)
            except ProblemError as error:
                complaint = f"{repository} is not registered ({error.code}): {error.detail}"
                print(complaint, file=sys.stderr, flush=True)
            except Exception:
                logger.exception("%s is not registered", repository)
    engine.dispose()


def _hide_local_mods(settings: Settings) -> None:
    engine = open_database(settings.database)
    with GitHub(settings.github) as github:
        Registrar(engine, github, settings.limits).keep_those_of(settings.github.name)
    engine.dispose()


def _named(origin: LocalOrigin) -> Iterable[Repository]:
    for place in origin.shelf.places():
        try:
            yield Repository(place.owner, place.name)
        except ValueError as error:
            print(f"{place.git_dir} is left out: {error}.", file=sys.stderr, flush=True)


def _endpoints(origin: LocalOrigin) -> GitHubEndpoints:
    return GitHubEndpoints(
        raw=origin.raw, media=origin.media, api=origin.api, git=origin.git, archives=origin.git, name="local"
    )


def _page_hosts(origin: LocalOrigin) -> GitHubHosts:
    """Where a browser finds the origin: on whatever name it reaches this machine by, if every address is served."""
    if origin.host not in _EVERY_ADDRESS:
        return origin.hosts
    return GitHubHosts(*(f"http://{{host}}:{origin.ports[name]}" for name in ("raw", "media", "api")))


def _free_port(host: str, port: int) -> int:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            detail = f"Port {port} on {host} can't be had ({error.strerror}); choose another with --port."
            raise RunError(detail) from None
        found: int = probe.getsockname()[1]
        return found


def _reachable(host: str) -> str:
    if host in _EVERY_ADDRESS:
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
