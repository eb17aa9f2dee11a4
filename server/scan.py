"""One reading of one commit: the manifest, the file index, the artifact hash, and what is wrong with it.

The files come as a single archive. git's archives are not the tree: ``export-ignore`` leaves files out, attributes like
``export-subst`` and ``eol`` rewrite them, and peers fetch the tree's own bytes. So each file is held against git's hash
of it, and the few that differ are fetched one by one.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from client.asset_path import path_fault
from client.finding import REFUSED
from client.issue import Issue
from client.json_document import DocumentUnreadable
from client.json_place import with_lines
from client.manifest import LONGEST_MANIFEST, MANIFEST_PATH, ModManifest, read_manifest
from client.repository import Repository
from client.scene_script import MOST_SCENE_SCRIPTS
from client.script_source import LONGEST_SCRIPT
from client.setup import EMPTY_SETUP, PackReference, Setup, read_setup
from client.version import CommitSha
from server.github import GitHub, GitHubError, RepositoryMissingError, TreeFile, UnreachableError
from server.lfs import LARGEST_POINTER, LfsPointer, read_pointer
from server.script_scan import ReadScript, Script, scan_scripts
from server.settings import Limits

SCANNER = 4
"""Moves when a scan of the same commit would say something else."""

INCOMPATIBLE = frozenset(
    {
        "case-collision",
        "engine-range",
        "hash-mismatch",
        "large-file",
        "lfs",
        "missing-file",
        "refused-path",
        "setup-unreadable",
        "size-mismatch",
        "submodule",
        "symlink",
    }
)
"""Codes after which a mod still opens, but not whole."""

_PIECE = 1 << 20
_SYMLINK, _SUBMODULE = "120000", "160000"
_KEPT_SETUP = 2 << 20
_SCRIPT = ".js"
_KEPT_TOGETHER = 64 << 20


class ScanError(Exception):
    """A commit that can't be taken in. ``code`` is one of CONTRACT's, ``issues`` say where; the mod's record stays."""

    def __init__(self, code: str, message: str, issues: Sequence[Issue] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.issues = tuple(issues)


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file as git stores it. For a Git LFS pointer, ``size`` and ``sha256`` are the pointer's own."""

    path: str
    size: int
    sha256: str
    lfs: LfsPointer | None = None

    @property
    def real_size(self) -> int:
        """Bytes of the content a player ends up with."""
        return self.size if self.lfs is None else self.lfs.size


@dataclass(frozen=True, slots=True)
class Scan:
    """``files`` is every file a peer may pull, by path; ``pulled`` those of them that the manifest names; ``packs`` the
    other mods that the setup names; ``scripts`` those that were read and may run."""

    manifest: ModManifest
    files: tuple[IndexedFile, ...]
    pulled: tuple[IndexedFile, ...]
    packs: tuple[PackReference, ...]
    scripts: tuple[Script, ...]
    artifact_hash: str
    issues: tuple[Issue, ...]

    @property
    def compatible(self) -> bool:
        return not any(issue.code in INCOMPATIBLE for issue in self.issues)

    def file_index(self, version: str) -> bytes:
        """The answer of ``…/versions/{version}/files``, ready to send."""
        files = []
        for file in self.files:
            line: dict[str, object] = {"path": file.path, "size": file.size, "sha256": file.sha256}
            if file.lfs is not None:
                line["lfs"] = {"oid": file.lfs.oid, "size": file.lfs.size}
            files.append(line)
        scripts = []
        for script in self.scripts:
            named: dict[str, object] = {"path": script.path, "sha256": script.sha256}
            if script.key is not None:
                named["key"] = script.key
            scripts.append(named)
        index = {"version": version, "files": files, "scripts": scripts}
        return json.dumps(index, separators=(",", ":"), ensure_ascii=False).encode()


class Meter:
    """Counts the unpacked bytes a scan has read, ``most`` of them at most."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.read = 0

    def count(self, size: int) -> None:
        """:raises ScanError: it was more than that"""
        self.read += size
        if self.read > self.most:
            raise ScanError("too-large", "The repository is larger than this registry takes.")


def scan(
    github: GitHub,
    repository: Repository,
    ref: str,
    sha: CommitSha | None,
    limits: Limits,
    meter: Meter | None = None,
    *,
    for_publish: bool = True,
) -> Scan:
    """Read the commit ``sha``, or whatever ``ref`` is at when no sha is known. ``meter`` counts what that takes.

    A commit that is not to be published may hold scripts nobody should run: it is read without them.

    :raises ScanError: too large, without a readable manifest, or with a script that can't be published
    :raises client.errors.ManifestUnreadable: the manifest is no JSON object
    :raises GitHubError: the content could not be read
    """
    reading = _Reading(limits, meter or Meter(limits.repository_bytes))
    tree: dict[str, TreeFile] = {}
    if sha is not None:
        # Without the listing the archive has to be believed; its budget may be spent.
        try:
            tree = {file.path: file for file in github.tree(repository, sha)}
        except RepositoryMissingError:
            raise
        except GitHubError:
            tree = {}
    with github.archive(repository, sha or ref) as pieces:
        reading.archive(pieces, tree)
    if sha is not None:
        reading.what_the_archive_changed(github, repository, sha, tree)
    return reading.scan(tree, for_publish=for_publish)


class _Reading:
    def __init__(self, limits: Limits, meter: Meter) -> None:
        self._limits = limits
        self._meter = meter
        self._files: dict[str, IndexedFile] = {}
        # JSON files, because only the manifest, which may come last, tells which of them is the setup.
        self._kept: dict[str, bytes] = {}
        self._kept_bytes = 0
        self._symlinks: set[str] = set()
        self._issues: list[Issue] = []

    def archive(self, pieces: Iterator[bytes], tree: dict[str, TreeFile]) -> None:
        members = 0
        stream = _Stream(pieces, self._meter)
        try:
            with tarfile.open(fileobj=stream, mode="r|", encoding="utf-8") as tar:
                for member in tar:
                    members += 1
                    path = member.name.partition("/")[2]
                    if members > self._limits.files:
                        raise ScanError("too-large", f"The repository has more than {self._limits.files} files.")
                    if member.issym() or member.islnk():
                        self._symlinks.add(path)
                    elif member.isfile() and path_fault(path) is None:
                        content = tar.extractfile(member)
                        if content is not None:
                            self._take(path, _read_pieces(content), tree.get(path))
                    tar.members.clear()  # type: ignore[attr-defined] # a stream never needs them again
            # tarfile stops at the end mark; only at the end of the stream is it known to be whole.
            while stream.read(_PIECE):
                pass
        except (tarfile.TarError, zlib.error, EOFError, ValueError) as error:
            raise UnreachableError(f"the archive can't be read: {error}") from None

    def what_the_archive_changed(
        self, github: GitHub, repository: Repository, sha: CommitSha, tree: dict[str, TreeFile]
    ) -> None:
        missing = [
            file
            for path, file in tree.items()
            if path not in self._files and file.mode not in {_SYMLINK, _SUBMODULE} and path_fault(path) is None
        ]
        if len(missing) > self._limits.unlike_archive:
            what = f"{len(missing)} files differ between the repository and its archive (.gitattributes)."
            raise ScanError("too-large", what)
        for file in missing:
            try:
                content = github.raw(repository, sha, file.path, self._limits.file_bytes)
            except RepositoryMissingError:
                # A name that is not UTF-8 reaches us altered: no peer can ask for it either.
                continue
            self._meter.count(len(content))
            self._take(file.path, iter((content,)), file)
            if file.path not in self._files:
                raise UnreachableError(f"{file.path} is not what git's tree says")

    def scan(self, tree: dict[str, TreeFile], *, for_publish: bool) -> Scan:
        content = self._kept.get(MANIFEST_PATH)
        if content is None:
            message = f"There is no {MANIFEST_PATH} in the repository."
            raise ScanError(
                "manifest-unreadable", message, [Issue("manifest-unreadable", MANIFEST_PATH, None, message)]
            )
        manifest = read_manifest(content)
        issues = with_lines(manifest.issues, content, MANIFEST_PATH)
        unknown = [issue for issue in issues if issue.code == "unknown-capability"]
        if unknown:
            raise ScanError("unknown-capability", " ".join(issue.message for issue in unknown), unknown)
        symlinks = self._symlinks | {path for path, file in tree.items() if file.mode == _SYMLINK}
        submodules = {path for path, file in tree.items() if file.mode == _SUBMODULE}
        self._declared(manifest, symlinks, submodules)
        setup = self._setup(manifest)
        scripts = self._scripts(manifest, setup, for_publish=for_publish)
        pulled = tuple(self._files[one.path] for one in manifest.files if one.path in self._files)
        return Scan(
            manifest=manifest,
            files=tuple(self._files[path] for path in sorted(self._files)),
            pulled=pulled,
            packs=setup.packs,
            scripts=scripts,
            artifact_hash=artifact_hash(pulled),
            issues=(*issues, *self._issues),
        )

    def _declared(self, manifest: ModManifest, symlinks: set[str], submodules: set[str]) -> None:
        for declared in manifest.files:
            path = declared.path
            file = self._files.get(path)
            if file is None:
                if path in symlinks:
                    self._complain("symlink", path, "is a symbolic link; it is not loaded.")
                elif any(path == folder or path.startswith(f"{folder}/") for folder in submodules):
                    self._complain("submodule", path, "lies in a submodule; it is not loaded.")
                elif not declared.optional:
                    self._complain("missing-file", path, "is named by the manifest and not in the repository.")
                continue
            if file.lfs is not None:
                self._complain("lfs", path, "is kept in Git LFS.")
            if file.real_size > self._limits.file_bytes:
                self._complain("large-file", path, f"is {file.real_size} bytes long.")
            real_hash = file.sha256 if file.lfs is None else file.lfs.oid
            if declared.sha256 is not None and declared.sha256 not in {real_hash, file.sha256}:
                self._complain("hash-mismatch", path, "does not have the SHA-256 that the manifest gives it.")
            if declared.size is not None and declared.size not in {file.real_size, file.size}:
                self._complain("size-mismatch", path, f"is {file.real_size} bytes long, not {declared.size}.")

    def _setup(self, manifest: ModManifest) -> Setup:
        content = self._kept.get(manifest.setup)
        if content is None or manifest.setup == MANIFEST_PATH:
            return EMPTY_SETUP
        try:
            setup = read_setup(content, manifest.setup)
        except DocumentUnreadable as error:
            self._issues.append(Issue("setup-unreadable", manifest.setup, None, str(error), error.line))
            return EMPTY_SETUP
        self._issues.extend(with_lines(setup.issues, content, manifest.setup))
        return setup

    def _scripts(self, manifest: ModManifest, setup: Setup, *, for_publish: bool) -> tuple[Script, ...]:
        """The scripts that were read and may run.

        :raises ScanError: ``for_publish``, and one of them may not
        """
        asked: list[Script] = []
        faults: list[Issue] = []
        if manifest.script is not None:
            self._entry_script(manifest.script, asked, faults)
        # A text that no UTF-8 file could hold is refused as one.
        asked += [
            Script(manifest.setup, scene.key, scene.source.encode("utf-8", "surrogatepass"))
            for scene in setup.scripts[:MOST_SCENE_SCRIPTS]
        ]
        if len(setup.scripts) > MOST_SCENE_SCRIPTS:
            faults.append(_unsafe(manifest.setup, f"has more than {MOST_SCENE_SCRIPTS} scripts.", "scripts"))
        read = scan_scripts(asked, self._limits)
        found = [issue for one in read for issue in one.issues()]
        refusal = _refusal(read, faults)
        if refusal is not None and for_publish:
            first, more = [*faults, *found][0], len(faults) + len(found) - 1
            raise ScanError(refusal, first.message + (f" And {more} more." if more else ""), [*faults, *found])
        self._issues += [*faults, *found]
        return tuple(one.script for one in read if one.refused is None)

    def _entry_script(self, path: str, asked: list[Script], faults: list[Issue]) -> None:
        file, content = self._files.get(path), self._kept.get(path)
        if file is None or file.lfs is not None:
            return
        if content is not None:
            asked.append(Script(path, None, content))
        elif not path.endswith(_SCRIPT):
            faults.append(_unsafe(path, f"is named as the script, and its name does not end in {_SCRIPT}."))
        elif file.size <= LONGEST_SCRIPT:
            faults.append(_unsafe(path, f"stands among more than {_KEPT_TOGETHER} bytes of scripts and data."))
        else:
            faults.append(_unsafe(path, f"is {file.size} bytes long; at most {LONGEST_SCRIPT} are taken."))

    def _take(self, path: str, pieces: Iterator[bytes], listed: TreeFile | None) -> None:
        """Index a file, unless it is not the one git's tree lists."""
        digest = hashlib.sha256()
        size = 0
        keeps = _keeps(path)
        kept: bytearray | None = bytearray()
        git_digest = None if listed is None or listed.size is None else hashlib.sha1(usedforsecurity=False)
        if git_digest is not None and listed is not None:
            git_digest.update(f"blob {listed.size}\0".encode())
        for piece in pieces:
            size += len(piece)
            digest.update(piece)
            if git_digest is not None:
                git_digest.update(piece)
            if kept is not None:
                kept += piece
                if len(kept) > max(keeps, LARGEST_POINTER):
                    kept = None
        if listed is not None and git_digest is not None and git_digest.hexdigest() != listed.oid:
            return
        lfs = read_pointer(bytes(kept)) if kept is not None and size < LARGEST_POINTER else None
        self._files[path] = IndexedFile(path, size, digest.hexdigest(), lfs)
        if kept is not None and size <= keeps and self._kept_bytes + size <= _KEPT_TOGETHER:
            self._kept[path] = bytes(kept)
            self._kept_bytes += size

    def _complain(self, code: str, path: str, message: str) -> None:
        self._issues.append(Issue(code, path, None, f"{path} {message}"))


def artifact_hash(files: Sequence[IndexedFile]) -> str:
    """SHA-256 over the sorted (path, SHA-256) of every file a peer pulls: any changed byte of those moves it,
    nothing else does, and no API call is needed (seed page "How a publish reaches players")."""
    digest = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.path):
        digest.update(f"{file.path}\0{file.sha256}\n".encode())
    return digest.hexdigest()


