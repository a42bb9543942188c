"""Synthetic memories for benchmarks: real phrases and their real vectors, perturbed, in a graph with hubs.

Random vectors are no model of a memory: nearest-neighbour search over them has nothing to find. So the phrases of a
small vocabulary are embedded once, and every concept takes the vector of a phrase, turned by noise to a cosine of
about 0.86 to it. Degrees are heavy-tailed: one self is tied to a third of all concepts, the other ends follow a Zipf
law. Everything has the properties that `oroi_graph.perception.pipeline` and `oroi_graph.storage.rows` write.

A graph is written under any name with the same ids, so that two memories can be twins of one another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise, product
from typing import Any

import neo4j
import numpy as np
from numpy.typing import NDArray

from oroi_graph.entities.fact_updates import relation_class, slot
from oroi_graph.language.normalize import digest, label_key, memory_key
from oroi_graph.language.relations import single_valued
from oroi_graph.providers.protocols import Embedder
from oroi_graph.providers.word_vectors import embedded
from oroi_graph.storage.store import written_vector

SPEAKER = "Maite Arana"
FEWEST = 20  # concepts of a memory: with fewer, there may be none of a kind to speak of
ASSOCIATIONS = 3  # per concept
MENTIONS = 4  # concepts per record
CONCEPTS_PER_TURN = 2
LIT_TURNS = 8  # how far back a concept is still lit
NOISE = 0.6  # length of the noise added to a unit vector
BATCH = 1_000  # rows a statement
START = datetime(2024, 1, 8, 9, tzinfo=UTC)

_QUALITIES = (
    "green red blue old new wooden broken cheap heavy quiet Italian second-hand electric narrow bright dusty "
    "borrowed painted foldable stolen leather silver portable noisy rented handmade winter garden kitchen travel"
).split()
_THINGS = (
    (
        "bicycle piano kettle notebook camera tent ladder guitar sofa umbrella suitcase lamp telescope printer "
        "workshop greenhouse bakery language-course marathon vaccine mortgage recipe greenhouse-plan violin cupboard "
        "motorbike heater passport drill balcony chess-set raincoat aquarium hammock painting projector canoe rug "
        "saucepan typewriter"
    )
    .replace("-", " ")
    .split()
)
_PLACES = (
    "the harbour,the attic,the market,the old town,the office,the station,the library,the valley,the cellar,"
    "the third floor,the school,the river bank,the hospital,the village,the museum,the gym,the allotment,"
    "the corner shop,the mountain hut,the theatre"
).split(",")
_FIRST = (
    "Ana Jon Miren Luis Carla Peter Nora Ibon Elena Marcus Leire Diego Sofia Hugo Irene Tomas Clara Unai Paula "
    "Oscar Amaia Bruno Lucia Victor Itziar Simon Julia Andoni Rosa Felix Olga Aitor Eva Martin Naia Daniel Laura "
    "Iker Alba Samuel"
).split()
_LAST = (
    "Ruiz Etxeberria Moreno Walker Iriarte Costa Schmidt Laburu Navarro Pereira Olsen Garmendia Fontana Becker "
    "Zubiri Molina Hughes Aranburu Vidal Novak Otegi Campos Larsen Uriarte Bianchi Serrano Kowalski Mendizabal "
    "Duarte Fischer Salazar Egia Romero Nilsson Lasa Cabrera Weber Ansa Prieto Murphy"
).split()
_RELATIONS = (
    "lives in,works at,likes,repaired,sold,is next to,bought,belongs to,was a present from,is afraid of,"
    "plans to visit,wrote about,is called,costs,met,paints,lent,prefers,visited,found"
).split(",")
_OPENINGS = (
    "Yesterday I spoke with my neighbours about", "We should not forget", "I have been thinking about",
    "There is some news of", "Hoy he estado pensando en", "By the way, this is about",
)  # fmt: skip

_WRITE_CONCEPTS = """CYPHER 25
UNWIND $rows AS row
CREATE (c:Concept:IndexedConcept)
SET c = row.properties, c.memory = $memory, c.memory_key = $key,
    c.embedding = toFloatList(row.vector.floats), c.vector_bytes = row.vector.bytes, c.created_at = datetime()"""
_WRITE_RECORDS = """CYPHER 25
UNWIND $rows AS row
CREATE (r:Record:Episode:IndexedRecord)
SET r = row.properties, r.memory = $memory, r.memory_key = $key,
    r.embedding = toFloatList(row.vector.floats), r.vector_bytes = row.vector.bytes, r.created_at = datetime()"""
_WRITE_MENTIONS = """CYPHER 25
UNWIND $rows AS row
MATCH (r:Record {memory: $memory, id: row.record}), (c:Concept {memory: $memory, id: row.concept})
CREATE (r)-[:MENTIONS {surface: row.surface, method: 'exact', score: 1.0}]->(c)"""
_WRITE_ASSOCIATIONS = """CYPHER 25
UNWIND $rows AS row
MATCH (s:Concept {memory: $memory, id: row.source}), (t:Concept {memory: $memory, id: row.target})
CREATE (s)-[a:ASSOCIATED]->(t)
SET a = row.properties, a.memory = $memory"""
_WRITE_COINCIDENCES = """CYPHER 25
UNWIND $rows AS row
MATCH (a:Concept {memory: $memory, id: row.a}), (b:Concept {memory: $memory, id: row.b})
MERGE (a)-[c:COINCIDED]->(b)
ON CREATE SET c.count = 1, c.memory = $memory, c.last_turn = row.turn"""

_WRITE_STATE = "MATCH (m:Memory {name: $name}) SET m.turn = $turn, m.stamp = randomUUID()"


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Phrases of each kind with their unit vectors, {kind: (labels, (n, dimensions) float32)}; and the packed words of
    some texts, which the records of a graph take in turn: nobody waits for each of 50,000 to be read."""

    phrases: dict[str, tuple[tuple[str, ...], NDArray[np.float32]]]
    words: tuple[str | None, ...]

    @classmethod
    def embedded(cls, embedder: Embedder, per_kind: int = 240, seed: int = 0) -> Vocabulary:
        """Embed `per_kind` things, people and values each."""
        random = np.random.default_rng(seed)
        phrases = {}
        for kind in ("concept", "name", "value"):
            labels = _labels(kind, per_kind, random)
            phrases[kind] = (tuple(labels), embedder.embed(labels))
        texts = [_text(turn, [labels[turn] for labels, _ in phrases.values()]) for turn in range(per_kind)]
        return cls(phrases, tuple(embedded(embedder, texts)[1]))

    def vectors(self, kind: str, n: int, random: np.random.Generator) -> NDArray[np.float32]:
        """(n, dimensions) float32 unit vectors around those of randomly chosen phrases of a kind."""
        base = self.phrases[kind][1]
        noise = random.standard_normal((n, base.shape[1])) * (NOISE / np.sqrt(base.shape[1]))
        turned = base[random.integers(0, len(base), n)] + noise
        unit: NDArray[np.float32] = (turned / np.linalg.norm(turned, axis=1, keepdims=True)).astype(np.float32)
        return unit


