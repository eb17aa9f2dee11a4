"""My projects: publishing with its problems, private, delete and back, and whose a repository is."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.browsers import Chromium
from tests.e2e.player import Player
from tests.e2e.site import Person, Site

UNSAFE = b"const score = 1;\n  eval('score');\n"


@pytest.fixture
def author(site: Site) -> Iterator[Person]:
    with site.person() as person:
        yield person


@pytest.fixture
def at_projects(player: Player, author: Person) -> Iterator[Player]:
    """The author's page, in each engine in turn."""
    player.sign_in(author.token)
    yield player
    player.sign_out()


@pytest.fixture
def projects(chromium_player: Player, author: Person) -> Iterator[Player]:
    """The author's page, in Chromium."""
    chromium_player.sign_in(author.token)
    yield chromium_player
    chromium_player.sign_out()


def show(player: Player) -> None:
    player.browser.open(f"{player.base}/?projects")
    player.until("return document.querySelector('[data-testid=link-form]') !== null")


def link(player: Player, repository: str) -> None:
    player.write("#link", repository)
    player.press("[data-testid=link-form] button")


def line(mod: str, testid: str = "") -> str:
    return f"[data-testid=project][data-repo='{mod}']" + (f" [data-testid={testid}]" if testid else "")


def seen(player: Player, selector: str) -> None:
    player.until("return document.querySelector(given[0]) !== null", selector)


def with_script(site: Site, owner: str, repo: str, script: bytes) -> str:
    manifest = site.manifest(owner, repo)
    manifest["entry"] = {**manifest["entry"], "script": "main.js"}
    changes = {"diceytable.mod.json": json.dumps(manifest).encode(), "main.js": script}
    return site.commit(owner, repo, changes)


def test_a_repository_is_linked_and_published_and_a_refused_commit_leaves_the_old_version(
    at_projects: Player, site: Site
) -> None:
    player = at_projects
    owner = site.mod("first", {"a.webp": 100}, name="First Mod")
    mod = f"{owner}/first"
    show(player)
    seen(player, "[data-testid=projects-empty]")
    link(player, "no repository at all")
    player.until("return document.querySelector('#link[aria-invalid=true]') !== null")
    link(player, f"https://github.com/{mod}")
    seen(player, line(mod))
    assert "Not published yet" in player.words(line(mod))
    player.press(line(mod, "publish"))
    seen(player, line(mod, "project-version"))
    version = player.do("return document.querySelector(given[0]).title", line(mod, "project-version"))
    assert version == site.author.get("/api/mods", params={"repo": mod}).json()["items"][0]["version"]
    player.press(line(mod, "publish"))
    player.until("return document.querySelector(given[0])?.textContent.includes('No file')", line(mod, "project-said"))

    sha = with_script(site, owner, "first", UNSAFE)
    player.press(line(mod, "publish"))
    seen(player, f"{line(mod)} [data-code=unsafe-script]")
    words = player.words(line(mod))
    assert "players keep the version they have" in words
    assert "main.js" in words
    assert "Line 2, column 3" in words
    place = f"https://github.com/{owner}/first/blob/{sha}/main.js#L2"
    seen(player, f"{line(mod, 'project-issues')}[open] a[href='{place}']")
    assert player.do("return document.querySelector(given[0]).title", line(mod, "project-version")) == version

    good = with_script(site, owner, "first", b"const score = 1;\n")
    player.write(f"{line(mod)} [name=commit]", good[:7])
    player.press(f"{line(mod, 'commit-form')} button")
    seen(player, f"{line(mod)} [name=commit][aria-invalid=true]")
    player.write(f"{line(mod)} [name=commit]", good)
    player.press(f"{line(mod, 'commit-form')} button")
    player.until("return document.querySelector(given[0]).title === given[1]", line(mod, "project-version"), good)
    assert "new version" in player.words(line(mod, "project-said"))


def test_a_repository_of_another_account_is_refused_by_name_and_no_other_line_suffers(
    projects: Player, site: Site, author: Person
) -> None:
    theirs, own = site.mod("theirs", {"a.webp": 100}), site.mod("own", {"a.webp": 100})
    site.publish(theirs, "theirs")
    author.publish(own, "own")
    show(projects)
    seen(projects, line(f"{own}/own"))
    link(projects, f"{theirs}/theirs")
    seen(projects, "[data-code=repo-already-registered]")
    assert "another account" in projects.words("[data-code=repo-already-registered]")
    link(projects, "nobody/nothing")
    seen(projects, "[data-code=repository-not-found]")
    projects.press(line(f"{own}/own", "publish"))
    seen(projects, line(f"{own}/own", "project-said"))


def test_private_is_for_members_and_public_for_everybody(projects: Player, site: Site, author: Person) -> None:
    owner = site.mod("shy", {"a.webp": 100}, name="Shy Mod")
    mod = f"{owner}/shy"
    record = author.publish(owner, "shy")
    show(projects)
    projects.press(line(mod, "private"))
    seen(projects, f"{line(mod)} [data-code=membership-required]")
    site.accounts.change(author.name, member=True)
    projects.press(line(mod, "private"))
    projects.until("return document.querySelector(given[0]).innerText.includes('It is private now')", line(mod))
    assert "Private" in projects.words(f"{line(mod)} .badges")
    assert site.author.get("/api/mods", params={"repo": mod}).json()["items"] == []
    site.accounts.change(author.name, member=False)
    projects.press(line(mod, "private"))
    projects.until("return document.querySelector(given[0]).innerText.includes('It is public now')", line(mod))
    assert site.author.get("/api/mods", params={"repo": mod}).json()["items"][0]["id"] == record["id"]


