"""Reading mod manifests leniently: every shape met in the wild, and every fault named by file and key."""

import contextlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.asset_path import path_fault
from client.errors import ManifestUnreadable
from client.manifest import MOST_ASSETS, Crop, ModManifest, Players, read_manifest
from tests.unit.world import manifest

SHAPES = sorted((Path(__file__).parents[1] / "shapes").glob("*.json"))
HASH = "ab" * 32


def read(assets: list[Any] | None = None, **keys: Any) -> ModManifest:
    return read_manifest(json.dumps(manifest(assets, **keys)).encode())


def codes(found: ModManifest) -> list[tuple[str, str | None]]:
    return [(issue.code, issue.key) for issue in found.issues]


def paths(found: ModManifest, *roles: str) -> list[str]:
    return [declared.path for declared in found.files if not roles or declared.role in roles]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda path: path.stem)
def test_a_manifest_from_the_wild_reads_without_an_issue(shape: Path) -> None:
    values = json.loads(shape.read_bytes())["manifest"]
    found = read_manifest(json.dumps(values).encode())
    assert found.issues == ()
    assert found.refused == ()
    assert set(values["assets"]) <= set(paths(found))
    assert found.engine_accepted
    assert found.name == values["name"].strip()


@pytest.mark.parametrize("shape", SHAPES, ids=lambda path: path.stem)
def test_each_file_is_pulled_once_however_often_it_is_named(shape: Path) -> None:
    values = json.loads(shape.read_bytes())["manifest"]
    assert max(Counter(paths(read_manifest(json.dumps(values).encode()))).values()) == 1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not JSON"),
        (b"<!doctype html><title>404</title>", "not JSON"),
        (b'{"id": "chess"', "line 1"),
        (b"[]", "a list, not an object"),
        (b'"chess"', "a text, not an object"),
        (b"null", "null, not an object"),
        (b"true", "true or false, not an object"),
        (b"7", "a number, not an object"),
        (b'{"a": NaN}', "NaN is not a JSON value"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
        (b"\xff\xfe{}", "not UTF-8: byte 0"),
        (b"[" * 200_000, "nested too deep"),
        (b" " * (8 * 1024 * 1024 + 1), "at most 8388608"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_no_json_object_is_refused_by_name_and_place(data: bytes, words: str) -> None:
    with pytest.raises(ManifestUnreadable, match=r"diceytable\.mod\.json") as refusal:
        read_manifest(data)
    assert words in refusal.value.message


def test_a_number_too_large_for_anything_is_no_number_of_players() -> None:
    found = read_manifest(b'{"id": "chess", "assets": [], "players": {"min": 1e999, "max": 2}}')
    assert found.players == Players(1, 2)
    assert codes(found) == [("wrong-type", "players.min")]


def test_an_empty_object_is_a_manifest_that_says_nothing() -> None:
    found = read_manifest(b"{}")
    assert paths(found) == ["diceytable.mod.json", "setup.json"]
    assert (found.name, found.kind, found.manifest_id) == ("Untitled mod", "game", None)
    assert codes(found) == [("missing-key", "id"), ("missing-key", "assets")]


def test_a_byte_order_mark_is_no_fault() -> None:
    assert read_manifest(b"\xef\xbb\xbf" + json.dumps(manifest()).encode()).issues == ()


def test_unknown_keys_are_left_alone() -> None:
    assert read(["a.webp"], dice=[1], diceEnabled=True, excludedAssets=["b.webp"], futureKey={"x": 1}).issues == ()
    assert paths(read(excludedAssets=["b.webp"]), "asset") == []


def test_credits_are_never_pulled() -> None:
    assert paths(read(["a.webp"], credits=[{"id": "x", "paths": ["b.webp"]}]), "asset") == ["a.webp"]


def test_a_value_of_the_wrong_type_costs_only_itself() -> None:
    wrong: dict[str, Any] = {
        "id": 7,
        "name": ["Chess"],
        "version": 1.0,
        "entry": "setup.json",
        "coverImage": {"path": "cover.webp"},
        "tags": "board",
        "players": [2, 4],
        "screenshots": {"path": "x.webp"},
        "rules": "rules.md",
        "capabilities": ["log"],
        "compatibility": ">=0.1",
        "hashes": [],
        "assetRepos": 3,
        "description": False,
        "slug": "Not A Slug",
    }
    found = read(["a.webp"], **wrong)
    named = {key for _, key in codes(found)}
    assert set(wrong) <= named
    assert paths(found) == ["diceytable.mod.json", "setup.json", "a.webp"]
    assert all(issue.message.startswith("diceytable.mod.json: ") for issue in found.issues)


def test_assets_that_are_no_list_are_named_and_the_rest_stands() -> None:
    found = read_manifest(json.dumps({**manifest(coverImage="cover.webp"), "assets": "a.webp"}).encode())
    assert codes(found) == [("wrong-type", "assets")]
    assert paths(found) == ["diceytable.mod.json", "setup.json", "cover.webp"]


def test_an_asset_that_is_no_path_is_named_by_its_number() -> None:
    assert codes(read(["a.webp", 7, None, ["x"], {"size": 3}])) == [
        ("wrong-type", "assets[1]"),
        ("wrong-type", "assets[2]"),
        ("wrong-type", "assets[3]"),
        ("missing-key", "assets[4].path"),
    ]


@pytest.mark.parametrize(
    "path",
    ["../a.webp", "/etc/passwd", "a\\b.webp", "a\0.webp", "C:/a.webp", "", "a/../../b", ".git/config"],
    ids=ascii,
)
def test_a_hostile_path_is_refused_by_name_and_the_rest_loads(path: str) -> None:
    found = read([path, "b.webp"], coverImage=path, entry={"script": path}, screenshots=[{"path": path}])
    assert {entry.path for entry in found.refused} == {path}
    assert {entry.key for entry in found.refused} == {"assets[0]", "coverImage", "entry.script", "screenshots[0].path"}
    assert paths(found) == ["diceytable.mod.json", "setup.json", "b.webp"]
    assert {code for code, _ in codes(found)} == {"refused-path"}


def test_ten_thousand_assets_are_read() -> None:
    found = read([f"tiles/{number}.webp" for number in range(10_000)])
    assert len(paths(found, "asset")) == 10_000
    assert found.issues == ()


def test_more_assets_than_anyone_has_are_cut_off_and_said_so() -> None:
    found = read([f"{number}" for number in range(MOST_ASSETS + 5)])
    assert len(paths(found, "asset")) == MOST_ASSETS
    assert codes(found) == [("too-many-assets", "assets")]


def test_a_path_named_twice_is_pulled_once_and_named() -> None:
    found = read(["a.webp", "b.webp", "a.webp"])
    assert paths(found, "asset") == ["a.webp", "b.webp"]
    assert codes(found) == [("duplicate-path", "assets[2]")]


def test_paths_that_differ_in_case_are_two_files_and_a_warning() -> None:
    found = read(["A.webp", "a.webp"])
    assert paths(found, "asset") == ["A.webp", "a.webp"]
    assert codes(found) == [("case-collision", "assets")]


def test_an_older_manifest_that_lists_itself_keeps_the_roles() -> None:
    found = read(
        ["diceytable.mod.json", "setup.json", "main.js", "a.webp"], entry={"setup": "setup.json", "script": "main.js"}
    )
    assert [(declared.path, declared.role) for declared in found.files] == [
        ("diceytable.mod.json", "manifest"),
        ("setup.json", "setup"),
        ("main.js", "script"),
        ("a.webp", "asset"),
    ]
    assert found.issues == ()


def test_a_setup_nobody_names_is_tried_and_may_be_absent() -> None:
    declared = read(entry={}).file("setup.json")
    assert declared is not None
    assert declared.optional
    named = read(entry={"setup": "setup.json"}).file("setup.json")
    assert named is not None
    assert not named.optional


def test_what_the_manifest_names_elsewhere_is_pulled_too() -> None:
    found = read(
        ["a.webp"],
        coverImage="media/cover.webp",
        screenshots=[{"path": "media/1.webp", "crop": {"x": 0, "y": 0.25, "w": 1, "h": 0.5}}],
        rules=[
            {"kind": "markdown", "path": "rules.md", "title": "How"},
            {"kind": "video", "video": "https://v.example"},
        ],
    )
    assert paths(found, "cover", "screenshot", "rules") == ["media/cover.webp", "media/1.webp", "rules.md"]
    assert found.screenshots[0].crop == Crop(0, 0.25, 1, 0.5)
    assert [(rules.title, rules.path, rules.video) for rules in found.rules] == [
        ("How", "rules.md", None),
        ("Rules", None, "https://v.example"),
    ]
    assert found.issues == ()


def test_a_video_is_only_ever_a_https_link() -> None:
    videos: list[Any] = ["javascript:alert(1)", "http://v.example", {"provider": "youtube", "id": "a b"}, None, 7]
    found = read(rules=[{"kind": "video", "video": video} for video in videos])
    assert found.rules == ()
    assert [code for code, _ in codes(found)] == ["odd-video"] * 5
    known = read(rules=[{"kind": "video", "video": {"provider": "youtube", "id": "abc_-9"}}])
    assert known.rules[0].video == "https://www.youtube.com/watch?v=abc_-9"


@pytest.mark.parametrize("crop", [{"x": -1, "y": 0, "w": 1, "h": 1}, {}, {"x": 0, "y": 0, "w": 0, "h": 1}, {"x": "0"}])
def test_an_impossible_crop_shows_the_whole_picture(crop: dict[str, Any]) -> None:
    found = read(screenshots=[{"path": "a.webp", "crop": crop}])
    assert found.screenshots[0].crop is None
    assert ("odd-crop", "screenshots[0].crop") in codes(found)


@pytest.mark.parametrize("claim", [HASH, f"sha256-{HASH}"])
def test_a_hash_the_manifest_lists_is_what_bytes_must_meet(claim: str) -> None:
    declared = read(["a.webp"], hashes={"a.webp": claim}).file("a.webp")
    assert declared is not None
    assert declared.sha256 == HASH


def test_a_hash_in_capitals_is_read_and_named() -> None:
    found = read(["a.webp"], hashes={"a.webp": HASH.upper()})
    declared = found.file("a.webp")
    assert declared is not None
    assert declared.sha256 == HASH
    assert codes(found) == [("hash-in-capitals", 'hashes["a.webp"]')]


@pytest.mark.parametrize("claim", ["md5-abc", HASH[:63], 7, None, {"sha256": HASH}, f"sha256-{HASH}\n"])
def test_a_hash_that_is_none_makes_the_file_unverifiable_not_fatal(claim: Any) -> None:
    found = read(["a.webp"], hashes={"a.webp": claim})
    declared = found.file("a.webp")
    assert declared is not None
    assert declared.sha256 is None
    assert codes(found) == [("unverifiable-hash", 'hashes["a.webp"]')]


def test_objects_in_assets_bring_size_and_hash() -> None:
    found = read([{"path": "a.webp", "sha256": HASH, "size": 12}, {"path": "b.webp"}])
    declared = found.file("a.webp")
    assert declared is not None
    assert (declared.sha256, declared.size) == (HASH, 12)
    assert found.issues == ()


def test_two_different_hashes_for_one_file_are_named() -> None:
    found = read([{"path": "a.webp", "sha256": HASH}], hashes={"a.webp": "cd" * 32})
    assert ("hashes-disagree", "assets[0].path") in codes(found)


@pytest.mark.parametrize(
    ("players", "expected"),
    [
        ({"min": 2, "max": 4}, Players(2, 4)),
        ({"min": 2}, Players(2, 2)),
        ({"max": 4}, Players(1, 4)),
        ({"min": 2.0, "max": 4.0}, Players(2, 4)),
        ({}, None),
        ({"min": 4, "max": 2}, None),
        ({"min": 0, "max": 2}, None),
        ({"min": True, "max": 2}, Players(1, 2)),
        ({"min": 2.5, "max": 4}, Players(1, 4)),
        ({"min": 2**60, "max": 2}, Players(1, 2)),
    ],
)
def test_the_number_of_players_makes_sense_or_is_not_shown(players: dict[str, Any], expected: Players | None) -> None:
    assert read(players=players).players == expected


def test_only_capabilities_that_exist_are_kept() -> None:
    found = read(capabilities={"version": "1", "allowed": ["log", "fly", "log", "ui"]})
    assert found.capabilities == ("log", "ui")
    assert codes(found) == [("unknown-capability", "capabilities.allowed")]
    assert read().capabilities == ()


@pytest.mark.parametrize(
    ("kind", "expected"), [("game-pack", "game"), ("room-pack", "room"), ("table-pack", "table"), ("toy", "game")]
)
def test_the_type_says_game_room_or_table(kind: str, expected: str) -> None:
    assert read(type=kind).kind == expected


def test_an_engine_out_of_range_is_an_issue_not_a_refusal() -> None:
    found = read(["a.webp"], compatibility={"engine": ">=1.0"})
    assert not found.engine_accepted
    assert codes(found) == [("engine-range", "compatibility.engine")]
    assert read(compatibility={"engine": "soon"}).engine_accepted


def test_asset_repositories_are_listed_and_nothing_is_pulled_from_them() -> None:
    found = read(["a.webp"], assetRepos=[{"owner": "bob", "repo": "art", "ref": "main"}, {"owner": "bob"}, 3])
    assert [(one.owner, one.repo, one.ref) for one in found.asset_repositories] == [("bob", "art", "main")]
    assert paths(found, "asset") == ["a.webp"]


def test_text_loses_what_no_storage_can_hold() -> None:
    found = read(name="Ch\0ess\ud800")
    assert found.name == "Chess?"
    found.name.encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
KEYS = [
    "id",
    "name",
    "version",
    "type",
    "entry",
    "assets",
    "hashes",
    "coverImage",
    "screenshots",
    "rules",
    "players",
    "capabilities",
    "compatibility",
    "assetRepos",
    "slug",
    "tags",
]


@given(st.dictionaries(st.sampled_from(KEYS), JSON))
def test_no_json_object_breaks_the_reader_or_declares_a_path_outside(values: dict[str, Any]) -> None:
    try:
        found = read_manifest(json.dumps(values).encode())
    except ManifestUnreadable:
        assert "NaN" in json.dumps(values) or "Infinity" in json.dumps(values)
        return
    assert [declared.path for declared in found.files if path_fault(declared.path)] == []


@given(st.binary())
def test_no_bytes_break_the_reader(data: bytes) -> None:
    with contextlib.suppress(ManifestUnreadable):
        read_manifest(data)
