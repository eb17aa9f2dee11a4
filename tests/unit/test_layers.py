"""The arrows between the rooms of the house: worker → client ← server, and nothing else."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("client", "worker", "server")
BROWSER_ONLY = {"js", "pyodide", "pyodide_js", "micropip", "pyodide_http"}

MAY_IMPORT = {
    "client": {"client"},
    "worker": {"worker", "client"},
    "server": {"server", "client"},
}


def imports(path: Path) -> set[str]:
    """The first part of each name that a module imports."""
    tree = ast.parse(path.read_text(), str(path))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            # A relative import stays in its room.
            found.add(node.module.partition(".")[0] if node.module and not node.level else path.parent.name)
    return found


def modules(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_room_imports_only_along_its_arrows(room: str) -> None:
    strays = {
        str(path.relative_to(ROOT)): sorted(stray)
        for path in modules(room)
        if (stray := (imports(path) & {*ROOMS, "tests"}) - MAY_IMPORT[room])
    }
    assert strays == {}


@pytest.mark.parametrize("room", ["client", "server"])
def test_only_the_worker_knows_the_browser(room: str) -> None:
    strays = [str(path.relative_to(ROOT)) for path in modules(room) if imports(path) & BROWSER_ONLY]
    assert strays == []


PARSER = {"client/javascript.py": ["esprima"]}
"""The one thing that is not the standard library's: imported when there is a script to read, and not before."""


def test_what_goes_to_the_browser_needs_nothing_but_the_standard_library() -> None:
    """The wheel of client and worker has no dependencies, and a memory snapshot holds what it imports."""
    known = sys.stdlib_module_names | BROWSER_ONLY | {"client", "worker"}
    strays = {
        str(path.relative_to(ROOT)): sorted(stray)
        for room in ("client", "worker")
        for path in modules(room)
        if (stray := imports(path) - known)
    }
    assert strays == PARSER


def test_the_parser_of_scripts_is_not_imported_before_there_is_one() -> None:
    for path in PARSER:
        tree = ast.parse((ROOT / path).read_text())
        assert not [node for node in tree.body if isinstance(node, ast.Import) and node.names[0].name == "esprima"]


def test_snapshot_can_hold_every_module_of_the_worker() -> None:
    """``from js import x`` at the top of a module takes an object of this one browser into the snapshot."""
    strays = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in modules("worker")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ImportFrom) and node.module == "js"
    ]
    assert strays == []
