"""Git repositories to load mods from: the sample mods, the shapes, and mods of any size.

Everything is deterministic: the same inputs give the same bytes and the same commit shas on any machine, so a test may
state a sha. Nothing of the user's own git configuration takes part. Needs git and the standard library only, because
``build.py run`` uses it on a bare machine.

A sample mod is a working tree ``<samples>/<owner>/<repo>/``. What a file system can't hold everywhere (a ``?`` or a
backslash in a name, two names that differ in case only, git-LFS pointers, symbolic links, submodules, an earlier
commit) stands beside it in ``<samples>/<owner>/<repo>.tree.json``::

    {"message": "…",
     "entries": {"<path>": <entry>},
     "earlier": [{"message": "…", "changes": {"<path>": <entry>}}]}

An entry is one of ``{"copy": "<path>"}`` (another path's bytes), ``{"text": "…"}``, ``{"absent": true}``,
``{"replace": ["now", "then"]}``, ``{"symlink": "<target>"}``, ``{"submodule": "<40 hex>"}``, ``{"lfs": "<path>"}`` (a
pointer to that path's bytes, which are put where git-lfs keeps them: ``lfs/objects/ab/cd/<oid>``), or
``{"pointer": {"oid": "<64 hex>", "size": 1}}`` (a pointer to an object that no store has). ``earlier`` lists older
commits, oldest first, each as differences from the final tree.

A file may name another sample's commit as ``pin:<owner>/<repo>`` (its head) or ``pin:<owner>/<repo>~1`` (the commit
before); the sha takes its place, so packs are pinned the way real games pin them.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final, Literal, Self, TypeAlias

SAMPLES: Final = Path(__file__).parent / "mods"
SHAPES: Final = Path(__file__).parent / "shapes"
MANIFEST: Final = "diceytable.mod.json"

_EPOCH: Final = 1_760_000_000  # seconds; every first commit is made then, every later one a minute after its parent
_AUTHOR: Final = "Tablewright Samples <samples@tablewright.example>"
_STAMP: Final = "built-from"
_GIT: Final = (
    "git",
    "-c", "core.autocrlf=false",
    "-c", "core.bigFileThreshold=1m",
    "-c", "core.compression=0",
    "-c", "core.hooksPath=" + os.devnull,
    "-c", "commit.gpgsign=false",
    "-c", "fastimport.unpackLimit=1",
    "-c", "init.defaultBranch=main",
    "-c", "pack.compression=0",
    "-c", "safe.directory=*",
)  # fmt: skip
_PIN: Final = re.compile(rb"pin:([A-Za-z0-9._-]+/[A-Za-z0-9._-]+?)(~\d+)?(?=[\"\s])")
_MAGIC: Final[Mapping[str, bytes]] = {
    ".webp": b"RIFF\xff\xff\xff\x7fWEBPVP8 ",
    ".png": b"\x89PNG\r\n\x1a\n",
    ".jpg": b"\xff\xd8\xff\xe0\x00\x10JFIF\x00",
    ".glb": b"glTF\x02\x00\x00\x00",
    ".ktx2": b"\xabKTX 20\xbb\r\n\x1a\n",
    ".hdr": b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n",
}
_SYLLABLES: Final = tuple(consonant + vowel for consonant in "bcdfghlmn" for vowel in "aeio")[:32]

Mode: TypeAlias = Literal["100644", "120000", "160000"]


class RepositoryError(Exception):
    """A repository could not be built.

    ``command`` is git's arguments, or empty when a sample's own description is at fault; ``detail`` says what is wrong.
    """

    def __init__(self, detail: str, command: Sequence[str] = ()) -> None:
        super().__init__(" ".join([*command, detail]))
        self.detail = detail
        self.command = tuple(command)


@dataclass(frozen=True, slots=True)
class Repository:
    """A bare git repository on disk and the commits of its branch ``main``."""

    owner: str
    repo: str
    path: Path
    shas: tuple[str, ...]
    """Newest first."""

    @property
    def name(self) -> str:
        """``owner/repo`` as the owner spells it."""
        return f"{self.owner}/{self.repo}"

    @property
    def sha(self) -> str:
        """The head of ``main``: 40 hex digits."""
        return self.shas[0]


@dataclass(frozen=True, slots=True)
class FileDigest:
    """What git holds under one path: ``size`` in bytes and ``sha256`` in hex, of the pointer text where LFS is used."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a commit's tree: a file's bytes, a link's target, or a submodule's sha."""

    content: bytes
    mode: Mode = "100644"
    lfs_object: bytes | None = None


