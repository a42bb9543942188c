"""Writes the English opposites that ship with the contract's rules: the antonyms of Open English WordNet.

    python benchmarks/opposites.py FOLDER

FOLDER: a checkout of github.com/globalwordnet/english-wordnet (its src/yaml). Kept are pairs of adjectives, of verbs
and of adverbs, single words that are frequent (a Zipf frequency of 3 and more); nouns are left out, for few of them
exclude one another ("day", "night"; "question", "answer").
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import yaml
from wordfreq import zipf_frequency

TARGET = Path(__file__).parents[1] / "oroi_graph" / "contract" / "reading" / "data" / "opposites_en.txt"
PARTS = ("a", "s", "v", "r")
FREQUENT = 3.0


def pairs(folder: Path) -> set[tuple[str, str]]:
    """The antonyms of the lexicon's entries, each pair once, in alphabetical order."""
    lemma: dict[str, str] = {}
    against: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.glob("entries-*.yaml")):
        for word, entry in yaml.load(path.read_text("utf-8"), yaml.CSafeLoader).items():
            for part, body in entry.items():
                for sense in body.get("sense", ()):
                    lemma[sense["id"]] = str(word)
                    if part in PARTS:
                        against[str(word)] += sense.get("antonym", ())
    found = {tuple(sorted((word, lemma[id]))) for word, ids in against.items() for id in ids if id in lemma}
    return {(a, b) for a, b in found if a != b and all(map(usable, (a, b)))}


def usable(word: str) -> bool:
    """Whether a word is one word in small letters that people use."""
    return word.isalpha() and word.islower() and zipf_frequency(word, "en") >= FREQUENT


def main() -> None:
    """Write the file, unless the folder has no lexicon."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    folder = parser.parse_args().folder / "src" / "yaml"
    rows = sorted(pairs(folder))
    if not rows:
        parser.error(f"{folder} has no opposites: name a checkout of english-wordnet")
    TARGET.write_text("".join(f"{a} {b}\n" for a, b in rows), "utf-8")
    print(f"{len(rows)} pairs")


if __name__ == "__main__":
    main()
