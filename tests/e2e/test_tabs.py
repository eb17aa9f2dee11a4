"""Several tabs on one mod: they pull once, spoil nothing for each other, and none holds the others up for ever."""

from __future__ import annotations

import json
import signal
import time
from typing import Any, Final

import pytest

from client.turn import SILENCE
from tests import faults
from tests.browsers import Browser, Chromium
from tests.e2e.player import Player, by_path, statuses
from tests.e2e.processes import send, writers
from tests.e2e.site import Site
from tests.e2e.stored import Stored
from tests.e2e.tabs import two_tabs
from tests.repositories import MANIFEST

REPO: Final = "shared"
SIZES: Final = {f"art/{number}.webp": 30_000 for number in range(60)}
TOTAL: Final = sum(SIZES.values())

BEGIN: Final = "void peer.open(given[0]).catch(() => {})"
WATCH: Final = """
    window.percents = [];
    peer.subscribe(() => {
        if (peer.view?.state === "loading" && peer.view.progress) window.percents.push(peer.view.progress.percent);
    });
"""


def published(site: Site) -> str:
    """The owner of a mod that takes a while to come."""
    owner = site.mod(REPO, SIZES)
    site.publish(owner, REPO)
    site.origin.faults.on(f"/{owner}/*.webp", then=faults.drip(100_000))
    return owner


def pulling(player: Player, mod: str) -> None:
    """Begin to open a mod, and be in the middle of its pull."""
    player.visit()
    player.wait("lobby")
    player.do(WATCH)
    player.do(BEGIN, mod)
    player.until("return peer.view?.progress?.filesDone > 5")


def whole(player: Player, site: Site, owner: str, ref: str = "main") -> dict[str, Any]:
    """The report of the open table, every file of which is git's."""
    player.wait_open()
    player.until("return !peer.view.pulling")
    report = player.report()
    assert set(statuses(report).values()) <= {"cached", "carried", "downloaded"}
    git = site.sha256(owner, REPO, ref)
    assert player.digests(statuses(report)) == {path: git[path] for path in statuses(report)}
    return report


def kept_versions(player: Player, owner: str) -> set[str]:
    return {mod["version"] for mod in player.call("cached") if mod["owner"] == owner}


def test_two_tabs_pull_a_mod_once_and_both_show_how_far_it_is(any_browser: Browser, site: Site) -> None:
    owner = published(site)
    with two_tabs(any_browser, site.base) as (first, second):
        for player in (first, second):
            player.visit()
            player.wait("lobby")
            player.do(WATCH)
        for player in (first, second):
            player.do(BEGIN, f"{owner}/{REPO}")
            player.until("return peer.view?.state === 'loading'")
        report = whole(first, site, owner)
        assert set(statuses(report).values()) == {"downloaded"}
        followed = whole(second, site, owner)
        assert set(statuses(followed).values()) == {"cached"}
        assert followed["bytesFetched"] == 0
        # The manifest is asked for before it is known whose turn it is.
        asked = [path for path in site.asked_for(owner, REPO) if path != MANIFEST]
        assert sorted(asked) == sorted(by_path(report).keys() - {MANIFEST})
        assert site.origin.requests.bytes(f"/{owner}/*.webp", host="raw") == TOTAL
        for player in (first, second):
            percents = player.do("return window.percents")
            assert percents == sorted(percents)
            assert len({percent for percent in percents if 0 < percent < 100}) > 1


@pytest.mark.parametrize("any_browser", ["chromium", "firefox"], indirect=True, scope="module")
def test_a_tab_that_closes_in_mid_pull_leaves_the_rest_to_the_next(any_browser: Browser, site: Site) -> None:
    owner = published(site)
    with two_tabs(any_browser, site.base) as (first, second):
        pulling(first, f"{owner}/{REPO}")
        second.visit()
        second.do(BEGIN, f"{owner}/{REPO}")
        second.until("return peer.view?.state === 'loading'")
        first.browser.close()
        began = time.monotonic()
        report = whole(second, site, owner)
        assert time.monotonic() - began < SILENCE
        assert "cached" in statuses(report).values()
        # What had come and not been recorded when the tab went is fetched twice, and no more.
        assert len(site.asked_for(owner, REPO)) < 2 * len(SIZES)


@pytest.mark.parametrize("any_browser", ["chromium", "firefox"], indirect=True, scope="module")
def test_a_reload_in_mid_pull_does_not_trip_over_the_worker_before(player: Player, site: Site) -> None:
    owner = published(site)
    mod = f"{owner}/{REPO}"
    for _ in range(3):
        player.visit(mod)
        player.until("return peer.view?.progress?.filesTotal > 0")
    site.origin.faults.clear()
    player.visit(mod)
    whole(player, site, owner)
    Stored(player, owner, REPO).tidied()


