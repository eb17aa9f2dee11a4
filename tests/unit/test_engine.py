"""Whether a mod's engine range takes this engine, 0.9, in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.engine import ENGINE, accepts_engine


def test_this_engine_is_0_9() -> None:
    assert ENGINE[:2] == (0, 9)


@pytest.mark.parametrize(
    "text",
    [
        ">=0.1 <1.0",
        "*",
        "",
        "x",
        "0.9",
        "0.9.x",
        "=0.9.0",
        "v0.9.0",
        "^0.9",
        "~0.9.0",
        "<=0.9",
        ">0.8",
        "0.x",
        "^0",
        "<0.2 || >=0.9",
        ">=0.1, <1",
        ">= 0.1 < 1.0",
        "<0.10",
    ],
)
def test_these_ranges_take_it_in(text: str) -> None:
    assert accepts_engine(text) is True


@pytest.mark.parametrize(
    "text", ["<0.9", ">0.9", ">=1.0", "^1.0", "~0.8", "0.8", "1", ">=0.1 <0.5", "^0.8.5", "=0.9.1", "<0.1 || >2"]
)
def test_these_ranges_leave_it_out(text: str) -> None:
    assert accepts_engine(text) is False


@pytest.mark.parametrize("text", ["latest", ">=", "0.9-beta", "one", ">=0.1 and <1", "1.2.3.4"])
def test_what_is_no_range_is_told_apart_from_a_no(text: str) -> None:
    assert accepts_engine(text) is None


@given(st.text(alphabet="0123456789.<>=^~|xv* "))
def test_any_text_is_answered(text: str) -> None:
    assert accepts_engine(text) in {True, False, None}
