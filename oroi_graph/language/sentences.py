"""Text to sentences, in English, Spanish and Portuguese, formal or chatty. Every character stays where it was.

A full stop ends no sentence after a title ("Dr. Pérez", "Sra. Gil"), an initial, inside a number, or within a
quotation or parenthesis that goes on. What has no letter or digit (an emoji, a row of dashes) belongs to the
sentence before it. Linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from oroi_graph.language.detection import WORD
from oroi_graph.language.lexicons.tables import LANGUAGES, pattern, table, tables, words

# Possessive, and from the first mark of a row only: else a row before a letter would be read again from each mark.
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s|\Z)|[。！？]+[」』”]*|\n\s*")
# What is quoted or put in brackets is not taken apart, unless it is so long that its end may be that of another one.
_ENCLOSED = re.compile(r"“[^”\n]{0,400}”|«[^»\n]{0,400}»|\"[^\"\n]{0,400}\"|\([^()\n]{0,400}\)")
_WORD_BEFORE = re.compile(r"[\w.]+\Z")
_LOOK_BACK = 32  # characters in which the word before a full stop is looked for
_LIST_NUMBER = re.compile(r"(?:\A|\n)[ \t]*\d{1,3}\Z")
_ACRONYM = re.compile(r"(?:\w{1,2}\.)+\w{1,2}")
_VISIBLE = re.compile(r"\S")
_FOR_EXAMPLE = re.compile(r"\bp\.\s?e[jx]\Z")

_ROWS = tables("texts")
_TITLES, _BEFORE_NUMBERS, _MAY_END = (
    words(table(_ROWS, "abbreviations"), name) for name in ("titles", "before_numbers", "may_end")
)
_ASKING = [re.compile(pattern(table(_ROWS, "asking"), language), re.IGNORECASE) for language in LANGUAGES]
_SMALL_TALK = frozenset().union(*(words(table(_ROWS, "small_talk"), language) for language in LANGUAGES))
_MAX_SMALL_TALK = 8  # words


def sentences(text: str) -> list[str]:
    """The sentences of `text` in order, without the space between them; none for a text without letters or digits."""
    return [text[start:end] for start, end in spans(text)]


def spans(text: str) -> list[tuple[int, int]]:
    """Where each sentence begins and ends; together they hold every visible character, unless none is a letter."""
    found: list[tuple[int, int]] = []
    lead: int | None = None  # where wordless characters began that have no sentence before them
    for start, end in _pieces(text):
        if any(char.isalnum() for char in text[start:end]):
            found.append((start if lead is None else lead, end))
            lead = None
        elif found:
            found[-1] = (found[-1][0], end)
        elif lead is None:
            lead = start
    return found


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """What lies between two ends, without surrounding space; never empty."""
    enclosed = [match.span() for match in _ENCLOSED.finditer(text)]
    start = around = 0
    for end in _END.finditer(text):
        while around < len(enclosed) and enclosed[around][1] <= end.start():
            around += 1
        inside = around < len(enclosed) and enclosed[around][0] < end.start() and end.end() < enclosed[around][1]
        if not inside and _ends(text, end):
            yield from _trimmed(text, start, end.end())
            start = end.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    bare = text[start:end].strip()
    if bare:
        at = text.index(bare, start)
        yield at, at + len(bare)


def _ends(text: str, end: re.Match[str]) -> bool:
    """Whether a sentence ends there."""
    mark = end.group()
    found = _VISIBLE.search(text, end.end())
    if found is None:
        return True
    following = found.group()
    if mark.startswith("\n"):
        before = text[max(0, end.start() - _LOOK_BACK) : end.start()].rstrip()[-1:]
        return not following.islower() or "\n" in mark[1:] or before in set(".!?…:;")  # else the line was only wrapped
    stops = mark.rstrip("\"'”’»)]")
    if following.islower() and (len(mark) > len(stops) or not (stops == "." or set(stops) & set("!?。！？"))):
        return False  # «"Where is it?" she asked», «well... maybe»
    return stops != "." or _stops(text, end.start(), following)


def _stops(text: str, at: int, following: str) -> bool:
    """Whether the full stop at `at`, before `following`, is more than the sign of an abbreviation."""
    before = _WORD_BEFORE.search(text, max(0, at - _LOOK_BACK), at)
    word = before.group().casefold() if before else ""
    if word in _TITLES or (word in _BEFORE_NUMBERS and following.isdigit()):
        return False
    if before is not None and len(word) == 1 and before.group().isupper() and word != "i" and following.isupper():
        return False  # "J. Smith"
    if (word == "p" and text[at + 1 : at + 4] in (" ej", " ex")) or _FOR_EXAMPLE.search(text, max(0, at - 6), at):
        return False
    if word in _MAY_END or _ACRONYM.fullmatch(word):
        return not following.islower()
    return not _LIST_NUMBER.search(text, max(0, at - _LOOK_BACK), at)


def only_asks(text: str) -> bool:
    """Whether a text has sentences and every one is a question."""
    said = sentences(text)
    return bool(said) and all(map(is_question, said))


def asks(text: str) -> bool:
    """Whether any sentence of a text is a question."""
    return any(map(is_question, sentences(text)))


def is_question(text: str) -> bool:
    """Whether a sentence asks: a question mark at its end, an opening one, or inverted word order."""
    text = text.strip()
    marked = text.rstrip("\"'»”) !").endswith("?") or "¿" in text
    return marked or any(asking.match(text) for asking in _ASKING)


def is_small_talk(text: str) -> bool:
    """Whether a text is nothing but greeting, thanks or acknowledgement ("ok, thanks"); empty text is."""
    said = [word.casefold().replace("’", "'") for word in WORD.findall(text[:200])]
    return len(text) <= 200 and len(said) <= _MAX_SMALL_TALK and _SMALL_TALK.issuperset(said)
