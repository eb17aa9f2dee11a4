"""The rules of ``client/`` hold in the exact build of Python that ships: its unit tests run inside the browser."""

# ruff: noqa: PLC0415 # what runs in the browser imports there

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_pyodide import run_in_pyodide, spawn_web_server  # type: ignore[import-untyped]

from tests.browser.pyodide_site import RULES, make_site
from tests.browsers import geckodriver, need

# The package's web server is a forked process.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@pytest.fixture(scope="module", params=["chrome", "firefox"])
def runtime(request: pytest.FixtureRequest) -> str:
    """pytest-pyodide's name of the engine."""
    name: str = request.param
    need("firefox" if name == "firefox" else "chromium")
    return name


@pytest.fixture(scope="module")
def web_server_main(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The site pytest-pyodide opens, and the drivers under the names by which it looks for them."""
    programs = tmp_path_factory.mktemp("programs")
    (programs / "geckodriver").symlink_to(geckodriver())
    debian = shutil.which("firefox-esr")
    if debian is not None:
        (programs / "firefox").symlink_to(debian)
    site = tmp_path_factory.mktemp("pyodide")
    make_site(site, dist)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
        with spawn_web_server(site) as server:
            yield server


@run_in_pyodide(packages=["diceytable-peer", "peer-tests"], pytest_assert_rewrites=False)  # type: ignore[untyped-decorator]
def run_unit_tests(selenium: Any, module: str) -> tuple[int, str]:
    """What pytest says of one module, and its exit code."""
    import contextlib
    import io
    from pathlib import Path

    import pytest

    import tests.fakes

    folder = Path(tests.fakes.__file__).parent
    options = ["-q", "-p", "no:cacheprovider", "--capture=sys", "--import-mode=importlib", "--rootdir", str(folder)]
    with contextlib.redirect_stdout(io.StringIO()) as output:
        code = pytest.main([*options, str(folder / "unit" / f"{module}.py")])
    return int(code), output.getvalue()


@pytest.mark.parametrize("module", RULES)
def test_rules_hold_in_the_browsers_python(selenium: Any, module: str) -> None:
    code, output = run_unit_tests(selenium, module)
    assert code == 0, output
    assert " passed" in output
