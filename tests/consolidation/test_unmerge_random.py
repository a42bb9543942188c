"""Random conversations: what a merge joined and an undo took apart is what it would have been without any merge.

Each conversation is had twice; in one of them two concepts are merged in the middle, and the merge is undone at the
end. No turn after the merge speaks of both: a record mentions a concept once, so it is not recoverable which surface
meant which concept.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

import pytest
from graph_view import own_memory, stating
from merging import join, part, record_ids, renamed, shape, state

from oroi_graph import ExtractedRelation, Graph, Memory, ScriptedEmbedder
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.storage.store import Store

ENDS = ("boat", "barca", "radio", "harbour", "captain", "I")
RELATIONS = ("is", "lives in", "likes", "has")
ALONE = ("garage", "boat", "barca", "radio")

Said = tuple[list[ExtractedRelation], list[str]]


def said(chance: random.Random, *, apart: bool) -> Said:
    """What one turn states, and what it mentions besides."""
    while True:
        relations = []
        for _ in range(chance.randint(0, 2)):
            source, target = chance.sample(ENDS, 2)
            negated = chance.random() < 0.15
            relations.append(ExtractedRelation(source, chance.choice(RELATIONS), target, negated=negated))
        alone = chance.sample(ALONE, chance.randint(0, 2))
        words = {*alone, *(end for relation in relations for end in (relation.source, relation.target))}
        if not (apart and {"boat", "barca"} <= words):
            return relations, alone


def talk(memory: Memory, turns: Sequence[Said], start: int) -> None:
    for number, (relations, alone) in enumerate(turns, start):
        text = f"{number} {[(r.source, r.relation, r.target) for r in relations]} {alone}"
        extraction = stating(*relations, concepts=alone)
        memory.perceive(text, speaker="Ana", id=f"t{number}", extraction=extraction).close()


# Seeds that an undo once left different: see docs/decisions/0502-undo-of-merges.md.
MENDED = (11, 24, 26, 65, 85)


@pytest.mark.parametrize("seed", [*range(10), *MENDED])
def test_as_if_there_had_been_no_merge(store: Store, seed: int) -> None:
    graph = Graph(store, ScriptedEmbedder(), OfflineExtractor())
    chance = random.Random(seed)
    opening: Said = ([ExtractedRelation("boat", "is", "radio")], ["barca"])
    before = [opening, *(said(chance, apart=False) for _ in range(chance.randint(0, 4)))]
    after = [said(chance, apart=True) for _ in range(chance.randint(0, 4))]
    with own_memory(graph) as merged, own_memory(graph) as never:
        talk(never, [*before, *after], 1)
        talk(merged, before, 1)
        was = state(merged)
        merge = join(merged, "barca", "boat")
        talk(merged, after, len(before) + 1)
        part(merged, merge)
        if not after:
            assert state(merged) == was
        names = dict(zip(record_ids(merged), record_ids(never), strict=True))
        assert json.loads(renamed(json.dumps(undated(merged)), names)) == json.loads(json.dumps(undated(never)))


def undated(memory: Memory) -> list[list[object]]:
    """The shape without when two concepts were last mentioned together, which an undo knows as late as the merge."""
    return [list(row[:-1] if row[0] == "pair" else row) for row in shape(memory)]