Tree: TypeAlias = Mapping[str, Entry]


# Building


def build_repositories(into: Path, samples: Path = SAMPLES) -> dict[str, Repository]:
    """Make every sample mod a repository ``into/<owner>/<repo>`` and return them by ``owner/repo``.

    A repository that was built from the same inputs and still has the same head is left as it is; any other is
    replaced.

    :raises RepositoryError: git failed, or pins name each other or a sample that is not there.
    """
    waiting = {name: _read_sample(samples, name) for name in _sample_names(samples)}
    built: dict[str, Repository] = {}
    while waiting:
        ready = {name: sample for name, sample in waiting.items() if sample.pins <= built.keys()}
        if not ready:
            missing = {name: sorted(sample.pins - built.keys()) for name, sample in waiting.items()}
            raise RepositoryError(f"pins that can't be resolved: {missing}")
        for name, sample in ready.items():
            commits = [(message, _substitute_pins(tree, built)) for message, tree in sample.commits]
            built[name] = _build(into, name, commits)
            del waiting[name]
    return built


def build_shape(into: Path, shape: Path) -> Repository:
    """Make a repository of the mod that a shape file describes, every file of exactly the size it gives.

    The bytes don't compress and are not the same in two mods; JSON, Markdown and JavaScript files are valid of their
    kind.

    :raises RepositoryError: git failed.
    """
    described = json.loads(shape.read_bytes())
    owner, repo, manifest = described["owner"], described["repo"], described["manifest"]
    sizes: dict[str, int] = dict(described["sizes"])
    text = json.dumps(manifest, ensure_ascii=False, indent=1).encode()
    manifest_size = sizes.pop(MANIFEST, len(text) + 1)
    tree = _Sized(f"{owner}/{repo}", sizes, text + b" " * (manifest_size - len(text) - 1) + b"\n")
    return _build(into, f"{owner}/{repo}", [("Publish", tree)])


def build_shapes(into: Path, shapes: Path = SHAPES) -> dict[str, Repository]:
    """:func:`build_shape` for every ``*.json`` in a folder, by ``owner/repo``."""
    built = (build_shape(into, shape) for shape in sorted(shapes.glob("*.json")))
    return {repository.name: repository for repository in built}


def synthetic_mod(into: Path, owner: str, repo: str, sizes: Mapping[str, int], **manifest: Any) -> Repository:
    """Make a game that declares exactly the assets in ``sizes`` (path → bytes), with a setup of its own beside them.

    ``manifest`` adds to the manifest's keys or replaces them. Memory use is that of the largest file.
    :func:`spread_sizes` makes ``sizes`` for a mod of a given weight.

    :raises RepositoryError: git failed.
    """
    declared = {
        "schemaVersion": "1.0",
        "id": repo,
        "name": repo.replace("-", " ").title(),
        "version": "1.0.0",
        "type": "game-pack",
        "entry": {"setup": "setup.json"},
        "assets": [path for path in sizes if path not in (MANIFEST, "setup.json")],
        "compatibility": {"engine": ">=0.1 <1.0"},
        "license": "MIT",
        "tags": ["synthetic"],
        **manifest,
    }
    text = json.dumps(declared, ensure_ascii=False, indent=1).encode() + b"\n"
    tree = _Sized(f"{owner}/{repo}", {"setup.json": 2048, **sizes}, text)
    return _build(into, f"{owner}/{repo}", [("Publish", tree)])


