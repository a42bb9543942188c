"""The neomodel classes read what plain statements wrote, on a real server."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

import neo4j
import pytest
from graph_state import TOUCHED, live_and_sleep, perceive_scenarios
from neomodel import db

from oroi_graph import Graph
from oroi_graph.errors import CredentialsError, SettingsError, UnreachableError
from oroi_graph.ogm import (
    Associated,
    Coincided,
    Compared,
    Concept,
    Episode,
    Forgetting,
    Memory,
    Mentions,
    Merged,
    Record,
    Sleep,
    connect_ogm,
    disconnect_ogm,
)

WRITE = """
CREATE (:Memory {name: $memory, memory_key: 'k', turn: 2, embedding_model: 'test', dimensions: 3,
        last_reply: 'r', lock: 't2', created_at: datetime()})
CREATE (ana:Concept {memory: $memory, id: $memory + '-ana', memory_key: 'k', label: 'Ana',
        label_key: 'ana', label_text: 'Ana | I | me', kind: 'self', aliases: ['I', 'me'],
        activation: 1.5, strength: 0.75, exposure: 2.0, mentions: 3, fixed: true,
        first_turn: 1, last_turn: 2, embedding: [1.0, 0.0, 0.0], created_at: datetime()})
CREATE (valencia:Concept:Unindexed {memory: $memory, id: $memory + '-valencia', label: 'Valencia',
        label_key: 'valencia', kind: 'name', aliases: [], activation: 0.5, strength: 0.0, exposure: 0.0,
        mentions: 1, fixed: false, first_turn: 2, last_turn: 2, created_at: datetime()})
CREATE (bilbao:Concept:IndexedConcept {memory: $memory, id: $memory + '-bilbao', label: 'Bilbao', label_key: 'bilbao',
        kind: 'name', aliases: [], activation: 0.0, strength: 0.0, created_at: datetime()})
CREATE (first:Record:Episode:IndexedRecord {memory: $memory, id: $memory + '-r1', kind: 'episode', turn_id: 't1',
        turn: 1,
        role: 'user', speaker: 'Ana', text: 'I live in Bilbao.', associations: [$memory + '-a1']})
CREATE (second:Record:Episode:Unindexed {memory: $memory, id: $memory + '-r2', kind: 'episode', turn_id: 't2', turn: 2,
        role: 'user', speaker: 'Ana', session: '1', at: '2026-03-01T10:00:00+00:00',
        text: 'I moved to Valencia.', associations: [$memory + '-a2'], surprise: 0.5, fixed: true,
        memory_key: 'k', acknowledged: false, extractor: 'offline', extraction: 'failed', failure: 'refused',
        created_at: datetime()})
CREATE (:Record {memory: $memory, id: $memory + '-r3', kind: 'note', text: 'A note.'})
CREATE (first)-[:MENTIONS {surface: 'Bilbao', method: 'new', score: 1.0}]->(bilbao)
CREATE (second)-[:MENTIONS {surface: 'I', method: 'alias', score: 1.0}]->(ana)
CREATE (second)-[:MENTIONS {surface: 'Valencia', method: 'new', score: 1.0}]->(valencia)
CREATE (ana)-[:ASSOCIATED {memory: $memory, id: $memory + '-a1', relation: 'lives in', class: 'live',
        slot: 's', weight: 1.0, negated: false, contested: false, first_turn: 1, last_turn: 1, count: 1,
        superseded_turn: 2, superseded_by: $memory + '-a2', records: [$memory + '-r1']}]->(bilbao)
CREATE (ana)-[:ASSOCIATED {memory: $memory, id: $memory + '-a2', relation: 'lives in', class: 'live',
        slot: 's', weight: 1.25, negated: false, contested: false, first_turn: 2, last_turn: 2, count: 1,
        stated_at: '2026-03-01T10:00:00+00:00', when: '2026-03', records: [$memory + '-r2']}]->(valencia)
CREATE (ana)-[:ASSOCIATED {memory: $memory, id: $memory + '-a3', relation: 'dislikes', weight: 0.5,
        negated: true, first_turn: 2, last_turn: 2, count: 1, records: []}]->(valencia)
