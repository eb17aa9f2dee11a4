"""No miss and no false alarm: the scanner over a corpus of scripts that do harm, and of those that only look so."""

from __future__ import annotations

import pytest

from client.finding import Finding
from client.javascript import DEEPEST_NESTING
from client.scanner import MOST_FINDINGS, refusal, scan_script
from client.script_source import LONGEST_SCRIPT
from tests.unit.scanner_corpus import INNOCENT, REFUSED, SIGNS, WARNED


def signed(text: str) -> tuple[str, set[tuple[str, int, int]]]:
    """A corpus entry as the script itself, and what is to be found in it: code, line, column."""
    script, expected = "", set()
    for character in text:
        if character in SIGNS:
            before = script.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
            column = len(before[-1].encode("utf-16-le")) // 2 + 1
            expected.add((SIGNS[character], len(before), column))
        else:
            script += character
    return script, expected


def found_in(script: str) -> set[tuple[str, int, int]]:
    return {(finding.code, finding.line, finding.column) for finding in scan_script(script.encode())}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_does_harm_is_found_where_it_stands(text: str) -> None:
    script, expected = signed(text)
    assert expected
    assert found_in(script) == expected
    assert refusal(scan_script(script.encode())) is not None


@pytest.mark.parametrize("text", WARNED.values(), ids=WARNED)
def test_what_nobody_can_read_is_warned_of_and_published(text: str) -> None:
    script, expected = signed(text)
    assert expected
    assert found_in(script) == expected
    assert refusal(scan_script(script.encode())) is None


@pytest.mark.parametrize("text", INNOCENT.values(), ids=INNOCENT)
def test_what_only_looks_like_harm_passes(text: str) -> None:
    assert scan_script(text.encode()) == ()


def test_the_corpus_is_balanced() -> None:
    """At least half of it is innocent: a scanner that refuses everything would miss nothing."""
    assert len(REFUSED) + len(WARNED) >= 200
    assert len(INNOCENT) >= len(REFUSED) + len(WARNED)


def only(data: bytes) -> Finding:
    (finding,) = scan_script(data)
    return finding


def test_a_script_over_the_cap_is_refused_unread() -> None:
    line = b"api.log('x');\n"
    whole = line * (LONGEST_SCRIPT // len(line) + 1)
    finding = only(whole)
    assert (finding.line, finding.column, finding.code) == (1, 1, "unsafe-script")
    assert str(LONGEST_SCRIPT) in finding.message


def test_bytes_that_are_no_text_are_refused_where_they_begin() -> None:
    finding = only(b"\xef\xbb\xbfapi.log('a');\napi.log('\xff\xfe');")
    assert (finding.line, finding.column, finding.code) == (2, 10, "unsafe-script")


@pytest.mark.parametrize(
    ("before", "after"), [("[", "]"), ("(", ")"), ("{", "}"), ("f(", ")"), ("`${", "}`"), ("!", "")]
)
def test_nesting_over_the_cap_is_refused_and_kills_nothing(before: str, after: str) -> None:
    depth = 20 * DEEPEST_NESTING
    finding = only((before * depth + "1" + after * depth).encode())
    assert finding.code == "unsafe-script"
    assert "nested too deep" in finding.message


def test_nesting_is_refused_at_the_bracket_that_is_too_many() -> None:
    depth = DEEPEST_NESTING + 1
    finding = only(("\n" + "[" * depth + "]" * depth).encode())
    assert (finding.line, finding.column) == (2, depth)


def test_findings_are_bounded() -> None:
    assert len(scan_script(b"fetch(1);\n" * (MOST_FINDINGS * 2))) == MOST_FINDINGS


def test_columns_count_as_editors_do() -> None:
    """An emoji is two UTF-16 units."""
    finding = only("const a = '\U0001f3b2'; fetch(a)".encode())
    assert (finding.line, finding.column) == (1, 17)


def test_the_first_code_of_a_refusal_is_the_gravest() -> None:
    findings = scan_script(b"const call = api.callPlugin;\nfetch('x');")
    assert [finding.code for finding in findings] == ["dynamic-plugin-call", "unsafe-script"]
    assert refusal(findings) == "unsafe-script"
