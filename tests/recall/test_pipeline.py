"""Recall: what comes back and what stays silent, over hops and hubs, with filters, and without a trace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from graph_view import (
    NOON,
    activations,
    checksum,
    concepts,
    counter,
    own_memory,
    records,
    stating,
    tell,
)

from oroi_graph import Extraction, Filters, Graph, InputError, Memory, MemoryNotFoundError, Recall
from oroi_graph.cli.talk import explanation
from oroi_graph.model import canonical_json
from oroi_graph.recall.graph.search import association_affinity
from oroi_graph.recall_options import Search
from oroi_graph.storage.store import vector

EMPTY = Extraction()


@pytest.fixture
def family(memory: Memory) -> Memory:
    """A small world: three people, their work, a few things, some replies, and talk of nothing."""
    said = [
        ("Marta works at Iberdata.", stating(("Marta", "works at", "Iberdata"), names=["Marta", "Iberdata"])),
        ("Iberdata is based in Bilbao.", stating(("Iberdata", "is based in", "Bilbao"), names=["Iberdata", "Bilbao"])),
        ("Bilbao hosts a jazz festival.", stating(("Bilbao", "hosts", "jazz festival"), names=["Bilbao"])),
        ("Carlos is a lawyer.", stating(("Carlos", "is", "lawyer"), names=["Carlos"])),
        ("Elena is a plumber.", stating(("Elena", "is", "plumber"), names=["Elena"])),
        ("I live in Valencia.", stating(("I", "lives in", "Valencia"), names=["Valencia"])),
        ("I paid 120 euros for the chair.", stating(("chair", "costs", "120 euros"), values=["120 euros"])),
        ("It has been raining all morning.", EMPTY),
    ]
    for i, (text, extraction) in enumerate(said):
        turn = memory.perceive(
            text, speaker="Ana", id=f"t{i}", at=NOON + timedelta(days=i), session=f"s{i // 4}", extraction=extraction
        )
        turn.close("I see." if i % 2 else None)
    return memory


def text_of(memory: Memory, question: str, **options: object) -> str:
    return memory.recall(question, **{"speaker": "Ana", "at": NOON, **options}).brief.text  # type: ignore[arg-type]


# --- what comes back ----------------------------------------------------------------------------------------


def test_a_direct_question(family: Memory) -> None:
    text = text_of(family, "What does Carlos do?")
    assert "Carlos is lawyer" in text
    assert "plumber" not in text


def test_two_hops(family: Memory) -> None:
    assert "Bilbao" in text_of(family, "In which city is the company where Marta works?")


def test_three_hops(family: Memory) -> None:
    assert "jazz festival" in text_of(family, "Which festival is held in the city of Marta's company?")


def test_a_value_is_a_cue(family: Memory) -> None:
    recall = family.recall("What did I buy for 120 EUR?", speaker="Ana")
    assert ("120 euros", "value") in {(cue.label, cue.kind) for cue in recall.cues}
    assert "chair" in recall.brief.text


def test_a_question_in_spanish(memory: Memory) -> None:
    tell(memory, "Lucía trabaja en Correos.", stating(("Lucía", "trabaja en", "Correos"), names=["Lucía", "Correos"]))
    tell(memory, "Pablo vive en Sevilla.", stating(("Pablo", "vive en", "Sevilla"), names=["Pablo", "Sevilla"]))
    text = text_of(memory, "¿Dónde trabaja Lucía?")
    assert "Lucía trabaja en Correos" in text
    assert "Sevilla" not in text
    assert "Lucía trabaja en Correos" in text_of(memory, "donde trabaja Lucia")


def test_what_two_weak_cues_reach_outranks_what_one_strong_cue_reaches(memory: Memory) -> None:
    """Rosa is tied to Tom by a strong association; Nils only weakly, but to sailing as well."""
    for i in range(4):
        tell(memory, "Tom knows Rosa.", stating(("Tom", "knows", "Rosa"), names=["Tom", "Rosa"]), id=f"r{i}")
    tell(memory, "Tom knows Nils.", stating(("Tom", "knows", "Nils"), names=["Tom", "Nils"]))
    for i in range(6):
        tell(memory, "Nils knows people.", stating(("Nils", "knows", f"person {i}"), names=["Nils"]), id=f"n{i}")
    tell(memory, "Nils teaches sailing.", stating(("Nils", "teaches", "sailing"), names=["Nils"]))
    recall = family_recall(memory, "Whom does Tom know from sailing?")
    assert {cue.label for cue in recall.cues} >= {"Tom", "sailing"}
    assert "Nils" in recall.brief.text
    assert "Rosa" not in recall.brief.text


def family_recall(memory: Memory, question: str) -> Recall:
    return memory.recall(question, speaker="Ana", at=NOON)


def test_a_self_is_not_a_bridge(memory: Memory) -> None:
    """What Ana likes is not evoked by where she lives: everything is somebody's."""
    tell(memory, "I live in Valencia.", stating(("I", "lives in", "Valencia"), names=["Valencia"]))
    tell(memory, "I collect clocks.", stating(("I", "collects", "clocks")))
    text = text_of(memory, "What is there to see in Valencia?")
    assert "clocks" not in text


