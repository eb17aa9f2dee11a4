"""Storage that is full, forbidden, cleared or closed: the table opens, what is not kept is live, it is said once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests import faults
from tests.browsers import Browser, Chromium, Firefox, WebKit, need
from tests.e2e.player import Player, by_path, statuses
from tests.e2e.site import Site
from tests.e2e.stored import Stored
from tests.repositories import MANIFEST

REPO: Final = "stored"
SIZES: Final = {f"art/{number}.webp": 100_000 for number in range(60)}
MB: Final = 1024 * 1024


def published(site: Site, repo: str = REPO, sizes: dict[str, int] | None = None) -> str:
    owner = site.mod(repo, SIZES if sizes is None else sizes)
    site.publish(owner, repo)
    return owner


def live_or_kept(player: Player, site: Site, owner: str, repo: str = REPO) -> dict[str, Any]:
    """The open table's report: every file is there with git's bytes, kept or not."""
    player.wait_open()
    player.until("return !peer.view.pulling")
    report = player.report()
    git = site.sha256(owner, repo)
    assert player.digests(statuses(report)) == {path: git[path] for path in statuses(report)}
    return report


def notice(player: Player) -> str:
    """What the page says of its storage; said at most once."""
    said = player.do(
        "return [...document.querySelectorAll('[data-testid=storage-notice]')].map(each => each.innerText)"
    )
    assert len(said) <= 1
    return str(said[0]) if said else ""


class ChromiumWithoutStorage(Chromium):
    """All site data blocked, as a player may choose in the settings."""

    def _start(self) -> None:
        folder = self._profile / "Default"
        folder.mkdir(exist_ok=True)
        content = {"profile": {"default_content_setting_values": {"cookies": 2}}}
        (folder / "Preferences").write_text(json.dumps(content))
        super()._start()


@pytest.fixture
def limited_firefox() -> Iterator[Firefox]:
    """Firefox with room for some 10 MB a site."""
    need("firefox")
    browser = Firefox({"dom.quotaManager.temporaryStorage.fixedLimit": 12 * 1024})
    yield browser
    browser.close()


def _limit(browser: Chromium, base: str, size: int | None) -> None:
    """The room the page's origin has, in bytes; None: what the disk gives."""
    session = browser.context.new_cdp_session(browser.page)
    session.send("Storage.overrideQuotaForOrigin", {"origin": base, **({} if size is None else {"quotaSize": size})})


def test_a_full_disk_opens_the_table_and_offers_old_mods_for_removal(
    chromium: Chromium, chromium_player: Player, site: Site
) -> None:
    old = published(site, "old", {"art/old.webp": 2 * MB})
    older = published(site, "older", {"art/older.webp": 2 * MB})
    owner = published(site)
    for mod in (f"{older}/older", f"{old}/old"):
        chromium_player.open(mod)
        chromium_player.until(
            "return (await peer.cached()).some(({repo, lastUsed}) => repo === given[0] && lastUsed > 0)",
            mod.split("/")[1],
        )
    chromium_player.visit()
    chromium_player.wait("lobby")
    used = chromium_player.do("return (await navigator.storage.estimate()).usage")
    _limit(chromium, site.base, used + 3 * MB)
    # Slowly, or all comes in one batch, which is kept or not as one.
    site.origin.faults.on(f"/{owner}/*.webp", then=faults.drip(1_500_000))
    try:
        chromium_player.visit(f"{owner}/{REPO}")
        files = by_path(live_or_kept(chromium_player, site, owner))
        assert {file["reason"] for file in files.values()} == {None, "quota"}
        assert files[MANIFEST]["status"] == files["setup.json"]["status"] == "downloaded"
        # What Python has read is downloaded though it had no room.
        kept = {path for path, file in files.items() if file["status"] == "downloaded"} - {MANIFEST, "setup.json"}
        assert {chromium_player.call("assetUrl", path)["source"] for path in kept} == {"cache"}
        # Said once, not as a list of failed files, and nothing is fetched in vain.
        assert "Storage is full" in notice(chromium_player)
        assert chromium_player.words("[data-testid=failures]") == ""

        chromium_player.until("return document.querySelectorAll('[data-testid=forget-mod]').length > 1")
        offered = chromium_player.do(
            "return [...document.querySelectorAll('[data-testid=forget-mod]')].map(each => each.dataset.mod)"
        )
        assert offered.index(f"{older}/older") < offered.index(f"{old}/old")
        assert f"{owner}/{REPO}" not in offered
        # Both make room enough for some more files, which come at once.
        for mod in (f"{older}/older", f"{old}/old"):
            chromium_player.press(f"[data-testid=forget-mod][data-mod='{mod}']")
            chromium_player.until(
                "return !(await peer.cached()).some(({owner, repo}) => `${owner}/${repo}` === given[0])", mod
            )
            chromium_player.until("return document.querySelector(given[0]) === null", f"[data-mod='{mod}']")
        chromium_player.until(
            "const {files} = await peer.report();"
            "return files.filter(({status}) => status === 'downloaded').length > given[0]",
            len(kept) + 5,
        )
        live_or_kept(chromium_player, site, owner)
    finally:
        _limit(chromium, site.base, None)
    report = chromium_player.call("retry")
    assert set(statuses(report).values()) == {"downloaded"}
    chromium_player.until("return document.querySelector('[data-testid=storage-notice]') === null")
    site.origin.requests.reset()
    assert set(statuses(chromium_player.open(f"{owner}/{REPO}")).values()) == {"cached"}
    assert site.asked_for(owner, REPO) == []


