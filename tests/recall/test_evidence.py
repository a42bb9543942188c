"""Support: which concepts the cues point at together, on small networks, without a database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from evocations import network
from tables import table

from oroi_graph import OfflineExtractor, Options
from oroi_graph.recall.entity_linking import Cue
from oroi_graph.recall.graph.evidence import Evidence, gather, record_supports
from oroi_graph.recall.graph.search import Affinity, Evocation, evoke
from oroi_graph.recall.question import read_question
from oroi_graph.working_set.neighbourhood import LeftBehind

READER = OfflineExtractor()
Triple = tuple[str, str, str]


def asking(
    question: str,
    cues: Mapping[str, str],
    triples: Sequence[Triple],
    near: float = 0.0,
    meant: Mapping[int, float] | None = None,
) -> Evocation:
    """What a question evokes among (source, relation, target); cues: {label: method}. "Ana" is who asks.

    near: how much every concept resembles the question; meant: {number of a triple: how much what was said of it does}.
    """
    around = network(triples, selves=["Ana"])
    entrances = [
        Cue(label, label, label, "self" if label == "Ana" else "concept", how, 1.0) for label, how in cues.items()
    ]
    affinity = Affinity(dict.fromkeys(around.ids, near), {f"fact {i}": much for i, much in (meant or {}).items()})
    return evoke(entrances, read_question(question, "Ana", None, READER), around, affinity, Options())


def answered(
    question: str, cues: Mapping[str, str], triples: Sequence[Triple], meant: Mapping[int, float] | None = None
) -> Evidence:
    return gather(asking(question, cues, triples, meant=meant), Options())


SERVERS: list[Triple] = [
    ("Borealis project", "runs on", "Merlin server"),
    ("Petra", "looks after", "Merlin server"),
    ("Petra", "has a cat called", "Momo"),
]


def test_where_one_cue_leads_to_another_the_answer_lies_beyond_both() -> None:
    found = answered(
        "Whom do I call about the Borealis project's server?",
        {"Borealis project": "exact", "Merlin server": "similar"},
        SERVERS,
    )
    assert "Petra" in found.support


def test_where_cues_meet_what_only_one_of_them_reaches_is_left_out() -> None:
    found = answered(
        "Who has a boat and comes from Malta?",
        {"boat": "exact", "Malta": "exact"},
        [
            ("Judith", "owns", "boat"),
            ("Judith", "comes from", "Malta"),
            ("Bernd", "owns", "boat"),
            ("Bernd", "sails the boat on", "lake"),
            ("Maud", "comes from", "Malta"),
        ],
    )
    assert set(found.support) == {"boat", "Malta", "Judith"}


def test_what_many_share_is_no_meeting() -> None:
    found = answered(
        "Who comes on Fridays and is vegan?",
        {"Fridays": "exact", "vegan": "exact"},
        [
            ("Judith", "comes on", "Fridays"),
            ("Judith", "is", "vegan"),
            ("Judith", "comes to", "supper"),
            ("Bernd", "comes on", "Fridays"),
            ("Bernd", "comes to", "supper"),
            ("Maud", "is", "vegan"),
            ("Maud", "comes to", "supper"),
        ],
    )
    assert "Judith" in found.support
    assert not {"Bernd", "Maud"} & set(found.support)


def test_who_asks_is_no_place_where_cues_meet() -> None:
    found = answered(
        "How much does the dealer want for the car?",
        {"dealer": "exact", "car": "exact"},
        [("dealer", "called", "Ana"), ("Ana", "rents", "car"), ("car", "costs", "70 euros")],
    )
    assert "70 euros" in found.support


def test_a_plain_answer_is_of_who_was_asked_about() -> None:
    triples = [("Ana", "lives in", "Cuenca"), ("Ana", "has", "cousin"), ("cousin", "lives in", "Teruel")]
    evocation = asking("Where do I live?", {"Ana": "exact"}, triples, near=0.5)
    found = gather(evocation, Options())
    assert "Cuenca" in found.support
    assert "Teruel" in found.distractors
    assert record_supports([["Ana", "cousin", "Teruel"]], found, evocation)[0] == 0
    assert record_supports([["Ana", "Cuenca"]], found, evocation)[0] > 0


def test_the_next_step_of_a_chain_is_nobody_elses() -> None:
    triples = [("Ana", "has", "cousin"), ("cousin", "lives in", "Teruel"), ("Ana", "lives in", "Cuenca")]
    found = answered("Where does my cousin live?", {"cousin": "exact"}, triples)
    assert "Teruel" in found.support


def test_whose_name_is_told_on_the_way_makes_no_path_unclear() -> None:
    triples = [
        ("sister of Ana", "is called", "Leire"),
        ("Leire", "is married to", "Iker"),
        ("Iker", "works in", "Pamplona"),
        ("Leire", "helped", "Amaia"),
        ("Amaia", "works in", "Vitoria"),
    ]
    found = answered("Where does my sister's husband work?", {"sister of Ana": "exact"}, triples)
    assert found.chained
    assert (found.decides, found.converged) == (True, False)
    assert "Pamplona" in found.support
    assert "Vitoria" in found.distractors


@table(
    ("question", "relation"),
    [("What is my sister called?", "is called"), ("Where does my sister live?", "lives in")],
)
def test_one_step_is_no_chain(question: str, relation: str) -> None:
    found = answered(question, {"sister of Ana": "exact"}, [("sister of Ana", relation, "Leire")])
    assert (found.decides, found.converged) == (True, False)
    assert not found.chained


def test_guesses_give_way_to_a_plain_answer_and_meet_nowhere() -> None:
    triples = [
        ("Ana", "drives", "Volvo"),
        ("sister", "drives", "Skoda"),
        ("Ana", "has", "sister"),
        ("Skoda", "is made in", "Mladá Boleslav"),
    ]
    plain = answered("What do I drive?", {"Ana": "exact", "Skoda": "recognition"}, triples)
    assert "Volvo" in plain.support
    assert not {"sister", "Skoda"} & set(plain.support)
    guessed = answered("What about it?", {"Volvo": "recognition", "Skoda": "recognition"}, triples)
    assert not guessed.converged


def test_who_shares_only_one_of_the_cues_brings_no_record() -> None:
    triples = [
        ("Judith", "comes on", "Fridays"),
        ("Judith", "cannot eat", "nuts"),
        ("Judith", "comes to", "supper"),
        ("Bernd", "comes on", "Fridays"),
        ("Bernd", "comes to", "supper"),
    ]
    evocation = asking("Who comes on Fridays and cannot eat nuts?", {"Fridays": "exact", "nuts": "exact"}, triples)
    found = gather(evocation, Options())
    assert record_supports([["Judith", "Fridays", "supper"]], found, evocation)[0] > 0
    assert record_supports([["Bernd", "Fridays", "supper"]], found, evocation)[0] == 0
    assert not any("Bernd" in {evocation.labels[e] for e in ends(evocation, i)} for p in found.paths for i in p.edges)


def ends(evocation: Evocation, edge: int) -> tuple[int, int]:
    return evocation.edges[edge].source, evocation.edges[edge].target


def test_what_others_do_there_is_no_answer() -> None:
    triples = [
        ("Judith", "plays", "oboe"),
        ("Judith", "plays the oboe in", "band"),
        ("Bernd", "plays the tuba in", "band"),
        ("Bernd", "plays", "tuba"),
    ]
    found = answered("Which instrument is Judith's?", {"Judith": "exact"}, triples)
    assert "oboe" in found.support
    assert not {"Bernd", "tuba"} & set(found.support)


def test_who_shares_a_thing_with_the_subject_has_answers_of_their_own() -> None:
    triples = [
        ("Judith", "can not eat", "walnuts"),
        ("Judith", "has", "allergy"),
        ("Bernd", "has", "allergy"),
        ("Bernd", "can not eat", "shellfish"),
    ]
    found = answered("What must Judith not eat?", {"Judith": "exact"}, triples, {0: 1.0, 1: 1.0, 2: 1.0, 3: 1.0})
    assert "walnuts" in found.support
    assert not {"Bernd", "shellfish"} & set(found.support)


def test_what_joins_the_cues_leads_on() -> None:
    found = answered(
        "Which food should I not serve to my friend?",
        {"friend": "exact", "food": "exact"},
        [("friend", "is", "Petra"), ("Petra", "is careful with", "food"), ("Petra", "is allergic to", "plums")],
    )
    assert "plums" in found.support
    assert 2 in {edge for path in found.paths for edge in path.edges}


LESSONS: list[Triple] = [
    ("Mia", "goes swimming under", "Kenji"),
    ("Mia", "takes lessons from", "Orlova"),
    ("Kenji", "comes from", "Sapporo"),
]


def test_what_was_said_of_an_association_may_mean_what_the_question_says() -> None:
    question, cues = "Who is the trainer of Mia?", {"Mia": "exact"}
    assert {"Kenji", "Orlova"} <= set(answered(question, cues, LESSONS).support)  # neither is named by the question
    found = answered(question, cues, LESSONS, {0: 1.0}).support
    assert "Kenji" in found
    assert "Orlova" not in found


@pytest.mark.parametrize(("hops", "few", "many"), [(1, 12, 13), (2, 5, 6), (3, 2, 3)])
def test_many_alike_say_nothing_and_fewer_are_many_farther_away(hops: int, few: int, many: int) -> None:
    """Of the places that a concept has at that distance (24, 10, 5) more than half."""
    chain = ["Borealis project", "Merlin server", "Petra"][:hops]
    way: list[Triple] = [(a, "is beside", b) for a, b in pairwise(chain)]
    for count, said in ((few, True), (many, False)):
        others = [f"item {number}" for number in range(count)]
        found = answered(
            "What about the Borealis project?",
            {"Borealis project": "exact"},
            [*way, *((chain[-1], "touches", other) for other in others)],
        )
        assert all((other in found.support) is said for other in others)


def behind_merlin(question: str, items: int, left_behind: int) -> Evidence:
    """Borealis project → Merlin server → items along one relation, of which some took no place of the fan-out."""
    way: list[Triple] = [("Borealis project", "rents", "Merlin server")]
    around = network([*way, *(("Merlin server", "touches", f"item {i}") for i in range(items))])
    hub = around.labels.index("Merlin server"), list(around.edges.classes).index("touches")
    hubs, codes = np.tile(hub, (left_behind, 1)).T
    left = LeftBehind(hubs, codes, np.arange(left_behind), [f"item {items + i}" for i in range(left_behind)])
    around = replace(around, left_behind=left)
    cue = Cue("Borealis project", "Borealis project", "Borealis project", "concept", "exact", 1.0)
    read = read_question(question, "Ana", None, READER)
    return gather(evoke([cue], read, around, Affinity({}, {}), Options()), Options())


@pytest.mark.parametrize(("left_behind", "few"), [(0, True), (1, False)])
def test_what_was_left_behind_counts_among_the_many(left_behind: int, few: bool) -> None:
    """A relation's share of the fan-out is what is few: those beyond it are never fetched."""
    found = behind_merlin("What about the Borealis project?", 5, left_behind)
    assert all((f"item {i}" in found.support) is few for i in range(5))
    assert found.crowd == (frozenset() if few else {f"item {i}" for i in range(6)})


