"""Signing in and out, in each way there is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from server.app import create_app
from server.settings import Limits
from tests.browsers import Chromium
from tests.e2e.player import Player
from tests.e2e.site import SAMPLES, Site, new_owner
from tests.e2e.static_host import hosted
from tests.server.served import served

SIGNED_IN = "return document.querySelector('.menu-name')?.textContent === given[0]"


def visit_sign_in(player: Player) -> None:
    player.browser.open(f"{player.base}/?sign-in")
    player.until("return document.querySelector('[data-testid=token-form]') !== null")


def give_token(player: Player, token: str) -> None:
    player.write("#token", token)
    player.press("[data-testid=token-form] button")


@pytest.fixture
def guest(chromium_player: Player) -> Iterator[Player]:
    """A player who is signed in nowhere, and leaves nobody signed in."""
    chromium_player.visit()
    chromium_player.sign_out()
    yield chromium_player
    chromium_player.visit()
    chromium_player.sign_out()


def test_a_signed_out_visit_of_my_projects_leads_to_sign_in_and_back_by_keyboard_alone(
    guest: Player, chromium: Chromium, site: Site
) -> None:
    keyboard = chromium.page.keyboard

    def tab_to(selector: str) -> None:
        for _ in range(20):
            if guest.do("return document.activeElement.matches(given[0])", selector):
                return
            keyboard.press("Tab")
        raise AssertionError(f"{selector} was not reached: {guest.do('return document.activeElement.outerHTML')}")

    owner = site.copy("lantern-duel")
    with site.person() as person:
        guest.browser.open(f"{guest.base}/?projects")
        guest.until("return document.querySelector('[data-testid=projects-signed-out]') !== null")
        tab_to("[data-testid=projects-signed-out] a")
        keyboard.press("Enter")
        guest.until("return document.activeElement.localName === 'h1' && location.search === '?sign-in'")
        tab_to("#token")
        keyboard.type("wrong")
        keyboard.press("Enter")
        guest.until("return document.querySelector('[data-code=unknown-token]') !== null")
        guest.until("return document.activeElement.id === 'token'")
        keyboard.press("ControlOrMeta+a")
        keyboard.type(person.token)
        keyboard.press("Enter")
        guest.until(SIGNED_IN, person.name)
        guest.until("return document.querySelector('[data-testid=projects-empty]') !== null")
        assert guest.do("return location.search") == "?projects"
        # Linked and published without a mouse, too.
        tab_to("#link")
        keyboard.type(f"https://github.com/{owner}/lantern-duel")
        keyboard.press("Enter")
        guest.until("return document.querySelector('[data-testid=project]') !== null")
        tab_to("[data-testid=publish]")
        keyboard.press("Enter")
        guest.until("return document.querySelector('[data-testid=project-version]') !== null")
        assert "Published" in guest.words("#announcements")


def test_an_invite_code_and_a_name_make_an_account_whose_token_is_shown_once(
    guest: Player, chromium: Chromium, site: Site
) -> None:
    code = site.invites.issue()
    with site.person() as person:
        visit_sign_in(guest)
        guest.write("#invite", code.lower().replace("-", " "))
        guest.write("#name", person.name)
        guest.press("[data-testid=invite-form] button")
        guest.until("return document.querySelector('[data-code=name-taken]') !== null")
        guest.until("return document.activeElement.id === 'name'")
    name = new_owner()
    guest.write("#name", name)
    guest.press("[data-testid=invite-form] button")
    guest.until("return document.querySelector('[data-testid=welcome]') !== null")
    token = guest.do("return document.querySelector('[data-testid=token]').value")
    chromium.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=guest.base)
    guest.press("[data-testid=copy-token]")
    guest.until("return document.querySelector('.shown-token [role=status]').textContent === 'Copied.'")
    assert guest.do("return navigator.clipboard.readText()") == token
    guest.press("[data-testid=go-on]")
    guest.until("return document.querySelector('[data-testid=mod-card]') !== null")
    guest.until(SIGNED_IN, name)
    assert token not in guest.do("return document.documentElement.outerHTML")

    # The menu makes another one, which ends the first.
    summary = chromium.page.locator("[data-testid=account-menu] summary")
    summary.press("Enter")
    chromium.page.keyboard.press("Tab")
    assert guest.do("return document.activeElement.textContent") == "My projects"
    chromium.page.keyboard.press("Escape")
    assert guest.do("return document.activeElement.localName") == "summary"
    assert guest.do("return document.querySelector('[data-testid=account-menu]').open") is False
    summary.press("Enter")
    guest.press("[data-testid=new-token]")
    guest.press("[data-testid=make-token]")
    renewed = guest.until("return document.querySelector('dialog[open] [data-testid=token]')?.value")
    guest.press("[data-testid=token-done]")
    guest.until("return document.querySelector('dialog[open]') === null")
    guest.until("return document.querySelector('[data-testid=token]') === null")
    guest.press("[data-testid=sign-out]")
    # The menu's own links are gone with it.
    guest.until("return document.querySelector('#account > a') !== null")
    assert guest.do("return (await (await fetch('api/session')).json()).account") is None
    visit_sign_in(guest)
    give_token(guest, token)
    guest.until("return document.querySelector('[data-code=unknown-token]') !== null")
    give_token(guest, renewed)
    guest.until(SIGNED_IN, name)


def test_too_many_tries_say_when_they_end_and_offline_says_so(guest: Player, chromium: Chromium, site: Site) -> None:
    settings = replace(site.settings, limits=Limits(failed_sign_ins=1))
    with served(create_app(settings)) as base:
        limited = Player(chromium, base)
        visit_sign_in(limited)
        give_token(limited, "wrong")
        limited.until("return document.querySelector('[data-kind=refusal]') !== null")
        give_token(limited, "wrong")
        limited.until("return document.querySelector('[data-code=rate-limited]') !== null")
        assert "It ends at" in limited.words("[data-code=rate-limited]")
        chromium.context.set_offline(True)
        try:
            give_token(limited, "wrong")
            limited.until("return document.querySelector('[data-code=offline]') !== null")
        finally:
            chromium.context.set_offline(False)


def test_who_is_signed_in_is_asked_again_when_there_is_a_network(guest: Player, chromium: Chromium, site: Site) -> None:
    with site.person() as person:
        guest.sign_in(person.token)
        chromium.page.route("**/api/session", lambda route: route.abort())
        guest.browser.open(f"{guest.base}/?projects")
        guest.until("return document.querySelector('[data-testid=projects-unreachable]') !== null")
        chromium.page.unroute("**/api/session")
        guest.do("dispatchEvent(new Event('online'))")
        guest.until("return document.querySelector('[data-testid=projects-empty]') !== null")


@pytest.fixture
def with_github(site: Site) -> Iterator[str]:
    """The address of the same registry, where people sign in with GitHub."""
    before = site.origin.logins.interval
    site.origin.logins.interval = 1
    with served(create_app(replace(site.settings, github_client_id="client"))) as base:
        yield base
    site.origin.logins.interval = before


def test_a_code_entered_on_github_signs_in_and_can_be_given_up(
    with_github: str, chromium: Chromium, site: Site
) -> None:
    player = Player(chromium, with_github)
    login = new_owner()
    visit_sign_in(player)
    player.press("[data-testid=github-start]")
    code = player.until("return document.querySelector('[data-testid=user-code]')?.value")
    assert player.words("[aria-labelledby=github-heading] a").startswith(f"{site.origin.git}/login/device")
    assert code in player.words("#announcements")
    player.press("[data-testid=github-cancel]")
    player.until("return document.activeElement.dataset.testid === 'github-start'")
    player.press("[data-testid=github-start]")
    code = player.until("return document.querySelector('[data-testid=user-code]')?.value")
    site.origin.logins.deny(code)
    player.until("return document.querySelector('[data-code=sign-in-refused]') !== null")
    player.press("[data-testid=github-start]")
    code = player.until("return document.querySelector('[data-testid=user-code]')?.value")
    site.origin.logins.approve(code, login)
    player.until(SIGNED_IN, login)
    player.until("return document.querySelector('[data-testid=mod-card]') !== null")
    player.sign_out()


def test_a_page_without_a_registry_says_that_there_are_no_accounts(chromium: Chromium, site: Site) -> None:
    with hosted(site) as base:
        player = Player(chromium, base)
        for page, testid in (("sign-in", "sign-in-nowhere"), ("projects", "projects-signed-out")):
            player.browser.open(f"{base}/?{page}")
            player.until("return document.querySelector(`[data-testid=${given[0]}]`) !== null", testid)
            assert "no accounts here" in player.words("main")
            player.until("return document.querySelector('#account').childElementCount === 0")


def test_a_page_of_another_site_sends_people_to_the_registry_s_own(chromium: Chromium, site: Site) -> None:
    with hosted(site, site.base) as base:
        player = Player(chromium, base)
        player.browser.open(f"{base}/?projects")
        player.press("[data-testid=projects-signed-out] a")
        player.until("return document.querySelector('[data-testid=sign-in-elsewhere]') !== null")
        assert player.do("return document.querySelector('main .primary').href") == f"{site.base}/?sign-in"


@pytest.fixture(autouse=True)
def _published(site: Site) -> None:
    site.publish(SAMPLES, "tidewater")
