"""A git repository on disk, read through long-lived ``git cat-file`` processes.

Nothing here writes. A client's text never becomes part of a revision expression: a ref is looked up in the forms
GitHub knows (full and abbreviated sha, branch, tag, HEAD) and yields a commit sha; only then is ``<sha>:<path>`` asked.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

Answer = TypeVar("Answer")
ObjectKind = Literal["blob", "tree", "commit", "tag"]

_FULL_SHA = re.compile(r"[0-9a-f]{40}")
_ABBREVIATED_SHA = re.compile(r"[0-9a-f]{4,39}")
_FOUND = re.compile(rb"([0-9a-f]{40}) (blob|tree|commit|tag) (\d+)\n")
_PIPE_LIMIT = 1 << 20
_REMEMBERED_ENTRIES = 50_000
# Many, because a client may leave several large answers unread until it has finished another.
_STREAMS = 64

# git-check-ref-format(1): what no ref name contains. Whatever revision syntax is made of is in here.
_NO_REF_NAME = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|$)|^[./-]|[./]$|^@$")

# The repository's own configuration must not make git run anything or change bytes on their way out.
_SETTINGS = (
    "safe.directory=*",
    "filter.lfs.smudge=",
    "filter.lfs.process=",
    "filter.lfs.required=false",
    "core.fsmonitor=false",
    "uploadpack.allowFilter=true",
    "uploadpack.allowAnySHA1InWant=true",
)
GIT = ("git", *(word for setting in _SETTINGS for word in ("-c", setting)))


def git_environment(**extra: str) -> dict[str, str]:
    """The environment of every git process: no prompt, no locks, no translated messages, no replaced objects."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    fixed = {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "LC_ALL": "C",
    }
    return {**inherited, **fixed, **extra}


@dataclass(frozen=True, slots=True)
class GitObject:
    """What a name stands for; ``size`` in bytes."""

    oid: str
    kind: ObjectKind
    size: int


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One line of a recursive listing; ``size`` is None for trees and submodules."""

    path: bytes
    mode: str
    kind: ObjectKind
    oid: str
    size: int | None


class GitError(Exception):
    """A git process ended badly or answered out of turn. ``command`` and git's own words in ``stderr``."""

    def __init__(self, command: str, stderr: str) -> None:
        super().__init__(f"git {command} failed: {stderr.strip()[:300] or 'no message'}")
        self.command = command
        self.stderr = stderr


