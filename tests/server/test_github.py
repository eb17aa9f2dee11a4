"""How politely GitHub is asked: again where trouble passes, conditionally, and not at all when it has had enough."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from client.repository import Repository
from client.version import CommitSha
from server.answer import Answer, Answers
from server.database import open_database
from server.fault import Fault
from server.github import GitHub, RateLimitedError, UnreachableError
from server.origin import LocalOrigin
from server.patience import Patience
from tests.repositories import Repository as Built
from tests.repositories import publish, synthetic_mod
from tests.server.conftest import endpoints


class Asking:
    """A client with an answer store, and the pauses it made."""

    def __init__(self, origin: LocalOrigin, folder: Path, token: str | None = None) -> None:
        self.pauses: list[float] = []
        self.engine = open_database(f"sqlite:///{folder / 'answers.sqlite'}")
        self.answers = Answers(self.engine)
        self.github = GitHub(endpoints(origin), token, self.answers, self.pauses.append)

    def close(self) -> None:
        self.github.close()
        self.engine.dispose()


@pytest.fixture
def asking(origin: LocalOrigin, tmp_path: Path) -> Iterator[Asking]:
    one = Asking(origin, tmp_path)
    yield one
    one.close()


@pytest.fixture
def built(mods: Path, owner: str) -> Built:
    return synthetic_mod(mods, owner, "asked", {"a.webp": 10})


@pytest.fixture
def repository(built: Built) -> Repository:
    return Repository(built.owner, built.repo)


def test_passing_trouble_is_tried_again_with_growing_pauses(
    asking: Asking, origin: LocalOrigin, built: Built, repository: Repository
) -> None:
    origin.faults.on("/repos/*", Fault(status=502), Fault(ending="reset"), host="api")
    origin.faults.on("*/git-upload-pack", Fault(status=503), host="git")
    assert asking.github.facts(repository).default_branch == "main"
    head = asking.github.head(repository)
    assert head is not None
    assert head.sha == built.sha
    assert [pause <= most for pause, most in zip(asking.pauses, (0.2, 0.4, 0.2), strict=True)] == [True] * 3
    origin.faults.clear()
    origin.faults.on("/repos/*", then=Fault(status=500), host="api")
    origin.requests.reset()
    with pytest.raises(UnreachableError):
        asking.github.facts(repository)
    assert origin.requests.count(host="api") == 3


def test_what_is_not_there_is_asked_for_once(asking: Asking, origin: LocalOrigin, owner: str) -> None:
    assert not asking.github.is_commit(Repository(owner, "nothing"), CommitSha("0" * 40))
    assert origin.requests.count(host="api") == 1


def test_an_answer_that_still_holds_is_not_sent_again(
    origin: LocalOrigin, tmp_path: Path, built: Built, repository: Repository
) -> None:
    asking = Asking(origin, tmp_path, token="server's own")
    first = asking.github.facts(repository)
    tree = asking.github.tree(repository, CommitSha(built.sha))
    used = origin.budget.used
    assert asking.github.facts(repository) == first
    assert asking.github.tree(repository, CommitSha(built.sha)) == tree
    # With a token, what has not changed is free.
    assert origin.budget.used == used
    assert [exchange.status for exchange in origin.requests.all(host="api")] == [200, 200, 304, 304]
    asking.close()
    again = Asking(origin, tmp_path, token="server's own")
    assert again.github.facts(repository) == first
    assert origin.requests.all(host="api")[-1].status == 304
    again.close()


def test_a_changed_answer_replaces_the_kept_one(asking: Asking, built: Built, repository: Repository) -> None:
    assert asking.github.resolve(repository, "main") == built.sha
    head = publish(built.path, {"a.webp": b"new"})
    assert asking.github.resolve(repository, "main") == head
    assert asking.github.resolve(repository, "main") == head


def test_a_spent_budget_is_not_asked_for_more(asking: Asking, origin: LocalOrigin, repository: Repository) -> None:
    origin.budget.limit = 1
    asking.github.facts(repository)
    for _ in range(3):
        with pytest.raises(RateLimitedError) as raised:
            asking.github.facts(repository)
        assert raised.value.retry_after is not None
        assert 0 < raised.value.retry_after <= 3600
    assert origin.requests.count(host="api") == 1
    # git's own protocol costs nothing of it.
    assert asking.github.head(repository) is not None


def test_a_host_that_wants_to_be_left_alone_is(
    asking: Asking, origin: LocalOrigin, built: Built, repository: Repository
) -> None:
    origin.faults.on("*", then=Fault(status=429, headers={"retry-after": "30"}))
    for _ in range(2):
        with pytest.raises(RateLimitedError) as raised:
            asking.github.raw(repository, CommitSha(built.sha), "a.webp", 100)
        assert raised.value.retry_after in {29, 30}
        with pytest.raises(RateLimitedError):
            asking.github.head(repository)
    assert origin.requests.count(host="raw") == origin.requests.count(host="git") == 1


def test_without_a_time_to_wait_each_refusal_doubles_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    patience = Patience()
    assert [patience.refused("a", {}) for _ in range(6)] == [60, 120, 240, 480, 900, 900]
    assert (patience.left_s("a"), patience.left_s("b")) == (900, 0)
    clock[0] += 899
    assert patience.left_s("a") == 1
    clock[0] += 1
    assert patience.left_s("a") == 0
    patience.answered("a", {})
    assert patience.refused("a", {}) == 60
    assert patience.refused("a", {"retry-after": "5"}) == 5
    assert patience.refused("a", {"retry-after": "999999"}) == 3600
    assert patience.refused("a", {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "nonsense"}) == 60


def test_large_answers_are_not_kept_and_old_ones_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.answer._MOST", 10)
    engine = open_database(f"sqlite:///{tmp_path / 'kept.sqlite'}")
    answers = Answers(engine)
    answers.keep("large", Answer('"1"', b"x" * (1 << 21)))
    assert answers.get("large") is None
    for number in range(100):
        answers.keep(f"u{number}", Answer(f'"{number}"', b"{}"))
    assert len(answers) == 10
    assert answers.get("u99") == Answer('"99"', b"{}")
    assert answers.get("u0") is None
    engine.dispose()


def test_the_head_of_a_branch_is_one_small_question(
    asking: Asking, origin: LocalOrigin, repository: Repository
) -> None:
    asking.github.head(repository)
    (exchange,) = origin.requests.all()
    assert (exchange.method, exchange.host) == ("POST", "git")
    assert exchange.bytes < 300
    assert httpx.get(f"{origin.api}/rate_limit").json()["rate"]["remaining"] == origin.budget.limit
