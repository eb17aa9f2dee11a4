"""The folder pytest-pyodide serves: the very Pyodide of the site, our wheel, pytest, and the unit tests."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
CORE: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
# pytest and what it stands on, tblib for errors that travel; all pure Python, so the installed ones run anywhere.
TOOLS: Final = ("pytest", "pluggy", "iniconfig", "packaging", "pygments", "tblib")
RULES: Final = (
    "test_asset_path",
    "test_engine",
    "test_index",
    "test_journal",
    "test_manifest",
    "test_media_type",
    "test_plan",
    "test_progress",
    "test_repository",
    "test_retry",
    "test_setup",
    "test_trace",
    "test_urls",
    "test_version",
)
"""The unit tests that need nothing but Python."""

# hypothesis has a compiled part with no build for the browser; its properties are held on CPython.
HYPOTHESIS: Final = """
import pytest

def given(*_):
    return lambda test: pytest.mark.skip(reason="properties are held on CPython")(lambda: None)
"""
STRATEGIES: Final = """
class Strategy:
    def __getattr__(self, name):
        return lambda *_, **__: self
    def __or__(self, other):
        return self

def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return lambda *_, **__: Strategy()
"""


def make_site(folder: Path, dist: Path) -> None:
    """Fill ``folder``; ``dist`` is the built site, whose wheel is taken."""
    for name in CORE:
        (folder / name).symlink_to(ROOT / "web/node_modules/pyodide" / name)
    (wheel,) = dist.glob("assets/packages.*/diceytable_peer-*.whl")
    (folder / wheel.name).write_bytes(wheel.read_bytes())
    packages = {"diceytable-peer": _entry("diceytable-peer", folder / wheel.name, ["client", "worker"])}
    for tool in TOOLS:
        packages[tool] = _entry(tool, _repacked(tool, folder), [tool])
    packages["peer-tests"] = _entry("peer-tests", _tests(folder), ["tests", "hypothesis"], depends=["pytest"])
    packages["pytest"]["depends"] = ["pluggy", "iniconfig", "packaging", "pygments"]
    lock = json.loads((ROOT / "web/node_modules/pyodide/pyodide-lock.json").read_text())
    (folder / "pyodide-lock.json").write_text(json.dumps({**lock, "packages": packages}))


def _entry(name: str, wheel: Path, imports: list[str], depends: Iterable[str] = ()) -> dict[str, Any]:
    return {
        "name": name,
        "version": wheel.name.split("-")[1],
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "imports": imports,
        "depends": list(depends),
        "package_type": "package",
        "unvendored_tests": False,
    }


def _repacked(name: str, folder: Path) -> Path:
    """An installed distribution as a wheel again."""
    found = distribution(name)
    wheel = folder / f"{name.replace('-', '_')}-{found.version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in found.files or ():
            if ".." not in file.parts and "__pycache__" not in file.parts:
                archive.write(str(found.locate_file(file)), str(file))
    return wheel


def _tests(folder: Path) -> Path:
    wheel = folder / "peer_tests-1-py3-none-any.whl"
    tests = ROOT / "tests"
    files = [tests / "fakes.py", *tests.glob("contract/*.py"), tests / "unit/world.py", tests / "unit/conftest.py"]
    files += [*(tests / f"unit/{name}.py" for name in RULES), *tests.glob("shapes/**/*.json")]
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in files:
            archive.write(file, str(file.relative_to(ROOT)))
        archive.writestr("hypothesis/__init__.py", HYPOTHESIS)
        archive.writestr("hypothesis/strategies.py", STRATEGIES)
        about = "peer_tests-1.dist-info"
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: peer-tests\nVersion: 1\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    return wheel
