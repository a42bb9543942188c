"""Reports of an evaluation for people: result tables, and a Markdown report of the questions that were not answered.

Tables are titles, columns and rows of text; the caller aligns them. The failure report has, for each question, the
context that was given, what it lacked, and why each line was in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from oroi_graph.evaluation.baselines.conditions import Answer
from oroi_graph.evaluation.baselines.memory import EvaluationMemory
from oroi_graph.evaluation.datasets.dataset import Dataset, Question
from oroi_graph.evaluation.results import Results
from oroi_graph.evaluation.scoring import Scored, says
from oroi_graph.language import verbalize
from oroi_graph.model import Reason
from oroi_graph.recall.request import Recall

_ALL = "all"
_SHOWN = 600  # characters of one text


@dataclass(frozen=True, slots=True)
class Table:
    """One table."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables(results: Results) -> list[Table]:
    """What there is to see, within 120 columns: metrics, groups, comparisons."""
    found = [_groups(results), _costs(results)]
    if len(results.dataset.metrics) > 1:
        found.insert(0, _metrics(results))
    if results.comparisons:
        found.append(_comparisons(results))
    return found


def _metrics(results: Results) -> Table:
    over = results.dataset.overall
    conditions = results.conditions
    rows = [
        (metric, *(_share(found.overall.metrics[metric]) for found in conditions.values()))
        for metric in results.dataset.metrics
        if all(metric in found.overall.metrics for found in conditions.values())
    ]
    return Table(f"{results.dataset.name}{f', groups {over}' if over else ''}", ("metric", *conditions), tuple(rows))


def _groups(results: Results) -> Table:
    metric, conditions = results.dataset.headline, results.conditions
    names = list(next(iter(conditions.values())).groups)
    rows = []
    for name in names:
        parts = [found.groups[name] for found in conditions.values()]
        rows.append((name, str(parts[0].n), *(_share(part.metrics[metric]) for part in parts)))
    if results.dataset.overall is None:
        whole = [found.overall for found in conditions.values()]
        rows.append((_ALL, str(whole[0].n), *(_share(part.metrics[metric]) for part in whole)))
        intervals = (part.intervals[metric] for part in whole)
        rows.append(("  95 %", "", *(f"{100 * low:.0f}-{100 * high:.0f}" for low, high in intervals)))
    return Table(metric, ("group", "n", *conditions), tuple(rows))


def _costs(results: Results) -> Table:
    conditions = results.conditions
    rows = [("tokens of a context", *(f"{found.tokens:.0f}" for found in conditions.values()))]
    rows += [
        (f"ms of an answer, {name}", *(f"{results.timings[condition][name]:.1f}" for condition in conditions))
        for name in ("p50", "p95")
    ]
    return Table("costs", ("mean", *conditions), tuple(rows))


def _comparisons(results: Results) -> Table:
    rows = []
    for c in results.comparisons:
        found, (low, high) = c.overall, c.overall.interval
        sure = (f"{found.p:.2g}", f"{100 * found.difference:+.1f}", f"{100 * low:+.1f} … {100 * high:+.1f}")
        rows.append((f"{c.a} : {c.b}", str(found.wins), str(found.losses), *sure))
    columns = ("compared", "wins", "losses", "p", "difference", "95 %")
    return Table(f"{results.dataset.headline}, question by question (difference in points)", columns, tuple(rows))


def _share(value: float) -> str:
    return f"{100 * value:.1f}"


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
    quoted = {turn_ids[record] for record in answer.quoted}
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