# --- behind a hub -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hub(graph: Graph) -> Iterator[Memory]:
    """Nora works at Acme; Acme has 3,500 other equal edges; one of its things is tended by Tanaka of Kyoto."""
    with own_memory(graph) as memory:
        tell(memory, "Nora works at Acme.", stating(("Nora", "works at", "Acme"), names=["Nora", "Acme"]))
        tell(memory, "Acme has a rooftop garden.", stating(("Acme", "has", "rooftop garden"), names=["Acme"]))
        tell(
            memory,
            "The rooftop garden is tended by Tanaka.",
            stating(("rooftop garden", "is tended by", "Tanaka"), names=["Tanaka"]),
        )
        tell(memory, "Acme has a subsidiary, Wren.", stating(("Acme", "has", "Wren"), names=["Acme", "Wren"]))
        tell(memory, "Wren is in Kyoto.", stating(("Wren", "is in", "Kyoto"), names=["Wren", "Kyoto"]))
        labels = [f"invoice {i}" for i in range(3500)]
        noise = np.random.default_rng(0).normal(scale=0.02, size=(len(labels), 384))
        vectors = [vector(row) for row in graph.embedder.embed(["invoice"])[0] + noise]
        graph.store.schema(
            "MATCH (hub:Concept {memory: $memory, label: 'Acme'})-[known:ASSOCIATED]->"
            "(:Concept {label: 'rooftop garden'}) "
            "WITH hub, known UNWIND range(0, size($labels) - 1) AS i "
            "CREATE (c:Concept {memory: $memory, memory_key: hub.memory_key, id: 'hub' + i, kind: 'concept', "
            "label: $labels[i], label_key: $labels[i], label_text: $labels[i], aliases: [], activation: 0.0, "
            "strength: 0.0, exposure: 0.0, mentions: 1, fixed: false, first_turn: 1, last_turn: 1, "
            "embedding: toFloatList($vectors[i])}) "
            "CREATE (hub)-[a:ASSOCIATED]->(c) SET a = properties(known), a.id = $memory + i",
            memory=memory.name,
            labels=labels,
            vectors=vectors,
        )
        memory.graph.store.schema(
            "MATCH (:Concept {memory: $memory, label: 'Acme'})-[a:ASSOCIATED]-() SET a.weight = 1.0, a.last_turn = 1",
            memory=memory.name,
        )
        yield memory


def test_three_hops_behind_a_hub_by_affinity(hub: Memory) -> None:
    """Nora → Acme → rooftop garden → Tanaka: of 3,500 equal edges that one is taken which the question means."""
    text = text_of(hub, "Who tends the plants where Nora works?")
    assert "Tanaka" in text
    assert "invoice" not in text


def test_three_hops_behind_a_hub_from_both_ends(hub: Memory) -> None:
    """Nora → Acme → Wren → Kyoto: nothing in the question resembles Wren, but Kyoto leads back to it."""
    recall = family_recall(hub, "What has Nora to do with Kyoto?")
    assert {cue.label for cue in recall.cues} == {"Nora", "Kyoto"}
    assert "Wren" in recall.brief.text
    assert "invoice" not in recall.brief.text


OTHERS = "Ada Bo Cleo Dario Edna Flor Gil Hugo Ilse Juan Kim Leo Mara Nils Olga Pau Quim Rosa Saul Tina".split()


