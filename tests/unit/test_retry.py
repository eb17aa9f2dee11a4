"""Which failures pass, when to ask again, and when to leave a host alone."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.ports import FaultKind, Outcome
from client.report import PERMANENT, Reason
from client.retry import Breaker, RetryPolicy, reason_of


def outcome(fault: FaultKind | None, status: int = 0, retry_after: float | None = None) -> Outcome:
    return Outcome(1, fault, status, 0, 1.0, retry_after=retry_after)


@pytest.mark.parametrize(
    ("fault", "status", "retry_after", "reason"),
    [
        ("status", 404, None, "not-found"),
        ("status", 410, None, "not-found"),
        ("status", 401, None, "forbidden"),
        ("status", 403, None, "forbidden"),
        ("status", 403, 3.0, "rate-limited"),
        ("status", 429, None, "rate-limited"),
        ("status", 503, 3.0, "rate-limited"),
        ("status", 503, None, "server-error"),
        ("status", 500, None, "server-error"),
        ("status", 408, None, "timeout"),
        ("network", 0, None, "network"),
        ("cut", 200, None, "network"),
        ("stall", 200, None, "timeout"),
        ("too-long", 200, None, "size-mismatch"),
        ("size", 200, None, "size-mismatch"),
        ("hash", 200, None, "hash-mismatch"),
        ("html", 200, None, "server-error"),
        ("pointer", 200, None, "lfs-missing"),
        ("quota", 200, None, "quota"),
        ("storage", 200, None, "storage"),
        ("aborted", 0, None, "cancelled"),
    ],
)
def test_every_fault_has_its_word_in_the_report(
    fault: FaultKind, status: int, retry_after: float | None, reason: Reason
) -> None:
    assert reason_of(outcome(fault, status, retry_after)) == reason


def test_what_did_not_fail_has_no_reason() -> None:
    with pytest.raises(ValueError, match="did not fail"):
        reason_of(outcome(None, 200))


@pytest.mark.parametrize("reason", sorted(PERMANENT))
def test_what_asking_again_will_not_change_is_asked_once(reason: Reason) -> None:
    assert not RetryPolicy().may_retry(reason, 1)


@pytest.mark.parametrize("reason", ["network", "timeout", "server-error", "rate-limited"])
def test_what_passes_is_asked_a_few_times(reason: Reason) -> None:
    assert [RetryPolicy().may_retry(reason, attempts) for attempts in range(1, 6)] == [True, True, True, False, False]


@pytest.mark.parametrize("reason", ["hash-mismatch", "size-mismatch"])
def test_wrong_bytes_are_asked_for_once_more(reason: Reason) -> None:
    assert [RetryPolicy().may_retry(reason, attempts) for attempts in (1, 2)] == [True, False]


def test_what_was_cancelled_stays_cancelled() -> None:
    assert not RetryPolicy().may_retry("cancelled", 1)


@given(st.integers(0, 2**32), st.integers(1, 10))
def test_waiting_has_full_jitter_below_a_doubling_bound(seed: int, attempts: int) -> None:
    random.seed(seed)
    assert 0 <= RetryPolicy().delay(attempts, None) <= min(8.0, 0.5 * 2 ** (attempts - 1))


def test_peers_of_one_room_do_not_come_back_in_step() -> None:
    waits = [RetryPolicy().delay(4, None) for _ in range(200)]
    assert min(waits) < 0.4
    assert max(waits) > 3.6


def test_a_host_that_says_when_to_come_back_is_obeyed_within_reason() -> None:
    assert 10 <= RetryPolicy().delay(1, 10.0) <= 10.5
    assert RetryPolicy().delay(1, 86_400.0) <= 60.5


def tripped(now: float = 0.0) -> Breaker:
    breaker = Breaker(row=3)
    for _ in range(3):
        breaker.failed(now)
    return breaker


def test_a_few_failures_leave_a_host_open() -> None:
    breaker = Breaker(row=3)
    assert [breaker.failed(0.0), breaker.failed(0.0)] == [False, False]
    assert breaker.allowance(0.0, 64) == 64


def test_an_answer_in_between_begins_the_row_anew() -> None:
    breaker = Breaker(row=3)
    for _ in range(10):
        breaker.failed(0.0)
        breaker.failed(0.0)
        breaker.answered()
    assert breaker.allowance(0.0, 64) == 64


def test_a_row_of_failures_closes_a_host_for_a_while() -> None:
    breaker = tripped(100.0)
    assert breaker.allowance(100.1, 64) == 0
    assert 2.0 <= breaker.wait(100.0) <= 4.0


def test_only_the_failure_that_closes_the_host_calls_the_others_back() -> None:
    breaker = Breaker(row=3)
    assert [breaker.failed(0.0) for _ in range(6)] == [False, False, True, False, False, False]


def test_after_the_wait_a_single_job_probes_the_host() -> None:
    breaker = tripped()
    assert breaker.allowance(5.0, 64) == 1
    breaker.started()
    assert breaker.allowance(5.0, 64) == 0


def test_a_probe_that_is_answered_opens_the_host() -> None:
    breaker = tripped()
    breaker.started()
    breaker.answered()
    assert breaker.allowance(5.0, 64) == 64


def test_a_probe_that_fails_closes_the_host_for_longer() -> None:
    breaker = tripped()
    breaker.started()
    assert breaker.failed(5.0)
    assert 4.0 <= breaker.wait(5.0) <= 8.0


def test_a_probe_that_was_called_back_leaves_room_for_another() -> None:
    breaker = tripped()
    breaker.started()
    breaker.called_back()
    assert breaker.allowance(5.0, 64) == 1


def test_a_host_that_never_answers_is_given_up() -> None:
    breaker = tripped()
    for moment in (50.0, 100.0, 150.0):
        assert not breaker.gone
        breaker.started()
        breaker.failed(moment)
    assert breaker.gone


def test_a_host_that_asks_for_peace_gets_it_at_once() -> None:
    breaker = Breaker()
    assert breaker.failed(0.0, retry_after=30.0)
    assert breaker.wait(0.0) == 30.0


def test_no_host_is_left_alone_for_hours() -> None:
    breaker = Breaker()
    breaker.failed(0.0, retry_after=86_400.0)
    assert breaker.wait(0.0) == 120.0


@given(st.lists(st.sampled_from(["failed", "answered", "started", "called_back", "later"]), max_size=60))
def test_a_host_is_never_closed_for_ever(events: list[str]) -> None:
    breaker, now = Breaker(row=2), 0.0
    for event in events:
        match event:
            case "failed":
                breaker.failed(now)
            case "later":
                now += 3.0
            case "started":
                if breaker.allowance(now, 64):
                    breaker.started()
            case _:
                getattr(breaker, event)()
    breaker.called_back()
    assert breaker.gone or breaker.allowance(now + 121.0, 64) >= 1
