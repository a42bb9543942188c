"""Facts as sentences, with time woven in, in the language they were stated in; where they don't tell, in the asker's.

A small model reads "since March 2026 Ana lives in Valencia" better than a triple with a date beside it (source
paper, §7.4). "Since" takes a time that was stated; of what was said without one, the sentence says when it was told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, lru_cache

from oroi_graph.language import detection
from oroi_graph.language.lexicons.by_language import LEXICONS
from oroi_graph.language.lexicons.tables import LANGUAGES, common_words, entries, tables
from oroi_graph.language.quoting import quoted
from oroi_graph.language.relations import LASTING, TIMELESS, are_feminine, relation_class
from oroi_graph.language.stemming import stop_words
from oroi_graph.language.tokens import word_set
from oroi_graph.language.values import canonical_value
from oroi_graph.language.verbs.forms import english_verb, verb, verb_at_start
from oroi_graph.model import Fact


@dataclass(frozen=True, slots=True)
class _Words:
    """How a language weaves time and standing into a sentence; {} is a date, or the two ends of a period."""

    ended: str
    earlier: str
    contested: str
    period: str
    on_day: str
    in_month: str
    since: str
    told: str
    of: str
    not_: str
    months: str
    masculine: str = ""
    feminine: str = ""
    women: str = ""
    either: str = ""
    one_of: str = ""
    one_of_women: str = ""


_WORDS = {language: _Words(**dict(entries(tables("sentences"), language))) for language in LANGUAGES}
_IS = {"en": "is", "es": "es", "pt": "é"}
_PROPERTY = re.compile(r"(?P<what>[^\W\d_][\w' -]*) (?P<is_>is|are|es|son|é|são)")
_BARE = word_set("with about at in on con sobre en com em")  # "my appointment –with→ Dr Shah"
_OF = frozenset().union(*(lexicon.of for lexicon in LEXICONS.values()))
_BEFORE_DATE = word_set("is on for by until till to es é el em para até hasta")
_DAY = len("2026-03-01")
_AUXILIARIES = ("am", "are", "can", "will", "would", "could", "should", "may", "might", "must")
_COPULAS = ("is", "are", "was", "were", "am", "can", "will", "has been")


def sentence(fact: Fact, asked: str | None = None) -> str:
    """One fact as one quoted sentence: its time, its negation, whether it still holds.

    asked: the language of the question, which decides between languages that the fact's words may be of.
    """
    tongue = _tongue(fact, asked)
    target, time = _dated(fact, tongue)
    text = _clause(replace(fact, target=target), tongue).rstrip()
    if not fact.current:
        text += _WORDS[tongue].ended
    elif fact.contested:
        text += _WORDS[tongue].contested
    sentence = quoted(f"{time}{text}").rstrip(".")
    return f"{sentence[:1].upper()}{sentence[1:]}."


def earlier(tongue: str) -> str:
    """The mark of a quote that a later one probably replaces."""
    return _WORDS[tongue].earlier


def is_outdated(line: str) -> bool:
    """Whether a line of a brief is marked as no longer so."""
    return any(mark in line for words in _WORDS.values() for mark in (words.ended, words.earlier))


def date(text: str | None, tongue: str = "en") -> str | None:
    """An ISO date, month or year for people ("3 March 2026"); None if it is none."""
    if not text:
        return None
    match = re.match(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?", text)
    if match is None or not 1 <= int(match[2] or 1) <= 12:
        return None
    year, month, day = match[1], match[2], match[3]
    of = _WORDS[tongue].of
    if month is None:
        return year
    named = _WORDS[tongue].months.split()[int(month) - 1] + of + year
    return f"{int(day)}{of}{named}" if day else named


def stamp(at: str | None) -> str:
    """A record's time as an ISO day, "" if it has none."""
    if not at:
        return ""
    try:
        return datetime.fromisoformat(at).date().isoformat()
    except ValueError:
        return quoted(at)[:10]


def _tongue(fact: Fact, asked: str | None) -> str:
    """The language of a fact's words. A role is a word of some languages only ("marido" of two), a name of none."""
    among = detection.READ
    if _is_role(fact.relation):
        role = fact.relation.casefold()
        said = {role, role.removesuffix("s")} if _are_kin(role) else {role}
        among = tuple(language for language in among if not said.isdisjoint(_nouns(language))) or among
    return detection.detect(f"{fact.relation} {fact.target}", asked, among)


@cache
def _nouns(language: str) -> frozenset[str]:
    """Words that may be roles in a language: its kinship terms, those for children and its frequent words."""
    lexicon = LEXICONS[language]
    return lexicon.kinship | common_words(language) | {*lexicon.children.values()}


