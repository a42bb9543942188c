"""Text as keys and ids: how two labels are the same label, and how a repeated write is the same write.

Normalisation is Unicode NFKC and case folding; accents are kept in keys (papá is not papa) and folded only
for lexical rescue and full-text search.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from oroi_graph.errors import InputError
from oroi_graph.model import canonical_json

MAX_LABEL = 200  # characters; a label is a name for something, not a text
# Characters of a full-text query: in scripts without spaces each one becomes a clause, of which Lucene takes 1,024.
MAX_QUERY = 400

_SPACES = re.compile(r"\s+")
_EDGES = " \t\n.,;:!?¡¿\"'“”‘’«»()[]{}<>*_`~|"
_MEMORY = re.compile(r"[^\W_][\w.@:-]{0,119}")
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_LUCENE = re.compile(r'[+\-!(){}\[\]^"~*?:\\/&|<>=]')
# Zero-width and bidirectional controls: invisible, so two labels that look the same would differ.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def tidy(label: str) -> str:
    """A label for people: NFKC, invisible and control characters dropped, spaces collapsed, edges trimmed."""
    text = label if label.isascii() else _INVISIBLE.sub("", unicodedata.normalize("NFKC", label))
    if not text.isprintable():  # nearly always it is, and then has no control characters
        text = "".join(" " if unicodedata.category(char) == "Cc" else char for char in text)
    text = _SPACES.sub(" ", text).strip()
    bare = text.strip(_EDGES)
    # "Paris (city)" keeps its qualifier; a label of punctuation only stays what it is.
    if bare.count("(") > bare.count(")"):
        bare += ")"
    return (bare or text)[:MAX_LABEL].strip()


@lru_cache(maxsize=50_000)  # the same labels come back with every turn
def label_key(label: str) -> str:
    """The key under which a label is unique: `tidy`, case folded, apostrophes made one."""
    return tidy(label).casefold().replace("’", "'")


@lru_cache(maxsize=50_000)
def fold(text: str) -> str:
    """`text` case folded and without diacritics, for comparing misspelled names."""
    return folded(text)


def folded(text: str) -> str:
    """As `fold`, for a text that is long, or is asked for once."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    # Folded again: capitals of other alphabets of the same letters ("𝐅") become capitals only now.
    return "".join(char for char in decomposed if not unicodedata.combining(char)).casefold()


def tokens(text: str) -> list[str]:
    """The folded words and numbers of `text`, in order."""
    return [fold(match) for match in _TOKEN.findall(text)]


def digest(*parts: Any) -> str:
    """A stable id: 20 hexadecimal digits of the SHA-256 of the parts' canonical JSON."""
    return hashlib.sha256(canonical_json(parts).encode()).hexdigest()[:20]


def memory_key(name: str) -> str:
    """A memory's name as one full-text token, which an analyser cannot take apart."""
    return "m" + hashlib.sha256(name.encode()).hexdigest()[:24]


def check_memory_name(name: object) -> str:
    """`name` if it can name a memory; raises InputError for anything that could mean "all of them"."""
    if not isinstance(name, str) or not _MEMORY.fullmatch(name):
        raise InputError(
            f"bad memory name {name!r}: use 1 to 120 letters, digits or . _ - @ : and start with a letter or digit"
        )
    return name


def check_text(text: object, most: int) -> str:
    """`text` if it can be stored as said; raises InputError for empty, too long or unstorable text."""
    if not isinstance(text, str) or not text.strip():
        raise InputError("the text is empty: give at least one word")
    if len(text) > most:
        raise InputError(f"the text has {len(text):,} characters, the most is {most:,}: split it into several turns")
    at = text.find("\0")
    if at >= 0:
        raise InputError(f"the text has a NUL character at position {at + 1}: remove it")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"the text is not valid Unicode at position {error.start + 1}: repair it") from error
    return text


def check_name(name: object, what: str) -> str:
    """`name` of a speaker, turn or session if it can be stored; raises InputError that names `what` it is."""
    if not isinstance(name, str) or any(unicodedata.category(char) in ("Cc", "Cs") for char in name):
        raise InputError(f"bad {what} {name!r}: give text without control characters")
    return name


def search_words(text: str, most: int = 24) -> str:
    """User text as Lucene terms joined by spaces (any may match): no syntax of the user's survives.

    Operators are words in capitals, so every term is folded to lower case; folded first, because decomposition
    makes syntax of what was a letter or digit ("⑴" is "(1)"). "" when no word is left.
    """
    words = " ".join(dict.fromkeys(tokens(_LUCENE.sub(" ", fold(text)))[:most])).replace("'", " ").replace("’", " ")
    if len(words) <= MAX_QUERY:
        return words
    cut, _, _ = words[:MAX_QUERY].rpartition(" ")
    return cut or words[:MAX_QUERY]


def without_names(text: str, names: Iterable[str]) -> str:
    """`text` without the given people's names, for embedding: who speaks and is spoken to is known exactly.

    In a vector, "Thanks, Ana!" resembles every question about Ana. A text of names only stays as it is.
    """
    words = sorted({re.escape(name) for name in names if name.strip()}, key=len, reverse=True)
    if not words:
        return text
    bare = re.sub(rf"(?<!\w)(?:{'|'.join(words)})(?:['’]s)?(?!\w)", " ", text)
    # Spaces are collapsed first: the pattern of a mark after a space would try a run of them at each of its places.
    bare = re.sub(r",? ([,.!?;:])", r"\1", _SPACES.sub(" ", bare)).strip(" ,")
    return bare if any(char.isalnum() for char in bare) else text


def names_one(text: str, names: Iterable[str]) -> bool:
    """Whether a folded text holds one of the folded names as whole words."""
    return any(f" {name} " in f" {_spaced(text)} " for name in map(_spaced, names) if name)


def _spaced(text: str) -> str:
    return " ".join("".join(char if char.isalnum() else " " for char in text).split())
