"""What one answer to one question is worth: right or wrong (scenarios), or how much of the evidence was ranked high."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from oroi_graph.evaluation.baselines.conditions import Answer
from oroi_graph.evaluation.datasets.dataset import Dataset, Question
from oroi_graph.evaluation.matching import correct
from oroi_graph.language.tokens import count_tokens


@dataclass(frozen=True, slots=True)
class Scored:
    """One answer's worth by metric (0..1), the tokens of its context, and the milliseconds it took."""

    question: Question
    values: Mapping[str, float]
    tokens: int
    milliseconds: float


def scored(
    dataset: Dataset, question: Question, answer: Answer, turn_ids: Mapping[str, str], milliseconds: float
) -> Scored:
    """Score an answer. turn_ids: the turn of each record, which is how evidence is named."""
    if not dataset.depths:
        values = {"recall_at_context": float(correct(answer.context, question.required, question.forbidden))}
    else:
        ranked = tuple(dict.fromkeys(turn_ids[record] for record in answer.ranked))
        shares = {
            k: sum(turn in ranked[:k] for turn in question.evidence) / len(question.evidence)
            for k in {*dataset.depths, *dataset.all_depths}
        }
        values = {f"recall@{k}": shares[k] for k in dataset.depths}
        values |= {f"all@{k}": float(shares[k] == 1.0) for k in dataset.all_depths}
    return Scored(question, values, count_tokens(answer.context), milliseconds)