def spread_sizes(
    count: int, total: int, suffixes: Sequence[str] = (".webp", ".webp", ".webp", ".glb"), large: Sequence[int] = ()
) -> dict[str, int]:
    """``count`` paths whose sizes add up to ``total`` bytes exactly, spread as in real mods: most small, a few big.

    ``large`` gives the first files' sizes, in bytes; the others share what is left of ``total``.

    :raises ValueError: ``large`` leaves less than a byte for each of the other files.
    """
    rest = count - len(large)
    left = total - sum(large)
    if left < rest or rest < 0:
        raise ValueError(f"{count} files of {total} bytes can't hold {list(large)}")
    # Weights of a Pareto curve cut off where the biggest file has some forty times the median's bytes.
    weights = [1 / ((index + 0.5) / rest + 0.012) for index in range(rest)]
    scale = (left - rest) / sum(weights) if rest else 0
    sizes = [1 + int(weight * scale) for weight in weights]
    if rest:
        sizes[0] += left - sum(sizes)
    order = sorted(range(rest), key=lambda index: hashlib.sha256(str(index).encode()).digest())
    paths = (_numbered_path(index, suffixes[index % len(suffixes)]) for index in range(count))
    return dict(zip(paths, [*large, *(sizes[index] for index in order)], strict=True))


def publish(repository: Path, changes: Mapping[str, bytes | None], message: str = "Publish") -> str:
    """Commit ``changes`` (path → new bytes, or None to delete) on top of ``main`` and return the new head's sha.

    Works on bare repositories and on ``.git`` folders' parents; a checked-out working tree is not updated. The commit's
    date is a minute after its parent's, so the sha depends on the content alone.

    :raises RepositoryError: git failed, for instance because there is no branch ``main``.
    """
    parent, date = _git(repository, "log", "-1", "--format=%H %ct", "refs/heads/main").decode().split()
    with _Importer(repository) as importer:
        importer.begin_commit(message, int(date) + 60, parent)
        for path, content in changes.items():
            if content is None:
                importer.delete(path)
            else:
                importer.add(path, Entry(content))
    return head(repository)


# Looking inside


def head(repository: Path) -> str:
    """The sha that ``main`` points at.

    :raises RepositoryError: there is no such branch.
    """
    return _git(repository, "rev-parse", "--verify", "refs/heads/main").decode().strip()


def digests(repository: Path, ref: str = "main") -> dict[str, FileDigest]:
    """Size and SHA-256 of every regular file in a commit's tree, by path.

    :raises RepositoryError: ``ref`` names no commit.
    """
    listing = _git(repository, "ls-tree", "-r", "-z", f"{ref}^{{commit}}")
    blobs: dict[str, str] = {}
    for line in listing.split(b"\0")[:-1]:
        meta, path = line.split(b"\t", 1)
        mode, _, sha = meta.decode().split()
        if mode.startswith("100"):
            blobs[path.decode()] = sha
    with tempfile.TemporaryFile() as wanted:
        wanted.write("".join(f"{sha}\n" for sha in blobs.values()).encode())
        wanted.seek(0)
        command = [*_GIT, "-C", str(repository), "cat-file", "--batch"]
        with subprocess.Popen(command, stdin=wanted, stdout=subprocess.PIPE, env=_environment()) as process:
            assert process.stdout is not None
            return {path: _read_digest(process.stdout) for path in blobs}


def read(repository: Path, path: str, ref: str = "main") -> bytes:
    """The bytes git holds under ``path`` at ``ref``.

    :raises RepositoryError: there is no such file.
    """
    return _git(repository, "cat-file", "blob", f"{ref}:{path}")


def _read_digest(stream: IO[bytes]) -> FileDigest:
    size = left = int(stream.readline().split()[2])
    digest = hashlib.sha256()
    while left:
        piece = stream.read(min(left, 1 << 20))
        digest.update(piece)
        left -= len(piece)
    stream.read(1)
    return FileDigest(size, digest.hexdigest())


# Samples


