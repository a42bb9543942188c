"""Resonance on the labelled pairs: the threshold's operating point, and the rules one by one."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from locations import DATA
from tables import table

from oroi_graph.entities import linker
from oroi_graph.entities.label_similarity import grade
from oroi_graph.entities.linker import rescue, same_concept, whole_token_subset
from oroi_graph.entities.mentions import Mention
from oroi_graph.entities.resolution import decide
from oroi_graph.language.normalize import label_key
from oroi_graph.language.values import canonical_value
from oroi_graph.model import ConceptKind
from oroi_graph.providers.protocols import Embedder

TRAPS = [json.loads(line) for line in (DATA / "resolution_pairs.jsonl").read_text(encoding="utf-8").splitlines()]
PAIRS = [json.loads(line) for line in (DATA / "resonance_pairs.jsonl").read_text(encoding="utf-8").splitlines()]
# What each group reaches today; precision is the requirement, recall is reported and must not fall.
RECALL = {("concept", "en"): 0.50, ("concept", "es"): 0.45, ("name", "en"): 1.0, ("name", "es"): 1.0,
          ("value", "en"): 1.0, ("value", "es"): 1.0, ("value", "en-es"): 1.0}  # fmt: skip


def same(pair: dict[str, Any], embedder: Embedder) -> bool:
    """What perception would decide about a pair."""
    a, b = pair["a"], pair["b"]
    if pair["kind"] == "value":
        first = canonical_value(a, pair.get("language_a", pair.get("language")), None) or label_key(a)
        second = canonical_value(b, pair.get("language_b", pair.get("language")), None) or label_key(b)
        return first == second
    if label_key(a) == label_key(b):
        return True
    vectors = embedder.embed([a, b])
    cosine = float(vectors[0] @ vectors[1])
    return merges(a, b, pair["kind"], cosine) or merges(b, a, pair["kind"], cosine)


def merges(said: str, known: str, kind: ConceptKind, cosine: float) -> bool:
    """Whether `said` becomes `known`, the only stored concept, both of one kind."""
    stored = {"id": "known", "label": known, "kind": kind, "aliases": [], "score": cosine}
    row = {"exact": [], "lexical": [stored], "similar": [stored] if kind == "concept" else []}
    return decide(Mention(said, said, label_key(said), kind), row).match is not None


def language_of(pair: dict[str, Any]) -> str:
    """The pair's language, or both of them."""
    return str(pair.get("language") or f"{pair['language_a']}-{pair['language_b']}")


def figures(pairs: list[dict[str, Any]], embedder: Embedder) -> tuple[float, float]:
    """(precision, recall) over some pairs."""
    judged = [(pair["same"], same(pair, embedder)) for pair in pairs]
    positive = sum(answer for _, answer in judged)
    right = sum(truth and answer for truth, answer in judged)
    return right / positive if positive else 1.0, right / sum(truth for truth, _ in judged)


@pytest.mark.parametrize(("kind", "language"), sorted(RECALL))
def test_precision_is_99_percent_in_every_kind_and_language(kind: str, language: str, minilm: Embedder) -> None:
    pairs = [p for p in PAIRS if p["kind"] == kind and language_of(p) == language and not p.get("hard")]
    precision, recall = figures(pairs, minilm)
    print(f"{kind} {language}: precision {precision:.3f}, recall {recall:.3f}, n {len(pairs)}")  # noqa: T201
    assert precision >= 0.99
    assert recall >= RECALL[kind, language]


def test_hard_names_are_counted_apart(minilm: Embedder) -> None:
    """Two names that differ as a slip of the hand does can only be told apart by knowing which words are names."""
    hard = [p for p in PAIRS if p.get("hard")]
    wrong = [(p["a"], p["b"]) for p in hard if same(p, minilm) != p["same"]]
    assert wrong == []


