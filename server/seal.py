"""Encryption of what must be kept but not read: with one key per installation, in a file beside the database."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken

_FILE = "seal.key"


class BrokenSealError(Exception):
    """It was not sealed here, was changed, or is too old."""


class Seal:
    """The key is made when it is first needed, and readable by its owner only."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / _FILE
        self._lock = threading.Lock()
        self._known: Fernet | None = None

    def close(self, text: str) -> str:
        return self._fernet().encrypt(text.encode()).decode()

    def open(self, sealed: str, lasts_s: int | None = None) -> str:
        """:raises BrokenSealError: also when it was sealed more than ``lasts_s`` seconds ago"""
        try:
            return self._fernet().decrypt(sealed.encode(), ttl=lasts_s).decode()
        except (InvalidToken, UnicodeError):
            raise BrokenSealError from None

    def _fernet(self) -> Fernet:
        with self._lock:
            if self._known is None:
                self._known = Fernet(self._key())
            return self._known

    def _key(self) -> bytes:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._file.with_name(f".{_FILE}.{os.getpid()}")
        if not self._file.exists():
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(Fernet.generate_key())
            # Of two processes that start at once, one makes the key and both use it.
            with contextlib.suppress(FileExistsError):
                os.link(fresh, self._file)
            fresh.unlink()
        return self._file.read_bytes()
