"""Media types by extension."""

import pytest

from client.media_type import asset_group, is_code_or_data, media_type, must_be_wrapped


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.webp", "image/webp"),
        ("a/b.web.glb", "model/gltf-binary"),
        ("x.webp.webp", "image/webp"),
        ("x.deck.json", "application/json"),
        ("A.WEBP", "image/webp"),
        ("models/x.web/readme", "application/octet-stream"),
        ("noextension", "application/octet-stream"),
        (".hidden", "application/octet-stream"),
        ("a.unknown", "application/octet-stream"),
        ("rules.md", "text/markdown"),
    ],
)
def test_the_last_extension_tells_the_type(path: str, expected: str) -> None:
    assert media_type(path) == expected


@pytest.mark.parametrize("path", ["a.svg", "a.js", "a.css", "a.html"])
def test_what_a_raw_host_sends_as_plain_text_must_be_wrapped(path: str) -> None:
    assert must_be_wrapped(path)
    assert not must_be_wrapped("a.webp")


def test_what_is_run_or_computed_with_is_told_from_what_is_looked_at() -> None:
    assert is_code_or_data("a.js")
    assert is_code_or_data("cards.json")
    assert not is_code_or_data("a.svg")
    assert not is_code_or_data("a.glb")


def test_every_file_stands_on_a_shelf() -> None:
    groups = {path: asset_group(path) for path in ("a.webp", "a.glb", "a.mp3", "a.json", "a.md", "a.hdr", "a")}
    assert list(groups.values()) == ["image", "model", "sound", "data", "text", "other", "other"]
