"""Entity linking: from what a question names to cues, the concepts at which its waves start.

Looser than resolution in perception, since nothing is merged: a cue only starts a search.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from oroi_graph.entities.linker import Link, candidate_row, exact_or_alias, rescued, same_concept
from oroi_graph.entities.mentions import Mention, speaker_mention
from oroi_graph.language.lexicons.pronouns import is_first_person
from oroi_graph.language.normalize import label_key, tokens
from oroi_graph.language.relations import asks_for_name, same_kin
from oroi_graph.language.stemming import content_words
from oroi_graph.model import ConceptKind
from oroi_graph.recall.question import Question, asks_a_relation, owners
from oroi_graph.recall_options import Search
from oroi_graph.storage.store import Row

_NAMED = ("name", "concept", "self")


@dataclass(frozen=True, slots=True)
class Cue:
    """Where one wave starts: a concept, the span that named it, how it was found, and its weight (0..1).

    method: exact, alias, rescue (truncated or misspelled), part (of a longer name), similar (by meaning), literal
    (words that are a label) or recognition (an active concept, since the question names nothing).
    """

    span: str
    concept_id: str
    label: str
    kind: ConceptKind
    method: str
    weight: float

    @property
    def specific(self) -> bool:
        """Whether the cue tells concepts apart; a speaker is connected to almost all of them."""
        return self.kind != "self"


def query_rows(question: Question, vectors: Row) -> list[Row]:
    """The rows that `seeds` takes: one a span, by its position, and one a phrase that may be a label."""
    spans = [
        candidate_row(i, span, ["value"] if span.kind == "value" else _NAMED, vectors)
        for i, span in enumerate(question.spans)
    ]
    phrases = [
        {"i": phrase, "key": phrase, "kinds": ["name", "concept"], "vector": None, "spelling": None}
        for phrase in question.phrases
    ]
    others = [
        {"i": key, "key": key, "kinds": ["concept"], "vector": None, "spelling": None}
        for key in dict.fromkeys(key for span in question.spans for key in kin_keys(span))
    ]
    return [*spans, *phrases, *others]


def kin_keys(span: Mention) -> Iterator[str]:
    """The labels that somebody's kin may have in other words or another language: "my husband" → "marido de ana"."""
    if span.owner is None or span.kind != "concept":
        return
    for of in (f" of {span.owner.key}", f" de {span.owner.key}"):
        head, found, _ = span.key.rpartition(of)
        # The extractor reads "my sister called" of "What is my sister called?" as a phrase.
        said = [word for word in head.split() if not asks_for_name(word)] if found else []
        for word in sorted(same_kin(said[0])) if len(said) == 1 else ():
            yield from (f"{word} {joined} {span.owner.key}" for joined in ("of", "de"))


def link(question: Question, row: Row, search: Search) -> list[Cue]:
    """The cues of a question, given the row of `working_set.entry.seeds`."""
    found = {
        candidates["i"]: {name: present(candidates[name]) for name in ("exact", "similar", "lexical")}
        for candidates in row["found"]
    }
    linker = _Linker(question, search, max(int(row["clock"] or 0), 1))
    nothing: Row = {"exact": [], "similar": [], "lexical": []}
    linker.link_spans([_or_kin(found, i, span) or nothing for i, span in enumerate(question.spans)])
    linker.link_phrases(found)
    if not any(cue.specific for cue in linker.cues.values()):
        linker.recognise(present(row["lit"]))
    return list(linker.cues.values())


def _or_kin(found: Mapping[int | str, Row], i: int, span: Mention) -> Row | None:
    """What was found of span `i`, and what has the label of the same kin in other words: of "my kids", "son of Ana"."""
    row = found.get(i)
    if row is None:
        return None
    same = (one for key in kin_keys(span) if key in found for one in found[key]["exact"])
    return {**row, "exact": list({one["id"]: one for one in (*row["exact"], *same)}.values())}


def present(rows: Iterable[Row], *names: str) -> list[Row]:
    """The rows without those deleted while they were read: one of their properties (of `names`, or any) is null."""
    return [row for row in rows if None not in (map(row.get, names) if names else row.values())]


def specificity(mentions: int, clock: int, least: float) -> float:
    """Inverse document frequency in least..1: 1 for what was mentioned once in `clock` turns."""
    rarity = math.log((clock + 1) / min(max(mentions, 1), clock + 1) + 1) / math.log(clock + 2)
    return max(rarity, least)


