"""The standard library on demand.

A memory snapshot holds the modules that were imported when it was made and no files, so the archive of the standard
library stays out of the boot. The first import of a module that is not in memory fetches the very archive the snapshot
was made with and puts it where ``sys.path`` expects it.
"""

import hashlib
import importlib
import pkgutil
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import js

ARCHIVE = Path(f"/lib/python{sys.version_info.major}{sys.version_info.minor}.zip")

# Read while the snapshot is made, when the archive is at hand.
_HELD = frozenset(module.name for module in pkgutil.iter_modules([str(ARCHIVE)]))


class StandardLibraryFinder(MetaPathFinder):
    """Brings the archive back before the finders behind it look into it; finds nothing itself."""

    def __init__(self, url: str, sha256: str) -> None:
        """``sha256`` is the hex digest of the bytes at ``url``."""
        self._url = url
        self._sha256 = sha256

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """:raises ImportError: the archive is needed, and can't be fetched or is not the one of the snapshot."""
        if fullname.partition(".")[0] in _HELD:
            ARCHIVE.write_bytes(self._fetch(fullname))
            sys.meta_path.remove(self)
            importlib.invalidate_caches()
        return None

    def _fetch(self, fullname: str) -> bytes:
        # An import can't wait for a promise; a worker may ask synchronously.
        request = js.XMLHttpRequest.new()
        request.open("GET", self._url, False)
        request.responseType = "arraybuffer"
        try:
            request.send()
        except Exception as error:
            message = f"{fullname} is in the standard library's archive, which can't be reached"
            raise ImportError(message, name=fullname) from error
        if request.status != 200:
            message = f"{fullname} is in the standard library's archive, which answers {request.status}"
            raise ImportError(message, name=fullname)
        content: bytes = request.response.to_bytes()
        if hashlib.sha256(content).hexdigest() != self._sha256:
            message = f"{fullname} is in the standard library's archive, which is not the one of this snapshot"
            raise ImportError(message, name=fullname)
        return content


def install(url: str, sha256: str) -> None:
    """Make every later import of the standard library work; called once, right after a snapshot is restored.

    The stand-in that Pyodide wrote for the archive goes at once: whatever reads it by accident fails oddly (EOFError).
    """
    ARCHIVE.unlink()
    sys.meta_path.insert(0, StandardLibraryFinder(url, sha256))
