"""The main job in every engine: a player opens a published mod, comes back, and gets what was published meanwhile."""

from __future__ import annotations

import json
import time

import pytest

from server.fault import Fault
from tests.browsers import launched
from tests.e2e.player import STORE, Player, Refusal, by_path, statuses
from tests.e2e.site import SAMPLES, Site, declared_paths
from tests.repositories import MANIFEST, read

TIDEWATER = f"{SAMPLES}/tidewater"
PACKS = ("harbour-hall", "driftwood-table")

# The names of CONTRACT.md, "PullReport".
REPORT_KEYS = {
    "owner", "repo", "ref", "version", "store", "boot", "files", "bytesTotal", "bytesFetched", "bytesCarried",
    "startedAt", "ms", "superseded", "packs",
}  # fmt: skip
FILE_KEYS = {"path", "status", "bytes", "verified", "sha256", "reason", "attempts", "ms"}

# Notes each state the page goes through from now on.
WATCH_STATES = """
    const root = document.documentElement;
    window.states = [root.dataset.state];
    new MutationObserver(() => {
        if (window.states.at(-1) !== root.dataset.state) window.states.push(root.dataset.state);
    }).observe(root, {attributeFilter: ["data-state"]});
"""


@pytest.fixture(autouse=True)
def _published(site: Site) -> None:
    for repo in (*PACKS, "tidewater"):
        site.publish(SAMPLES, repo)


@pytest.fixture
def copied(site: Site) -> str:
    """The owner of a copy of Tidewater that is published and nobody has opened."""
    owner = site.copy("tidewater")
    site.publish(owner, "tidewater")
    return owner


def test_a_mod_opens_with_every_declared_file_in_the_report(player: Player, site: Site) -> None:
    record = site.author.get("/api/mods", params={"repo": TIDEWATER}).json()["items"][0]
    started = time.time() * 1000
    report = player.open(TIDEWATER)
    git = site.sha256(SAMPLES, "tidewater")
    assert report.keys() >= REPORT_KEYS
    named = {key: report[key] for key in ("owner", "repo", "ref", "version", "store", "boot", "superseded")}
    assert named == {
        "owner": SAMPLES,
        "repo": "tidewater",
        "ref": record["commitSha"],
        "version": record["version"],
        "store": STORE[player.browser.engine],
        "boot": "snapshot",
        "superseded": [],
    }
    files = by_path(report)
    assert files.keys() == declared_paths(site.manifest(SAMPLES, "tidewater"))
    for path, file in files.items():
        assert file.keys() == FILE_KEYS
        outcome = {key: file[key] for key in ("status", "verified", "sha256", "reason", "attempts")}
        assert outcome == {
            "status": "downloaded",
            "verified": True,
            "sha256": git[path],
            "reason": None,
            "attempts": 1,
        }, path
        assert file["ms"] >= 0
    assert sorted(site.asked_for(SAMPLES, "tidewater")) == sorted(files)
    assert report["bytesTotal"] == sum(file["bytes"] for file in files.values())
    assert report["bytesFetched"] == report["bytesTotal"]
    assert report["bytesCarried"] == 0
    assert started - 60_000 < report["startedAt"] < started + 60_000
    assert 0 < report["ms"] < 60_000


def test_its_packs_load_in_scopes_of_their_own_at_the_pinned_commit(player: Player, site: Site) -> None:
    report = player.open(TIDEWATER)
    packs = {pack["repo"]: pack for pack in report["packs"]}
    assert packs.keys() == set(PACKS)
    setup = json.loads(read(site.mods / SAMPLES / "tidewater", "setup.json"))
    pins = {reference["packId"]: reference["commitSha"] for reference in setup["packRefs"]}
    kept = {mod["repo"]: mod for mod in player.call("cached") if mod["owner"] == SAMPLES}
    for repo, pack in packs.items():
        assert pack["version"] == pack["ref"] == pins[repo]
        files = by_path(pack)
        assert files.keys() == declared_paths(site.manifest(SAMPLES, repo))
        assert all(file["verified"] and file["status"] in {"downloaded", "cached"} for file in files.values())
        assert player.digests(files, f"{SAMPLES}/{repo}").items() <= site.sha256(SAMPLES, repo).items()
        assert kept[repo]["version"] == pins[repo]
        assert kept[repo]["files"] == len(files)


def test_a_pack_pinned_at_an_older_commit_loads_from_that_commit(player: Player, site: Site) -> None:
    site.publish("Lantern-Guild", "tidewater-tournament")
    report = player.open("Lantern-Guild/tidewater-tournament")
    [pack] = report["packs"]
    assert pack["version"] != site.publish(SAMPLES, "harbour-hall")["version"]
    old = site.sha256(SAMPLES, "harbour-hall", pack["version"])
    assert {path: file["sha256"] for path, file in by_path(pack).items()}.items() <= old.items()
    assert all(file["verified"] for file in pack["files"])


