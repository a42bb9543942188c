"""Gists without a model: the sentences of an episode that say what still matters, as they were said, in their order."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from stop_words import get_stop_words  # type: ignore[import-untyped]

from oroi_graph.language.normalize import fold
from oroi_graph.language.sentences import is_question, is_small_talk, spans
from oroi_graph.language.stemming import stop_words

CUT = "…"  # stands where a sentence was cut
_LIKE = 6  # letters in which two words must begin alike to be one: "trabaja" and "trabajo", "lives" and "lived"
_MARKS = 2 * (len(CUT) + 1)  # characters that the cuts around one piece may need
_FILLER = 3  # words that carry a topic, below which a sentence without any of the facts is none to fill up with
_QUESTION = 0.5  # what a question is worth, where nothing it names matters
_BREAK = re.compile(r"[,;:—–]\s+|\s[—–]\s+|\s+")
_WORD = re.compile(r"[^\W_]+")
# What Portuguese adds to the small talk that the package knows.
_GREETINGS = frozenset(
    "ola oi bom boa dia tarde noite obrigado obrigada tudo bem tchau ate logo amanha sim nao e voce como vai valeu "
    "beijo beijos abraco abracos por favor certo claro otimo legal".split()
)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence, or a piece of one that is too long: where it stands, and the words that it is known by."""

    start: int
    end: int
    begins: bool  # where its sentence does
    ends: bool
    words: frozenset[str]

    @property
    def cost(self) -> int:
        """Characters it takes in a gist, the space before it included."""
        return self.end - self.start + 1 + (0 if self.begins and self.ends else _MARKS)


class ExtractiveSummarizer:
    """An summarizer that only leaves out. Deterministic; safe to share among threads.

    Every sentence of a gist is a sentence of the text, in the text's order. Sentences that carry the facts come
    first, then those that say most; greetings and fillers never. A sentence longer than the gist may be counts as
    its clauses, else as runs of its words: "…" stands where it was cut.
    """

    name = "extractive"

    def gist(self, text: str, facts: Sequence[str], most: int) -> str:
        """The best of `text` within `most` characters. `facts`: sentences or names that matter, the first most."""
        units = [unit for unit in _units(text, most) if _says_something(text[unit.start : unit.end], unit.words)]
        wanted = [words for words in (_words(fact) for fact in facts) if words]
        return _joined(text, _chosen(text, units, wanted, most))


def _units(text: str, most: int) -> Iterator[_Unit]:
    for start, end in spans(text):
        if end - start <= most:
            yield _Unit(start, end, True, True, _words(text[start:end]))
            continue
        pieces = list(_cut(text, start, end, max(1, min(most // 2, most - _MARKS))))
        for first, last in pieces:
            yield _Unit(first, last, first == start, last == end, _words(text[first:last]))


def _cut(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """A long sentence in pieces of at most `most` characters, cut at clauses where it can be; endless words go."""
    while start < end:
        if end - start <= most:
            yield start, end
            return
        # With the character after them: a piece may be as long as allowed and stop right before a space.
        breaks = list(_BREAK.finditer(text, start, min(end, start + most + 1)))
        clauses = [b for b in breaks if b.group().strip() and b.start() > start + most // 3]
        if not breaks:
            following = _BREAK.search(text, start + most, end)
            start = following.end() if following else end
            continue
        at = (clauses or breaks)[-1]
        mark = len(at.group().rstrip())  # a comma belongs to what it ends
        last = at.start() + (mark if at.start() + mark <= start + most else 0)
        if last > start:
            yield start, last
        start = at.end()


def _chosen(text: str, units: Sequence[_Unit], wanted: Sequence[frozenset[str]], most: int) -> list[_Unit]:
    """Which units make the gist: greedily, what adds most of the facts, then what adds most of anything."""
    asking = {unit for unit in units if is_question(text[unit.start : unit.end])}
    left = list(units)
    chosen: list[_Unit] = []
    said: set[str] = set()
    room = most + 1  # the first unit has no space before it

    def value(unit: _Unit) -> tuple[float, float, int]:
        new = unit.words - said
        carried = sum(len(new & words) / len(words) / (1 + 0.01 * i) for i, words in enumerate(wanted))
        worth = len(new) / math.sqrt(unit.cost)
        return round(carried, 9), worth * (_QUESTION if unit in asking else 1.0), -unit.start

    while left := [unit for unit in left if unit.cost <= room and unit.words - said]:
        best = max(left, key=value)
        if chosen and not value(best)[0] and len(best.words) < _FILLER:
            left = [unit for unit in left if len(unit.words) >= _FILLER]  # none of the facts is left to be carried
            continue
        chosen.append(best)
        left.remove(best)
        said |= best.words
        room -= best.cost
    return sorted(chosen, key=lambda unit: unit.start)


def _joined(text: str, units: Sequence[_Unit]) -> str:
    """The units in one line each sentence after the other, cuts marked; pieces that touched touch again."""
    parts: list[str] = []
    for i, unit in enumerate(units):
        before = units[i - 1] if i else None
        after = units[i + 1] if i + 1 < len(units) else None
        follows = before is not None and not unit.begins and not text[before.end : unit.start].strip()
        goes_on = after is not None and not unit.ends and not text[unit.end : after.start].strip()
        marked = bool(parts) and parts[-1].endswith(f" {CUT}")
        lead = "" if unit.begins or follows or marked else f"{CUT} "
        tail = "" if unit.ends or goes_on else f" {CUT}"
        parts.append(f"{lead}{text[unit.start : unit.end]}{tail}")
    return " ".join(parts)


def _says_something(text: str, words: frozenset[str]) -> bool:
    """Whether a sentence is more than greeting, thanks or filler."""
    if not words:
        return False
    rest = " ".join(word for word in _WORD.findall(text[:200]) if fold(word) not in _GREETINGS)
    return len(text) > 200 or not is_small_talk(rest)


def _words(text: str) -> frozenset[str]:
    """The beginnings of the words that carry a topic; numbers whole."""
    stop = _stop_words()
    found = (fold(word) for word in _WORD.findall(text))
    return frozenset(word if word.isdigit() else word[:_LIKE] for word in found if word not in stop)


@cache
def _stop_words() -> frozenset[str]:
    """Words without a topic in any of the three languages, folded."""
    known = stop_words("en") | stop_words("es") | frozenset(map(str, get_stop_words("portuguese")))
    return frozenset(fold(word) for word in known)
