"""The page, its runtime and what was loaded open without any network; a new build comes whole, and when asked for."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import pytest
from playwright.sync_api import Error as PlaywrightError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import build
from client.urls import GitHubHosts
from server.account import Accounts
from server.app import create_app
from server.database import open_database
from server.fault import Fault
from server.origin import LocalOrigin
from server.settings import GitHubEndpoints, Settings
from tests.browsers import Browser, Chromium, wait_for
from tests.e2e.player import Player, by_path, statuses
from tests.e2e.site import SAMPLES
from tests.e2e.test_scripts import wait_note
from tests.repositories import build_repositories
from tests.server.served import served

TIDEWATER: Final = f"{SAMPLES}/tidewater"
LANTERNS: Final = f"{SAMPLES}/lantern-duel"

ACTIVE: Final = "return (await navigator.serviceWorker.getRegistration())?.active?.state === 'activated'"
CACHES: Final = "return (await caches.keys()).filter(name => name.startsWith('site '))"
ONE_CACHE: Final = "return (await caches.keys()).filter(name => name.startsWith('site ')).length === 1"
BUILD: Final = "return document.documentElement.dataset.build"


class Host:
    """A machine that serves the page, the registry and the origin, and can be switched off and on again."""

    def __init__(self, folder: Path, dist: Path) -> None:
        self.folder = folder
        self.dist = folder / "dist"
        self.answers: list[tuple[str, int]] = []
        """Path and status of everything the page's server answered."""
        shutil.copytree(dist, self.dist)
        build_repositories(folder / "mods")
        self.origin = LocalOrigin([folder / "mods"])
        self._port = 0
        self._running = contextlib.ExitStack()
        self.start()

    def start(self, page_hosts: GitHubHosts | None = None) -> None:
        self.origin.start()
        self._running.callback(self.origin.stop)
        origin = self.origin
        endpoints = GitHubEndpoints(origin.raw, origin.media, origin.api, origin.git, origin.git, "local")
        settings = Settings(self.folder, dist=self.dist, github=endpoints, page_hosts=page_hosts or origin.hosts)
        self.base = self._running.enter_context(served(self._noted(create_app(settings)), self._port))
        self._port = int(self.base.rpartition(":")[2])

    def stop(self) -> None:
        self._running.close()

    def publish(self, *repos: str) -> None:
        engine = open_database(f"sqlite:///{self.folder / 'peer.sqlite'}")
        accounts = Accounts(engine)
        token = accounts.issue_token(accounts.named("author") or accounts.add("author"), "test", replacing=True)
        engine.dispose()
        with httpx.Client(base_url=self.base, headers={"authorization": f"Bearer {token}"}, trust_env=False) as author:
            for repo in repos:
                answer = author.post("/api/mods", json={"owner": SAMPLES, "repo": repo}, timeout=60)
                assert answer.status_code == 200, answer.text

    def deploy(self, dist: Path) -> None:
        """Another build, in place of the one that is there."""
        shutil.rmtree(self.dist)
        shutil.copytree(dist, self.dist)

    def _noted(self, app: ASGIApp) -> ASGIApp:
        async def call(scope: Scope, receive: Receive, send: Send) -> None:
            async def answer(message: Message) -> None:
                if message["type"] == "http.response.start":
                    self.answers.append((scope["path"], message["status"]))
                await send(message)

            await app(scope, receive, answer)

        return call


@pytest.fixture
def host(dist: Path, tmp_path: Path) -> Iterator[Host]:
    host = Host(tmp_path, dist)
    yield host
    host.stop()


