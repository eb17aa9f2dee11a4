"""Reading setup.json: its packs, its seats and what stands on the table."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.json_document import DocumentUnreadable
from client.setup import MOST_PACKS, PackReference, read_setup
from client.version import commit_sha

SETUPS = Path(__file__).parents[1] / "shapes/setups"
SHA = "0123456789abcdef0123456789abcdef01234567"


def read(**keys: Any) -> Any:
    return read_setup(json.dumps(keys).encode(), "setup.json")


def test_a_board_game_of_the_real_shape_names_packs_and_seats() -> None:
    found = read_setup((SETUPS / "board-game.setup.json").read_bytes(), "setup.json")
    assert {pack.role for pack in found.packs} == {"room", "table"}
    assert all(pack.sha is not None for pack in found.packs)
    assert found.seats
    assert found.issues == ()


def test_a_card_game_of_the_real_shape_has_a_deck_of_cards() -> None:
    found = read_setup((SETUPS / "card-game.setup.json").read_bytes(), "setup.json")
    assert found.decks >= 1
    assert found.cards > found.decks
    assert found.issues == ()


def test_a_pack_is_pinned_by_its_sha() -> None:
    found = read(packRefs=[{"packId": "tavern", "version": "1.2.0", "commitSha": SHA, "role": "room"}])
    assert found.packs == (PackReference("tavern", "1.2.0", commit_sha(SHA), "room"),)


@pytest.mark.parametrize("sha", ["main", SHA[:12], SHA.upper()])
def test_an_odd_pin_loads_the_current_version_and_says_so(sha: str) -> None:
    found = read(packRefs=[{"packId": "tavern", "commitSha": sha, "role": "room"}])
    assert found.packs[0].sha is None
    assert [(issue.code, issue.key) for issue in found.issues] == [("odd-pin", "packRefs[0].commitSha")]


def test_packs_that_make_no_sense_are_named_and_left_out() -> None:
    found = read(packRefs=[{"role": "room"}, {"packId": "x", "role": "sky"}, 3, {"packId": "y", "role": "table"}])
    assert [pack.pack_id for pack in found.packs] == ["y"]
    assert {issue.key for issue in found.issues} == {"packRefs[0].packId", "packRefs[1].role", "packRefs[2]"}


def test_a_setup_with_endless_packs_loads_the_first_few() -> None:
    found = read(packRefs=[{"packId": f"p{number}", "role": "room"} for number in range(500)])
    assert len(found.packs) == MOST_PACKS
    assert [issue.code for issue in found.issues] == ["too-many-packs"]


def test_each_known_seat_counts_once() -> None:
    zones = [{"seat": "red"}, {"seat": "blue"}, {"seat": "red"}, {"seat": "ultraviolet"}, {}]
    assert read(seatZones=zones).seats == ("red", "blue")


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{", b"\xff"])
def test_what_is_no_object_is_refused_by_name(data: bytes) -> None:
    with pytest.raises(DocumentUnreadable, match=r"data/my setup\.json"):
        read_setup(data, "data/my setup.json")


@given(
    st.dictionaries(
        st.sampled_from(["packRefs", "objects", "seatZones"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["packId", "role", "seat", "metadata", "cards", "kind"]), inner, max_size=3
                )
            ),
            max_leaves=10,
        ),
    )
)
def test_no_object_breaks_the_reader(values: dict[str, Any]) -> None:
    found = read_setup(json.dumps(values).encode(), "setup.json")
    assert found.cards >= 0
    assert len(found.packs) <= MOST_PACKS


def test_scripts_of_a_scene_are_found_wherever_authors_tools_put_their_text() -> None:
    scripts = [{"id": "world", "source": "1;"}, {"code": "2;"}, "3;", {"id": "empty"}, None, {"id": 4, "script": "4;"}]
    found = read_setup(json.dumps({"scripts": scripts}).encode(), "setup.json").scripts
    assert [(script.key, script.source) for script in found] == [
        ('scripts["world"]', "1;"),
        ('scripts["1"]', "2;"),
        ('scripts["2"]', "3;"),
        ('scripts["5"]', "4;"),
    ]