def of_the_server(memory: Memory, **ties: str) -> str:
    """What is shown of Halden project → Bimba server → Zeno, where twenty others have to do with the server.

    ties: what else is said of it, {relation with _ for spaces: target}.
    """
    tell(memory, "The Halden project runs on Bimba.", stating(("Halden project", "runs on", "Bimba"), names=["Bimba"]))
    tell(memory, "Zeno looks after Bimba.", stating(("Zeno", "looks after", "Bimba"), names=["Zeno", "Bimba"]))
    for name, target in ties.items():
        relation = name.replace("_", " ")
        tell(memory, f"Bimba {relation} the {target}.", stating(("Bimba", relation, target), names=["Bimba"]))
    for other in OTHERS:
        extraction = stating(("Bimba", "has to do with", other), names=["Bimba", other])
        tell(memory, f"Bimba has to do with {other}.", extraction)
    return text_of(memory, "Whom should I call when the server of the Halden project is down?")


def test_a_hub_of_another_relation_neither_hides_the_answer_nor_joins_it(memory: Memory) -> None:
    """Halden project → Bimba server → Zeno, where the server has as near a tie to twenty others."""
    text = of_the_server(memory)
    assert "Zeno" in text
    assert not [other for other in OTHERS if other in text]


def test_a_hub_with_other_ties_besides_is_ignored_as_well(memory: Memory) -> None:
    """The server's other facts take half of its fan-out, so no more than half is left to the twenty."""
    ties = {"stands_in": "cellar", "was_bought_in": "Narvik", "costs": "rent", "hums_like": "fridge", "is": "machine"}
    text = of_the_server(memory, **ties)
    assert "Zeno" in text
    assert not [other for other in OTHERS if other in text]


@pytest.mark.parametrize(
    ("said", "fact", "question"),
    [
        ("Noted.", ("Q7", "leads", "Acme"), "Who leads the firm where Nora works?"),
        (
            "They water the flowers there.",
            ("Q7", "is up for it at", "Acme"),
            "Who waters the flowers where Nora works?",
        ),
    ],
    ids=["the question names the relation", "a record near the question states it"],
)
def test_a_hub_is_left_by_what_has_to_do_with_the_question(
    memory: Memory, said: str, fact: tuple[str, str, str], question: str
) -> None:
    """Nora → Acme → Q7, where Acme has ties to ninety others, and nothing in the question resembles Q7."""
    tell(memory, "Nora works at Acme.", stating(("Nora", "works at", "Acme"), names=["Nora", "Acme"]))
    tell(memory, said, stating(fact, names=["Q7", "Acme"]))
    for k in range(15):
        crew = [f"florist {chr(97 + k)}{chr(97 + i)}" for i in range(6)]
        tell(memory, "And so on.", stating(*(("Acme", "has to do with", one) for one in crew), names=["Acme", *crew]))
    text = text_of(memory, question)
    assert "Q7" in text
    assert "florist" not in text


def test_the_hub_costs_no_more_statements(hub: Memory) -> None:
    family_recall(hub, "What has Nora to do with Kyoto?")
    count = counter(hub)
    family_recall(hub, "What has Nora to do with Kyoto?")
    assert count() == 1


# --- silence --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["ok, thanks!", "vale, gracias", "Hello!", "Buenos días", "Great.", "👍", "???"])
def test_small_talk_over_a_full_memory_brings_back_nothing(family: Memory, text: str) -> None:
    recall = family.recall(text, speaker="Ana")
    assert recall.brief.text == ""
    assert recall.brief.tokens == 0
    assert not recall.brief


@pytest.mark.parametrize(
    "question",
    ["How do I solve a quadratic equation?", "What is the capital of Mongolia?", "¿Cuántos planetas hay?"],
)
def test_a_question_about_something_else_brings_back_nothing(family: Memory, question: str) -> None:
    assert text_of(family, question) == ""


