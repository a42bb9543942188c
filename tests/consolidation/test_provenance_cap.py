"""Every writer of an association's list of records keeps the same number of them: the first and the latest ones."""

from __future__ import annotations

import io

from graph_view import association, associations, own_memory, records, stating

from oroi_graph import ExtractedRelation, Graph, Memory
from oroi_graph.options import PROVENANCE
from oroi_graph.transfer.archive import export_memory, import_memory


def say(memory: Memory, source: str, number: int) -> None:
    stated = stating((source, "has", "radio"), concepts=["garage", "mast"])
    memory.perceive(f"{source} {number}", speaker="Ana", id=f"{source}-{number}", extraction=stated).close("So it has.")


def ids(memory: Memory, role: str = "user") -> list[str]:
    return [record["id"] for record in records(memory) if record["role"] == role]


def listed(memory: Memory, source: str) -> list[str]:
    return list(association(memory, source, "radio")["records"])


def kept(said: list[str]) -> list[str]:
    return [said[0], *said[1 - PROVENANCE :]]


def test_perceive_merge_undo_promotion_and_import_keep_as_many_records(graph: Graph) -> None:
    with own_memory(graph) as memory:
        for number in range(PROVENANCE + 2):
            say(memory, "boat", number)
        of_boat = ids(memory)
        assert listed(memory, "boat") == kept(of_boat)
        reply = ids(memory, "assistant")[-1]
        taken_up = stating(uptake=[ExtractedRelation("boat", "has", "radio")], concepts=["boat", "radio"])
        memory.perceive("Yes.", speaker="Ana", id="yes", extraction=taken_up).close()
        assert listed(memory, "boat") == kept([*of_boat, reply, ids(memory)[-1]])
        memory.undo()
        assert listed(memory, "boat") == kept(of_boat)

        for number in range(PROVENANCE + 2):
            say(memory, "barca", number)
        of_barca = ids(memory)[len(of_boat) :]
        merge = memory.merge("boat", "barca")
        assert listed(memory, merge.survivor) == kept([*kept(of_boat), *kept(of_barca)])
        memory.undo_merge(merge.id)
        assert (listed(memory, "boat"), listed(memory, "barca")) == (kept(of_boat), kept(of_barca))

        memory.consolidate()
        (promoted,) = (a for a in associations(memory) if {a["source"], a["target"]} == {"garage", "mast"})
        assert promoted["records"] == ids(memory)[-PROVENANCE:]
        before = {a["id"]: len(a["records"]) for a in associations(memory)}
        assert max(before.values()) == PROVENANCE
        file = io.StringIO()
        export_memory(graph.store, memory.name, file)
        copy = f"{memory.name}-copy"
        import_memory(graph.store, io.StringIO(file.getvalue()), copy)
        try:
            assert {a["id"]: len(a["records"]) for a in associations(graph.memory(copy))} == before
        finally:
            graph.delete(copy)
