"""Names of GitHub repositories as people paste them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.repository import Repository


@pytest.mark.parametrize(
    "text",
    [
        "alice/chess",
        " alice/chess ",
        "https://github.com/alice/chess",
        "https://github.com/alice/chess/",
        "https://www.github.com/alice/chess.git",
        "github.com/alice/chess",
        "HTTPS://GitHub.com/alice/chess",
    ],
)
def test_a_name_or_an_address_of_github_is_a_repository(text: str) -> None:
    assert Repository.parse(text) == Repository("alice", "chess")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "alice",
        "/chess",
        "alice/",
        "alice/..",
        "alice/.",
        "alice/chess/tree/main",
        "alice/che ss",
        "alice/che\nss",
        "-alice/chess",
        "al_ice/chess",
        f"{'a' * 40}/chess",
        f"alice/{'c' * 101}",
        "evilgithub.com/a/b",
        "https://evilgithub.com/a/b",
        "https://evil.com/?x=github.com/a/b",
        "https://github.com.evil.com/a/b",
        "https://github.com@evil.com/a/b",
        "https://user@github.com/a/b",
        "https://github.com:8443/a/b",
        "http://github.com/a/b",
        "ssh://github.com/a/b",
        "https://github.com/a/b?tab=readme",
        "https://github.com/a/b#x",
        "https://github.com/a/b/c",
        "https://[::1/a/b",
        "\uff41lice/chess",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Repository.parse(text)


def test_spellings_that_differ_in_case_are_one_repository() -> None:
    assert Repository("Alice", "Chess").key == Repository("alice", "chess").key
    assert str(Repository("Alice", "Chess")) == "Alice/Chess"


@given(st.text())
def test_parsing_never_yields_a_name_that_could_leave_its_place_in_a_url(text: str) -> None:
    try:
        repository = Repository.parse(text)
    except ValueError:
        return
    assert repository.key.count("/") == 1
    assert not set(str(repository)) & set("?#%\\: \t\n")
