"""What goes wrong with a file, a mod or an address is said, and never takes more along than it must."""

from __future__ import annotations

import subprocess

import pytest

from server.fault import Fault
from tests.e2e.player import Player, Refusal, by_path
from tests.e2e.site import SAMPLES, Site, new_owner
from tests.repositories import MANIFEST, synthetic_mod

BROKEN = f"{SAMPLES}/broken-crate"
REFUSED = [
    "../x", "art/../../y.webp", "/etc/passwd", "art\\back.webp", "C:/x.webp", "art/nul\0.webp", "", "./art/good.webp",
    "https://elsewhere.example/z.webp", "../../rules.md",
]  # fmt: skip
LOST = ["art/missing.webp", "vendor/kit", "media/missing-shot.webp", "rules/gone.md"]
LINKS = ["art/link.webp", "art/way out.webp"]
SOUND = [
    MANIFEST, "setup.json", "media/cover.webp", "media/cover-thumb.webp", "art/good.webp", "art/capital-hash.webp",
    "art/twin.webp", "art/cut off.webp", "art/CON.webp", "art/e\u0301clair.webp", "art/empty.webp", "art/page.webp",
    "art/case.webp", "art/CASE.webp",
]  # fmt: skip


def test_the_broken_mod_loads_but_for_what_is_broken(player: Player, site: Site) -> None:
    site.publish(SAMPLES, "broken-crate")
    report = player.open(BROKEN)
    files = by_path(report)
    git = site.sha256(SAMPLES, "broken-crate")

    def outcomes(paths: list[str]) -> list[tuple[object, ...]]:
        return [
            tuple(files[path][key] for key in ("status", "reason", "verified", "attempts", "sha256")) for path in paths
        ]

    assert outcomes(REFUSED) == [("failed", "refused-path", False, 0, None)] * len(REFUSED)
    assert outcomes(LOST) == [("failed", "not-found", False, 1, None)] * len(LOST)
    assert outcomes(["art/wrong-hash.webp"]) == [("failed", "hash-mismatch", False, 2, None)]
    assert outcomes(["art/lost in storage.webp"])[0][:3] == ("failed", "lfs-missing", False)
    assert outcomes(SOUND) == [("downloaded", None, True, 1, git[path]) for path in SOUND]
    # LFS: the bytes behind the pointer, which are good.webp's.
    assert outcomes(["art/kept in storage.webp"]) == [("downloaded", None, True, 1, git["art/good.webp"])]
    # Raw hosts serve a link's target as text, and no scan lists links.
    assert [(files[path]["status"], files[path]["verified"]) for path in LINKS] == [("downloaded", False)] * 2
    listed = [*REFUSED, *LOST, *SOUND, *LINKS, "art/wrong-hash.webp", "art/lost in storage.webp"]
    assert files.keys() == {*listed, "art/kept in storage.webp"}
    assert not any("never-read" in path for path in site.asked_for(SAMPLES, "broken-crate"))


def test_the_page_lists_each_failure_with_its_reason(player: Player, site: Site) -> None:
    site.publish(SAMPLES, "broken-crate")
    report = player.open(BROKEN)
    failed = [file["path"] for file in report["files"] if file["status"] == "failed"]
    shown = player.do("""
        return [...document.querySelectorAll("[data-testid=failures] li")].map(line => [
            line.querySelector("code").textContent, line.querySelector("p").textContent,
            line.querySelector("[data-testid=retry]") !== null]);
    """)
    assert sorted(path for path, _, _ in shown) == sorted(failed)
    words = {path: text for path, text, _ in shown}
    assert "not in the repository" in words["art/missing.webp"]
    assert "not what the author published" in words["art/wrong-hash.webp"]
    assert "large file" in words["art/lost in storage.webp"]
    assert "never fetched" in words["../x"]
    assert all(retry for path, _, retry in shown if path not in REFUSED)


