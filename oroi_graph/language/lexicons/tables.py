"""The lexicons' data files, read when they are first asked for and kept.

`‹language›.toml` and `‹subject›.toml` hold hand-made tables; `common_‹language›.txt` words from a frequency list, one a
line, written by `benchmarks/common_words.py`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

LANGUAGES = ("en", "es", "pt")
# Tables of all languages together.
SUBJECTS = ("expansions", "kin", "labels", "orders", "relations", "sentences", "texts", "times", "values")

# What a section holds: text (words, or one phrase), switches, patterns, tables
Value = str | bool | list[str] | dict[str, "Value"]


@cache
def tables(name: str) -> Mapping[str, Value]:
    """The data file of a language ("en", "es" or "pt") or subject; KeyError for another."""
    if name not in LANGUAGES + SUBJECTS:
        raise KeyError(name)
    return tomllib.loads(_read(f"{name}.toml"))


def text(section: Mapping[str, Value], name: str) -> str:
    """An entry that is text; "" if there is none."""
    value = section.get(name, "")
    if not isinstance(value, str):
        raise TypeError(f"lexicon entry {name!r} must be text")
    return value


def words(section: Mapping[str, Value], name: str) -> frozenset[str]:
    """The words of a text entry; none if there is no such entry."""
    return frozenset(text(section, name).split())


def patterns(section: Mapping[str, Value], name: str) -> list[str]:
    """An entry that is a list of patterns or phrases."""
    value = section[name]
    if not isinstance(value, list):
        raise TypeError(f"lexicon entry {name!r} must be a list of patterns")
    return value


def pattern(section: Mapping[str, Value], name: str, **parts: str) -> str:
    """A pattern, whose line breaks mean nothing. "@unit" stands for the part `unit`, else for the entry so named."""
    written = "".join(text(section, name).splitlines())
    return re.sub(r"@(\w+)", lambda part: parts.get(part[1]) or pattern(section, part[1], **parts), written)


def replacements(section: Mapping[str, Value], name: str, flags: int = 0) -> list[tuple[re.Pattern[str], str]]:
    """An entry that lists patterns, each followed by what is written in its place."""
    listed = patterns(section, name)
    return [(re.compile(old, flags), new) for old, new in zip(listed[::2], listed[1::2], strict=True)]


def table(section: Mapping[str, Value], name: str) -> Mapping[str, Value]:
    """An entry that is a table; an empty one if there is none."""
    value = section.get(name, {})
    if not isinstance(value, dict):
        raise TypeError(f"lexicon entry {name!r} must be a table")
    return value


def entries(section: Mapping[str, Value], name: str) -> Iterator[tuple[str, str]]:
    """The texts of a table, with their names."""
    rows = table(section, name)
    return ((key, text(rows, key)) for key in rows)


def by_word(section: Mapping[str, Value], name: str) -> dict[str, str]:
    """A table of words turned round: from each word to the name of its row."""
    return {word: key for key, listed in entries(section, name) for word in listed.split()}


def by_phrase(section: Mapping[str, Value], name: str) -> dict[str, str]:
    """`by_word` for a table of lists of phrases."""
    rows = table(section, name)
    return {phrase: key for key in rows for phrase in patterns(rows, key)}


@cache
def common_words(language: str) -> frozenset[str]:
    """Frequent words that are nobody's given name: first in a sentence, none of them is a name by itself."""
    return frozenset(_read(f"common_{language}.txt").splitlines())


@cache
def names_in_s() -> frozenset[str]:
    """Given names that end in s, as plurals do."""
    return frozenset(_read("names_in_s.txt").splitlines())


def _read(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
