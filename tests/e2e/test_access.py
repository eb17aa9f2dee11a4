"""The page can be used by keyboard and by screen reader, in light and in dark."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from server.fault import Fault
from tests.browsers import Chromium
from tests.e2e.player import Player
from tests.e2e.site import SAMPLES, Site
from tests.e2e.states import violations

PICTURES: Final = Path(__file__).parents[2] / ".build/screenshots"


@pytest.fixture(autouse=True)
def _published(site: Site) -> None:
    for repo in ("harbour-hall", "driftwood-table", "tidewater", "odd-names", "lantern-duel", "broken-crate"):
        site.publish(SAMPLES, repo)


def test_axe_finds_nothing_where_everything_is_unfolded(chromium: Chromium, chromium_player: Player) -> None:
    chromium_player.open(f"{SAMPLES}/odd-names")
    chromium_player.until("return document.querySelectorAll('[data-testid=asset]').length > 0")
    chromium_player.do("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert violations(chromium) == []
    chromium_player.press("[data-testid=asset] button")
    chromium_player.until("return document.querySelector('dialog[open] img') !== null")
    assert violations(chromium) == []


def focus_by_tab(chromium: Chromium, selector: str) -> None:
    """Press Tab until the element has the focus, as somebody without a mouse does."""
    for _ in range(60):
        if chromium.page.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector):
            return
        chromium.page.keyboard.press("Tab")
    pytest.fail(f"{selector} is not reached by Tab")


def test_a_game_can_be_opened_looked_through_and_left_by_keyboard(chromium: Chromium, chromium_player: Player) -> None:
    keyboard = chromium.page.keyboard
    chromium_player.visit()
    chromium_player.wait("lobby")
    card = f"[data-mod='{SAMPLES}/tidewater'] h3 a"
    chromium_player.until("return document.querySelector(given[0]) !== null", card)
    keyboard.press("Tab")
    assert chromium_player.do("return document.activeElement.className") == "skip"
    focus_by_tab(chromium, card)
    keyboard.press("Enter")
    chromium_player.until("return document.querySelector('[data-testid=mod-page]') !== null")
    chromium_player.until("return document.activeElement.localName === 'h1'")
    focus_by_tab(chromium, "[data-testid=mod-page] [data-testid=open-mod]")
    keyboard.press("Enter")
    chromium_player.wait_open()
    chromium_player.until("return document.activeElement.localName === 'h1'")
    assert "Tidewater" in chromium_player.do("return document.activeElement.textContent")
    assert "is open" in chromium_player.do("return document.querySelector('[aria-live]').textContent")

    chromium_player.until("return document.querySelector('[data-testid=asset] button') !== null")
    focus_by_tab(chromium, "[data-testid=asset] button")
    keyboard.press("Enter")
    chromium_player.until("return document.querySelector('dialog[open]')?.contains(document.activeElement)")
    keyboard.press("Escape")
    chromium_player.until("return document.activeElement.matches('[data-testid=asset] button')")

    chromium.page.evaluate("document.querySelector('h1').focus()")
    keyboard.press("Shift+Tab")
    assert chromium_player.do("return document.activeElement.dataset.testid") == "back"
    keyboard.press("Enter")
    chromium_player.wait("lobby")
    # The focus is where it was left.
    chromium_player.until("return document.activeElement.matches(given[0])", card)


def test_loading_can_be_cut_short_by_keyboard(chromium: Chromium, chromium_player: Player, site: Site) -> None:
    owner = site.mod("keys", {"a.webp": 100, "b.webp": 200})
    site.publish(owner, "keys")
    site.origin.faults.on("*/a.webp", then=Fault(ending="stall"))
    chromium_player.visit(f"{owner}/keys")
    chromium_player.until("return document.querySelector('[data-testid=open-now]') !== null")
    focus_by_tab(chromium, "[data-testid=open-now]")
    chromium.page.keyboard.press("Enter")
    chromium_player.wait_open()


def test_a_screen_reader_is_told_what_a_loading_screen_shows(
    chromium: Chromium, chromium_player: Player, site: Site
) -> None:
    owner = site.mod("spoken", {"a.webp": 100, "b.webp": 200, "c.webp": 300}, name="Spoken Game")
    site.publish(owner, "spoken")
    site.origin.faults.on("*/a.webp", then=Fault(ending="stall"))
    site.origin.faults.on("*/b.webp", then=Fault(status=404, body=b"404: Not Found"))
    chromium_player.visit(f"{owner}/spoken")
    chromium_player.until("return document.querySelector('[data-testid=failures]') !== null")
    spoken = chromium.page.locator("main").aria_snapshot()
    transcript = PICTURES / "loading-screen.aria.txt"
    transcript.parent.mkdir(parents=True, exist_ok=True)
    transcript.write_text(spoken)
    order = [
        'heading "Loading Spoken Game" [level=1]',
        'progressbar "Download progress"',
        "Done",
        "Files",
        'button "Cancel"',
        'button "Open now"',
        "Fetching now",
        "a.webp",
        "come through",
        "b.webp",
        "This file is not in the repository",
        'button "Try again: b.webp"',
    ]
    places = [spoken.find(words) for words in order]
    assert -1 not in places, spoken
    assert places == sorted(places), spoken
    assert (
        "Loading Spoken Game" in chromium_player.words("#announcements")
        or "percent" in chromium_player.words("#announcements")
        or "could not be fetched" in chromium_player.words("#announcements")
    )
