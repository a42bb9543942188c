"""Claims as agents write them about a project: what the benchmarks of the contract fill memories with.

Those of `claims` repeat eight sentences with other words in their places, so that values of a key resemble each other:
many are near to any question about them. Those of `varied_claims` are of thousands of words and names.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache

from oroi_graph.language.lexicons.tables import common_words

Claims = Callable[[int, int], Iterator[tuple[str, str, str]]]  # of a count and a seed

AUTHORS = ("claude", "gemini", "kimi", "grok")
_FORMS = {
    "decision": "{team} decided to {plan} the {thing} in {town} before {month} {year}.",
    "risk": "The {thing} in {town} may {harm} if {cause}, says {person}.",
    "requirement": "The {thing} in {town} must {ability} within {number} {unit}, says {team}.",
    "incident": "On {day} {month} {year} the {thing} in {town} {failed} for {number} minutes.",
    "supplier": "{company} delivers {number} boxes of {goods} for the {thing} in {town}.",
    "budget": "{team} keeps {number} thousand euros of {year} for the {thing} in {town}.",
    "schedule": "{company} will {plan} the {thing} in {town} in {month} {year}.",
    "observation": "{person} of {company} says that the {thing} in {town} {state}.",
}
KEYS = tuple(_FORMS)
_WORDS = {
    "team": "Operations|Logistics|The harbour office|Maintenance|The planning group|Security|Finance|The board",
    "plan": "repair|replace|inspect|extend|close|rent out|repaint|move|insure|digitise",
    "thing": "crane|bridge|archive|warehouse|engine|library|ferry|school|tunnel|market hall|power station|data centre|"
    "water tank|bus depot|laboratory|greenhouse|radar|pipeline|lighthouse|car park",
    "town": "Bilbao|Irun|Vitoria|Gernika|Durango|Zarautz|Getaria|Lekeitio|Ondarroa|Tolosa|Eibar|Bermeo",
    "harm": "flood|fail|burn|rust|be delayed|lose power|be blocked|leak",
    "cause": "the tide rises|the supplier fails|nobody checks it|the storm returns|the permit is late|demand doubles|"
    "the cable breaks|the budget is cut",
    "ability": "restart|be evacuated|answer|be cleaned|reach full load|report its state|be reopened|cool down",
    "unit": "seconds|minutes|hours|days",
    "month": "January|February|March|April|May|June|July|August|September|October|November|December",
    "failed": "was closed|lost power|was flooded|stood still|sent no data|was overloaded|was evacuated",
    "company": "Iberdata|Nortek|Zubiak|Marelec|Orotek|Kaiola|Lanbide|Haizea|Txorierri|Urdin",
    "goods": "steel|sensors|pumps|paint|cables|software|spare parts|concrete|batteries|lamps",
    "person": "Marta|Iker|Ane|Jon|Leire|Unai|Nerea|Gorka|Maite|Asier",
    "state": "needs repair|is open again|costs more than planned|has a new owner|was praised by visitors|"
    "is too small|runs without staff|was inspected",
}
_CHOICES = {name: words.split("|") for name, words in _WORDS.items()}
QUESTIONS = tuple(
    f"What is known of the {thing} in {town}?" for thing, town in zip(_CHOICES["thing"], _CHOICES["town"], strict=False)
)


def claims(count: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """(author, key, value), the keys in turn; values of a key often resemble each other, and seldom are equal."""
    chance = random.Random(seed)
    for place in range(count):
        key = KEYS[place % len(KEYS)]
        slots = {name: chance.choice(words) for name, words in _CHOICES.items()}
        numbers = {"number": chance.randint(2, 900), "day": chance.randint(1, 28), "year": chance.randint(2015, 2030)}
        yield chance.choice(AUTHORS), key, _FORMS[key].format(**slots, **numbers)


def varied_claims(count: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """(author, key, value), the keys in turn; two values have hardly more in common than what every sentence has."""
    chance = random.Random(seed)
    for place in range(count):
        words, names = chance.sample(_vocabulary(), 7), [_name(chance) for _ in range(2)]
        number = chance.randint(2, 90_000)
        value = (
            f"{names[0]} told {names[1]} about the {words[0]} {words[1]}: {number} {words[2]} of {words[3]} "
            f"for every {words[4]}, because the {words[5]} was {words[6]}."
        )
        yield chance.choice(AUTHORS), KEYS[place % len(KEYS)], value


@cache
def _vocabulary() -> tuple[str, ...]:
    return tuple(sorted(word for word in common_words("en") if len(word) > 3 and word.isalpha()))


def _name(chance: random.Random) -> str:
    """A name that nobody has: some 20,000 of them."""
    return "".join(chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(3)).capitalize()
