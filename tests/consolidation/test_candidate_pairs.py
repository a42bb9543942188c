"""Near-duplicates: the policy on the labelled pairs, what speaks against a pair, and both ways of finding them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from graph_view import concepts, own_memory, rows, stating
from locations import DATA
from tables import table

from oroi_graph import Graph, Memory
from oroi_graph.consolidation.candidate_pairs import CandidatePair, Found, Method, near_duplicates
from oroi_graph.entities import name_blocking
from oroi_graph.entities.label_similarity import forms, grade
from oroi_graph.entities.name_blocking import alike_names, same_forms
from oroi_graph.entities.nearest_neighbors import NEAREST, Nearest, few
from oroi_graph.errors import MemoryNotFoundError
from oroi_graph.providers.protocols import Embedder

PAIRS = [json.loads(line) for line in (DATA / "merge_pairs.jsonl").read_text(encoding="utf-8").splitlines()]
# Recall of what is merged without a judge, and of what a judge gets to see besides: reported, and must not fall.
RECALL = {
    ("concept", "en"): (0.66, 0.78), ("concept", "es"): (0.52, 0.66), ("concept", "pt"): (0.58, 0.71),
    ("name", "en"): (0.81, 0.93), ("name", "es"): (0.87, 1.0), ("name", "pt"): (0.80, 1.0),
}  # fmt: skip
# Labels of different pairs that are one all the same: they are of two languages, or of two pairs about one thing.
ALSO_SAME = {("fotografia", "fotografía"), ("agua fría", "água fria"), ("ex-marido", "exmarido")}


@pytest.fixture(scope="module")
def vectors(minilm: Embedder) -> dict[str, Any]:
    """The vectors of all labels."""
    labels = sorted({label for pair in PAIRS for label in (pair["a"], pair["b"])})
    return dict(zip(labels, minilm.embed(labels), strict=True))


# The policy


def test_there_are_enough_pairs_of_every_language() -> None:
    for language in ("en", "es", "pt"):
        some = [p for p in PAIRS if p["language"] == language]
        assert len(some) >= 100
        assert {p["same"] for p in some} == {True, False}
    assert len(PAIRS) >= 320
    assert len({(p["kind"], p["language"], *sorted((p["a"], p["b"]))) for p in PAIRS}) == len(PAIRS)


@pytest.mark.parametrize(("kind", "language"), sorted(RECALL))
def test_automatic_precision_is_99_percent(kind: str, language: str, vectors: dict[str, Any]) -> None:
    some = [p for p in PAIRS if (p["kind"], p["language"]) == (kind, language)]
    likes = [(p, grade(p["a"], p["b"], kind, float(vectors[p["a"]] @ vectors[p["b"]]))) for p in some]
    automatic = [p for p, like in likes if like is not None and like.grade == "automatic"]
    wrong = [(p["a"], p["b"]) for p in automatic if not p["same"]]
    assert 1 - len(wrong) / len(automatic) >= 0.99, wrong
    same = sum(p["same"] for p in some)
    merged, judged = RECALL[kind, language]
    assert len(automatic) / same >= merged
    assert sum(p["same"] for p, like in likes if like is not None) / same >= judged


@pytest.mark.parametrize("kind", ["concept", "name"])
def test_labels_of_different_pairs_are_never_automatic(kind: str, vectors: dict[str, Any]) -> None:
    """Two hundred thousand pairs that nobody had in mind when the rules were made."""
    labels = sorted({label for p in PAIRS if p["kind"] == kind for label in (p["a"], p["b"])})
    known = {tuple(sorted((p["a"], p["b"]))) for p in PAIRS}
    cosines = np.stack([vectors[label] for label in labels]) @ np.stack([vectors[label] for label in labels]).T
    found = set()
    for i, j in combinations(range(len(labels)), 2):
        # By meaning only what is near can be automatic, by spelling only what shares a form of its words.
        if cosines[i, j] >= 0.6 or forms(labels[i]) & forms(labels[j]):
            like = grade(labels[i], labels[j], kind, float(cosines[i, j]))
            if like is not None and like.grade == "automatic" and (labels[i], labels[j]) not in known:
                found.add((labels[i], labels[j]))
    assert found == (ALSO_SAME if kind == "concept" else set())


@table("pair", PAIRS, ids=lambda p: f"{p['a']}|{p['b']}")
def test_order_does_not_matter(pair: dict[str, Any]) -> None:
    for cosine in (0.3, 0.7, 0.95):
        assert grade(pair["a"], pair["b"], pair["kind"], cosine) == grade(pair["b"], pair["a"], pair["kind"], cosine)


@pytest.mark.parametrize("cosine", [0.0, 0.95, 1.0])
def test_names_are_never_alike_by_meaning_and_values_never_at_all(cosine: float) -> None:
    assert grade("Ana Ruiz", "Ana Gil", "name", cosine) is None
    assert grade("Madrid", "Barcelona", "name", cosine) is None
    for kind in ("value", "self"):
        assert grade("15 euros", "15 Euros", kind, cosine) is None


@table(
    ("a", "b", "kind", "cosine", "expected"),
    [
        ("film", "movie", "concept", 0.91, ("automatic", "similar")),
        ("film", "movie", "concept", 0.84, ("doubtful", "similar")),
        ("film", "movie", "concept", 0.79, None),
        ("lab results", "laboratory results", "concept", 0.99, ("doubtful", "similar")),
        ("lab results", "laboratory results", "concept", 0.84, None),
        ("vegetable garden", "vegetbale garden", "concept", 0.63, ("automatic", "spelling")),
        ("vegetable garden", "vegetbale garden", "concept", 0.5, ("doubtful", "spelling")),
        ("vegetable", "vegetbale", "concept", 0.99, ("doubtful", "spelling")),
        ("hotel", "hotéis", "concept", 0.15, ("automatic", "spelling")),
        ("market", "marketing", "concept", 0.89, ("doubtful", "similar")),
        ("letter for grandma", "grandma's letter", "concept", 0.9, ("doubtful", "similar")),
        ("hijo médico", "hijo del médico", "concept", 0.9, ("doubtful", "similar")),
        ("smoker", "not a smoker", "concept", 0.99, None),
        ("hermano", "hermana", "concept", 0.99, None),
        ("line 3", "line 5", "concept", 0.99, None),
        ("Ana", "Ana Ruiz", "name", 0.0, ("doubtful", "subset")),
        ("Ruiz Ana", "Ana Ruiz", "name", 0.0, ("doubtful", "spelling")),
        ("Guggen", "Guggenheim Museum", "name", 0.0, ("doubtful", "spelling")),
        ("Guadalajara", "Guadaljara", "name", 0.0, ("automatic", "spelling")),
        ("Malaga", "Málaga", "name", 0.0, ("automatic", "spelling")),
        ("Peña", "Pena", "name", 1.0, ("doubtful", "spelling")),
        ("", "Ana", "name", 1.0, None),
        ("…", "!", "concept", 0.7, None),
    ],
)
def test_grades(a: str, b: str, kind: str, cosine: float, expected: tuple[str, str] | None) -> None:
    like = grade(a, b, kind, cosine)
    assert (None if like is None else (like.grade, like.why)) == expected


# Candidates


def test_forms_of_the_same_words_meet_without_vectors() -> None:
    labels = {"1": "hotel", "2": "hotéis", "3": "micro-ondas", "4": "microondas", "5": "motel", "6": "los hoteles"}
    assert same_forms(labels, frozenset({"1", "3"})) == {("1", "2"), ("1", "6"), ("3", "4")}
    assert same_forms(labels, frozenset()) == set()


def slow_names(labels: dict[str, str], new: frozenset[str]) -> set[tuple[str, str]]:
    """The obvious way: every pair that has a grade."""
    return {
        (a, b)
        for a, b in combinations(sorted(labels), 2)
        if (a in new or b in new) and grade(labels[a], labels[b], "name", 0.0) is not None
    }


@pytest.mark.parametrize("which", ["all", "half", "other half", "one"])
def test_names_are_found_as_if_all_were_compared(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_blocking, "MOST_LINKS", 1_000)
    said = sorted({label for p in PAIRS if p["kind"] == "name" for label in (p["a"], p["b"])})
    labels = {f"{i:03d}": label for i, label in enumerate(said)}
    chosen = {"all": slice(None), "half": slice(0, None, 2), "other half": slice(1, None, 2), "one": slice(40, 41)}
    new = frozenset(sorted(labels)[chosen[which]])
    wanted, found = slow_names(labels, new), alike_names(labels, new)
    assert {(labels[a], labels[b]) for a, b in wanted - found} == set()
    assert len(found) < len(labels) * 5


def test_a_short_name_is_paired_with_a_few_longer_ones_only() -> None:
    labels = {"0": "Ana"} | {str(i): f"Ana {surname}" for i, surname in enumerate(["Ruiz", "Gil", "Otegi", "Vidal"], 1)}
    assert alike_names(labels, frozenset({"0"})) == {("0", "1"), ("0", "2"), ("0", "3")}
    assert alike_names(labels, frozenset(labels)) == {("0", "1"), ("0", "2"), ("0", "3")}
    assert alike_names(labels, frozenset({"4"})) == {("0", "4")}


def test_nearest_is_what_sorting_everything_gives() -> None:
    random = np.random.default_rng(3)
    vectors = random.standard_normal((2500, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[7] = vectors[11] = vectors[2000]  # ties go to the first
    queries = vectors[:1300]
    nearest = Nearest(len(queries), 0.6)
    for start in range(0, len(vectors), 700):
        part = vectors[start : start + 700]
        at = np.arange(start, start + len(part))
        nearest.offer(queries, part, np.where(at < len(queries), at, -1))
    cosines = queries @ vectors.T
    cosines[np.arange(len(queries)), np.arange(len(queries))] = -2
    for row in (0, 7, 11, 500, 1100, 1299):
        order = np.argsort(-np.round(cosines[row], 5), kind="stable")[:NEAREST]
        wanted = [int(i) for i in order if cosines[row, i] >= 0.6]
        assert [column for column, _ in nearest.of(row)] == wanted
        np.testing.assert_allclose([s for _, s in nearest.of(row)], cosines[row, wanted], atol=1e-6)


def test_the_index_is_asked_when_few_are_new() -> None:
    assert few(1, 1000)
    assert not few(1000, 1000)
    assert few(0, 0)


# In a memory


@pytest.fixture
def remembered(graph: Graph) -> Iterator[Memory]:
    """A memory of its own."""
    with own_memory(graph) as memory:
        yield memory


def say(memory: Memory, number: int, *relations: Any, **listed: Any) -> None:
    """One turn of given relations and concepts, closed."""
    text = ". ".join(" ".join(map(str, r)) for r in relations if isinstance(r, tuple)) or f"Turn {number}"
    memory.perceive(text, speaker="Zoe", id=f"t{number}", extraction=stating(*relations, **listed)).close("Ok.")


def add(memory: Memory, label: str, turn: int, kind: str = "concept") -> None:
    """A concept that perception would have taken for another one, as if the index had overlooked that one."""
    add_all(memory, [(label, turn)], kind)


def add_all(memory: Memory, labels: list[tuple[str, int]], kind: str = "concept") -> None:
    """Concepts by label and first turn, in one transaction."""
    vectors = memory.graph.embedder.embed([label for label, _ in labels])
    rows = [
        {"id": f"{kind}-{label}", "label": label, "key": label.casefold(), "turn": turn, "vector": vector.tolist()}
        for (label, turn), vector in zip(labels, vectors, strict=True)
    ]
    memory.graph.store.schema(
        "UNWIND $rows AS row CREATE (c:Concept:IndexedConcept {memory: $memory, id: row.id, kind: $kind, "
        "label: row.label, label_key: row.key, aliases: [], activation: 0.0, strength: 0.0, exposure: 0.0, "
        "mentions: 1, fixed: false, first_turn: row.turn, last_turn: row.turn, "
        "embedding: row.vector, label_text: row.label, memory_key: 'x'})",
        memory=memory.name, kind=kind, rows=rows,
    )  # fmt: skip


def link(memory: Memory, source: str, relation: str, target: str, **properties: Any) -> None:
    """An association between concepts made by `add` (label, or kind-label)."""
    memory.graph.store.schema(
        "MATCH (s:Concept {memory: $memory, id: $source}), (t:Concept {memory: $memory, id: $target}) "
        "CREATE (s)-[a:ASSOCIATED]->(t) SET a = $properties",
        memory=memory.name, source=f"concept-{source}", target=f"concept-{target}",
        properties={"memory": memory.name, "id": f"{source}-{relation}-{target}", "relation": relation,
                    "class": relation, "negated": False, "weight": 1.0, **properties},
    )  # fmt: skip


def find(memory: Memory, since: int = 0, method: Method | None = None) -> Found:
    return near_duplicates(memory.graph.store, memory.name, since, method=method)


def graded(found: Found) -> dict[tuple[str, ...], tuple[str, str]]:
    """{labels: (grade, why)}."""
    return {tuple(sorted((n.label_a, n.label_b))): (n.grade, n.why) for n in found.pairs}


def only(found: Found) -> CandidatePair:
    (near,) = found.pairs
    return near


@pytest.mark.parametrize("method", ["index", "blockwise", None])
def test_pairs_of_which_one_is_new_are_found(remembered: Memory, method: Method) -> None:
    for label, turn in (("kettle", 1), ("kettles", 1), ("lamp", 1), ("lamps", 5), ("sofa", 5), ("harbour", 5)):
        add(remembered, label, turn)
    assert graded(find(remembered, 1, method)) == {("lamp", "lamps"): ("automatic", "spelling")}
    found = find(remembered, 0, method)
    assert graded(found).keys() == {("kettle", "kettles"), ("lamp", "lamps")}
    assert (found.new, found.among) == (6, 6)
    assert find(remembered, 5, method).pairs == ()
    near = found.pairs[0]
    assert near.a < near.b
    assert 0.8 < near.score <= 1.0


def test_both_ways_find_the_same(remembered: Memory) -> None:
    labels = sorted(
        {label for p in PAIRS if p["kind"] == "concept" and p["language"] != "es" for label in (p["a"], p["b"])}
    )
    distinct = {label.casefold(): label for label in labels}.values()
    add_all(remembered, [(label, 1 + i % 2) for i, label in enumerate(distinct)])
    blockwise, index = find(remembered, 1, "blockwise"), find(remembered, 1, "index")
    assert blockwise.pairs == index.pairs
    assert len(blockwise.pairs) > 90
    order = [(n.grade != "automatic", -n.score, n.a, n.b) for n in blockwise.pairs]
    assert order == sorted(order)


def test_other_kinds_and_other_memories_stay_out(remembered: Memory, graph: Graph) -> None:
    add(remembered, "kettle", 1)
    add(remembered, "kettles", 1, "name")
    add(remembered, "15 euros", 1, "value")
    add(remembered, "15 euro", 1, "value")
    with pytest.raises(MemoryNotFoundError):
        near_duplicates(graph.store, "nobody-at-all", 0)
    with own_memory(graph) as other:
        add(other, "kettles", 1)
        assert find(remembered).pairs == find(other).pairs == ()


def test_an_empty_memory_has_none(remembered: Memory) -> None:
    for method in ("index", "blockwise", None):
        assert find(remembered, 0, method).pairs == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("facts", "against"),
    [
        ([], ()),
        ([("kettle", "likes", "lamp", {}), ("kettles", "likes", "sofa", {})], ()),
        ([("kettle", "lives in", "lamp", {}), ("kettles", "lives in", "lamp", {})], ()),
        ([("kettle", "lives in", "lamp", {}), ("kettles", "lives in", "sofa", {})], ("differing",)),
        ([("kettle", "favourite film", "lamp", {}), ("kettles", "favourite film", "sofa", {})], ("differing",)),
        ([("kettle", "lives in", "lamp", {"superseded_turn": 2}), ("kettles", "lives in", "sofa", {})], ()),
        ([("kettle", "lives in", "lamp", {"negated": True}), ("kettles", "lives in", "sofa", {})], ()),
        ([("kettle", "likes", "lamp", {"negated": True}), ("kettles", "likes", "lamp", {})], ("denied",)),
        ([("lamp", "likes", "kettle", {"negated": True}), ("lamp", "likes", "kettles", {})], ("denied",)),
        ([("lamp", "likes", "kettle", {"negated": True}), ("kettles", "likes", "lamp", {})], ()),
        ([("kettle", "is part of", "kettles", {})], ("associated",)),
        ([("kettle", "maybe same", "kettles", {})], ()),
        (
            [("sofa", "has", "kettle", {"superseded_turn": 2, "superseded_by": "sofa-has-kettles"}),
             ("sofa", "has", "kettles", {})],
            ("replaced",),
        ),
    ],
)  # fmt: skip
def test_what_speaks_against_a_pair_makes_it_doubtful(
    remembered: Memory, facts: list[tuple[str, str, str, dict[str, Any]]], against: tuple[str, ...]
) -> None:
    for label in ("kettle", "kettles", "lamp", "sofa"):
        add(remembered, label, 1)
    for source, relation, target, properties in facts:
        link(remembered, source, relation, target, **properties)
    near = only(find(remembered))
    assert (near.label_a, near.label_b) == ("kettle", "kettles")
    assert near.against == against
    assert near.grade == ("doubtful" if against else "automatic")


def test_two_of_one_record_are_doubtful(remembered: Memory) -> None:
    say(remembered, 1, ("Zoe", "bought", "kettle"), ("Zoe", "sold", "kettles"), concepts=["kettle", "kettles"])
    near = only(find(remembered))
    assert (near.grade, near.against) == ("doubtful", ("together",))


def compare(memory: Memory, a: str, b: str, verdict: str) -> None:
    ids = concepts(memory)
    row = {"a": ids[a]["id"], "b": ids[b]["id"], "verdict": verdict, "by": "x", "score": 1.0, "method": "x", "turn": 1}
    memory.graph.store.write_rows("consolidation/write_compared", memory=memory.name, rows=[row])


def test_what_was_found_apart_is_not_found_again(remembered: Memory) -> None:
    add(remembered, "kettle", 1)
    add(remembered, "kettles", 1)
    compare(remembered, "kettles", "kettle", "apart")
    assert find(remembered).pairs == ()
    compare(remembered, "kettles", "kettle", "doubtful")
    assert only(find(remembered)).grade == "automatic"


def test_what_waits_for_a_judge_is_found_when_it_is_old(remembered: Memory) -> None:
    add(remembered, "wheel", 1)
    add(remembered, "bicycle", 1)
    assert find(remembered, 0).pairs == ()
    compare(remembered, "wheel", "bicycle", "doubtful")
    near = only(find(remembered, 9))
    assert (near.grade, near.why, near.kind) == ("doubtful", "similar", "concept")


def test_names_linked_as_maybe_same_are_doubtful_however_old(remembered: Memory) -> None:
    say(remembered, 1, ("Ana Ruiz", "likes", "tea"), names=["Ana Ruiz"])
    say(remembered, 2, ("Ana", "likes", "coffee"), names=["Ana"])
    assert rows(remembered, "MATCH (:Concept {memory: $memory})-[a:ASSOCIATED {class: 'maybe same'}]->() RETURN a.id")
    near = only(find(remembered, 9))
    assert (near.grade, near.why, near.kind) == ("doubtful", "subset", "name")
    assert 0 < near.score < 1


@pytest.mark.parametrize("other", ["Guadaljarra", "Guadaljera"])
def test_a_name_with_two_that_it_may_misspell_is_doubtfully_each(remembered: Memory, other: str) -> None:
    add(remembered, "Guadaljara", 3, "name")
    add(remembered, "Guadalajara", 1, "name")
    assert only(find(remembered, 2)).grade == "automatic"
    add(remembered, other, 1, "name")
    assert {near.grade for near in find(remembered, 2).pairs} == {"doubtful"}
    assert len(find(remembered, 2).pairs) == 2


def test_three_become_one_only_if_every_two_would(remembered: Memory) -> None:
    for label in ("kettle", "kettles", "the kettle"):
        add(remembered, label, 1)
    assert {near.grade for near in find(remembered).pairs} == {"automatic"}
    assert len(find(remembered).pairs) == 3
    compare(remembered, "the kettle", "kettles", "apart")
    assert [near.grade for near in find(remembered).pairs] == ["doubtful", "doubtful"]


def test_it_stops_when_it_is_told_to(remembered: Memory) -> None:
    add(remembered, "kettle", 1)

    def look() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        near_duplicates(remembered.graph.store, remembered.name, 0, look=look)
