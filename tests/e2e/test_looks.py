"""Every state of the page fits the widths people have, in light and dark, and axe-core finds nothing in it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.browsers import Chromium
from tests.e2e.player import Player
from tests.e2e.site import SAMPLES, Site
from tests.e2e.states import SCHEMES, STATES, State, arrived, violations

PICTURES: Final = Path(__file__).parents[2] / ".build/screenshots"
WIDTHS: Final = (360, 768, 1440)


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_each_state_fits_every_width_and_is_accessible(
    chromium: Chromium, chromium_player: Player, site: Site, state: State
) -> None:
    for repo in ("harbour-hall", "driftwood-table", "tidewater", "odd-names", "lantern-duel", "broken-crate"):
        site.publish(SAMPLES, repo)
    PICTURES.mkdir(parents=True, exist_ok=True)
    with arrived(state, chromium, chromium_player, site):
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
            chromium.resize(1280, 800)
            assert violations(chromium) == []
        finally:
            chromium.resize(1280, 800)
            chromium.page.emulate_media(color_scheme="light", reduced_motion="no-preference")


ZOOMED: Final = ("catalogue", "mod_page", "storage", "loading", "projects", "sign_in_github", "script_check_findings")


@pytest.mark.parametrize("state", [STATES[name] for name in ZOOMED], ids=ZOOMED)
def test_a_page_zoomed_to_twice_its_size_needs_no_sideways_scrolling(
    chromium: Chromium, chromium_player: Player, site: Site, state: State
) -> None:
    """200 % zoom of a 1280-pixel window is 640 CSS pixels; 400 % is 320 (WCAG 2.2, 1.4.10)."""
    for repo in ("harbour-hall", "driftwood-table", "tidewater"):
        site.publish(SAMPLES, repo)
    with arrived(state, chromium, chromium_player, site):
        try:
            for width in (640, 320):
                chromium.resize(width, 500)
                assert chromium_player.do("return document.documentElement.scrollWidth - innerWidth") <= 0, width
        finally:
            chromium.resize(1280, 800)
