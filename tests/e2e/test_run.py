"""``python -m server run``, as build.py starts it: a click in its catalogue opens a mod."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browsers import Chromium
from tests.e2e.player import Player
from tests.e2e.site import SAMPLES
from tests.repositories import build_repositories

ROOT = Path(__file__).parents[2]


@pytest.fixture
def address(dist: Path, tmp_path: Path) -> Iterator[str]:
    build_repositories(tmp_path / "mods")
    options = ["--port", "0", "--no-open", "--site", dist, "--data", tmp_path / "data", "--mods", tmp_path / "mods"]
    command = [sys.executable, "-m", "server", "run", *map(str, options)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        words = server.stdout.readline().split()
        assert words[0] == "ready"
        yield words[1].rstrip("/")
        server.terminate()


def test_a_click_in_the_catalogue_opens_a_mod_with_its_packs(chromium: Chromium, address: str) -> None:
    player = Player(chromium, address)
    player.visit()
    player.wait("lobby")
    player.press(f".card [data-testid=open-mod][href*='{SAMPLES}/tidewater']")
    player.wait_open()
    assert player.do("return location.search") == f"?mod={SAMPLES}/tidewater"
    report = player.report()
    assert len(report["packs"]) == 2
    assert {file["status"] for each in (report, *report["packs"]) for file in each["files"]} == {"downloaded"}
    assert player.do("return document.title").startswith("Tidewater")
    assert player.do("return document.querySelectorAll('[data-testid^=seat-]').length") == 4
    player.press("[data-testid=back]")
    player.wait("lobby")
    player.until("return document.body.innerText.includes('Kept on this device')")
