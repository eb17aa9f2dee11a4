"""A local origin and a registry over it, shared by all tests; each test publishes under an owner of its own.

Whatever asks for the registry runs twice: on SQLite and on PostgreSQL.
"""

from __future__ import annotations

import gzip
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
import pytest

from client.urls import GitHubHosts
from server.account import Account, Accounts
from server.app import create_app
from server.database import open_database
from server.github import GitHub
from server.invite import Invites
from server.origin import LocalOrigin
from server.settings import GitHubEndpoints, Limits, Settings
from tests.server.postgres import Postgres, running_postgres
from tests.server.registering import registered
from tests.server.served import served

_names = itertools.count(1)
SUPERVISOR = "supervise();"
GZIPPED = gzip.compress(b"plain", mtime=0)


@dataclass(frozen=True)
class Registry:
    """A running registry: its address, its settings, and clients for people with and without an account."""

    base: str
    settings: Settings
    accounts: Accounts
    github: GitHub
    invites: Invites

    def client(self, *, member: bool = False, admin: bool = False, token: str | None = None) -> httpx.Client:
        """Somebody new who has an account and sends its token."""
        token = token or self.accounts.issue_token(self.account(member=member, admin=admin), "test")
        return httpx.Client(base_url=self.base, headers={"authorization": f"Bearer {token}"}, timeout=60)

    def account(self, *, member: bool = False, admin: bool = False) -> Account:
        return self.accounts.add(f"account-{next(_names)}", member=member, admin=admin)

    def anybody(self) -> httpx.Client:
        return httpx.Client(base_url=self.base, timeout=60)


def endpoints(origin: LocalOrigin) -> GitHubEndpoints:
    return GitHubEndpoints(origin.raw, origin.media, origin.api, origin.git, origin.git, "local")


@pytest.fixture(scope="session")
def mods(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of ``<owner>/<repo>`` that the origin serves."""
    return tmp_path_factory.mktemp("mods")


@pytest.fixture
def owner() -> str:
    """An owner nobody else uses, with a capital in it."""
    return f"Owner-{next(_names)}"


@pytest.fixture(scope="session")
def running_origin(mods: Path) -> Iterator[LocalOrigin]:
    with LocalOrigin([mods], rate_limit=100_000) as origin:
        yield origin


@pytest.fixture
def origin(running_origin: LocalOrigin) -> Iterator[LocalOrigin]:
    """The local origin, without faults, its log empty and its budget whole."""
    limits = running_origin.budget.limit, running_origin.tree_limit
    running_origin.requests.reset()
    running_origin.budget.used = 0
    yield running_origin
    running_origin.faults.clear()
    running_origin.latency_ms = 0
    running_origin.budget.limit, running_origin.tree_limit = limits


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str | None:
    """An empty database on PostgreSQL; None for SQLite in the data folder."""
    if request.param == "sqlite":
        return None
    server: Postgres = request.getfixturevalue("postgres")
    return server.url(f"registry_{next(_names)}")


@pytest.fixture(scope="session")
def running_registry(
    running_origin: LocalOrigin, tmp_path_factory: pytest.TempPathFactory, database_url: str | None
) -> Iterator[Registry]:
    data = tmp_path_factory.mktemp("data")
    dist = tmp_path_factory.mktemp("dist")
    _build_page(dist)
    settings = Settings(
        data=data,
        database_url=database_url,
        dist=dist,
        github=endpoints(running_origin),
        page_hosts=GitHubHosts(running_origin.raw, running_origin.media, running_origin.api),
        limits=Limits(proofs_a_minute=20),
    )
    engine = open_database(settings.database)
    app = create_app(settings)
    with served(app) as base:
        yield Registry(base, settings, Accounts(engine), app.state.github, Invites(engine))
    engine.dispose()


@pytest.fixture
def registry(running_registry: Registry, origin: LocalOrigin) -> Registry:
    # What a test before had the origin refuse is no reason to leave it alone now.
    running_registry.github.patience.forget()
    return running_registry


@pytest.fixture
def client(registry: Registry) -> Iterator[httpx.Client]:
    """Somebody who has an account."""
    with registry.client() as client:
        yield client


@pytest.fixture
def visitor(registry: Registry) -> Iterator[httpx.Client]:
    """Somebody who has none."""
    with registry.anybody() as client:
        yield client


@pytest.fixture
def publish_mod(client: httpx.Client) -> Callable[[str, str], dict[str, object]]:
    """Register ``owner/repo`` and answer its record."""

    return partial(registered, client)


def _build_page(dist: Path) -> None:
    assets = dist / "assets" / "pyodide.0123456789ab"
    assets.mkdir(parents=True)
    (dist / "index.html").write_text("<!doctype html><title>page</title>")
    (dist / "sandbox.html").write_text(f"<!doctype html><script>{SUPERVISOR}</script>")
    (dist / "service-worker.js").write_text("// worker")
    (dist / "_headers").write_text("/*")
    (dist / ".htaccess").write_text("")
    script = dist / "assets" / "main.abcdef012345.js"
    script.write_text("plain")
    script.with_name(script.name + ".br").write_bytes(b"brotli")
    script.with_name(script.name + ".gz").write_bytes(GZIPPED)
    (assets / "pyodide.asm.wasm").write_bytes(b"\0asm")