def _time(fact: Fact, tongue: str) -> str:
    """When it was or since when it is so, else when it was told; neither beside somebody's name, age or birthday."""
    if relation_class(fact.relation) in TIMELESS:
        return ""
    words = _WORDS[tongue]
    lasting = relation_class(fact.relation) in LASTING and not fact.negated
    start, _, end = (fact.when or "").partition("/")
    first, last = date(start, tongue), date(end, tongue)
    if first and last:
        return words.period.format(first, last)
    if first and fact.current and lasting and not _is_event(fact.relation, tongue):
        return words.since.format(first)
    if first:
        return (words.on_day if len(start) >= len("2026-03-01") else words.in_month).format(first)
    said = date((fact.stated_at or "")[:7], tongue)
    return words.told.format(said) if said and lasting else ""


def _dated(fact: Fact, tongue: str) -> tuple[str, str]:
    """The target as it is told, and the time before the sentence.

    A target such as "Friday" means another day when it is read: the date stands in its place where the relation takes
    one ("is on"), else nothing, as the time before the sentence tells it. A target that is the time of the fact ("was
    on 14 May 2016") needs none before it.
    """
    if fact.when is None:
        return fact.target, _time(fact, tongue)
    told = datetime.fromisoformat(fact.stated_at) if fact.stated_at else None
    meant = canonical_value(fact.target, tongue, told)
    if canonical_value(fact.target, tongue, None) is not None:
        return fact.target, "" if meant == fact.when else _time(fact, tongue)
    day = date(fact.when, tongue) if len(fact.when) == _DAY == len(meant or "") else None
    if day is None:
        return fact.target, _time(fact, tongue)
    takes_date = fact.relation.casefold().split()[-1] in _BEFORE_DATE or relation_class(fact.relation) in TIMELESS
    return (day, "") if takes_date else ("", _time(fact, tongue))


def _is_event(relation: str, tongue: str) -> bool:
    """Whether a relation tells what happened ("moved to"), not how it is."""
    said = relation.casefold().removeprefix("se ").partition(" ")[0].removesuffix("-se")
    form = verb_at_start(said, tongue)
    return form is not None and form.tense == "past"


def _clause(fact: Fact, tongue: str) -> str:
    """Source, relation and target as a clause; "Ana –sister→ Marta" is a role, not a verb, "birthday is" a property."""
    owned = _PROPERTY.fullmatch(fact.relation)
    if owned and _names_attribute(owned["what"].casefold(), tongue):
        return _owned(fact, owned["what"], owned["is_"], tongue)
    if _is_role(fact.relation):
        return _owned(fact, fact.relation, _IS[tongue], tongue)
    said = f"{_IS[tongue]} {fact.relation}" if fact.relation.casefold() in _BARE else fact.relation
    relation = _negated(said, tongue) if fact.negated else _third_person(said, tongue)
    some = _one_of(fact.source.partition(" ")[0], tongue) if fact.relation in _IS.values() else ""
    if tongue == "en":
        return f"{some}{_possessed(fact.source)} {relation} {_possessed(fact.target, fact.source)}"
    return f"{some}{fact.source if some else _the(fact.source, tongue)} {relation} {fact.target}"


def _are_kin(word: str) -> bool:
    """Whether a word is the plural of kin or of children ("kids", "hermanas"): a fact tells of one of them."""
    if not word.endswith(("s", "children")):
        return False
    return any(
        word.removesuffix("s") in lexicon.kinship or word in lexicon.children.values()
        for lexicon in LEXICONS.values()
        if word not in lexicon.kinship
    )


def _one_of(what: str, tongue: str) -> str:
    """ "One of Ana's kids is Eva", "una de las hermanas de Ana es Eva"; "" where it is not said of several."""
    if not _are_kin(what):
        return ""
    words = _WORDS[tongue]
    return (words.one_of_women or words.one_of) if are_feminine(what) else words.one_of


def _the(what: str, tongue: str) -> str:
    """ "hermana de Ana" with the article that kin and pets have in Spanish and Portuguese: "la hermana de Ana"."""
    kin, words = what.partition(" ")[0], _WORDS[tongue]
    if kin not in LEXICONS[tongue].kinship | LEXICONS[tongue].pets or kin in words.either.split():
        return what
    article = words.feminine if kin.endswith("a") or kin in words.women.split() else words.masculine
    return f"{article} {what}"


