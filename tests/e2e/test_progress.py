"""The bar tells the truth while a slow origin serves, and there are two ways out of waiting."""

from __future__ import annotations

import time
from typing import Any

import pytest

from server.exchange import Request
from server.fault import Fault
from tests.browsers import PATIENCE
from tests.e2e.player import Player, Refusal, by_path
from tests.e2e.site import Site
from tests.repositories import spread_sizes

# Notes, whenever the page draws, what the bar reads and how many failures are listed; keeps going over close and open.
WATCH = """
    window.samples = [];
    new MutationObserver(() => {
        const {state} = document.documentElement.dataset;
        const bar = document.querySelector("[data-testid=progress]");
        const facts = [...document.querySelectorAll(".facts dd")].map(fact => fact.textContent);
        const failures = document.querySelectorAll("[data-testid=failures] li").length;
        window.samples.push({state, now: bar && bar.getAttribute("aria-valuenow"), role: bar && bar.role,
            least: bar && bar.getAttribute("aria-valuemin"), most: bar && bar.getAttribute("aria-valuemax"),
            facts, failures, at: performance.now(), percent: peer.view?.progress?.percent ?? null});
    }).observe(document.documentElement, {subtree: true, childList: true, attributes: true, characterData: true});
"""


def slow(site: Site, owner: str, bytes_per_second: float) -> None:
    """Each file of the owner's mods arrives at this rate from now on; manifest and setup at once."""

    def fault(request: Request) -> Fault | None:
        ours = request.host == "raw" and request.segments[0] == owner and not request.path.endswith(".json")
        return Fault(bytes_per_second=bytes_per_second) if ours else None

    site.origin.faults.when(fault)


def samples(player: Player) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = player.do("return window.samples")
    return found


def test_the_bar_never_falls_never_passes_100_and_ends_at_100(player: Player, site: Site) -> None:
    sizes = spread_sizes(40, 4_000_000)
    owner = site.mod("slow", {**sizes, "late.webp": 500_000})
    site.publish(owner, "slow")
    first, second = sorted(sizes)[:2]
    site.origin.faults.on(f"*/{first}", then=Fault(status=404, body=b"404: Not Found"))
    site.origin.faults.on(f"*/{second}", Fault(ending="cut", after=10))
    slow(site, owner, 400_000)
    player.visit()
    player.wait("lobby")
    player.do(WATCH)
    player.call("open", f"{owner}/slow")
    report = player.report()
    player.wait_open()
    files = by_path(report)
    assert files[first]["reason"] == "not-found"
    assert (files[second]["status"], files[second]["attempts"]) == ("downloaded", 2)

    seen = [sample for sample in samples(player) if sample["state"] == "loading" and sample["now"] is not None]
    assert {(sample["role"], sample["least"], sample["most"]) for sample in seen} == {("progressbar", "0", "100")}
    values = [int(sample["now"]) for sample in seen]
    assert values == sorted(values)
    assert len(set(values)) > 5
    assert values[0] >= 0
    assert values[-1] <= 100
    assert player.do("return peer.view.progress.percent") == 100
    assert player.do("return peer.view.progress.filesDone === peer.view.progress.filesTotal")
    # A failure is told before the rest is there.
    assert any(sample["failures"] == 1 for sample in seen)
    # Bytes of bytes, files of files, a rate and a time left.
    middle = [sample["facts"] for sample in seen if 20 < int(sample["now"]) < 90]
    assert any(len(facts) == 4 and " of 4.5" in facts[0].replace("4.50", "4.5") for facts in middle), middle[:3]
    assert any("a second" in facts[2] and "left" in facts[3] for facts in middle)


def test_views_come_at_most_ten_times_a_second(chromium_player: Player, site: Site) -> None:
    owner = site.mod("many", spread_sizes(60, 1_500_000))
    site.publish(owner, "many")
    chromium_player.visit()
    chromium_player.wait("lobby")
    chromium_player.do("""
        window.drawn = [];
        let before = peer.view;
        peer.subscribe(() => {
            if (peer.view !== before && peer.view) window.drawn.push(performance.now());
            before = peer.view;
        });
    """)
    slow(site, owner, 100_000)
    chromium_player.call("open", f"{owner}/many")
    drawn = chromium_player.do("return window.drawn")
    assert len(drawn) > 3
    spent = (drawn[-1] - drawn[0]) / 1000
    # The first and the last view stand at the ends of the count.
    assert len(drawn) <= spent * 10 + 2