@dataclass(frozen=True, slots=True)
class _Sample:
    commits: list[tuple[str, dict[str, Entry]]]
    pins: frozenset[str]


def _sample_names(samples: Path) -> list[str]:
    return sorted(
        f"{owner.name}/{repo.name}"
        for owner in samples.iterdir()
        if owner.is_dir() and not owner.name.startswith((".", "_"))
        for repo in owner.iterdir()
        if repo.is_dir()
    )


def _read_sample(samples: Path, name: str) -> _Sample:
    root = samples / name
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
    beside = samples / f"{name}.tree.json"
    described = json.loads(beside.read_bytes()) if beside.exists() else {}
    final = _apply({path: Entry(content) for path, content in files.items()}, described.get("entries", {}), name)
    commits = [(step["message"], _apply(final, step["changes"], name)) for step in described.get("earlier", [])]
    commits.append((described.get("message", "Publish"), final))
    pins = {
        match[1].decode() for _, tree in commits for entry in tree.values() for match in _PIN.finditer(entry.content)
    }
    return _Sample(commits, frozenset(pins))


def _apply(tree: dict[str, Entry], entries: Mapping[str, Mapping[str, Any]], name: str) -> dict[str, Entry]:
    changed = dict(tree)
    for path, entry in entries.items():
        match entry:
            case {"copy": str(source)}:
                changed[path] = tree[source]
            case {"text": str(text)}:
                changed[path] = Entry(text.encode())
            case {"lfs": str(source)}:
                content = tree[source].content
                pointer = _lfs_pointer(hashlib.sha256(content).hexdigest(), len(content))
                changed[path] = Entry(pointer, lfs_object=content)
            case {"pointer": {"oid": str(oid), "size": int(size)}}:
                changed[path] = Entry(_lfs_pointer(oid, size))
            case {"symlink": str(target)}:
                changed[path] = Entry(target.encode(), "120000")
            case {"submodule": str(sha)}:
                changed[path] = Entry(sha.encode(), "160000")
            case {"absent": True}:
                del changed[path]
            case {"replace": [str(now), str(then)]} if now.encode() in tree[path].content:
                changed[path] = Entry(tree[path].content.replace(now.encode(), then.encode()))
            case _:
                raise RepositoryError(f"{name}.tree.json: {path}: {dict(entry)} is no entry")
    return changed


def _lfs_pointer(oid: str, size: int) -> bytes:
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {size}\n".encode()


def _substitute_pins(tree: Mapping[str, Entry], built: Mapping[str, Repository]) -> dict[str, Entry]:
    def sha_of(match: re.Match[bytes]) -> bytes:
        steps = int(match[2][1:]) if match[2] else 0
        return built[match[1].decode()].shas[steps].encode()

    return {path: Entry(_PIN.sub(sha_of, entry.content), entry.mode, entry.lfs_object) for path, entry in tree.items()}


# Content of a given size


class _Sized(Mapping[str, Entry]):
    """A tree whose files are made when they are asked for, so that a gigabyte needs no gigabyte of memory."""

    def __init__(self, seed: str, sizes: Mapping[str, int], manifest: bytes) -> None:
        self.seed = seed
        self.sizes = sizes
        self.manifest = manifest

    def __getitem__(self, path: str) -> Entry:
        if path == MANIFEST:
            return Entry(self.manifest)
        return Entry(_content(self.seed, path, self.sizes[path]))

    def __iter__(self) -> Iterator[str]:
        yield MANIFEST
        yield from self.sizes

    def __len__(self) -> int:
        return len(self.sizes) + 1


def _content(seed: str, path: str, size: int) -> bytes:
    noise = f"{seed}:{path}"
    name = PurePosixPath(path).name
    suffix = PurePosixPath(path).suffix.lower()
    if suffix == ".json":
        return _padded_json(_json_like(path), noise, size)
    if suffix == ".md":
        return _prose(f"# {name}\n\n".encode(), noise, size)
    if suffix == ".js":
        return _prose(b'exports.setup = (api) => api.log("ready");\n// ', noise, size)
    content = _MAGIC.get(suffix, b"") + hashlib.shake_128(noise.encode()).digest(size)
    return content[:size]