class _Stream(io.RawIOBase):
    """Pieces of a gzip stream as the file that tarfile reads, with a limit on what they unpack to."""

    def __init__(self, pieces: Iterator[bytes], meter: Meter) -> None:
        self._pieces = pieces
        self._machine = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        self._pending = b""
        self._plain = memoryview(b"")
        self._meter = meter

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        found = bytearray()
        while size < 0 or len(found) < size:
            if not self._plain and not self._fill():
                break
            take = self._plain if size < 0 else self._plain[: size - len(found)]
            found += take
            self._plain = self._plain[len(take) :]
        return bytes(found)

    def _fill(self) -> bool:
        while not self._machine.eof:
            if not self._pending:
                self._pending = next(self._pieces, b"")
                if not self._pending:
                    raise EOFError("it was cut")
            plain = self._machine.decompress(self._pending, _PIECE)
            self._pending = self._machine.unconsumed_tail
            if plain:
                self._meter.count(len(plain))
                self._plain = memoryview(plain)
                return True
        return False


def _unsafe(path: str, message: str, key: str | None = None) -> Issue:
    return Issue("unsafe-script", path, key, f"{path} {message}", 1, 1)


def _refusal(read: Sequence[ReadScript], faults: Sequence[Issue]) -> str | None:
    codes = {one.refused for one in read} | {fault.code for fault in faults}
    return next((code for code in REFUSED if code in codes), None)


def _keeps(path: str) -> int:
    if path == MANIFEST_PATH:
        return LONGEST_MANIFEST + 1
    if path.endswith(_SCRIPT):
        return LONGEST_SCRIPT
    return _KEPT_SETUP if path.endswith(".json") else 0


def _read_pieces(stream: IO[bytes]) -> Iterator[bytes]:
    while piece := stream.read(_PIECE):
        yield piece
