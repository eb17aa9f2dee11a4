"""Which texts name a file of the repository, which a piece of the platform, which nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.asset_path import LONGEST_PATH, asset_path, path_fault, reference_kind

HOSTILE = [
    "",
    "../secrets",
    "a/../../b",
    "..",
    "a/..",
    ".",
    "./a",
    "a/./b",
    "a//b",
    "a/",
    "/etc/passwd",
    "//evil.example/a.webp",
    "C:/windows",
    "c:evil",
    "a\\b",
    "..\\..\\b",
    "a\0.webp",
    "a\nb",
    "a\x7fb",
    "https://evil.example/a",
    ".git/config",
    ".GIT/config",
    "a/\ud800.webp",
    "x" * (LONGEST_PATH + 1),
]
ORDINARY = [
    "diceytable.mod.json",
    "art/two words.webp",
    "art/100% wool.webp",
    "art/%2e%2e/b.webp",
    "art/number #1.webp",
    "art/a?b.webp",
    "art/a+b.webp",
    "models/x.web/model.web.glb",
    "@scope/pkg/tile.webp",
    "a/b/c/d/e.webp.webp",
    "Grüße-日本-🎲.webp",
    ".github/cover.webp",
    "..hidden/...webp",
    "x" * LONGEST_PATH,
]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_a_hostile_path_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(ValueError, match=r"^[a-z]"):
        asset_path(text)


@pytest.mark.parametrize("text", ORDINARY, ids=ascii)
def test_an_ordinary_path_is_kept_to_the_letter(text: str) -> None:
    assert asset_path(text) == text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("assets/wood.webp", "repository"),
        ("/assets/wood.webp", "platform"),
        ("/assets/wood.webp?v=3", "platform"),
        ("builtin:felt", "platform"),
        ("mat-0f8fad5b-d9cb-469f-a165-70867728950e", "platform"),
        ("mat-painted.webp", "repository"),
        ("//evil.example/x", "refused"),
        ("/../x", "refused"),
        ("../x", "refused"),
        ("https://evil.example/x", "refused"),
        ("", "refused"),
    ],
)
def test_a_reference_names_a_file_of_the_mod_or_a_piece_of_the_platform(text: str, kind: str) -> None:
    assert reference_kind(text) == kind


@given(st.text())
def test_no_accepted_path_leads_out_of_the_repository(text: str) -> None:
    if path_fault(text) is None:
        segments = text.split("/")
        assert not {"", ".", ".."} & set(segments)
        assert "\\" not in text
        assert "\0" not in text