def test_a_reload_serves_everything_from_the_cache_and_asks_the_origin_nothing(player: Player, site: Site) -> None:
    first = player.open(TIDEWATER)
    site.origin.requests.reset()
    again = player.open(TIDEWATER)
    for report in (again, *again["packs"]):
        assert set(statuses(report).values()) == {"cached"}
        assert all(file["verified"] for file in report["files"])
        assert report["bytesFetched"] == 0
    assert statuses(again).keys() == statuses(first).keys()
    asset = player.call("assetUrl", "assets/board/sea-chart.webp")
    assert (asset["source"], asset["verified"]) == ("cache", True)
    assert asset["url"].startswith(f"blob:{player.base}/")
    assert player.digests(statuses(again)).items() <= site.sha256(SAMPLES, "tidewater").items()
    assert site.origin.requests.all() == ()


def test_states_go_from_booting_over_loading_to_open(player: Player, site: Site, copied: str) -> None:
    site.origin.latency_ms = 50
    player.visit(f"{copied}/tidewater")
    player.do(WATCH_STATES)
    player.wait_open()
    states = player.do("return window.states")
    assert states in (["booting", "loading", "open"], ["loading", "open"])
    player.call("close")
    player.until("return window.states.at(-1) === 'lobby'")


def test_a_new_publish_brings_only_what_changed_and_the_old_version_goes(
    player: Player, site: Site, copied: str
) -> None:
    mod = f"{copied}/tidewater"
    first = player.open(mod)
    manifest = site.manifest(copied, "tidewater")
    manifest["assets"] = [*manifest["assets"], "assets/board/new.webp"]
    manifest["assets"].remove("assets/sounds/harbour-bell.wav")
    changes = {
        MANIFEST: json.dumps(manifest).encode(),
        "assets/board/sea-chart.webp": b"a chart of other seas",
        "assets/board/new.webp": b"an island",
        "assets/sounds/harbour-bell.wav": None,
    }
    sha = site.commit(copied, "tidewater", changes)
    unpublished = player.open(mod)
    assert unpublished["version"] == first["version"]

    assert site.publish(copied, "tidewater")["version"] == sha
    site.origin.requests.reset()
    second = player.open(mod)
    assert (second["version"], second["ref"]) == (sha, sha)
    assert _superseded(player, 1) == [first["version"]]
    changed = {path for path, content in changes.items() if content is not None}
    files = by_path(second)
    assert files.keys() == declared_paths(manifest)
    assert {path for path, file in files.items() if file["status"] == "downloaded"} == changed
    assert {path for path, file in files.items() if file["status"] == "carried"} == files.keys() - changed
    assert all(file["verified"] for file in files.values())
    assert second["bytesCarried"] == sum(file["bytes"] for file in files.values() if file["status"] == "carried")
    assert set(site.asked_for(copied, "tidewater")) == changed
    assert player.digests(files).items() <= site.sha256(copied, "tidewater").items()
    kept = [entry for entry in player.call("cached") if entry["owner"] == copied]
    assert [(entry["repo"], entry["version"], entry["files"]) for entry in kept] == [("tidewater", sha, len(files))]

    site.origin.requests.reset()
    assert set(statuses(player.open(mod)).values()) == {"cached"}
    assert site.asked_for(copied, "tidewater") == []


def test_a_publish_that_changes_one_file_fetches_that_file_alone(player: Player, site: Site, copied: str) -> None:
    mod = f"{copied}/tidewater"
    player.open(mod)
    site.commit(copied, "tidewater", {"media/cover.webp": b"another cover"})
    site.publish(copied, "tidewater")
    site.origin.requests.reset()
    report = player.open(mod)
    assert report["bytesFetched"] == len(b"another cover")
    assert site.asked_for(copied, "tidewater") == ["media/cover.webp"]


def test_a_file_that_fails_resolves_live_and_the_table_is_open(player: Player, site: Site, copied: str) -> None:
    path = "assets/board/sea-chart.webp"
    site.origin.faults.on(f"/{copied}/tidewater/*/{path}", Fault(status=404, body=b"404: Not Found"))
    report = player.open(f"{copied}/tidewater")
    file = by_path(report).pop(path)
    assert (file["status"], file["reason"], file["verified"], file["sha256"]) == ("failed", "not-found", False, None)
    assert {other["status"] for other in report["files"] if other is not file and other["path"] != path} == {
        "downloaded"
    }
    asset = player.call("assetUrl", path)
    assert asset["url"].startswith(f"{site.origin.raw}/{copied}/tidewater/{report['ref']}/")
    assert (asset["source"], asset["verified"]) == ("live", False)
    assert player.digests([path])[path] == site.sha256(copied, "tidewater")[path]
    assert path in player.words("[data-testid=failures]")


