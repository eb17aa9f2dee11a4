"""Each thing that can go wrong with one file on its way: what is said of it, what is kept, and how it heals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import pytest

from server.fault import Fault
from tests import faults
from tests.browsers import Engine
from tests.e2e.player import STORE, Player, by_path
from tests.e2e.site import Site

REPO: Final = "fragile"
SIZES: Final = {"art/once.webp": 30_000, "art/always.webp": 30_000, "art/sound.webp": 2_000, "data/cards.json": 3_000}
ONCE, ALWAYS = "art/once.webp", "art/always.webp"


@dataclass(frozen=True, eq=False)
class Case:
    """A fault, the reason it is reported as when it lasts (None: it does no harm), and the attempts it is given.

    ``lasting`` cases are also tried as a fault that never goes away; the waits between attempts make that slow.
    ``heals`` lists the attempts that may bring the file when only the first answer of the origin has the fault;
    left out, that is the one after a fault that is worth another attempt. Empty: none does.
    """

    name: str
    fault: Fault
    reason: str | None
    attempts: int
    lasting: bool = False
    heals: tuple[int, ...] | None = None

    @property
    def healing(self) -> tuple[int, ...]:
        if self.heals is not None:
            return self.heals
        return (1,) if self.reason is None else (2,) if self.attempts > 1 else ()


CASES: Final = [
    Case("206", Fault(status=206), "forbidden", 1, True),
    Case("400", faults.status(400), "forbidden", 1, True),
    Case("403", faults.status(403), "forbidden", 1, True),
    Case("404", faults.status(404, b"404: Not Found"), "not-found", 1, True),
    Case("410", faults.status(410), "not-found", 1, True),
    Case("408", faults.status(408), "timeout", 4, heals=(1, 2)),  # a browser may ask again by itself
    Case("500", faults.status(500), "server-error", 4),
    Case("503", faults.status(503), "server-error", 4, True),
    Case("204", faults.status(204), "forbidden", 1, True),
    Case("429", faults.too_many(), "rate-limited", 4, True),
    Case("429 with Retry-After", faults.too_many(retry_after=1), "rate-limited", 4),
    Case("429 without CORS", faults.too_many(cors=False), "network", 4, True),
    Case("403 with Retry-After", faults.status(403, retry_after="0", access_control_expose_headers="retry-after"),
         "rate-limited", 4),
    Case("cut", faults.cut(after=9_000), "network", 4),
    Case("cut at the first byte", faults.cut(after=0), "network", 4),
    Case("reset", faults.reset(), "network", 4, heals=(1, 2)),
    Case("reset on the way", faults.reset(after=9_000), "network", 4),
    Case("slow drip", faults.drip(60_000), None, 1, True),
    Case("late", faults.late(0.3), None, 1, True),
    Case("wrong bytes", faults.wrong_bytes(), "hash-mismatch", 2, True),
    Case("other bytes", faults.other(b"x" * 30_000), "hash-mismatch", 2, True),
    Case("too long", faults.longer(), "size-mismatch", 2, True),
    Case("too short", faults.shorter(), "network", 4),
    Case("empty", faults.empty(), "network", 4),
    Case("longer length announced", faults.announced(40_000), "network", 4),
    Case("shorter length announced", faults.announced(20_000), "network", 4),
    Case("gzip", faults.gzip(), None, 1, True),
    Case("html", faults.html(), "server-error", 4, True),
    Case("LFS pointer to the file", faults.lfs_pointer(), None, 1, True),
    Case("LFS pointer to another", faults.lfs_pointer("ab" * 32), "hash-mismatch", 2, heals=()),
    Case("redirect to another file", faults.redirect("sound.webp"), "network", 4),
    Case("redirect without end", faults.redirect("?again"), "network", 4, True, heals=(1,)),
]  # fmt: skip
TELLING: Final = {"404", "cut", "reset on the way", "wrong bytes", "too short", "gzip", "LFS pointer to the file"}


def _matrix() -> list[object]:
    engines: tuple[Engine, ...] = ("chromium", "firefox", "webkit")
    return [
        pytest.param(engine, case, id=f"{engine}-{case.name}")
        for engine in engines
        for case in CASES
        if engine == "chromium" or case.name in TELLING
    ]


@pytest.fixture(scope="module")
def owner(running_site: Site) -> str:
    """The owner of a small published mod."""
    owner = running_site.mod(REPO, SIZES)
    running_site.publish(owner, REPO)
    return owner


@pytest.fixture
def lobby(player: Player, owner: str) -> Iterator[Player]:
    """A player in the catalogue who has nothing of the mod; the page of the test before is good enough."""
    if not player.do("return globalThis.peer?.boot"):
        player.visit()
        player.wait("lobby")
    yield player
    player.call("close")
    player.call("forget", owner, REPO)


@pytest.mark.parametrize(("any_browser", "case"), _matrix(), indirect=["any_browser"], scope="module")
def test_a_fault_of_one_file_costs_nothing_but_that_file_and_heals(
    lobby: Player, site: Site, owner: str, case: Case
) -> None:
    mod = f"{owner}/{REPO}"
    site.origin.faults.on(f"*/{ONCE}", case.fault, host="raw")
    if case.lasting:
        site.origin.faults.on(f"*/{ALWAYS}", then=case.fault, host="raw")
    lobby.call("open", mod)
    lobby.wait_open()

    files = by_path(lobby.report())
    met = {ONCE: case.healing or (case.attempts,), **({ALWAYS: (case.attempts,)} if case.lasting else {})}
    there = {ONCE: bool(case.healing), ALWAYS: case.reason is None}
    for path, attempts in met.items():
        outcome = files[path]["status"], files[path]["reason"]
        assert outcome == (("downloaded", None) if there[path] else ("failed", case.reason)), path
        assert files[path]["attempts"] in attempts, path
    assert {file["status"] for path, file in files.items() if path not in met} == {"downloaded"}

    failed = [path for path, file in files.items() if file["status"] == "failed"]
    for path in failed:
        assert lobby.call("assetUrl", path)["source"] == "live"
        assert path in lobby.words("[data-testid=failures]")
    # Nothing wrong was kept: what is kept is git's, and what is not comes with a retry.
    site.origin.faults.clear()
    site.origin.requests.reset()
    report = lobby.call("retry")
    assert {file["status"] for file in report["files"]} == {"downloaded"}
    # The page itself may have shown a failed picture live meanwhile.
    assert set(site.asked_for(owner, REPO)) == set(failed)
    assert all(file["verified"] for file in report["files"])
    assert {lobby.call("assetUrl", path)["source"] for path in files} == {"cache"}
    assert lobby.digests(files) == {path: site.sha256(owner, REPO)[path] for path in files}
    assert report["store"] == STORE[lobby.browser.engine]


@pytest.mark.slow
def test_a_file_that_falls_silent_is_asked_for_again_after_twenty_seconds(
    chromium_player: Player, site: Site, owner: str
) -> None:
    site.origin.faults.on(f"*/{ONCE}", faults.stall(after=9_000))
    site.origin.faults.on(f"*/{ALWAYS}", faults.stall())
    # Slow all the while, never silent: that is no stall, however long it takes.
    site.origin.faults.on("*/art/sound.webp", faults.drip(100))
    chromium_player.visit()
    chromium_player.call("open", f"{owner}/{REPO}")
    files = by_path(chromium_player.report())
    assert {path: file["attempts"] for path, file in files.items() if file["attempts"] != 1} == {ONCE: 2, ALWAYS: 2}
    assert {file["status"] for file in files.values()} == {"downloaded"}
    assert chromium_player.digests(files).items() <= site.sha256(owner, REPO).items()


def test_an_origin_that_is_away_for_a_while_is_asked_again_when_the_player_says_so(
    chromium_player: Player, site: Site
) -> None:
    owner = site.mod(REPO, {f"art/{number}.webp": 3_000 for number in range(30)})
    site.publish(owner, REPO)
    site.origin.faults.on("*.webp", then=faults.stall())
    chromium_player.visit(f"{owner}/{REPO}")
    chromium_player.press("[data-testid=open-now]")
    chromium_player.wait_open()
    with faults.offline(site.origin):
        chromium_player.until("return peer.view.failureCount > 0 || given[0]", True)
        chromium_player.call("cancel")
        chromium_player.until("return !peer.view.pulling")
    site.origin.faults.clear()
    report = chromium_player.call("retry")
    assert {file["status"] for file in report["files"]} == {"downloaded"}
    assert chromium_player.digests(by_path(report)).items() <= site.sha256(owner, REPO).items()
