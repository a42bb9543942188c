"""Frequent words that are nobody's given name, for the lexicons: `python benchmarks/common_words.py [--check]`.

A word first in a sentence has a capital whatever it is. The list says which of them is no name by itself: those that
pyspellchecker counts at least ten times in a million words (its counts leave proper nouns out, as they come from tagged
text), and that Faker has as nobody's given name. It also writes the given names that end in s, as plurals do.

The lists are copied into the package, not loaded from there: pyspellchecker takes 45 to 440 ms to load a language, the
copy 1 ms.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import json
import math
import sys
import unicodedata
from importlib.resources import files
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "oroi_graph" / "language" / "lexicons"
LANGUAGES = ("en", "es", "pt")
LEAST = 4.0  # log10 of occurrences in 10⁹ words ("Zipf scale"): ten in a million
LOCALES = (
    "en_US en_GB en_IE en_NZ es es_AR es_CL es_CO es_ES es_MX pt_BR pt_PT"
).split()  # those whose people have names in the three languages
KINDS = ("first_names", "first_names_male", "first_names_female")


def fold(word: str) -> str:
    """Lower case, without accents."""
    letters = unicodedata.normalize("NFD", word.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def given_names() -> set[str]:
    """Faker's given names of all locales, in lower case."""
    names: set[str] = set()
    for locale in LOCALES:
        provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
        listed = (getattr(provider, kind, ()) for kind in KINDS)
        names.update(name.casefold() for some in listed if not isinstance(some, property) for name in some)
    return names


def common(language: str, names: set[str]) -> list[str]:
    """Words of a language that occur at least so often and are in none of `names`, whatever their accents."""
    packed = (files("spellchecker") / "resources" / f"{language}.json.gz").read_bytes()
    counts: dict[str, int] = json.loads(gzip.decompress(packed))
    total = sum(counts.values())
    people = {fold(name) for name in names}
    frequent = (word for word, count in counts.items() if 9 + math.log10(count / total) >= LEAST)
    return sorted(word for word in frequent if word.isalpha() and len(word) > 1 and fold(word) not in people)


def lists() -> dict[str, list[str]]:
    """The words of each file."""
    names = given_names()
    written = {f"common_{language}.txt": common(language, names) for language in LANGUAGES}
    written["names_in_s.txt"] = sorted(name for name in names if name.endswith("s") and name.isalpha())
    return written


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a file differs")
    check = parser.parse_args().check
    differ = 0
    for name, words in lists().items():
        text = "\n".join(words) + "\n"
        if check:
            differ += (FOLDER / name).read_text("utf-8") != text
        else:
            (FOLDER / name).write_text(text, "utf-8")
        print(f"{name}: {len(words)} words")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