@pytest.mark.parametrize("any_browser", ["chromium", "webkit"], indirect=True, scope="module")
def test_a_publish_breaks_nothing_that_another_tab_shows(any_browser: Browser, site: Site) -> None:
    owner = published(site)
    site.origin.faults.clear()
    mod = f"{owner}/{REPO}"
    with two_tabs(any_browser, site.base) as (first, second):
        old = first.open(mod)
        git = site.sha256(owner, REPO)
        shown = "art/0.webp"
        urls = first.do("""
            const urls = [];
            for (const path of given[0]) urls.push((await peer.assetUrl(path)).url);
            return urls;
        """, [shown, "art/1.webp"])  # fmt: skip
        site.commit(owner, REPO, {shown: b"new bytes", "art/1.webp": None, "art/2.webp": b"other"})
        site.publish(owner, REPO)
        new = second.open(mod)
        assert new["version"] != old["version"]
        second.call("repair")
        assert kept_versions(second, owner) == {old["version"], new["version"]}
        # Addresses handed out before and after, of files that changed, went, and stayed.
        assert first.do("return Promise.all(given[0].map(async url => (await fetch(url)).ok))", urls) == [True, True]
        assert first.digests(by_path(old)) == {path: git[path] for path in by_path(old)}
        assert second.digests([shown])[shown] == site.sha256(owner, REPO)[shown]
        first.browser.close()
        second.until(
            "return (await peer.cached()).filter(({owner}) => owner === given[0]).length === 1", owner, seconds=30
        )
        assert kept_versions(second, owner) == {new["version"]}
        assert second.digests([shown])[shown] == site.sha256(owner, REPO)[shown]


@pytest.mark.slow
def test_a_tab_whose_process_hangs_is_passed_by(chromium: Chromium, site: Site) -> None:
    owner = published(site)
    mod = f"{owner}/{REPO}"
    with two_tabs(chromium, site.base) as (first, second):
        # The service worker may live in the process that is going to hang, so both pages are there before.
        second.visit()
        second.wait("lobby")
        pulling(first, mod)
        hung = writers(chromium)
        assert len(hung) == 1
        send(signal.SIGSTOP, hung)
        try:
            site.origin.faults.clear()
            second.do(BEGIN, mod)
            began = time.monotonic()
            whole(second, site, owner)
            assert SILENCE - 2 < time.monotonic() - began < SILENCE + 10
        finally:
            send(signal.SIGCONT, hung)
        # The one that was passed by wakes, finds its lock gone, does no harm and takes none.
        whole(first, site, owner)
        whole(second, site, owner)
        site.origin.requests.reset()
        assert set(statuses(second.open(mod)).values()) == {"cached"}
        whole(second, site, owner)
        assert site.asked_for(owner, REPO) == []


def test_two_games_that_pin_one_pack_at_two_versions_keep_both(chromium_player: Player, site: Site) -> None:
    pack_owner = site.mod(REPO, {"art/0.webp": 5_000}, id="pinned-twice", type="room-pack")
    pins = [site.publish(pack_owner, REPO)["version"]]
    site.commit(pack_owner, REPO, {"art/0.webp": b"the second version"})
    pins.append(site.publish(pack_owner, REPO)["version"])
    games = []
    for pin in pins:
        owner = site.mod("game", {"art/own.webp": 1_000})
        reference = {"packId": "pinned-twice", "version": "1.0.0", "commitSha": pin, "role": "room"}
        site.commit(owner, "game", {"setup.json": json.dumps({"schemaVersion": 1, "packRefs": [reference]}).encode()})
        site.publish(owner, "game")
        games.append(f"{owner}/game")
    for game, pin in zip(games, pins, strict=True):
        [pack] = chromium_player.open(game)["packs"]
        assert pack["version"] == pin
        chromium_player.call("repair")
    # The pack itself opened at its current version supersedes nothing a game needs.
    chromium_player.open(f"{pack_owner}/{REPO}")
    assert kept_versions(chromium_player, pack_owner) == set(pins)
    site.origin.requests.reset()
    for game, pin in zip(games, pins, strict=True):
        [pack] = chromium_player.open(game)["packs"]
        assert set(statuses(pack).values()) == {"cached"}
        git = site.sha256(pack_owner, REPO, pin)
        digests = chromium_player.digests(["art/0.webp"], f"{pack_owner}/{REPO}")
        assert digests == {"art/0.webp": git["art/0.webp"]}
    assert site.asked_for(pack_owner, REPO) == []
