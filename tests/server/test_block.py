"""The kill switch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.repositories import publish, synthetic_mod
from tests.server.conftest import Registry
from tests.server.test_registration import Publish, problem

BLOCKS = "/api/admin/blocks"


@pytest.fixture
def admin(registry: Registry) -> Iterator[httpx.Client]:
    with registry.client(admin=True) as client:
        yield client


def test_a_blocked_mod_loads_for_nobody_and_is_listed_nowhere(
    publish_mod: Publish, admin: httpx.Client, client: httpx.Client, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "bad", {"a.webp": 10}, slug=f"bad-{owner.lower()}")
    record = publish_mod(owner, "bad")
    client.put(f"/api/favourites/{record['id']}")
    url = f"/api/mods/{record['id']}"
    paths = (url, f"{url}/files", f"{url}/versions/{built.sha}/files", f"{url}/versions/{built.sha}")
    # Whatever was kept in memory of an answer is worth nothing the moment the block is there.
    assert [visitor.get(path).status_code for path in paths] == [200] * 4
    answer = admin.post(BLOCKS, json={"mod": record["id"], "reason": "It breaks the rules."})
    assert answer.status_code == 201
    number = answer.json()["items"][0]["number"]
    for path in paths:
        refused = visitor.get(path)
        assert problem(refused) == (403, "blocked")
        assert refused.json()["detail"] == "It breaks the rules."
    assert client.get("/api/mods", params={"repo": f"{owner}/bad"}).json()["items"] == []
    stands = visitor.get(f"/api/heads/{owner}/bad")
    assert problem(stands) == (403, "blocked")
    assert stands.json()["detail"] == "It breaks the rules."
    assert client.get("/api/favourites").json()["items"] == []
    assert client.get(f"/games/bad-{owner.lower()}").status_code == 404
    assert f"bad-{owner.lower()}" not in visitor.get("/sitemap.xml").text
    body = {"owner": owner, "repo": "bad"}
    assert problem(client.post("/api/mods", json=body)) == (403, "blocked")
    assert admin.delete(f"{BLOCKS}/{number}").status_code == 204
    assert visitor.get(url).json() == record
    assert visitor.get(f"/api/heads/{owner}/bad").json() == {"commitSha": built.sha}
    assert problem(admin.delete(f"{BLOCKS}/{number}")) == (404, "unknown-block")


def test_a_blocked_version_stops_itself_and_nothing_else(
    publish_mod: Publish, admin: httpx.Client, client: httpx.Client, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "shas", {"a.webp": 10})
    record = publish_mod(owner, "shas")
    url = f"/api/mods/{record['id']}"
    bad = publish(built.path, {"a.webp": b"bad"})
    admin.post(BLOCKS, json={"shas": [bad], "reason": "Malware."})
    assert problem(client.post("/api/mods", json={"owner": owner, "repo": "shas"})) == (403, "blocked")
    assert visitor.get(url).json() == record
    assert problem(visitor.get(f"{url}/versions/{bad}/files")) == (403, "blocked")
    assert problem(visitor.get(f"{url}/versions/{bad}")) == (403, "blocked")
    standing = visitor.get(f"{url}/versions/{built.sha}")
    assert standing.json() == {"version": built.sha, "current": True}
    assert standing.headers["cache-control"] == "no-store"
    good = publish(built.path, {"a.webp": b"good"})
    publish_mod(owner, "shas")
    admin.post(BLOCKS, json={"shas": [good, built.sha], "reason": "Malware, too."})
    assert problem(visitor.get(url)) == (403, "blocked")
    assert problem(visitor.get(f"/api/heads/{owner}/shas")) == (403, "blocked")
    assert visitor.get(f"{url}/versions").json()["items"] == []
    # A clean publish brings the mod back.
    better = publish(built.path, {"a.webp": b"better"})
    assert publish_mod(owner, "shas")["version"] == better
    assert [one["version"] for one in visitor.get(f"{url}/versions").json()["items"]] == [better]


def test_a_blocked_mod_that_its_owner_deletes_does_not_come_back_as_a_preview(
    publish_mod: Publish, admin: httpx.Client, client: httpx.Client, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    synthetic_mod(mods, owner, "deleted", {"a.webp": 10})
    record = publish_mod(owner, "deleted")
    admin.post(BLOCKS, json={"mod": record["id"], "reason": "Malware."})
    assert client.delete(f"/api/mods/{record['id']}").status_code == 204
    assert problem(visitor.get(f"/api/heads/{owner}/deleted")) == (403, "blocked")


def test_a_head_that_is_blocked_is_not_told_of_any_repository(
    admin: httpx.Client, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "fork", {"a.webp": 10})
    admin.post(BLOCKS, json={"shas": [built.sha], "reason": "Malware."})
    assert problem(visitor.get(f"/api/heads/{owner}/fork")) == (403, "blocked")


def test_blocking_the_same_again_changes_nothing(
    publish_mod: Publish, admin: httpx.Client, mods: Path, owner: str
) -> None:
    synthetic_mod(mods, owner, "twice", {"a.webp": 10})
    body = {"mod": publish_mod(owner, "twice")["id"], "shas": ["a" * 40, "b" * 64], "reason": "First."}
    first = admin.post(BLOCKS, json=body).json()
    assert admin.post(BLOCKS, json={**body, "reason": "Second."}).json() == first
    listed = admin.get(BLOCKS, params={"limit": 2}).json()
    assert [one["reason"] for one in listed["items"]] == ["First."] * 2
    rest = admin.get(BLOCKS, params={"limit": 1, "cursor": listed["next"]}).json()["items"]
    assert listed["items"][1]["number"] - 1 == rest[0]["number"]
    for one in first["items"]:
        admin.delete(f"{BLOCKS}/{one['number']}")


@pytest.mark.parametrize(
    "body",
    [
        {"reason": "x"},
        {"shas": [], "reason": "x"},
        {"shas": ["abc"], "reason": "x"},
        {"shas": ["A" * 40], "reason": "x"},
        {"shas": ["a" * 40], "reason": ""},
        {"shas": ["a" * 40]},
    ],
)
def test_a_block_names_what_and_why(admin: httpx.Client, body: dict[str, Any]) -> None:
    assert problem(admin.post(BLOCKS, json=body)) == (422, "invalid-request")


def test_only_admins_block(client: httpx.Client, visitor: httpx.Client, admin: httpx.Client) -> None:
    body = {"shas": ["a" * 40], "reason": "x"}
    assert problem(client.post(BLOCKS, json=body)) == (403, "admin-required")
    assert problem(client.get(BLOCKS)) == (403, "admin-required")
    assert problem(visitor.get(BLOCKS)) == (401, "sign-in-required")
    assert problem(admin.post(BLOCKS, json={"mod": "0", "reason": "x"})) == (404, "unknown-mod")
