"""The text that a dialogue's vector is made of: all of it, or its keywords by YAKE or RAKE.

YAKE (Campos et al. 2020) ranks n-grams by where and how words occur; RAKE (Rose et al. 2010) takes runs between stop
words and rates them by degree over frequency. Both read one text, need no model and download nothing.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from oroi_graph.errors import SettingsError
from oroi_graph.language.detection import detect
from oroi_graph.language.stemming import stop_words

THEMES = ("none", "yake", "rake")
MOST = 8  # keywords of a dialogue
_LONGEST = 3  # words of a keyword


def theme(text: str, how: str) -> str:
    """The text that stands for a dialogue; all of it without keywords. Raises SettingsError without YAKE or RAKE."""
    if how == "none":
        return text
    language = detect(text)
    found = _yake(text, language) if how == "yake" else _rake(text, language)
    return ", ".join(found[:MOST]) or text


def _yake(text: str, language: str) -> list[str]:
    return [str(keyword) for keyword, _ in _yake_of(language).extract_keywords(text)]


def _rake(text: str, language: str) -> list[str]:
    ranked = _rake_of(language).run(text, maxWords=_LONGEST, minFrequency=1)
    return [str(keyword) for keyword, _ in ranked]


@cache
def _yake_of(language: str) -> Any:
    try:
        import yake
    except ImportError as error:
        raise SettingsError(_missing("yake")) from error
    return yake.KeywordExtractor(lan=language, n=_LONGEST, top=MOST)


@cache
def _rake_of(language: str) -> Any:
    try:
        import RAKE
    except ImportError as error:
        raise SettingsError(_missing("RAKE")) from error
    return RAKE.Rake(sorted(stop_words(language)))


def _missing(name: str) -> str:
    return f"keywords by {name} need more packages: pip install 'oroi-graph[evaluation]'"