@dataclass(frozen=True, slots=True, eq=False)
class SyntheticGraph:
    """One memory's content, ready to be written under any name. The self is the first of `concepts`."""

    turns: int
    labels: tuple[str, ...]
    kinds: tuple[str, ...]
    popularity: NDArray[np.float64]
    concepts: tuple[dict[str, Any], ...]
    associations: tuple[dict[str, Any], ...]
    records: tuple[dict[str, Any], ...]
    mentions: tuple[dict[str, Any], ...]
    coincidences: tuple[dict[str, Any], ...]

    def of_kind(self, kind: str) -> NDArray[np.int64]:
        """Positions of the concepts of one kind."""
        return np.array([i for i, found in enumerate(self.kinds) if found == kind], dtype=np.int64)


def make(name: str, concepts: int, vocabulary: Vocabulary, seed: int) -> SyntheticGraph:
    """The graph of the memory `name` (and of its twins): 55 % things, 30 % names, 15 % values, and one self.

    concepts: at least FEWEST. Ids depend on the seed alone; only the slots of associations depend on the name.
    """
    if concepts < FEWEST:
        raise ValueError(f"a synthetic memory needs {FEWEST} concepts at least, {concepts} were asked for")
    random = np.random.default_rng(seed)
    share = {"name": round(0.3 * concepts), "value": round(0.15 * concepts)}
    share["concept"] = concepts - 1 - sum(share.values())
    labels, kinds = [SPEAKER], ["self"]
    vectors = [vocabulary.vectors("name", 1, random)]
    for kind, n in share.items():
        labels += _labels(kind, n, random)
        kinds += [kind] * n
        vectors.append(vocabulary.vectors(kind, n, random))
    order = np.concatenate(([0], 1 + random.permutation(concepts - 1)))
    labels, kinds = [labels[i] for i in order], [kinds[i] for i in order]
    embedding = np.concatenate(vectors)[order]
    popularity = _zipf(concepts, random)
    turns = max(concepts // CONCEPTS_PER_TURN, 1)
    ids = [digest("synthetic", seed, i) for i in range(concepts)]
    others = random.choice(concepts, (turns, MENTIONS - CONCEPTS_PER_TURN), p=popularity)
    mentioned = [_mentioned(turn, concepts, others[turn]) for turn in range(turns)]
    associations = _associations(name, ids, kinds, popularity, turns, seed, random)
    return SyntheticGraph(
        turns=turns,
        labels=tuple(labels),
        kinds=tuple(kinds),
        popularity=popularity,
        concepts=tuple(_concepts(ids, labels, kinds, embedding, mentioned)),
        associations=tuple(associations),
        records=tuple(_records(mentioned, labels, embedding, associations, vocabulary.words, seed)),
        mentions=tuple(
            {"record": digest("record", seed, turn), "concept": ids[i], "surface": labels[i]}
            for turn, among in enumerate(mentioned)
            for i in among
        ),
        coincidences=tuple(
            {"a": min(ids[a], ids[b]), "b": max(ids[a], ids[b]), "turn": turn + 1}
            for turn, among in enumerate(mentioned)
            for a, b in pairwise(among[1:])
        ),
    )


def write(driver: neo4j.Driver, database: str | None, name: str, graph: SyntheticGraph, *, wait: bool = True) -> None:
    """Write `graph` as the content of the memory `name`, which was just created; `wait` for the indexes, too."""
    with driver.session(database=database) as session:
        for statement, rows in (
            (_WRITE_CONCEPTS, graph.concepts),
            (_WRITE_RECORDS, graph.records),
            (_WRITE_MENTIONS, graph.mentions),
            (_WRITE_ASSOCIATIONS, graph.associations),
            (_WRITE_COINCIDENCES, graph.coincidences),
        ):
            for batch in _batches(rows):
                session.run(statement, rows=batch, memory=name, key=memory_key(name)).consume()
        # A stamp of its own: whoever made the memory keeps an empty working set, which this is no longer the state of.
        session.run(_WRITE_STATE, name=name, turn=graph.turns).consume()
    if wait:
        await_indexes(driver, database)


def await_indexes(driver: neo4j.Driver, database: str | None) -> None:
    """Wait until every index holds what was written."""
    with driver.session(database=database) as session:
        session.run("CALL db.awaitIndexes(300)").consume()
        session.run("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()").consume()


def _batches(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]


def _labels(kind: str, n: int, random: np.random.Generator) -> list[str]:
    """n different labels of a kind, in random order."""
    if kind == "name":
        made = [" ".join(pair) for pair in product(_FIRST, _LAST)]
        made += [f"{a} {b} {c}" for a, b, c in product(_FIRST[:20], _LAST[:20], _LAST[20:])] if n > len(made) else []
        if n > len(made):
            made = list(dict.fromkeys([*made, *(" ".join(three) for three in product(_FIRST, _LAST, _LAST))]))
    elif kind == "value":
        made = [f"{amount} EUR" for amount in range(5, 5 * n + 1000, 5)]
    else:
        things = [" ".join(pair) for pair in product(_QUALITIES, dict.fromkeys(_THINGS))]
        made = [*things, *(f"{thing} of {place}" for thing, place in product(things, _PLACES))]
        made += [f"{thing} of {owner}" for thing, owner in product(things, _FIRST)] if n > len(made) else []
    if n > len(made):
        raise ValueError(f"the word lists make {len(made)} labels of kind {kind}, {n} were asked for")
    return [made[i] for i in random.permutation(len(made))[:n]]


def _zipf(n: int, random: np.random.Generator) -> NDArray[np.float64]:
    """(n,) probabilities that fall with a random rank; 0 for the self, which has a share of its own."""
    law: NDArray[np.float64] = np.asarray((1.0 + random.permutation(n)) ** -0.9, dtype=np.float64)
    law[0] = 0.0
    return law / float(law.sum())


def _mentioned(turn: int, concepts: int, others: NDArray[np.int64]) -> list[int]:
    """Positions of what one turn mentions: the self, two concepts of its own, and `others`, chosen by popularity."""
    own = [CONCEPTS_PER_TURN * turn + k for k in range(CONCEPTS_PER_TURN)]
    return list(dict.fromkeys([0, *(i for i in own if i < concepts), *map(int, others)]))


def _concepts(
    ids: Sequence[str],
    labels: Sequence[str],
    kinds: Sequence[str],
    embedding: NDArray[np.float32],
    mentioned: Sequence[Sequence[int]],
) -> Iterator[dict[str, Any]]:
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    times = np.zeros(len(ids), dtype=int)
    for turn, among in enumerate(mentioned):
        for i in among:
            first.setdefault(i, turn + 1)
            last[i] = turn + 1
            times[i] += 1
    for i, id_ in enumerate(ids):
        age = len(mentioned) - last.get(i, 1)
        activation = 0.6 * 0.8**age if age < LIT_TURNS else 0.0
        yield {
            "properties": {
                "id": id_,
                "label": labels[i],
                "label_key": label_key(labels[i]),
                "label_text": labels[i],
                "aliases": [],
                "kind": kinds[i],
                "activation": 1.5 if i == 0 else activation,
                "strength": 0.0,
                "exposure": float(times[i]),
                "mentions": int(times[i]),
                "fixed": False,
                "first_turn": first.get(i, 1),
                "last_turn": last.get(i, 1),
            },
            "vector": written_vector(embedding[i]),
        }


def _associations(
    memory: str,
    ids: Sequence[str],
    kinds: Sequence[str],
    popularity: NDArray[np.float64],
    turns: int,
    seed: int,
    random: np.random.Generator,
) -> list[dict[str, Any]]:
    """ASSOCIATIONS per concept, every third one's first from the self, others by popularity; values are targets."""
    rows = []
    taken: set[str] = set()
    others = random.choice(len(ids), (len(ids), ASSOCIATIONS), p=popularity)
    relations = random.integers(0, len(_RELATIONS), (len(ids), ASSOCIATIONS))
    weights = random.uniform(0.5, 4.0, (len(ids), ASSOCIATIONS))
    for i in range(1, len(ids)):
        turn = min(i // CONCEPTS_PER_TURN, turns - 1)
        for k in range(ASSOCIATIONS):
            j = 0 if k == 0 and i % 3 == 0 else int(others[i, k])
            source, target = (j, i) if j == 0 or kinds[i] == "value" else (i, j)
            if source == target or kinds[source] == "value":
                continue
            relation = _RELATIONS[relations[i, k]]
            place = slot(memory, ids[source], relation)
            if single_valued(relation) and place in taken:  # nobody lives in two places
                relation = "likes"
                place = slot(memory, ids[source], relation)
            taken.add(place)
            properties = {
                "id": digest("association", seed, i, k),
                "relation": relation,
                "class": relation_class(relation),
                "slot": place,
                "weight": float(weights[i, k]),
                "negated": False,
                "contested": False,
                "first_turn": turn + 1,
                "last_turn": turn + 1,
                "count": 1,
                "stated_at": _at(turn),
                "records": [digest("record", seed, turn)],
            }
            rows.append({"source": ids[source], "target": ids[target], "properties": properties})
    return rows


def _records(
    mentioned: Sequence[Sequence[int]],
    labels: Sequence[str],
    embedding: NDArray[np.float32],
    associations: Sequence[dict[str, Any]],
    words: Sequence[str | None],
    seed: int,
) -> Iterator[dict[str, Any]]:
    """An episode a turn; every second turn has a reply. words: packed, of any texts."""
    stated: dict[str, list[str]] = {}
    for row in associations:
        stated.setdefault(row["properties"]["records"][0], []).append(row["properties"]["id"])
    for turn, among in enumerate(mentioned):
        id_ = digest("record", seed, turn)
        said = ", ".join(labels[i] for i in among[1:])
        mean = embedding[among[1:] or among].mean(axis=0)
        vector = written_vector((mean / np.linalg.norm(mean)).astype(np.float32))
        read = {"words": words[turn % len(words)]}
        text = _text(turn, [labels[i] for i in among[1:]])
        yield {"properties": _record(turn, "user", text, id_, stated.get(id_, [])) | read, "vector": vector}
        if turn % 2:
            reply = f"I will keep that in mind: {said}."
            id_ = digest("reply", seed, turn)
            yield {"properties": _record(turn, "assistant", reply, id_, []) | read, "vector": vector}


def _text(turn: int, labels: Sequence[str]) -> str:
    return f"{_OPENINGS[turn % len(_OPENINGS)]} {', '.join(labels)}."


def _record(turn: int, role: str, text: str, id_: str, associations: Sequence[str]) -> dict[str, Any]:
    shared = {
        "id": id_,
        "kind": "episode",
        "turn_id": f"synthetic-{turn}",
        "turn": turn + 1,
        "role": role,
        "speaker": SPEAKER if role == "user" else "Assistant",
        "session": f"session-{turn // 20}",
        "at": _at(turn),
        "text": text,
        "associations": list(associations),
    }
    if role == "assistant":
        return shared
    perceived = {"extractor": "given", "extraction": "done", "surprise": 0.5, "fixed": False, "acknowledged": True}
    return shared | perceived


def _at(turn: int) -> str:
    return (START + timedelta(hours=3 * turn)).isoformat()