CREATE (bilbao)-[:COINCIDED {memory: $memory, count: 2, last_turn: 2}]->(valencia)
"""
ERASE = "MATCH (n) WHERE n.memory IN $memories OR (n:Memory AND n.name IN $memories) DETACH DELETE n"


class Address(Protocol):
    """Where the test database is."""

    uri: str
    user: str
    password: str
    database: str | None


@pytest.fixture
def ana(store_settings: Address) -> Iterator[Memory]:
    """A small memory, read through the OGM, beside another of the same content."""
    at = store_settings
    name = f"ogm-{uuid.uuid4().hex[:12]}"
    names = [name, f"{name}-other"]
    with neo4j.GraphDatabase.driver(at.uri, auth=(at.user, at.password)) as driver:
        for memory in names:
            driver.execute_query(WRITE, memory=memory, database_=at.database)
        connect_ogm(at.uri, at.user, at.password, at.database)
        try:
            yield Memory.nodes.get(name=name)
        finally:
            disconnect_ogm()
            driver.execute_query(ERASE, memories=names, database_=at.database)


def test_a_memory_holds_its_own_concepts_and_records_only(ana: Memory) -> None:
    assert (ana.turn, ana.embedding_model, ana.dimensions, ana.open_turn) == (2, "test", 3, None)
    assert isinstance(ana.created_at, datetime)
    by_activation = ana.concepts().order_by("-activation")
    assert [concept.label for concept in by_activation] == ["Ana", "Valencia", "Bilbao"]
    assert {record.uid for record in ana.records()} == {f"{ana.name}-r{k}" for k in (1, 2, 3)}
    assert {record.uid for record in ana.episodes()} == {f"{ana.name}-r{k}" for k in (1, 2)}
    kinds = {record.kind: type(record) for record in ana.records()}
    assert kinds == {"note": Record, "episode": Episode}


def test_a_concept_has_the_properties_of_the_graph(ana: Memory) -> None:
    concept = Concept.nodes.get(uid=f"{ana.name}-ana")
    assert (concept.memory, concept.label, concept.label_key, concept.kind) == (
        ana.name,
        "Ana",
        "ana",
        "self",
    )
    assert (concept.activation, concept.strength, concept.exposure) == (1.5, 0.75, 2.0)
    assert (concept.mentions, concept.fixed, concept.first_turn, concept.last_turn) == (3, True, 1, 2)
    assert (concept.aliases, concept.embedding) == (["I", "me"], [1.0, 0.0, 0.0])


def test_associations_are_walked_both_ways_with_their_properties(ana: Memory) -> None:
    me = ana.concepts().get(kind="self")
    valencia = ana.concepts().get(label="Valencia")
    assert {concept.label for concept in me.associated_with} == {"Valencia", "Bilbao"}
    assert {concept.label for concept in valencia.associated_from} == {"Ana"}
    both = sorted(me.associated_with.all_relationships(valencia), key=lambda a: a.uid)
    assert [(a.relation, a.negated, a.current) for a in both] == [
        ("lives in", False, True),
        ("dislikes", True, True),
    ]
    assert (both[0].relation_class, both[0].weight, both[0].when) == ("live", 1.25, "2026-03")
    assert both[0].records == [f"{ana.name}-r2"]
    (old,) = me.associated_with.all_relationships(ana.concepts().get(label="Bilbao"))
    assert (old.current, old.superseded_turn, old.superseded_by) == (False, 2, f"{ana.name}-a2")
    assert {concept.label for concept in me.associated_with.match(superseded_turn__isnull=True)} == {"Valencia"}


def test_records_name_their_concepts_and_concepts_their_records(ana: Memory) -> None:
    episode = ana.episodes().get(turn=2)
    assert (episode.text, episode.speaker, episode.session) == ("I moved to Valencia.", "Ana", "1")
    assert (episode.role, episode.at, episode.surprise) == ("user", "2026-03-01T10:00:00+00:00", 0.5)
    assert (episode.fixed, episode.extraction, episode.acknowledged) == (True, "failed", False)
    assert {concept.label for concept in episode.mentions} == {"Ana", "Valencia"}
    me = ana.concepts().get(kind="self")
    mention = episode.mentions.relationship(me)
    assert (mention.surface, mention.method, mention.score) == ("I", "alias", 1.0)
    assert [record.uid for record in me.mentioned_in] == [episode.uid]


def test_coincidences_have_no_direction(ana: Memory) -> None:
    bilbao, valencia = (ana.concepts().get(label=label) for label in ("Bilbao", "Valencia"))
    assert bilbao.coincided_with.relationship(valencia).count == 2
    assert valencia.coincided_with.relationship(bilbao).last_turn == 2


NODE_KEYS = "MATCH (n) WHERE $memory IN [n.memory, n.name] AND $type IN labels(n) UNWIND keys(n) AS k"
EDGE_KEYS = "MATCH ({memory: $memory})-[a]->() WHERE type(a) = $type UNWIND keys(a) AS k"


FACT_IDS = "MATCH (:Concept {memory: $memory})-[a:ASSOCIATED]->() RETURN collect(a.id) AS ids"
NAMED_BY = {
    "Memory": Memory,
    "Concept": Concept,
    "Record": Record,
    "ASSOCIATED": Associated,
    "MENTIONS": Mentions,
    "COINCIDED": Coincided,
}
# What sleep leaves. MERGED_INTO is not among them: what an undo needs is of no use to a reader.
SLEPT_BY = {"Merged": Merged, "Sleep": Sleep, "Forgetting": Forgetting, "COMPARED": Compared}


@pytest.mark.parametrize(("type_", "cls"), list(NAMED_BY.items()))
def test_every_property_in_the_graph_has_a_name_here(ana: Memory, type_: str, cls: type) -> None:
    """A property that no class names would be invisible to whoever reads through the OGM."""
    assert _keys(ana.name, type_)
    assert _keys(ana.name, type_) <= _named(cls)


def test_what_was_really_perceived_reads_the_same(store_settings: Address, graph: Graph) -> None:
    """Every node and relationship of a perceived memory is read, and every property of it has a name here."""
    name = f"ogm-{uuid.uuid4().hex[:12]}"
    perceived = graph.memory(name)
    perceive_scenarios(perceived, 4)
    at = store_settings
    connect_ogm(at.uri, at.user, at.password, at.database)
    try:
        memory, stats = Memory.nodes.get(name=name), perceived.stats()
        concepts, episodes = list(memory.concepts()), list(memory.episodes())
        assert (len(concepts), len(episodes)) == (stats.concepts, stats.episodes + stats.replies)
        facts = [a for c in concepts for o in c.associated_with.all() for a in c.associated_with.all_relationships(o)]
        assert {fact.uid for fact in facts} == set(graph.store.schema(FACT_IDS, memory=name)[0]["ids"])
        for type_, cls in NAMED_BY.items():
            assert _keys(name, type_) <= _named(cls), type_
    finally:
        disconnect_ogm()
        graph.delete(name)


def test_what_sleep_left_reads_the_same(store_settings: Address, graph: Graph) -> None:
    """Merges, gists, sleeps and forgettings: the nodes are there, and every property has a name here."""
    name = f"ogm-{uuid.uuid4().hex[:12]}"
    slept = graph.memory(name)
    live_and_sleep(slept)
    at = store_settings
    connect_ogm(at.uri, at.user, at.password, at.database)
    try:
        memory, stats = Memory.nodes.get(name=name), slept.stats()
        assert (memory.slept_turn, memory.merges) == (stats.slept_turn, 3)
        for type_, cls in (NAMED_BY | SLEPT_BY).items():
            assert _keys(name, type_) <= _named(cls), type_
            assert _keys(name, type_), type_
        found = {merge.absorbed: merge for merge in slept.merges()}
        assert {concept.label for concept in memory.merged()} == {"barca", "bote"}
        boat = memory.concepts().get(label="boat")
        (barca,) = boat.absorbed.all()
        merge = boat.absorbed.relationship(barca)
        assert (merge.uid, merge.by, merge.turn) == (found["barca"].id, "person", found["barca"].turn)
        assert {other.label: boat.compared_with.relationship(other).verdict for other in boat.compared_with} == {
            "lancha": "apart"
        }
        assert [run.state for run in memory.sleeps().order_by("turn")] == ["done", "done"]
        (line,) = memory.forgettings()
        assert (line.by, line.state, line.records) == ("test", "done", 2)
        gists = [record for record in memory.records() if record.verbatim and not record.resting]
        assert len(gists) == stats.gists
    finally:
        disconnect_ogm()
        graph.delete(name)


def _keys(memory: str, type_: str) -> set[str]:
    """The properties that nodes or relationships of a type have."""
    match = EDGE_KEYS if type_.isupper() else NODE_KEYS
    rows, _ = db.cypher_query(f"{match} RETURN DISTINCT k", {"memory": memory, "type": type_})
    return {key for (key,) in rows if not key.startswith(TOUCHED)}


def _named(cls: type) -> set[str]:
    return {p.db_property or k for k, p in cls.defined_properties(rels=False, aliases=False).items()}  # type: ignore[attr-defined]


def test_wrong_addresses_and_passwords_are_our_errors(store_settings: Address) -> None:
    at = store_settings
    with pytest.raises(CredentialsError, match="refused user"):
        connect_ogm(at.uri, at.user, "wrong", at.database)
    with pytest.raises(UnreachableError, match="no Neo4j answers"):
        connect_ogm("bolt://127.0.0.1:1", at.user, at.password, at.database)
    with pytest.raises(SettingsError, match="unusable database address"):
        connect_ogm("http://127.0.0.1", at.user, at.password, at.database)
    assert db.driver is None