def test_issues_name_file_and_key_on_the_table(chromium_player: Player, site: Site) -> None:
    site.publish(SAMPLES, "broken-crate")
    report = chromium_player.open(BROKEN)
    found = {(issue["code"], issue["file"], issue["key"]) for issue in report["issues"]}
    assert found >= {
        ("duplicate-path", MANIFEST, "assets[3]"),
        ("refused-path", MANIFEST, "assets[20]"),
        ("wrong-type", MANIFEST, "assets[29]"),
        ("missing-key", MANIFEST, "assets[32].path"),
        ("hash-in-capitals", MANIFEST, 'hashes["art/capital-hash.webp"]'),
        ("case-collision", MANIFEST, "assets"),
        ("wrong-type", MANIFEST, "players.min"),
        ("engine-range", MANIFEST, "compatibility.engine"),
        ("missing-key", "setup.json", "packRefs[2].packId"),
    }
    chromium_player.until("return document.querySelector('[data-testid=issues]') !== null")
    words = chromium_player.words("[data-testid=issues]")
    for issue in report["issues"]:
        assert issue["file"] in words
        assert issue["key"] in words


def test_hostile_markdown_is_shown_without_its_hostility(chromium_player: Player, site: Site) -> None:
    site.publish(SAMPLES, "broken-crate")
    chromium_player.open(BROKEN)
    chromium_player.until("return document.querySelector('mod-prose a') !== null")
    found = chromium_player.do("""
        const prose = document.querySelector("mod-prose");
        const all = [...prose.querySelectorAll("*")];
        return {
            tags: all.map(each => each.localName),
            handlers: all.flatMap(each => each.getAttributeNames()).filter(name => name.startsWith("on")),
            links: [...prose.querySelectorAll("a")].map(link => link.protocol),
            title: document.title,
        };
    """)
    assert not set(found["tags"]) & {"script", "img", "iframe", "style", "form", "object"}
    assert found["handlers"] == []
    assert set(found["links"]) <= {"https:", "http:"}
    assert "owned" not in found["title"]


def test_retry_brings_a_file_that_comes_back(player: Player, site: Site) -> None:
    owner = site.mod("flaky", {"a.webp": 3000, "b.webp": 4000, "c.webp": 5000})
    site.publish(owner, "flaky")
    for name in ("a", "b"):
        site.origin.faults.on(f"*/{name}.webp", then=Fault(status=404, body=b"404: Not Found"))
    report = player.open(f"{owner}/flaky")
    assert {path for path, file in by_path(report).items() if file["status"] == "failed"} == {"a.webp", "b.webp"}
    live = player.call("assetUrl", "a.webp")
    assert live["source"] == "live"

    player.press("[data-testid=failures] [data-path='a.webp'] [data-testid=retry]")
    player.until(
        "return document.querySelector(\"[data-path='a.webp'] [data-testid=retry]\")?.ariaDisabled === 'false'"
    )
    assert by_path(player.report())["a.webp"]["reason"] == "not-found"

    site.origin.faults.clear()
    site.origin.requests.reset()
    player.press("[data-testid=failures] [data-path='a.webp'] [data-testid=retry]")
    player.until("return (await peer.report()).files.find(({path}) => path === 'a.webp').status === 'downloaded'")
    assert site.asked_for(owner, "flaky") == ["a.webp"]
    report = player.call("retry")
    assert {file["status"] for file in report["files"]} == {"downloaded"}
    assert all(file["verified"] for file in report["files"])
    player.until("return document.querySelector('[data-testid=failures]') === null")
    assert player.call("assetUrl", "a.webp")["source"] == "cache"
    assert player.digests(["a.webp", "b.webp"]).items() <= site.sha256(owner, "flaky").items()
    site.origin.requests.reset()
    assert {file["status"] for file in player.open(f"{owner}/flaky")["files"]} == {"cached"}
    assert site.asked_for(owner, "flaky") == []


def test_wrong_bytes_are_not_kept_and_only_pictures_show_them(player: Player, site: Site) -> None:
    sizes = {"scripts/main.js": 900, "data/cards.json": 800, "art/a.webp": 700, "art/b.svg": 300}
    owner = site.mod("forged", sizes, entry={"setup": "setup.json", "script": "scripts/main.js"})
    site.publish(owner, "forged")
    for path in sizes:
        site.origin.faults.on(f"*/{path}", then=Fault(damage=lambda content: content[:-1] + b"?"))
    report = player.open(f"{owner}/forged")
    files = by_path(report)
    for path in sizes:
        file = files[path]
        assert (file["status"], file["reason"], file["attempts"], file["verified"]) == (
            "failed", "hash-mismatch", 2, False,
        ), path  # fmt: skip
    for path in ("scripts/main.js", "data/cards.json"):
        for method in ("assetUrl", "text"):
            with pytest.raises(Refusal) as refused:
                player.call(method, path)
            assert refused.value.code == "hash-mismatch"
            assert path in refused.value.message
    for path in ("art/a.webp", "art/b.svg"):
        asset = player.call("assetUrl", path)
        assert (asset["source"], asset["verified"]) == ("live", False)
        assert player.digests([path])[path] != site.sha256(owner, "forged")[path]
    assert player.do("return (await fetch((await peer.assetUrl('art/b.svg')).url)).headers.get('content-type')") == (
        "image/svg+xml"
    )


