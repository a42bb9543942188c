"""The first step of a consolidation run: merge near-duplicates among new concepts, or note that they differ.

Automatic pairs are merged at once; doubtful pairs are shown to the judge. Its verdict "apart" is stored for good, and
"unsure" pairs are shown again in the next run. Without a judge, doubtful pairs stay apart and are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from oroi_graph.consolidation.candidate_pairs import CandidatePair, near_duplicates
from oroi_graph.consolidation.merge import MergeRequest, merge
from oroi_graph.consolidation.run_context import RunContext
from oroi_graph.errors import ProviderError
from oroi_graph.language import verbalize
from oroi_graph.model import Fact
from oroi_graph.providers.protocols import ConceptProfile, Judge, Verdict
from oroi_graph.storage.store import Row, Transaction

BATCH = 10  # merges of one transaction: a user's turn waits for one at most
ASKED = 20  # pairs that a judge sees at once
FACTS = 6  # of each concept, for the judge
AUTOMATIC, DOUBTFUL = "automatic", "doubtful"


def find(sleep: RunContext) -> Sequence[CandidatePair]:
    """The pairs of near-duplicates among what is new since the last sleep, and those still in doubt."""
    return near_duplicates(sleep.store, sleep.memory, sleep.since, look=sleep.look).pairs


def unite(sleep: RunContext, judge: Judge | None, told: Callable[[Sequence[CandidatePair]], None]) -> None:
    """Merge automatic pairs, show the others to the judge. Raises ProviderError if it fails; earlier merges stay.

    told: of all pairs, before anything is done.
    """
    sleep.progress(0, 0, "merge")
    found = find(sleep)
    told(found)
    automatic = [near for near in found if near.grade == AUTOMATIC]
    doubtful = [near for near in found if near.grade != AUTOMATIC]
    _merge(sleep, [MergeRequest(near.a, near.b, AUTOMATIC, near.why, near.score) for near in automatic])
    if judge is None:
        _compared(sleep, doubtful, DOUBTFUL, "nobody")
        sleep.count(doubtful=len(doubtful))
        return
    for start in range(0, len(doubtful), ASKED):
        asked = doubtful[start : start + ASKED]
        sleep.look()
        try:
            verdicts = _ask(sleep, judge, asked)
        except ProviderError:
            # Stored as doubtful, because in the next run these concepts are no longer new.
            _compared(sleep, doubtful[start:], DOUBTFUL, judge.name)
            sleep.count(doubtful=len(doubtful) - start)
            raise
        _obey(sleep, judge, list(zip(asked, verdicts, strict=True)))


def _ask(sleep: RunContext, judge: Judge, pairs: Sequence[CandidatePair]) -> list[Verdict]:
    ids = sorted({id for near in pairs for id in (near.a, near.b)})
    rows = sleep.store.rows("consolidation/sketches", memory=sleep.memory, ids=ids, most=FACTS)
    sketches = {row["id"]: _sketch(row) for row in rows}
    nothing = ConceptProfile("", "concept")  # gone since: whatever is said of it, nothing will be merged
    return judge.judge([(sketches.get(near.a, nothing), sketches.get(near.b, nothing)) for near in pairs])


def _obey(sleep: RunContext, judge: Judge, judged: Sequence[tuple[CandidatePair, Verdict]]) -> None:
    same = [near for near, verdict in judged if verdict == "same"]
    unsure = [near for near, verdict in judged if verdict == "unsure"]
    _compared(sleep, [near for near, verdict in judged if verdict == "apart"], "apart", judge.name)
    _compared(sleep, unsure, DOUBTFUL, judge.name)
    sleep.count(doubtful=len(unsure), apart=len(judged) - len(same) - len(unsure))
    _merge(sleep, [MergeRequest(near.a, near.b, judge.name, near.why, near.score) for near in same])


def _merge(sleep: RunContext, unions: Sequence[MergeRequest]) -> None:
    """Merge in batches; a batch hands back what must wait for the next one."""
    left = list(unions)
    total = len(left)
    while left:
        batch, rest = left[:BATCH], left[BATCH:]

        def work(tx: Transaction, batch: list[MergeRequest] = batch) -> tuple[list[str], list[MergeRequest]]:
            heard = tx.one("consolidation/lock_memory", memory=sleep.memory, by="sleep")["heard"]
            return merge(tx, sleep.memory, batch, heard, sleep.options.dynamics)

        made, waiting = sleep.write(work)
        sleep.count(merged=len(made))
        left = [*waiting, *rest]
        sleep.progress(total - len(left), total, "merge")


def _compared(sleep: RunContext, pairs: Sequence[CandidatePair], verdict: str, by: str) -> None:
    rows = [
        {"a": p.a, "b": p.b, "verdict": verdict, "by": by, "score": p.score, "method": p.why, "turn": sleep.turn}
        for p in pairs
    ]
    page = sleep.options.sleep.page
    for start in range(0, len(rows), page):
        sleep.write_rows("consolidation/write_compared", memory=sleep.memory, rows=rows[start : start + page])


def _sketch(row: Row) -> ConceptProfile:
    facts = tuple(verbalize.sentence(_fact(fact)) for fact in row["facts"])
    return ConceptProfile(row["label"], row["kind"], tuple(row["aliases"]), facts)


def _fact(row: Row) -> Fact:
    return Fact(
        id="", weight=1.0, current=True, contested=False, stated_at=None, first_turn=0, last_turn=0, records=(), **row
    )
