"""Where the time went, in Chrome's trace-event format."""

import pytest

from client.trace import MOST_EVENTS, Trace
from tests.fakes import FakeClock


def test_a_span_tells_when_it_began_and_how_long_it_took() -> None:
    clock = FakeClock()
    trace = Trace(clock)
    clock.advance(1.0)
    with trace.span("fetch", files=3):
        clock.advance(0.5)
    (event,) = trace.as_plain()["traceEvents"]
    assert (event["name"], event["ph"], event["ts"], event["dur"], event["args"]) == (
        "fetch",
        "X",
        1_000_000,
        500_000,
        {"files": 3},
    )


def test_a_span_that_fails_is_recorded_too() -> None:
    trace = Trace(FakeClock())
    with pytest.raises(KeyError), trace.span("fetch"):
        raise KeyError
    assert len(trace.as_plain()["traceEvents"]) == 1


def test_a_trace_keeps_the_latest_and_no_more_than_it_can_hold() -> None:
    trace = Trace(FakeClock())
    for number in range(MOST_EVENTS + 10):
        trace.add(str(number), 0.0, 0.0)
    events = trace.as_plain()["traceEvents"]
    assert (len(events), events[0]["name"]) == (MOST_EVENTS, "10")