def test_how_surely_no_record_answers_is_told(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """For each question of a text, in what explains the answer, in JSON and for people."""
    tell(memory, "I live in Valencia.", stating(("I", "lives in", "Valencia"), names=["Valencia"]))
    probabilities = iter([0.4, 0.1234567])
    answering = import_module("oroi_graph.recall.answering.answer")  # whose name its function has
    real = answering.judge
    monkeypatch.setattr(
        answering, "judge", lambda *given, **named: replace(real(*given, **named), silent=next(probabilities))
    )
    found = memory.recall("Where does my sister live and what does she play?", speaker="Ana")
    assert found.silent == (0.4, 0.1234567)
    assert found.explained()["silent"] == [0.4, 0.123457]
    assert "no record answers: probability 0.4, 0.123\n" in explanation(found) + "\n"


def test_an_empty_memory_is_silent(memory: Memory) -> None:
    recall = memory.recall("Where do I live?")
    assert (recall.brief.text, recall.facts, recall.records(5), recall.reasons) == ("", (), (), ())


@pytest.mark.parametrize("question", ["", "  ", "a\0b"])
def test_an_unusable_question_is_refused(memory: Memory, question: str) -> None:
    with pytest.raises(InputError):
        memory.recall(question)


@pytest.mark.parametrize(
    "question", ["C++ AND (", "memory_key:*", "x) OR (text:Marta", "/.*/", '"Marta', "a:b~2^3 && || !", "*"]
)
def test_search_syntax_in_a_question_is_text(family: Memory, question: str) -> None:
    for hit in family.recall(question, speaker="Ana").records(50):
        assert hit.id in {r["id"] for r in records(family)}


# --- the ranking ------------------------------------------------------------------------------------------------


def test_the_ranking_contains_the_evidence(family: Memory) -> None:
    hits = family_recall(family, "What does Carlos do?").records(3)
    assert hits[0].text == "Carlos is a lawyer."
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert {"meaning", "words", "activation", "who", "when"} <= set(hits[0].features)
    assert (hits[0].turn_id, hits[0].turn, hits[0].role, hits[0].speaker) == ("t3", 4, "user", "Ana")


def test_the_ranking_goes_on_where_the_brief_is_cut(family: Memory) -> None:
    recall = family_recall(family, "What does Carlos do?")
    assert len(recall.records(100)) > len(recall.brief.record_ids)
    assert len(recall.records(2)) == 2
    assert recall.records(0) == ()


def test_the_assistant_ranks_after_equal_words_of_a_protagonist(memory: Memory) -> None:
    words = "The ferry to Naxos leaves at noon."
    turn = memory.perceive(words, speaker="Ana", extraction=EMPTY, at=NOON)
    turn.close(words)
    tell(memory, "My neighbour has a ladder.", EMPTY)
    hits = family_recall(memory, "When does the ferry to Naxos leave?").records(2)
    assert [hit.role for hit in hits] == ["user", "assistant"]


def test_the_assistants_words_are_searchable(memory: Memory) -> None:
    memory.perceive("Tell me about ferries.", speaker="Ana", extraction=EMPTY, at=NOON).close(
        "The ferry to Naxos leaves at noon."
    )
    text = text_of(memory, "When does the ferry to Naxos leave?")
    assert 'the assistant said: "The ferry to Naxos leaves at noon."' in text


def test_when_something_was_said_is_a_channel(memory: Memory) -> None:
    for day in range(1, 6):
        tell(
            memory,
            f"We talked about trains, part {day}.",
            EMPTY,
            id=f"d{day}",
            at=datetime(2026, 3, day, 12, tzinfo=UTC),
        )
    recall = memory.recall(
        "What did we say about trains yesterday?", speaker="Ana", at=datetime(2026, 3, 5, 18, tzinfo=UTC)
    )
    assert recall.records(1)[0].text.endswith("part 4.")


# --- filters ----------------------------------------------------------------------------------------------------


@pytest.fixture
def sessions(memory: Memory) -> Memory:
    """Four turns about boats: two speakers, two sessions, four days."""
    for i, (speaker, session, day) in enumerate([("Ana", "a", 1), ("Bob", "a", 2), ("Ana", "b", 3), ("Bob", "b", 4)]):
        extraction = stating(("boat", f"got part {i}", f"sail {i}"), concepts=["boat"])
        tell(
            memory,
            f"The boat got sail {i}.",
            extraction,
            speaker,
            id=f"b{i}",
            session=session,
            at=datetime(2026, 3, day, 12, tzinfo=UTC),
        )
    return memory


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        (Filters(), {"b0", "b1", "b2", "b3"}),
        (Filters(session="a"), {"b0", "b1"}),
        (Filters(speaker="Bob"), {"b1", "b3"}),
        (Filters(since="2026-03-03"), {"b2", "b3"}),
        (Filters(until="2026-03-03"), {"b0", "b1"}),
        (Filters(since="2026-03-02", until="2026-03-04"), {"b1", "b2"}),
        (Filters(since="2026-03-02T12:00:00Z", until="2026-03-03T12:00:00Z"), {"b1"}),
        (Filters(since="2026-03-02T13:00:00+01:00", until="2026-03-03T13:00:00+01:00"), {"b1"}),
        (Filters(session="b", speaker="Ana"), {"b2"}),
        (Filters(session="none"), set()),
    ],
)
def test_filters_decide_which_records_may_speak(sessions: Memory, filters: Filters, left: set[str]) -> None:
    recall = sessions.recall("What did the boat get?", speaker="Ana", filters=filters)
    assert {hit.turn_id for hit in recall.records(50)} == left
    allowed = {f"sail {turn[1]}" for turn in left}
    for i in range(4):
        assert f"sail {i}" in allowed or f"sail {i}" not in recall.brief.text
    assert bool(recall.brief) is bool(left)


