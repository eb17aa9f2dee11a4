"""The asset ref and the content version: two values that must not be confused."""

import pytest

from client.version import asset_ref, commit_sha, content_version, is_pinned

SHA = "0123456789abcdef0123456789abcdef01234567"
HASH = "ab" * 32


def test_a_full_lower_case_sha_is_a_commit() -> None:
    assert commit_sha(SHA) == SHA


@pytest.mark.parametrize(
    "text", [SHA[:39], SHA + "0", SHA.upper(), "cafe1234", "main", SHA + "\n", "g" * 40, None, 7, b"a"]
)
def test_anything_shorter_longer_or_other_is_no_commit(text: object) -> None:
    assert commit_sha(text) is None


def test_the_ref_is_the_commit_when_known_else_the_branch() -> None:
    assert asset_ref(commit_sha(SHA), "main") == SHA
    assert asset_ref(None, "main") == "main"


def test_the_version_is_the_commit_when_known_else_the_artifact_hash() -> None:
    assert content_version(commit_sha(SHA), HASH) == SHA
    assert content_version(None, HASH) == HASH


@pytest.mark.parametrize("artifact_hash", [None, "", "main", "1.0.0", HASH[:63], HASH.upper(), HASH + "\n"])
def test_a_version_is_never_a_branch_or_a_release(artifact_hash: str | None) -> None:
    with pytest.raises(ValueError, match="neither a commit sha nor an artifact hash"):
        content_version(None, artifact_hash)


def test_only_a_commit_pins_a_url() -> None:
    assert is_pinned(asset_ref(commit_sha(SHA), "main"))
    assert not is_pinned(asset_ref(None, "main"))
    assert not is_pinned(asset_ref(None, SHA.upper()))