def in_mid_pull(player: Player, site: Site) -> str:
    """The owner of a mod of which a slow pull has brought some files."""
    owner = published(site)
    site.origin.faults.on(f"/{owner}/*.webp", then=faults.drip(1_500_000))
    player.visit(f"{owner}/{REPO}")
    player.until("return peer.view?.progress?.filesDone > 15")
    return owner


def test_a_quota_that_shrinks_in_mid_pull_keeps_what_had_come(
    chromium: Chromium, chromium_player: Player, site: Site
) -> None:
    owner = in_mid_pull(chromium_player, site)
    _limit(chromium, site.base, 1)
    try:
        files = by_path(live_or_kept(chromium_player, site, owner))
        assert "Storage is full" in notice(chromium_player)
        kept = {path for path, file in files.items() if file["status"] == "downloaded"}
        assert len(kept) > 15
        assert {files[path]["reason"] for path in files.keys() - kept} == {"quota"}
    finally:
        _limit(chromium, site.base, None)
    site.origin.faults.clear()
    again = chromium_player.open(f"{owner}/{REPO}")
    assert {path for path, status in statuses(again).items() if status == "cached"} >= kept
    assert set(statuses(again).values()) == {"cached", "downloaded"}
    live_or_kept(chromium_player, site, owner)


def test_firefox_at_its_quota_writes_nothing_and_says_nothing_but_we_do(limited_firefox: Firefox, site: Site) -> None:
    owner = published(site, sizes={f"art/{number}.webp": 500_000 for number in range(32)})
    player = Player(limited_firefox, site.base)
    player.visit(f"{owner}/{REPO}")
    files = by_path(live_or_kept(player, site, owner))
    assert {file["reason"] for file in files.values()} == {None, "quota"}
    assert "Storage is full" in notice(player)
    kept = {path for path in SIZES if path in files and files[path]["status"] == "downloaded"}
    again = player.open(f"{owner}/{REPO}")
    assert {path for path, status in statuses(again).items() if status == "cached"} - {MANIFEST, "setup.json"} == kept
    live_or_kept(player, site, owner)


@pytest.mark.parametrize(
    ("missing", "store"),
    [
        ("FileSystemFileHandle.prototype.createWritable", "opfs"),
        ("FileSystemFileHandle.prototype.createSyncAccessHandle", "indexeddb"),
        ("StorageManager.prototype.getDirectory", "indexeddb"),
    ],
)
def test_a_browser_that_lacks_a_way_to_write_keeps_files_all_the_same(site: Site, missing: str, store: str) -> None:
    # Taken away before the worker's first line, in the session's own copy of the page.
    [worker] = (site.mods.parent / "dist/assets").glob("worker.*.js")
    whole = worker.read_bytes()
    worker.write_bytes(f"delete {missing};\n".encode() + whole)
    browser = Chromium()
    try:
        # A service worker would notice that these are not the bytes of this build.
        browser.context.add_init_script("delete Navigator.prototype.serviceWorker")
        owner = published(site, sizes={"art/a.webp": 3_000})
        player = Player(browser, site.base)
        assert player.open(f"{owner}/{REPO}")["store"] == store
        assert set(statuses(player.open(f"{owner}/{REPO}")).values()) == {"cached"}
        live_or_kept(player, site, owner)
    finally:
        browser.close()
        worker.write_bytes(whole)


