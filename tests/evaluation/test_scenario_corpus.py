"""The generated scenarios (benchmarks/scenarios.py): the same for a seed, complete, fair, their extractions right."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from datetime import datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import scenarios
from scenario_hubs import BESIDES
from scenario_notation import Template, fill, states, templates
from scenario_words import WORDS
from scenarios import PHENOMENA
from tables import table

from oroi_graph.evaluation.datasets.scenarios import read_scenarios
from oroi_graph.evaluation.scoring import says
from oroi_graph.language.lexicons.pronouns import is_first_person
from oroi_graph.model import EXTRACTED_KINDS, EXTRACTION_SCHEMA, ExtractedRelation, Extraction, Replaced

CORPORA = Path(scenarios.__file__).parent / "corpora"
ALL = (*PHENOMENA, "past")
HOPS = {"multi-hop": 2, "three-hop": 3}
VALIDATOR = jsonschema.Draft202012Validator(EXTRACTION_SCHEMA)
RECENT = 4  # turns before a turn that may name what it only hints at

Scenario = dict[str, Any]


@cache
def corpus(kind: str, seed: str) -> list[Scenario]:
    return scenarios.KINDS[kind](seed)


def short(seed: str) -> list[Scenario]:
    return [*corpus("scenarios", seed), *corpus("past", seed)]


def phrases(probe: dict[str, Any], key: str) -> list[str]:
    return [phrase for alternatives in probe[key] for phrase in alternatives]


def stated(scenario: Scenario) -> list[ExtractedRelation]:
    """Every relation of a scenario, its first persons replaced by who speaks."""
    found = []
    for turn in scenario["turns"]:
        if turn["role"] == "user":
            for relation in Extraction.from_json(turn["extraction"]).relations:
                ends = [turn["speaker"] if is_first_person(e) else e for e in (relation.source, relation.target)]
                found.append(ExtractedRelation(ends[0], relation.relation, ends[1], relation.negated))
    return found


seeds = pytest.mark.parametrize("seed", ["dev", *scenarios.HELD_OUT])
every_template = pytest.mark.parametrize("phenomenon", ALL)


@every_template
def test_templates_are_enough_in_both_languages(phenomenon: str) -> None:
    known = templates(phenomenon)
    assert len({t.name for t in known if t.language == "en"}) == sum(t.language == "en" for t in known)
    assert len({t.name for t in known if t.language == "es"}) == sum(t.language == "es" for t in known)
    common = Counter(t.language for t in known if not t.held_out)
    held_out = Counter(t.language for t in known if t.held_out)
    assert sum(common.values()) >= 12
    assert min(common["en"], common["es"]) >= 6
    assert held_out == {"en": 2, "es": 2}
    for template in known:
        assert len(set(template.questions)) >= 2
        assert bool(template.forbidden) == (phenomenon in ("updating", "convergence", "distractors", "past")) or (
            len(template.required) > 1  # asks for all values, former and current
        )
        assert any(line.second for line in template.lines) == template.two


def test_no_two_templates_share_their_words() -> None:
    said = Counter(
        (template.language, line.words)
        for phenomenon in PHENOMENA
        for template in templates(phenomenon)
        for line in template.lines
        if line.states.count(">") and line.session > 0
    )
    shared = {words for (_, words), times in said.items() if times > 1}
    # One sentence of a bare form may open several situations; whole situations may not be alike.
    for phenomenon in PHENOMENA:
        for template in templates(phenomenon):
            own = {line.words for line in template.lines if line.states.count(">")}
            assert len(own - shared) >= min(2, len(own) - 1), (phenomenon, template.name)
    questions = Counter(
        (t.language, re.sub(r"\d", "", question)) for p in ALL for t in templates(p) for question in t.questions
    )
    assert [question for question, times in questions.items() if times > 1] == []


def test_the_two_halves_of_the_words_have_nothing_in_common() -> None:
    for language, lists in WORDS.items():
        for name, fillers in lists.items():
            assert len(set(fillers.dev)) == len(fillers.dev) >= 6, (language, name)
            assert len(set(fillers.final)) == len(fillers.final) >= 6, (language, name)
            if name != "weekday":
                assert not {w.casefold() for w in fillers.dev} & {w.casefold() for w in fillers.final}, (language, name)


@table(
    ("notation", "expected"),
    [
        ("", {}),
        ("+ lamp", {"concepts": [{"label": "lamp", "kind": "concept"}]}),
        (
            "I > live in > {city1} ^",
            {
                "concepts": [{"label": "Graz", "kind": "name"}],
                "relations": [{"source": "I", "relation": "live in", "target": "Graz", "replaces": True}],
            },
        ),
        (
            "exam !> is on > {date1} ^{date2}",
            {
                "concepts": [{"label": "exam", "kind": "concept"}, {"label": "9 June", "kind": "value"}],
                "relations": [
                    {
                        "source": "exam",
                        "relation": "is on",
                        "target": "9 June",
                        "negated": True,
                        "replaces": {"relation": "is on", "target": "3 June"},
                        "when": "2026-06-09",
                    }
                ],
            },
        ),
        (
            "? Orbit > is > {a job1}#n",
            {"uptake": [{"source": "Orbit", "relation": "is", "target": "an optician"}]},
        ),
    ],
)
def test_notation_is_read_as_the_extraction_it_stands_for(notation: str, expected: dict[str, Any]) -> None:
    bound = {"city1": "Graz", "date1": "9 June", "date2": "3 June", "job1": "optician"}
    assert states(notation, bound, "en") == expected


def test_articles_follow_the_word() -> None:
    assert fill("{a job1} and {a job2}", {"job1": "optician", "job2": "baker"}) == "an optician and a baker"


def test_a_seed_gives_the_same_files_and_another_one_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenarios, "LONG_TURNS", 100)
    first, again, other = (scenarios.write(seed, tmp_path / str(i)) for i, seed in enumerate(("3", "3", "4")))
    assert [path.name for path in first] == [f"{kind}-3.jsonl" for kind in ("scenarios", "long", "past", "hubs")]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
    assert all(a.read_bytes() != b.read_bytes() for a, b in zip(first, other, strict=True))


def test_the_corpora_in_the_repository_are_those_of_the_generator() -> None:
    """Whoever changes a template writes them anew (corpora/README.md)."""
    sums = dict(reversed(line.split()) for line in (CORPORA / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
    made = {f"{kind}-dev.jsonl": scenarios.lines(corpus(kind, "dev")).encode() for kind in scenarios.KINDS}
    assert {name: hashlib.sha256(data).hexdigest() for name, data in made.items()} == sums
    paths = [path for name in made if (path := CORPORA / name).exists()]  # the long ones only where made
    kept = {path.name: path.read_bytes() for path in paths}
    assert kept.keys() >= {"scenarios-dev.jsonl", "past-dev.jsonl", "hubs-dev.jsonl"}
    assert all(made[name] == data for name, data in kept.items())


def test_nothing_of_the_held_out_seeds_is_in_the_repository() -> None:
    assert not [
        path for seed in scenarios.HELD_OUT for kind in scenarios.KINDS for path in CORPORA.glob(f"{kind}-{seed}*")
    ]
    words = {w for lists in WORDS.values() for n, f in lists.items() if n in ("woman", "man") for w in f.final}
    said = {w for s in short("dev") for turn in s["turns"] for w in re.findall(r"\w+", turn["text"])}
    dev = {w for lists in WORDS.values() for f in lists.values() for word in f.dev for w in re.findall(r"\w+", word)}
    assert (words - dev) & said == set()


@seeds
def test_a_hub_lies_before_the_answer_and_what_it_has_besides_is_forbidden(seed: str) -> None:
    found = corpus("hubs", seed)
    assert Counter((s["phenomenon"], s["language"]) for s in found) == {
        (phenomenon, language): 16 for phenomenon in HOPS for language in ("en", "es")
    }
    plain = {s["id"]: s for s in corpus("scenarios", seed)}
    for scenario in found:
        (probe,), without = scenario["probes"], plain[scenario["id"].removeprefix("hub-")]
        added = [turn for turn in scenario["turns"] if turn not in without["turns"]]
        assert [turn for turn in scenario["turns"] if turn not in added] == without["turns"]
        facts = [relation for turn in added for relation in turn["extraction"]["relations"]]
        (hub,) = {fact["source"] for fact in facts}
        assert not says(probe["question"], [hub])
        assert any(
            hub in (fact.source, fact.target)
            and any(says(f"{fact.source} {fact.target}", [p]) for p in phrases(probe, "required"))
            for fact in stated(without)
        ), scenario["id"]
        assert probe["forbidden"] == [[fact["target"] for fact in facts]]
        assert len(set(probe["forbidden"][0])) == BESIDES
        assert not any(says(turn["text"], [name]) for turn in without["turns"] for name in probe["forbidden"][0])
        dates = [datetime.fromisoformat(turn["at"]) for turn in scenario["turns"]]
        assert all(a < b for a, b in pairwise(dates)), scenario["id"]


@seeds
def test_there_are_32_of_each_half_in_each_language(seed: str) -> None:
    assert Counter((s["phenomenon"], s["language"]) for s in short(seed)) == {
        (phenomenon, language): 16 for phenomenon in ALL for language in ("en", "es")
    }
    assert len({s["id"] for s in short(seed)}) == len(short(seed))
    assert len({json.dumps(s["probes"]) for s in short(seed)}) >= 0.97 * len(short(seed))


@seeds
def test_turns_are_in_order(seed: str) -> None:
    for scenario in short(seed):
        turns = scenario["turns"]
        assert 15 <= len(turns) <= 50, scenario["id"]
        dates = [datetime.fromisoformat(turn["at"]) for turn in turns]
        assert all(a < b for a, b in pairwise(dates)), scenario["id"]
        assert turns[0]["session"] == 1
        assert all(b["session"] - a["session"] in (0, 1) for a, b in pairwise(turns)), scenario["id"]
        assert turns[-1]["session"] >= 3
        assert {turn["role"] for turn in turns} == {"user", "assistant"}
        said = [turn["text"] for turn in turns if turn["role"] == "user"]
        assert len(set(said)) == len(said), scenario["id"]
        assert not any("{" in turn["text"] or "  " in turn["text"] for turn in turns), scenario["id"]


@seeds
def test_gold_extractions_are_right_in_form(seed: str) -> None:
    schematic: set[str] = set()
    for scenario in short(seed):
        for turn in scenario["turns"]:
            if turn["role"] == "assistant":
                assert "extraction" not in turn
                continue
            extraction = Extraction.from_json(turn["extraction"])
            schematic.add(json.dumps(extraction.to_json()))
            assert all(concept.kind in EXTRACTED_KINDS for concept in extraction.concepts)
            labels = [concept.label for concept in extraction.concepts]
            assert len(set(labels)) == len(labels), turn["text"]
            for relation in extraction.relations:
                for end in (relation.source, relation.target):
                    assert end in labels or is_first_person(end), (turn["text"], end)
    assert all(VALIDATOR.is_valid(json.loads(one)) for one in schematic)


@seeds
def test_gold_labels_were_said_in_the_turn_or_just_before(seed: str) -> None:
    for scenario in short(seed):
        turns = scenario["turns"]
        for i, turn in enumerate(turns):
            if turn["role"] == "assistant":
                continue
            extraction = Extraction.from_json(turn["extraction"])
            nearby = " ".join(t["text"] for t in turns[max(0, i - RECENT) : i + 1]).casefold()
            everything = " ".join(t["text"] for t in turns[: i + 1]).casefold()
            for concept in extraction.concepts:
                label = concept.label.casefold()
                mine = re.sub(r"^(?:my|mi) ", "", label)  # "the boat": mine, as said before
                assert label in nearby or (mine in turn["text"].casefold() and label in everything), (
                    scenario["id"],
                    turn["text"],
                    concept.label,
                )
            for relation in extraction.uptake:
                assert relation.source.casefold() in turns[i - 1]["text"].casefold()
                assert relation.target.casefold() in turns[i - 1]["text"].casefold()
                assert turns[i - 1]["role"] == "assistant"


@seeds
def test_corrections_replace_what_was_stated_before(seed: str) -> None:
    for scenario in short(seed):
        corrections = 0
        earlier: list[ExtractedRelation] = []
        for turn in scenario["turns"]:
            if turn["role"] == "assistant":
                continue
            relations = Extraction.from_json(turn["extraction"]).relations
            for relation in relations:
                if relation.replaces:
                    corrections += 1
                    candidates = [old for old in earlier if old.source == relation.source]
                    assert candidates, (scenario["id"], turn["text"])
                if isinstance(relation.replaces, Replaced):
                    named = (relation.replaces.relation, relation.replaces.target)
                    assert named in {(old.relation, old.target) for old in candidates}
            earlier.extend(relations)
        assert (corrections > 0) == (scenario["phenomenon"] in ("updating", "past")), scenario["id"]


@table(("kind", "seed"), [(k, s) for k in ("scenarios", "past", "long") for s in ("dev", "final")])
def test_answers_were_said_but_not_in_the_last_six_turns(kind: str, seed: str) -> None:
    for scenario in corpus(kind, seed):
        turns = [turn["text"] for turn in scenario["turns"]]
        labels = {
            concept["label"] for turn in scenario["turns"] for concept in turn.get("extraction", {}).get("concepts", [])
        }
        (probe,) = scenario["probes"]
        for phrase in phrases(probe, "required"):
            assert any(says(text, [phrase]) for text in turns), (scenario["id"], phrase)
            assert not any(says(text, [phrase]) for text in turns[-6:]), (scenario["id"], phrase)
            assert any(says(label, [phrase]) for label in labels), (scenario["id"], phrase)
            assert not says(probe["question"], [phrase])


@table(("kind", "seed"), [(k, s) for k in ("scenarios", "past", "long") for s in ("dev", "final")])
def test_what_is_forbidden_was_said_apart_from_the_answer(kind: str, seed: str) -> None:
    for scenario in corpus(kind, seed):
        (probe,) = scenario["probes"]
        turns = [turn["text"] for turn in scenario["turns"]]
        required, forbidden = phrases(probe, "required"), phrases(probe, "forbidden")
        assert forbidden or scenario["phenomenon"] not in ("updating", "convergence", "distractors")
        for phrase in forbidden:
            assert any(says(text, [phrase]) for text in turns), (scenario["id"], phrase)
            assert not any(says(one, [phrase]) or says(phrase, [one]) for one in required)
            assert not says(probe["question"], [phrase])
        for text in turns:
            wanted = any(says(text, [phrase]) for phrase in required)
            assert not (wanted and any(says(text, [phrase]) for phrase in forbidden)), (scenario["id"], text)


@seeds
def test_a_recurring_fact_is_told_in_three_sessions(seed: str) -> None:
    for scenario in corpus("scenarios", seed):
        if scenario["phenomenon"] == "recurrence":
            (phrase,) = phrases(scenario["probes"][0], "required")
            told = {turn["session"] for turn in scenario["turns"] if says(turn["text"], [phrase])}
            assert len(told) >= 3, scenario["id"]


@seeds
def test_facts_of_several_sessions_are_both_asked_for(seed: str) -> None:
    for scenario in corpus("scenarios", seed):
        if scenario["phenomenon"] == "multi-session":
            required = phrases(scenario["probes"][0], "required")
            assert len(required) == 2
            told = [
                {turn["session"] for turn in scenario["turns"] if says(turn["text"], [phrase])} for phrase in required
            ]
            assert not told[0] & told[1], scenario["id"]


@seeds
def test_a_chain_is_as_long_as_its_phenomenon_says(seed: str) -> None:
    for scenario in [*corpus("scenarios", seed), *corpus("long", seed)]:
        hops = HOPS.get(scenario["phenomenon"])
        if hops:
            probe = scenario["probes"][0]
            assert distance(scenario, probe["question"], probe["required"][0]) == hops, scenario["id"]


def distance(scenario: Scenario, question: str, answers: list[str]) -> int | None:
    """Fewest associations, either way, from what the question names to an answer; None where there is no way.

    A speaker is a beginning only where nothing else is named, and never on the way: it touches everything.
    """
    edges = stated(scenario)
    speakers = {turn["speaker"] for turn in scenario["turns"]}
    ends = {end for edge in edges for end in (edge.source, edge.target)} - speakers
    named = {end for end in ends if says(question, [end])}
    asking = {speaker for speaker in speakers if says(question, [speaker])} or {scenario["turns"][0]["speaker"]}
    frontier, seen = named or asking, set(speakers)
    for steps in range(len(ends)):
        if frontier & set(answers):
            return steps
        seen |= frontier
        reached = {e.target for e in edges if e.source in frontier} | {e.source for e in edges if e.target in frontier}
        frontier = reached - seen
    return None


@seeds
def test_only_the_answer_converges(seed: str) -> None:
    for scenario in corpus("scenarios", seed):
        if scenario["phenomenon"] != "convergence":
            continue
        probe = scenario["probes"][0]
        answer, others = phrases(probe, "required")[0], phrases(probe, "forbidden")
        edges = stated(scenario)
        spoken_for = {name: _hints(edges, name) for name in (answer, *others)}
        cues = set.intersection(spoken_for[answer], set.union(*(spoken_for[other] for other in others)))
        assert len(cues) == 2, (scenario["id"], cues)
        for cue in cues:
            assert sum(cue in spoken_for[other] for other in others) >= 1, scenario["id"]
        assert all(len(cues & spoken_for[other]) == 1 for other in others), scenario["id"]


def _hints(edges: list[ExtractedRelation], name: str) -> set[tuple[str, bool]]:
    return {
        (edge.target, edge.negated) for edge in edges if says(edge.source, [name]) and not says(edge.target, [name])
    }


@pytest.mark.parametrize("seed", ["dev", scenarios.FINAL])
def test_long_scenarios_have_a_thousand_turns_and_begin_early(seed: str) -> None:
    found = corpus("long", seed)
    assert len(found) == 16
    assert {s["phenomenon"] for s in found} == set(PHENOMENA)
    assert Counter(s["language"] for s in found) == {"en": 8, "es": 8}
    for scenario in found:
        spoken = [turn for turn in scenario["turns"] if turn["role"] == "user"]
        assert len(spoken) >= 1000
        assert len({turn["text"] for turn in spoken}) > 600, "background talk varies"
        (probe,) = scenario["probes"]
        last = max(i for i, turn in enumerate(spoken) for p in phrases(probe, "required") if says(turn["text"], [p]))
        assert last < 850, scenario["id"]
        for turn in spoken:
            Extraction.from_json(turn["extraction"])


def test_held_out_seeds_alone_use_held_out_templates() -> None:
    def used(seed: str) -> set[str]:
        return {re.sub(r"\W*\w*\d\w*", "", s["probes"][0]["question"]) for s in short(seed)}

    held_out: list[Template] = [t for p in ALL for t in templates(p) if t.held_out]
    fixed = {q for t in held_out for q in t.questions if "{" not in q}
    assert fixed & used("dev") == set()
    for seed in scenarios.HELD_OUT:
        assert fixed & used(seed)


@table("path", sorted(CORPORA.glob("authored*.jsonl")), ids=lambda path: path.stem)
def test_authored_scenarios_ask_for_what_was_said(path: Path) -> None:
    cases = read_scenarios(path).cases
    assert len(cases) >= 84
    assert {case.language for case in cases} == {"en", "es"}
    assert {question.groups[0] for case in cases for question in case.questions} == set(PHENOMENA)
    for case in cases:
        said = " ".join(scripted.turn.text.casefold() for scripted in case.turns)
        for question in case.questions:
            for ways in (*question.required, *question.forbidden):
                told = [way.casefold() for way in ways]
                assert any(way in said for way in told), (case.name, ways)
                assert not any(way in question.text.casefold() for way in told), (case.name, ways)
