"""What tells how sure a relation is: how its parts stand in the clause that it was read from."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from oroi_graph.extraction.confidence.standing import Standing, Word
from oroi_graph.language.lexicons.pronouns import is_first_person, possessive
from oroi_graph.language.normalize import tokens
from oroi_graph.language.relations import TIMELESS, relation_class
from oroi_graph.language.stemming import stop_words
from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.forms import verb
from oroi_graph.model import ExtractedRelation

COPULAS = frozenset({"is", "are", "am", "was", "were", "es", "son", "era", "é", "são", "soy", "sou"})
_CLAUSE = re.compile(r"[.!?;:,()\n–—\"“”]+|\s-\s|\s+(?:and|but|because|so|y|e|pero|porque|mas|pois)\s+", re.IGNORECASE)
_NAMING = word_set("called named llamado llamada llama llamaba chamado chamada chama chamava")  # "a dog called Max"
_THAT_IS = word_set("who that is que se")  # "who is called", "que se llama"
_OF = word_set("of de do da dos das del")
_OBJECTS = word_set("it him her them me us")  # "sold it for a song"
_NEAR = 3  # words between two parts, from which they stand apart
_SHORT = 3  # letters of an object that hardly names anything
_FIRST = (1, 4)  # persons of the speaker's verbs
_THIRD = (3, 6)


def signals(relation: ExtractedRelation, text: str, language: str) -> dict[str, float]:
    """What the model weighs: {name: value}, without zeros; yes is 1, counts are logarithms of 1 + n."""
    joined = _joined(relation, text)
    standing = Standing.of(relation, joined, language)
    found = {
        "one": 1.0,
        f"language {language}": 1.0,
        **_of_subject(relation, standing),
        **_of_verb(relation, standing),
        **_of_object(relation, standing, language),
        **_of_clause(standing),
        "kin beside its name": float(_is_beside(relation, standing)),
        **_unread(relation, joined, language),
        "negated": float(relation.negated),
        "dated": float(relation.when is not None and relation_class(relation.relation) not in TIMELESS),
        "words": math.log1p(len(text.split())),
        "tidy": float(text[:1].isupper() and text.rstrip()[-1:] in ".!?"),
    }
    return {name: value for name, value in found.items() if value}


def _of_subject(relation: ExtractedRelation, standing: Standing) -> dict[str, float]:
    """Who: the speaker, a name or a thing; whether it stands there, and how near its verb."""
    source, lexicon, gap = relation.source, standing.lexicon, standing.gap
    speaker = is_first_person(source)
    owned = possessive(source) is not None
    first = standing.ahead_of(standing.source)
    said = standing.source is not None
    bare = said and not (speaker or owned) and source[:1].islower()
    whose = first is not None and not lexicon.possessives.get(first.text, source)  # "su madre", nobody knows whose
    return {
        "subject: owned": float(owned),
        "subject: stands": float(said),
        "subject: bare": float(bare and (whose or not (first is not None and _determines(first, standing)))),
        "subject: after a preposition": float(first is not None and first.text in lexicon.prepositions),
        "subject: a verb": float(
            not speaker and verb(source.casefold().partition(" ")[0], lexicon.language) is not None
        ),
        "gap: marks": float(any(word.is_mark for word in gap)),
    }


def _of_verb(relation: ExtractedRelation, standing: Standing) -> dict[str, float]:
    """What it says: a known relation, a state or an event; whether its person is the subject's."""
    words = relation.relation.casefold().split() or [""]
    speaker, form = is_first_person(relation.source), standing.form
    person = form.person if form is not None and standing.lexicon.romance else 0
    return {
        "verb: known relation": float(relation_class(relation.relation) is not None),
        "verb: has": float(relation_class(relation.relation) == "has"),
        "verb: copula": float(len(words) == 1 and words[0] in COPULAS),
        "verb: none": float(standing.verb is None),
        "verb: a preposition": float(words[0] in standing.lexicon.prepositions),
        "verb: of the speaker": float(speaker and person in _FIRST),
        "verb: of somebody else": float((speaker and person in _THIRD) or (not speaker and person in _FIRST)),
        "verb: imperfect": float(form is not None and form.tense == "imperfect"),
        "verb: words": math.log1p(len(words)),
        "verb: of": float(len(words) > 1 and words[-1] in _OF),
    }


def _of_object(relation: ExtractedRelation, standing: Standing, language: str) -> dict[str, float]:
    """Whom or what: how much of a name it is, how far from the verb, and whether it ends where it was cut."""
    target, lexicon, between, behind = relation.target, standing.lexicon, standing.between, standing.behind
    stop = stop_words(language)
    first = standing.ahead_of(standing.target)
    words = tokens(target)
    own = relation.relation.casefold().split()
    unread = [w for w in between if not w.is_mark and w.text not in stop and w.text not in own]
    return {
        "object: stands": float(standing.target is not None),
        "object: capitalised": float(target[:1].isupper()),
        "object: short": float(len(target) <= _SHORT),
        "object: a number": float(target[:1].isdigit()),
        "object: no noun": float(bool(words) and words[-1] in stop),
        "object: determined": float(first is not None and _determines(first, standing)),
        "object: closed": float(behind is None or behind.is_mark or _closes(behind, standing)),
        "between: words": math.log1p(len(between)),
        "between: unread": math.log1p(len(unread)),
        "between: a pronoun": float(any(word.text in _OBJECTS for word in between) or _is_clitic(standing)),
        "between: marks": float(any(word.is_mark for word in between)),
        "between: a clause": float(any(word.text in lexicon.subordinators for word in between)),
    }