def test_open_now_opens_while_the_rest_goes_on_arriving(player: Player, site: Site) -> None:
    owner = site.mod("patient", {f"art/{number}.webp": 60_000 for number in range(12)})
    site.publish(owner, "patient")
    slow(site, owner, 40_000)
    player.visit(f"{owner}/patient")
    player.press("[data-testid=open-now]")
    player.wait_open()
    report = player.report()
    pending = [path for path, file in by_path(report).items() if file["status"] == "pending"]
    assert pending
    assert player.do("return document.querySelector('[data-testid=progress]') !== null")
    # What has not arrived is live at once.
    assert player.call("assetUrl", pending[-1])["source"] == "live"
    site.origin.faults.clear()
    player.until("return !peer.view.pulling")
    settled = player.report()
    assert {file["status"] for file in settled["files"]} == {"downloaded"}
    assert player.call("assetUrl", pending[-1])["source"] == "cache"
    player.until("return document.querySelector('[data-testid=progress]') === null")
    player.until("return document.querySelectorAll('[data-testid=asset][data-status=downloaded]').length >= 12")


def test_cancel_ends_the_transfers_and_keeps_what_had_come(player: Player, site: Site) -> None:
    # Models, because the open table shows pictures, and would fetch them live.
    owner = site.mod("long", {"first.glb": 2_000, **{f"art/{number}.glb": 400_000 for number in range(100)}})
    site.publish(owner, "long")

    def fault(request: Request) -> Fault | None:
        big = request.segments[0] == owner and "/art/" in request.path
        return Fault(bytes_per_second=20_000) if big else None

    site.origin.faults.when(fault)
    player.visit(f"{owner}/long")
    player.until(
        "return peer.view?.state === 'loading'"
        " && (await peer.report()).files.some(({path, status}) => path === 'first.glb' && status === 'downloaded')"
    )
    player.call("cancel")
    player.until("return !peer.view.pulling")
    report = player.report()
    files = by_path(report)
    assert files["first.glb"]["status"] == "downloaded"
    cancelled = {path for path, file in files.items() if file["reason"] == "cancelled"}
    assert cancelled == {path for path in files if path.startswith("art/")}
    # The origin sees the connections go. Firefox still sends what it had queued before it drops that too, but nothing
    # is asked for again and nothing arrives.
    _until_gone(player, site, owner)
    asked = site.asked_for(owner, "long")
    assert len(set(asked)) == len(asked)
    assert {exchange.ended for exchange in site.origin.requests.all(f"/{owner}/*/art/*")} <= {"gone", "cut"}
    assert player.call("report") == report

    player.call("close")
    site.origin.faults.clear()
    again = by_path(player.open(f"{owner}/long"))
    assert again["first.glb"]["status"] == "cached"
    assert {again[path]["status"] for path in cancelled} == {"downloaded"}


def test_the_cancel_button_leads_back_to_the_catalogue_and_ends_the_transfers(player: Player, site: Site) -> None:
    owner = site.mod("unwanted", {f"art/{number}.webp": 400_000 for number in range(20)})
    site.publish(owner, "unwanted")
    slow(site, owner, 20_000)
    player.visit(f"{owner}/unwanted")
    player.until("return peer.view?.progress?.current.length > 0")
    player.press("[data-testid=cancel]")
    player.wait("lobby")
    assert player.do("return location.search") == ""
    _until_gone(player, site, owner)
    with pytest.raises(Refusal) as refused:
        player.report()
    assert refused.value.code == "not-open"
    assert player.do("return peer.blobUrls()") == 0


def _until_gone(player: Player, site: Site, owner: str) -> None:
    """Wait until the origin sends nothing of the owner's mods any more."""
    ends = time.monotonic() + PATIENCE
    while any(exchange.ended == "open" for exchange in site.origin.requests.all(f"/{owner}/*")):
        assert time.monotonic() < ends
        player.do("await new Promise(resolve => setTimeout(resolve, 20))")