def test_a_setup_with_wrong_bytes_is_not_used(chromium_player: Player, site: Site) -> None:
    owner = site.copy("tidewater")
    site.publish(owner, "tidewater")
    site.origin.faults.on("*/setup.json", then=Fault(damage=lambda content: content.replace(b"Harbour", b"Hostile")))
    report = chromium_player.open(f"{owner}/tidewater")
    assert by_path(report)["setup.json"]["reason"] == "hash-mismatch"
    assert chromium_player.call("table")["objects"] == []
    assert report["packs"] == []
    with pytest.raises(Refusal) as refused:
        chromium_player.call("assetUrl", "setup.json")
    assert refused.value.code == "hash-mismatch"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/assets/tables/oak.glb", "platform-asset"),
        ("/assets/felt.webp?v=3", "platform-asset"),
        ("builtin:checker", "platform-asset"),
        ("mat-12345678-aaaa-bbbb-cccc-1234567890ab", "platform-asset"),
        ("../x", "refused-path"),
        ("art/../../y.webp", "refused-path"),
        ("//elsewhere.example/x.webp", "refused-path"),
        ("https://elsewhere.example/x.webp", "refused-path"),
        ("art\\x.webp", "refused-path"),
        ("C:/x.webp", "refused-path"),
        ("art/nul\0.webp", "refused-path"),
        ("art/./x.webp", "refused-path"),
        (".git/config", "refused-path"),
        ("", "refused-path"),
    ],
)
def test_a_path_that_is_no_file_of_the_mod_never_resolves(
    chromium_player: Player, site: Site, path: str, code: str
) -> None:
    if chromium_player.do("return globalThis.peer?.view?.mod?.repo") != "driftwood-table":
        site.publish(SAMPLES, "driftwood-table")
        chromium_player.open(f"{SAMPLES}/driftwood-table")
    with pytest.raises(Refusal) as refused:
        chromium_player.call("assetUrl", path)
    assert refused.value.code == code


def test_an_unknown_mod_has_a_page_that_says_so_and_a_way_back(player: Player) -> None:
    player.visit("nobody/nothing")
    assert player.wait("failed", "open") == "failed"
    assert player.do("return document.querySelector('.failed').dataset.code") == "unknown-mod"
    assert player.words("h1") == "There is no such mod"
    player.press("[data-testid=back]")
    player.wait("lobby")
    player.until(
        "return document.querySelector('.cards .card a') !== null || document.querySelector('.empty') !== null"
    )
    assert player.do("return location.search") == ""


@pytest.mark.parametrize(
    ("mod", "version", "code"),
    [
        ("nobody/nothing", None, "unknown-mod"),
        ("no-such-id", None, "unknown-mod"),
        ("a/b/c", None, "unknown-mod"),
        ("../x", None, "unknown-mod"),
        (f"{SAMPLES}/driftwood-table", "0" * 40, "unknown-version"),
        (f"{SAMPLES}/driftwood-table", "main", "unknown-version"),
        (f"{SAMPLES}/driftwood-table", "ef61958", "unknown-version"),
        (f"{SAMPLES}/driftwood-table", "../../main", "unknown-version"),
    ],
)
def test_what_can_not_be_opened_rejects_with_a_code(
    chromium_player: Player, site: Site, mod: str, version: str | None, code: str
) -> None:
    site.publish(SAMPLES, "driftwood-table")
    chromium_player.visit()
    with pytest.raises(Refusal) as refused:
        chromium_player.call("open", mod, {} if version is None else {"version": version})
    assert refused.value.code == code
    assert chromium_player.wait("failed", "open") == "failed"
    assert chromium_player.do("return document.querySelector('.failed').dataset.code") == code
    assert chromium_player.do("return document.querySelector('[data-testid=back]').pathname") == "/"