def test_a_link_to_a_version_opens_that_version_beside_the_current_one(player: Player, site: Site, copied: str) -> None:
    mod = f"{copied}/tidewater"
    old = player.open(mod)["version"]
    between = site.commit(copied, "tidewater", {"media/cover.webp": b"never published by itself"})
    new = site.commit(copied, "tidewater", {"media/cover.webp": b"published"})
    site.publish(copied, "tidewater")
    assert player.open(mod, between)["version"] == between
    assert player.digests(["media/cover.webp"]) == {
        "media/cover.webp": site.sha256(copied, "tidewater", between)["media/cover.webp"]
    }
    # Opening a pinned version supersedes nothing.
    assert {entry["version"] for entry in player.call("cached") if entry["owner"] == copied} == {old, between}
    current = player.open(mod)
    assert current["version"] == new
    assert set(_superseded(player, 2)) == {old, between}


def _superseded(player: Player, count: int) -> list[str]:
    """What the open table's report says went, once there is so much; a page left a moment ago may hold a version."""
    asked = "const {superseded} = await peer.report(); return superseded.length >= given[0] && superseded"
    superseded: list[str] = player.until(asked, count)
    return superseded


def test_the_back_button_brings_a_table_that_works(player: Player, site: Site) -> None:
    player.open(TIDEWATER)
    player.open(f"{SAMPLES}/driftwood-table")
    player.back()
    player.until(
        "return document.documentElement.dataset.state === 'open' && peer.view.mod.repo === given[0]", "tidewater"
    )
    path = "media/cover.webp"
    assert player.digests([path])[path] == site.sha256(SAMPLES, "tidewater")[path]


def test_a_page_left_in_the_middle_of_a_pull_does_not_hold_up_the_next(player: Player, site: Site, copied: str) -> None:
    mod = f"{copied}/tidewater"
    site.origin.faults.on(f"/{copied}/*.webp", then=Fault(bytes_per_second=10_000))
    player.visit(mod)
    player.until("return peer.view?.progress?.filesDone > 1")
    player.visit()
    player.wait("lobby")
    site.origin.faults.clear()
    report = player.open(mod)
    assert set(statuses(report).values()) == {"cached", "downloaded"}


def test_no_blob_url_is_left_when_a_table_closes(player: Player) -> None:
    report = player.open(TIDEWATER)
    paths = list(statuses(report))
    urls = player.do("return await Promise.all(given[0].map(async path => (await peer.assetUrl(path)).url))", paths)
    pack_url = player.do(
        "return (await peer.assetUrl('media/cover.webp', {mod: given[0]})).url", f"{SAMPLES}/harbour-hall"
    )
    assert len(set(urls)) == len(paths)
    assert player.do("return peer.blobUrls()") > len(paths)
    player.call("close")
    assert player.do("return peer.blobUrls()") == 0
    gone = player.do("""
        const answers = await Promise.allSettled(given[0].map(url => fetch(url)));
        return answers.every(({status}) => status === "rejected");
    """, [*urls, pack_url])  # fmt: skip
    assert gone
    with pytest.raises(Refusal) as refused:
        player.report()
    assert refused.value.code == "not-open"


def test_a_forgotten_mod_is_gone_and_downloads_again(player: Player, site: Site, copied: str) -> None:
    mod = f"{copied}/tidewater"
    player.open(mod)
    player.call("close")
    player.call("forget", copied, "tidewater")
    assert copied not in {entry["owner"] for entry in player.call("cached")}
    assert set(statuses(player.open(mod)).values()) == {"downloaded"}


def test_repair_checks_every_kept_file(player: Player) -> None:
    report = player.open(TIDEWATER)
    kept = len(report["files"]) + sum(len(pack["files"]) for pack in report["packs"])
    assert player.call("repair") == {"checked": kept, "dropped": 0, "refetched": 0}


@pytest.mark.slow
def test_a_database_that_another_page_blocks_costs_the_cache_and_not_the_table(site: Site) -> None:
    owner = site.mod("blocked", {"a.webp": 100})
    site.publish(owner, "blocked")
    with launched("webkit") as browser:
        player = Player(browser, site.base)
        player.visit()
        player.wait("lobby")
        player.do("""
            const database = await new Promise((resolve, reject) => {
                const opening = indexedDB.open("mods", 1);
                opening.onsuccess = () => resolve(opening.result);
                opening.onerror = reject;
            });
            const store = database.transaction([...database.objectStoreNames], "readwrite").objectStore("journals");
            (function holdOn() { store.get("nothing").onsuccess = holdOn; })();
        """)
        player.call("open", f"{owner}/blocked")
        player.wait_open()
        assert player.words("[data-testid=storage-notice]") != ""
        assert by_path(player.report())["a.webp"]["reason"] == "storage"
        assert player.call("assetUrl", "a.webp")["source"] == "live"
        assert player.digests(["a.webp"]).items() <= site.sha256(owner, "blocked").items()