def _of_clause(standing: Standing) -> dict[str, float]:
    """Where in the text, and whether it depends on something, supposes it or doubts it."""
    lexicon, before = standing.lexicon, standing.before
    around = [*before, *standing.between, *filter(None, [standing.behind])]
    return {
        "clause: words before": math.log1p(len(before)),
        "clause: supposes": float(
            any(word.text in lexicon.conditionals or word.text in lexicon.modals for word in before)
            or lexicon.doubts.is_in(" ".join(word.text for word in around))
        ),
        "clause: marks before": math.log1p(standing.marks_before),
    }


def _is_beside(relation: ExtractedRelation, standing: Standing) -> bool:
    """Whether who somebody's kin or pet is was read from both side by side: "my partner Dev", "a girl called Ana"."""
    lexicon = standing.lexicon
    linked = relation.relation in COPULAS and relation.relation not in lexicon.kinship  # "son" is one in Spanish
    kin = relation.source.rpartition(" ")[2] if linked else relation.relation
    said = {kin.casefold(), *(word for word, called in lexicon.children.items() if called == kin)}
    if said.isdisjoint(lexicon.kinship) and said.isdisjoint(lexicon.pets):
        return False
    if standing.target is None or not relation.target[:1].isupper():
        return False
    before = [word for word in standing.words[max(standing.target - 4, 0) : standing.target] if word.text != ","]
    if before and before[-1].text in lexicon.determiners:
        before.pop()
    elif before and before[-1].text in _NAMING:
        before.pop()
        while before and before[-1].text in _THAT_IS:
            before.pop()
    return bool(before) and before[-1].text in said


def _is_clitic(standing: Standing) -> bool:
    """Whether the verb has an object before it that is a pronoun: "lo compré en Trujillo"."""
    before = standing.ahead_of(standing.verb)
    return before is not None and before.text in standing.lexicon.clitics_object


def _determines(word: Word, standing: Standing) -> bool:
    """Whether a word is an article, a possessive or one that holds an article ("del", "no")."""
    lexicon = standing.lexicon
    return word.text in lexicon.determiners or word.text in lexicon.possessives or word.text in lexicon.contractions


def _closes(word: Word, standing: Standing) -> bool:
    """Whether a word ends the name of a thing before it: a conjunction or a preposition, but "of"."""
    lexicon = standing.lexicon
    if word.text in lexicon.prepositions:
        return word.text not in _OF
    return word.text in lexicon.conjunctions or word.text in lexicon.coordinating


def _unread(relation: ExtractedRelation, text: str, language: str) -> dict[str, float]:
    """How much of its clause a relation leaves unread."""
    read = _Reading.of(relation, text, language)
    speaker = is_first_person(relation.source)
    return {
        "subject: said": float(read.source is not None or (speaker and read.first_person)),
        "object: said": float(read.target is not None),
        "apart": float(read.distance is None or read.distance >= _NEAR),
        "unread before": math.log1p(read.before),
        "unread between": math.log1p(read.between),
        "cut off": float(read.cut_off),
    }


@dataclass(frozen=True, slots=True)
class _Reading:
    """Where the parts of a relation stand in the clause that holds most of them.

    source, target: positions of their first words, None if they are not there. distance: words between relation and
    target. before, between: content words of the clause before and between the parts. cut_off: whether a content word
    follows the last part at once.
    """

    source: int | None
    target: int | None
    distance: int | None
    before: int
    between: int
    cut_off: bool
    first_person: bool

    @classmethod
    def of(cls, relation: ExtractedRelation, text: str, language: str) -> _Reading:
        parts = [tokens(part) for part in (relation.source, relation.relation, relation.target)]
        wanted = {word for part in parts for word in part}
        clauses = [tokens(clause) for clause in _CLAUSE.split(_joined(relation, text))]
        clause = max(clauses, key=lambda words: sum(word in wanted for word in words), default=[])
        ignored = stop_words(language) | (_NAMING - wanted)
        source, verb, target = (_position(part, clause, ignored) for part in parts)
        ends = [i for i, word in enumerate(clause) if word in wanted and word not in ignored]
        first, last = (ends[0], ends[-1]) if ends else (0, -1)
        unread = [i for i, word in enumerate(clause) if word not in wanted and word not in ignored]
        distance = None
        if verb is not None and target is not None:
            low, high = sorted((verb, target))
            distance = sum(word not in wanted for word in clause[low:high])
        return cls(
            source=source,
            target=target,
            distance=distance,
            before=sum(i < first for i in unread),
            between=sum(first <= i <= last for i in unread),
            cut_off=last + 1 in unread,
            first_person=any(is_first_person(word) for word in clause),
        )


def _joined(relation: ExtractedRelation, text: str) -> str:
    """The text without the comma of an apposition: "my partner, Dev", "o meu companheiro, o Dinis"."""
    words = [word for word in (relation.relation, relation.source.rpartition(" ")[2]) if word and f"{word}, " in text]
    if not words:
        return text
    beside = rf"\b({'|'.join(map(re.escape, words))}), (?=(?:[oa] )?{re.escape(relation.target)}\b)"
    return re.sub(beside, r"\1 ", text)


def _position(part: Sequence[str], clause: Sequence[str], ignored: frozenset[str]) -> int | None:
    """Where the first content word of a part stands in a clause; of a part without any, its first word."""
    for word in [word for word in part if word not in ignored] or part:
        if word in clause:
            return clause.index(word)
    return None
