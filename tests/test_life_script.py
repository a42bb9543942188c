"""The scripted life of benchmarks/long_life.py: deterministic, valid, and holding what it says it holds."""

from __future__ import annotations

import json
from collections import Counter
from itertools import groupby, pairwise

import life_topics as topics
import pytest
from life_script import EARLY_ENDS, OLD, RECENT, Life, Probe, Said, lines, live

from oroi_graph.entities.mentions import read
from oroi_graph.language.detection import detect
from oroi_graph.language.normalize import label_key
from oroi_graph.language.parsed_text import parse
from oroi_graph.options import Sleep
from oroi_graph.transfer.conversation_file import read_lines

TURNS = 2400


@pytest.fixture(scope="module")
def life() -> Life:
    return live(TURNS)


def labels(said: Said) -> set[str]:
    return {label_key(concept.label) for concept in said.extraction.concepts}


def test_the_same_seed_is_the_same_life_and_a_longer_one_begins_with_it(life: Life) -> None:
    assert live(TURNS) == life
    assert live(TURNS // 3).turns == life.turns[: TURNS // 3]
    assert live(300, seed=1).turns != life.turns[:300]


def test_what_is_asked_after_some_turns_is_the_same_in_a_longer_life(life: Life) -> None:
    shorter = live(800)
    for turn in (400, 800):
        asked = [(p.question, p.required, p.forbidden) for p in shorter.probes_at(turn)]
        assert asked == [(p.question, p.required, p.forbidden) for p in life.probes_at(turn)]


def test_it_is_what_import_reads(life: Life) -> None:
    found = read_lines("\n".join(lines(life)), "life")
    assert not found.problems
    users = [scripted for scripted in found.turns if scripted.turn.role == "user"]
    assert [s.turn.id for s in users] == [said.id for said in life.turns]
    assert [s.extraction for s in users] == [said.extraction for said in life.turns]
    assert len(found.turns) - len(users) == sum(said.reply is not None for said in life.turns)
    assert json.loads(next(iter(lines(life))))["session"] == life.turns[0].session


def test_time_goes_forward_and_days_are_about_25_turns_long(life: Life) -> None:
    assert all(a.at < b.at for a, b in zip(life.turns, life.turns[1:], strict=False))
    days = [len(list(turns)) for _, turns in groupby(life.turns, lambda said: said.day)]
    assert all(18 <= turns <= 33 for turns in days[:-1])
    assert {said.session[:10] for said in life.turns if said.day == 3} == {f"{life.turns[0].at:%Y-%m}-04"}


def test_what_a_turn_states_stands_in_its_text(life: Life) -> None:
    for said in life.turns:
        text = said.text.casefold()
        relations = said.extraction.relations
        kinds = {c.label: c.kind for c in said.extraction.concepts}
        assert all((kind == "name") == label[0].isupper() for label, kind in kinds.items()), said
        assert all(kind == "value" for label, kind in kinds.items() if label.endswith(" euros")), said
        literal = [c.label for c in said.extraction.concepts if c.kind != "concept" or said.about == "question"]
        assert all(label.casefold() in text for label in literal), said
        assert "{" not in said.text + (said.reply or ""), said
        replaced = [r.replaces.target for r in relations if not isinstance(r.replaces, bool)]
        assert all(old.casefold() not in text for old in replaced), said
        mentions, stated, _ = read(said.extraction, said.speaker, parse(said.text, said.at))
        assert len([r for r in stated if not r.implied and not r.uptake]) == len(relations), said
        assert mentions or said.about in ("chat", "question"), said


def test_two_people_talk_one_of_them_in_spanish(life: Life) -> None:
    share = Counter(said.speaker for said in life.turns)["Luis"] / TURNS
    assert 0.2 < share < 0.3
    theirs = [detect(said.text) for said in life.turns if said.speaker == "Luis" and len(said.text) > 25]
    assert theirs.count("es") > 0.9 * len(theirs)


def test_trivia_are_told_once(life: Life) -> None:
    asked = [probe.question for probe in life.probes if probe.kind == "trivia_old"]
    assert len(asked) > 400
    assert len(set(asked)) == len(asked)
    told = Counter(key for said in life.turns for key in labels(said))
    assert sum(count == 1 for count in told.values()) > 0.6 * len(told)


def test_early_facts_are_told_early_taken_up_again_and_then_never_again(life: Life) -> None:
    assert all(p.since <= 300 for p in life.probes if p.kind == "early")
    assert sum(p.kind == "early" for p in life.probes) == len(topics.EARLY)
    days = [said.day for said in life.turns if said.about == "early"]
    assert max(days) <= EARLY_ENDS[1]
    half = {
        wording.partition("|")[0].strip()
        for fact in topics.EARLY[: len(topics.EARLY) // 2]
        for wording in fact.wordings
    }
    assert max(said.day for said in life.turns if said.text in half) <= EARLY_ENDS[0]
    assert all(
        count > 2 for count in Counter(said.text in half for said in life.turns if said.about == "early").values()
    )


def test_topics_fade(life: Life) -> None:
    """Each fading topic is the talk of at most some weeks."""
    days: dict[str, list[int]] = {}
    for said in life.turns:
        if said.about == "fading" and "course" in said.text:
            for concept in said.extraction.concepts:
                if concept.label.endswith(" course"):
                    days.setdefault(concept.label, []).append(said.day)
    assert len(days) >= 2
    assert all(max(each) - min(each) <= 25 for each in days.values())
    assert max(len(each) for each in days.values()) >= 8


def test_a_corrected_fact_is_asked_for_while_it_holds(life: Life) -> None:
    homes = [p for p in life.probes if p.question == "Where do I live?"]
    assert [p.required[0][0] for p in homes] == ["Valencia", "Zaragoza", "Oviedo"][: len(homes)]
    assert len(homes) >= 2
    for probe in homes:
        assert probe.required[0] not in probe.forbidden
        assert ("Bilbao",) in probe.forbidden
        assert len([p for p in life.probes_at(probe.since) if p.question == probe.question]) == 1
    for before, after in pairwise(homes):
        assert before.until is not None
        assert before.until < after.since
        said = {s.text for s in life.turns[before.until : after.since]}
        assert any(after.required[0][0] in text for text in said)
    moves = [r.replaces.target for said in life.turns for r in said.extraction.relations if said.about == "correction"
             and said.speaker == "Ana" and r.relation == "live in" and not isinstance(r.replaces, bool)]  # fmt: skip
    assert moves[:2] == ["Bilbao", "Valencia"]


def test_probes_of_a_moment_were_said_by_then(life: Life) -> None:
    for turn in (600, 1700, TURNS):
        before = " ".join(said.text for said in life.turns[:turn]).casefold()
        for probe in life.probes_at(turn):
            assert probe.since <= turn
            assert all(any(phrase.casefold() in before for phrase in some) for some in probe.required), probe
    ages = {
        kind: [TURNS - p.since for p in life.probes_at(TURNS) if p.kind == kind] for kind in ("recent", "trivia_old")
    }
    assert min(ages["trivia_old"]) >= OLD
    assert RECENT[0] <= min(ages["recent"]) <= max(ages["recent"]) <= RECENT[1]


def test_one_thing_in_two_wordings_and_two_things_in_nearly_one(life: Life) -> None:
    told = {key for said in life.turns for key in labels(said)}
    for pair in [*topics.SAME.values(), *topics.APART]:
        assert all(any(label_key(label) in key for key in told) for label in pair), pair
    together = Counter(frozenset(labels(said)) for said in life.turns if said.about == "together")
    assert all(together[frozenset({label_key(a), label_key(b)})] >= 3 for a, b, _ in topics.TOGETHER)


def test_some_turns_are_long_enough_for_a_gist(life: Life) -> None:
    long = [said for said in life.turns if len(said.text) > Sleep().gist_length]
    assert 0.015 * TURNS < len(long) < 0.05 * TURNS
    assert {said.about for said in long} == {"story"}
    assert {said.speaker for said in long} == {"Ana", "Luis"}


def test_an_answer_must_say_what_is_required_and_nothing_forbidden() -> None:
    probe = Probe("Where do I live?", (("Valencia",),), "corrected", "Ana", 1, (("Bilbao",),))
    assert probe.answered("Ana lives in valencia.")
    assert not probe.answered("Ana lives in Valencian towns.")
    assert not probe.answered("Ana lives in Novalencia.")
    assert not probe.answered("Ana lives in Valencia; before, in Bilbao.")