@pytest.mark.parametrize(
    ("half", "precision", "recall"),
    [("dev", 0.97, 0.85), ("sealed-1", 0.99, 0.81), ("sealed-2", 0.98, 0.85), ("sealed-3", 0.99, 0.51)],
)
def test_traps_stay_apart(half: str, precision: float, recall: float, minilm: Embedder) -> None:
    """Figures of decisions 0301 and 0302: word order, accents, digits, gendered names, beginnings of other names."""
    reached = figures([p for p in TRAPS if p["half"] == half], minilm)
    print(f"{half}: precision {reached[0]:.3f}, recall {reached[1]:.3f}")  # noqa: T201
    assert reached[0] >= precision
    assert reached[1] >= recall


@pytest.mark.parametrize(
    ("said", "known", "kind"),
    [
        ("Cali", "California", "name"),
        ("Christine", "Christina", "name"),
        ("Server24", "Server4", "name"),
        ("server24", "server4", "concept"),
        ("Serverⅴ", "Serverⅳ", "name"),
        ("Rocky III", "Rocky II", "name"),
        ("plan B", "plan A", "concept"),
        ("Server thirty", "Server twenty", "concept"),
        ("room 2 1", "room 1 2", "concept"),
        ("milk chocolate", "chocolate milk", "concept"),
        ("campaña", "campana", "concept"),
    ],
)
def test_reported_traps_stay_apart(said: str, known: str, kind: ConceptKind) -> None:
    assert not merges(said, known, kind, 0.99)


@pytest.mark.parametrize("kind", ["name", "concept"])
def test_no_two_numbers_are_one_thing(kind: ConceptKind) -> None:
    """Whatever a label looks like, a changed, lost, added or swapped digit makes another thing, for sleep as well."""
    choose = random.Random(7)
    shapes = ("Server{}", "server {}", "agent-{}", "Room {}B", "v{}.1", "GPT-{} turbo", "Boeing{}", "{} Elm Street")
    for _ in range(400):
        shape = choose.choice(shapes)
        digits = "".join(choose.choices("0123456789", k=choose.randint(1, 7)))
        other = list(digits)
        match choose.randrange(3):
            case 0:
                other[choose.randrange(len(other))] = choose.choice("0123456789")
            case 1:
                other.insert(choose.randrange(len(other) + 1), choose.choice("0123456789"))
            case _:
                choose.shuffle(other)
        a, b = shape.format(digits), shape.format("".join(other))
        if a != b:
            assert not merges(a, b, kind, 0.99), (a, b)
            assert grade(a, b, kind, 0.99) is None, (a, b)


def test_tau_is_the_lowest_that_keeps_precision(minilm: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linker, "SIMILAR", linker.SIMILAR - 0.02)
    alike = []
    for pair in (p for p in PAIRS if p["kind"] == "concept"):
        vectors = minilm.embed([pair["a"], pair["b"]])
        if same_concept(pair["a"], pair["b"], float(vectors[0] @ vectors[1])):
            alike.append(pair["same"])
    assert sum(alike) / len(alike) < 0.99


@table(
    ("said", "names", "found"),
    [
        ("Guggen", ["Guggenheim Museum"], 0),
        ("Guggen", ["Guggenheim Museum", "Guggenheim Bilbao"], None),
        ("Ana Ruíz", ["Ana Ruiz"], 0),
        ("FedEx", ["FedEx Office"], None),
        ("Ana", ["Ana Ruiz"], None),
        ("Marta", ["Maria"], None),
        ("Room 12", ["Room 13"], None),
        ("", ["Ana"], None),
        ("Ana", [], None),
    ],
)
def test_rescue_is_for_one_clear_candidate(said: str, names: list[str], found: int | None) -> None:
    rescued = rescue(said, names)
    assert (rescued[0] if rescued else None) == found


def test_subsets_are_whole_words() -> None:
    assert whole_token_subset("FedEx", "FedEx Office")
    assert whole_token_subset("Ana Ruiz", "Ana")
    assert not whole_token_subset("Guggen", "Guggenheim Museum")
    assert not whole_token_subset("Ana", "Ana")