def test_a_bad_date_in_a_filter_is_refused() -> None:
    with pytest.raises(InputError, match="since"):
        Filters(since="last week")


# --- the turn's own recall --------------------------------------------------------------------------------------


def test_a_turn_does_not_recall_itself(memory: Memory) -> None:
    turn = memory.perceive(
        "The zeppelin museum in Oslo opens at nine.",
        speaker="Ana",
        at=NOON,
        extraction=stating(("zeppelin museum", "opens at", "nine"), concepts=["zeppelin museum"]),
    )
    assert turn.brief.text == ""
    assert turn.recall.records(5) == ()
    turn.close()
    assert "nine" in text_of(memory, "When does the zeppelin museum open?")


def test_a_turn_recalls_what_was_said_long_before(family: Memory) -> None:
    turn = family.perceive(
        "What does Carlos do?", speaker="Ana", at=NOON, session="later", extraction=stating(names=["Carlos"])
    )
    assert "Carlos is lawyer" in turn.brief.text
    assert turn.recall is turn.recall


def test_what_is_still_in_the_window_is_not_quoted_again(memory: Memory) -> None:
    """The caller's model has the last turns of the session before its eyes."""
    tell(memory, "The ferry to Naxos leaves at noon.", EMPTY, session="a")
    ask = "When does the ferry to Naxos leave?"
    now = memory.perceive(ask, speaker="Ana", at=NOON, session="a", extraction=EMPTY)
    assert "noon" not in now.brief.text
    now.close()
    later = memory.perceive(ask, speaker="Ana", at=NOON, session="b", extraction=EMPTY)
    assert "noon" in later.brief.text, "another session has other turns before its eyes"
    later.close()
    for i in range(memory.graph.options.window):
        tell(memory, f"Filler {i}.", EMPTY, session="a", id=f"f{i}")
    assert "noon" in memory.perceive(ask, speaker="Ana", at=NOON, session="a", extraction=EMPTY).brief.text


# --- determinism, traces, budget ----------------------------------------------------------------------------------


def test_the_same_question_gives_the_same_bytes(family: Memory) -> None:
    question = "Which festival is held in the city of Marta's company?"
    first, second = (family.recall(question, speaker="Ana", at=NOON) for _ in range(2))
    assert first.brief.text.encode() == second.brief.text.encode()
    assert "jazz" in first.brief.text
    # Lucene's word statistics are the whole database's: a neighbour who writes meanwhile moves scores, not facts.
    assert canonical_json(said_by(first)) == canonical_json(said_by(second))


def said_by(recall: Recall) -> dict[str, object]:
    """A recall's JSON without the scores of its records."""
    data = recall.to_json()
    return {**data, "records": [{**r, "score": None, "features": None} for r in data["records"]]}


def test_a_bare_recall_leaves_no_trace(family: Memory) -> None:
    before = checksum(family)
    assert family.recall("What does Carlos do?", speaker="Ana").brief
    family.recall("ok, thanks")
    assert checksum(family) == before


def test_recall_takes_one_statement(family: Memory) -> None:
    """What says these words, and is the working set fresh? The first time also the packed words of what is ranked."""
    family_recall(family, "What does Elena do?")
    count = counter(family)
    family_recall(family, "What does Carlos do?")
    assert count() == 1


def test_a_recent_but_irrelevant_fact_does_not_win_for_being_active(family: Memory) -> None:
    for i in range(3):
        tell(family, "Elena is a plumber, a plumber!", stating(("Elena", "is", "plumber"), names=["Elena"]), id=f"e{i}")
    assert activations(family)["Elena"] > activations(family).get("Carlos", 0.0)
    text = text_of(family, "What does Carlos do?")
    assert "lawyer" in text
    assert "plumber" not in text


