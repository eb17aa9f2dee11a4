"""What the registry refuses an author is said in words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
# Where what authors do is refused. The page answers `sign-in-required` by asking them to sign in.
REFUSING: Final = ("registration", "scan", "script_scan", "owner_control", "github_login", "quota")
_CODE: Final = re.compile(r'(?:ProblemError\(\s*\d{3}|ScanError\(|_unfit\()[\s,]*"([a-z-]+)"')


def codes() -> set[str]:
    return {code for name in REFUSING for code in _CODE.findall((ROOT / f"server/{name}.py").read_text())}


def test_the_codes_are_found() -> None:
    assert {"unpinned-scan", "in-use", "too-large", "rate-limited", "push-permission-required"} <= codes()


@pytest.mark.parametrize("code", sorted(codes() - {"sign-in-off"}))
def test_each_refusal_has_words(code: str) -> None:
    words = (ROOT / "web/author-text.js").read_text()
    assert re.search(rf'^  "?{code}"?: {{', words, re.MULTILINE), code
