"""Reading scenarios, LoCoMo and MuSiQue: what is used, what is left out and counted, which line is wrong."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from evaluation_files import LOCOMO, PASSAGES, QUESTIONS, jsonl, locomo_file, musique_files
from locations import DATA
from tables import table

from oroi_graph.errors import InputError
from oroi_graph.evaluation.datasets.locomo import evidence_ids, read_conversations
from oroi_graph.evaluation.datasets.musique import kind_of, read_passages
from oroi_graph.evaluation.datasets.scenarios import read_scenarios
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.model import Extraction

SCENARIOS = DATA / "scenarios.jsonl"

SCENARIO: dict[str, Any] = {
    "id": "s-1",
    "phenomenon": "updating",
    "language": "en",
    "turns": [
        {"role": "user", "speaker": "Ana", "text": "I live in Bilbao.", "session": 1, "at": "2026-01-03T10:00:00Z",
         "extraction": {"relations": [{"source": "I", "relation": "live in", "target": "Bilbao"}]}},
        {"role": "assistant", "text": "A fine town."},
        {"role": "user", "speaker": "Ana", "text": "Hm."},
    ],
    "probes": [{"question": "Where does Ana live?", "required": [["Bilbao"]], "forbidden": [["Irun"]]}],
}  # fmt: skip


def changed(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(SCENARIO), **changes}


def probe(**changes: Any) -> dict[str, Any]:
    return changed(probes=[SCENARIO["probes"][0] | changes])


# -- scenarios ---------------------------------------------------------------------------------------------


def test_a_probe_may_have_a_phenomenon_of_its_own(tmp_path: Path) -> None:
    probes = [SCENARIO["probes"][0], {**SCENARIO["probes"][0], "phenomenon": "past"}]
    dataset = read_scenarios(jsonl(tmp_path / "s.jsonl", [{**SCENARIO, "probes": probes}]))
    assert [question.groups for question in dataset.cases[0].questions] == [("updating",), ("past",)]
    assert dataset.groups == ("updating", "past")
    wrong = {**SCENARIO["probes"][0], "phenomenon": 3}
    with pytest.raises(InputError, match="phenomenon"):
        read_scenarios(jsonl(tmp_path / "w.jsonl", [{**SCENARIO, "probes": [wrong]}]))


def test_a_scenario_is_read_with_its_gold(tmp_path: Path) -> None:
    dataset = read_scenarios(jsonl(tmp_path / "s.jsonl", [SCENARIO]))
    (case,) = dataset.cases
    assert [s.turn.text for s in case.turns] == ["I live in Bilbao.", "A fine town.", "Hm."]
    assert case.turns[0].extraction is not None
    assert case.turns[0].extraction.relations[0].target == "Bilbao"
    assert case.turns[1].extraction is None
    assert case.turns[2].extraction == Extraction()  # says nothing: nobody else is asked
    (question,) = case.questions
    assert (question.required, question.forbidden, question.groups) == ((("Bilbao",),), (("Irun",),), ("updating",))
    assert question.budget is None
    assert dataset.groups == ("updating",)
    assert dataset.metrics == ("recall_at_context", "evidence", "stale", "marked", "empty")


def test_a_probe_may_ask_for_silence_and_have_a_budget_of_its_own(tmp_path: Path) -> None:
    silence = {"question": "Where is Ana's boat?", "required": [], "forbidden": [["Bilbao"]], "budget": 120}
    unsaid = {"question": "Where is Ana's boat?", "forbidden": [["Bilbao"]]}
    (case,) = read_scenarios(jsonl(tmp_path / "s.jsonl", [changed(probes=[silence, unsaid])])).cases
    assert [(q.required, q.forbidden, q.budget) for q in case.questions] == [
        ((), (("Bilbao",),), 120),
        ((), (("Bilbao",),), None),
    ]


def test_without_gold_the_turns_are_left_to_the_extractor(tmp_path: Path) -> None:
    (case,) = read_scenarios(jsonl(tmp_path / "s.jsonl", [SCENARIO]), "offline").cases
    assert [scripted.extraction for scripted in case.turns] == [None, None, None]


def test_a_limit_takes_the_first() -> None:
    assert [case.name for case in read_scenarios(SCENARIOS, limit=2).cases] == ["recurrence-01", "recurrence-02"]
    assert len(read_scenarios(SCENARIOS).cases) > 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("broken", "line 2: expected a JSON object, got str"),
        (changed(id="s-1"), "line 2: the id 's-1' was used at s.jsonl line 1"),
        (changed(id=""), "line 2: 'id' must be text"),
        (changed(id="x", phenomenon=None), "line 2: 'phenomenon' must be text, got None"),
        (changed(id="x", turns=[]), "line 2: 'turns' must be a list with at least one item"),
        (changed(id="x", turns=[{"text": "a"}, {"role": "user"}]), "line 2 (turn 2): the turn has no text"),
        (changed(id="x", turns=[{"text": "a", "at": "noon"}]), "line 2 (turn 1): at must be an ISO time"),
        (changed(id="x", turns=[{"text": "a", "extraction": {"relation": 1}}]), "line 2 (turn 1): extraction does not"),
        (probe(question=" ") | {"id": "x"}, "line 2 (probe 1): 'question' must be text"),
        (probe(required=[], forbidden=[]) | {"id": "x"}, "line 2 (probe 1): 'required' or 'forbidden' must name"),
        (changed(id="x", probes=[{"question": "Who?"}]), "line 2 (probe 1): 'required' or 'forbidden' must name"),
        (probe(budget=0) | {"id": "x"}, "line 2 (probe 1): 'budget' must be a whole number of tokens, at least 1"),
        (probe(budget=-5) | {"id": "x"}, "line 2 (probe 1): 'budget' must be a whole number of tokens, at least 1"),
        (probe(budget=64.5) | {"id": "x"}, "at least 1, got 64.5"),
        (probe(budget="64") | {"id": "x"}, "line 2 (probe 1): 'budget' must be a whole number of tokens, at least 1"),
        (probe(budget=True) | {"id": "x"}, "line 2 (probe 1): 'budget' must be a whole number of tokens, at least 1"),
        (probe(required=["Bilbao"]) | {"id": "x"}, "line 2 (probe 1): 'required' must be a list of lists"),
        (probe(forbidden=[[]]) | {"id": "x"}, "line 2 (probe 1): 'forbidden' must be a list of lists"),
    ],
)
def test_a_bad_scenario_is_named_by_its_line(tmp_path: Path, line: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        read_scenarios(jsonl(tmp_path / "s.jsonl", [SCENARIO, line]))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_files_that_are_no_scenarios_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with pytest.raises(InputError, match=r"cannot read .*s.jsonl: No such file"):
        read_scenarios(path)
    path.write_text("\n\n")
    with pytest.raises(InputError, match=r"s.jsonl holds no line of JSON"):
        read_scenarios(path)
    path.write_text(json.dumps(SCENARIO) + '\n{"id": ')
    with pytest.raises(InputError, match=r"s.jsonl line 2: not valid JSON"):
        read_scenarios(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_scenarios(path)


# -- LoCoMo ------------------------------------------------------------------------------------------------


def test_evidence_is_split_dropped_and_counted(tmp_path: Path) -> None:
    dataset = read_conversations(locomo_file(tmp_path))
    (case,) = dataset.cases
    assert [(question.text, question.evidence) for question in case.questions] == [
        ("What language does Kiko speak?", ("pair-1:D1:3",)),
        ("Where did Tom sail?", ("pair-1:D2:1",)),
        ("What do Nerea and Tom own?", ("pair-1:D1:1", "pair-1:D1:2")),
        ("Where does the sister live?", ("pair-1:D2:2",)),
    ]
    assert case.questions[0].groups == ("4", "1-4", "1-5")
    assert case.questions[3].groups == ("5", "1-5")
    assert dataset.counts == {
        "conversations": 1,
        "turns": 5,
        "turns_left_out": 1,
        "questions": 6,
        "questions_without_evidence": 2,
        "evidence": 5,
        "evidence_without_turn": 2,
        "observations": 0,
    }
    assert (dataset.overall, dataset.headline) == ("1-4", "recall@10")


@table(
    ("evidence", "ids"),
    [
        (["D8:6; D9:17"], ["D8:6", "D9:17"]),
        (["D1:18 D1:20", "D1:18"], ["D1:18", "D1:20"]),
        ("D4:17, D4:19", ["D4:17", "D4:19"]),
        (["D:11:26"], ["D11:26"]),
        (["D30:05"], ["D30:5"]),
        (["D"], ["D"]),
        ([], []),
    ],
)
def test_evidence_ids(evidence: Any, ids: list[str]) -> None:
    assert evidence_ids(evidence) == ids


def test_observations_become_what_turns_state(tmp_path: Path) -> None:
    dataset = read_conversations(locomo_file(tmp_path), OfflineExtractor())
    turns = {scripted.turn.id: scripted.extraction for scripted in dataset.cases[0].turns}
    adopted = turns["pair-1:D1:1"]
    assert adopted is not None
    assert any(concept.label == "Kiko" for concept in adopted.concepts)
    assert turns["pair-1:D2:1"] is None  # nothing was observed of it
    assert dataset.counts["observations"] == 3  # the one of a turn that is not there is not counted


def with_qa(**changes: Any) -> dict[str, Any]:
    return {**LOCOMO, "qa": [LOCOMO["qa"][0] | changes]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"turns": []}, "no 'conversation'"),
        ([], "holds no conversation"),
        ({**LOCOMO, "qa": {}}, "'qa' must be a list"),
        ({**LOCOMO, "qa": []}, "holds no question with evidence"),
        (with_qa(category=6), "question pair-1/1: category must be 1 to 5, got 6"),
        (with_qa(question=None), "question pair-1/1: it has no text"),
    ],
)
def test_what_is_not_locomo_is_refused(tmp_path: Path, data: Any, said: str) -> None:
    path = tmp_path / "pair.json"
    path.write_text(json.dumps(data))
    with pytest.raises(InputError) as error:
        read_conversations(path)
    assert said in str(error.value)


# -- MuSiQue -----------------------------------------------------------------------------------------------


def test_passages_state_their_triples(tmp_path: Path) -> None:
    dataset = read_passages(*musique_files(tmp_path))
    (case,) = dataset.cases
    museum = case.turns[0]
    assert museum.turn.text == "Orbea Museum\nThe Orbea Museum stands in Eibar. It opened in 1998."
    assert museum.extraction is not None
    kinds = {concept.label: concept.kind for concept in museum.extraction.concepts}
    assert kinds == {"Orbea Museum": "name", "Eibar": "name", "1998": "value"}
    assert [(r.source, r.target) for r in museum.extraction.relations] == [
        ("Orbea Museum", "Eibar"),
        ("Orbea Museum", "1998"),
    ]
    (question,) = case.questions
    assert (question.evidence, question.groups) == (("passage-1", "passage-2"), ("2hop",))
    assert dataset.counts == {
        "passages": 3,
        "repeated_passages": 1,
        "questions": 2,
        "questions_without_evidence": 1,
        "evidence_without_passage": 1,
    }


@table(
    ("label", "kind"),
    [
        ("January 1960", "value"),
        ("Eibar", "name"),
        ("spruce", "concept"),
        ("1998", "value"),
        ("peer review", "concept"),
    ],
)
def test_kinds_of_recorded_labels(label: str, kind: str) -> None:
    assert kind_of(label) == kind


@pytest.mark.parametrize(
    ("corpus", "questions", "said"),
    [
        (lambda p: [*p, {"title": "x"}], lambda q: q, "corpus.jsonl line 5: 'text' must be text"),
        (lambda p: [p[0] | {"triples": 3}], lambda q: q, "corpus.jsonl line 1: 'triples' must be a list"),
        (lambda p: [p[0] | {"entities": [3]}], lambda q: q, "corpus.jsonl line 1: 'entities' must be a list of text"),
        (lambda p: p, lambda q: [q[0] | {"question": 3}], "questions.jsonl line 1: 'question' must be text"),
        (lambda p: p, lambda q: [q[0] | {"supporting": "x"}], "questions.jsonl line 1: 'supporting' must be a list"),
        (lambda p: p[2:], lambda q: q, "no question of questions.jsonl is supported"),
    ],
)
def test_what_is_not_musique_is_refused(
    tmp_path: Path, corpus: Callable[[Any], Any], questions: Callable[[Any], Any], said: str
) -> None:
    files = (
        jsonl(tmp_path / "corpus.jsonl", corpus(PASSAGES)),
        jsonl(tmp_path / "questions.jsonl", questions(QUESTIONS)),
    )
    with pytest.raises(InputError) as error:
        read_passages(*files)
    assert said in str(error.value)
