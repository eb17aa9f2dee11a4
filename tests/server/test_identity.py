"""Which repository a mod is: GitHub's number first, the name second, through renames, transfers and re-creation."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.origin import LocalOrigin
from tests.repositories import publish, synthetic_mod
from tests.server.command import git
from tests.server.conftest import Registry
from tests.server.test_registration import facts, problem

Publish = Callable[[str, str], dict[str, Any]]


@pytest.fixture
def number(owner: str) -> int:
    """A repository number no other test uses."""
    return 9_000_000 + int(owner.rpartition("-")[2])


def found(client: httpx.Client, repository: str) -> list[str]:
    return [mod["id"] for mod in client.get("/api/mods", params={"repo": repository}).json()["items"]]


def test_a_renamed_repository_is_found_under_its_new_name_only(
    publish_mod: Publish, client: httpx.Client, origin: LocalOrigin, mods: Path, owner: str, number: int
) -> None:
    built = synthetic_mod(mods, owner, "before", {"a.webp": 10})
    origin.faults.on(f"/repos/{owner}/before", then=facts(owner, "before", number), host="api")
    first = publish_mod(owner, "before")
    built.path.rename(built.path.with_name("after"))
    origin.faults.clear()
    origin.faults.on(f"/repos/{owner}/*", then=facts(owner, "after", number), host="api")
    second = publish_mod(owner, "after")
    assert second["id"] == first["id"]
    assert (found(client, f"{owner}/before"), found(client, f"{owner}/after")) == ([], [first["id"]])
    names = [project["repo"] for project in client.get("/api/projects").json()["items"]]
    assert names == ["after"]


def test_a_transferred_repository_keeps_its_record_and_its_account(
    publish_mod: Publish, registry: Registry, origin: LocalOrigin, mods: Path, owner: str, number: int
) -> None:
    built = synthetic_mod(mods, owner, "moving", {"a.webp": 10})
    origin.faults.on(f"/repos/{owner}/moving", then=facts(owner, "moving", number), host="api")
    first = publish_mod(owner, "moving")
    heir = f"{owner}-heir"
    (mods / heir).mkdir()
    built.path.rename(mods / heir / "moving")
    origin.faults.on(f"/repos/{heir}/moving", then=facts(heir, "moving", number), host="api")
    body = {"owner": heir, "repo": "moving"}
    with registry.client() as other:
        assert problem(other.post("/api/mods", json=body)) == (403, "not-owner")
    second = publish_mod(heir, "moving")
    assert (second["id"], second["owner"], second["slug"]) == (first["id"], heir, first["slug"])


def test_a_new_repository_under_a_name_that_was_given_up_is_a_new_mod(
    publish_mod: Publish, registry: Registry, origin: LocalOrigin, mods: Path, owner: str, number: int
) -> None:
    built = synthetic_mod(mods, owner, "first", {"a.webp": 10})
    origin.faults.on(f"/repos/{owner}/first", facts(owner, "first", number), host="api")
    first = publish_mod(owner, "first")
    built.path.rename(built.path.with_name("second"))
    origin.faults.on(f"/repos/{owner}/second", then=facts(owner, "second", number), host="api")
    moved = publish_mod(owner, "second")
    synthetic_mod(mods, owner, "first", {"b.webp": 10})
    with registry.client() as other:
        fresh = other.post("/api/mods", json={"owner": owner, "repo": "first"}).json()
    assert moved["id"] == first["id"] != fresh["id"]
    assert moved["slug"] == first["slug"] != fresh["slug"]


def test_a_re_created_repository_does_not_take_over_a_deleted_mod(
    publish_mod: Publish, client: httpx.Client, origin: LocalOrigin, mods: Path, owner: str, number: int
) -> None:
    synthetic_mod(mods, owner, "again", {"a.webp": 10})
    origin.faults.on(
        f"/repos/{owner}/again", facts(owner, "again", number), then=facts(owner, "again", number + 1), host="api"
    )
    record = publish_mod(owner, "again")
    client.delete(f"/api/mods/{record['id']}")
    body = {"owner": owner, "repo": "again"}
    assert problem(client.post("/api/mods", json=body)) == (409, "repo-already-registered")
    assert problem(client.post("/api/projects", json=body)) == (409, "repo-already-registered")


def test_a_rewritten_history_is_a_publish_like_any_other(
    publish_mod: Publish, client: httpx.Client, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "rewritten", {"a.webp": 10})
    first = publish_mod(owner, "rewritten")
    middle = publish(built.path, {"a.webp": b"lost"})
    tree = git(built.path, "rev-parse", "main^{tree}")
    orphan = git(built.path, "commit-tree", tree, "-m", "start over")
    git(built.path, "update-ref", "refs/heads/main", orphan)
    second = publish_mod(owner, "rewritten")
    assert (second["id"], second["version"], second["commitSha"]) == (first["id"], orphan, orphan)
    assert client.get(f"/api/mods/{first['id']}/versions/{built.sha}/files").status_code == 200
    # What was never published and no longer belongs to the branch can't be proven.
    answer = client.get(f"/api/mods/{first['id']}/versions/{middle}/files")
    assert problem(answer) == (404, "unknown-version")
    supplied = {"owner": owner, "repo": "rewritten", "commitSha": built.sha}
    assert problem(client.post("/api/mods", json=supplied)) == (422, "unpinned-scan")


def test_of_two_accounts_that_register_at_one_moment_one_owns_the_mod(
    registry: Registry, mods: Path, owner: str
) -> None:
    synthetic_mod(mods, owner, "race", {"a.webp": 10})
    tokens = [registry.accounts.issue_token(registry.account(), "race") for _ in range(4)]

    def register(token: str) -> int:
        with registry.client(token=token) as client:
            return client.post("/api/mods", json={"owner": owner, "repo": "race"}).status_code

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(register, tokens)) == [200, 403, 403, 403]


def test_nothing_but_a_publish_changes_what_players_get(
    publish_mod: Publish, client: httpx.Client, origin: LocalOrigin, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "still", {"a.webp": 10})
    record = publish_mod(owner, "still")
    git(built.path, "branch", "wip", built.sha)
    publish(built.path, {"a.webp": b"pushed to main"})
    origin.requests.reset()
    assert client.get(f"/api/mods/{record['id']}").json() == record
    assert client.get(f"/api/mods/{record['id']}/files").json()["version"] == built.sha
    assert origin.requests.count() == 0


@pytest.mark.parametrize(
    ("owner_word", "name"),
    [("evilgithub.com/a", "b"), ("a", "b/c"), ("https://github.com/a", "b"), ("-a", "b"), ("a", "."), ("ä", "b")],
)
def test_what_is_no_repository_s_name_is_refused_before_anything_is_asked(
    client: httpx.Client, origin: LocalOrigin, owner_word: str, name: str
) -> None:
    answer = client.post("/api/mods", json={"owner": owner_word, "repo": name})
    assert problem(answer) == (422, "invalid-repository")
    assert origin.requests.count() == 0


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("{owner}/by-url", True),
        ("https://github.com/{owner}/by-url", True),
        ("https://github.com/{owner}/by-url.git", True),
        ("github.com/{owner}/by-url/", True),
        ("https://evilgithub.com/{owner}/by-url", False),
        ("https://evil.com/?x=github.com/{owner}/by-url", False),
        ("https://github.com@evil.com/{owner}/by-url", False),
        ("http://github.com/{owner}/by-url", False),
        ("https://github.com/{owner}/by-url/tree/main", False),
        ("https://github.com:444/{owner}/by-url", False),
        ("git@github.com:{owner}/by-url", False),
    ],
)
def test_a_repository_may_be_given_as_an_address_of_github(
    client: httpx.Client, mods: Path, owner: str, text: str, *, accepted: bool
) -> None:
    synthetic_mod(mods, owner, "by-url", {"a.webp": 10})
    answer = client.post("/api/mods", json={"repository": text.format(owner=owner)})
    if accepted:
        assert answer.json()["repo"] == "by-url"
    else:
        assert problem(answer) == (422, "invalid-repository")


@pytest.mark.parametrize("body", [{"owner": "a"}, {"repo": "b"}, {"repository": "a/b", "owner": "a"}, {}])
def test_a_repository_is_named_in_exactly_one_way(client: httpx.Client, body: dict[str, str]) -> None:
    assert problem(client.post("/api/mods", json=body)) == (422, "invalid-request")
