"""What a first visit is like: something to see at once, nothing that jumps, little to download."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.browsers import Chromium
from tests.e2e.player import Player
from tests.e2e.site import SAMPLES, Site

PAGE_JAVASCRIPT: Final = 60_000
"""Bytes, compressed: all the page runs for catalogue and open table, without what shows single files and texts."""
READER: Final = ("/assets/marked.", "/assets/purify.")
"""The Markdown reader's packages: they come with the first text of a mod."""

# As web.dev counts it: shifts within five seconds and a second of each other, without those a key or click has caused.
_SHIFTS: Final = """
    window.shifts = [];
    new PerformanceObserver(list => {
        for (const {value, hadRecentInput, startTime} of list.getEntries()) {
            if (!hadRecentInput) window.shifts.push([startTime, value]);
        }
    }).observe({type: "layout-shift", buffered: true});
"""


@pytest.fixture
def newcomer(chromium: Chromium, site: Site) -> Iterator[Player]:
    """A player with an empty cache, whose page keeps count."""
    for repo in ("harbour-hall", "driftwood-table", "tidewater", "odd-names"):
        site.publish(SAMPLES, repo)
    session = chromium.context.new_cdp_session(chromium.page)
    session.send("Page.enable")
    session.send("Network.enable")
    session.send("Network.clearBrowserCache")
    session.send("Storage.clearDataForOrigin", {"origin": site.base, "storageTypes": "all"})
    counter = session.send("Page.addScriptToEvaluateOnNewDocument", {"source": _SHIFTS})
    yield Player(chromium, site.base)
    session.send("Page.removeScriptToEvaluateOnNewDocument", counter)
    session.detach()


def layout_shift(player: Player) -> float:
    """Cumulative layout shift: the worst session window."""
    worst = window = 0.0
    first = last = float("-inf")
    for at, value in player.do("return window.shifts"):
        if at - last > 1000 or at - first > 5000:
            window, first = 0.0, at
        window, last = window + value, at
        worst = max(worst, window)
    return worst


def javascript(player: Player, dist: Path) -> dict[str, int]:
    """Bytes, as gzip makes them, of each script that the page itself has loaded; the worker's are its own."""
    names: list[str] = player.do(
        "return performance.getEntriesByType('resource').map(({name}) => new URL(name).pathname)"
        ".filter(path => path.endsWith('.js'))"
    )
    return {name: len(gzip.compress((dist / name[1:]).read_bytes(), 9)) for name in names}


def test_something_is_seen_before_python_is_up_and_nothing_jumps(newcomer: Player) -> None:
    newcomer.visit()
    newcomer.until("return document.querySelectorAll('.card h3').length > 1 && peer.boot !== null")
    painted, ready = newcomer.do(
        "return [performance.getEntriesByName('first-contentful-paint')[0].startTime,"
        "performance.getEntriesByName('peer-ready')[0].startTime]"
    )
    assert painted < ready
    shift = layout_shift(newcomer)
    print(f"\ncatalogue: first paint {painted:.0f} ms, Python ready {ready:.0f} ms, layout shift {shift:.3f}")
    assert shift < 0.05


def test_an_open_table_does_not_jump_either(newcomer: Player) -> None:
    newcomer.open(f"{SAMPLES}/tidewater")
    newcomer.until("return document.querySelector('asset-image.cover')?.dataset.look === 'shown'")
    shift = layout_shift(newcomer)
    print(f"\nopen table: layout shift {shift:.3f}")
    assert shift < 0.05


def test_the_page_s_own_scripts_are_light(newcomer: Player, dist: Path) -> None:
    newcomer.visit()
    newcomer.until("return document.querySelectorAll('.card h3').length > 1 && peer.boot !== null")
    catalogue = javascript(newcomer, dist)
    newcomer.open(f"{SAMPLES}/tidewater")
    newcomer.until("return document.querySelector('mod-prose')?.innerText.length > 20")
    table = javascript(newcomer, dist)
    sizes = {**catalogue, **table}
    reader = sum(size for name, size in sizes.items() if name.startswith(READER))
    own = sum(sizes.values()) - reader
    print(f"\npage JavaScript, gzip: catalogue {sum(catalogue.values())}, table {own}, reader of texts {reader} bytes")
    assert reader > 0
    assert not [name for name in catalogue if name.startswith(READER)]
    assert own < PAGE_JAVASCRIPT, sorted(sizes.items(), key=lambda item: -item[1])


def test_the_page_can_be_installed(chromium: Chromium, newcomer: Player) -> None:
    newcomer.visit()
    newcomer.until("return navigator.serviceWorker.getRegistration().then(found => Boolean(found?.active))")
    session = chromium.context.new_cdp_session(chromium.page)
    assert session.send("Page.getInstallabilityErrors")["installabilityErrors"] == []
    manifest = session.send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert json.loads(manifest["data"])["display"] == "standalone"
    session.detach()
