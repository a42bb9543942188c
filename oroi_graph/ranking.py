"""The order of the candidate records: one weighted sum over their channels (S5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from oroi_graph.channels import GRADED, Candidate, channels, z
from oroi_graph.cues import Question
from oroi_graph.evocation import Evocation
from oroi_graph.model import RecordHit

# What a standard deviation of a graded channel, or the truth of a symbolic one, is worth: fitted by a listwise logistic
# loss on five conversations and rounded, "reached" on fifty multi-hop questions over passages. Weights fitted on four
# conversations, or four folds of questions, did as well on what was left out.
WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "interaction": 0.25,
        "interaction around": 0.7,
        "interaction session": 0.4,
        "meaning after": 0.1,
        "words": 0.1,
        "words before": 0.1,
        "answers": 0.2,
        "session": 0.4,
        "activation": 0.1,
        "reached": 0.5,
        "who": 2.1,
        "who first": 0.7,
        "when": 2.3,
        "time": 1.4,
        "number": 0.25,
        "name": 0.6,
        "first person": 0.4,
        "asks": -0.6,
        "assistant": -0.25,
    }
)


def rank(
    question: Question, evocation: Evocation, said: Sequence[Candidate], asked: str | None, dimensions: int
) -> list[RecordHit]:
    """The candidates, given in the order in which they were said, best first; among equals the newest.

    asked: the question's words, packed for late interaction; dimensions: of the embedder.
    """
    if not said:
        return []
    found = channels(question, evocation, said, asked, dimensions)
    score = np.sum(
        [weight * (z(found[name]) if name in GRADED else found[name]) for name, weight in WEIGHTS.items()], 0
    )
    order = sorted(range(len(said)), key=lambda i: (-round(float(score[i]), 6), -said[i].turn, said[i].id))
    numbers = np.round(np.stack(list(found.values()), axis=1), 6).tolist()
    return [_hit(said[i], float(score[i]), dict(zip(found, numbers[i], strict=True))) for i in order]


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
