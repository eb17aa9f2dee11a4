"""Asking the registry, and GitHub where a repository is not registered."""

from typing import Any

import pytest

from client.errors import RateLimited, UnknownMod, UnknownVersion, Unreachable
from client.publish import read_mod_record
from client.registry import Registry
from client.repository import Repository
from client.version import CommitSha, ContentVersion
from tests.contract.answer import REFUSED, Answer
from tests.fakes import EPOCH, json_answer
from tests.unit.world import HOSTS, REGISTRY, World

CHESS = Repository("alice", "chess")
NOWHERE = CommitSha("0" * 40)
# The parser would go as deep as the brackets do, and in a browser end Python for good.
DEEP = Answer(body=b'{"items": [], "sha": "%b", "deep": %b%b}' % (b"0" * 40, b"[" * 900, b"]" * 900))


def registry(world: World) -> Registry:
    return Registry(world.machine.http, f"{REGISTRY}/")


async def test_a_mod_is_found_by_id_by_repository_and_by_manifest_id(world: World) -> None:
    published = world.publish("Alice/Chess")
    asked = registry(world)
    by_id = await asked.mod("m-alice-chess")
    assert by_id.version == published.sha
    assert await asked.by_repository(CHESS) == by_id
    assert await asked.by_manifest_id("chess") == [by_id]


async def test_two_repositories_may_share_a_manifest_id(world: World) -> None:
    world.publish("alice/chess")
    world.publish("bob/chess-fork")
    assert {str(record.repository) for record in await registry(world).by_manifest_id("chess")} == {
        "alice/chess",
        "bob/chess-fork",
    }


async def test_a_repository_nobody_registered_is_none(world: World) -> None:
    assert await registry(world).by_repository(CHESS) is None


async def test_an_unknown_id_is_an_unknown_mod(world: World) -> None:
    with pytest.raises(UnknownMod):
        await registry(world).mod("m-nobody")


async def test_an_id_can_not_lead_out_of_its_place_in_the_address(world: World) -> None:
    with pytest.raises(UnknownMod):
        await registry(world).mod("../../x?y#z")
    assert world.network.requests == [f"{REGISTRY}/api/mods/..%2F..%2Fx%3Fy%23z"]


async def test_a_recorded_commit_is_a_version_to_open(world: World) -> None:
    old = world.publish(files={"a": b"1"})
    new = world.publish(files={"a": b"2"})
    record = await registry(world).mod("m-alice-chess")
    publish = await registry(world).pinned(record, CommitSha(old.sha))
    assert (publish.version, publish.ref, publish.current) == (old.sha, old.sha, False)
    assert (await registry(world).pinned(record, CommitSha(new.sha))).current


async def test_a_commit_that_is_not_the_mods_is_an_unknown_version(world: World) -> None:
    world.publish()
    record = await registry(world).mod("m-alice-chess")
    with pytest.raises(UnknownVersion):
        await registry(world).pinned(record, NOWHERE)


async def test_a_registration_without_an_index_still_opens(world: World) -> None:
    world.publish()
    world.indexed = False
    record = await registry(world).mod("m-alice-chess")
    assert await registry(world).files(record.publish()) is None


@pytest.mark.parametrize(
    "answer", [REFUSED, Answer(status=500), Answer(status=502, body=b"<html>"), Answer(body=b"<html>not json"), DEEP]
)
async def test_a_registry_in_trouble_is_unreachable_not_ignorant(world: World, answer: Answer) -> None:
    world.network.when(lambda *_: answer)
    with pytest.raises(Unreachable):
        await registry(world).by_repository(CHESS)
    with pytest.raises(Unreachable):
        await registry(world).mod("m-alice-chess")


async def test_a_registry_that_asks_to_wait_is_told_apart(world: World) -> None:
    world.network.when(lambda *_: Answer(status=429))
    with pytest.raises(RateLimited):
        await registry(world).by_repository(CHESS)


RECORD = {"id": "m1", "name": "Chess", "owner": "alice", "repo": "chess", "commitSha": "a" * 40, "ref": "main"}


@pytest.mark.parametrize(
    "changes",
    [
        {"id": 7},
        {"owner": "not a name"},
        {"repo": ".."},
        {"commitSha": None},
        {"commitSha": "main"},
        {"commitSha": None, "artifactHash": "main"},
        {"name": None},
    ],
)
def test_a_record_that_does_not_say_what_opening_takes_is_none(changes: dict[str, Any]) -> None:
    assert read_mod_record({**RECORD, **changes}) is None


@pytest.mark.parametrize("values", [None, [], "m1", 7, {}])
def test_what_is_no_record_is_none(values: Any) -> None:
    assert read_mod_record(values) is None


def test_without_a_commit_the_artifact_hash_is_the_version_and_the_branch_the_ref() -> None:
    record = read_mod_record({**RECORD, "commitSha": None, "artifactHash": "b" * 64, "ref": "trunk"})
    assert record is not None
    assert (record.publish().version, record.publish().ref) == (ContentVersion("b" * 64), "trunk")


async def test_an_unregistered_repository_is_previewed_at_its_head(world: World) -> None:
    published = world.publish(registered=False)
    publish = await world.github.preview(CHESS, None, current=True)
    assert (publish.version, publish.ref, publish.preview, publish.current) == (
        published.sha,
        published.sha,
        True,
        True,
    )
    assert world.network.requests == [f"{HOSTS.api}/repos/alice/chess/commits/HEAD"]


async def test_a_preview_of_a_commit_asks_nobody(world: World) -> None:
    publish = await world.github.preview(CHESS, NOWHERE, current=False)
    assert (str(publish.version), publish.current) == (NOWHERE, False)
    assert world.network.requests == []


@pytest.mark.parametrize("status", [404, 409, 422])
async def test_a_missing_or_empty_repository_is_an_unknown_mod(world: World, status: int) -> None:
    world.network.when(lambda *_: Answer(status=status, body=b"{}"))
    with pytest.raises(UnknownMod, match="alice/chess"):
        await world.github.preview(CHESS, None, current=True)


@pytest.mark.parametrize("status", [403, 429])
async def test_a_used_up_hour_says_when_it_ends_if_it_is_told(world: World, status: int) -> None:
    world.network.when(lambda *_: Answer(status=status, headers={"X-RateLimit-Reset": str(int(EPOCH) + 60)}))
    with pytest.raises(RateLimited) as refusal:
        await world.github.preview(CHESS, None, current=True)
    assert refusal.value.retry_at == EPOCH + 60
    world.network.when(lambda *_: Answer(status=status, headers={"X-RateLimit-Reset": "soon"}))
    with pytest.raises(RateLimited) as refusal:
        await world.github.preview(CHESS, None, current=True)
    assert refusal.value.retry_at is None


@pytest.mark.parametrize(
    "answer",
    [REFUSED, Answer(status=500), Answer(body=b"<html>"), json_answer({"sha": "main"}), Answer(body=b"[]"), DEEP],
)
async def test_a_head_github_does_not_tell_is_unreachable(world: World, answer: Answer) -> None:
    world.network.when(lambda *_: answer)
    with pytest.raises(Unreachable):
        await world.github.preview(CHESS, None, current=True)
