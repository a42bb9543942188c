"""An evaluation from the first case to the results: build, ask every condition, prove that nothing changed, go on."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from oroi_graph.evaluation.baselines.conditions import CONDITIONS, Baseline
from oroi_graph.evaluation.baselines.memory import EvaluationMemory, world_of
from oroi_graph.evaluation.datasets.dataset import UNDATED, Case, Dataset
from oroi_graph.evaluation.errors import EvaluationError
from oroi_graph.evaluation.judging.answered import with_answers
from oroi_graph.evaluation.judging.answering import Answerer, Asked
from oroi_graph.evaluation.judging.recording import EndOfCalls
from oroi_graph.evaluation.report import Failures
from oroi_graph.evaluation.results import OURS, Results, summarise
from oroi_graph.evaluation.scoring import Scored, scored
from oroi_graph.language.normalize import without_names
from oroi_graph.memory import Graph
from oroi_graph.options import Progress, silent
from oroi_graph.providers.protocols import for_questions


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRun:
    """How an evaluation is run.

    seed: of the resampled intervals. keep: leave the memories, and use those that an earlier evaluation left. failures:
    collects what its condition got wrong. answerer: has a model answer from each condition's context, too.
    """

    seed: int = 0
    keep: bool = False
    failures: Failures | None = None
    answerer: Answerer | None = None
    progress: Progress = silent


def evaluate(graph: Graph, dataset: Dataset, conditions: Sequence[str], run: EvaluationRun | None = None) -> Results:
    """Ask every question of every condition; the same data set, seed and offline providers give the same results.

    Raises EvaluationError, and what building a memory raises; the memory under way is deleted all the same.
    """
    run = run or EvaluationRun()
    answerer = run.answerer
    if not conditions:
        raise EvaluationError("no condition to evaluate: name at least one")
    answers: dict[str, list[Scored]] = {name: [] for name in conditions}
    counts: Counter[str] = Counter()
    steps = _Steps(dataset, len(conditions) * (1 if answerer is None else 2), run.progress)
    try:
        for case in dataset.cases:
            with world_of(case, dataset.name, graph, keep=run.keep, progress=steps.perceived) as world:
                counts.update(
                    turns_without_extraction=world.built.failed,
                    turns_not_stored=world.built.unstored,
                    memory_concepts=len(world.concepts),
                    memory_facts=len(world.facts),
                )
                steps.built(len(case.turns))
                asked = _ask(case, world, dataset, answers, run.failures, steps.answered)
            if answerer is not None:  # when nothing else is timed, and nothing of it needs the memory
                answerer.take(asked, steps.answered)
    except EndOfCalls as end:
        raise end.failure from None
    results = summarise(dataset, answers, graph.embedder.model, run.seed, counts)
    return results if answerer is None else with_answers(results, answerer.replies)


def _ask(
    case: Case,
    world: EvaluationMemory,
    dataset: Dataset,
    answers: dict[str, list[Scored]],
    failures: Failures | None,
    answered: Callable[[], None],
) -> list[Asked]:
    """Ask all conditions, add what their answers are worth to `answers`, and give the contexts back."""
    # Embedded beforehand, so that no condition pays for what the next one finds in the cache.
    for_questions(world.memory.graph.embedder).embed(
        [without_names(q.text, world.protagonists) for q in case.questions]
    )
    shared = Baseline(world)
    turn_ids = world.turn_ids
    asker = world.protagonists[0] if len(world.protagonists) == 1 else None
    at = world.at if world.at != UNDATED else None
    asked: list[Asked] = []
    for name in answers:
        ask = CONDITIONS[name](shared)
        for question in case.questions:
            began = time.perf_counter()
            answer = ask(question.text, question.budget)
            milliseconds = 1000 * (time.perf_counter() - began)
            found = scored(dataset, question, answer, turn_ids, milliseconds)
            answers[name].append(found)
            asked.append(Asked(name, question, answer.context, asker, at))
            if failures is not None and failures.condition == name:
                failures.see(world, answer, found)
            answered()
    return asked


def reported(conditions: Sequence[str]) -> str:
    """The condition whose failures are told: the product, where it is among them."""
    return OURS if OURS in conditions else conditions[0]


class _Steps:
    """Counts turns perceived and answers given."""

    def __init__(self, dataset: Dataset, conditions: int, progress: Progress) -> None:
        self._total = sum(len(case.turns) + conditions * len(case.questions) for case in dataset.cases)
        self._done = 0
        self._progress = progress

    def perceived(self, done: int, total: int, label: str) -> None:
        self._progress(self._done + done, self._total, label)

    def built(self, turns: int) -> None:
        self._done += turns
        self._progress(self._done, self._total, "evaluating")

    def answered(self) -> None:
        self._done += 1
        self._progress(self._done, self._total, "evaluating")
