"""What authors get wrong costs what is wrong: a message names file and key, and the rest of the mod loads."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import pytest

from tests.browsers import Chromium
from tests.e2e.player import Player, by_path, statuses
from tests.e2e.site import Site
from tests.repositories import MANIFEST


@pytest.fixture(scope="module")
def lobby(one_chromium: Chromium, running_site: Site) -> Player:
    """One page for all mods of this module, opened one after the other without a reload."""
    player = Player(one_chromium, running_site.base)
    player.visit()
    player.wait("lobby")
    return player


def opened(player: Player, site: Site, owner: str, repo: str) -> dict[str, Any]:
    site.publish(owner, repo)
    player.call("open", f"{owner}/{repo}")
    return player.report()


def issues(report: dict[str, Any]) -> dict[str, str]:
    """What is said of each key of each file; every message names both."""
    said: defaultdict[str, str] = defaultdict(str)
    for issue in report["issues"]:
        assert issue["file"] in issue["message"]
        assert issue["key"] is None or issue["key"] in issue["message"]
        said[f"{issue['file']} {issue['key']}"] += issue["message"] + "\n"
    return said


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("assets", None, "is missing"),
        ("assets", {"a.webp": 1}, "should be a list, not an object"),
        ("assets", "a.webp", "should be a list, not a text"),
        ("entry", [], "should be an object, not a list"),
        ("name", 7, "should be a text, not a number"),
        ("version", {}, "should be a text, not an object"),
        ("type", "board", "not one of"),
        ("id", True, "should be a text, not true or false"),
        ("tags", 5, "should be a list, not a number"),
        ("hashes", ["sha256-"], "should be an object, not a list"),
        ("screenshots", {}, "should be a list, not an object"),
        ("rules", "rules.md", "should be a list, not a text"),
        ("players", [2, 4], "should be an object, not a list"),
        ("compatibility", "0.9", "should be an object, not a text"),
        ("capabilities", ["log"], "should be an object, not a list"),
        ("assetRepos", "x/y", "should be a list, not a text"),
        ("description", ["words"], "should be a text, not a list"),
        ("license", 0, "should be a text, not a number"),
    ],
)
def test_a_key_of_the_wrong_type_costs_that_key(lobby: Player, site: Site, key: str, value: object, said: str) -> None:
    good = {"setup.json": 2048} if key == "assets" else {"setup.json": 2048, "a.webp": 100}
    owner = site.mod("typed", good | {"a.webp": 100}, **{key: value})
    report = opened(lobby, site, owner, "typed")
    assert said in issues(report)[f"{MANIFEST} {key}"]
    assert {path: status for path, status in statuses(report).items() if path in good} == dict.fromkeys(
        good, "downloaded"
    )
    lobby.wait("open")


def test_a_manifest_of_nothing_opens_an_empty_table(lobby: Player, site: Site) -> None:
    owner = site.mod("bare", {})
    site.commit(owner, "bare", {MANIFEST: b"{}", "setup.json": None})
    report = opened(lobby, site, owner, "bare")
    assert statuses(report) == {MANIFEST: "downloaded"}
    assert {f"{MANIFEST} id", f"{MANIFEST} assets"} <= issues(report).keys()
    lobby.wait("open")
    assert lobby.words("h1") == "Untitled mod"


def test_duplicates_load_once_and_names_that_differ_in_case_both(lobby: Player, site: Site) -> None:
    sizes = {"art/a.webp": 100, "art/A.webp": 200, "art/b.webp": 300}
    owner = site.mod("twins", sizes, assets=["art/a.webp", "art/A.webp", "art/b.webp", "art/b.webp", "art/b.webp"])
    report = opened(lobby, site, owner, "twins")
    said = issues(report)
    assert "names art/b.webp once more" in said[f"{MANIFEST} assets[3]"]
    assert "art/a.webp" in said[f"{MANIFEST} assets"]
    assert "art/A.webp" in said[f"{MANIFEST} assets"]
    assert set(statuses(report).values()) == {"downloaded"}
    assert {path: by_path(report)[path]["bytes"] for path in sizes} == sizes
    assert sorted(site.asked_for(owner, "twins")) == sorted([*sizes, MANIFEST, "setup.json"])
    git = site.sha256(owner, "twins")
    assert lobby.digests(sizes) == {path: git[path] for path in sizes}


def test_empty_and_large_files_load_whole(lobby: Player, site: Site) -> None:
    sizes = {"empty.webp": 0, "one.webp": 1, "large.glb": 60 * 1024 * 1024}
    owner = site.mod("sizes", sizes)
    report = opened(lobby, site, owner, "sizes")
    files = by_path(report)
    assert {path: (files[path]["status"], files[path]["bytes"], files[path]["verified"]) for path in sizes} == {
        path: ("downloaded", size, True) for path, size in sizes.items()
    }
    git = site.sha256(owner, "sizes")
    assert lobby.digests(sizes) == {path: git[path] for path in sizes}


@pytest.mark.slow
def test_ten_thousand_assets_load_and_the_page_stays_usable(lobby: Player, site: Site) -> None:
    sizes = {f"art/{number // 100:02}/{number:05}.webp": 20 + number % 50 for number in range(10_000)}
    owner = site.mod("crowd", sizes)
    report = opened(lobby, site, owner, "crowd")
    assert statuses(report) == dict.fromkeys([*sizes, MANIFEST, "setup.json"], "downloaded")
    lobby.wait("open")
    lobby.until("return document.querySelectorAll('[data-testid=asset]').length > 0")
    # Drawn as far as the eye goes, not all of it.
    assert lobby.do("return document.querySelectorAll('[data-testid=asset]').length") < 1000
    assert len(site.asked_for(owner, "crowd")) == len(sizes) + 2


def test_hashes_in_capitals_hold_and_unusable_ones_are_said(lobby: Player, site: Site) -> None:
    sizes = {"a.webp": 100, "b.webp": 100, "c.webp": 100, "d.webp": 100}
    owner = site.mod("hashed", sizes)
    git = site.sha256(owner, "hashed")
    manifest = site.manifest(owner, "hashed") | {
        "hashes": {
            "a.webp": git["a.webp"].upper(),
            "b.webp": f"sha256-{git['b.webp']}",
            "c.webp": "md5-00",
            "d.webp": "0" * 64,
            "never-declared.webp": "0" * 64,
        }
    }
    site.commit(owner, "hashed", {MANIFEST: json.dumps(manifest).encode()})
    report = opened(lobby, site, owner, "hashed")
    said = issues(report)
    assert "lower-case" in said[f'{MANIFEST} hashes["a.webp"]']
    assert "can't be checked" in said[f'{MANIFEST} hashes["c.webp"]']
    files = by_path(report)
    assert {path: files[path]["status"] for path in sizes} == {
        "a.webp": "downloaded", "b.webp": "downloaded", "c.webp": "downloaded", "d.webp": "failed",
    }  # fmt: skip
    assert (files["d.webp"]["reason"], files["d.webp"]["attempts"]) == ("hash-mismatch", 2)


@pytest.mark.parametrize(
    ("setup", "said"),
    [
        (b"{", "setup.json is not JSON"),
        (b"[]", "setup.json holds a list, not an object"),
        (b"\xff\xfe", "setup.json is not UTF-8"),
    ],
    ids=["torn", "a list", "no text"],
)
def test_an_unreadable_setup_leaves_an_empty_table_with_all_files(
    lobby: Player, site: Site, setup: bytes, said: str
) -> None:
    owner = site.mod("unset", {"a.webp": 100})
    site.commit(owner, "unset", {"setup.json": setup})
    report = opened(lobby, site, owner, "unset")
    assert any(said in message for message in issues(report).values())
    assert set(statuses(report).values()) == {"downloaded"}
    assert lobby.call("table")["objects"] == []


def test_packs_that_can_not_be_had_leave_the_game_open(lobby: Player, site: Site) -> None:
    packs = [
        {"packId": "nobody-has-this", "version": "1.0.0", "commitSha": "0" * 40, "role": "room"},
        {"packId": "nobody-has-that-either", "role": "table"},
        {"packId": 7, "role": "room"},
        {"packId": "x", "role": "cellar"},
        "not a pack",
    ]
    owner = site.mod("lonely", {"a.webp": 100})
    site.commit(owner, "lonely", {"setup.json": json.dumps({"schemaVersion": 2, "packRefs": packs}).encode()})
    report = opened(lobby, site, owner, "lonely")
    assert report["packs"] == []
    assert set(statuses(report).values()) == {"downloaded"}
    said = issues(report)
    assert {"setup.json packRefs[2].packId", "setup.json packRefs[3].role", "setup.json packRefs[4]"} <= said.keys()
    lobby.wait("open")
    lobby.until("return document.querySelector('.pack-lines .badge-bad') !== null")
    assert "nobody-has-this" in lobby.words(".pack-lines")
