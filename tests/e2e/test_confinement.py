"""Nothing leaves the site except to the registry and to the hosts of mods."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Request

from tests.browsers import Chromium
from tests.e2e.player import Player
from tests.e2e.site import SAMPLES, Site


@pytest.fixture
def requested(chromium: Chromium) -> Iterator[list[str]]:
    """Every address Chromium asked for meanwhile, its workers included."""
    addresses: list[str] = []

    def note(request: Request) -> None:
        addresses.append(request.url)

    chromium.context.on("request", note)
    yield addresses
    chromium.context.remove_listener("request", note)


def test_requests_go_to_the_site_and_the_hosts_of_mods_alone(
    chromium_player: Player, site: Site, requested: list[str], chromium: Chromium
) -> None:
    for repo in ("harbour-hall", "driftwood-table", "tidewater", "broken-crate"):
        site.publish(SAMPLES, repo)
    chromium_player.visit()
    chromium_player.wait("lobby")
    chromium_player.until("return document.querySelector('.card a') !== null")
    chromium_player.open(f"{SAMPLES}/tidewater")
    chromium_player.until("return document.querySelector('mod-prose a') !== null")
    chromium_player.press("details summary")
    chromium_player.open(f"{SAMPLES}/broken-crate")
    chromium_player.until("return document.querySelector('mod-prose a') !== null")
    chromium_player.visit(f"{site.mod('preview', {'a.webp': 10})}/preview")
    chromium_player.wait_open()
    hosts = {urlsplit(url).netloc for url in requested if urlsplit(url).scheme not in {"blob", "data"}}
    allowed = {urlsplit(url).netloc for url in (site.base, site.origin.raw, site.origin.media, site.origin.api)}
    # The worker's requests are among those seen.
    assert urlsplit(site.origin.raw).netloc in hosts
    assert hosts <= allowed
    assert [line for line in chromium.console if "Content Security Policy" in line] == []


def test_the_policy_refuses_any_other_host(player: Player) -> None:
    player.visit()
    player.wait("lobby")
    refused = player.do("""
        const refused = [];
        document.addEventListener("securitypolicyviolation", event => refused.push(event.effectiveDirective));
        await fetch("https://elsewhere.example/").catch(() => undefined);
        for (const [tag, key] of [["img", "src"], ["script", "src"], ["iframe", "src"], ["audio", "src"]]) {
            const element = document.createElement(tag);
            element[key] = "https://elsewhere.example/x";
            document.body.append(element);
        }
        const style = document.createElement("link");
        style.rel = "stylesheet";
        style.href = "https://elsewhere.example/x.css";
        document.body.append(style);
        while (refused.length < 6) await new Promise(resolve => setTimeout(resolve, 10));
        return refused;
    """)
    directives = {directive.removesuffix("-elem") for directive in refused}
    assert directives == {"connect-src", "img-src", "script-src", "frame-src", "media-src", "style-src"}


def test_the_page_runs_neither_inline_script_nor_eval(player: Player) -> None:
    player.visit()
    player.wait("lobby")
    ran = player.do("""
        const script = document.createElement("script");
        script.textContent = "window.ran = true";
        document.body.append(script);
        const image = document.createElement("img");
        image.setAttribute("onerror", "window.ran = true");
        image.src = "data:,";
        document.body.append(image);
        await new Promise(resolve => image.addEventListener("error", resolve));
        try { (0, eval)("window.ran = true"); } catch {}
        return window.ran ?? false;
    """)
    # Firefox's driver evaluates outside the page's policy; there eval from here proves nothing.
    if player.browser.engine != "firefox":
        assert not ran
