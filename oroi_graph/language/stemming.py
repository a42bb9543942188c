"""Stems and content words: Snowball stemmers, and the words of a text that carry a topic."""

from __future__ import annotations

import re
import threading
from functools import cache, lru_cache

import snowballstemmer  # type: ignore[import-untyped]
from stop_words import get_stop_words  # type: ignore[import-untyped]

from oroi_graph.language.detection import COMMON_WORDS, Language
from oroi_graph.language.lexicons.tables import table, tables, words
from oroi_graph.language.verbs.forms import verb_at_start

_ROWS = table(tables("texts"), "stop_words")
_KEPT, _FUNCTIONAL = words(_ROWS, "kept"), words(_ROWS, "functional")
_STEMMERS = {"en": "english", "es": "spanish", "pt": "portuguese"}
_PER_THREAD = threading.local()
_CONTENT = re.compile(r"\w+(?:['’]\w+)?")


@cache
def stop_words(language: str) -> frozenset[str]:
    """Words that carry no topic in `language` ("en", "es" or "pt")."""
    tongue = _known(language)
    listed = frozenset(str(w).casefold() for w in get_stop_words(tongue))
    topical = frozenset(w for w in listed if (form := verb_at_start(w, tongue)) and form.lemma not in _FUNCTIONAL)
    return (listed | COMMON_WORDS[tongue]) - topical - _KEPT


def _known(language: str) -> Language:
    """`language` if it is one of those known here, else English."""
    return language if language in _STEMMERS else "en"  # type: ignore[return-value]


@lru_cache(maxsize=20_000)
def stem(word: str, language: str) -> str:
    """The Snowball stem of a word."""
    return str(_stemmer(language).stemWord(word.casefold()))


def _stemmer(language: str) -> snowballstemmer.stemmer:
    """A stemmer of the calling thread's own: it keeps state while it stems."""
    known = _PER_THREAD.__dict__
    if language not in known:
        known[language] = snowballstemmer.stemmer(_STEMMERS[_known(language)])
    return known[language]


def content_words(text: str, language: str) -> tuple[str, ...]:
    """Stems of the words of `text` that are no stop words, in order, repeats kept; numbers count as words."""
    found = (_content_stem(word, language) for word in _CONTENT.findall(text))
    return tuple(word for word in found if word is not None)


@lru_cache(maxsize=50_000)  # a recall asks for the words of some hundred labels and records, mostly the same words
def _content_stem(word: str, language: str) -> str | None:
    """The stem of one word as written, without its clitic; None for a stop word."""
    bare = re.sub(r"['’]s?$|['’]\w+$", "", word.casefold())
    return stem(bare, language) if bare and bare not in stop_words(language) else None