# --- several memories ---------------------------------------------------------------------------------------------


def test_several_memories_are_asked_by_name(graph: Graph, memory: Memory) -> None:
    tell(memory, "Carlos is a lawyer.", stating(("Carlos", "is", "lawyer"), names=["Carlos"]))
    with own_memory(graph) as other, own_memory(graph) as third:
        tell(other, "Carlos is a dentist.", stating(("Carlos", "is", "dentist"), names=["Carlos"]))
        tell(third, "Carlos is a diver.", stating(("Carlos", "is", "diver"), names=["Carlos"]))
        found = graph.recall([memory.name, other.name], "What does Carlos do?")
        assert list(found.parts) == [memory.name, other.name]
        assert "lawyer" in found.parts[memory.name].brief.text
        assert "dentist" not in found.parts[memory.name].brief.text
        assert "dentist" in found.parts[other.name].brief.text
        assert "lawyer" in found.brief.text
        assert "dentist" in found.brief.text
        assert "diver" not in json.dumps(found.to_json())


@pytest.mark.parametrize("names", [[], "", "everything", ["*"], [""], [None]])
def test_memories_to_read_must_be_named(graph: Graph, names: object) -> None:
    with pytest.raises(InputError):
        graph.recall(names, "What does Carlos do?")  # type: ignore[arg-type]


def test_a_memory_that_does_not_exist_is_not_made_by_reading(graph: Graph) -> None:
    with pytest.raises(MemoryNotFoundError):
        graph.recall(["test-none-such"], "What does Carlos do?")
    assert "test-none-such" not in {m.name for m in graph.memories()}


def test_identical_content_elsewhere_is_never_returned(graph: Graph, family: Memory) -> None:
    with own_memory(graph) as twin:
        tell(twin, "Carlos is a lawyer.", stating(("Carlos", "is", "lawyer"), names=["Carlos"]))
        recall = family_recall(twin, "What does Carlos do?")
        own = {c["id"] for c in concepts(twin).values()} | {r["id"] for r in records(twin)}
        assert {hit.id for hit in recall.records(50)} <= own
        assert set(recall.brief.concept_ids) <= own
        assert {end for fact in recall.facts for end in (fact.source_id, fact.target_id)} <= own


def compared(*pairs: tuple[float, list[str]]) -> dict[str, Any]:
    """A row of `seeds` with records of these cosines and the associations that they state, and the options."""
    alike, stating = [[f"r{i}", c] for i, (c, _) in enumerate(pairs)], [stated for _, stated in pairs]
    return {"alike": alike, "stating": stating, "search": Search()}


def test_an_association_means_the_question_as_the_nearest_record_that_states_it_does() -> None:
    row = compared((0.6, ["a"]), (0.5, ["b", "a"]), (0.4, []), (0.2, ["c"]), (0.1, ["d"]))
    assert association_affinity(**row) == pytest.approx({"a": 1.0, "b": 0.5})


def test_where_even_the_nearest_record_is_about_something_else_nothing_is_meant() -> None:
    assert association_affinity(**compared((0.09, ["a"]), (0.0, ["b"]))) == {}
    assert association_affinity(**compared()) == {}
    assert association_affinity(**compared((0.5, ["a"]), (0.5, ["b"]))) == {}
    half = association_affinity(**compared((0.2, ["a"]), (0.0, ["b"]), (0.0, [])))
    assert half == pytest.approx({"a": 0.5})


def test_the_best_record_speaks_where_no_association_leads_to_it(memory: Memory) -> None:
    """What opens the hut is named in the record alone, in other words than the question's."""
    for text, extraction in (
        ("I hid the spare key to the shed inside the watering can.", stating()),
        ("My sister plays the trumpet in a brass band.", stating(("sister", "plays", "trumpet"))),
        ("I stubbed my toe on the doorstep.", stating(("I", "stubbed", "toe"))),
        ("We had pancakes for supper.", stating(("we", "had", "pancakes"))),
    ):
        memory.perceive(text, speaker="Ana", extraction=extraction).close()
    assert "watering can" in memory.recall("Where is the key that opens the garden hut?", speaker="Ana").brief.text
