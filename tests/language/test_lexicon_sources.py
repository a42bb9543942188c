"""Where the words of code and lexicons come from: no word is there only because a data set has it."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import common_words
import opposites
import pytest
import wordfreq
from locations import PROJECT

PACKAGE = PROJECT / "oroi_graph"
LEXICONS = PACKAGE / "language" / "lexicons"
# A word is in no general frequency list if wordfreq has it, in each language, less than once in three million words.
RARE = 10 ** (2.5 - 9)
_WORD = re.compile(r"[^\W\d_]{4,}")  # shorter ones are codes and endings
_ENDINGS = "endings"  # the section of verb endings, which are no words

REASONS = {
    "oroi": "the name of the product",
    "asker": "a role in prompts and options",
    "pron": "a kind of chunk",
    "sson": 'an ending of names ("Jacobsson"), not a word',
    "hasn": 'the beginning of "hasn\'t"',
    "hadn": 'the beginning of "hadn\'t"',
    "weren": 'the beginning of "weren\'t"',
    "avas": "an ending of verbs",
    "conduzo": "a form of an irregular verb, which are listed whole",
    "entrudo": "a name of a holiday, which are listed whole",
    "ampere": "one of the units of measure, which are listed whole",
    "micra": "one of the units of measure, which are listed whole",
    "dinnertime": "one of the times of day, which are listed by meals, too",
    "teatime": "one of the times of day, which are listed by meals, too",
    "pusemos": "a past form of a frequent irregular verb",
    "antepasada": 'the feminine of "antepasado", which frequency lists have',
    "trasanteontem": "what Portuguese calls the day three days ago",
    "thirtieth": "one of the ordinal numbers, which are listed up to 31",
    "lardero": 'a holiday of Spain ("jueves lardero")',
    "ttyl": "one of the abbreviations of chat that dictionaries list",
}


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _literals(source: str) -> Iterator[str]:
    """The string literals of a module, without its docstrings."""
    tree = ast.parse(source)
    nodes = ast.walk(tree)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {id(node.body[0].value) for node in nodes if isinstance(node, documented) and _has_docstring(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def _has_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return ast.get_docstring(node, clean=False) is not None


def _texts(section: dict[str, object]) -> Iterator[str]:
    """Names and values of a data file."""
    for name, value in section.items():
        yield name
        if isinstance(value, dict) and name != _ENDINGS:
            yield from _texts(value)
        elif isinstance(value, list):
            yield from map(str, value)
        elif isinstance(value, str):
            yield value


def written(package: Path) -> dict[str, str]:
    """Each word of code, prompts and lexicons, and a file that has it.

    Lists written by `common_words` are left out, and what an evaluation generates its conversations from.
    """
    found: dict[str, str] = {}
    for path in sorted(package.rglob("*.py")):
        for text in _literals(path.read_text("utf-8")):
            found |= dict.fromkeys(_words(text), path.name)
    for path in sorted(package.rglob("prompts/*.txt")):
        found |= dict.fromkeys(_words(path.read_text("utf-8")), path.name)
    for path in sorted(path for path in package.rglob("*.toml") if "evaluation" not in path.parts):
        for text in _texts(tomllib.loads(path.read_text("utf-8"))):
            found |= dict.fromkeys(_words(text), path.name)
    return found


@cache
def general() -> frozenset[str]:
    """The words of general frequency lists."""
    tables = (wordfreq.get_frequency_dict(language, "best") for language in ("en", "es", "pt"))
    return frozenset(word for table in tables for word, frequency in table.items() if frequency >= RARE)


def _told(path: Path) -> str:
    """What a corpus would leave in code that was written for it: its text, of the natural one what is asked of it.

    People chat of everything, so some words of a large natural corpus are in any code.
    """
    text = path.read_text("utf-8")
    return "\n".join(str(json.loads(line)["probes"]) for line in text.splitlines()) if "natural" in path.name else text


def copied(package: Path, corpora: list[Path]) -> dict[str, str]:
    """Words of a package that occur in the corpora and in no general frequency list, with the file that has them."""
    seen = set().union(*(_words(_told(path)) for path in corpora))
    return {
        word: name
        for word, name in written(package).items()
        if word in seen and word not in general() and word not in REASONS
    }


def corpora() -> list[Path]:
    folder = PROJECT / "benchmarks"
    return sorted([*folder.glob("corpora/*.jsonl"), *folder.glob("scenario_templates/*.txt")])


def test_no_word_is_copied_from_the_corpora() -> None:
    assert len(corpora()) > 10
    assert copied(PACKAGE, corpora()) == {}


@pytest.mark.shared
def test_no_word_is_copied_from_the_data_sets(shared_data: Path) -> None:
    files = sorted(shared_data.glob("*.json*"))
    assert any("locomo" in path.name for path in files)
    assert any("musique" in path.name for path in files)
    assert copied(PACKAGE, files) == {}


@pytest.mark.parametrize(
    ("name", "text", "is_found"),
    [
        ("lexicon.toml", 'junk = "thing {}"', True),
        ("readers.py", 'HELD = word_set("thing {}")', True),
        ("readers.py", '"""About {}."""', False),
        ("common.toml", 'junk = "thing music"', False),
    ],
)
def test_a_planted_word_is_found(tmp_path: Path, name: str, text: str, is_found: bool) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("I love quibbertop music.", "utf-8")
    package = tmp_path / "package"
    package.mkdir()
    (package / name).write_text(text.format("quibbertop"), "utf-8")
    assert copied(package, [corpus]) == ({"quibbertop": name} if is_found else {})


def test_every_exception_has_its_use() -> None:
    assert set(REASONS) <= set(written(PACKAGE))


def test_frequent_words_are_those_of_the_frequency_list() -> None:
    listed = common_words.lists()
    assert {name: (LEXICONS / name).read_text("utf-8").split() for name in listed} == listed


def test_frequent_words_are_no_given_names() -> None:
    names = {common_words.fold(name) for name in common_words.given_names()}
    assert {"rose", "grace", "julio", "luz", "mar"} <= names
    for language in common_words.LANGUAGES:
        listed = common_words.common(language, names)
        assert {common_words.fold(word) for word in listed}.isdisjoint(names)


def test_the_list_of_opposites_is_not_overwritten_from_a_folder_without_a_lexicon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opposites, "TARGET", tmp_path / "opposites.txt")
    monkeypatch.setattr(sys, "argv", ["opposites.py", str(tmp_path)])
    with pytest.raises(SystemExit, match="2"):
        opposites.main()
    assert not opposites.TARGET.exists()
