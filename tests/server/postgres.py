"""A PostgreSQL server of the tests' own, on a socket in a folder of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

_ROLE = "peer"
_WITHIN_S = 30


@dataclass(frozen=True)
class Postgres:
    """``folder`` holds the server's socket."""

    folder: Path

    def url(self, database: str) -> str:
        """A new, empty database."""
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(database)))
        return f"postgresql://{_ROLE}@/{database}?host={self.folder}"

    def _address(self, database: str) -> str:
        return f"host={self.folder} user={_ROLE} dbname={database}"

    def answers(self) -> bool:
        try:
            psycopg.connect(self._address("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True


def programs() -> Path | None:
    """The folder of ``initdb`` and ``postgres``: Debian keeps it off the path."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return installed[-1].parent if installed else None


def need() -> Path:
    """The programs; skips the test where there are none, and fails it in CI."""
    found = programs()
    if found is None:
        message = "PostgreSQL is not installed (Debian: apt-get install postgresql)"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return found


@contextlib.contextmanager
def running_postgres() -> Iterator[Postgres]:
    """A server for as long as the block runs. Root can't run one, so another user does (initdb's own rule)."""
    bin_folder = need()
    folder = Path(tempfile.mkdtemp(prefix="peer-postgres-", dir="/tmp" if Path("/tmp").is_dir() else None))
    user = _other_user() if hasattr(os, "geteuid") and os.geteuid() == 0 else None
    if user is not None:
        shutil.chown(folder, user)
    data = folder / "data"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.STDOUT, "cwd": folder}
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "HOME": str(folder)}
    create = [bin_folder / "initdb", "-D", data, "-U", _ROLE, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
    settings = ["listen_addresses=", f"unix_socket_directories={folder}", "fsync=off", "shared_buffers=16MB"]
    options = [word for setting in settings for word in ("-c", setting)]
    try:
        subprocess.run(create, check=True, user=user, env=environment, **quiet)  # type: ignore[call-overload]
        command = [bin_folder / "postgres", "-D", data, *options]
        with subprocess.Popen(command, user=user, env=environment, **quiet) as process:  # type: ignore[call-overload]
            server = Postgres(folder)
            try:
                _wait_until_it_answers(server, process)
                yield server
            finally:
                # "Immediate shutdown": nobody needs what is in it any more.
                process.send_signal(signal.SIGQUIT)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait_until_it_answers(server: Postgres, process: subprocess.Popen[bytes]) -> None:
    pause = threading.Event()
    for _ in range(_WITHIN_S * 50):
        if server.answers():
            return
        assert process.poll() is None, "PostgreSQL ended while it started"
        pause.wait(0.02)
    pytest.fail(f"PostgreSQL does not answer within {_WITHIN_S} s")


def _other_user() -> str:
    import pwd  # noqa: PLC0415 # Unix only, like root

    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    pytest.fail("root can't run PostgreSQL, and there is no user postgres or nobody")
