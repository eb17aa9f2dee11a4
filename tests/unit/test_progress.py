"""The progress bar's truth."""

from hypothesis import given
from hypothesis import strategies as st

from client.progress import ProgressMeter
from tests.fakes import FakeClock


def test_an_idle_meter_reads_nothing() -> None:
    progress = ProgressMeter(FakeClock()).read()
    assert (progress.percent, progress.files_done, progress.files_total, progress.seconds_left) == (0, 0, 0, None)


def test_bytes_count_where_sizes_are_known() -> None:
    meter = ProgressMeter(FakeClock())
    meter.expect("a", 900)
    meter.expect("b", 100)
    meter.settle("a", 900)
    progress = meter.read()
    assert (progress.percent, progress.bytes_done, progress.bytes_total) == (90, 900, 1000)
    assert (progress.files_done, progress.files_total) == (1, 2)


def test_files_count_where_a_size_is_unknown() -> None:
    meter = ProgressMeter(FakeClock())
    for name in "abcd":
        meter.expect(name, None if name == "d" else 1000)
    meter.settle("a", 1000)
    progress = meter.read()
    assert (progress.percent, progress.bytes_total, progress.seconds_left) == (25, None, None)


def test_only_a_complete_pull_reads_100() -> None:
    meter = ProgressMeter(FakeClock())
    meter.expect("a", 10)
    meter.settle("a", 10)
    assert meter.read().percent == 99
    meter.complete = True
    assert meter.read().percent == 100


def test_a_warm_open_reads_100_without_a_file() -> None:
    meter = ProgressMeter(FakeClock())
    meter.complete = True
    assert meter.read().percent == 100


def test_empty_files_count_as_files() -> None:
    meter = ProgressMeter(FakeClock())
    meter.expect("a", 0)
    meter.expect("b", 0)
    meter.settle("a", 0)
    assert meter.read().percent == 50


def test_a_file_under_way_moves_the_bar() -> None:
    meter = ProgressMeter(FakeClock())
    meter.expect("a", 1000)
    meter.running("lane", {"a": 250})
    assert (meter.read().percent, meter.read().bytes_done) == (25, 250)


def test_a_file_that_sends_too_much_counts_as_its_size() -> None:
    meter = ProgressMeter(FakeClock())
    meter.expect("a", 1000)
    meter.expect("b", 1000)
    meter.running("lane", {"a": 50_000})
    assert meter.read().bytes_done == 1000


def test_a_failed_file_is_done_though_it_brought_nothing() -> None:
    meter = ProgressMeter(FakeClock())
    meter.expect("a", 1000)
    meter.expect("b", 1000)
    meter.settle("a", 0)
    assert (meter.read().percent, meter.read().bytes_done) == (50, 1000)


def test_a_file_retried_counts_once() -> None:
    meter = ProgressMeter(FakeClock())
    meter.expect("a", 1000)
    meter.expect("b", 1000)
    meter.settle("a", 0)
    meter.expect("a", 1000)
    assert (meter.read().files_done, meter.read().files_total, meter.read().bytes_total) == (0, 2, 2000)
    meter.settle("a", 1000)
    meter.settle("a", 1000)
    assert (meter.read().files_done, meter.read().bytes_done) == (1, 1000)


def test_neither_bar_nor_bytes_fall_when_an_attempt_is_lost() -> None:
    meter = ProgressMeter(FakeClock())
    meter.expect("a", 1000)
    meter.running("lane", {"a": 800})
    before = meter.read()
    meter.running("lane", {})
    after = meter.read()
    assert (after.percent, after.bytes_done) == (before.percent, before.bytes_done)


def test_a_pack_that_joins_late_does_not_make_the_bar_fall() -> None:
    meter = ProgressMeter(FakeClock())
    meter.expect("game", 1000)
    meter.settle("game", 900)
    before = meter.read().percent
    meter.expect("pack", 100_000)
    assert meter.read().percent == before


def test_the_rate_is_bytes_a_second() -> None:
    clock = FakeClock()
    meter = ProgressMeter(clock)
    meter.expect("a", 10_000)
    for number in range(1, 6):
        clock.advance(1.0)
        meter.running("lane", {"a": number * 1000})
        meter.read()
    progress = meter.read()
    assert progress.rate == 1000
    assert progress.seconds_left == 5.0


def test_the_rate_wakes_up_to_a_change_within_seconds() -> None:
    clock = FakeClock()
    meter = ProgressMeter(clock)
    meter.expect("a", 1_000_000)
    for _ in range(100):
        clock.advance(0.1)
        meter.running("lane", {"a": int(clock.monotonic() * 1000)})
        meter.read()
    for _ in range(40):
        clock.advance(0.1)
        meter.read()
    assert meter.read().rate < 400


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["expect", "settle", "running", "time"]), st.sampled_from("abc"), st.integers(0, 2000)
        ),
        max_size=40,
    )
)
def test_whatever_happens_the_bar_stays_between_0_and_100_and_never_falls(events: list[tuple[str, str, int]]) -> None:
    clock = FakeClock()
    meter = ProgressMeter(clock)
    before = meter.read().percent
    for kind, name, number in events:
        match kind:
            case "expect":
                meter.expect(name, number if number % 7 else None)
            case "settle":
                meter.settle(name, number)
            case "running":
                meter.running("lane", {name: number})
            case _:
                clock.advance(number / 1000)
        progress = meter.read()
        assert before <= progress.percent <= 99
        assert progress.bytes_total is None or progress.bytes_done <= progress.bytes_total
        assert progress.rate >= 0
        before = progress.percent