def _json_like(path: str) -> dict[str, Any]:
    name = PurePosixPath(path).name
    if name == "setup.json":
        return {"schemaVersion": 2, "sceneId": "shape", "name": "Shape", "objects": [], "seatZones": []}
    if name == "cardSchema.json":
        return {"version": 1, "breakingVersion": 1, "name": "Cards", "fields": []}
    if name.endswith(".deck.json"):
        return {"id": "deck-1", "name": "Deck", "entries": []}
    if name.endswith(".cards.json"):
        return {"version": 1, "cards": []}
    return {}


def _padded_json(value: dict[str, Any], noise: str, size: int) -> bytes:
    bare = json.dumps({**value, "notes": ""}, separators=(",", ":")).encode()
    if size < len(bare):
        return b"{}"[:size].ljust(size)
    letters = hashlib.shake_128(noise.encode()).digest(size)
    return bare[:-2] + base64.urlsafe_b64encode(letters)[: size - len(bare)] + bare[-2:]


def _prose(start: bytes, noise: str, size: int) -> bytes:
    """Made-up words in one line, so that a comment stays a comment."""
    picks = hashlib.shake_128(noise.encode()).digest(size + 1)
    words = (_SYLLABLES[pick % len(_SYLLABLES)] + (" " if pick > 176 else "") for pick in picks)
    return (start + "".join(words).encode())[: max(size - 1, 0)] + b"\n"[:size]


def _numbered_path(index: int, suffix: str) -> str:
    folder = {".glb": "models", ".json": "data", ".ogg": "sounds", ".wav": "sounds"}.get(suffix, "textures")
    return f"assets/{folder}/set-{index // 100:02d}/part-{index:05d}{suffix}"


# Git


def _build(into: Path, name: str, commits: Sequence[tuple[str, Tree]]) -> Repository:
    owner, repo = name.split("/")
    target = into / owner / repo
    stamp = _input_digest(name, commits)
    found = _built_before(target, stamp)
    if found is not None:
        return Repository(owner, repo, target, found)
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".building-", dir=into))
    try:
        work = scratch / repo
        _git(scratch, "init", "--quiet", "--bare", "--template=", repo)
        with _Importer(work) as importer:
            for index, (message, tree) in enumerate(commits):
                importer.begin_commit(message, _EPOCH + index * 60)
                importer.delete_all()
                for path, entry in tree.items():
                    importer.add(path, entry)
        shas = tuple(_git(work, "rev-list", "refs/heads/main").decode().split())
        (work / _STAMP).write_text("\n".join([stamp, *shas]), encoding="ascii")
        _put_in_place(work, target, stamp)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return Repository(owner, repo, target, shas)


def _put_in_place(work: Path, target: Path, stamp: str) -> None:
    if target.exists():
        target.rename(work.with_name("replaced"))
    try:
        work.rename(target)
    except OSError:
        # Another process built the same repository in the meantime: its bytes are ours.
        if _built_before(target, stamp) is None:
            raise


def _built_before(target: Path, stamp: str) -> tuple[str, ...] | None:
    try:
        made_from, *shas = (target / _STAMP).read_text(encoding="ascii").split("\n")
        if made_from == stamp and head(target) == shas[0]:
            return tuple(shas)
    except (OSError, RepositoryError):
        pass
    return None


def _input_digest(name: str, commits: Sequence[tuple[str, Tree]]) -> str:
    digest = hashlib.sha256(Path(__file__).read_bytes())
    digest.update(name.encode())
    for message, tree in commits:
        digest.update(f"\0{message}\0{len(tree)}".encode())
        if isinstance(tree, _Sized):
            digest.update(json.dumps(list(tree.sizes.items())).encode() + tree.manifest)
            continue
        for path, entry in tree.items():
            content = hashlib.sha256(entry.content).hexdigest()
            lfs = hashlib.sha256(entry.lfs_object or b"").hexdigest()
            digest.update(f"\0{entry.mode} {content} {lfs} {path}".encode())
    return digest.hexdigest()