class _Linker:
    """Collects the cues of one question, {concept id: cue}."""

    def __init__(self, question: Question, search: Search, clock: int) -> None:
        self.question, self.search, self.clock = question, search, clock
        self.cues: dict[str, Cue] = {}

    def link_spans(self, candidates: Sequence[Row]) -> None:
        """Link each span to the concepts it may mean. candidates: a row of lists for each span."""
        spans = self.question.spans
        known = {span.key for span, row in zip(spans, candidates, strict=True) if row["exact"] and span.kind != "self"}
        links = [self._links(span, row, known) for span, row in zip(spans, candidates, strict=True)]
        redundant = self._owners_of_found(links)
        for span, found in zip(spans, links, strict=True):
            for one in found if (span.kind, span.key) not in redundant else ():
                cue = self._cue(span.surface, one.candidate, one.method, one.score)
                if cue.concept_id not in self.cues or self.cues[cue.concept_id].weight < cue.weight:
                    self.cues[cue.concept_id] = cue

    def link_phrases(self, found: Mapping[int | str, Row]) -> None:
        """Link phrases that are a label word by word, unless they share a word with a cue or a longer phrase."""
        said = {label_key(text) for cue in self.cues.values() for text in (cue.span, cue.label)}
        for phrase in self.question.phrases:
            if phrase in found and not any(set(phrase.split()) & set(other.split()) for other in said):
                for candidate in found[phrase]["exact"][:1]:
                    said.add(phrase)
                    self.cues.setdefault(candidate["id"], self._cue(phrase, candidate, "literal", 1.0))

    def recognise(self, active: Sequence[Row]) -> None:
        """Take active concepts near the question as cues; those that share a word with it go before all others."""
        least, stems = self.search.recognition, self.question.stems
        said = [one for one in active if not stems.isdisjoint(content_words(one["label"], self.question.language))]
        among = [one for one in said if one["affinity"] >= least] or active
        best = max((one["affinity"] for one in among), default=0.0)
        for one in among:
            if one["affinity"] >= max(least, self.search.recognition_share * best) and one["id"] not in self.cues:
                self.cues[one["id"]] = self._cue(one["label"], one, "recognition", one["affinity"])

    def _cue(self, span: str, candidate: Row, method: str, score: float) -> Cue:
        weight = score * specificity(candidate["mentions"], self.clock, self.search.least_specificity)
        return Cue(span, candidate["id"], candidate["label"], candidate["kind"], method, weight)

    def _links(self, span: Mention, row: Row, known: Set[str]) -> list[Link]:
        """The concepts a span may mean. known: keys of spans that are labels exactly."""
        found = exact_or_alias(span, row)
        if found:
            return found
        if span.kind == "name":
            misspelled = rescued(span.label, row["lexical"])
            return [misspelled] if misspelled is not None else self._longer_names(span, row["lexical"])
        own = list(owners(span))
        others = [c for c in row["similar"] if label_key(c["label"]) not in {owner.key for owner in own}]
        # A known owner leads to its own things; another thing of that name would be somebody else's.
        led_by_owner = asks_a_relation(span) or any(owner.key in known for owner in own)
        near = (c for c in others if self._means(span, c, led_by_owner))
        return [Link(c, "similar", c["score"]) for c in near][:1]

    def _longer_names(self, span: Mention, lexical: Sequence[Row]) -> list[Link]:
        """ "Ana" may be "Ana Ruiz"."""
        words = set(span.key.split())
        longer = [c for c in lexical if words and words <= set(label_key(c["label"]).split())]
        return [Link(c, "part", self.search.longer_name) for c in longer[: self.search.longer_names]]

    def _means(self, span: Mention, candidate: Row, led_by_owner: bool) -> bool:
        """Whether a span is near enough to a concept to start there.

        Words in common raise a cosine by themselves ("gata de Ana", "madre de Ana"): labels that share some words and
        differ on both sides need a higher one, and none is enough if the owner leads to the answer.
        """
        label, cosine = candidate["label"], candidate["score"]
        if same_concept(span.label, label, cosine):
            return True
        enough, of_overlap = self.search.span_similarity, self.search.overlap_similarity
        if cosine < min(enough, of_overlap) or self.question.asks_for_kind(span):
            return False
        words, others = set(tokens(span.label)), set(tokens(label))
        if words & others and words - others and others - words:
            return not led_by_owner and cosine >= of_overlap
        return bool(cosine >= enough)

    def _owners_of_found(self, links: Sequence[Sequence[Link]]) -> set[tuple[str, str]]:
        """(kind, key) of owners named only inside a possessive whose own concept was found.

        "My boss" and "Marta's brother" name a boss and a brother: their owners are no cues. The speaker is one if the
        question says "I" or "me".
        """
        found: set[tuple[str, str]] = {
            (owner.kind, owner.key)
            for span, candidates in zip(self.question.spans, links, strict=True)
            if _found_itself(span, candidates) and not asks_a_relation(span)
            for owner in owners(span)
        }
        if any(map(is_first_person, self.question.parsed.tokens)):
            found.discard(("self", speaker_mention(self.question.speaker).key))
        return found


def _found_itself(span: Mention, links: Sequence[Link]) -> bool:
    """Whether the owner's own thing was found: a concept like "my projector" may be another projector."""
    owner = span.owner
    if owner is None or not links:
        return bool(links)
    return any(one.method != "similar" or owner.key in label_key(one.candidate["label"]) for one in links)