def test_a_private_window_of_firefox_keeps_files_in_indexeddb(site: Site) -> None:
    need("firefox")
    browser = Firefox({"browser.privatebrowsing.autostart": True})
    try:
        owner = published(site, sizes={"art/a.webp": 3_000, "art/big.webp": 2 * MB})
        player = Player(browser, site.base)
        player.visit(f"{owner}/{REPO}")
        report = live_or_kept(player, site, owner)
        assert report["store"] == "indexeddb"
        assert set(statuses(report).values()) == {"downloaded"}
        assert notice(player) == ""
        site.origin.requests.reset()
        assert set(statuses(player.open(f"{owner}/{REPO}")).values()) == {"cached"}
        live_or_kept(player, site, owner)
        assert site.asked_for(owner, REPO) == []
        _close_by_force(player, site, owner)
    finally:
        browser.close()


def test_a_connection_closed_by_force_is_opened_again(site: Site) -> None:
    need("webkit")
    browser = WebKit()
    try:
        owner = published(site, sizes={"art/a.webp": 3_000, "data/b.json": 2_000})
        player = Player(browser, site.base)
        player.open(f"{owner}/{REPO}")
        _close_by_force(player, site, owner)
    finally:
        browser.close()


def _close_by_force(player: Player, site: Site, owner: str) -> None:
    """Delete the database under the open table; what it held is then live, comes again, and is kept again."""
    player.do("""
        await new Promise((resolve, reject) => {
            const request = indexedDB.deleteDatabase("mods");
            request.onsuccess = resolve;
            request.onerror = () => reject(request.error);
        });
    """)
    live_or_kept(player, site, owner)
    player.call("repair")
    report = live_or_kept(player, site, owner)
    assert notice(player) == ""
    assert {player.call("assetUrl", path)["source"] for path in statuses(report)} == {"cache"}
    Stored(player, owner, REPO, report["store"]).tidied()
    site.origin.requests.reset()
    assert set(statuses(player.open(f"{owner}/{REPO}")).values()) == {"cached"}


def test_site_data_cleared_under_the_table_leaves_it_standing(
    chromium: Chromium, chromium_player: Player, site: Site
) -> None:
    sizes = {"art/a.webp": 3_000, "data/b.json": 2_000, "models/c.glb": 100_000}
    owner = published(site, sizes=sizes)
    before = live_or_kept_after_opening(chromium_player, site, owner)
    session = chromium.context.new_cdp_session(chromium.page)
    session.send("Storage.clearDataForOrigin", {"origin": site.base, "storageTypes": "all"})
    # Live at once; what was asked for is fetched again meanwhile, and kept.
    report = live_or_kept(chromium_player, site, owner)
    chromium_player.until(
        "const assets = await Promise.all(given.map(path => peer.assetUrl(path)));"
        "return assets.every(({source}) => source === 'cache')",
        *statuses(report),
    )
    live_or_kept(chromium_player, site, owner)
    assert statuses(before).keys() == statuses(report).keys()
    chromium_player.visit(f"{owner}/{REPO}")
    live_or_kept(chromium_player, site, owner)
    assert notice(chromium_player) == ""


def live_or_kept_after_opening(player: Player, site: Site, owner: str) -> dict[str, Any]:
    player.visit(f"{owner}/{REPO}")
    return live_or_kept(player, site, owner)


def test_site_data_cleared_in_mid_pull_leaves_the_table_standing(
    chromium: Chromium, chromium_player: Player, site: Site
) -> None:
    owner = in_mid_pull(chromium_player, site)
    session = chromium.context.new_cdp_session(chromium.page)
    session.send("Storage.clearDataForOrigin", {"origin": site.base, "storageTypes": "all"})
    live_or_kept(chromium_player, site, owner)
    site.origin.faults.clear()
    chromium_player.visit(f"{owner}/{REPO}")
    report = live_or_kept(chromium_player, site, owner)
    assert set(statuses(report).values()) <= {"cached", "downloaded"}


@pytest.mark.parametrize("engine", ["chromium", "firefox"])
def test_a_browser_that_refuses_all_storage_opens_every_table_live(site: Site, engine: str) -> None:
    browser: Browser
    if engine == "chromium":
        browser = ChromiumWithoutStorage()
    else:
        need("firefox")
        browser = Firefox({"network.cookie.cookieBehavior": 2})
    try:
        owner = published(site, sizes={"art/a.webp": 3_000, "data/b.json": 2_000})
        player = Player(browser, site.base)
        player.visit(f"{owner}/{REPO}")
        report = live_or_kept(player, site, owner)
        assert report["store"] == "none"
        assert {player.call("assetUrl", path)["source"] for path in statuses(report)} == {"live"}
        assert "Nothing is kept on this device" in notice(player)
        # Every file that is not kept is there all the same: none is listed as failed.
        assert player.words("[data-testid=failures]") == ""
        assert player.call("cached") == []
        assert player.call("repair") == {"checked": 0, "dropped": 0, "refetched": 0}
        player.press("[data-testid=back]")
        player.wait("lobby")
    finally:
        browser.close()