class _Importer:
    """A ``git fast-import`` that writes commits to ``main``; leaving the context waits for it.

    :raises RepositoryError: git refused the stream.
    """

    def __init__(self, repository: Path) -> None:
        self._repository = repository
        self._command = [*_GIT, "-C", str(repository), "fast-import", "--quiet", "--depth=0", "--force"]
        # Git's words go to a file: a pipe nobody reads could fill and stop it.
        self._words = tempfile.TemporaryFile()  # noqa: SIM115

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=self._words, stderr=self._words, env=_environment()
        )
        assert self._process.stdin is not None
        self._stream = self._process.stdin
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        try:
            if kind is None:
                self._stream.write(b"done\n")
            self._stream.close()
        except BrokenPipeError:
            pass
        code = self._process.wait()
        with self._words:
            self._words.seek(0)
            words = self._words.read().decode(errors="replace")
        if code != 0 and (kind is None or kind is BrokenPipeError):
            raise RepositoryError(words.strip(), self._command)

    def begin_commit(self, message: str, date: int, parent: str | None = None) -> None:
        text = message.encode()
        self._stream.write(b"commit refs/heads/main\n")
        self._stream.write(f"author {_AUTHOR} {date} +0000\ncommitter {_AUTHOR} {date} +0000\n".encode())
        self._stream.write(b"data %d\n%s\n" % (len(text), text))
        if parent is not None:
            self._stream.write(f"from {parent}\n".encode())

    def delete_all(self) -> None:
        self._stream.write(b"deleteall\n")

    def delete(self, path: str) -> None:
        self._stream.write(b"D %s\n" % _quoted(path))

    def add(self, path: str, entry: Entry) -> None:
        if entry.mode == "160000":
            self._stream.write(b"M 160000 %s %s\n" % (entry.content, _quoted(path)))
            return
        self._stream.write(b"M %s inline %s\n" % (entry.mode.encode(), _quoted(path)))
        self._stream.write(b"data %d\n" % len(entry.content))
        self._stream.write(entry.content)
        self._stream.write(b"\n")
        if entry.lfs_object is not None:
            _keep_lfs_object(self._repository, entry.lfs_object)


def _quoted(path: str) -> bytes:
    escaped = (b"\\%03o" % byte if byte < 32 or byte in b'"\\' else bytes([byte]) for byte in path.encode())
    return b'"' + b"".join(escaped) + b'"'


def _keep_lfs_object(repository: Path, content: bytes) -> None:
    oid = hashlib.sha256(content).hexdigest()
    folder = repository / "lfs" / "objects" / oid[:2] / oid[2:4]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / oid).write_bytes(content)


def _git(repository: Path, *arguments: str) -> bytes:
    command = [*_GIT, "-C", str(repository), *arguments]
    done = subprocess.run(command, capture_output=True, env=_environment(), check=False)
    if done.returncode != 0:
        raise RepositoryError(done.stderr.decode(errors="replace").strip(), command)
    return done.stdout


def _environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return {**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "LC_ALL": "C", "TZ": "UTC"}


def main(arguments: Sequence[str] | None = None) -> int:
    """``python tests/repositories.py OUT``: build the sample mods and print each one's name and head."""
    parser = argparse.ArgumentParser(prog="repositories.py", description="Build git repositories of the sample mods.")
    parser.add_argument("out", type=Path, help="folder to put <owner>/<repo> in")
    parser.add_argument("--shapes", action="store_true", help="the shapes of real mods too")
    options = parser.parse_args(arguments)
    try:
        built = build_repositories(options.out)
        if options.shapes:
            built |= build_shapes(options.out)
    except RepositoryError as error:
        print(error, file=sys.stderr)
        return 1
    for name, repository in built.items():
        print(name, repository.sha)
    return 0


if __name__ == "__main__":
    sys.exit(main())
