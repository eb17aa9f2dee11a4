"""Addresses of GitHub's shape."""

from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.asset_path import asset_path, path_fault
from client.repository import Repository
from client.urls import GitHubHosts, encoded, media_url, raw_url
from client.version import AssetRef, ContentVersion

HOSTS = GitHubHosts()
CHESS = Repository("Alice", "Chess")
SHA = "0123456789abcdef0123456789abcdef01234567"
HASH = ContentVersion("ab" * 32)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/b.webp", "a/b.webp"),
        ("number #1.webp", "number%20%231.webp"),
        ("what?.webp", "what%3F.webp"),
        ("100% wool.webp", "100%25%20wool.webp"),
        ("%41.webp", "%2541.webp"),
        ("a+b.webp", "a%2Bb.webp"),
        ("a&b=c;d.webp", "a%26b%3Dc%3Bd.webp"),
        ("Grüße/日本.webp", "Gr%C3%BC%C3%9Fe/%E6%97%A5%E6%9C%AC.webp"),
        ("@scope/tile.webp", "%40scope/tile.webp"),
        ("a:b/c.webp", "a%3Ab/c.webp"),
    ],
)
def test_each_segment_is_encoded_once_and_slashes_stay(path: str, expected: str) -> None:
    assert encoded(path) == expected


def test_a_commit_addressed_url_carries_no_version() -> None:
    url = raw_url(HOSTS, CHESS, AssetRef(SHA), ContentVersion(SHA), asset_path("a b.webp"))
    assert url == f"https://raw.githubusercontent.com/Alice/Chess/{SHA}/a%20b.webp"


def test_a_branch_addressed_url_carries_the_content_version() -> None:
    url = raw_url(HOSTS, CHESS, AssetRef("release/2 #x"), HASH, asset_path("a.webp"))
    assert url == f"https://raw.githubusercontent.com/Alice/Chess/release/2%20%23x/a.webp?v={HASH}"


def test_lfs_bytes_have_an_address_of_their_own() -> None:
    assert media_url(HOSTS, CHESS, AssetRef(SHA), None, asset_path("a.glb")) == (
        f"https://media.githubusercontent.com/media/Alice/Chess/{SHA}/a.glb"
    )
    assert media_url(HOSTS, CHESS, AssetRef("main"), HASH, asset_path("a.glb")).endswith(f"/main/a.glb?v={HASH}")


@given(st.text(min_size=1).filter(lambda text: path_fault(text) is None))
def test_a_url_leads_back_to_exactly_the_path_it_was_made_of(text: str) -> None:
    parts = urlsplit(raw_url(HOSTS, CHESS, AssetRef("main"), HASH, asset_path(text)))
    assert unquote(parts.path) == f"/Alice/Chess/main/{text}"
    assert parts.query == f"v={HASH}"
    assert parts.fragment == ""
