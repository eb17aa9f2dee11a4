"""Stored bytes that were torn, turned, taken away or put there by someone else: noticed, fetched again, never used."""

from __future__ import annotations

import json
import random
import time
import zlib
from typing import Any, Final

import pytest

from client.journal import Entry
from tests.browsers import Engine
from tests.e2e.player import Player, by_path, statuses
from tests.e2e.site import Site
from tests.e2e.stored import Stored

REPO: Final = "rotten"
SCRIPT, CARDS, PICTURE, OTHER = "scripts/main.js", "data/cards.json", "art/a.webp", "art/b.webp"
SIZES: Final = {SCRIPT: 2_000, CARDS: 3_000, PICTURE: 40_000, OTHER: 50_000, "models/c.glb": 300_000}


class Kept:
    """A mod that a player has opened before, and what is stored of it while no table is open."""

    def __init__(self, player: Player, site: Site) -> None:
        self.player = player
        self.site = site
        self.owner = site.mod(REPO, SIZES, entry={"setup": "setup.json", "script": SCRIPT})
        self.mod = f"{self.owner}/{REPO}"
        self.version = site.publish(self.owner, REPO)["version"]
        self.git = site.sha256(self.owner, REPO)
        if not player.do("return globalThis.peer?.boot"):
            player.visit()
            player.wait("lobby")
        player.call("open", self.mod)
        self.stored = Stored(player, self.owner, REPO)
        self.stored.tidied()
        self.close()

    def close(self) -> None:
        self.player.call("close")
        self.site.origin.requests.reset()

    def entries(self) -> dict[str, Entry]:
        [reading] = self.stored.journals().values()
        return reading.entries

    def journal(self) -> str:
        [name] = self.stored.journals()
        return name

    def rot(self, path: str) -> None:
        """Turn a bit in the middle of a file."""
        place = self.entries()[path].place
        self.stored.flip(f"segments/{place.segment}", place.offset + place.length // 2)

    def open(self) -> dict[str, Any]:
        self.player.call("open", self.mod)
        return self.player.report()

    def whole(self, report: dict[str, Any]) -> None:
        """Every file is there with git's bytes, and from the cache."""
        paths = by_path(report)
        assert {file["status"] for file in paths.values()} <= {"cached", "carried", "downloaded"}
        expected = {path: self.git[path] for path in paths}
        # What a picture showed a moment ago is replaced with the next view, a tenth of a second later at most.
        ends = time.monotonic() + 5
        while (found := self.player.digests(paths)) != expected:
            assert time.monotonic() < ends, found
        assert {self.player.call("assetUrl", path)["source"] for path in paths} == {"cache"}

    def fetched(self) -> set[str]:
        """What was asked of the origin since the table closed; a picture may have been shown live besides."""
        asked = self.site.asked_for(self.owner, REPO)
        assert len(asked) <= 2 * len(set(asked))
        return set(asked)

    def until_fetched(self, *paths: str) -> None:
        """Wait until these were fetched anew, and are in the cache."""
        self.player.until(
            "const {files} = await peer.report();"
            "return given.every(path => files.find(file => file.path === path).status === 'downloaded')",
            *paths,
        )

    def files_in(self, segment: str) -> set[str]:
        return {path for path, entry in self.entries().items() if f"segments/{entry.place.segment}" == segment}


@pytest.fixture
def kept(player: Player, site: Site) -> Kept:
    return Kept(player, site)


def _in(*engines: Engine) -> pytest.MarkDecorator:
    """Where the engines' stores don't differ, or only in how long they take, fewer engines will do."""
    return pytest.mark.parametrize("any_browser", engines, indirect=True, scope="module")


def line(value: object) -> bytes:
    """A journal's line with a check sum that is right."""
    text = json.dumps(value, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


@_in("chromium")
def test_what_is_whole_asks_nothing_of_the_origin(kept: Kept) -> None:
    report = kept.open()
    assert set(statuses(report).values()) == {"cached"}
    kept.whole(report)
    assert kept.player.call("repair") == {"checked": len(report["files"]), "dropped": 0, "refetched": 0}
    assert kept.fetched() == set()


def test_a_torn_journal_costs_what_was_torn_off(kept: Kept) -> None:
    journal = kept.journal()
    content = kept.stored.read(journal)
    kept.stored.write(journal, content[: len(content) // 2])
    report = kept.open()
    kept.whole(report)
    assert kept.fetched() == {path for path, status in statuses(report).items() if status == "downloaded"} != set()
    kept.stored.tidied()
    assert set(kept.entries()) == by_path(report).keys()


@_in("chromium")
def test_turned_bits_in_a_journal_are_noticed_wherever_they_are(kept: Kept) -> None:
    size = len(kept.stored.read(kept.journal()))
    for offset in random.Random(3).sample(range(size), 3):
        kept.stored.flip(kept.journal(), offset)
        kept.whole(kept.open())
        kept.stored.tidied()
        kept.close()


@_in("chromium", "webkit")
def test_a_short_segment_costs_the_files_that_are_cut(kept: Kept) -> None:
    segment = f"segments/{kept.entries()[PICTURE].place.segment}"
    longest = max(
        (entry.place.offset, path) for path, entry in kept.entries().items() if path in kept.files_in(segment)
    )
    kept.stored.truncate(segment, longest[0] + 1)
    report = kept.open()
    kept.whole(report)
    assert kept.fetched() == {longest[1]}


def test_a_missing_segment_costs_the_files_it_held(kept: Kept) -> None:
    segment = f"segments/{kept.entries()[PICTURE].place.segment}"
    held = kept.files_in(segment)
    kept.stored.remove(segment)
    report = kept.open()
    kept.whole(report)
    assert kept.fetched() == held


@_in("chromium", "webkit")
def test_rotten_code_and_data_are_never_used(kept: Kept) -> None:
    for path in (SCRIPT, CARDS, "setup.json"):
        kept.rot(path)
    kept.open()
    for path in (SCRIPT, CARDS):
        # Before it is fetched again, as well as after.
        assert kept.player.digests([path])[path] == kept.git[path]
    kept.until_fetched(SCRIPT, CARDS, "setup.json")
    kept.whole(kept.player.report())


@_in("chromium")
def test_a_rotten_manifest_is_fetched_again(kept: Kept) -> None:
    kept.rot("diceytable.mod.json")
    report = kept.open()
    kept.whole(report)
    assert kept.fetched() == {"diceytable.mod.json"}


def test_a_rotten_picture_heals_by_itself_while_the_table_stands(kept: Kept) -> None:
    kept.rot(PICTURE)
    report = kept.open()
    assert statuses(report)[PICTURE] == "cached"
    kept.until_fetched(PICTURE)
    kept.whole(kept.player.report())
    assert kept.fetched() == {PICTURE}


@_in("chromium", "webkit")
def test_repair_finds_what_is_rotten_at_once(kept: Kept) -> None:
    kept.rot(PICTURE)
    kept.rot(OTHER)
    report = kept.open()
    assert kept.player.call("repair") == {"checked": len(report["files"]), "dropped": 2, "refetched": 2}
    kept.whole(kept.player.report())
    assert kept.fetched() == {PICTURE, OTHER}
    kept.stored.tidied()


@_in("chromium", "webkit")
def test_a_journal_of_a_newer_build_is_left_alone(kept: Kept) -> None:
    newer = f"{kept.version}.{'ab' * 8}.journal"
    kept.stored.write(newer, line({"format": 2, "version": kept.version, "holds": ["segments/from-the-future"]}))
    kept.stored.write("segments/from-the-future", b"future")
    kept.whole(kept.open())
    kept.player.call("repair")
    kept.close()
    sizes = kept.stored.sizes()
    assert sizes.keys() >= {newer, "segments/from-the-future"}
    # The mod is published anew: what can't be read still can't be judged.
    kept.site.commit(kept.owner, REPO, {PICTURE: b"new"})
    kept.site.publish(kept.owner, REPO)
    kept.git = kept.site.sha256(kept.owner, REPO)
    kept.whole(kept.open())
    assert kept.stored.sizes().keys() >= {newer, "segments/from-the-future"}


@_in("chromium", "firefox")
def test_foreign_files_in_the_folder_do_no_harm(kept: Kept) -> None:
    kept.stored.write("notes.txt", b"mine")
    kept.stored.write(f"{kept.version}.zz.journal", b"\xff" * 1000)
    kept.stored.write(f"{kept.version}.{'cd' * 8}.journal", b"\x00" * 1000)
    kept.stored.write(f"{kept.version}.{'ef' * 8}.journal", b"")
    kept.stored.mkdir(f"{kept.version}.{'01' * 8}.journal")
    kept.stored.write("segments/foreign", b"whose?")
    report = kept.open()
    kept.whole(report)
    assert kept.fetched() == set()


@_in("chromium")
def test_a_journal_that_claims_more_than_there_is_is_not_believed(kept: Kept) -> None:
    """Its check sums are right: a hostile extension or another program can compute them too."""
    entries = kept.entries()
    segment = entries[PICTURE].place.segment
    rows = [
        [PICTURE, segment, 0, 1 << 40, entries[PICTURE].sha256, 1],
        [OTHER, "nowhere", 0, 1, entries[OTHER].sha256, 1],
        [CARDS, segment, entries[PICTURE].place.offset, 100, entries[CARDS].sha256, 1],
    ]
    head = {"format": 1, "version": kept.version, "replaces": [kept.journal()]}
    kept.stored.write(f"{kept.version}.{'77' * 8}.journal", line(head) + line({"files": rows}) + line({"seal": True}))
    report = kept.open()
    assert kept.player.digests([CARDS])[CARDS] == kept.git[CARDS]
    kept.until_fetched(CARDS)
    kept.whole(kept.player.report())
    assert {PICTURE, OTHER} <= {path for path, status in statuses(report).items() if status == "downloaded"}


@_in("chromium")
def test_a_file_where_the_segments_should_be_costs_the_cache_and_not_the_table(kept: Kept) -> None:
    kept.stored.remove("segments")
    kept.stored.write("segments", b"no folder")
    report = kept.open()
    kept.player.wait_open()
    assert {file["reason"] for file in report["files"]} <= {"storage", None}
    assert kept.player.digests([PICTURE])[PICTURE] == kept.git[PICTURE]
    assert "straight from GitHub" in kept.player.words("[data-testid=storage-notice]")
    kept.stored.remove("segments")
    kept.player.call("retry")
    kept.whole(kept.player.report())
