"""What is worked out from a record's text is kept, as many questions reach the same records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache, update_wrapper
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

from oroi_graph.extraction.directives import only_forgets
from oroi_graph.language.sentences import only_asks
from oroi_graph.language.stemming import content_words

LONGEST = 4_000  # characters of a text that is kept: a memory may hold any number of texts fifty times as long

P = ParamSpec("P")
T = TypeVar("T")


def kept(most: int) -> Callable[[Callable[Concatenate[str, P], T]], Callable[Concatenate[str, P], T]]:
    """Keep the last `most` answers of a pure function of a text and more; of a longer text it is worked out anew."""

    def decorate(work: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
        remembered = lru_cache(maxsize=most)(work)

        def answered(text: str, /, *more: P.args, **named: P.kwargs) -> T:
            found: T = (work if len(text) > LONGEST else remembered)(text, *more, **named)  # type: ignore[arg-type]
            return found

        update_wrapper(answered, work)
        return answered

    return decorate


wishes_to_forget = kept(50_000)(only_forgets)


def tells_nothing(text: str) -> bool:
    """Whether a text only asks, or only wishes that something were forgotten: it answers nothing."""
    return only_asks(text) or wishes_to_forget(text)


class Stems(NamedTuple):
    """The content words of a text as stems. total: how many words they are. Not to be changed."""

    counts: Mapping[str, int]
    distinct: frozenset[str]
    total: int


@kept(50_000)
def stems_of(text: str, language: str) -> Stems:
    """The content words of a text."""
    counts = Counter(content_words(text, language))
    return Stems(counts, frozenset(counts), counts.total())