def test_what_is_asked_for_is_no_crowd() -> None:
    found = behind_merlin("What touches what the Borealis project rents?", 5, 15)
    assert {f"item {i}" for i in range(5)} <= found.support.keys()
    assert not found.crowd


def test_of_many_alike_the_one_that_stands_out_may_be_the_answer() -> None:
    others: list[Triple] = [("Borealis project", "touches", f"item {number}") for number in range(20)]
    found = answered("What about the Borealis project?", {"Borealis project": "exact"}, others, meant={7: 0.6})
    assert "item 7" in found.support
    assert not {f"item {number}" for number in range(20) if number != 7} & found.support.keys()


_SAID: list[Triple] = [
    ("Ana", verb, f"thing {verb}") for verb in ("saw", "made", "sold", "lost", "found", "drew", "cut")
]
_SAID += [(f"thing {verb}", "is near", f"place {verb}") for verb in ("saw", "made", "sold", "lost", "found", "drew")]


@table(
    ("question", "triples", "ends"),
    [
        ("Where do I live?", [("Ana", "lives in", "Leeds")], {"Leeds"}),
        ("Where do I live?", [("Ana", "has", "aunt of Ana"), ("aunt of Ana", "lives in", "Cork")], None),
        ("Where do I live?", [("Ana", "lives with", "Dev")], None),
        ("Where do I live?", [("Ana", "lives in", f"home {i}") for i in range(9)], None),
    ],
)
def test_what_a_speaker_says_of_himself_is_the_answer_among_all_that_he_said(
    question: str, triples: list[Triple], ends: set[str] | None
) -> None:
    evocation = asking(question, {"Ana": "exact"}, [*_SAID, *triples], near=0.9)
    found = gather(evocation, Options())
    answers = set(found.support) - {"Ana"}
    assert (answers == ends, found.few, found.decides) == ((True, True, True) if ends else (False, False, False))
    assert ends or "thing saw" in answers, "nothing is left out that may be meant"


def test_of_whom_the_question_names_what_is_asked_lies_beyond_the_name() -> None:
    triples = [*_SAID, ("aunt of Ana", "is", "Eva"), ("Eva", "lives in", "Cork"), ("aunt of Ana", "saw", "thing saw")]
    evocation = asking("Where does my aunt live?", {"aunt of Ana": "exact", "Ana": "exact"}, triples, near=0.9)
    found = gather(evocation, Options())
    assert (set(found.support) - {"Ana", "aunt of Ana"}, found.few) == ({"Cork"}, True)
