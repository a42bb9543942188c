"""All that a memory is, for comparing: every node, relationship and property, in one canonical order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from graph_view import INDEXING
from locations import DATA

from oroi_graph.consolidation.pipeline import consolidate
from oroi_graph.contract.document import template
from oroi_graph.contract.pipeline import MemoryContract
from oroi_graph.errors import ProviderError
from oroi_graph.memory import Memory
from oroi_graph.model import ExtractedConcept, ExtractedRelation, Extraction
from oroi_graph.options import Options, Sleep
from oroi_graph.providers.protocols import Vectors
from oroi_graph.providers.scripted import ScriptedEmbedder
from oroi_graph.storage.store import Store

SCENARIOS = DATA / "scenarios.jsonl"

# What is derived from the memory's name: two memories of one content differ in it.
NAMED = frozenset({"name", "memory", "memory_key", "slot"})
# Who is at work on it, and when it was spoken to last by the server's clock: no content of a memory.
OPERATIONAL = frozenset(
    "lock heard_at lease_owner lease_until lease_fence digested digested_erasures version stamp gate".split()
)
TOUCHED = "touched_"  # what the last changes touched, for copies in other processes


def scenarios(count: int) -> list[dict[str, Any]]:
    """The first scenarios of the suite's file."""
    return [json.loads(line) for line in SCENARIOS.read_text(encoding="utf-8").splitlines()[:count]]


def perceive_scenarios(memory: Memory, count: int, mark: str = "") -> None:
    """Perceive some scenarios with their gold extractions; `mark` is appended to ids, speakers and names."""
    for number, scenario in enumerate(scenarios(count)):
        for place, turn in enumerate(scenario["turns"]):
            gold = turn.get("extraction")
            memory.perceive(
                turn["text"] + mark,
                speaker=turn["speaker"] + mark,
                role=turn["role"],
                id=f"{number}-{place}{mark}",
                session=f"{turn['session']}{mark}",
                extraction=Extraction.from_json(_marked(gold, mark)) if gold else None,
            )


# Nodes that are no content of a memory: locks of keys, and summaries, which are made again.
DERIVED_NODES = frozenset({"EntryKey", "Digest"})

# What a life of a few turns needs to leave everything that sleep can leave.
EAGER = Sleep(recurrence=2, prune_after=4, took_hold=0.2, gist_after=2, rest_after=3, gist_length=60, courtesy=0.0)

_SAID: tuple[tuple[str, tuple[tuple[str, str, str], ...], tuple[str, ...]], ...] = (
    ("The boat is red. I drive the boat. It rained all day long, and nobody saw why.",
     (("boat", "is", "red"), ("I", "drive", "boat")), ()),
    ("Well, well.", (), ()),
    ("I drive the barca, and it has a radio.", (("I", "drive", "barca"), ("barca", "has", "radio")), ("garage",)),
    ("The boat has a radio. I drive the boat.", (("boat", "has", "radio"), ("I", "drive", "boat")), ("garage",)),
    ("The bote is red and the mechanic repaired it.", (("bote", "is", "red"), ("mechanic", "repaired", "bote")), ()),
    ("The lancha is red, as the boat is.", (("lancha", "is", "red"),), ("boat",)),
    ("Garage, barca, boat and radio.", (), ("garage", "barca", "boat", "radio")),
    ("The old locker is by the pier.", (("locker", "is by", "pier"),), ()),
    ("I live in Bilbao.", (("I", "lives in", "Bilbao"),), ()),
    ("I live in Irun.", (("I", "lives in", "Irun"),), ()),
)  # fmt: skip


def live_and_sleep(memory: Memory, mark: str = "") -> None:
    """A short life with merges (one upon another, one undone), gists, records that rest, sleeps and a forgetting."""

    def say(number: int, text: str, extraction: Extraction) -> None:
        turn = memory.perceive(text, speaker=f"Ana{mark}", id=f"life-{number}{mark}", extraction=extraction)
        turn.close(f"So it is: {text} And it will be so for a long time to come, I dare say.")

    for number, (text, triples, labels) in enumerate(_SAID):
        relations = tuple(
            ExtractedRelation(*(word if word == "I" or i == 1 else word + mark for i, word in enumerate(triple)))
            for triple in triples
        )
        say(number, text + mark, Extraction(tuple(ExtractedConcept(label + mark) for label in labels), relations))
    sleep(memory)
    memory.merge(f"bote{mark}", f"barca{mark}")
    memory.merge(f"boat{mark}", f"barca{mark}")
    memory.undo_merge(memory.merge(f"lancha{mark}", f"boat{mark}").id)
    for number in range(len(_SAID), len(_SAID) + 3):
        say(number, f"Well, well{mark}.", Extraction())
    memory.forget(f"locker{mark}", speaker=f"Ana{mark}", by="test")
    labels = memory.graph.store.explore(
        "MATCH (c:Concept {memory: $m}) WHERE c.label STARTS WITH 'garage' OR c.label STARTS WITH 'radio' "
        "RETURN c.id ORDER BY c.label",
        m=memory.name,
    )[1]
    doubtful = {"a": labels[0][0], "b": labels[1][0], "verdict": "doubtful", "by": "nobody", "score": 0.25}
    memory.graph.store.write_rows(
        "consolidation/write_compared", memory=memory.name, rows=[doubtful | {"method": "", "turn": 1}]
    )
    sleep(memory)


