"""The worker dies, or the browser can't run it at all: the page goes on, or says what is missing and what to do."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.browsers import Browser, Chromium
from tests.e2e.player import Player, Refusal, statuses
from tests.e2e.site import SAMPLES, Site, running

DRIFTWOOD: Final = f"{SAMPLES}/driftwood-table"
NOTICE: Final = "[data-testid=restarted-notice]"

ABORT: Final = "import os; os.abort()"
END: Final = "import js; js.close()"
HANG: Final = "while True: pass"

# Python is at nobody's call in the page that is shipped; in this copy of it a channel leads to the interpreter.
LISTENER: Final = 'new BroadcastChannel("python").addEventListener("message", ({ data }) => void %s.runPython(data)), '
# The build gives names of its own to what is not exported.
START: Final = re.compile(r'await (\w+)\.pyimport\("worker\.main"\)\.start\(')


@pytest.fixture(scope="module")
def fragile(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The whole system once more, with a page whose Python a test can kill."""
    copy = tmp_path_factory.mktemp("fragile") / "dist"
    shutil.copytree(dist, copy, ignore=shutil.ignore_patterns("*.br", "*.gz"))
    (worker,) = copy.glob("assets/worker.*.js")
    text = worker.read_text()
    start = START.search(text)
    assert start is not None
    worker.write_text(text.replace(start[0], LISTENER % start[1] + start[0]))
    with running(copy, tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture
def player(any_browser: Browser, fragile: Site) -> Player:
    """A player in each engine in turn."""
    any_browser.console.clear()
    return Player(any_browser, fragile.base)


@pytest.fixture
def table(fragile: Site) -> tuple[str, str]:
    """A published mod of its own, as owner and repo."""
    owner = fragile.copy("driftwood-table")
    fragile.publish(owner, "driftwood-table")
    return owner, "driftwood-table"


def run(player: Player, text: str) -> None:
    """Let the page's Python run ``text``."""
    player.do("new BroadcastChannel('python').postMessage(given[0])", text)


def die(player: Player, deaths: int = 1) -> None:
    """Abort the interpreter and wait until the page knows."""
    run(player, ABORT)
    player.until("return peer.deaths.length === given[0]", deaths)


def test_a_table_whose_python_died_opens_again_at_the_version_it_had(
    player: Player, fragile: Site, table: tuple[str, str]
) -> None:
    mod = "/".join(table)
    before = player.open(mod)
    fragile.commit(*table, {"media/cover.webp": b"published while somebody plays"})
    fragile.publish(*table)
    die(player)
    player.until("return document.querySelector(given[0]) !== null && peer.view?.state === 'open'", NOTICE)
    assert "started again" in player.words(NOTICE)
    after = player.report()
    assert (after["version"], set(statuses(after).values())) == (before["version"], {"cached"})
    assert player.do("return location.search") == f"?mod={mod}"
    player.call("close")
    player.wait("lobby")
    # Asked for again, it is the current one, and the notice is gone.
    player.call("open", mod)
    assert player.report()["version"] != before["version"]
    assert player.words(NOTICE) == ""


def test_the_second_death_shows_a_report_to_copy(player: Player, table: tuple[str, str]) -> None:
    mod = "/".join(table)
    player.open(mod)
    die(player)
    player.until("return peer.view?.state === 'open'")
    die(player, 2)
    assert player.wait("failed") == "failed"
    assert player.words("h1") == "The table stopped working"
    report = player.words("[data-testid=report]")
    assert mod in report
    assert ("death 1: " in report, "death 2: " in report) == (True, True)
    assert player.do("return navigator.userAgent") in report
    player.press("[data-testid=copy-report]")
    assert player.do("return String(getSelection())").strip() == report.strip()
    with pytest.raises(Refusal) as refused:
        player.report()
    assert refused.value.code == "fatal"


def test_a_page_without_a_table_starts_its_worker_again_in_silence(player: Player) -> None:
    player.visit()
    player.wait("lobby")
    die(player)
    player.wait("lobby")
    assert isinstance(player.call("cached"), list)
    assert player.words("main").find("started again") == -1


def test_a_worker_that_ended_in_silence_is_replaced(player: Player, table: tuple[str, str]) -> None:
    _replaced(player, "/".join(table), END)


def test_a_worker_that_hangs_is_replaced(chromium: Chromium, fragile: Site, table: tuple[str, str]) -> None:
    _replaced(Player(chromium, fragile.base), "/".join(table), HANG)


def _replaced(player: Player, mod: str, blow: str) -> None:
    player.visit()
    player.do("peer.patience = {beat: 100, beats: 20}")
    player.call("open", mod)
    before = player.report()
    run(player, blow)
    # One call may still have been answered; the first that is not, finds out.
    code = player.do("for (;;) try { await peer.report() } catch (error) { return error.code }")
    assert code == "restarted"
    player.until("return peer.view?.state === 'open' && peer.restarted")
    assert statuses(player.report()) == dict.fromkeys(statuses(before), "cached")


@pytest.mark.parametrize("depth", [900, 3000, 30_000])
def test_arguments_that_make_no_sense_are_refused_and_nothing_stands_still(
    player: Player, table: tuple[str, str], depth: int
) -> None:
    player.open("/".join(table))
    refused = player.do(
        """
        let deep = [];
        for (let level = 0; level < given[0]; level++) deep = [deep];
        return await peer.forget(deep, "x").then(() => null, ({code, message}) => ({code, message}));
        """,
        depth,
    )
    assert (refused["code"], bool(refused["message"])) == ("error", True)
    assert player.report()["files"]


def test_an_opening_goes_on_in_the_new_worker(chromium: Chromium, fragile: Site, table: tuple[str, str]) -> None:
    player = Player(chromium, fragile.base)
    player.visit()
    player.wait("lobby")
    fragile.origin.latency_ms = 300
    player.do("window.opened = peer.open(given[0])", "/".join(table))
    player.until("return peer.view?.state === 'loading'")
    die(player)
    player.do("await opened")
    fragile.origin.latency_ms = 0
    assert set(statuses(player.report()).values()) <= {"cached", "downloaded"}


def test_a_worker_that_is_only_busy_is_left_alone(chromium: Chromium, fragile: Site, table: tuple[str, str]) -> None:
    player = Player(chromium, fragile.base)
    player.visit()
    player.do("peer.patience = {beat: 100, beats: 100}")
    player.call("open", "/".join(table))
    run(player, "import time\nends = time.monotonic() + 1\nwhile time.monotonic() < ends: pass")
    assert player.report()["repo"] == "driftwood-table"
    assert player.do("return [peer.deaths.length, peer.restarted]") == [0, False]


@pytest.fixture
def stranger() -> Iterator[Chromium]:
    """Chromium, to which this machine is another one's name."""
    browser = Chromium("--host-resolver-rules=MAP table.example 127.0.0.1")
    yield browser
    browser.close()


def test_plain_http_from_another_machine_says_what_to_do(stranger: Chromium, site: Site) -> None:
    port = site.base.rpartition(":")[2]
    player = Player(stranger, f"http://table.example:{port}")
    stranger.open(f"{player.base}/?mod={DRIFTWOOD}")
    assert player.wait("failed") == "failed"
    assert player.do("return document.querySelector('.failed').dataset.code") == "insecure"
    words = player.words()
    assert "https" in words
    assert f"http://localhost:{port}/" in words
    assert "Web Locks" in words
    assert "crypto.subtle" in words
    assert stranger.page.workers == []


@pytest.mark.parametrize(
    ("name", "without"),
    [
        ("WebAssembly", "delete window.WebAssembly"),
        ("Web Locks", "delete Navigator.prototype.locks"),
        ("cryptography", "delete Crypto.prototype.subtle"),
        ("module workers", "window.Worker = class { constructor() { throw new SyntaxError(); } }"),
    ],
)
def test_a_browser_that_lacks_something_is_told_what(chromium: Chromium, site: Site, name: str, without: str) -> None:
    page = chromium.context.new_page()
    page.add_init_script(without)
    page.goto(f"{site.base}/?mod={DRIFTWOOD}")
    page.wait_for_selector("[data-code=unsupported]")
    assert page.evaluate("document.documentElement.dataset.state") == "failed"
    assert f"Missing here: {name}" in page.inner_text("main")
    assert "Update it" in page.inner_text("main")
    page.close()


def test_a_browser_that_cannot_read_the_scripts_is_told_so(chromium: Chromium, site: Site) -> None:
    page = chromium.context.new_page()
    # As an engine sees syntax that is younger than itself.
    page.route("**/assets/main.*.js", lambda route: route.fulfill(body="@@", content_type="text/javascript"))
    page.goto(site.base)
    page.wait_for_selector("[data-code=unsupported]")
    assert "too old" in page.inner_text("h1")
    page.close()


def test_a_script_that_does_not_arrive_is_said(chromium: Chromium, site: Site) -> None:
    page = chromium.context.new_page()
    page.route("**/assets/main.*.js", lambda route: route.abort())
    page.goto(site.base)
    page.wait_for_selector("[data-code=incomplete]")
    assert "Check your connection" in page.inner_text("main")
    page.close()
