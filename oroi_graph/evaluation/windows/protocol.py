"""The protocol: build one memory of all dialogues, ask every question with and without windows, score what is found.

Each question is asked of recall twice. A condition then joins what k dialogue vectors find with what the windows hold,
and a filter keeps the dialogues that recall finds likely: by the probabilities of their records, until these sum to
`Selection.time_mass` of what all joined dialogues have. The condition `recall` is the product as it is, without vectors
of dialogues: what it found is what it ranked and what its windows held, and what it kept is what its brief quotes.
"""

from __future__ import annotations

import time as clock
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time

import numpy as np
from numpy.typing import NDArray

from oroi_graph.evaluation.baselines.memory import EvaluationMemory, world_of
from oroi_graph.evaluation.datasets.dataset import Case
from oroi_graph.evaluation.windows.dialogues import SPEAKER, TODAY, Dialogue, WindowData, WindowQuestion
from oroi_graph.evaluation.windows.metrics import bert_precision, rouge_l_recall
from oroi_graph.evaluation.windows.themes import THEMES, theme
from oroi_graph.language.normalize import without_names
from oroi_graph.memory import Graph
from oroi_graph.model import RecordHit
from oroi_graph.options import Progress, silent
from oroi_graph.providers.protocols import for_questions
from oroi_graph.recall.request import Recall

DEPTHS = (3, 6, 9)
AT = datetime.combine(TODAY, time(12), UTC)


@dataclass(frozen=True, slots=True)
class Condition:
    """One way to find dialogues. k: dialogues by vector, of the theme's text; 0: recall alone."""

    windows: bool
    theme: str = "none"
    k: int = 0

    @property
    def name(self) -> str:
        """ "windows-rake-9", "no-windows-none-3", "recall", "recall-no-windows"."""
        if not self.k:
            return "recall" if self.windows else "recall-no-windows"
        return f"{'windows' if self.windows else 'no-windows'}-{self.theme}-{self.k}"


CONDITIONS = (
    Condition(True), Condition(False),
    *(Condition(windows, how, k) for windows in (True, False) for how in THEMES for k in DEPTHS),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """One question under one condition. values: by metric, those that are defined. kept: dialogues after the filter."""

    question: WindowQuestion
    values: Mapping[str, float]
    kept: tuple[str, ...]
    milliseconds: float


def ask_all(
    graph: Graph, data: WindowData, *, keep: bool = False, progress: Progress = silent
) -> dict[str, list[ScoredQuestion]]:
    """The scored questions by condition. keep: use the memory if an earlier run left it, and leave it.

    Raises EvaluationError, and what building the memory raises; the memory is deleted all the same.
    """
    vectors = {how: graph.embedder.embed([theme(one.text, how) for one in data.dialogues]) for how in THEMES}
    options = replace(graph.options, search=replace(graph.options.search, windows=0))
    without = Graph(graph.store, graph.embedder, graph.extractor, options)
    found: dict[str, list[ScoredQuestion]] = {condition.name: [] for condition in CONDITIONS}
    case = Case(data.name, tuple(data.turns()), ())
    with world_of(case, data.name, graph, keep=keep, progress=progress) as world:
        for i, question in enumerate(data.questions):
            asked = {on: _Asked.of(world, question, graph if on else without) for on in (True, False)}
            for condition in CONDITIONS:
                scorer = _Scorer(data.dialogues, vectors[condition.theme], graph, asked[condition.windows])
                found[condition.name].append(scorer.score(condition, question))
            progress(i + 1, len(data.questions), "asking")
    return found


@dataclass(frozen=True, slots=True)
class _Asked:
    """What recall said to one question, and how long it took."""

    recall: Recall
    milliseconds: float

    @classmethod
    def of(cls, world: EvaluationMemory, question: WindowQuestion, graph: Graph) -> _Asked:
        memory = graph.memory(world.memory.name, create=False)
        speaker = SPEAKER if SPEAKER in world.protagonists else None
        for_questions(graph.embedder).embed([question.text])
        began = clock.perf_counter()
        recall = memory.recall(question.text, speaker=speaker, at=AT)
        return cls(recall, 1000 * (clock.perf_counter() - began))

    @property
    def inside(self) -> set[str]:
        """The dialogues in the windows."""
        return {name for contents in self.recall.windows for name in contents.found}

    @property
    def text(self) -> str:
        """What is asked, without its time if that was read."""
        return self.recall.windows[0].reading.theme if self.recall.windows else self.recall.question


@dataclass(frozen=True, slots=True)
class _Scorer:
    """Scores one question. vectors: (dialogues, d) of their themes."""

    dialogues: Sequence[Dialogue]
    vectors: NDArray[np.float32]
    graph: Graph
    asked: _Asked

    def score(self, condition: Condition, question: WindowQuestion) -> ScoredQuestion:
        by_meaning = self._nearest(condition.k) if condition.k else self._sessions(self.asked.recall.ranked)
        found = by_meaning | self.asked.inside
        kept = self._kept(found) if condition.k else self._briefed()
        answer = self._answer(kept)
        target = question.target
        values = {
            "f": float(target in by_meaning),
            "found": float(target in found),
            "candidates": float(len(found)),
            "filtered": float(target in kept),
            "kept": float(len(kept)),
        }
        if question.right_time and condition.windows:
            values["g"] = float(target in self.asked.inside)
        if question.answer:
            values["rouge_l_recall"] = rouge_l_recall(answer, question.answer)
            precision = bert_precision(answer, question.answer, self.graph.embedder)
            if precision is not None:
                values["bertscore_precision"] = precision
        return ScoredQuestion(question, values, tuple(sorted(kept)), self.asked.milliseconds)

    def _nearest(self, k: int) -> set[str]:
        """The k dialogues whose vectors are nearest to the question's."""
        text = without_names(self.asked.text, {SPEAKER})
        cosines = self.vectors @ for_questions(self.graph.embedder).embed([text])[0]
        return {self.dialogues[i].name for i in np.argsort(-cosines, kind="stable")[:k]}

    def _sessions(self, hits: Sequence[RecordHit]) -> set[str]:
        return {hit.session for hit in hits if hit.session is not None}

    def _briefed(self) -> tuple[str, ...]:
        """The dialogues that the brief quotes."""
        held = set(self.asked.recall.brief.record_ids)
        return tuple(sorted(self._sessions([hit for hit in self.asked.recall.ranked if hit.id in held])))

    def _kept(self, among: Collection[str]) -> tuple[str, ...]:
        """The likeliest of some dialogues, until they hold enough of the probability of all of them."""
        likely: dict[str, float] = {}
        for hit in self.asked.recall.ranked:
            if hit.session is not None and hit.session in among:
                likely[hit.session] = likely.get(hit.session, 0.0) + hit.features.get("probability", 0.0)
        total, held, kept = sum(likely.values()), 0.0, []
        for name in sorted(likely, key=lambda name: (-likely[name], name)):
            if held >= self.graph.options.selection.time_mass * total:
                break
            kept.append(name)
            held += likely[name]
        return tuple(kept)

    def _answer(self, kept: Collection[str]) -> str:
        """The likeliest turn of the kept dialogues: what an extractive reader would answer."""
        hits = [hit for hit in self.asked.recall.ranked if hit.session in kept]
        best = max(hits, key=lambda hit: (hit.features.get("probability", 0.0), hit.id), default=None)
        return best.text if best is not None else ""
