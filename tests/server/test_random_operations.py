"""Authors, strangers and players do things in any order, and what must hold always does."""

from __future__ import annotations

import itertools
import re
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from server.origin import LocalOrigin
from tests.repositories import publish, synthetic_mod
from tests.server.conftest import Registry
from tests.server.test_registration import blind

_owners = itertools.count(1)
_contents = st.sampled_from([b"one", b"two", b"three"])
_who = st.sampled_from(["author", "author", "stranger"])


@dataclass
class Kept:
    """What the test knows of one repository: what it holds, and what the registry last recorded of it."""

    name: str
    path: Path
    pulled: bytes
    ident: str | None = None
    account: str | None = None
    private: bool = False
    deleted: bool = False
    published: bytes | None = None
    artifact_hash: str | None = None
    version: str | None = None

    @property
    def hidden(self) -> bool:
        return self.ident is None or self.private or self.deleted


class Operations(RuleBasedStateMachine):
    registry: Registry
    origin: LocalOrigin
    mods: Path

    repositories = Bundle("repositories")

    def __init__(self) -> None:
        super().__init__()
        self.open = ExitStack()
        self.owner = f"Random-{next(_owners)}"
        self.known: dict[str, Kept] = {}
        self.people: dict[str, httpx.Client] = {}

    @initialize(target=repositories)
    def start(self) -> Any:
        for name in ("author", "stranger"):
            self.people[name] = self.open.enter_context(self.registry.client(member=True))
        self.people["visitor"] = self.open.enter_context(self.registry.anybody())
        names = [self._repository(name) for name in ("random-alpha", "random-beta")]
        # Most of what can happen, happens to a registered mod.
        self.register_as("random-alpha", "author", seeing=True)
        return multiple(*names)

    def teardown(self) -> None:
        self.open.close()

    @rule(name=repositories, content=_contents)
    def change_a_pulled_file(self, name: str, content: bytes) -> None:
        self.change_a_pulled_file_of(name, content)

    def change_a_pulled_file_of(self, name: str, content: bytes) -> None:
        kept = self.known[name]
        if kept.pulled != content:
            publish(kept.path, {"a.webp": content})
            kept.pulled = content

    @rule(name=repositories, content=_contents)
    def change_what_no_peer_pulls(self, name: str, content: bytes) -> None:
        publish(self.known[name].path, {"README.md": content})

    @rule(name=repositories, who=_who, seeing=st.sampled_from([True, True, False]))
    def register(self, name: str, who: str, *, seeing: bool) -> None:
        self.register_as(name, who, seeing=seeing)

    def register_as(self, name: str, who: str, *, seeing: bool) -> None:
        kept = self.known[name]
        if not seeing:
            blind(self.origin)
        answer = self.people[who].post("/api/mods", json={"owner": self.owner, "repo": name})
        self.origin.faults.clear()
        self.registry.github.patience.forget()
        if kept.account not in {None, who}:
            assert answer.status_code == (409 if kept.deleted else 403)
            return
        assert answer.status_code == 200, answer.text
        record = answer.json()
        assert kept.ident in {None, record["id"]}
        assert record["private"] == kept.private
        if kept.published is not None:
            assert (record["artifactHash"] == kept.artifact_hash) == (kept.pulled == kept.published)
            if record["artifactHash"] != kept.artifact_hash:
                assert record["version"] != kept.version
        assert record["version"] in {record["commitSha"], record["artifactHash"]}
        kept.ident, kept.account, kept.deleted = record["id"], who, False
        kept.published, kept.artifact_hash, kept.version = kept.pulled, record["artifactHash"], record["version"]

    @rule(name=repositories, content=_contents, seeing=st.sampled_from([True, True, False]))
    def publish_a_change(self, name: str, content: bytes, *, seeing: bool) -> None:
        self.change_a_pulled_file_of(name, content)
        self.register_as(name, self.known[name].account or "author", seeing=seeing)

    @rule(name=repositories, who=_who, private=st.booleans())
    def switch_private(self, name: str, who: str, *, private: bool) -> None:
        kept = self.known[name]
        answer = self.people[who].patch(f"/api/mods/{kept.ident or 0}", json={"private": private})
        assert answer.status_code == self._control(kept, who, 200)
        if answer.status_code == 200:
            kept.private = private

    @rule(name=repositories, who=_who)
    def delete(self, name: str, who: str) -> None:
        kept = self.known[name]
        answer = self.people[who].delete(f"/api/mods/{kept.ident or 0}")
        assert answer.status_code == self._control(kept, who, 204)
        kept.deleted = kept.deleted or answer.status_code == 204

    @rule(name=repositories, who=_who)
    def add_to_favourites_and_a_collection(self, name: str, who: str) -> None:
        kept = self.known[name]
        client = self.people[who]
        there = kept.ident is not None and not kept.deleted
        assert client.put(f"/api/favourites/{kept.ident or 0}").status_code == (204 if there else 404)
        body = {"name": name, "mods": [kept.ident or "0"]}
        assert client.post("/api/collections", json=body).status_code == (201 if there else 404)

    @invariant()
    def one_repository_is_one_mod_and_hidden_ones_are_in_no_listing(self) -> None:
        for who, client in self.people.items():
            listed = [mod["repo"] for mod in self._items(client, "/api/mods", q=self.owner)]
            expected = [
                kept.name
                for kept in self.known.values()
                if not kept.hidden or (kept.private and not kept.deleted and kept.account == who)
            ]
            assert sorted(listed) == sorted(expected)
            ids = {kept.ident for kept in self.known.values() if kept.ident and kept.name not in expected}
            found = {mod["id"] for mod in self._items(client, "/api/spotlight")}
            if who != "visitor":
                found |= {mod["id"] for mod in self._items(client, "/api/favourites")}
                for collection in self._items(client, "/api/collections", own="true"):
                    whole = client.get(f"/api/collections/{collection['id']}").json()
                    assert collection["size"] == len(whole["mods"])
                    found |= {mod["id"] for mod in whole["mods"]}
            assert not ids & found
        slugs = set(re.findall(r"/games/([^<]+)<", self.people["visitor"].get("/sitemap.xml").text))
        for kept in self.known.values():
            if kept.ident is None:
                continue
            record = self.people["visitor"].get(f"/api/mods/{kept.ident}")
            assert record.status_code == (404 if kept.deleted else 200)
            if not kept.deleted:
                slug = record.json()["slug"]
                assert (slug in slugs) == (not kept.private)
                page = self.people["visitor"].get(f"/games/{slug}")
                assert page.status_code == (404 if kept.private else 200)

    def _repository(self, name: str) -> str:
        built = synthetic_mod(self.mods, self.owner, name, {"a.webp": 10}, coverImage="a.webp")
        publish(built.path, {"a.webp": b"zero"})
        self.known[name] = Kept(name, built.path, b"zero")
        return name

    def _control(self, kept: Kept, who: str, done: int) -> int:
        if kept.ident is None or kept.deleted:
            return 404
        return done if kept.account == who else 403

    def _items(self, client: httpx.Client, path: str, **wanted: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = client.get(path, params=wanted).json()["items"]
        return items


def test_whatever_is_done_in_whatever_order(registry: Registry, origin: LocalOrigin, mods: Path) -> None:
    machine = type("Operations", (Operations,), {"registry": registry, "origin": origin, "mods": mods})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=6,
            stateful_step_count=20,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
