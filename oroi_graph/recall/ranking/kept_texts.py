"""What is worked out from a record's text is kept, as many questions reach the same records."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial, update_wrapper
from itertools import islice
from threading import Lock
from typing import Generic, NamedTuple, TypeVar, TypeVarTuple

from oroi_graph.extraction.directives import only_forgets
from oroi_graph.language.sentences import only_asks
from oroi_graph.language.stemming import content_words
from oroi_graph.language.tokens import count_tokens

LONGEST = 4_000  # characters of a text that is kept: a memory may hold any number of texts fifty times as long
_AT_ONCE = 16  # one answer of so many is dropped when there is no place for another

K = TypeVar("K")
T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class _WorkedOut(dict[K, T]):
    """A dict that works out what it does not hold; `work` may add it."""

    def __init__(self, work: Callable[[K], T]) -> None:
        super().__init__()
        self._work = work

    def __missing__(self, key: K) -> T:
        return self._work(key)


class Kept(Generic[*Ts, T]):
    """A pure function of a text and more, of which the last `most` answers are kept, but those to longer texts."""

    def __init__(self, work: Callable[[str, *Ts], T], most: int) -> None:
        self._work, self._most, self._count = work, most, 0
        self._answers: _WorkedOut[tuple[*Ts], _WorkedOut[str, T]] = _WorkedOut(self._table)
        self._changing = Lock()
        update_wrapper(self, work)

    def __call__(self, text: str, /, *more: *Ts) -> T:
        return self._answers[more][text]

    def of(self, texts: Iterable[str], *more: *Ts) -> list[T]:
        """The answer to each of several texts; a tenth of the time that as many calls take."""
        return [*map(self._answers[more].__getitem__, texts)]

    def _table(self, more: tuple[*Ts]) -> _WorkedOut[str, T]:
        return _WorkedOut(partial(self._answered, more))

    def _answered(self, more: tuple[*Ts], text: str) -> T:
        answer = self._work(text, *more)
        if len(text) <= LONGEST:
            with self._changing:
                if self._count >= self._most:
                    self._drop_oldest()
                table = self._answers.setdefault(more, self._answers[more])
                self._count += text not in table
                table[text] = answer
        return answer

    def _drop_oldest(self) -> None:
        more, table = next(iter(self._answers.items()))
        oldest = [*islice(table, max(1, self._most // _AT_ONCE))]
        for text in oldest:
            del table[text]
        self._count -= len(oldest)
        if not table:
            del self._answers[more]


def kept(most: int) -> Callable[[Callable[[str, *Ts], T]], Kept[*Ts, T]]:
    """Keep the last `most` answers of a pure function of a text and more; of a longer text it is worked out anew."""
    return partial(Kept, most=most)


wishes_to_forget = kept(50_000)(only_forgets)


def tells_nothing(text: str) -> bool:
    """Whether a text only asks, or only wishes that something were forgotten: it answers nothing."""
    return only_asks(text) or wishes_to_forget(text)


class Stems(NamedTuple):
    """The content words of a text as stems. total: how many words they are. Not to be changed.

    hashes: of each word, in order, as int64, by which words are found in many texts at once. Of 64 bits, no two words
    that meet share one. asks: whether the text ends with a question mark.
    """

    counts: Mapping[str, int]
    distinct: frozenset[str]
    total: int
    hashes: bytes
    asks: bool


@kept(50_000)
def stems_of(text: str, language: str) -> Stems:
    """The content words of a text."""
    words = content_words(text, language)
    counts = Counter(words)
    return Stems(
        counts, frozenset(counts), len(words), array("q", map(hash, words)).tobytes(), text.rstrip().endswith("?")
    )


@kept(20_000)
def line_cost(text: str) -> int:
    """The tokens of a line of the brief."""
    return count_tokens(f"- {text}")