class _ObjectReader:
    """One ``git cat-file --batch-command`` process, asked one question at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise GitError("cat-file", "started without pipes")
        self._process = process
        self._questions = process.stdin
        self._answers = process.stdout

    @classmethod
    async def start(cls, git_dir: Path) -> _ObjectReader:
        command = (*GIT, f"--git-dir={git_dir}", "cat-file", "--batch-command")
        return cls(
            await _started(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env=git_environment(),
            )
        )

    async def info(self, name: bytes) -> GitObject | None:
        self._questions.write(b"info " + name + b"\n")
        line = await self._answers.readline()
        if not line.endswith(b"\n"):
            raise GitError("cat-file", "the process ended")
        found = _FOUND.fullmatch(line)
        if found is None:
            return None
        return GitObject(found[1].decode(), found[2].decode(), int(found[3]))  # type: ignore[arg-type] # the pattern's

    async def contents(self, oid: str) -> bytes:
        self._questions.write(f"contents {oid}\n".encode())
        found = _FOUND.fullmatch(await self._answers.readline())
        if found is None:
            raise GitError("cat-file", f"object {oid} can't be read")
        content = await self._answers.readexactly(int(found[3]) + 1)
        return content[:-1]

    async def end(self) -> None:
        self._questions.close()
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        await self._process.wait()


class Repository:
    """One repository; belongs to one event loop.

    Objects are immutable, so what ``<sha>:<path>`` names is remembered; refs are read afresh each time.
    """

    def __init__(self, git_dir: Path, processes: int = 2) -> None:
        self.git_dir = git_dir
        self._idle: list[_ObjectReader] = []
        self._slots = asyncio.Semaphore(processes)
        self._streams = asyncio.Semaphore(_STREAMS)
        self._entries: OrderedDict[tuple[str, str], GitObject | None] = OrderedDict()
        self._known_commits: set[str] = set()
        self._closed = False

    async def close(self) -> None:
        """End the idle processes; busy ones end with their question."""
        self._closed = True
        while self._idle:
            await self._idle.pop().end()

    async def info(self, name: bytes) -> GitObject | None:
        """What ``name`` stands for.

        :raises GitError: when git can't be asked
        """
        return await self._ask(lambda reader: reader.info(name))

    async def contents(self, oid: str) -> bytes:
        """All bytes of an object; for blobs that may be large use :meth:`stream`.

        :raises GitError: when the object can't be read
        """
        return await self._ask(lambda reader: reader.contents(oid))

    async def stream(self, oid: str) -> AsyncIterator[bytes]:
        """A blob's bytes in pieces, from a process of its own so that a slow client holds up nobody else."""
        async with self._streams:
            async for piece in self.output("cat-file", "blob", oid):
                yield piece

    async def entry(self, commit: str, path: str) -> GitObject | None:
        """The object at ``path`` in ``commit``; None when there is none, also for paths no tree can hold."""
        if "\n" in path or "\0" in path or any(part in {"", ".", ".."} for part in path.split("/")):
            return None
        key = (commit, path)
        if key in self._entries:
            return self._entries[key]
        try:
            name = f"{commit}:{path}".encode()
        except UnicodeEncodeError:
            return None
        found = await self.info(name)
        self._entries[key] = found
        if len(self._entries) > _REMEMBERED_ENTRIES:
            self._entries.popitem(last=False)
        return found

    async def commit(self, ref: str) -> str | None:
        """The commit a ref stands for, as GitHub reads one: a full sha, HEAD, a branch, a tag, an abbreviated sha.

        ``refs/heads/…`` and ``refs/tags/…`` name exactly one of them. A tag's object is followed to its commit.
        """
        if _FULL_SHA.fullmatch(ref):
            if ref in self._known_commits:
                return ref
            found = await self._peeled(ref)
            if found == ref:
                self._known_commits.add(ref)
            return found
        if ref == "HEAD":
            return await self._peeled("HEAD")
        if _NO_REF_NAME.search(ref) or not ref:
            return None
        if ref.startswith(("refs/heads/", "refs/tags/")):
            return await self._peeled(ref)
        for prefix in ("refs/heads/", "refs/tags/"):
            found = await self._peeled(prefix + ref)
            if found is not None:
                return found
        if _ABBREVIATED_SHA.fullmatch(ref):
            found = await self._peeled(ref)
            if found is not None and found.startswith(ref):
                return found
        return None

    async def leading_ref(self, segments: list[str]) -> tuple[str, str] | None:
        """Split a raw URL's tail into its ref's commit and the path behind it.

        git forbids a branch ``a`` beside ``a/b``, so the shortest prefix that names a ref is the only one.
        """
        first = 3 if segments[:2] in (["refs", "heads"], ["refs", "tags"]) else 1
        for length in range(first, len(segments)):
            commit = await self.commit("/".join(segments[:length]))
            if commit is not None:
                return commit, "/".join(segments[length:])
        return None

    async def default_branch(self) -> str:
        """The branch HEAD names, whether or not it has a commit yet."""
        name = (await self.run("symbolic-ref", "HEAD")).decode(errors="replace").strip()
        return name.removeprefix("refs/heads/")

    async def tree(self, commit: str, *, recursive: bool) -> list[TreeEntry]:
        """The listing of a commit's or tree's entries.

        :raises GitError: when it can't be read
        """
        listing = await self.run("ls-tree", "-z", "-l", *(("-r", "-t") if recursive else ()), commit)
        entries = []
        for line in listing.split(b"\0")[:-1]:
            columns, _, path = line.partition(b"\t")
            mode, kind, oid, size = columns.decode().split()
            entries.append(
                TreeEntry(path, mode, kind, oid, None if size == "-" else int(size))  # type: ignore[arg-type]
            )
        return entries

    async def run(self, *arguments: str) -> bytes:
        """The output of one git command.

        :raises GitError: when it exits with another status than 0
        """
        return b"".join([piece async for piece in self.output(*arguments)])

    async def output(
        self, *arguments: str, stdin: bytes | None = None, environment: dict[str, str] | None = None
    ) -> AsyncIterator[bytes]:
        """A git command's output in pieces, as it comes.

        :raises GitError: after the last piece, when the command exits with another status than 0
        """
        process = await _started(
            *GIT,
            f"--git-dir={self.git_dir}",
            *arguments,
            stdin=asyncio.subprocess.DEVNULL if stdin is None else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=git_environment(**(environment or {})),
        )
        if process.stdout is None or process.stderr is None:
            raise GitError(arguments[0], "started without pipes")
        complaint = asyncio.ensure_future(process.stderr.read())
        feeding = asyncio.ensure_future(_feed(process, stdin)) if stdin is not None else None
        try:
            while piece := await process.stdout.read(_PIPE_LIMIT):
                yield piece
            if await process.wait() != 0:
                raise GitError(arguments[0], (await complaint).decode(errors="replace"))
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
            for task in (complaint, feeding):
                if task is not None:
                    task.cancel()
            await asyncio.gather(*(task for task in (complaint, feeding) if task is not None), return_exceptions=True)

    async def _peeled(self, name: str) -> str | None:
        found = await self.info(f"{name}^{{commit}}".encode())
        return found.oid if found is not None and found.kind == "commit" else None

    async def _ask(self, question: Callable[[_ObjectReader], Awaitable[Answer]]) -> Answer:
        async with self._slots:
            # An idle process may have died meanwhile; a fresh one is no cause of failure.
            while self._idle:
                reader = self._idle.pop()
                try:
                    return await self._put(question, reader)
                except GitError:
                    continue
            return await self._put(question, await _ObjectReader.start(self.git_dir))

    async def _put(self, question: Callable[[_ObjectReader], Awaitable[Answer]], reader: _ObjectReader) -> Answer:
        try:
            answer = await question(reader)
        except BaseException as failure:
            # Whatever of the answer is still in the pipe would be taken for the next one's.
            await reader.end()
            if isinstance(failure, (OSError, EOFError)):
                raise GitError("cat-file", str(failure)) from failure
            raise
        if self._closed:
            await reader.end()
        else:
            self._idle.append(reader)
        return answer


async def _started(
    *command: str, stdin: int, stdout: int, stderr: int, env: dict[str, str]
) -> asyncio.subprocess.Process:
    """A process, begun whole: one whose asker gives up in mid-start would outlive the loop that it reports to."""
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(*command, stdin=stdin, stdout=stdout, stderr=stderr, env=env, limit=_PIPE_LIMIT)
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        process = await starting
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()
        raise


async def _feed(process: asyncio.subprocess.Process, data: bytes) -> None:
    if process.stdin is None:
        return
    try:
        process.stdin.write(data)
        await process.stdin.drain()
        process.stdin.close()
    except (BrokenPipeError, ConnectionResetError):
        pass
