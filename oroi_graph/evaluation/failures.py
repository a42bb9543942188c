"""What went wrong and why, as Markdown: for each question that was not answered, its context and how it came about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from oroi_graph.evaluation.baselines.conditions import Answer
from oroi_graph.evaluation.baselines.memory import EvaluationMemory
from oroi_graph.evaluation.datasets.dataset import Dataset, Question
from oroi_graph.evaluation.matching import says
from oroi_graph.evaluation.scoring import Scored
from oroi_graph.language import verbalize
from oroi_graph.model import Reason
from oroi_graph.recall.pipeline import Recall

_SHOWN = 600  # characters of one text


class Failures:
    """Collects what one condition got wrong."""

    def __init__(self, dataset: Dataset, condition: str) -> None:
        self.condition = condition
        self._dataset = dataset
        self._asked = 0
        self._sections: list[str] = []

    def see(self, world: EvaluationMemory, answer: Answer, found: Scored) -> None:
        """Take note of an answer that is not wholly right by the data set's headline metric."""
        self._asked += 1
        if found.values[self._dataset.headline] < 1.0:
            self._sections.append(_section(self._dataset, world, answer, found))

    def text(self) -> str:
        """The report."""
        head = (
            f"# Failures: {self._dataset.name}, {self.condition}\n\n{len(self._sections)} of {self._asked} questions "
            f"are below 1 by {self._dataset.headline}.\n"
        )
        return "\n".join([head, *self._sections])


def _section(dataset: Dataset, world: EvaluationMemory, answer: Answer, found: Scored) -> str:
    question = found.question
    language = f" ({world.language})" if world.language else ""
    values = ", ".join(f"{name} {value:.2f}" for name, value in found.values.items())
    lines = [f"## {question.id}: {', '.join(question.groups)}{language}", "", f"**{_plain(question.text)}** ({values})"]
    lines += ["", *(_requirements(question, answer) if not dataset.depths else _evidence(question, world, answer))]
    lines += ["", f"Context, {found.tokens} tokens:", "", *_code(answer.context or "(silence)")]
    if answer.recall is not None:
        lines += ["", *_explained(answer.recall)]
    if not dataset.depths:
        lines += ["", "Facts of the memory:", "", *_facts(world)]
    return "\n".join([*lines, ""])


def _requirements(question: Question, answer: Answer) -> Iterable[str]:
    for some in question.required:
        yield f"- {'said' if says(answer.context, some) else '**missing**'}: {' / '.join(some)}"
    for some in question.forbidden:
        yield f"- {'**said, though forbidden**' if says(answer.context, some) else 'not said'}: {' / '.join(some)}"


def _evidence(question: Question, world: EvaluationMemory, answer: Answer) -> Iterable[str]:
    turn_ids = world.turn_ids
    ranked = list(dict.fromkeys(turn_ids[record] for record in answer.ranked))
    quoted = {turn_ids[record] for record in answer.recall.brief.record_ids} if answer.recall is not None else set()
    for turn in question.evidence:
        at = f"rank {ranked.index(turn) + 1}" if turn in ranked else f"**not among the {len(ranked)} that were ranked**"
        said = next((f"{hit.speaker}: {hit.text}" for hit in world.records if hit.turn_id == turn), "(not a record)")
        yield f"- {turn}, {at}{', in the context' if turn in quoted else ''}: {_plain(said)}"


def _explained(recall: Recall) -> Iterable[str]:
    cues = [f"{cue.span!r} → {cue.label} ({cue.kind}, {cue.method}, {cue.weight:.2f})" for cue in recall.cues]
    yield f"Cues: {_plain('; '.join(cues)) or 'none'}"
    if recall.reasons:
        yield ""
    for reason in recall.reasons:
        yield f"- {_plain(reason.item)}"
        yield f"  - {_plain(_why(reason))}"


def _why(reason: Reason) -> str:
    way = " ".join(
        f"{step.source} –{step.relation}→ {step.target};"
        if step.forwards
        else f"{step.source} ←{step.relation}– {step.target};"
        for step in reason.path
    )
    numbers = ", ".join(f"{name} {value:.3f}" for name, value in reason.numbers.items())
    return f"{f'cue {reason.cue!r}: ' if reason.cue else ''}{way} {numbers}".strip()


def _facts(world: EvaluationMemory) -> Iterable[str]:
    for fact in world.facts:
        yield f"- {_plain(verbalize.sentence(fact))}"
    if not world.facts:
        yield "- none"


def _code(text: str) -> Sequence[str]:
    fence = "```"
    while fence in text:
        fence += "`"
    return [fence, text, fence]


def _plain(text: str) -> str:
    """One line of bounded length."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]} …"
