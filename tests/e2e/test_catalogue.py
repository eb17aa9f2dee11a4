"""Finding a mod: filters and marks, a mod's own page, favourites and what was played last."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from server.fault import Fault
from tests.e2e.player import Player
from tests.e2e.site import SAMPLES, Site

TIDEWATER = f"{SAMPLES}/tidewater"
CARDS = "return [...document.querySelectorAll('[data-testid=mod-card]')].map(card => card.dataset.mod)"
STANDING = "return document.querySelector(`[data-testid=mod-card][data-mod='${given[0]}']`)?.dataset.standing"


@pytest.fixture(autouse=True)
def _published(site: Site) -> None:
    for repo in ("harbour-hall", "driftwood-table", "tidewater", "odd-names"):
        site.publish(SAMPLES, repo)


def forget_everything(player: Player) -> None:
    player.visit()
    player.until("return peer.boot !== null")
    player.do("localStorage.clear(); for (const {owner, repo} of await peer.cached()) await peer.forget(owner, repo)")
    player.visit()


@pytest.fixture
def fresh(chromium_player: Player) -> Iterator[Player]:
    """A player whose browser keeps no list and no mod of an earlier test."""
    forget_everything(chromium_player)
    yield chromium_player
    chromium_player.do("localStorage.clear()")


@pytest.fixture
def any_fresh(player: Player) -> Player:
    """Such a player in each engine in turn."""
    forget_everything(player)
    return player


def choose(player: Player, testid: str, value: str) -> None:
    player.do(
        "const field = document.querySelector(`[data-testid=${given[0]}]`); field.value = given[1];"
        "field.dispatchEvent(new Event('change', {bubbles: true}))",
        testid,
        value,
    )


def shelf(player: Player, name: str) -> None:
    player.until(
        "const tab = [...document.querySelectorAll('.tab')].find(each => each.textContent.trim().startsWith(given[0]));"
        "tab?.click(); return Boolean(tab)",
        name,
    )


def test_shelves_and_filters_show_what_fits(fresh: Player) -> None:
    fresh.until("return document.querySelectorAll('[data-testid=mod-card]').length > 0")
    shelf(fresh, "Rooms")
    fresh.until(f"const cards = (() => {{ {CARDS} }})(); return cards.includes('{SAMPLES}/harbour-hall')")
    assert f"{SAMPLES}/driftwood-table" not in fresh.do(CARDS)
    shelf(fresh, "Tables")
    fresh.until(f"const cards = (() => {{ {CARDS} }})(); return cards.includes('{SAMPLES}/driftwood-table')")
    shelf(fresh, "Games")
    fresh.until(f"const cards = (() => {{ {CARDS} }})(); return cards.includes('{TIDEWATER}')")
    choose(fresh, "players", "8")
    fresh.until(f"const cards = (() => {{ {CARDS} }})(); return !cards.includes('{TIDEWATER}')")
    if fresh.do("return document.querySelector('[data-testid=catalogue-empty]') !== null"):
        fresh.press("[data-testid=catalogue-empty] button")
    else:
        choose(fresh, "players", "")
    fresh.until(f"const cards = (() => {{ {CARDS} }})(); return cards.includes('{TIDEWATER}')")
    choose(fresh, "sort", "name")
    names = "return [...document.querySelectorAll('.card h3')].map(each => each.textContent.toLowerCase())"
    fresh.until(f"const names = (() => {{ {names} }})(); return String(names) === String([...names].sort())")


def test_a_card_says_whether_the_mod_is_here_and_whether_there_is_a_newer_one(any_fresh: Player, site: Site) -> None:
    fresh = any_fresh
    owner = site.copy("lantern-duel")
    name = f"{owner}/lantern-duel"
    site.publish(owner, "lantern-duel")
    fresh.open(name)
    fresh.visit()
    fresh.until(f"{STANDING} === 'cached'", name)
    site.commit(owner, "lantern-duel", {"README.md": b"New."})
    manifest = site.manifest(owner, "lantern-duel")
    site.commit(owner, "lantern-duel", {manifest["assets"][0]: b"other bytes"})
    site.publish(owner, "lantern-duel")
    fresh.visit()
    fresh.until(f"{STANDING} === 'update'", name)
    assert "Update ready" in fresh.words(f"[data-mod='{name}']")
    assert (
        fresh.do("return document.querySelector('[data-testid=recent-mod] a').getAttribute('href')") == f"./?mod={name}"
    )


def test_a_mod_has_a_page_of_its_own_that_pulls_nothing(any_fresh: Player, site: Site) -> None:
    fresh = any_fresh
    fresh.press(f".card h3 a[href*='{TIDEWATER}']")
    fresh.until("return document.querySelector('[data-testid=mod-page]') !== null")
    assert fresh.do("return location.search") == f"?about={TIDEWATER}"
    assert fresh.do("return document.title").startswith("Tidewater")
    assert fresh.do("return document.activeElement.localName") == "h1"
    assert fresh.do("return document.documentElement.dataset.state") == "lobby"
    fresh.until("return document.querySelector('asset-image.cover')?.dataset.look === 'shown'")
    # A screenshot is cropped as its manifest says.
    fresh.do("document.querySelector('.screenshots').scrollIntoView()")
    fresh.until("return document.querySelector('.screenshots asset-image.cropped[data-look=shown]') !== null")
    assert "to download" in fresh.words("[data-testid=mod-page]")
    assert "credit" in fresh.words("[data-testid=credits]").lower()
    assert "Current" in fresh.words("[data-testid=versions]")
    fresh.do("for (const fold of document.querySelectorAll('details')) fold.open = true")
    fresh.until("return document.querySelector('details mod-prose')?.innerText.length > 50")
    assert fresh.call("cached") == []
    assert not [path for path in site.asked_for(SAMPLES, "tidewater") if path.endswith((".glb", ".wav"))]

    fresh.press("[data-testid=mod-page] [data-testid=open-mod]")
    fresh.wait_open()
    fresh.do("history.back()")
    fresh.until("return document.querySelector('[data-testid=mod-page]') !== null")
    assert "Everything is on this device" in fresh.words("[data-testid=mod-page]")


def test_an_older_version_opens_from_the_mods_page(fresh: Player, site: Site) -> None:
    owner = site.mod("twice", {"a.webp": 100})
    first = site.publish(owner, "twice")
    site.commit(owner, "twice", {"a.webp": b"changed"})
    site.publish(owner, "twice")
    fresh.browser.open(f"{fresh.base}/?about={owner}/twice")
    fresh.press(f"[data-testid=versions] a[href*='{first['version']}']")
    fresh.wait_open()
    assert fresh.report()["version"] == first["version"]


def test_the_page_of_a_mod_that_is_not_there_says_so_and_leads_back(fresh: Player) -> None:
    fresh.browser.open(f"{fresh.base}/?about=nobody/nothing")
    fresh.until("return document.querySelector('.failed') !== null")
    assert "no such mod" in fresh.words("main")
    fresh.press("[data-testid=back]")
    fresh.until("return document.querySelector('[data-testid=mod-card]') !== null")


def test_the_page_of_a_repository_nobody_registered_says_it_is_a_preview(fresh: Player, site: Site) -> None:
    owner = site.copy("lantern-duel")
    fresh.browser.open(f"{fresh.base}/?about={owner}/lantern-duel")
    fresh.until("return document.querySelector('[data-testid=mod-page] [data-testid=preview-notice]') !== null")
    assert not site.origin.requests.all(host="api"), "the registry asked git"


def test_favourites_stay_in_this_browser(any_fresh: Player) -> None:
    fresh = any_fresh
    star = f"[data-testid=mod-card][data-mod='{TIDEWATER}'] [data-testid=favourite]"
    fresh.press(star)
    fresh.until("return document.querySelector(given[0]).getAttribute('aria-pressed') === 'true'", star)
    assert "favourite now" in fresh.words("#announcements")
    fresh.visit()
    shelf(fresh, "Favourites")
    fresh.until(f"const cards = (() => {{ {CARDS} }})(); return String(cards) === '{TIDEWATER}'")
    fresh.press(star)
    fresh.until("return document.querySelector('[data-testid=favourites-empty]') !== null")


def test_favourites_go_along_to_an_account(fresh: Player, site: Site) -> None:
    star = f"[data-testid=mod-card][data-mod='{TIDEWATER}'] [data-testid=favourite]"
    fresh.press(star)
    token = site.author.headers["authorization"].removeprefix("Bearer ")
    fresh.browser.open(f"{fresh.base}/#token={token}")
    fresh.until("return document.body.innerText.includes('You are signed in')")
    assert fresh.do("return location.hash") == ""

    def theirs() -> list[str]:
        found: httpx.Response = site.author.get("/api/favourites")
        return [f"{mod['owner']}/{mod['repo']}" for mod in found.json()["items"]]

    fresh.until("return fetch('api/favourites').then(answer => answer.json()).then(({items}) => items?.length > 0)")
    assert theirs() == [TIDEWATER]
    fresh.do("localStorage.clear()")
    fresh.visit()
    fresh.until("return document.querySelector(given[0])?.getAttribute('aria-pressed') === 'true'", star)
    fresh.press(star)
    fresh.until("return fetch('api/favourites').then(answer => answer.json()).then(({items}) => items?.length === 0)")
    fresh.do("await fetch('api/session', {method: 'DELETE'})")


def test_a_rate_limited_preview_says_when_it_ends(fresh: Player, site: Site) -> None:
    owner = site.copy("lantern-duel")
    site.origin.faults.on(f"/{owner}/*", then=Fault(status=503, body=b""))
    site.origin.budget.used = site.origin.budget.limit
    fresh.visit(f"{owner}/lantern-duel")
    assert fresh.wait("failed", "open") == "failed"
    assert "slow down" in fresh.words("h1")
    assert "It ends at" in fresh.words(".failed")
    assert "rate-limited" in fresh.do("return document.querySelector('[data-testid=report]').textContent")