class _NoModel(ScriptedEmbedder):
    """An embedder that fails."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise ProviderError("no model")


def agree(memory: Memory, mark: str = "") -> MemoryContract:
    """A contract with all that it can leave: versions, authors, entries, disputes, a settlement, an erasure, a
    checkpoint, receipts, summaries, an entry that waits for its vector."""
    graph, name = memory.graph, memory.name
    contract = graph.contract(name)
    key, author = Ed25519PrivateKey.generate(), f"agent{mark}"
    contract.publish(template([author, f"other{mark}"], [f"place{mark}"], single_valued=["phase"]), key)
    schema_hash = contract.publish(template([author, f"other{mark}"], [f"place{mark}"], single_valued=["phase"],
                                            token=True), key).schema_hash  # fmt: skip
    tokens = {who: contract.add_author(who) for who in (author, f"other{mark}")}

    def entry(who: str, field_key: str, value: str, **more: object) -> dict[str, object]:
        return {
            "ia_author": who, "entry_type": "fact", "field_key": field_key, "field_value": value + mark,
            "confidence_score": 0.5, "schema_hash": schema_hash, **more,
        }  # fmt: skip

    def write(who: str, *content: str, **more: object) -> str:
        return contract.write(entry(who, *content, **more), token=tokens[who]).entry.id

    first = write(author, "phase", "Phase 2 of the boat runs in Irun.", idempotency_key=f"k{mark}")
    write(f"other{mark}", "phase", "Phase 3 of the boat runs in Irun.")
    contract.settle(
        [first], {"ia_author": author, "field_value": f"Phase 4{mark}.", "confidence_score": 1}, token=tokens[author]
    )
    write(author, "phase", "Phase 5 of the boat.")
    place = f"place{mark}"
    write(f"other{mark}", place, "The radio is in the locker by the pier.")
    contract.compress()
    contract.erase([write(author, place, "The radio was stolen in Bilbao.")], by=f"Ana{mark}")
    contract.compress()
    contract.checkpoint(key)
    contract.revoke_author(f"other{mark}")
    poor = MemoryContract(graph.sets, name, _NoModel(graph.embedder.dimensions), graph.question_extractor)
    poor.write(entry(author, place, "The pier is old."), token=tokens[author])
    contract.fill()
    poor.write(entry(author, place, "The locker is new."), token=tokens[author])
    return contract


def sleep(memory: Memory) -> None:
    """One sleep of a memory that is eager to change."""
    graph = memory.graph
    report = consolidate(graph.store, memory.name, graph.embedder, Options(sleep=EAGER, window=1))
    assert report.state == "done", report


def _marked(gold: dict[str, Any], mark: str) -> dict[str, Any]:
    """The extraction with every label marked, but for first persons."""
    if not mark:
        return gold
    said = [concept | {"label": concept["label"] + mark} for concept in gold["concepts"]]
    relations = [
        relation | {end: relation[end] + (mark if relation[end] != "I" else "") for end in ("source", "target")}
        for relation in gold["relations"]
    ]
    return gold | {"concepts": said, "relations": relations}


def everything_of(store: Store, name: str, *, verbatim: bool = False) -> list[str]:
    """One line a node or relationship of the memory, sorted; vectors and all.

    Left out, unless `verbatim`, is what depends on the memory's name; records are named by turn id and role.
    """
    nodes = _rows(
        store,
        "MATCH (n) WHERE n.memory = $m OR (n:Memory AND n.name = $m) RETURN elementId(n), labels(n), properties(n)",
        name,
    )
    if not verbatim:
        nodes = [row for row in nodes if DERIVED_NODES.isdisjoint(row[1])]
    relationships = _rows(
        store,
        "MATCH (a)-[r]->(b) WHERE a.memory = $m OR b.memory = $m OR r.memory = $m "
        "RETURN elementId(a), elementId(b), type(r), properties(r)",
        name,
    )
    record = {p["id"]: f"{p['turn_id']} {p['role']}" for _, labels, p in nodes if "Record" in labels}
    item = {p["id"]: f"{p['path']} {p['key']}" for _, labels, p in nodes if "Item" in labels}
    named = {} if verbatim else record | item
    ends = {element: named.get(p.get("id"), p.get("id")) for element, _, p in nodes}
    lines = [_line("node", sorted({*labels} - INDEXING), _plain(p, named, verbatim)) for _, labels, p in nodes]
    lines += [
        _line(type_, ends.get(a, a), ends.get(b, b), _plain(p, named, verbatim)) for a, b, type_, p in relationships
    ]
    return sorted(lines)


def checksum(memory: Memory) -> str:
    """Of everything a memory is: ids, clock, vectors, lease and all."""
    store, name = memory.graph.store, memory.name
    own = store.explore("MATCH (m:Memory {name: $m}) RETURN m {.*, lock: null}", m=name)[1]
    return hashlib.sha256("\n".join([repr(own), *everything_of(store, name, verbatim=True)]).encode()).hexdigest()


def _rows(store: Store, query: str, name: str) -> list[list[Any]]:
    return store.explore(query, m=name)[1]


def _plain(properties: dict[str, Any], named: dict[str, str], verbatim: bool) -> dict[str, Any]:
    def renamed(value: Any) -> Any:
        if isinstance(value, list):
            return [renamed(item) for item in value]
        return named.get(value, value) if isinstance(value, str) else value

    return {
        key: renamed(value)
        for key, value in properties.items()
        if key not in OPERATIONAL and not key.startswith(TOUCHED) and (verbatim or key not in NAMED)
    }


def _line(*content: Any) -> str:
    return json.dumps(content, sort_keys=True, default=str, ensure_ascii=False)
