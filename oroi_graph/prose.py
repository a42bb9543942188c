"""Facts as sentences, with time woven in, in the language they were stated in.

A small model reads "since March 2026 Ana lives in Valencia" better than a triple with a date beside it (source
paper, §7.4).
"""

from __future__ import annotations

import re
from datetime import datetime

from oroi_graph import language
from oroi_graph.correction import single_valued
from oroi_graph.grammar.verbs import english_verb, spanish_verb
from oroi_graph.model import Fact
from oroi_graph.quotation import quoted

_MONTHS = {
    "en": "January February March April May June July August September October November December".split(),
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),
}
_COPULAS = ("is", "are", "was", "were", "am", "can", "will", "has been")


def sentence(fact: Fact) -> str:
    """One fact as one quoted sentence: its time, its negation, whether it still holds."""
    tongue = language.detect(f"{fact.relation} {fact.target}")
    text = _clause(fact, tongue)
    time = _time(fact, tongue)
    if not fact.current:
        text += " (ya no es así)" if tongue == "es" else " (no longer so)"
    elif fact.contested:
        text += " (hay versiones distintas)" if tongue == "es" else " (accounts differ)"
    sentence = quoted(f"{time}{text}").rstrip(".")
    return f"{sentence[:1].upper()}{sentence[1:]}."


def date(text: str | None, tongue: str = "en") -> str | None:
    """An ISO date, month or year for people ("3 March 2026"); None if it is none."""
    if not text:
        return None
    match = re.match(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?", text)
    if match is None or not 1 <= int(match[2] or 1) <= 12:
        return None
    year, month, day = match[1], match[2], match[3]
    of = " de " if tongue == "es" else " "
    if month is None:
        return year
    named = _MONTHS[tongue][int(month) - 1] + of + year
    return f"{int(day)}{of}{named}" if day else named


def stamp(at: str | None) -> str:
    """A record's time as an ISO day, "" if it has none."""
    if not at:
        return ""
    try:
        return datetime.fromisoformat(at).date().isoformat()
    except ValueError:
        return quoted(at)[:10]


def _time(fact: Fact, tongue: str) -> str:
    if fact.when:
        start, _, end = fact.when.partition("/")
        first, last = date(start, tongue), date(end, tongue)
        if first and last:
            return f"del {first} al {last}, " if tongue == "es" else f"from {first} to {last}, "
        if first:
            whole_day = len(start) >= 10
            if tongue == "es":
                return f"{'el' if whole_day else 'en'} {first}, "
            return f"{'on' if whole_day else 'in'} {first}, "
    said = date((fact.stated_at or "")[:7], tongue)
    if said is None or not single_valued(fact.relation) or fact.negated:
        return ""
    if not fact.current:
        return f"en {said}, " if tongue == "es" else f"in {said}, "
    return f"desde {said} " if tongue == "es" else f"since {said} "


def _clause(fact: Fact, tongue: str) -> str:
    """Source, relation and target as a clause; "Ana –sister→ Marta" is a role, not a verb."""
    if _is_role(fact.relation):
        denied = fact.negated
        if tongue == "es":
            return f"{fact.relation} de {fact.source} {'no ' if denied else ''}es {fact.target}"
        return f"{fact.source}'s {fact.relation} is {'not ' if denied else ''}{fact.target}"
    relation = _negated(fact.relation, tongue) if fact.negated else fact.relation
    return f"{fact.source} {relation} {fact.target}"


def _is_role(relation: str) -> bool:
    """Whether a relation is one bare noun ("sister", "jefe")."""
    word = relation.casefold()
    if not word.isalpha() or language.relation_class(word) is not None or word in language.stop_words("en"):
        return False
    if re.search(r"(?<!s)s$|ed$", word):
        return False  # a verb we do not know ("Ana adores jazz")
    return english_verb(word) is None and spanish_verb(word) is None


def _negated(relation: str, tongue: str) -> str:
    first, _, rest = relation.partition(" ")
    if tongue == "es":
        return f"no {relation}"
    verb, after = english_verb(first.casefold()), english_verb(rest.partition(" ")[0].casefold())
    perfect = verb is not None and verb.lemma == "have" and after is not None and after.tense in ("past", "part")
    if perfect or first.casefold() in _COPULAS:
        return f"{first} not {rest}".strip()
    if verb is None:
        return f"does not {relation}"
    return f"{'did' if verb.tense == 'past' else 'does'} not {verb.lemma} {rest}".strip()
