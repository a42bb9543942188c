"""The score of one answer to one question, by metric, 0..1.

Scenarios, each 1 or 0: `recall_at_context` if the context states everything required and nothing forbidden, `evidence`
if everything required, `stale` if anything forbidden that is not marked as outdated, `marked` if everything required
and something forbidden, which is marked, `empty` if it has no text. What a question has no phrases for is left out.
Data sets with evidence: the share of the evidence that was ranked among the first k (`recall@k`), whether that is all
of it (`all@k`), and the share that the context quotes (`quoted`). Phrases are matched case-insensitively on word
boundaries: "can" is not in "Canada".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from oroi_graph.evaluation.baselines.conditions import Answer
from oroi_graph.evaluation.datasets.dataset import Dataset, Question
from oroi_graph.language import verbalize
from oroi_graph.language.tokens import count_tokens

Alternatives = Sequence[str]


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
        values = _by_phrases(question, answer.context)
    else:
        ranked = tuple(dict.fromkeys(turn_ids[record] for record in answer.ranked))
        shares = {k: _share(question.evidence, ranked[:k]) for k in {*dataset.depths, *dataset.all_depths}}
        values = {f"recall@{k}": shares[k] for k in dataset.depths}
        values |= {f"all@{k}": float(shares[k] == 1.0) for k in dataset.all_depths}
        values["quoted"] = _share(question.evidence, {turn_ids[record] for record in answer.quoted})
    return Scored(question, values, count_tokens(answer.context), milliseconds)


def _share(evidence: Sequence[str], found: Collection[str]) -> float:
    return sum(turn in found for turn in evidence) / len(evidence)


def _by_phrases(question: Question, context: str) -> dict[str, float]:
    required, forbidden = question.required, question.forbidden
    values = {"recall_at_context": correct(context, required, forbidden), "empty": not context}
    complete = correct(context, required)
    if required:
        values["evidence"] = complete
    if forbidden:
        plain = "\n".join(line for line in context.splitlines() if not verbalize.is_outdated(line))
        shown, unmarked = (any(says(text, some) for some in forbidden) for text in (context, plain))
        values |= {"stale": unmarked, "marked": bool(required) and complete and shown and not unmarked}
    return {name: float(value) for name, value in values.items()}


def says(context: str, alternatives: Alternatives) -> bool:
    """Whether the context contains one of the alternatives as whole words."""
    return any(re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", context, re.IGNORECASE) for phrase in alternatives)


def correct(context: str, required: Sequence[Alternatives], forbidden: Sequence[Alternatives] = ()) -> bool:
    """Whether the context meets every requirement and contains nothing forbidden."""
    return all(says(context, some) for some in required) and not any(says(context, some) for some in forbidden)
