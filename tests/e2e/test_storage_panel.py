"""The storage panel: what is kept, checking it, forgetting it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.browsers import Chromium
from tests.e2e.player import Player
from tests.e2e.site import SAMPLES, Site
from tests.e2e.stored import Stored

TIDEWATER = f"{SAMPLES}/tidewater"
LINE = "[data-testid=stored-mod][data-mod='{}']"


def keep(player: Player, site: Site) -> None:
    """Have a game and its packs kept in the player's browser, and nothing else, and show the panel."""
    for repo in ("harbour-hall", "driftwood-table", "tidewater"):
        site.publish(SAMPLES, repo)
    player.visit()
    player.until("return peer.boot !== null")
    player.do("for (const {owner, repo} of await peer.cached()) await peer.forget(owner, repo)")
    player.open(TIDEWATER)
    player.until("return peer.cached().then(({length}) => length === 3)")
    Stored(player, SAMPLES, "tidewater").tidied()
    player.browser.open(f"{player.base}/?storage")
    player.until("return document.querySelectorAll('[data-testid=stored-mod]').length === 3")


@pytest.fixture
def any_keeping(player: Player, site: Site) -> Iterator[Player]:
    """Such a player in each engine in turn."""
    keep(player, site)
    yield player
    player.browser.open("about:blank")


@pytest.fixture
def keeping(chromium_player: Player, site: Site) -> Iterator[Player]:
    """Such a player in Chromium alone."""
    keep(chromium_player, site)
    yield chromium_player
    chromium_player.browser.open("about:blank")


def test_everything_kept_is_listed_with_cover_size_and_who_needs_it(any_keeping: Player) -> None:
    keeping = any_keeping
    keeping.until(
        "return document.querySelectorAll('[data-testid=stored-mod] asset-image[data-look=shown]').length === 3"
    )
    assert "just now" in keeping.words(LINE.format(TIDEWATER)) or "minute" in keeping.words(LINE.format(TIDEWATER))
    assert "needed by Tidewater" in keeping.words(LINE.format(f"{SAMPLES}/harbour-hall"))
    assert "3 versions of mods kept" in keeping.words("[data-testid=storage-total]")
    if keeping.browser.engine != "webkit":  # which does not say how much room there is
        assert keeping.do("return document.querySelector('meter').value > 0")
    assert keeping.do("return document.title").startswith("Storage")


def test_a_file_gone_bad_is_found_and_fetched_again(any_keeping: Player) -> None:
    keeping = any_keeping
    stored = Stored(keeping, SAMPLES, "tidewater")
    [reading] = stored.journals().values()
    place = reading.entries["media/cover.webp"].place
    stored.flip(f"segments/{place.segment}", place.offset + place.length // 2)
    keeping.press(f"{LINE.format(TIDEWATER)} [data-testid=repair-mod]")
    found = f'return document.querySelector("{LINE.format(TIDEWATER)} [role=status]").textContent'
    keeping.until(f"{found}.includes('fetched again')")
    keeping.press(f"{LINE.format(TIDEWATER)} [data-testid=repair-mod]")
    keeping.until(f"{found}.includes('all good')")


def test_one_is_forgotten_and_then_all(chromium: Chromium, keeping: Player) -> None:
    keeping.press(f"{LINE.format(f'{SAMPLES}/harbour-hall')} [data-testid=forget-kept]")
    keeping.until("return document.querySelectorAll('[data-testid=stored-mod]').length === 2")
    assert "no longer kept" in keeping.words("#announcements")
    assert keeping.do("return document.activeElement.localName") == "h1"
    chromium.page.once("dialog", lambda dialog: dialog.dismiss())
    keeping.press("[data-testid=clear-all]")
    assert keeping.do("return document.querySelectorAll('[data-testid=stored-mod]').length") == 2
    chromium.page.once("dialog", lambda dialog: dialog.accept())
    keeping.press("[data-testid=clear-all]")
    keeping.until("return document.querySelector('[data-testid=storage-empty]') !== null")
    assert keeping.call("cached") == []


def test_a_mod_another_tab_shows_is_not_forgotten(chromium: Chromium, keeping: Player) -> None:
    other = chromium.context.new_page()
    try:
        other.goto(f"{keeping.base}/?mod={TIDEWATER}")
        other.locator("html[data-state=open]").wait_for()
        keeping.browser.open(f"{keeping.base}/?storage")
        keeping.until("return document.querySelectorAll('[data-testid=stored-mod]').length === 3")
        assert "open in 1 tab" in keeping.words(LINE.format(TIDEWATER))
        keeping.press(f"{LINE.format(TIDEWATER)} [data-testid=forget-kept]")
        keeping.until("return document.querySelector('.storage [role=alert]') !== null")
        assert "Close other tabs" in keeping.words(".storage [role=alert]")
    finally:
        other.close()


def test_a_panel_whose_script_does_not_come_says_so_and_leads_back(chromium: Chromium, keeping: Player) -> None:
    keeping.visit()
    keeping.until("return peer.boot !== null")
    # Where there is no service worker yet, the network alone has it.
    chromium.page.context.route("**/assets/storage.*", lambda route: route.abort())
    keeping.do("await caches.delete((await caches.keys()).find(name => name.startsWith('site')))")
    keeping.press(".top a[href$=storage]")
    keeping.until("return document.querySelector('[data-code=incomplete]') !== null")
    chromium.page.context.unroute("**/assets/storage.*")
    assert "did not arrive" in keeping.words("h1")
    keeping.press("[data-testid=back]")
    keeping.until("return document.querySelector('[data-testid=mod-card]') !== null")


def test_the_pull_report_is_saved_from_the_table(chromium: Chromium, keeping: Player) -> None:
    keeping.open(TIDEWATER)
    keeping.until("return document.querySelector('[data-testid=save-report]') !== null")
    for place in ("table", "storage"):
        with chromium.page.expect_download() as download:
            keeping.press("[data-testid=save-report]")
        assert download.value.suggested_filename == "tablewright-samples-tidewater-pull-report.json"
        report = json.loads(download.value.path().read_text())
        assert {file["status"] for file in report["files"]} == {"cached"}, place
        keeping.press(".top a[href$=storage]")
        keeping.until("return document.querySelectorAll('[data-testid=stored-mod]').length === 3")