@pytest.fixture(scope="module")
def next_dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site once more, from sources in which one sentence is another."""
    folder = tmp_path_factory.mktemp("next")
    shutil.copytree(build.WEB, folder / "web", ignore=shutil.ignore_patterns("node_modules"))
    text = folder / "web/text.js"
    text.write_text(text.read_text().replace('heading: "Pick a game"', 'heading: "Choose a game"'))
    made = [build.BUILD / name for name in ("packages", "packages.json", "snapshot.bin")]
    program, _ = build.node()
    command = [program, build.WEB / "site/assemble.mjs", folder / "web", *made, folder / "dist"]
    subprocess.run(list(map(str, command)), check=True)
    return folder / "dist"


@pytest.fixture
def visitor(any_browser: Browser, host: Host) -> Player:
    """Somebody in each engine in turn who has never been on this page."""
    any_browser.console.clear()
    return Player(any_browser, host.base)


@pytest.fixture
def chromium_visitor(chromium: Chromium, host: Host) -> Player:
    """The same in Chromium alone."""
    return Player(chromium, host.base)


def settle(player: Player) -> None:
    """Wait until everything is kept."""
    player.until(ACTIVE)


def until_reloaded(player: Player, body: str, *arguments: object) -> None:
    """Wait for something in whatever document the window comes to show."""
    while True:
        with contextlib.suppress(PlaywrightError):  # the document went under the question
            player.until(body, *arguments)
            return


def heading(player: Player) -> str:
    return player.words("h1")


def test_a_cached_mod_opens_with_page_runtime_and_packs_although_nobody_answers(visitor: Player, host: Host) -> None:
    host.publish("harbour-hall", "driftwood-table", "tidewater")
    first = visitor.open(TIDEWATER)
    digests = visitor.digests(statuses(first))
    settle(visitor)
    # The first pull was the moment to ask the browser to keep it.
    if visitor.browser.engine != "webkit":  # which has no such promise to give
        visitor.until("return localStorage.getItem('asked-to-persist') === '1'")
    host.stop()

    if visitor.browser.engine != "webkit":  # which forgets everything with its window
        visitor.browser.restart()
    report = visitor.open(TIDEWATER)
    assert (report["version"], report["boot"], report["bytesFetched"]) == (first["version"], "snapshot", 0)
    assert len(report["packs"]) == 2
    for each in (report, *report["packs"]):
        assert set(statuses(each).values()) == {"cached"}
    assert visitor.digests(by_path(report)) == digests
    assert "You are offline" in visitor.words("[data-testid=offline-notice]")

    visitor.visit()
    visitor.wait("lobby")
    visitor.until("return document.querySelectorAll('[data-testid=kept-mod]').length === 3")
    visitor.until("return document.querySelector('[data-testid=catalogue-offline]') !== null")
    assert "You are offline" in visitor.words("[data-testid=catalogue-offline]")
    visitor.press("[data-testid=kept-mod] a[href*=tidewater]")
    visitor.wait_open()


def test_a_cached_mod_runs_its_script_although_nobody_answers(visitor: Player, host: Host) -> None:
    host.publish("lantern-duel")
    visitor.open(LANTERNS)
    wait_note(visitor, "is on the water")
    settle(visitor)
    host.stop()

    if (
        visitor.browser.engine == "webkit"
    ):  # which keeps no HTTP cache while it is driven, and the frame comes from there
        visitor.open(LANTERNS)
        wait_note(visitor, "could not be loaded")
        return
    visitor.browser.restart()
    visitor.open(LANTERNS)
    wait_note(visitor, "is on the water")
    assert [one["state"] for one in visitor.call("scripts")] == ["running"]


def test_the_catalogue_comes_back_with_the_network(chromium: Chromium, chromium_visitor: Player, host: Host) -> None:
    host.publish("tidewater")
    chromium_visitor.visit()
    settle(chromium_visitor)
    host.stop()
    chromium_visitor.visit()
    chromium_visitor.until("return document.querySelector('[data-testid=catalogue-offline]') !== null")
    host.start()
    chromium.context.set_offline(True)
    chromium.context.set_offline(False)
    chromium_visitor.until("return document.querySelectorAll('[data-testid=mod-card]').length === 1")


def test_a_failed_file_comes_with_the_network(chromium: Chromium, chromium_visitor: Player, host: Host) -> None:
    host.publish("driftwood-table")
    path = "media/cover.webp"
    host.origin.faults.on(f"*/{path}", then=Fault(ending="reset"))
    report = chromium_visitor.open(f"{SAMPLES}/driftwood-table")
    assert by_path(report)[path]["status"] == "failed"
    host.origin.faults.clear()
    chromium.context.set_offline(True)
    chromium.context.set_offline(False)
    arrived = (
        "const {files} = await peer.report(); return files.find(({path}) => path === given[0]).status === given[1]"
    )
    chromium_visitor.until(arrived, path, "downloaded")


def test_the_service_worker_comes_after_the_page_and_fetches_no_byte_twice(
    any_browser: Browser, visitor: Player, host: Host
) -> None:
    visitor.visit()
    wait_for(any_browser, "return peer.boot !== null")
    settle(visitor)
    names = [path for path, _ in host.answers]
    worker = names.index("/service-worker.js")
    assert any(name.startswith("/assets/snapshot.") for name in names[:worker])
    if any_browser.engine == "webkit":
        return  # a driven one has no HTTP cache
    whole = [path for path, status in host.answers if status == 200 and path.startswith("/assets/")]
    assert len(set(whole)) == len(whole)


def test_an_update_waits_for_the_player_and_changes_everything_at_once(
    visitor: Player, host: Host, next_dist: Path
) -> None:
    visitor.visit()
    settle(visitor)
    before = visitor.do(BUILD)
    host.deploy(next_dist)
    visitor.visit()
    visitor.until("return document.querySelector('[data-testid=update-notice]') !== null")
    assert (visitor.do(BUILD), heading(visitor)) == (before, "Pick a game")
    # What the old page has not loaded yet is gone from the host, and still there for it.
    old = visitor.do("return [...document.querySelectorAll('[rel=modulepreload]')].map(({href}) => href)")
    assert visitor.do("return Promise.all(given[0].map(async url => (await fetch(url)).status))", old) == [200] * len(
        old
    )

    visitor.press("[data-testid=update]")
    until_reloaded(visitor, "return document.querySelector('h1')?.innerText === 'Choose a game'")
    visitor.until("return peer.boot !== null")
    after = visitor.do(BUILD)
    visitor.until(ONE_CACHE)
    assert visitor.do(CACHES) == [f"site / {after}"]


def test_a_page_that_stays_open_keeps_its_own_build(
    chromium: Chromium, chromium_visitor: Player, host: Host, next_dist: Path
) -> None:
    chromium_visitor.visit()
    settle(chromium_visitor)
    before = chromium_visitor.do(BUILD)
    host.deploy(next_dist)
    other = chromium.context.new_page()
    other.goto(host.base)
    other.click("[data-testid=update]")
    other.wait_for_selector("text=Choose a game")
    chromium_visitor.until("return document.querySelector('[data-testid=update-notice]') !== null")
    assert heading(chromium_visitor) == "Pick a game"
    files = chromium_visitor.do("return [...document.querySelectorAll('[rel=modulepreload]')].map(({href}) => href)")
    fetched = "return Promise.all(given[0].map(async url => (await fetch(url)).status))"
    assert chromium_visitor.do(fetched, files) == [200] * len(files)
    assert len(chromium_visitor.do(CACHES)) == 2

    chromium_visitor.press("[data-testid=update]")
    until_reloaded(chromium_visitor, "return document.querySelector('h1')?.innerText === 'Choose a game'")
    chromium_visitor.until(ONE_CACHE)
    assert chromium_visitor.do(BUILD) != before
    other.close()


def test_a_host_that_answers_with_half_a_build_changes_nothing(
    chromium: Chromium, chromium_visitor: Player, host: Host, next_dist: Path
) -> None:
    chromium_visitor.visit()
    settle(chromium_visitor)
    before = chromium_visitor.do(CACHES)
    host.deploy(next_dist)
    # A host's own page in place of a file it does not have: the status is 200 all the same.
    (page,) = host.dist.glob("assets/text.*.js")
    page.write_text("<!doctype html><title>Welcome</title>")
    failed = """
        const registration = await navigator.serviceWorker.getRegistration();
        await registration.update().catch(() => undefined);
        const worker = registration.installing ?? registration.waiting;
        if (!worker) return "none";
        const ended = () => ["redundant", "installed"].includes(worker.state) && worker.state;
        return ended() || new Promise(done => worker.addEventListener("statechange", () => ended() && done(ended())));
    """
    assert chromium_visitor.do(failed) == "redundant"
    chromium_visitor.visit()
    chromium_visitor.wait("lobby")
    assert heading(chromium_visitor) == "Pick a game"
    assert chromium_visitor.do("return document.documentElement.dataset.build") in before[0]


def test_a_page_follows_its_origin_to_other_addresses(chromium: Chromium, chromium_visitor: Player, host: Host) -> None:
    """Each start of the local origin has ports of its own, and the page's kept policy names the old ones."""
    host.publish("driftwood-table")
    chromium_visitor.visit()
    settle(chromium_visitor)
    host.stop()
    host.origin.ports.clear()
    host.start()
    chromium.page.goto(f"{host.base}/?mod={SAMPLES}/driftwood-table")
    # The page loads itself again on the way there.
    chromium.page.wait_for_selector("[data-state=open]")
    assert set(statuses(chromium_visitor.report()).values()) == {"downloaded"}


