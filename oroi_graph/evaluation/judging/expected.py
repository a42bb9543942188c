"""What a right answer says, by question: for the model's answers, of which the measures of recall know nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from oroi_graph.evaluation.datasets.dataset import Dataset
from oroi_graph.evaluation.scoring import Alternatives, correct


@dataclass(frozen=True, slots=True)
class Expected:
    """A right answer. text: for a judge; required, forbidden: for matching, where there are such."""

    text: str
    required: tuple[tuple[str, ...], ...] = ()
    forbidden: tuple[tuple[str, ...], ...] = ()

    def met_by(self, answer: str) -> bool:
        """Whether the answer says all that is required and nothing that is forbidden."""
        return correct(answer, self.required, self.forbidden)


def of_questions(dataset: Dataset) -> dict[str, Expected]:
    """What the questions of a data set expect, by their ids; those that expect nothing are left out."""
    found: dict[str, Expected] = {}
    for question in (question for case in dataset.cases for question in case.questions):
        required, forbidden = question.required, question.forbidden
        if question.answer or required or forbidden:
            text = question.answer or _rendered(required, forbidden)
            found[question.id] = Expected(text, required, forbidden)
    return found


def _rendered(required: Sequence[Alternatives], forbidden: Sequence[Alternatives]) -> str:
    """The alternatives as a sentence or two: "Irun" or "Irún"; and "May". It must not say that it is "Bilbao"."""
    text = f"{'; and '.join(_either(some) for some in required)}."
    if forbidden:
        text += f" Wrong if the answer is, or includes: {'; '.join(_either(some) for some in forbidden)}."
    return text


def _either(words: Iterable[str]) -> str:
    return " or ".join(f'"{word}"' for word in words)
