"""The order of the candidate records: a weighted sum over their channels, in two looks (S5).

The first look leaves a short list, whose words are compared with the question's one by one in the second: words are
large. On 709 questions of five conversations, 100 of 196 candidates kept 0.94 of the evidence (all: 0.96), and its
recall among the first ten was no less: what falls out had been a distraction more often than the answer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from oroi_graph.model import RecordHit
from oroi_graph.recall.features import GRADED, Candidate, Values, channels, late, z
from oroi_graph.recall.graph_search import Evocation
from oroi_graph.recall.question import Question

# What a standard deviation of a graded channel, or the truth of a symbolic one, is worth: fitted by a listwise logistic
# loss on five conversations and rounded, "reached" on fifty multi-hop questions over passages. Weights fitted on four
# conversations, or four folds of questions, did as well on what was left out.
WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "interaction": 0.25,
        "interaction around": 0.7,
        "meaning after": 0.1,
        "words before": 0.1,
        "answers": 0.2,
        "session": 0.4,
        "activation": 0.1,
        "reached": 0.5,
        "who": 2.1,
        "who first": 0.7,
        "when": 2.3,
        "time": 1.4,
        "asks": -0.6,
        "assistant": -0.25,
    }
)
# The same for the first look, fitted alone: it sees no words.
FIRST: Mapping[str, float] = MappingProxyType(
    {
        "meaning": 0.3,
        "meaning after": 0.25,
        "words": 0.2,
        "words before": 0.2,
        "answers": 0.2,
        "session": 0.7,
        "activation": 0.15,
        "reached": 0.5,
        "who": 2.4,
        "who first": 0.9,
        "when": 2.9,
        "time": 2.0,
        "asks": -0.6,
    }
)
FOUND = 0.8  # … and for a record to be there by itself, not as a neighbour
SHORT = 100  # candidates that the second look is for …
SPEAKING = 40  # … and the best of them that may speak in a brief: 99 of 100 among the final ten are


@dataclass(frozen=True, slots=True)
class ShortList:
    """The best candidates of the first look in the order in which they were said, and their channels, (n,) each.

    speaking: ids of those that may speak in a brief, the best first.
    """

    said: Sequence[Candidate]
    channels: Mapping[str, Values]
    speaking: Sequence[str]


def shortlist(
    question: Question, evocation: Evocation, said: Sequence[Candidate], found: Collection[str], told: Collection[str]
) -> ShortList:
    """The SHORT best candidates, given in the order in which they were said.

    found: ids of those that are there by themselves; told: of those that state a chosen fact, which stay in any case.
    """
    if not said:
        return ShortList((), {}, ())
    seen = channels(question, evocation, said)
    score = _sum(seen, FIRST) + FOUND * np.array([c.id in found for c in said])
    score[[c.id in told for c in said]] = np.inf
    order = sorted(range(len(said)), key=lambda i: (-score[i], -said[i].turn, said[i].id))
    kept = sorted(order[: max(SHORT, len(told))])
    speaking = [said[i].id for i in order[: SPEAKING + len(told)]]
    return ShortList([said[i] for i in kept], {name: values[kept] for name, values in seen.items()}, speaking)


def rank(
    short: ShortList,
    words: Mapping[str, str | None],
    cosines: Mapping[str, float],
    asked: str | None,
    dimensions: int,
) -> list[RecordHit]:
    """The short list, best first; among equals the newest.

    words: of each record, packed for late interaction, None where the embedder knows none; a record that is not there
    has gone meanwhile and is left out. cosines: of records whose own was not known at the first look. asked: the
    question's words, packed; dimensions: of the embedder.
    """
    kept = [i for i, candidate in enumerate(short.said) if candidate.id in words]
    if not kept:
        return []
    said = [short.said[i] for i in kept]
    found = {name: values[kept] for name, values in short.channels.items()}
    found["meaning"] = np.array([cosines.get(c.id, m) for c, m in zip(said, found["meaning"], strict=True)])
    found |= late(asked, [words[c.id] for c in said], found["meaning"], said, dimensions)
    score = _sum(found, WEIGHTS)
    order = sorted(range(len(said)), key=lambda i: (-round(float(score[i]), 6), -said[i].turn, said[i].id))
    numbers = np.round(np.stack(list(found.values()), axis=1), 6).tolist()
    return [_hit(said[i], float(score[i]), dict(zip(found, numbers[i], strict=True))) for i in order]


def _sum(found: Mapping[str, Values], weights: Mapping[str, float]) -> Values:
    parts = [weight * (z(found[name]) if name in GRADED else found[name]) for name, weight in weights.items()]
    total: Values = np.sum(parts, axis=0)
    return total


def _hit(record: Candidate, score: float, numbers: Mapping[str, float]) -> RecordHit:
    return RecordHit(
        id=record.id,
        turn_id=record.turn_id,
        turn=record.turn,
        role=record.role,
        speaker=record.speaker,
        session=record.session,
        at=record.at,
        text=record.text,
        score=round(score, 6),
        channels=numbers,
        gist=record.gist,
    )