def test_only_the_page_itself_is_kept(chromium: Chromium, chromium_visitor: Player, host: Host) -> None:
    host.publish("driftwood-table")
    chromium_visitor.visit()
    settle(chromium_visitor)
    chromium_visitor.open(f"{SAMPLES}/driftwood-table")
    kept = chromium_visitor.do("""
        const names = await caches.keys();
        const requests = await Promise.all(names.map(async name => (await caches.open(name)).keys()));
        return requests.flat().map(({url}) => url);
    """)
    assert len(kept) == len(set(kept))
    rest = {url.removeprefix(host.base) for url in kept if not url.startswith(f"{host.base}/assets/")}
    assert rest == {"/", "/config.json"}
    # Another page of the same host is not this one.
    answer = chromium.page.goto(f"{host.base}/schema")
    assert answer is not None
    assert answer.json()["openapi"]
    assert not answer.from_service_worker


def test_the_page_can_be_installed(chromium: Chromium, chromium_visitor: Player, host: Host) -> None:
    chromium_visitor.visit()
    settle(chromium_visitor)
    devtools = chromium.context.new_cdp_session(chromium.page)
    found = devtools.send("Page.getAppManifest")
    assert found["errors"] == []
    manifest = httpx.get(found["url"], trust_env=False)
    assert manifest.headers["content-type"] == "application/manifest+json"
    values = manifest.json()
    for icon in values["icons"]:
        assert httpx.get(httpx.URL(found["url"]).join(icon["src"]), trust_env=False).status_code == 200
    assert httpx.URL(found["url"]).join(values["start_url"]) == f"{host.base}/"
    # Headless Chromium counts as a private window, which is no fault of the page.
    problems = {each["errorId"] for each in devtools.send("Page.getInstallabilityErrors")["installabilityErrors"]}
    assert problems <= {"in-incognito"}
