"""Scripts read for what they may not do, in a process of its own: ``python -m server.script_scan``.

A parser in Python can be made to take minutes and gigabytes by a small file. The process has a limit on both, and what
happens to it happens to nobody else. It gets the scripts on its standard input and answers a line for each, so that it
is known at which of them it died.
"""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from client.finding import Finding
from client.issue import Issue
from client.scanner import refusal, scan_script
from server.settings import PROJECT, Limits

# A scan may take a core and a gigabyte: more of them at once would take the registry's own.
_PLACES = threading.BoundedSemaphore(2)


@dataclass(frozen=True, slots=True)
class Script:
    """A script of a commit: a file at ``path``, or the text at ``key`` of the setup at ``path``."""

    path: str
    key: str | None
    data: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True, slots=True)
class ReadScript:
    """A script and what was found in it."""

    script: Script
    findings: tuple[Finding, ...]

    @property
    def refused(self) -> str | None:
        """The code of the refusal, None for a script that may run."""
        return refusal(self.findings)

    def issues(self) -> list[Issue]:
        where = self.script.path if self.script.key is None else f"{self.script.path} {self.script.key}"
        return [
            Issue(
                one.code,
                self.script.path,
                self.script.key,
                f"{where}, line {one.line}, column {one.column}: {one.message}",
                one.line,
                one.column,
            )
            for one in self.findings
        ]


def scan_scripts(scripts: Sequence[Script], limits: Limits) -> list[ReadScript]:
    """Scan each of them; one that can't be read within the limits has a finding that says so, as have those behind."""
    if not scripts:
        return []
    asked = json.dumps(
        {
            "seconds": limits.script_seconds,
            "bytes": limits.script_memory,
            "scripts": [base64.b64encode(script.data).decode() for script in scripts],
        }
    )
    command = [sys.executable, "-m", "server.script_scan"]
    with _PLACES:
        process = subprocess.Popen(
            command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        # The process counts its own seconds; this is for one that is stopped or starved.
        killer = threading.Timer(3 * limits.script_seconds, process.kill)
        killer.start()
        try:
            answered, _ = process.communicate(asked.encode())
        finally:
            killer.cancel()
            process.kill()
            process.wait()
    answers = [_read_answer(line) for line in answered.splitlines(keepends=True) if line.endswith(b"\n")]
    message = "The script takes more time or memory to read than a script may."
    unread = Finding(1, 1, "unsafe-script", message, "unreadable")
    answers += [(unread,)] * (len(scripts) - len(answers))
    return [ReadScript(script, findings) for script, findings in zip(scripts, answers, strict=True)]


def _read_answer(line: bytes) -> tuple[Finding, ...]:
    return tuple(Finding(*values) for values in json.loads(line))


def _limit(seconds: int, memory: int) -> None:
    try:
        import resource  # noqa: PLC0415 # not on Windows
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    asked = json.load(sys.stdin)
    _limit(asked["seconds"], asked["bytes"])
    for script in asked["scripts"]:
        findings = scan_script(base64.b64decode(script))
        sys.stdout.write(json.dumps(findings) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
