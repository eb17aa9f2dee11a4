"""The builder of test repositories: exact sizes, shas that never change, pins that lead somewhere."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import (
    MANIFEST,
    SAMPLES,
    SHAPES,
    Repository,
    RepositoryError,
    build_repositories,
    build_shape,
    digests,
    head,
    publish,
    read,
    spread_sizes,
    synthetic_mod,
)

TIDEWATER = "tablewright-samples/tidewater"
ROOM = "tablewright-samples/harbour-hall"
BROKEN = "tablewright-samples/broken-crate"
TOURNAMENT = "Lantern-Guild/tidewater-tournament"


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Repository]:
    return build_repositories(tmp_path_factory.mktemp("samples"))


def manifest_of(repository: Repository) -> dict[str, Any]:
    manifest = json.loads(read(repository.path, MANIFEST))
    assert isinstance(manifest, dict)
    return manifest


def pack_refs(repository: Repository) -> dict[str, str]:
    setup = json.loads(read(repository.path, "setup.json"))
    return {ref["packId"]: ref["commitSha"] for ref in setup["packRefs"]}


@pytest.mark.parametrize("shape", sorted(SHAPES.glob("*.json")), ids=lambda path: path.stem)
def test_a_shape_has_every_file_at_its_size_and_nothing_else(shape: Path, tmp_path: Path) -> None:
    described = json.loads(shape.read_bytes())
    repository = build_shape(tmp_path, shape)
    found = {path: digest.size for path, digest in digests(repository.path).items()}
    manifest_size = described["sizes"].get(MANIFEST, found[MANIFEST])
    assert found == {**described["sizes"], MANIFEST: manifest_size}
    assert manifest_of(repository) == described["manifest"]
    assert repository.name == f"{described['owner']}/{described['repo']}"


def test_json_in_a_shape_can_be_read(tmp_path: Path) -> None:
    shape = SHAPES / "bciz-fizb-clp-diceytable.json"
    repository = build_shape(tmp_path, shape)
    for path in json.loads(shape.read_bytes())["sizes"]:
        if path.endswith(".json"):
            assert isinstance(json.loads(read(repository.path, path)), dict)


def test_the_same_inputs_give_the_same_shas_anywhere(tmp_path: Path) -> None:
    first = synthetic_mod(tmp_path / "one", "tablewright", "small", {"a.webp": 10, "b.glb": 70_000})
    second = synthetic_mod(tmp_path / "two", "tablewright", "small", {"a.webp": 10, "b.glb": 70_000})
    assert first.sha == second.sha == "55025f1bf12d5a96bffb89452a27eebc134d3021"


def test_the_users_git_configuration_takes_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    settings = ("core.autocrlf=true", "commit.gpgsign=true", "init.defaultBranch=trunk", "i18n.commitEncoding=latin1")
    lines = (setting.replace(".", "]\n").replace("=", " = ") for setting in settings)
    (home / ".gitconfig").write_text("".join(f"[{line}\n" for line in lines))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody Else")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    repository = synthetic_mod(tmp_path, "tablewright", "small", {"a.webp": 10, "b.glb": 70_000})
    assert repository.sha == "55025f1bf12d5a96bffb89452a27eebc134d3021"


def test_a_repository_built_before_is_left_alone(tmp_path: Path) -> None:
    first = build_shape(tmp_path, SHAPES / "alqa.json")
    made = (first.path / "HEAD").stat()
    again = build_shape(tmp_path, SHAPES / "alqa.json")
    assert again == first
    assert (again.path / "HEAD").stat().st_ino == made.st_ino


def test_a_repository_whose_inputs_or_head_changed_is_built_anew(tmp_path: Path) -> None:
    first = synthetic_mod(tmp_path, "tablewright", "small", {"a.webp": 10})
    publish(first.path, {"a.webp": b"other"})
    assert synthetic_mod(tmp_path, "tablewright", "small", {"a.webp": 10}) == first
    assert head(first.path) == first.sha
    changed = synthetic_mod(tmp_path, "tablewright", "small", {"a.webp": 11})
    assert changed.sha != first.sha
    assert [entry.name for entry in tmp_path.iterdir()] == ["tablewright"]


def test_publish_moves_the_head_and_keeps_what_was(tmp_path: Path) -> None:
    repository = synthetic_mod(tmp_path, "tablewright", "small", {"a.webp": 10, "odd #1 %.webp": 10, "b.webp": 10})
    before = digests(repository.path)
    sha = publish(
        repository.path, {"odd #1 %.webp": b"new", 'dir/"new"?.webp': b"", "b.webp": None}, "Mend the odd one"
    )
    after = digests(repository.path)
    assert head(repository.path) == sha != repository.sha
    assert after["odd #1 %.webp"].sha256 == hashlib.sha256(b"new").hexdigest()
    assert after['dir/"new"?.webp'].size == 0
    assert after.keys() == before.keys() - {"b.webp"} | {'dir/"new"?.webp'}
    assert after["a.webp"] == before["a.webp"]
    assert digests(repository.path, repository.sha) == before


def test_publish_gives_the_same_sha_for_the_same_change(tmp_path: Path) -> None:
    shas = set()
    for place in ("one", "two"):
        repository = synthetic_mod(tmp_path / place, "tablewright", "small", {"a.webp": 10})
        shas.add(publish(repository.path, {"a.webp": b"new"}))
    assert len(shas) == 1


def test_publish_without_a_branch_says_what_git_said(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", "--bare", str(tmp_path)], check=True)
    with pytest.raises(RepositoryError) as caught:
        publish(tmp_path, {"a.webp": b"new"})
    assert "refs/heads/main" in caught.value.detail


def test_spread_sizes_add_up(tmp_path: Path) -> None:
    sizes = spread_sizes(740, 62_000_000)
    assert (len(sizes), sum(sizes.values())) == (740, 62_000_000)
    assert min(sizes.values()) > 0
    with_large = spread_sizes(12, 5_000_000, large=[4_000_000])
    assert next(iter(with_large.values())) == 4_000_000
    assert sum(with_large.values()) == 5_000_000
    with pytest.raises(ValueError, match="can't hold"):
        spread_sizes(3, 10, large=[10])


def test_ten_thousand_assets_are_all_declared(tmp_path: Path) -> None:
    sizes = spread_sizes(10_000, 1_000_000)
    repository = synthetic_mod(tmp_path, "tablewright", "many", sizes, type="room-pack")
    manifest = manifest_of(repository)
    assert manifest["assets"] == list(sizes)
    assert manifest["type"] == "room-pack"
    assert digests(repository.path).keys() == {*sizes, MANIFEST, "setup.json"}


def test_pins_name_the_packs_commits(samples: Mapping[str, Repository]) -> None:
    assert pack_refs(samples[TIDEWATER]) == {
        "harbour-hall": samples[ROOM].sha,
        "driftwood-table": samples["tablewright-samples/driftwood-table"].sha,
    }


def test_a_stale_pin_names_an_earlier_version_of_the_pack(samples: Mapping[str, Repository]) -> None:
    room = samples[ROOM]
    assert len(room.shas) == 2
    assert pack_refs(samples[TOURNAMENT]) == {"harbour-hall": room.shas[1]}
    older, newer = (json.loads(read(room.path, MANIFEST, sha))["version"] for sha in reversed(room.shas))
    assert (older, newer) == ("1.0.0", "1.1.0")
    walls = "textures/hall-walls-basecolor.webp"
    assert digests(room.path, room.shas[1])[walls] != digests(room.path)[walls]


def test_a_pin_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    mod = tmp_path / "mods" / "someone" / "game"
    mod.mkdir(parents=True)
    (mod / "setup.json").write_text('{"packRefs":[{"commitSha":"pin:someone/lost"}]}')
    with pytest.raises(RepositoryError, match="someone/lost"):
        build_repositories(tmp_path / "out", tmp_path / "mods")


@pytest.mark.parametrize(
    "name", [TIDEWATER, ROOM, TOURNAMENT, "tablewright-samples/lantern-duel", "tablewright-samples/odd-names"]
)
def test_a_sound_sample_holds_every_file_it_declares(name: str, samples: Mapping[str, Repository]) -> None:
    manifest = manifest_of(samples[name])
    named = [*manifest["assets"], *manifest["entry"].values(), manifest["coverImage"]]
    named += [shot["path"] for shot in manifest["screenshots"]]
    named += [rules["path"] for rules in manifest.get("rules", []) if rules["kind"] == "markdown"]
    assert set(named) <= digests(samples[name].path).keys()


def test_one_reference_of_the_game_is_no_asset_but_exists(samples: Mapping[str, Repository]) -> None:
    boat = "assets/models/boat.web.glb"
    assert boat in read(samples[TIDEWATER].path, "setup.json").decode()
    assert boat not in manifest_of(samples[TIDEWATER])["assets"]
    assert boat in digests(samples[TIDEWATER].path)


def test_two_samples_share_a_manifest_id(samples: Mapping[str, Repository]) -> None:
    assert manifest_of(samples[TIDEWATER])["id"] == manifest_of(samples[TOURNAMENT])["id"]


def test_the_card_catalogue_has_a_picture_for_each_card(samples: Mapping[str, Repository]) -> None:
    repository = samples["tablewright-samples/lantern-duel"]
    cards = [card["data"] for card in json.loads(read(repository.path, "data/cards.json"))["cards"]]
    assert len({card["key"] for card in cards}) == 200
    assert {card["art"] for card in cards} <= set(manifest_of(repository)["assets"])


def test_the_broken_sample_is_broken_as_described(samples: Mapping[str, Repository]) -> None:
    repository = samples[BROKEN]
    manifest, files = manifest_of(repository), digests(repository.path)
    hashes = manifest["hashes"]
    assert "art/missing.webp" in manifest["assets"]
    assert "art/missing.webp" not in files
    assert files["art/wrong-hash.webp"].sha256 not in hashes["art/wrong-hash.webp"]
    assert hashes["art/capital-hash.webp"] == files["art/capital-hash.webp"].sha256.upper()
    assert hashes["art/good.webp"] == "sha256-" + files["art/good.webp"].sha256
    assert files["art/empty.webp"].size == 0
    assert files["art/case.webp"] != files["art/CASE.webp"]
    assert read(repository.path, "art/page.webp").startswith(b"<!doctype html>")
    assert {"art/link.webp", "art/way out.webp", "vendor/kit"}.isdisjoint(files)


@pytest.mark.parametrize(("path", "kept"), [("art/kept in storage.webp", True), ("art/lost in storage.webp", False)])
def test_lfs_pointers_lead_to_an_object_or_to_none(path: str, kept: bool, samples: Mapping[str, Repository]) -> None:
    repository = samples[BROKEN]
    version, oid, size = (line.partition(" ")[2] for line in read(repository.path, path).decode().splitlines())
    oid = oid.removeprefix("sha256:")
    stored = repository.path / "lfs" / "objects" / oid[:2] / oid[2:4] / oid
    assert version == "https://git-lfs.github.com/spec/v1"
    assert stored.exists() == kept
    if kept:
        content = stored.read_bytes()
        assert (hashlib.sha256(content).hexdigest(), len(content)) == (oid, int(size))


def test_text_of_the_samples_has_unix_line_ends() -> None:
    """A working copy with CRLF would change every sha."""
    texts = [path for path in SAMPLES.rglob("*") if path.suffix in {".json", ".md", ".js"}]
    assert texts
    assert [path for path in texts if b"\r\n" in path.read_bytes()] == []


def test_as_a_command_it_builds_the_samples_with_the_standard_library_alone(tmp_path: Path) -> None:
    script = SAMPLES.parent / "repositories.py"
    command = [sys.executable, "-I", "-S", str(script), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=dict(os.environ))
    printed = dict(line.split() for line in done.stdout.splitlines())
    assert printed[TIDEWATER] == head(tmp_path / TIDEWATER)
    assert len(printed) == 7
