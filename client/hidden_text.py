"""Characters that make a script look like another one than it is.

The attacks are those of "Trojan Source" (CVE-2021-42574, CVE-2021-42694) and their kin: text that is shown in another
order than it runs, is not shown at all, or stands so far to the right that nobody scrolls there. What people write for
their players passes: emoji with their joiners and selectors, and joiners between letters of scripts that need them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from client.finding import Finding
from client.script_source import ScriptSource

WIDEST_GAP = 120
"""Columns of blanks before code on one line."""
LONGEST_GAP = 200
"""Empty lines before code."""

_TAB = 4
_JOINER, _NON_JOINER = "\u200d", "\u200c"
_TEXT_STYLE, _EMOJI_STYLE = "\ufe0e", "\ufe0f"
_BLACK_FLAG, _LAST_TAG = "\U0001f3f4", "\U000e007f"
_LONGEST_FLAG = 8

UNSEEN = re.compile(
    "[\x01-\x08\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""What most editors don't show, or show as something else; some of it is harmless in its place."""
_BIDIRECTIONAL = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LINE_SEPARATOR = re.compile("[\u2028\u2029]")
_CONTROL = re.compile("[\x01-\x1f\x7f-\x9f]")
_SELECTOR = re.compile("[\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_EMOJI = re.compile(
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_KEYCAPS = frozenset("#*0123456789")
# Arabic and the scripts of South and South-East Asia, whose spelling uses joiners.
_JOINING = re.compile("[\u0600-\u0dff\u0e00-\u109f\u1780-\u17ff\u1800-\u18af\u1b00-\u1b7f\ua840-\ua9df\ufb50-\ufdff]")

# Letters of other scripts, each with the ASCII letter it is taken for (Unicode's confusables, the closest ones).
_LIKE = {
    # Cyrillic
    "ABESIJKMHOPCTYXabesijkopcyxhdqwl": (
        "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0430"
        "\u0432\u0435\u0455\u0456\u0458\u043a\u043e\u0440\u0441\u0443\u0445\u04bb\u0501\u051b\u051d\u04cf"
    ),
    # Greek
    "ABEZHIKMNOPTYXaiKvopuy": (
        "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b1\u03b9"
        "\u03ba\u03bd\u03bf\u03c1\u03c5\u03b3"
    ),
    # Armenian and phonetic letters, and the dotless i
    "ounghhocvwzagiy": ("\u0585\u057d\u0578\u0581\u04bb\u0570\u1d0f\u1d04\u1d20\u1d21\u1d22\u0251\u0261\u0131\u028f"),
}
_TWINS = str.maketrans(
    {letter: twin for twins, letters in _LIKE.items() for letter, twin in zip(letters, twins, strict=True)}
)
_ASCII_LETTER = re.compile("[A-Za-z]")


def hidden_characters(source: ScriptSource) -> Iterator[Finding]:
    """Invisible and reordering characters, anywhere in a script: in its code, comments and texts."""
    text = source.text
    for match in UNSEEN.finditer(text):
        index = match.start()
        what = _fault(text, index)
        if what is not None:
            line, column = source.place(index)
            name = f"U+{ord(text[index]):04X}"
            message = f"{what} ({name}) hides what the script does"
            yield Finding(line, column, "unsafe-script", message, "hidden-text")


def wide_gaps(source: ScriptSource, tokens: Iterable[tuple[int, int, bool]]) -> Iterator[Finding]:
    """Code behind so many blanks that it is out of sight. ``tokens`` are (start, end, is code) in their order."""
    text, last = source.text, 0
    for start, end, is_code in tokens:
        gap = text[last:start]
        if is_code and len(gap) >= WIDEST_GAP // _TAB:
            rows = re.split("\r\n|[\n\r]", gap)
            if len(rows[-1].expandtabs(_TAB)) >= WIDEST_GAP or len(rows) > LONGEST_GAP:
                line, column = source.place(start)
                message = "stands behind a long run of blanks, out of sight"
                yield Finding(line, column, "unsafe-script", message, "out-of-sight")
        last = max(last, end)


def twin_of(name: str, known: frozenset[str] | set[str]) -> str | None:
    """The ASCII name that an identifier is made to look like, None for an honest one in any script.

    A name is dishonest when it mixes ASCII letters with letters that look like ASCII ones, and when it consists of
    such letters and looks like one of ``known``.
    """
    if name.isascii():
        return None
    plain = unicodedata.normalize("NFKC", name)
    if plain.isascii():
        return plain
    twin = name.translate(_TWINS)
    if twin == name:
        return None
    if twin in known:
        return twin
    foreign = "".join(letter for letter in name if letter != letter.translate(_TWINS))
    mixed = _ASCII_LETTER.search(name) is not None and any(letter not in _DISTINCT for letter in foreign)
    return twin if mixed and _is_ascii_word(twin) else None


# In formulas these stand beside ASCII letters, and so does the Turkish i in Turkish words.
_DISTINCT = frozenset("\u03b1\u03b3\u03b9\u03c5\u03bd\u0131")


def _is_ascii_word(text: str) -> bool:
    return re.fullmatch(r"[\w$]+", text, re.ASCII) is not None


def _fault(text: str, index: int) -> str | None:
    character = text[index]
    before, after = text[index - 1 : index], text[index + 1 : index + 2]
    if character == "\x85" or _LINE_SEPARATOR.match(character):
        return "a line end that editors don't show"
    if _BIDIRECTIONAL.match(character):
        return "a character that turns the direction of text"
    if _CONTROL.match(character):
        return "a control character"
    if _SELECTOR.match(character):
        shown = character in {_TEXT_STYLE, _EMOJI_STYLE} and (_EMOJI.match(before) or before in _KEYCAPS)
        return None if shown else "a variation selector outside of an emoji"
    if character > _BLACK_FLAG:
        return None if _is_flag(text, index) else "an invisible tag character"
    if character in {_JOINER, _NON_JOINER}:
        joins_emoji = character == _JOINER and _ends_emoji(before) and _EMOJI.match(after)
        joins_letters = _JOINING.match(before) is not None and (not after or after.isspace() or _joins(after))
        return None if joins_emoji or joins_letters else "an invisible character"
    return "an invisible character"


def _joins(after: str) -> bool:
    return _JOINING.match(after) is not None or after in "\"'`<.,;:!?)"


def _ends_emoji(before: str) -> bool:
    return before == _EMOJI_STYLE or _EMOJI.match(before) is not None


def _is_flag(text: str, index: int) -> bool:
    """Whether a tag belongs to the flag of a region, such as Scotland's: a black flag, letters, an end."""
    start = text.rfind(_BLACK_FLAG, max(0, index - _LONGEST_FLAG), index)
    if start < 0:
        return False
    flag = re.compile("[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f").match(text, start + 1)
    return flag is not None and index < flag.end()
