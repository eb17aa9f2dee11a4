"""The pull: every file fetched on its own, checked, stored and given an outcome; none stops the others."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pytest

from client.asset_path import AssetPath
from client.index import FileIndex, IndexedFile, LfsPointer
from client.manifest import DeclaredFile, Role
from client.plan import plan_files
from client.pull import MOST_LARGE_BYTES, MOST_SMALL, SMALL, FileState, Pull
from client.repository import Repository
from client.scope import Scope, ScopeSession
from client.trace import Trace
from client.urls import media_url
from client.version import AssetRef, ContentVersion
from tests.contract.answer import NOT_FOUND, REFUSED, Answer
from tests.fakes import Machine, sha256
from tests.unit.world import HOSTS, pointer

SHA = "a" * 40
CHESS = Repository("alice", "chess")
REF, VERSION = AssetRef(SHA), ContentVersion(SHA)
BUSY = Answer(status=500)
LIMITED = Answer(status=429)


def url(path: str) -> str:
    return f"{HOSTS.raw}/alice/chess/{SHA}/{path}"


def media(path: str) -> str:
    return f"{HOSTS.media}/media/alice/chess/{SHA}/{path}"


@dataclass
class Bench:
    """A pull over files with scripted answers; ``indexed`` are those whose size and hash are known."""

    machine: Machine
    indexed: Mapping[str, bytes] = field(default_factory=dict)
    lfs: Mapping[str, bytes] = field(default_factory=dict)
    settled: list[str] = field(default_factory=list)
    running: list[dict[str, int]] = field(default_factory=list)
    session: ScopeSession | None = None
    pull: Pull | None = None

    def states(self, *paths: str, role: Role = "asset", **claims: str) -> list[FileState]:
        files = {path: IndexedFile(path, len(data), sha256(data)) for path, data in self.indexed.items()}
        for path, data in self.lfs.items():
            text = pointer(data)
            files[path] = IndexedFile(path, len(text), sha256(text), LfsPointer(sha256(data), len(data)))
        declared = tuple(DeclaredFile(AssetPath(path), role, claims.get(path)) for path in paths)
        planned = plan_files(declared, FileIndex(SHA, files), HOSTS, CHESS, REF, VERSION)
        return [FileState(planned[AssetPath(path)], keep_body=role == "setup") for path in paths]

    async def begin(self, states: list[FileState], *, store: bool = True) -> Pull:
        if store:
            scope = Scope(self.machine.store.folder(CHESS.key), VERSION)
            await scope.load()
            self.session = await scope.session()
        self.pull = Pull(
            self.machine.transfer,
            self.session,
            self.machine.clock,
            trace=Trace(self.machine.clock),
            media_url=lambda path: media_url(HOSTS, CHESS, REF, None, AssetPath(path)),
            settled=lambda state: self.settled.append(state.planned.path),
            running=self.running.append,
        )
        self.pull.add(states)
        return self.pull

    async def run(self, states: list[FileState], *, store: bool = True) -> dict[str, str]:
        await (await self.begin(states, store=store)).run()
        return outcomes(states)

    async def stored(self) -> dict[str, bytes | None]:
        """What a later visit finds."""
        if self.session is not None:
            await self.session.close()
        scope = Scope(self.machine.store.folder(CHESS.key), VERSION)
        await scope.load()
        return {path: await scope.folder.read(entry.place) for path, entry in scope.entries.items()}


def outcomes(states: list[FileState]) -> dict[str, str]:
    return {state.planned.path: state.reason or state.status for state in states}


@pytest.fixture
def bench(machine: Machine) -> Bench:
    return Bench(machine)


def trouble(machine: Machine, seconds: float, answer: Callable[[str], Answer]) -> None:
    """For so long every address gets another answer than scripted."""
    machine.network.when(lambda asked, _: answer(asked) if machine.clock.monotonic() < seconds else None)


def serve(bench: Bench, **files: bytes) -> None:
    for path, data in files.items():
        bench.machine.network.on(url(path), Answer(body=data))


async def test_every_file_is_fetched_checked_and_stored(bench: Bench) -> None:
    bench.indexed = {"a": b"one", "b": b"two"}
    serve(bench, a=b"one", b=b"two")
    states = bench.states("a", "b")
    assert await bench.run(states) == {"a": "downloaded", "b": "downloaded"}
    assert [state.verified for state in states] == [True, True]
    assert await bench.stored() == {"a": b"one", "b": b"two"}


async def test_a_file_nobody_knows_a_hash_of_is_stored_unverified(bench: Bench) -> None:
    serve(bench, a=b"one")
    (state,) = states = bench.states("a")
    assert await bench.run(states) == {"a": "downloaded"}
    assert (state.verified, state.sha256) == (False, sha256(b"one"))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (NOT_FOUND, "not-found"),
        (Answer(status=403), "forbidden"),
        (Answer(status=500), "server-error"),
        (REFUSED, "network"),
        (Answer(body=b"one", ending="cut", after=1), "network"),
        (Answer(body=b"one", ending="stall", after=1), "timeout"),
        (Answer(status=429), "rate-limited"),
        (Answer(body=b"<html>", media_type="text/html"), "server-error"),
        (Answer(body=b"two"), "hash-mismatch"),
        (Answer(body=b"longer"), "size-mismatch"),
    ],
)
async def test_one_files_failure_never_stops_the_others(bench: Bench, answer: Answer, reason: str) -> None:
    good = {f"good-{number}": b"%d" % number for number in range(20)}
    bench.indexed = {"bad": b"one", **good}
    serve(bench, **good)
    bench.machine.network.on(url("bad"), answer)
    expected = dict.fromkeys(good, "downloaded") | {"bad": reason}
    assert await bench.run(bench.states("bad", *good)) == expected
    assert await bench.stored() == good


@pytest.mark.parametrize("answer", [BUSY, REFUSED, LIMITED, Answer(body=b"one", ending="cut", after=2)])
async def test_a_passing_failure_is_tried_again_until_it_works(bench: Bench, answer: Answer) -> None:
    bench.indexed = {"a": b"one"}
    bench.machine.network.on(url("a"), answer, answer, Answer(body=b"one"))
    (state,) = states = bench.states("a")
    assert await bench.run(states) == {"a": "downloaded"}
    assert state.attempts == 3
    assert await bench.stored() == {"a": b"one"}


async def test_a_failure_that_stays_is_given_up_after_a_few_attempts(bench: Bench) -> None:
    bench.machine.network.on(url("a"), BUSY)
    (state,) = states = bench.states("a")
    await bench.run(states)
    assert (state.reason, state.attempts) == ("server-error", 4)


async def test_a_permanent_failure_is_not_tried_again(bench: Bench) -> None:
    await bench.run(bench.states("a"))
    assert bench.machine.network.requests == [url("a")]


async def test_wrong_bytes_are_fetched_twice_and_never_stored(bench: Bench) -> None:
    bench.indexed = {"a": b"one"}
    bench.machine.network.on(url("a"), Answer(body=b"two"))
    assert await bench.run(bench.states("a")) == {"a": "hash-mismatch"}
    assert len(bench.machine.network.requests) == 2
    assert await bench.stored() == {}


async def test_wrong_bytes_once_are_mended_by_asking_again(bench: Bench) -> None:
    bench.indexed = {"a": b"one"}
    bench.machine.network.on(url("a"), Answer(body=b"two"), Answer(body=b"one"))
    assert await bench.run(bench.states("a")) == {"a": "downloaded"}


async def test_a_manifest_hash_that_disagrees_with_the_registry_lets_no_bytes_in(bench: Bench) -> None:
    bench.indexed = {"a": b"one"}
    for data in (b"one", b"two"):
        bench.machine.network.on(url("a"), Answer(body=data))
        assert await bench.run(bench.states("a", a=sha256(b"two"))) == {"a": "hash-mismatch"}
        assert await bench.stored() == {}


async def test_a_hash_only_the_manifest_knows_is_checked(bench: Bench) -> None:
    serve(bench, a=b"one", b=b"changed")
    states = bench.states("a", "b", a=sha256(b"one"), b=sha256(b"two"))
    assert await bench.run(states) == {"a": "downloaded", "b": "hash-mismatch"}
    assert states[0].verified


async def test_an_empty_file_is_a_file_where_the_index_says_so(bench: Bench) -> None:
    bench.indexed = {"a": b""}
    serve(bench, a=b"")
    assert await bench.run(bench.states("a")) == {"a": "downloaded"}
    assert await bench.stored() == {"a": b""}


async def test_an_empty_answer_nobody_announced_is_no_file(bench: Bench) -> None:
    serve(bench, a=b"")
    assert await bench.run(bench.states("a")) == {"a": "size-mismatch"}
    assert await bench.stored() == {}


async def test_a_file_the_index_knows_to_be_in_lfs_comes_from_the_media_host(bench: Bench) -> None:
    bench.lfs = {"a": b"large"}
    bench.machine.network.on(media("a"), Answer(body=b"large"))
    assert await bench.run(bench.states("a")) == {"a": "downloaded"}
    assert bench.machine.network.requests == [media("a")]


async def test_a_pointer_nobody_announced_is_followed_and_its_hash_holds(bench: Bench) -> None:
    serve(bench, a=pointer(b"large"))
    bench.machine.network.on(media("a"), Answer(body=b"wrong"), Answer(body=b"large"))
    assert await bench.run(bench.states("a")) == {"a": "downloaded"}
    assert await bench.stored() == {"a": b"large"}


@pytest.mark.parametrize("indexed", [True, False])
async def test_lfs_bytes_that_are_not_there_are_called_missing(bench: Bench, indexed: bool) -> None:
    bench.lfs = {"a": b"large"} if indexed else {}
    serve(bench, a=pointer(b"large"))
    assert await bench.run(bench.states("a")) == {"a": "lfs-missing"}
    assert await bench.stored() == {}


async def test_a_pointer_behind_a_pointer_is_not_followed_for_ever(bench: Bench) -> None:
    serve(bench, a=pointer(b"large" * 100))
    bench.machine.network.on(media("a"), Answer(body=pointer(b"large" * 100)))
    assert await bench.run(bench.states("a")) == {"a": "lfs-missing"}


async def test_an_html_file_may_come_as_html(bench: Bench) -> None:
    bench.machine.network.on(url("page.html"), Answer(body=b"<html>", media_type="text/html"))
    assert await bench.run(bench.states("page.html")) == {"page.html": "downloaded"}


async def test_a_full_disk_ends_the_pull_with_what_is_stored_and_fetches_nothing_in_vain(bench: Bench) -> None:
    files = {f"f{number:03}": bytes([number]) * 1000 for number in range(250)}
    bench.indexed = files
    serve(bench, **files)
    bench.machine.store.room = 40_000
    found = await bench.run(bench.states(*files))
    assert set(found.values()) <= {"downloaded", "quota"}
    assert "quota" in found.values()
    stored = await bench.stored() if bench.session is None else {}
    assert stored == {}
    assert len(bench.machine.network.requests) < len(files) + 10


async def test_a_broken_disk_is_told_apart_from_a_full_one(bench: Bench) -> None:
    bench.indexed = {"a": b"one"}
    serve(bench, a=b"one")
    pull = await bench.begin(states := bench.states("a"))
    bench.machine.store.refusing = True
    await pull.run()
    assert outcomes(states) == {"a": "storage"}


async def test_without_a_store_only_what_python_reads_is_fetched(bench: Bench) -> None:
    serve(bench, a=b"one", setup=b"{}")
    states = bench.states("a") + bench.states("setup", role="setup")
    assert await bench.run(states, store=False) == {"a": "storage", "setup": "downloaded"}
    assert states[1].body == b"{}"
    assert bench.machine.network.requests == [url("setup")]


async def test_a_body_python_reads_is_kept_though_the_disk_is_full(bench: Bench) -> None:
    serve(bench, setup=b'{"seatZones": []}')
    pull = await bench.begin(states := bench.states("setup", role="setup"))
    bench.machine.store.room = 0
    await pull.run()
    assert (states[0].status, states[0].body) == ("downloaded", b'{"seatZones": []}')


async def test_cancelling_keeps_what_came_down_and_fails_the_rest(bench: Bench) -> None:
    files = {f"f{number}": b"x%d" % number for number in range(10)}
    bench.indexed = files
    serve(bench, **files)
    for number in range(5, 10):
        bench.machine.network.on(url(f"f{number}"), Answer(body=files[f"f{number}"], delay=5.0))
    pull = await bench.begin(states := bench.states(*files))
    running = asyncio.ensure_future(pull.run())
    await bench.machine.clock.sleep(1.0)
    pull.cancel()
    await running
    found = outcomes(states)
    assert [path for path, outcome in found.items() if outcome == "downloaded"] == [f"f{number}" for number in range(5)]
    assert [path for path, outcome in found.items() if outcome == "cancelled"] == [
        f"f{number}" for number in range(5, 10)
    ]
    assert bench.machine.clock.monotonic() < 2.0
    assert set(await bench.stored()) == {f"f{number}" for number in range(5)}


async def test_many_small_files_run_at_once_but_not_all(bench: Bench) -> None:
    files = {f"f{number}": b"%d" % number for number in range(2000)}
    bench.indexed = files
    serve(bench, **files)
    await bench.run(bench.states(*files))
    assert bench.machine.transfer.most_running == MOST_SMALL
    assert len(bench.machine.network.requests) == 2000


async def test_large_files_under_way_are_bounded_in_bytes(bench: Bench, machine: Machine) -> None:
    size = 3 * SMALL
    data = bytes(size)
    bench.indexed = {f"f{number}": data for number in range(5)}
    serve(bench, **bench.indexed)
    most = 0

    def running(received: dict[str, int]) -> None:
        nonlocal most
        most = max(most, len(received) * size)

    machine.network.rate = 20e6
    pull = await bench.begin(states := bench.states(*bench.indexed))
    pull._show_running = running
    await pull.run()
    assert set(outcomes(states).values()) == {"downloaded"}
    assert size <= most <= MOST_LARGE_BYTES


async def test_a_file_larger_than_the_bound_is_fetched_all_the_same(bench: Bench) -> None:
    data = bytes(60 * SMALL)
    bench.indexed = {"large": data, "small": b"x"}
    serve(bench, **bench.indexed)
    assert await bench.run(bench.states("large", "small")) == {"large": "downloaded", "small": "downloaded"}


async def test_a_host_in_trouble_is_left_alone_and_then_asked_again(bench: Bench, machine: Machine) -> None:
    files = {f"f{number}": b"%d" % number for number in range(1000)}
    bench.indexed = files
    serve(bench, **files)
    refused: list[str] = []

    def refuse(asked: str) -> Answer:
        refused.append(asked)
        return LIMITED

    trouble(machine, 3, refuse)
    found = await bench.run(states := bench.states(*files))
    assert set(found.values()) == {"downloaded"}
    assert len(refused) < 250
    assert max(state.attempts for state in states) <= 3


async def test_jobs_called_back_from_a_host_in_trouble_have_used_up_no_attempt(bench: Bench, machine: Machine) -> None:
    files = {f"f{number}": b"%d" % number for number in range(60)}
    bench.indexed = files
    serve(bench, **files)
    slow = {url(f"f{number}") for number in range(8, 60)}
    trouble(machine, 1, lambda asked: Answer(delay=9.0) if asked in slow else BUSY)
    found = await bench.run(states := bench.states(*files))
    assert set(found.values()) == {"downloaded"}
    assert {state.attempts for state in states[8:]} == {1}


async def test_a_host_that_never_answers_is_given_up_and_every_file_told(bench: Bench, machine: Machine) -> None:
    machine.network.down = True
    files = [f"f{number}" for number in range(300)]
    found = await bench.run(bench.states(*files))
    assert set(found.values()) == {"network"}
    assert len(machine.network.requests) < 300
    assert machine.clock.monotonic() < 120


async def test_two_hosts_in_trouble_both_get_their_second_chance(bench: Bench, machine: Machine) -> None:
    raw = {f"r{number}": b"r%d" % number for number in range(40)}
    large = {f"m{number}": b"m%d" % number for number in range(40)}
    bench.indexed, bench.lfs = raw, large
    serve(bench, **raw)
    for path, data in large.items():
        machine.network.on(media(path), Answer(body=data))

    def answer(asked: str) -> Answer:
        late = machine.clock.monotonic() > 1
        return BUSY if asked.startswith(HOSTS.raw) and not late else Answer(status=500, delay=30.0 if late else 3.0)

    trouble(machine, 8, answer)
    found = await bench.run(bench.states(*raw, *large))
    assert set(found.values()) == {"downloaded"}


async def test_a_pointer_that_probes_a_host_in_trouble_opens_it_again(bench: Bench, machine: Machine) -> None:
    files = [f"f{number}" for number in range(30)]
    for path in files:
        machine.network.on(url(path), Answer(body=pointer(path.encode())))
        machine.network.on(media(path), Answer(body=path.encode()))
    trouble(machine, 1, lambda _: BUSY)
    assert set((await bench.run(bench.states(*files))).values()) == {"downloaded"}


async def test_what_runs_is_told_ten_times_a_second_at_most(bench: Bench, machine: Machine) -> None:
    bench.indexed = {"a": bytes(1_000_000)}
    serve(bench, **bench.indexed)
    machine.network.rate = 200_000.0
    await bench.run(bench.states("a"))
    assert len(bench.running) <= machine.clock.monotonic() * 10 + 5
    seen = [received["a"] for received in bench.running if received]
    assert seen == sorted(seen)
    assert bench.running[-1] == {}


async def test_bytes_fetched_count_those_of_failed_attempts(bench: Bench) -> None:
    bench.indexed = {"a": b"x" * 1000}
    bench.machine.network.on(url("a"), Answer(body=b"x" * 1000, ending="cut", after=400), Answer(body=b"x" * 1000))
    await bench.run(bench.states("a"))
    assert bench.pull is not None
    assert bench.pull.bytes_fetched == 1400


async def test_each_file_is_settled_once(bench: Bench) -> None:
    bench.indexed = {"a": b"one", "b": b"two"}
    bench.machine.network.on(url("a"), BUSY, BUSY, Answer(body=b"one"))
    await bench.run(bench.states("a", "b"))
    assert sorted(bench.settled) == ["a", "b"]


async def test_a_pull_of_nothing_ends_at_once(bench: Bench) -> None:
    assert await bench.run([]) == {}
    assert bench.machine.clock.monotonic() == 0
