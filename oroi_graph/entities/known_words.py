"""Words that tell a slip of the hand from another word: the lists of `words/`, made by benchmarks/known_words.py."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from oroi_graph.language.normalize import fold


def known_words() -> frozenset[str]:
    """Words of three letters or more that are a name or a frequent word, case folded, accents kept."""
    return _read("known")


@cache
def known_folded() -> frozenset[str]:
    """`known_words` without their accents."""
    return frozenset(map(fold, known_words()))


def accent_tells(folded: str) -> bool:
    """Whether two spellings of a Spanish or Portuguese word are in use, singular or plural ("sabanas", "sábanas")."""
    return not _read("accents").isdisjoint((folded, folded.removesuffix("s")))


@cache
def _read(name: str) -> frozenset[str]:
    path = files("oroi_graph.entities") / "words" / f"{name}.txt"
    return frozenset(path.read_text(encoding="utf-8").split())
