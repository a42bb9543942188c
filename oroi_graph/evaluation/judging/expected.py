"""What a right answer says, by question: for the model's answers, of which the measures of recall know nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from oroi_graph.evaluation.datasets.dataset import Dataset
from oroi_graph.evaluation.scoring import Alternatives, correct
from oroi_graph.files import read_text

ADVERSARIAL = "5"  # the category of questions whose answer was never said
_UNANSWERABLE = (
    "The conversation does not tell: a correct answer says so, or that the question assumes something wrong."
)


@dataclass(frozen=True, slots=True)
class Expected:
    """A right answer. text: for a judge; required, forbidden: for matching, where there are such."""

    text: str
    required: tuple[tuple[str, ...], ...] = ()
    forbidden: tuple[tuple[str, ...], ...] = ()

    def met_by(self, answer: str) -> bool:
        """Whether the answer says all that is required and nothing that is forbidden."""
        return correct(answer, self.required, self.forbidden)


def of_probes(dataset: Dataset) -> dict[str, Expected]:
    """What the probes of scenarios expect, by question id."""
    return {
        question.id: Expected(_rendered(question.required, question.forbidden), question.required, question.forbidden)
        for case in dataset.cases
        for question in case.questions
    }


def of_conversations(path: Path) -> dict[str, Expected]:
    """What LoCoMo's questions expect, by the question ids of `locomo.read_conversations`, which has checked the file.

    Those without an answer are left out, but for category 5, which should not be answered.
    """
    data = json.loads(read_text(path))
    found: dict[str, Expected] = {}
    for number, sample in enumerate(data if isinstance(data, list) else [data], start=1):
        name = str(sample.get("sample_id", f"conversation-{number}"))
        for i, qa in enumerate(sample.get("qa", []), start=1):
            said = "" if qa.get("answer") is None else str(qa["answer"])
            answer = _UNANSWERABLE if str(qa.get("category")) == ADVERSARIAL else " ".join(said.split())
            if answer:
                found[f"{name}/{i}"] = Expected(answer)
    return found


def _rendered(required: Sequence[Alternatives], forbidden: Sequence[Alternatives]) -> str:
    """The alternatives as a sentence or two: "Irun" or "Irún"; and "May". It must not say that it is "Bilbao"."""
    text = f"{'; and '.join(_either(some) for some in required)}."
    if forbidden:
        text += f" Wrong if the answer is, or includes: {'; '.join(_either(some) for some in forbidden)}."
    return text


def _either(words: Iterable[str]) -> str:
    return " or ".join(f'"{word}"' for word in words)