def _possessed(label: str, source: str | None = None) -> str:
    """ "husband of Ana" as people say it in English: "Ana's husband".

    source: that of the fact whose target it is. Of a target only kin, attributes and what is the source's are told so,
    as "glass of Rioja" is not Rioja's; what something is said of is a part or a measure very seldom.
    """
    what, of, owner = label.rpartition(" of ")
    if not of or not what[:1].islower() or not owner[:1].isupper():
        return label
    kin, attributes = LEXICONS["en"].kinship, LEXICONS["en"].attributes
    if source not in (None, owner) and what.split()[-1] not in kin | attributes:
        return label
    while (parts := what.rpartition(" of "))[1] and parts[2] in kin:
        what, owner = parts[0], f"{owner}'s {parts[2]}"
    return f"{owner}'s {what}"


def _names_attribute(what: str, tongue: str) -> bool:
    """Whether the words before a copula are what somebody has: "favourite colour", "name" (a verb, too)."""
    first = what.split()[0]
    return _is_noun(first) or (first == what and first in LEXICONS[tongue].attributes)


def _owned(fact: Fact, what: str, is_: str, tongue: str) -> str:
    denied = f"{_WORDS[tongue].not_} " if fact.negated else ""
    some = _one_of(what, tongue)
    if tongue == "en":
        return f"{some}{fact.source}'s {what} {is_} {denied}{fact.target}"
    return f"{some}{what if some else _the(what, tongue)} de {fact.source} {denied}{is_} {fact.target}"


@lru_cache(maxsize=4096)  # asked twice of each fact that is told
def _is_role(relation: str) -> bool:
    """Whether a relation is a noun ("sister", "jefe"), with what it is of ("jefe de obra"), an adjective behind kin
    ("hijo mayor") or, in English, another noun before it ("piano teacher")."""
    words = relation.casefold().split() or [""]
    of = next((i for i, word in enumerate(words) if word in _OF), None)
    if of is not None:
        return of > 0 and _is_role_noun(words[of - 1]) and words[-1] not in _OF and _are_nouns(words)
    if len(words) == 1:
        return _is_role_noun(words[0])
    kin_of = [LEXICONS[tongue] for tongue in ("es", "pt") if words[0] in LEXICONS[tongue].kinship]
    if kin_of:
        return all(map(_is_noun, words)) and not any(words[-1] in lexicon.prepositions for lexicon in kin_of)
    return _is_role_noun(words[-1]) and _nouns("en").issuperset(words) and _are_nouns(words)


def _are_nouns(words: Sequence[str]) -> bool:
    return all(_is_noun(word) and (word in _OF or not _is_grammatical(word)) for word in words)


def _is_grammatical(word: str) -> bool:
    return any(word in stop_words(tongue) for tongue in LANGUAGES)


def _is_role_noun(word: str) -> bool:
    if _are_kin(word):
        return True
    if any(word in LEXICONS[tongue].kinship for tongue in LEXICONS):
        return True  # a form of a verb, too: "namorado", "partner"
    if not word.replace("-", "").isalpha() or relation_class(word) is not None or word in stop_words("en"):
        return False
    if re.search(r"(?<!s)s$|ed$", word):
        return False  # a verb we do not know ("Ana adores jazz")
    return _is_noun(word)


def _is_noun(word: str) -> bool:
    """Whether no table has a word as a verb."""
    return english_verb(word) is None and not any(verb(word, tongue) for tongue in ("es", "pt"))


def _third_person(relation: str, tongue: str) -> str:
    """ "live in" as it is said of somebody: extractors keep the speaker's "I live in"."""
    first, _, rest = relation.partition(" ")
    if tongue != "en":
        form = verb_at_start(first.casefold(), tongue)
        said = form.third if form is not None and form.person in (1, 2, 4, 5) and form.third else first
    elif first.casefold() not in _AUXILIARIES:
        spoken = english_verb(first.casefold())
        said = spoken.third if spoken is not None and spoken.tense == "base" else first
    else:
        said = {"am": "is"}.get(first.casefold(), first)
    return f"{said} {rest}".rstrip()


def _negated(relation: str, tongue: str) -> str:
    first, _, rest = relation.partition(" ")
    if tongue != "en":
        return f"{_WORDS[tongue].not_} {_third_person(relation, tongue)}"
    spoken, after = english_verb(first.casefold()), english_verb(rest.partition(" ")[0].casefold())
    perfect = spoken is not None and spoken.lemma == "have" and after is not None and after.tense in ("past", "part")
    if perfect or first.casefold() in _COPULAS:
        return f"{first} not {rest}".strip()
    if spoken is None:
        return f"does not {relation}"
    return f"{'did' if spoken.tense == 'past' else 'does'} not {spoken.lemma} {rest}".strip()
