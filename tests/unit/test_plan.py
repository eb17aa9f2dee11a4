"""Which files a pull needs, where each is fetched, and what its bytes must be."""

from hypothesis import given
from hypothesis import strategies as st

from client.asset_path import AssetPath, path_fault
from client.index import FileIndex, IndexedFile, LfsPointer
from client.manifest import DeclaredFile
from client.plan import LONGEST_FILE, PlannedFile, plan_files
from client.repository import Repository
from client.version import AssetRef, ContentVersion
from tests.unit.world import HOSTS

SHA = "a" * 40
CHESS = Repository("Alice", "Chess")
ONE, TWO = "1" * 64, "2" * 64


def plan(declared: DeclaredFile, known: IndexedFile | None = None, ref: str = SHA, version: str = SHA) -> PlannedFile:
    index = FileIndex(version, {known.path: known} if known is not None else {})
    planned = plan_files((declared,), index, HOSTS, CHESS, AssetRef(ref), ContentVersion(version))
    return planned[declared.path]


def declared(path: str = "a.webp", sha256: str | None = None, size: int | None = None) -> DeclaredFile:
    return DeclaredFile(AssetPath(path), "asset", sha256, size)


def test_with_an_index_every_byte_can_be_checked_though_no_manifest_lists_hashes() -> None:
    planned = plan(declared(), IndexedFile("a.webp", 7, ONE))
    assert (planned.size, planned.sha256, planned.also_sha256) == (7, ONE, None)
    assert planned.most == 7


def test_without_an_index_only_the_manifests_claims_bind() -> None:
    planned = plan_files((declared(sha256=ONE, size=3),), None, HOSTS, CHESS, AssetRef(SHA), ContentVersion(SHA))
    assert (planned[AssetPath("a.webp")].sha256, planned[AssetPath("a.webp")].size) == (ONE, 3)
    assert plan(declared()).sha256 is None
    assert plan(declared()).most == LONGEST_FILE


def test_a_manifest_and_an_index_that_disagree_leave_no_bytes_that_are_right() -> None:
    planned = plan(declared(sha256=TWO), IndexedFile("a.webp", 7, ONE))
    assert {planned.sha256, planned.also_sha256} == {ONE, TWO}


def test_a_manifest_and_an_index_that_agree_ask_once() -> None:
    assert plan(declared(sha256=ONE), IndexedFile("a.webp", 7, ONE)).also_sha256 is None


def test_a_file_in_lfs_is_fetched_from_the_media_host_as_what_the_pointer_says() -> None:
    planned = plan(declared(), IndexedFile("a.webp", 130, ONE, LfsPointer(TWO, 60_000)))
    assert planned.url == f"https://media.test/media/Alice/Chess/{SHA}/a.webp"
    assert (planned.size, planned.sha256, planned.lfs) == (60_000, TWO, True)
    assert planned.host == "media.test"


def test_a_branch_addressed_plan_carries_the_version_in_each_url() -> None:
    assert plan(declared("a b#.webp"), ref="main", version=ONE).url == (
        f"https://raw.test/Alice/Chess/main/a%20b%23.webp?v={ONE}"
    )


PATHS = st.text(min_size=1, max_size=20).filter(lambda text: path_fault(text) is None)


@given(st.sets(PATHS, max_size=5), st.sets(PATHS, max_size=5))
def test_a_plan_has_exactly_the_declared_files_each_below_its_repository(names: set[str], indexed: set[str]) -> None:
    index = FileIndex(SHA, {path: IndexedFile(path, 1, ONE) for path in indexed})
    files = tuple(declared(path) for path in names)
    planned = plan_files(files, index, HOSTS, CHESS, AssetRef(SHA), ContentVersion(SHA))
    assert set(planned) == names
    for one in planned.values():
        assert one.url.startswith(f"https://raw.test/Alice/Chess/{SHA}/")
        assert "/../" not in f"{one.url}/"
        assert (one.sha256 is not None) == (one.path in indexed)
