"""Entity resolution: which stored concept a mention is, or that it is new.

The rules apply in this order. An equal label key or alias decides. A value is the same only by its canonical form. A
concept is the same if sleep would merge the two labels without a judge (`label_similarity.grade`). A name is never the
same by meaning; it may truncate or misspell one stored name (`linker.rescue`, strict). A name that is part of a longer
one ("FedEx", "FedEx Office") stays apart; a weak "maybe same" link joins the two.

Operating point: docs/decisions/0301-resolution-passes-the-trap-pairs.md, measured by benchmarks/duplicates.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from oroi_graph.entities.label_similarity import grade
from oroi_graph.entities.linker import candidate_row, exact_or_alias, rescued, whole_token_subset
from oroi_graph.entities.mentions import Mention
from oroi_graph.model import ConceptKind, Match
from oroi_graph.storage.store import Row

MAYBE_SAME = "maybe same"
MOST_LINKS = 3
CANDIDATES = 8

_KINDS: Mapping[str, tuple[str, ...]] = {
    "value": ("value",),
    "self": ("self", "name"),
    "name": ("name", "self", "concept"),
    "concept": ("concept", "name", "self"),
}


@dataclass(frozen=True, slots=True)
class Resonance:
    """The outcome for one mention: its match (None: new), and the names it may be the same as (ids)."""

    mention: Mention
    match: Match | None
    maybe_same: tuple[str, ...] = field(default=())


def rows(mentions: Sequence[Mention], vectors: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What candidates are searched by, a row a mention: `vectors` by label."""
    return [candidate_row(i, mention, _KINDS[mention.kind], vectors) for i, mention in enumerate(mentions)]


def decide(mention: Mention, row: Row) -> Resonance:
    """What `mention` is, given its candidates (one row of `working_set.entry.concept_candidates`)."""
    said = exact_or_alias(mention, row)
    if said:
        order = _KINDS[mention.kind]
        preferred = min(said, key=lambda link: order.index(link.candidate["kind"]))
        method = "value" if mention.kind == "value" else preferred.method
        return Resonance(mention, _match(mention, preferred.candidate, method, 1.0))
    if mention.kind == "value":
        return Resonance(mention, None)
    if mention.kind == "concept":
        for candidate in row["similar"]:
            like = grade(mention.label, candidate["label"], "concept", candidate["score"])
            if like is not None and like.grade == "automatic":
                return Resonance(mention, _match(mention, candidate, "similar", candidate["score"]))
        return Resonance(mention, None)
    names = [c for c in row["lexical"] if c["kind"] in ("name", "self")]
    link = rescued(mention.label, names, strict=True)
    if link is not None:
        return Resonance(mention, _match(mention, link.candidate, link.method, link.score))
    maybe = [c["id"] for c in names if whole_token_subset(mention.label, c["label"])]
    return Resonance(mention, None, tuple(maybe[:MOST_LINKS]))


def _match(mention: Mention, candidate: Row, method: str, score: float) -> Match:
    # A name that turns out to speak is a speaker.
    kind: ConceptKind = "self" if mention.kind == "self" else candidate["kind"]
    return Match(candidate["id"], candidate["label"], kind, mention.surface, method, round(score, 6))
