"""The contract of :class:`client.ports.Transfer`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from client.ports import Batch, Job, Lane, Outcome, SegmentWriter
from tests.contract.answer import NOT_FOUND, REFUSED, Answer
from tests.contract.bytes import patterned, sha256
from tests.contract.ports import Ports

SMALL, LARGE = patterned(1000), patterned(6 * 1024 * 1024 + 11)
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256(SMALL)}\nsize 1000\n".encode()

ANSWERS: dict[str, Sequence[Answer]] = {
    "/small": (Answer(body=SMALL, media_type="image/webp"),),
    "/large": (Answer(body=LARGE),),
    "/empty": (Answer(),),
    "/odd%20%23%3F%25%2B.bin": (Answer(body=SMALL),),
    "/gzip": (Answer(body=LARGE, gzip=True, media_type="text/plain"),),
    "/moved": (Answer(status=302, location="/small"),),
    "/gone": (NOT_FOUND,),
    "/forbidden": (Answer(status=403, body=b"no"),),
    "/broken": (Answer(status=500, body=b"oops"),),
    "/limited": (Answer(status=429, headers={"Retry-After": "7"}),),
    "/html": (Answer(body=b"<!doctype html><title>Sign in</title>", media_type="text/html; charset=utf-8"),),
    "/error-page": (Answer(status=404, body=b"<!doctype html>", media_type="text/html"),),
    "/pointer": (Answer(body=POINTER, media_type="text/plain"),),
    "/refused": (REFUSED,),
    "/cut": (Answer(body=SMALL, ending="cut", after=400),),
    "/cut-large": (Answer(body=LARGE, ending="cut", after=5 * 1024 * 1024),),
    "/cut-unannounced": (Answer(body=SMALL, ending="cut", after=400, announced=False),),
    "/unannounced": (Answer(body=SMALL, announced=False),),
    "/silent": (Answer(body=SMALL, delay=60.0),),
    "/stalled": (Answer(body=SMALL, ending="stall", after=400),),
    "/stalled-again": (Answer(body=SMALL, ending="stall", after=300),),
    "/mended": (Answer(status=500), Answer(body=SMALL)),
    **{f"/many/{number}": (Answer(body=b"%d" % number * number),) for number in range(200)},
}


def _job(
    ports: Ports,
    path: str,
    *,
    number: int = 1,
    writer: SegmentWriter | None = None,
    size: int | None = None,
    sha256: str | None = None,
    most: int = 2**31,
    stall: float = 20.0,
    refused_type: str | None = None,
) -> Job:
    return Job(number, f"{ports.host}{path}", writer, size, sha256, most, stall, refused_type)


async def _take(lane: Lane, number: int) -> list[Outcome]:
    outcomes: list[Outcome] = []
    while len(outcomes) < number:
        outcomes += (await lane.take(5.0)).outcomes
    return outcomes


async def _fetched(ports: Ports, job: Job) -> Outcome:
    lane = ports.lane(4)
    lane.submit([job])
    (outcome,) = await _take(lane, 1)
    assert outcome.id == job.id
    return outcome


async def bytes_nobody_stores_come_to_python(ports: Ports) -> None:
    outcome = await _fetched(ports, _job(ports, "/small"))
    assert (outcome.fault, outcome.status, outcome.received) == (None, 200, 1000)
    assert (outcome.body, outcome.sha256, outcome.place) == (SMALL, sha256(SMALL), None)
    assert outcome.media_type == "image/webp"
    assert outcome.ms >= 0


async def bytes_for_a_writer_are_stored_when_their_outcome_is_taken(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    writer = await folder.writer()
    outcome = await _fetched(ports, _job(ports, "/small", writer=writer, size=1000, sha256=sha256(SMALL)))
    assert (outcome.fault, outcome.body, outcome.sha256) == (None, None, sha256(SMALL))
    assert outcome.place is not None
    assert await folder.read(outcome.place) == SMALL
    lengths = await (await ports.another_tab()).folder(ports.key).segment_lengths([outcome.place.segment])
    assert lengths[outcome.place.segment] >= outcome.place.offset + 1000
    await writer.close()


async def a_large_file_is_stored_whether_its_size_is_known_or_not(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    writer = await folder.writer()
    for size in (len(LARGE), None):
        outcome = await _fetched(ports, _job(ports, "/large", writer=writer, size=size, sha256=sha256(LARGE)))
        assert (outcome.fault, outcome.received) == (None, len(LARGE))
        assert outcome.place is not None
        assert await folder.read(outcome.place) == LARGE
    await writer.close()


async def a_large_file_with_the_wrong_bytes_leaves_nothing(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    writer = await folder.writer()
    for path, fault in (("/large", {"hash"}), ("/cut-large", {"cut", "network"})):
        outcome = await _fetched(ports, _job(ports, path, writer=writer, size=len(LARGE), sha256="0" * 64))
        assert outcome.fault in fault
        assert outcome.place is None
    await writer.close()
    assert await folder.segment_lengths() == {}


async def an_empty_file_is_a_file(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    writer = await folder.writer()
    outcome = await _fetched(ports, _job(ports, "/empty", writer=writer))
    assert (outcome.fault, outcome.received, outcome.sha256) == (None, 0, sha256(b""))
    assert outcome.place is not None
    assert await folder.read(outcome.place) == b""
    await writer.close()


async def an_encoded_path_is_asked_for_to_the_letter(ports: Ports) -> None:
    outcome = await _fetched(ports, _job(ports, "/odd%20%23%3F%25%2B.bin"))
    assert (outcome.fault, outcome.body) == (None, SMALL)


async def what_comes_compressed_is_counted_and_checked_as_what_it_is(ports: Ports) -> None:
    outcome = await _fetched(ports, _job(ports, "/gzip", size=len(LARGE), sha256=sha256(LARGE)))
    assert (outcome.fault, outcome.received, outcome.body) == (None, len(LARGE), LARGE)


async def a_redirect_is_followed(ports: Ports) -> None:
    outcome = await _fetched(ports, _job(ports, "/moved"))
    assert (outcome.fault, outcome.status, outcome.body) == (None, 200, SMALL)


async def any_status_but_200_is_a_fault_with_its_number(ports: Ports) -> None:
    for path, status in (("/gone", 404), ("/forbidden", 403), ("/broken", 500), ("/error-page", 404)):
        outcome = await _fetched(ports, _job(ports, path))
        assert (outcome.fault, outcome.status, outcome.body) == ("status", status, None)


async def a_host_that_says_when_to_come_back_is_heard(ports: Ports) -> None:
    outcome = await _fetched(ports, _job(ports, "/limited"))
    assert (outcome.fault, outcome.status, outcome.retry_after) == ("status", 429, 7.0)


async def a_host_that_does_not_answer_is_a_fault_without_a_status(ports: Ports) -> None:
    outcome = await _fetched(ports, _job(ports, "/refused"))
    assert (outcome.fault, outcome.status) == ("network", 0)


async def a_body_that_ends_early_is_never_taken_for_whole(ports: Ports) -> None:
    writer = await ports.store.folder(ports.key).writer()
    for size in (None, 1000):
        outcome = await _fetched(ports, _job(ports, "/cut", writer=writer, size=size))
        assert outcome.fault in {"cut", "network"}
        assert outcome.place is None
    await writer.close()


async def a_body_shorter_than_known_is_cut_though_nobody_announced_its_length(ports: Ports) -> None:
    outcome = await _fetched(ports, _job(ports, "/cut-unannounced", size=1000))
    assert outcome.fault in {"cut", "network"}
    outcome = await _fetched(ports, _job(ports, "/unannounced", size=1000))
    assert (outcome.fault, outcome.body) == (None, SMALL)


async def a_body_longer_than_wanted_is_not_read_to_its_end(ports: Ports) -> None:
    outcome = await _fetched(ports, _job(ports, "/stalled-again", most=100))
    assert (outcome.fault, outcome.received, outcome.body) == ("too-long", 300, None)


async def a_body_of_another_size_or_hash_is_refused(ports: Ports) -> None:
    writer = await ports.store.folder(ports.key).writer()
    for job, fault in (
        (_job(ports, "/small", writer=writer, size=999), "size"),
        (_job(ports, "/small", writer=writer, size=1001), "cut"),
        (_job(ports, "/small", writer=writer, sha256="0" * 64), "hash"),
        (_job(ports, "/small", sha256="0" * 64), "hash"),
    ):
        outcome = await _fetched(ports, job)
        assert (outcome.fault, outcome.place, outcome.body) == (fault, None, None)
    await writer.close()
    assert await ports.store.folder(ports.key).segment_lengths() == {}


async def a_page_in_place_of_a_file_is_told_by_its_type(ports: Ports) -> None:
    refused = await _fetched(ports, _job(ports, "/html", refused_type="text/html"))
    assert (refused.fault, refused.status, refused.body) == ("html", 200, None)
    wanted = await _fetched(ports, _job(ports, "/html"))
    assert (wanted.fault, wanted.media_type) == (None, "text/html")


async def a_pointer_in_place_of_a_file_is_handed_over_and_not_stored(ports: Ports) -> None:
    writer = await ports.store.folder(ports.key).writer()
    for expected in (None, sha256(SMALL)):
        outcome = await _fetched(ports, _job(ports, "/pointer", writer=writer, sha256=expected))
        assert (outcome.fault, outcome.body, outcome.place) == ("pointer", POINTER, None)
    await writer.close()


async def a_pointer_that_is_the_file_is_the_file(ports: Ports) -> None:
    outcome = await _fetched(ports, _job(ports, "/pointer", sha256=sha256(POINTER)))
    assert (outcome.fault, outcome.body) == (None, POINTER)


async def a_host_that_goes_silent_is_given_up_after_the_stall(ports: Ports) -> None:
    lane = ports.lane(4)
    lane.submit([_job(ports, "/silent", number=1, stall=1.0), _job(ports, "/stalled", number=2, stall=1.0)])
    outcomes = {outcome.id: outcome for outcome in await _take(lane, 2)}
    assert (outcomes[1].fault, outcomes[1].status) == ("stall", 0)
    assert (outcomes[2].fault, outcomes[2].status, outcomes[2].received) == ("stall", 200, 400)


async def files_that_come_after_quick_ones_are_held_to_the_same_rules(ports: Ports) -> None:
    lane = ports.lane(1)
    writer = await ports.store.folder(ports.key).writer()
    asked = ["/small", "/stalled", "/small", "/cut", "/small", "/small"]
    jobs = [_job(ports, path, number=number, writer=writer, size=1000, stall=1.0) for number, path in enumerate(asked)]
    jobs.append(_job(ports, "/small", number=len(asked), writer=writer, size=1000, sha256="0" * 64))
    lane.submit(jobs)
    outcomes = {outcome.id: outcome for outcome in await _take(lane, len(jobs))}
    faults = [outcomes[number].fault for number in range(len(jobs))]
    assert faults[:3] == [None, "stall", None]
    assert faults[3] in {"cut", "network"}
    assert faults[4:] == [None, None, "hash"]
    places = [outcome.place for outcome in outcomes.values() if outcome.place is not None]
    await writer.close()
    digests = await ports.store.folder(ports.key).digest(places)
    assert digests == [sha256(SMALL)] * 4


async def what_runs_is_reported_with_the_bytes_so_far(ports: Ports) -> None:
    lane = ports.lane(4)
    lane.submit([_job(ports, "/stalled-again", number=5)])
    batch = Batch((), {})
    for _ in range(50):
        batch = await lane.take(0.1)
        if batch.running.get(5):
            break
    assert (batch.outcomes, batch.running) == ((), {5: 300})


async def many_files_come_each_once_however_few_run_at_once(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    writer = await folder.writer()
    lane = ports.lane(8)
    lane.submit([_job(ports, f"/many/{number}", number=number, writer=writer) for number in range(200)])
    outcomes = await _take(lane, 200)
    assert sorted(outcome.id for outcome in outcomes) == list(range(200))
    for outcome in outcomes:
        assert (outcome.fault, outcome.received) == (None, len(b"%d" % outcome.id * outcome.id))
        assert outcome.place is not None
        assert await folder.read(outcome.place) == b"%d" % outcome.id * outcome.id
    await writer.close()


async def files_of_two_writers_go_each_to_its_own(ports: Ports) -> None:
    folders = [ports.store.folder(ports.key), ports.store.folder(f"{ports.key}-2")]
    writers = [await folder.writer() for folder in folders]
    lane = ports.lane(8)
    lane.submit([_job(ports, f"/many/{n}", number=n, writer=writers[n % 2]) for n in range(100, 120)])
    for outcome in await _take(lane, 20):
        assert outcome.place is not None
        assert await folders[outcome.id % 2].read(outcome.place) == b"%d" % outcome.id * outcome.id
        assert await folders[1 - outcome.id % 2].read(outcome.place) is None
    for writer in writers:
        await writer.close()
    await ports.store.forget(f"{ports.key}-2")


async def a_job_submitted_again_is_asked_again(ports: Ports) -> None:
    first = await _fetched(ports, _job(ports, "/mended"))
    second = await _fetched(ports, _job(ports, "/mended"))
    assert (first.status, second.status, second.body) == (500, 200, SMALL)


async def nothing_to_take_is_an_empty_batch_after_the_time(ports: Ports) -> None:
    lane = ports.lane(4)
    before = ports.clock.monotonic()
    assert await lane.take(0.2) == Batch((), {})
    assert ports.clock.monotonic() - before >= 0.19


async def aborting_ends_every_job_with_an_outcome_and_leaves_the_lane_usable(ports: Ports) -> None:
    lane = ports.lane(2)
    lane.submit([_job(ports, "/silent", number=number) for number in range(6)])
    await lane.take(0.2)
    lane.abort()
    outcomes = await _take(lane, 6)
    assert {outcome.fault for outcome in outcomes} == {"aborted"}
    assert sorted(outcome.id for outcome in outcomes) == list(range(6))
    lane.submit([_job(ports, "/small", number=9)])
    (outcome,) = await _take(lane, 1)
    assert (outcome.id, outcome.fault) == (9, None)


async def aborting_one_lane_leaves_the_others_alone(ports: Ports) -> None:
    one, other = ports.lane(2), ports.lane(2)
    one.submit([_job(ports, "/silent")])
    other.submit([_job(ports, "/large")])
    one.abort()
    (outcome,) = await _take(other, 1)
    assert outcome.fault is None


async def closing_wakes_who_waits_and_drops_what_is_left(ports: Ports) -> None:
    lane = ports.lane(2)
    lane.submit([_job(ports, "/silent", number=number) for number in range(4)])
    waiting = asyncio.ensure_future(lane.take(30.0))
    await ports.clock.sleep(0.1)
    lane.close()
    assert (await waiting).outcomes == ()
