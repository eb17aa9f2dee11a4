"""git, for what a test repository needs beyond its files."""

from __future__ import annotations

import subprocess
from pathlib import Path


def git(repository: Path, *arguments: str, stdin: bytes = b"") -> str:
    """What the command prints, without the last newline."""
    command = ["git", "-c", "safe.directory=*", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    run = [*command, "-C", str(repository), *arguments]
    return subprocess.run(run, check=True, capture_output=True, input=stdin).stdout.decode().strip()
