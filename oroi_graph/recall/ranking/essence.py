"""What of a text is to be remembered, in few words.

"Write this down: the balance is due by 9 May" asks to have something remembered. What is meant stands behind the words
that ask, or before them if they point back ("Gas up at Jake's Corner. Please remember that one.").
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import accumulate
from math import exp

from oroi_graph.language.dates import DAY_NAMES
from oroi_graph.language.lexicons.tables import LANGUAGES, common_words
from oroi_graph.language.normalize import fold
from oroi_graph.language.quoting import quoted
from oroi_graph.language.sentences import spans
from oroi_graph.language.stemming import content_words, stop_words
from oroi_graph.language.tokens import count_tokens
from oroi_graph.recall.ranking.stressed import stressed

_WORD = re.compile(r"\w[\w'’]*(?:[.:]\d+)*")
_CLAUSE = re.compile(r"[,;:.!?…()]+\s+|\s+[-–—]+\s+|\n")
_MARKS = " .!?…)\"'»”"  # with which a sentence ends
_DAY = re.compile(DAY_NAMES, re.IGNORECASE)
_COLON = re.compile(r"[^.!?:\n]{0,40}:\s")  # "Write this one down and underline it: …"
_COMMA = re.compile(r"[^.!?,\n]{0,40},\s")  # "please remember this for me, …"

# How much a word says: a number, one that is not frequent, a frequent one; and the same for one written like a name.
_NUMBER, _RARE, _FREQUENT, _NAME = 1.5, 1.5, 0.5, 0.5
_OTHER_SIDE = 0.4  # what a word counts on that side of what asks to remember where it does not point
_FADING = 80.0  # characters from there in which a word's weight falls to 1/e
_WHOLE = 1.2  # of an excerpt that begins where a clause begins, and of one that ends where one ends
_SAID_AGAIN = 1.5  # of a word that is said again elsewhere
_GOES_ON = 2.0  # what the words behind it must say in the same sentence if they are what is meant
_AROUND = 1_000  # characters before what asks to remember that are read, and three times as many behind
_BACK = 12  # characters behind what asks to remember in which a word may point back


@dataclass(frozen=True, slots=True)
class _Mark:
    """Where a text asks to remember. behind: whether what is meant stands behind it."""

    start: int
    end: int
    behind: bool

    def share(self, word: _Word) -> float:
        """How much of a word's weight counts from here: less far away, and on the other side."""
        behind = word.start >= self.end
        distance = max(word.start - self.end if behind else self.start - word.end, 0)
        return exp(-distance / _FADING) * (1.0 if behind == self.behind else _OTHER_SIDE)


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    weight: float


def essence(text: str, most: int, language: str, again: Set[str] = frozenset()) -> str:
    """What of a text is to be remembered, in at most so many tokens: the run of words that says the most.

    Words far from what asks to remember count less, those whose stems are in `again` (said again elsewhere) more, as
    does a run that begins and ends where clauses do; where it cuts one, that is marked. As in the snippets of search
    results, what surrounds the best words is kept as it was said (Tombros and Sanderson 1998).
    """
    if count_tokens(text) <= most:
        return text
    language = language if language in LANGUAGES else "en"
    asking = stressed(language, "remember").search(text)
    at = max(0, (asking.start() if asking else 0) - _AROUND)
    text = text[at : at + 4 * _AROUND]
    words = [_word(found, language, again) for found in _WORD.finditer(text)]
    marks = _marks(text, words, language)
    worth = [word.weight * max((mark.share(word) for mark in marks), default=1.0) for word in words]
    asks = [any(mark.start <= word.start < mark.end for mark in marks) for word in words]
    worth = [0.0 if marked else value for value, marked in zip(worth, asks, strict=True)]
    sums = [0.0, *accumulate(worth)]
    breaks = [found.span() for found in _CLAUSE.finditer(text)]
    starts = {0, *(end for _, end in breaks), *(start for start, _ in spans(text))}
    ends = {*(start for start, _ in breaks), *(len(text[:end].rstrip(_MARKS)) for _, end in spans(text)), len(text)}
    best, told = -1.0, ""
    for first, word in enumerate(words):
        begins = word.start in starts
        if not (begins or worth[first]):
            continue
        for last in range(first, len(words)):
            run = text[word.start : words[last].end]
            if asks[last] or count_tokens(run) > most:
                break
            ended = words[last].end in ends
            value = (sums[last + 1] - sums[first]) * (_WHOLE if begins else 1.0) * (_WHOLE if ended else 1.0)
            run = f"{'' if begins else '…'}{run}{'' if ended else '…'}"
            # No run ends with "… with the".
            if value > best and (ended or worth[last]) and count_tokens(run) <= most:
                best, told = value, run
    return told


def excerpted(text: str, words: str) -> str:
    """A run of a text's own words as a line of a brief shows it, marked where it cuts; "" if the text lacks it."""
    words = quoted(words)
    before, found, behind = quoted(text).partition(words) if words else ("", "", "")
    return f"{'…' if before.strip() else ''}{found}{'…' if behind.strip(_MARKS) else ''}" if found else ""


def _word(found: re.Match[str], language: str, again: Set[str]) -> _Word:
    """One word of a text with how much it says."""
    word = found[0]
    folded = fold(word)
    bare = re.split("['’]", folded)[0]
    weight = 0.0
    if any(char.isdigit() for char in word) or _DAY.fullmatch(word):
        weight = _FREQUENT if found.string[found.end() : found.end() + 1] == "%" else _NUMBER
    elif len(bare) > 1 and not {folded, bare} & stop_words(language):
        weight = _FREQUENT if bare in common_words(language) else _RARE
        if word[0].isupper() and not word.isupper():
            weight += _NAME
        if not again.isdisjoint(content_words(word, language)):
            weight *= _SAID_AGAIN
    return _Word(found.start(), found.end(), weight)


def _marks(text: str, words: Sequence[_Word], language: str) -> list[_Mark]:
    """Where a text asks to remember, and to which side it points.

    Behind it after a colon, and where the sentence goes on with more than frequent words, or says less before; else
    before it, and where it says "that".
    """
    found = []
    ends = spans(text)
    for match in stressed(language, "remember").finditer(text):
        start, end = match.span()
        if colon := _COLON.match(text, end - 1):
            found.append(_Mark(start, colon.end(), behind=True))
            continue
        comma = _COMMA.match(text, end)
        between = sum(word.weight for word in words if comma and end <= word.start < comma.end())
        goes_on = comma.end() if comma and between < _RARE else end
        around = next(((first, last) for first, last in ends if first <= start < last), (0, len(text)))
        before, after = (
            sum(word.weight for word in words if since <= word.start < until)
            for since, until in ((around[0], start), (goes_on, around[1]))
        )
        back = stressed(language, "back").search(text, start, end + _BACK)
        behind = (after >= min(_GOES_ON, before) and back is None) or not any(word.start < start for word in words)
        found.append(_Mark(start, goes_on if behind else end, behind))
    return found
