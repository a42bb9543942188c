"""Is a file of scenarios valid? What a plain search gets right on it, and what no search at all gets right.

A scenario tests a memory only where a search falls short: where similarity finds the answer together with what is no
longer or not true. It is fair only where a search does well on the plain questions. Both conditions are those of `oroi
evaluate`; they read nothing but records, so no database is needed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from oroi_graph.connection import open_embedder
from oroi_graph.evaluation.baselines.conditions import CONDITIONS, Baseline
from oroi_graph.evaluation.baselines.memory import EvaluationMemory
from oroi_graph.evaluation.datasets.dataset import Case
from oroi_graph.evaluation.datasets.scenarios import read_scenarios
from oroi_graph.evaluation.scoring import correct, says
from oroi_graph.language.normalize import without_names
from oroi_graph.model import RecordHit
from oroi_graph.options import Options
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.providers.protocols import Embedder
from oroi_graph.settings import Settings

HYBRID_AT_MOST = {"updating": 0.10, "convergence": 0.10, "distractors": 0.10}
HYBRID_AT_LEAST = {"recurrence": 0.90, "multi-session": 0.90, "multi-hop": 0.90}
NONE_AT_MOST = 0.05  # overall
FORBID_WHAT_WAS_SAID = ("updating", "distractors")


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured: by condition and phenomenon, whether each probe was right; what is wrong with a probe."""

    right: Mapping[str, Mapping[str, list[bool]]]
    wrong: tuple[str, ...]
    missed: tuple[str, ...]  # probes that "hybrid" should get right and did not, or the other way round

    def share(self, condition: str, phenomenon: str | None = None) -> float:
        """The share of right probes of a phenomenon, or of all."""
        groups = self.right[condition]
        chosen = groups[phenomenon] if phenomenon else [one for some in groups.values() for one in some]
        return sum(chosen) / len(chosen)


def report(path: Path) -> int:
    """Print a file's figures and what they should be; 1 if it is not valid."""
    found = measure(path)
    failed = list(found.wrong)
    for phenomenon, probes in found.right["hybrid"].items():
        hybrid, none = found.share("hybrid", phenomenon), found.share("none", phenomenon)
        most, least = HYBRID_AT_MOST.get(phenomenon), HYBRID_AT_LEAST.get(phenomenon)
        goal = f"≤ {most:.2f}" if most is not None else f"≥ {least:.2f}" if least is not None else ""
        print(f"{phenomenon:14} n {len(probes):3}   none {none:.2f}   hybrid {hybrid:.2f}  {goal}")
        if (most is not None and hybrid > most) or (least is not None and hybrid < least):
            failed.append(f"hybrid on {phenomenon}: {hybrid:.2f}, not {goal}")
    none, hybrid = found.share("none"), found.share("hybrid")
    print(f"{'all':14} n {sum(map(len, found.right['none'].values())):3}   none {none:.2f}   hybrid {hybrid:.2f}")
    if none > NONE_AT_MOST:
        failed.append(f"the last turns alone: {none:.2f}, not ≤ {NONE_AT_MOST:.2f}")
    for line in found.missed:
        print(f"  {line}")
    for line in failed:
        print(f"not valid: {line}")
    return 1 if failed else 0


def measure(path: Path) -> Figures:
    """Ask every probe of a file of the last turns alone and of the hybrid search."""
    embedder = CachedEmbedder(open_embedder(Settings.from_env()))
    right: dict[str, dict[str, list[bool]]] = {name: defaultdict(list) for name in ("none", "hybrid")}
    wrong: list[str] = []
    missed: list[str] = []
    for case in read_scenarios(path).cases:
        shared = Baseline(_world(case, embedder))
        said = "\n".join(record.text for record in shared.world.records)
        for question in case.questions:
            phenomenon = question.groups[0]
            if phenomenon in FORBID_WHAT_WAS_SAID and not (
                question.forbidden and all(says(said, some) for some in question.forbidden)
            ):
                wrong.append(f"{question.id} forbids what was never said, or nothing")
            for name, by_phenomenon in right.items():
                context = CONDITIONS[name](shared)(question.text, question.budget).context
                answered = correct(context, question.required, question.forbidden)
                by_phenomenon[phenomenon].append(answered)
                if name == "hybrid" and answered == (phenomenon in HYBRID_AT_MOST) and phenomenon != "past":
                    missed.append(f"{question.id}: hybrid is {'right' if answered else 'wrong'} on {question.text!r}")
    return Figures(right, tuple(wrong), tuple(missed))


def _world(case: Case, embedder: Embedder) -> EvaluationMemory:
    """What the conditions read of a memory, without the memory: the turns as records, embedded as the product does."""
    turns = [scripted.turn for scripted in case.turns]
    speakers = tuple(dict.fromkeys(str(turn.speaker) for turn in turns if turn.role == "user"))
    records = tuple(
        RecordHit(
            id=str(i),
            turn_id=str(i),
            turn=i,
            role=turn.role,
            speaker=str(turn.speaker),
            session=turn.session,
            at=turn.at.isoformat() if turn.at else None,
            text=turn.text,
            score=0.0,
        )
        for i, turn in enumerate(turns)
    )
    names = {str(turn.speaker) for turn in turns}
    memory = SimpleNamespace(graph=SimpleNamespace(embedder=embedder, options=Options()))
    return EvaluationMemory(
        memory=cast(Any, memory),
        at=case.asked_at,
        language=case.language,
        protagonists=speakers,
        records=records,
        vectors=embedder.embed([without_names(turn.text, names) for turn in turns]),
        mentions=tuple(() for _ in turns),
        concepts=(),
        concept_vectors=np.zeros((0, embedder.dimensions), dtype=np.float32),
        links=(),
        facts=(),
        built=cast(Any, None),
    )
