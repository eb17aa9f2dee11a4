"""The registry's file index, and Git LFS pointers."""

import json
from typing import Any

import pytest

from client.index import IndexedFile, LfsPointer, read_index, read_pointer
from client.json_document import DocumentUnreadable
from tests.unit.world import pointer

ONE = "1" * 64


def index(*files: Any) -> dict[str, IndexedFile]:
    return dict(read_index(json.dumps({"version": "v", "files": files}).encode(), "index").files)


def test_files_are_known_by_path_size_and_hash() -> None:
    assert index({"path": "a b", "size": 3, "sha256": ONE}) == {"a b": IndexedFile("a b", 3, ONE)}


def test_a_pointer_is_known_with_what_it_points_to() -> None:
    found = index({"path": "a", "size": 130, "sha256": ONE, "lfs": {"oid": f"sha256:{ONE}", "size": 9}})
    assert found["a"].lfs == LfsPointer(ONE, 9)


@pytest.mark.parametrize(
    "entry",
    [
        {"path": "../a", "size": 3, "sha256": ONE},
        {"path": "a", "size": -1, "sha256": ONE},
        {"path": "a", "size": 3, "sha256": "x"},
        {"path": "a", "size": "3", "sha256": ONE},
        {"path": "a"},
        None,
        "a",
    ],
)
def test_an_entry_that_makes_no_sense_is_as_if_it_were_not_there(entry: Any) -> None:
    assert list(index(entry, {"path": "b", "size": 1, "sha256": ONE})) == ["b"]


@pytest.mark.parametrize("data", [b"", b"[]", b"<html>", b"\xff"])
def test_what_is_no_index_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentUnreadable):
        read_index(data, "index")


def test_an_index_says_which_scripts_may_run() -> None:
    """Where it says nothing, scripts were never read: none may run."""
    scripts = [{"path": "a.js", "sha256": ONE}, {"path": "b.js", "sha256": "short"}, {"path": "c.js"}, None]
    assert read_index(json.dumps({"scripts": scripts}).encode(), "index").scripts == {ONE}
    assert read_index(b'{"files": []}', "index").scripts == frozenset()
    assert read_index(b'{"scripts": {}}', "index").scripts == frozenset()


def test_an_index_without_files_has_none() -> None:
    assert read_index(b"{}", "index").files == {}


def test_a_pointer_names_hash_and_size() -> None:
    assert read_pointer(pointer(b"hello")) == LfsPointer(
        "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", 5
    )


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"version https://git-lfs.github.com/spec/v1\n",
        b"version https://git-lfs.github.com/spec/v2\noid sha256:" + ONE.encode() + b"\nsize 3\n",
        b"version https://git-lfs.github.com/spec/v1\noid md5:abc\nsize 3\n",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:" + ONE.encode() + b"\nsize -3\n",
        b"\x89PNG",
        b"\xff" * 130,
    ],
)
def test_other_texts_are_no_pointers(text: bytes) -> None:
    assert read_pointer(text) is None


def test_a_pointer_with_extensions_is_one_still() -> None:
    text = f"version https://git-lfs.github.com/spec/v1\next-0-foo sha256:{ONE}\noid sha256:{ONE}\nsize 3\n"
    assert read_pointer(text.encode()) == LfsPointer(ONE, 3)
