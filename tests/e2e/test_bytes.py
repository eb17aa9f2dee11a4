"""Byte for byte: what a table shows is what git holds, whatever the mod's shape and however odd its names."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.fault import Fault
from tests.e2e.player import Player, by_path
from tests.e2e.site import SAMPLES, Site, declared_paths
from tests.repositories import SHAPES, build_shape


@pytest.mark.parametrize("shape", sorted(SHAPES.glob("*.json")), ids=lambda shape: shape.stem)
def test_a_mod_of_every_shape_met_in_the_wild_opens(chromium_player: Player, site: Site, shape: Path) -> None:
    built = build_shape(site.mods, shape)
    site.publish(built.owner, built.repo)
    report = chromium_player.open(built.name)
    git = site.sha256(built.owner, built.repo)
    declared = declared_paths(site.manifest(built.owner, built.repo))
    files = by_path(report)
    assert files.keys() == declared
    assert {path: (file["status"], file["verified"]) for path, file in files.items()} == dict.fromkeys(
        declared, ("downloaded", True)
    )
    assert chromium_player.digests(declared) == {path: git[path] for path in declared}
    sources = chromium_player.do(
        "return [...new Set(await Promise.all(given.map(async path => (await peer.assetUrl(path)).source)))]", *declared
    )
    assert sources == ["cache"]


def test_odd_names_load_byte_for_byte_in_every_engine(player: Player, site: Site) -> None:
    site.publish(SAMPLES, "odd-names")
    report = player.open(f"{SAMPLES}/odd-names")
    git = site.sha256(SAMPLES, "odd-names")
    declared = declared_paths(site.manifest(SAMPLES, "odd-names"))
    odd = {"art/two words.webp", "art/number #1.webp", "art/100% wool.webp", "art/a+b.webp", "art/what?.webp"}
    assert odd < declared
    files = by_path(report)
    assert {path: (file["status"], file["sha256"]) for path, file in files.items()} == {
        path: ("downloaded", git[path]) for path in declared
    }
    assert player.digests(declared) == {path: git[path] for path in declared}


def test_odd_names_resolve_live_byte_for_byte_in_every_engine(player: Player, site: Site) -> None:
    owner = site.copy("odd-names")
    site.publish(owner, "odd-names")
    late = Fault(delay_s=5)
    site.origin.faults.when(lambda request: None if request.path.endswith(".json") else late)
    player.visit(f"{owner}/odd-names")
    player.until("return peer.view?.progress?.current.length > 0")
    # From here on every request is answered at once; those under way are given up.
    site.origin.faults.clear()
    player.call("cancel")
    player.wait_open()
    failed = {file["path"] for file in player.report()["files"] if file["status"] == "failed"}
    assert len(failed) > 20
    sources = player.do(
        "return [...new Set(await Promise.all(given.map(async path => (await peer.assetUrl(path)).source)))]", *failed
    )
    assert sources == ["live"]
    git = site.sha256(owner, "odd-names")
    assert player.digests(failed) == {path: git[path] for path in failed}
