"""Every state of the page fits the widths people have, in light and dark; the pictures are there to be looked at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

import pytest

from server.fault import Fault
from tests.browsers import Chromium
from tests.e2e.player import Player
from tests.e2e.site import SAMPLES, Site

PICTURES: Final = Path(__file__).parents[2] / ".build/screenshots"
WIDTHS: Final = (360, 768, 1440)
SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")

# Pictures come as they near the screen: goes down the page until it has them all.
SCROLL: Final = """
    scrollBy(0, 400);
    const pictures = [...document.querySelectorAll("asset-image")];
    const bottom = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
    return pictures.length > 0 && bottom && pictures.every(({dataset}) => dataset.look !== "waiting");
"""


def catalogue(player: Player, site: Site) -> None:
    player.visit()
    player.until("return document.querySelectorAll('.card').length > 3 && peer.boot !== null")


def loading(player: Player, site: Site) -> None:
    owner = site.copy("tidewater")
    site.publish(owner, "tidewater")
    site.origin.faults.on(f"/{owner}/*/assets/*.webp", then=Fault(bytes_per_second=2000))
    site.origin.faults.on(f"/{owner}/*.wav", then=Fault(status=404, body=b"404: Not Found"))
    player.visit(f"{owner}/tidewater")
    player.until("return document.querySelector('[data-testid=failures]') !== null")


def table(player: Player, site: Site) -> None:
    player.open(f"{SAMPLES}/tidewater")
    player.until(SCROLL)


def problems(player: Player, site: Site) -> None:
    player.open(f"{SAMPLES}/broken-crate")
    player.until(SCROLL)


def odd_names(player: Player, site: Site) -> None:
    player.open(f"{SAMPLES}/odd-names")
    player.until(SCROLL)


def preview(player: Player, site: Site) -> None:
    player.open(f"{site.copy('lantern-duel')}/lantern-duel")
    player.until(SCROLL)


def failed(player: Player, site: Site) -> None:
    player.visit("nobody/nothing")
    assert player.wait("failed", "open") == "failed"


@pytest.mark.parametrize("state", [catalogue, loading, table, problems, odd_names, preview, failed])
def test_each_state_fits_every_width(
    chromium: Chromium, chromium_player: Player, site: Site, state: Callable[[Player, Site], None]
) -> None:
    for repo in ("harbour-hall", "driftwood-table", "tidewater", "odd-names", "lantern-duel", "broken-crate"):
        site.publish(SAMPLES, repo)
    PICTURES.mkdir(parents=True, exist_ok=True)
    state(chromium_player, site)
    try:
        for width in WIDTHS:
            chromium.resize(width, 900)
            for scheme in SCHEMES:
                chromium.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                chromium_player.do("scrollTo(0, 0)")
                beyond = chromium_player.do("return document.documentElement.scrollWidth - innerWidth")
                assert beyond <= 0, f"{width} {scheme}"
                name = f"{state.__name__}-{width}-{scheme}.png"
                chromium.page.screenshot(path=PICTURES / name, full_page=True)
    finally:
        chromium.resize(1280, 800)
        chromium.page.emulate_media(color_scheme="light", reduced_motion="no-preference")
