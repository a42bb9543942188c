"""The authored data is what it says it is: formats, gold labels, probes, counts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from locations import PROJECT as ROOT
from tables import table

from oroi_graph.evaluation.scoring import says
from oroi_graph.model import EXTRACTED_KINDS, EXTRACTION_SCHEMA, ExtractedRelation, Extraction, Replaced

DEMO = ROOT / "docs" / "demo"
DATA = ROOT / "tests" / "data"

PHENOMENA = (
    "recurrence",
    "updating",
    "multi-session",
    "multi-hop",
    "three-hop",
    "convergence",
    "distractors",
)
CROWDED = ("updating", "convergence", "distractors")  # probes of these must forbid something
FIRST_PERSONS = {"i", "me", "yo"}  # need not stand in the text: a verb may imply them ("Trabajo en …")


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


CONVERSATION = _lines(DEMO / "conversation.jsonl")
QUESTIONS: list[dict[str, Any]] = json.loads((DEMO / "questions.json").read_text(encoding="utf-8"))
SCENARIOS = _lines(DATA / "scenarios.jsonl")
PAIRS = _lines(DATA / "resonance_pairs.jsonl")

scenarios = pytest.mark.parametrize("scenario", SCENARIOS, ids=[s["id"] for s in SCENARIOS])
questions = pytest.mark.parametrize("question", QUESTIONS, ids=[q["question"] for q in QUESTIONS])


def _user_turns(scenario: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Extraction]]:
    for turn in scenario["turns"]:
        if turn["role"] == "user":
            yield turn, Extraction.from_json(turn["extraction"])


def _history(turns: list[dict[str, Any]]) -> str:
    return "\n".join(turn["text"] for turn in turns if turn["role"] == "user")


def _in_order(turns: list[dict[str, Any]]) -> bool:
    """Dates strictly ascend, carry a zone, and sessions only ever go up by one."""
    dates = [datetime.fromisoformat(turn["at"]) for turn in turns]
    sessions = [turn["session"] for turn in turns]
    return (
        all(date.tzinfo for date in dates)
        and all(a < b for a, b in pairwise(dates))
        and sessions[0] == 1
        and all(b - a in (0, 1) for a, b in pairwise(sessions))
    )


def test_conversation_is_turns_in_order() -> None:
    assert all(
        set(turn) == {"id", "role", "speaker", "text", "session", "at"} and turn["text"].strip()
        for turn in CONVERSATION
    )
    assert {(turn["role"], turn["speaker"]) for turn in CONVERSATION} == {
        ("user", "Ana"),
        ("assistant", "Oroi"),
    }
    assert len({turn["id"] for turn in CONVERSATION}) == len(CONVERSATION)
    assert _in_order(CONVERSATION)


def test_conversation_is_long_and_bilingual() -> None:
    assert len(CONVERSATION) >= 130
    sessions: dict[int, list[str]] = {}
    for turn in CONVERSATION:
        sessions.setdefault(turn["session"], []).append(turn["text"])
    spanish = [s for s, texts in sessions.items() if re.search(r"[¿¡]", " ".join(texts))]
    assert len(sessions) >= 7
    assert 2 <= len(spanish) <= len(sessions) - 4


@questions
def test_demo_question_has_its_answer_in_the_conversation(question: dict[str, Any]) -> None:
    assert set(question) == {"kind", "language", "question", "expect", "forbidden"}
    assert question["language"] in ("en", "es")
    history = _history(CONVERSATION)
    for phrase in (*question["expect"], *question["forbidden"]):
        assert says(history, [phrase])
        assert not says(question["question"], [phrase])


def test_demo_questions_cover_what_the_demo_shows() -> None:
    assert len(QUESTIONS) >= 8
    kinds = {question["kind"] for question in QUESTIONS}
    assert {"multi-hop", "updating", "date", "distractor", "person", "past", "silence"} <= kinds
    assert any(question["language"] == "es" for question in QUESTIONS)
    for question in QUESTIONS:
        assert bool(question["expect"]) == (question["kind"] != "silence")
        assert question["forbidden"] or question["kind"] not in ("updating", "distractor", "multi-hop")


def test_multi_hop_demo_chain_is_said_in_different_sessions() -> None:
    links = ("My sister is called Leire", "Leire's husband is Iker", "Iker works in Pamplona")
    sessions = [next(t["session"] for t in CONVERSATION if link in t["text"]) for link in links]
    assert len(set(sessions)) == len(links)


def test_scenarios_are_four_a_phenomenon_two_a_language() -> None:
    assert Counter((s["phenomenon"], s["language"]) for s in SCENARIOS) == {
        (phenomenon, language): 2 for phenomenon in PHENOMENA for language in ("en", "es")
    }
    assert len({s["id"] for s in SCENARIOS}) == len(SCENARIOS)


@scenarios
def test_scenario_shape(scenario: dict[str, Any]) -> None:
    assert set(scenario) == {"id", "phenomenon", "language", "turns", "probes"}
    assert re.fullmatch(rf"{scenario['phenomenon']}-\d\d", scenario["id"])
    turns = scenario["turns"]
    assert 6 <= len(turns) <= 14
    assert _in_order(turns)
    for turn in turns:
        keys = {"role", "speaker", "text", "session", "at"}
        assert set(turn) == (keys | {"extraction"} if turn["role"] == "user" else keys)
    assert {turn["role"] for turn in turns} == {"user", "assistant"}
    if scenario["phenomenon"] == "multi-session":
        assert turns[-1]["session"] >= 3


@scenarios
def test_gold_extraction_follows_the_schema(scenario: dict[str, Any]) -> None:
    for turn, extraction in _user_turns(scenario):
        jsonschema.validate(turn["extraction"], EXTRACTION_SCHEMA)
        assert all(concept.kind in EXTRACTED_KINDS for concept in extraction.concepts)
        assert len({concept.label for concept in extraction.concepts}) == len(extraction.concepts)


@scenarios
def test_gold_labels_are_as_said(scenario: dict[str, Any]) -> None:
    for turn, extraction in _user_turns(scenario):
        said = turn["text"].casefold()
        labels = {concept.label for concept in extraction.concepts}
        assert all(label.casefold() in said for label in labels)
        for relation in extraction.relations:
            for end in (relation.source, relation.target):
                assert end in labels or end.casefold() in FIRST_PERSONS


@scenarios
def test_gold_uptake_is_of_the_assistants_last_turn(scenario: dict[str, Any]) -> None:
    previous = ""
    for turn in scenario["turns"]:
        if turn["role"] == "assistant":
            previous = turn["text"].casefold()
            continue
        for relation in Extraction.from_json(turn["extraction"]).uptake:
            assert relation.source.casefold() in previous
            assert relation.target.casefold() in previous


@scenarios
def test_gold_replacement_replaces_something_said_before(scenario: dict[str, Any]) -> None:
    earlier: list[ExtractedRelation] = []
    replacements = 0
    for _, extraction in _user_turns(scenario):
        for relation in extraction.relations:
            if not relation.replaces:
                continue
            replacements += 1
            candidates = [old for old in earlier if old.source == relation.source]
            assert candidates
            if isinstance(relation.replaces, Replaced):
                named = (relation.replaces.relation, relation.replaces.target)
                assert named in {(old.relation, old.target) for old in candidates}
        earlier.extend(extraction.relations)
    assert (replacements > 0) == (scenario["phenomenon"] == "updating")


@scenarios
def test_probe_can_be_met_and_can_be_failed(scenario: dict[str, Any]) -> None:
    history = _history(scenario["turns"])
    assert scenario["probes"]
    for probe in scenario["probes"]:
        assert set(probe) == {"question", "required", "forbidden"}
        assert probe["required"]
        assert bool(probe["forbidden"]) == (scenario["phenomenon"] in CROWDED)
        for alternatives in (*probe["required"], *probe["forbidden"]):
            assert alternatives
            assert all(says(history, [phrase]) for phrase in alternatives)
            assert not any(says(probe["question"], [phrase]) for phrase in alternatives)


@scenarios
def test_no_turn_holds_both_required_and_forbidden(scenario: dict[str, Any]) -> None:
    for probe in scenario["probes"]:
        required = [phrase for alternatives in probe["required"] for phrase in alternatives]
        forbidden = [phrase for alternatives in probe["forbidden"] for phrase in alternatives]
        for turn in scenario["turns"]:
            wanted = any(says(turn["text"], [phrase]) for phrase in required)
            assert not (wanted and any(says(turn["text"], [phrase]) for phrase in forbidden))


@scenarios
def test_recurrent_fact_recurs_and_others_are_said_once(scenario: dict[str, Any]) -> None:
    times = {"recurrence": (3, 14), "convergence": (2, 2)}.get(scenario["phenomenon"], (1, 1))
    for probe in scenario["probes"]:
        for alternatives in probe["required"]:
            said = sum(
                any(says(turn["text"], [phrase]) for phrase in alternatives)
                for turn in scenario["turns"]
                if turn["role"] == "user"
            )
            assert times[0] <= said <= times[1]


@pytest.mark.parametrize(("phenomenon", "hops"), [("multi-hop", 2), ("three-hop", 3)])
def test_chain_is_as_long_as_its_phenomenon_says(phenomenon: str, hops: int) -> None:
    """From what the question names (never the self: it touches everything) to the answer, over the gold."""
    for scenario in SCENARIOS:
        if scenario["phenomenon"] != phenomenon:
            continue
        edges = [r for _, extraction in _user_turns(scenario) for r in extraction.relations]
        for probe in scenario["probes"]:
            assert _distance(probe["question"], probe["required"][0], edges) == hops, scenario["id"]


def _distance(question: str, answers: list[str], edges: list[ExtractedRelation]) -> int | None:
    """Fewest associations, either way, from a label in the question to an answer; None when there are none.

    "I" is a cue only where nothing else in the question is one, as a question about oneself has it.
    """
    ends = {end for edge in edges for end in (edge.source, edge.target)}
    named = {end for end in ends if end.casefold() not in FIRST_PERSONS and says(question, [end])}
    frontier = named or {end for end in ends if end.casefold() in FIRST_PERSONS}
    seen: set[str] = set()
    for distance in range(len(ends)):
        if frontier & set(answers):
            return distance
        seen |= frontier
        reached = {e.target for e in edges if e.source in frontier}
        reached |= {e.source for e in edges if e.target in frontier}
        frontier = reached - seen
    return None


def test_convergence_answer_is_the_only_one_with_both_cues() -> None:
    for scenario in SCENARIOS:
        if scenario["phenomenon"] != "convergence":
            continue
        edges = [r for _, extraction in _user_turns(scenario) for r in extraction.relations]
        for probe in scenario["probes"]:
            cues = {edge.target for edge in edges if says(probe["question"], [edge.target])}
            assert len(cues) == 2
            shared = {e.source: {x.target for x in edges if x.source == e.source} & cues for e in edges}
            both = [name for name, mine in shared.items() if mine == cues]
            assert both == probe["required"][0]
            forbidden = {phrase for alternatives in probe["forbidden"] for phrase in alternatives}
            assert {name for name, mine in shared.items() if len(mine) == 1} == forbidden


def test_pairs_shape() -> None:
    required = {"a", "b", "kind", "language", "same", "note"}
    for pair in PAIRS:
        extra = set(pair) - required
        assert required <= set(pair)
        assert extra <= {"language_a", "language_b", "hard"}
        assert pair["kind"] in EXTRACTED_KINDS
        assert isinstance(pair["same"], bool)
        assert all(pair[key].strip() == pair[key] != "" for key in ("a", "b", "note"))
        assert pair["language"] in ("en", "es", "en-es")
        mixed = (pair.get("language_a"), pair.get("language_b"))
        assert mixed == (("en", "es") if pair["language"] == "en-es" else (None, None))
        if "hard" in pair:  # two names in their own right that no lexical rule can tell from a misspelling
            assert (pair["hard"], pair["kind"], pair["same"]) == (True, "name", False)


def test_pairs_are_not_repeated() -> None:
    keys = Counter(
        (pair["kind"], frozenset(((pair["a"], pair.get("language_a")), (pair["b"], pair.get("language_b")))))
        for pair in PAIRS
        if pair["language"] == "en-es"
    ) + Counter(
        (pair["kind"], pair["language"], frozenset((pair["a"], pair["b"])))
        for pair in PAIRS
        if pair["language"] != "en-es"
    )
    assert [key for key, count in keys.items() if count > 1] == []
    assert all(len({pair["a"], pair["b"]}) == 2 or pair["language"] == "en-es" for pair in PAIRS)


def test_pairs_are_enough_and_balanced() -> None:
    assert len(PAIRS) >= 220
    for language in ("en", "es"):
        concepts = [p for p in PAIRS if p["kind"] == "concept" and p["language"] == language]
        assert len(concepts) >= 60
        assert 0.35 <= sum(p["same"] for p in concepts) / len(concepts) <= 0.65
    counts = Counter((pair["kind"], pair["same"]) for pair in PAIRS)
    assert all(counts[kind, same] >= 20 for kind in ("name", "value") for same in (True, False))


@table(
    ("a", "b", "same"),
    [
        ("FedEx", "FedEx Office", False),
        ("Ana Ruiz", "Ana Ruíz", True),
        ("Ana", "Ana Ruiz", False),
        ("15,000 euros", "60,000 euros", False),
        ("15,000 EUR", "15.000 €", True),
        ("my boss", "my old boss", False),
        ("Paris (city)", "Paris (person)", False),
        ("Guggen", "Guggenheim Museum", True),
        ("Jon", "John", False),
    ],
)
def test_known_traps_are_among_the_pairs(a: str, b: str, same: bool) -> None:
    assert [pair["same"] for pair in PAIRS if {pair["a"], pair["b"]} == {a, b}] == [same]
