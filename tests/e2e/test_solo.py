"""The page on a static host without a registry: any public repository, straight from GitHub, for one player alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browsers import Browser
from tests.e2e.player import Player, statuses
from tests.e2e.site import Site
from tests.e2e.static_host import hosted


@pytest.fixture
def static_host(site: Site) -> Iterator[str]:
    with hosted(site) as base:
        yield base


@pytest.fixture
def soloist(any_browser: Browser, static_host: str) -> Player:
    any_browser.console.clear()
    return Player(any_browser, static_host)


def api_calls(site: Site) -> list[str]:
    return [exchange.path for exchange in site.origin.requests.all(host="api")]


def test_a_repository_that_is_typed_opens_as_a_preview_for_one_call(soloist: Player, site: Site) -> None:
    owner = site.copy("lantern-duel")
    soloist.visit()
    soloist.wait("lobby")
    assert "Preview a mod" in soloist.words("h1")
    soloist.until(
        "const field = document.querySelector('#repository'); if (!field) return false;"
        "field.value = given[0]; field.form.requestSubmit(); return true",
        f"https://github.com/{owner}/lantern-duel",
    )
    soloist.wait_open()
    assert "Solo preview" in soloist.words("[data-testid=preview-notice]")
    report = soloist.report()
    assert set(statuses(report).values()) == {"downloaded"}
    assert len(report["version"]) == 40
    assert api_calls(site) == [f"/repos/{owner}/lantern-duel/commits/HEAD"]
    assert soloist.digests(statuses(report)) == {
        path: digest for path, digest in site.sha256(owner, "lantern-duel").items() if path in statuses(report)
    }
    assert not [line for line in soloist.browser.console if "Content Security Policy" in line]


def test_a_link_to_a_commit_costs_no_call(soloist: Player, site: Site) -> None:
    owner = site.copy("lantern-duel")
    soloist.visit(f"{owner}/lantern-duel")
    soloist.wait_open()
    version = soloist.report()["version"]
    before = len(api_calls(site))
    soloist.visit(f"{owner}/lantern-duel", version)
    soloist.wait_open()
    assert soloist.report()["version"] == version
    assert len(api_calls(site)) == before


def test_when_the_calls_are_used_up_what_is_kept_opens_and_the_rest_says_until_when(
    soloist: Player, site: Site
) -> None:
    kept, other = site.copy("lantern-duel"), site.copy("lantern-duel")
    soloist.open(f"{kept}/lantern-duel")
    soloist.until("return peer.cached().then(({length}) => length > 0)")
    soloist.until(
        "return navigator.locks.query().then(({held}) => !held.some(({name}) => name.startsWith('peer:pull')))"
    )
    site.origin.budget.used = site.origin.budget.limit
    soloist.visit(f"{other}/lantern-duel")
    assert soloist.wait("failed", "open") == "failed"
    assert "It ends at" in soloist.words(".failed")
    # GitHub lets browsers keep its answer for a minute, so this may not even have needed a call.
    assert set(statuses(soloist.open(f"{kept}/lantern-duel")).values()) == {"cached"}


def test_a_repository_that_is_not_there_says_so(soloist: Player) -> None:
    soloist.visit("nobody/nothing")
    assert soloist.wait("failed", "open") == "failed"
    assert "no such mod" in soloist.words("h1")
