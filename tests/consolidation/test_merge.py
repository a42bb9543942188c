"""Merging two concepts and undoing it: what is rewired, what is added up, and that it all comes back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from graph_view import associations, concepts, own_memory, stating
from merging import join, part, record_ids, renamed, shape, state

from oroi_graph import Dynamics, ExtractedRelation, Graph, InputError, Memory
from oroi_graph.consolidation.unmerge import Merge, merges


def listed(memory: Memory) -> list[Merge]:
    return memory.graph.store.read(lambda tx: merges(tx, memory.name))


def talk(memory: Memory, *turns: tuple[Any, ...], start: int = 1) -> None:
    """Perceive and close turns, each given by its triples (text is made of them)."""
    for number, triples in enumerate(turns, start):
        said = [t for t in triples if not isinstance(t, str)]
        alone = [t for t in triples if isinstance(t, str)]
        text = ". ".join([" ".join(map(str, t)) for t in said] + alone)
        turn = memory.perceive(text, speaker="Ana", id=f"t{number}", extraction=stating(*said, concepts=alone))
        turn.close(f"Reply to {text}")


LIFE = (
    [("boat", "is", "red"), ("I", "drive", "boat")],
    [("I", "drive", "barca"), ("barca", "has", "radio")],
    [("boat", "has", "radio"), ("I", "wash", "boat"), "garage"],
    [("barca", "is", "red"), ("mechanic", "repaired", "barca"), "garage"],
    [("mechanic", "repaired", "boat"), ("boat", "belongs to", "barca")],
    ["garage", "barca", "boat", "radio"],
)


def test_what_hung_on_two_concepts_hangs_on_one(memory: Memory) -> None:
    talk(memory, *LIFE)
    before = {(a["source"], a["relation"], a["target"]): a for a in associations(memory)}
    id = join(memory, "barca", "boat")
    found = concepts(memory)
    assert "barca" not in found
    assert found["boat"]["aliases"] == ["barca"]
    after = {(a["source"], a["relation"], a["target"]): a for a in associations(memory)}
    assert not any("barca" in (s, t) for s, _, t in after)
    assert after["Ana", "drive", "boat"]["count"] == 2
    assert after["Ana", "drive", "boat"]["weight"] == pytest.approx(
        before["Ana", "drive", "boat"]["weight"] + before["Ana", "drive", "barca"]["weight"]
    )
    assert ("boat", "belongs to", "barca") not in after
    assert [m.id for m in listed(memory)] == [id]


def test_an_undo_right_after_gives_back_every_number(memory: Memory) -> None:
    talk(memory, *LIFE)
    before = state(memory)
    id = join(memory, "barca", "boat")
    assert state(memory) != before
    assert part(memory, id) == [id]
    assert state(memory) == before
    assert [(m.id, m.state, m.absorbed) for m in listed(memory)] == [(id, "undone", "barca")]


def test_what_was_replaced_is_so_by_what_its_replacement_became(memory: Memory) -> None:
    talk(memory, [("I", "drive", "tractor")])
    instead = ExtractedRelation("I", "drive", "barca", replaces=True)
    memory.perceive("Now I drive a barca instead.", speaker="Ana", extraction=stating(instead)).close()
    talk(memory, [("I", "drive", "boat")], ["boat"], ["boat"], start=3)
    before = state(memory)
    id = join(memory, "barca", "boat")
    facts = {a["target"]: a for a in associations(memory)}
    assert facts.keys() == {"tractor", "boat"}
    assert facts["tractor"]["superseded_by"] == facts["boat"]["id"]
    part(memory, id)
    assert state(memory) == before


LATER = (
    [("I", "sold", "barca"), ("barca", "is", "fast")],
    [("boat", "has", "roof"), "garage"],
    [("I", "drive", "barca"), "garage"],
    [("mechanic", "repaired", "boat"), ("boat", "is", "fast")],
)


def test_later_evidence_stays_where_it_was_said(graph: Graph) -> None:
    """Turns that used the merged concept: after the undo all is as if there had been no merge."""
    with own_memory(graph) as merged, own_memory(graph) as never:
        talk(never, *LIFE, *LATER)
        talk(merged, *LIFE)
        id = join(merged, "barca", "boat")
        talk(merged, *LATER, start=len(LIFE) + 1)
        assert part(merged, id) == [id]
        records = dict(zip(record_ids(merged), record_ids(never), strict=True))
        assert json.loads(renamed(json.dumps(shape(merged)), records)) == json.loads(json.dumps(shape(never)))
        for one, other in zip(_weights(merged), _weights(never), strict=True):
            assert one[:3] == other[:3]
            assert one[3] == pytest.approx(other[3], rel=0.35)
        assert sum(c["activation"] for c in concepts(merged).values()) <= Dynamics().budget + 1e-9


def _weights(memory: Memory) -> list[Any]:
    return sorted([a["source"], a["relation"], a["target"], a["weight"]] for a in associations(memory))


def test_only_two_things_of_one_kind_become_one(memory: Memory) -> None:
    talk(memory, [("boat", "costs", "500 euros"), ("I", "met", "Marta")])
    for first, second, why in (
        ("boat", "Ana", "cannot be one"),
        ("boat", "boat", "cannot be one"),
        ("boat", "submarine", "has no concept 'submarine'"),
    ):
        with pytest.raises(InputError, match=why):
            memory.merge(first, second)
    assert not memory.merges()


def test_an_undo_is_done_once_and_of_the_newest_first(memory: Memory) -> None:
    talk(memory, *LIFE, ["ship"])
    before = shape(memory)
    first = memory.merge("boat", "barca")
    second = memory.merge("boat", "ship")
    with pytest.raises(InputError, match=f"undo {second.id} first"):
        memory.undo_merge(first.id)
    assert [m.id for m in memory.undo_merge(first.id, later=True)] == [second.id, first.id]
    assert shape(memory) == before
    with pytest.raises(InputError, match="was undone already: 'barca' and 'boat' are apart"):
        memory.undo_merge(first.id)
    with pytest.raises(InputError, match="has no merge 'nothing'"):
        memory.undo_merge("nothing")


def test_an_undo_is_refused_where_the_label_is_taken(memory: Memory) -> None:
    talk(memory, *LIFE)
    merge = memory.merge("boat", "barca")
    memory.graph.store.schema(
        "MATCH (c:Concept {memory: $memory, label: 'garage'}) SET c.label_key = 'barca'", memory=memory.name
    )
    with pytest.raises(InputError, match="another concept is called 'barca'"):
        memory.undo_merge(merge.id)