def test_a_commit_of_another_repository_is_no_version_of_this_one(chromium_player: Player, site: Site) -> None:
    site.publish(SAMPLES, "driftwood-table")
    other = site.publish(SAMPLES, "odd-names")["version"]
    chromium_player.visit(f"{SAMPLES}/driftwood-table", other)
    assert chromium_player.wait("failed", "open") == "failed"
    assert chromium_player.do("return document.querySelector('.failed').dataset.code") == "unknown-version"
    chromium_player.press(".failed a.primary")
    chromium_player.wait_open()
    assert chromium_player.do("return location.search") == f"?mod={SAMPLES}/driftwood-table"


def test_a_commit_that_was_pushed_aside_is_no_version(chromium_player: Player, site: Site) -> None:
    owner = new_owner()
    built = synthetic_mod(site.mods, owner, "rewritten", {"a.webp": 100})
    aside = site.commit(owner, "rewritten", {"a.webp": b"pushed, then force-pushed away"})
    subprocess.run(["git", "-C", built.path, "update-ref", "refs/heads/main", built.sha], check=True)
    site.commit(owner, "rewritten", {"a.webp": b"what stands there now"})
    site.publish(owner, "rewritten")
    chromium_player.visit()
    with pytest.raises(Refusal) as refused:
        chromium_player.call("open", f"{owner}/rewritten", {"version": aside})
    assert refused.value.code == "unknown-version"
    chromium_player.call("open", f"{owner}/rewritten", {"version": built.sha})
    assert chromium_player.report()["version"] == built.sha


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        (None, "not-found"),
        (b"", "is empty"),
        (b"{", "is not JSON"),
        (b"\x89PNG\r\n", "is not UTF-8"),
        (b"[]", "holds a list, not an object"),
        (b"null", "holds null, not an object"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"id": NaN}', "is not JSON"),
    ],
    ids=["missing", "empty", "torn", "no text", "a list", "null", "too deep", "NaN"],
)
def test_a_mod_without_a_readable_manifest_says_what_is_wrong_with_it(
    chromium_player: Player, site: Site, manifest: bytes | None, said: str
) -> None:
    owner = site.mod("headless", {"a.webp": 100})
    site.commit(owner, "headless", {MANIFEST: manifest})
    answer = site.author.post("/api/mods", json={"owner": owner, "repo": "headless"})
    assert (answer.status_code // 100, answer.json()["code"]) == (4, "manifest-unreadable")
    chromium_player.visit(f"{owner}/headless")
    assert chromium_player.wait("failed", "open") == "failed"
    assert chromium_player.do("return document.querySelector('.failed').dataset.code") == "manifest-unreadable"
    words = chromium_player.words(".failed")
    assert MANIFEST in words
    assert said in words
    assert set(site.asked_for(owner, "headless")) == {MANIFEST}


def test_an_unregistered_repository_opens_as_a_solo_preview(player: Player, site: Site) -> None:
    owner = site.mod("secret", {"a.webp": 100})
    report = player.open(f"{owner}/secret")
    assert {file["status"] for file in report["files"]} == {"downloaded"}
    assert player.words("[data-testid=preview-notice]").startswith("Solo preview")
    assert player.digests(["a.webp"]).items() <= site.sha256(owner, "secret").items()
    site.publish(owner, "secret")
    player.open(f"{owner}/secret")
    assert player.words("[data-testid=preview-notice]") == ""


def test_a_preview_of_a_commit_that_does_not_exist_is_an_unknown_version(chromium_player: Player, site: Site) -> None:
    owner = site.mod("secret", {"a.webp": 100})
    chromium_player.visit()
    with pytest.raises(Refusal) as refused:
        chromium_player.call("open", f"{owner}/secret", {"version": "0" * 40})
    assert refused.value.code == "unknown-version"


def test_an_answer_nested_so_deep_that_it_would_end_python_is_refused(chromium_player: Player, site: Site) -> None:
    owner = site.mod("deadly", {"a.webp": 100})
    # The registry can't say where it stands, so GitHub is asked.
    site.origin.faults.on(f"/{owner}/deadly.git/*", then=Fault(status=503, body=b""), host="git")
    site.origin.faults.on("/repos/*", then=Fault(body=b"[" * 100_000), host="api")
    chromium_player.visit()
    chromium_player.wait("lobby")
    with pytest.raises(Refusal) as refused:
        chromium_player.call("open", f"{owner}/deadly")
    assert refused.value.code == "unreachable"
    assert chromium_player.do("return peer.deaths") == []
    assert chromium_player.call("cached") is not None