def test_a_pack_in_use_is_not_deleted_and_a_deleted_mod_comes_back_as_it_was(
    projects: Player, site: Site, author: Person
) -> None:
    pack = site.mod("pack", {"a.webp": 100}, id="shared-pack", kind="room")
    game = site.mod("game", {"b.webp": 100})
    reference = {"packId": "shared-pack", "role": "room", "version": "1.0.0"}
    setup = {"schemaVersion": 2, "packRefs": [reference], "objects": []}
    site.commit(game, "game", {"setup.json": json.dumps(setup).encode()})
    record = author.publish(pack, "pack")
    author.publish(game, "game")
    show(projects)

    def delete(mod: str) -> None:
        projects.press(line(mod, "delete"))
        projects.until("return document.querySelector('#delete-dialog').open")
        projects.press("[data-testid=delete-sure]")

    projects.press(line(f"{pack}/pack", "delete"))
    projects.press("[data-testid=delete-cancel]")
    projects.until("return !document.querySelector('#delete-dialog').open")
    delete(f"{pack}/pack")
    seen(projects, f"{line(f'{pack}/pack')} [data-code=in-use]")
    assert f"{game}/game" in projects.words(f"{line(f'{pack}/pack')} [data-code=in-use]")
    delete(f"{game}/game")
    seen(projects, line(f"{game}/game", "bring-back"))
    delete(f"{pack}/pack")
    seen(projects, line(f"{pack}/pack", "bring-back"))
    projects.until("return document.activeElement.dataset.testid === 'bring-back'")
    assert site.author.get("/api/mods", params={"repo": f"{pack}/pack"}).json()["items"] == []
    projects.press(line(f"{pack}/pack", "bring-back"))
    seen(projects, line(f"{pack}/pack", "publish"))
    found = site.author.get("/api/mods", params={"repo": f"{pack}/pack"}).json()["items"]
    assert [(mod["id"], mod["version"]) for mod in found] == [(record["id"], record["version"])]
    # The other one is gone from the list when the page comes anew, and linking it brings the same mod back.
    show(projects)
    seen(projects, line(f"{pack}/pack"))
    assert projects.do("return document.querySelectorAll('[data-testid=project]').length") == 1
    link(projects, f"{game}/game")
    projects.until(
        "return document.querySelector(given[0])?.textContent.includes('is back')",
        line(f"{game}/game", "project-said"),
    )


def test_a_link_is_copied_and_said_or_shown_where_the_browser_refuses(
    projects: Player, chromium: Chromium, site: Site, author: Person
) -> None:
    owner = site.mod("linked", {"a.webp": 100}, name="Linked Mod")
    mod = f"{owner}/linked"
    record = author.publish(owner, "linked")
    chromium.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.base)
    show(projects)
    projects.press(line(mod, "copy-link"))
    projects.until("return document.querySelector('#announcements').textContent.includes('is copied')")
    assert projects.do("return navigator.clipboard.readText()") == f"{site.base}/games/{record['slug']}"
    projects.press(line(mod, "copy-play"))
    projects.until("return await navigator.clipboard.readText() === given[0]", f"{site.base}/?mod={record['id']}")
    projects.do("Object.assign(navigator.clipboard, {writeText: () => Promise.reject(new Error('no'))})")
    projects.press(line(mod, "copy-link"))
    projects.until("return document.activeElement.dataset.testid === 'project-link'")
    assert projects.do("return getSelection().toString()") == f"{site.base}/games/{record['slug']}"


def test_a_long_list_comes_in_portions_and_an_unlinked_repository_goes(
    projects: Player, site: Site, author: Person
) -> None:
    owner = site.mod("many", {"a.webp": 100})
    for number in range(26):
        answer = author.client.post("/api/projects", json={"owner": owner, "repo": "many"})
        assert answer.status_code == 200
        owner = site.mod("many", {"a.webp": number})
    show(projects)
    count = "return document.querySelectorAll('[data-testid=project]').length === given[0]"
    projects.until(count, 24)
    projects.press("[data-testid=more-projects]")
    projects.until(count, 26)
    projects.until("return document.activeElement.closest('[data-testid=project]:nth-child(25)') !== null")
    projects.press("[data-testid=unlink]")
    projects.until(count, 25)
    assert "no longer on the list" in projects.words("#announcements")


def test_who_is_no_longer_signed_in_is_asked_to_sign_in(projects: Player, site: Site, author: Person) -> None:
    owner = site.mod("late", {"a.webp": 100})
    author.publish(owner, "late")
    show(projects)
    seen(projects, line(f"{owner}/late"))
    projects.sign_out()
    projects.press(line(f"{owner}/late", "publish"))
    seen(projects, "[data-testid=projects-signed-out] a")


def test_a_game_s_own_page_copies_its_link(
    chromium: Chromium, chromium_player: Player, author: Person, site: Site
) -> None:
    record = author.publish(site.copy("tidewater"), "tidewater")
    address = f"{site.base}/games/{record['slug']}"
    chromium.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.base)
    chromium_player.browser.open(address)
    chromium_player.press("button[data-copy]")
    chromium_player.until("return document.querySelector('[role=status]').textContent !== ''")
    assert chromium_player.do("return navigator.clipboard.readText()") == address
    chromium_player.do("Object.assign(navigator.clipboard, {writeText: () => Promise.reject(new Error('no'))})")
    chromium_player.press("button[data-copy]")
    chromium_player.until("return document.querySelector('[role=status]').textContent.includes(given[0])", address)
