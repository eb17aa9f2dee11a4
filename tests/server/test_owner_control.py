"""Private and deleted mods: the seed page's section of that name, as far as it needs no room."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.origin import LocalOrigin
from tests.repositories import publish, synthetic_mod
from tests.server.conftest import Registry
from tests.server.registering import registered
from tests.server.test_registration import MANIFEST, manifest, problem

Publish = Callable[[str, str], dict[str, Any]]


@dataclass(frozen=True)
class Crowd:
    """A paying author, and everybody else who might look."""

    author: httpx.Client
    other: httpx.Client
    admin: httpx.Client
    visitor: httpx.Client

    def publish(self, owner: str, repo: str) -> dict[str, Any]:
        return registered(self.author, owner, repo)


@pytest.fixture
def crowd(registry: Registry) -> Any:
    with (
        registry.client(member=True) as author,
        registry.client(member=True) as other,
        registry.client(admin=True) as admin,
        registry.anybody() as visitor,
    ):
        yield Crowd(author, other, admin, visitor)


def setup_with(pack: str, sha: str | None = None) -> bytes:
    reference = {"packId": pack, "role": "room", "version": "1.0.0"} | ({"commitSha": sha} if sha else {})
    return json.dumps({"schemaVersion": 2, "packRefs": [reference], "objects": []}).encode()


def listed(client: httpx.Client, **wanted: str) -> list[str]:
    return [mod["repo"] for mod in client.get("/api/mods", params=wanted).json()["items"]]


def projects(client: httpx.Client) -> list[str]:
    return [project["repo"] for project in client.get("/api/projects").json()["items"]]


# Private


def test_a_private_mod_is_in_no_listing_but_its_owner_s(crowd: Crowd, mods: Path, owner: str) -> None:
    synthetic_mod(mods, owner, "secret", {"a.webp": 10})
    record = crowd.publish(owner, "secret")
    changed = crowd.author.patch(f"/api/mods/{record['id']}", json={"private": True})
    assert changed.json() == {**record, "private": True}
    for wanted in ({"q": owner}, {"repo": f"{owner}/secret"}, {"kind": "games", "q": owner}):
        assert listed(crowd.author, **wanted) == ["secret"]
        for client in (crowd.other, crowd.admin, crowd.visitor):
            assert listed(client, **wanted) == []


def test_a_private_mod_answers_whoever_holds_its_id(crowd: Crowd, mods: Path, owner: str) -> None:
    synthetic_mod(mods, owner, "unlisted", {"a.webp": 10})
    record = crowd.publish(owner, "unlisted")
    crowd.author.patch(f"/api/mods/{record['id']}", json={"private": True})
    assert crowd.visitor.get(f"/api/mods/{record['id']}").json()["private"] is True
    files = f"/api/mods/{record['id']}/versions/{record['version']}/files"
    assert crowd.visitor.get(files).status_code == 200


def test_turning_private_on_takes_a_membership_or_an_admin_and_off_takes_neither(
    registry: Registry, crowd: Crowd, mods: Path, owner: str
) -> None:
    synthetic_mod(mods, owner, "lapsed", {"a.webp": 10})
    with registry.client() as unpaid:
        record = unpaid.post("/api/mods", json={"owner": owner, "repo": "lapsed"}).json()
        url = f"/api/mods/{record['id']}"
        assert problem(unpaid.patch(url, json={"private": True})) == (403, "membership-required")
        assert crowd.admin.patch(url, json={"private": True}).json()["private"] is True
        # It stays what it is without a membership.
        assert unpaid.patch(url, json={"private": True}).json()["private"] is True
        assert unpaid.patch(url, json={"private": False}).json()["private"] is False


def test_only_owner_and_admin_control_a_mod(crowd: Crowd, mods: Path, owner: str) -> None:
    synthetic_mod(mods, owner, "mine", {"a.webp": 10})
    url = f"/api/mods/{crowd.publish(owner, 'mine')['id']}"
    for private in (True, False):
        assert problem(crowd.other.patch(url, json={"private": private})) == (403, "not-owner")
        assert problem(crowd.visitor.patch(url, json={"private": private})) == (401, "sign-in-required")
    assert problem(crowd.other.delete(url)) == (403, "not-owner")
    assert problem(crowd.visitor.delete(url)) == (401, "sign-in-required")
    assert problem(crowd.author.patch("/api/mods/0", json={"private": True})) == (404, "unknown-mod")
    for body in ({}, {"private": 1}, {"private": None}, {"private": True, "name": "x"}):
        assert problem(crowd.author.patch(url, json=body)) == (422, "invalid-request")


def test_publishing_again_keeps_a_mod_private(crowd: Crowd, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "kept", {"a.webp": 10})
    record = crowd.publish(owner, "kept")
    crowd.author.patch(f"/api/mods/{record['id']}", json={"private": True})
    head = publish(built.path, {"a.webp": b"new"})
    again = crowd.publish(owner, "kept")
    assert (again["private"], again["version"]) == (True, head)
    assert listed(crowd.visitor, q=owner) == []


# Delete


def test_a_deleted_mod_is_nowhere(crowd: Crowd, mods: Path, owner: str) -> None:
    synthetic_mod(mods, owner, "gone", {"a.webp": 10})
    record = crowd.publish(owner, "gone")
    assert projects(crowd.author) == ["gone"]
    assert crowd.author.delete(f"/api/mods/{record['id']}").status_code == 204
    for client in (crowd.author, crowd.admin, crowd.visitor):
        assert listed(client, q=owner) == []
        for path in ("", "/files", "/versions", f"/versions/{record['version']}/files"):
            assert problem(client.get(f"/api/mods/{record['id']}{path}")) == (404, "unknown-mod")
    assert projects(crowd.author) == []
    assert problem(crowd.author.delete(f"/api/mods/{record['id']}")) == (404, "unknown-mod")


def test_publishing_again_brings_a_deleted_mod_back_as_it_was(crowd: Crowd, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "back", {"a.webp": 10})
    first = crowd.publish(owner, "back")
    crowd.author.patch(f"/api/mods/{first['id']}", json={"private": True})
    crowd.author.delete(f"/api/mods/{first['id']}")
    head = publish(built.path, {"a.webp": b"new"})
    again = crowd.publish(owner, "back")
    assert (again["id"], again["slug"], again["private"]) == (first["id"], first["slug"], True)
    versions = crowd.author.get(f"/api/mods/{first['id']}/versions").json()["items"]
    assert [one["version"] for one in versions] == [head, built.sha]
    assert projects(crowd.author) == ["back"]


def test_linking_brings_a_deleted_mod_back_to_its_owner(crowd: Crowd, mods: Path, owner: str) -> None:
    synthetic_mod(mods, owner, "linked", {"a.webp": 10})
    body = {"owner": owner, "repo": "linked"}
    first = crowd.publish(owner, "linked")
    crowd.author.delete(f"/api/mods/{first['id']}")
    assert problem(crowd.other.post("/api/projects", json=body)) == (409, "repo-already-registered")
    assert crowd.author.post("/api/projects", json=body).json()["mod"] == first
    assert listed(crowd.visitor, q=owner) == ["linked"]
    # The same while it is not deleted.
    assert problem(crowd.other.post("/api/projects", json=body)) == (409, "repo-already-registered")


@pytest.mark.parametrize("deleted", [False, True])
def test_a_registered_repository_never_becomes_another_mod(
    crowd: Crowd, mods: Path, owner: str, *, deleted: bool
) -> None:
    built = synthetic_mod(mods, owner, "one-mod", {"a.webp": 10})
    record = crowd.publish(owner, "one-mod")
    if deleted:
        crowd.author.delete(f"/api/mods/{record['id']}")
    body = {"owner": owner, "repo": "one-mod"}
    expected = (409, "repo-already-registered") if deleted else (403, "not-owner")
    assert problem(crowd.other.post("/api/mods", json=body)) == expected
    publish(built.path, {MANIFEST: manifest(built.path, id="someone-else")})
    assert problem(crowd.author.post("/api/mods", json=body)) == (409, "repo-already-registered")
    assert listed(crowd.visitor, q=owner) == ([] if deleted else ["one-mod"])


def test_delete_is_refused_while_a_published_mod_names_it_as_a_pack(crowd: Crowd, mods: Path, owner: str) -> None:
    pack_id = f"hall-{owner}"
    hall = synthetic_mod(mods, owner, "hall", {"a.webp": 10}, type="room-pack", id=pack_id)
    twin = synthetic_mod(mods, owner, "twin", {"a.webp": 11}, type="room-pack", id=pack_id)
    game = synthetic_mod(mods, owner, "game", {"a.webp": 10})
    publish(game.path, {"setup.json": setup_with(pack_id, hall.sha)})
    ids = {name: crowd.publish(owner, name)["id"] for name in ("hall", "twin", "game")}
    refused = crowd.author.delete(f"/api/mods/{ids['hall']}")
    assert problem(refused) == (409, "in-use")
    assert refused.json()["dependants"] == [f"{owner}/game"]
    # The pin says which of two mods with one manifest id is meant.
    assert crowd.author.delete(f"/api/mods/{ids['twin']}").status_code == 204
    crowd.author.patch(f"/api/mods/{ids['game']}", json={"private": True})
    refused = crowd.author.delete(f"/api/mods/{ids['hall']}")
    assert (problem(refused), refused.json()["dependants"]) == ((409, "in-use"), ["a private mod"])
    # Only what is published depends: not a deleted mod, nor a version that was replaced.
    publish(game.path, {"setup.json": b'{"schemaVersion": 2, "objects": []}'})
    crowd.publish(owner, "game")
    assert crowd.author.delete(f"/api/mods/{ids['hall']}").status_code == 204
    assert twin.sha != hall.sha


@pytest.mark.parametrize("pin", [None, "0" * 40])
def test_a_reference_without_a_recorded_pin_holds_every_mod_of_that_manifest_id(
    crowd: Crowd, mods: Path, owner: str, pin: str | None
) -> None:
    pack_id = f"oak-{owner}"
    synthetic_mod(mods, owner, "oak", {"a.webp": 10}, type="table-pack", id=pack_id)
    game = synthetic_mod(mods, owner, "game", {"a.webp": 10})
    publish(game.path, {"setup.json": setup_with(pack_id, pin)})
    oak, using = (crowd.publish(owner, name)["id"] for name in ("oak", "game"))
    assert problem(crowd.author.delete(f"/api/mods/{oak}")) == (409, "in-use")
    assert crowd.author.delete(f"/api/mods/{using}").status_code == 204
    assert crowd.author.delete(f"/api/mods/{oak}").status_code == 204


# Projects


def test_a_linked_repository_is_on_the_list_before_it_is_registered(
    crowd: Crowd, origin: LocalOrigin, mods: Path, owner: str
) -> None:
    synthetic_mod(mods, owner, "draft", {"a.webp": 10})
    body = {"owner": owner, "repo": "draft"}
    linked = crowd.author.post("/api/projects", json=body).json()
    assert linked == {"owner": owner, "repo": "draft", "mod": None}
    assert crowd.author.post("/api/projects", json=body).json() == linked
    assert crowd.author.get("/api/projects").json() == {"items": [linked], "next": None}
    assert listed(crowd.author, q=owner) == []
    assert problem(crowd.visitor.get("/api/projects")) == (401, "sign-in-required")
    assert problem(crowd.author.post("/api/projects", json={"owner": owner, "repo": "none"})) == (
        404,
        "repository-not-found",
    )
    record = crowd.publish(owner, "draft")
    # A registered mod leaves the list only by being deleted.
    assert crowd.author.delete(f"/api/projects/{owner}/draft").status_code == 204
    assert crowd.author.get("/api/projects").json()["items"] == [{**linked, "mod": record}]
    assert crowd.author.delete(f"/api/mods/{record['id']}").status_code == 204


def test_projects_come_in_pages(crowd: Crowd, mods: Path, owner: str) -> None:
    for name in ("c", "a", "b"):
        synthetic_mod(mods, owner, name, {"a.webp": 10})
        crowd.author.post("/api/projects", json={"owner": owner, "repo": name})
    first = crowd.author.get("/api/projects", params={"limit": 2}).json()
    second = crowd.author.get("/api/projects", params={"limit": 2, "cursor": first["next"]}).json()
    assert [one["repo"] for one in first["items"] + second["items"]] == ["a", "b", "c"]
    assert second["next"] is None
    assert crowd.author.delete(f"/api/projects/{owner}/a").status_code == 204
    assert projects(crowd.author) == ["b", "c"]
