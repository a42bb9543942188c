"""Several memories as one answer: one brief, one budget, every line with its memory."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from oroi_graph.errors import InputError, MemoryNotFoundError
from oroi_graph.language.tokens import count_tokens
from oroi_graph.memory import Graph, Memory
from oroi_graph.model import BriefItem
from oroi_graph.recall.joint import join
from oroi_graph.recall_options import Selection


@pytest.fixture(scope="module")
def pair(graph: Graph) -> Iterator[tuple[Memory, Memory]]:
    """What Ana said, and what her team knows."""
    run = uuid.uuid4().hex[:8]
    ana, team = graph.memory(f"ana-{run}"), graph.memory(f"team-{run}")
    for text in ("My sister Leire lives in Gernika.", "I have worked with Iker since May.", "I am allergic to nuts."):
        ana.perceive(text, speaker="Ana").close()
    for text in ("The release is on 14 March.", "Iker is the head of design.", "The office is in Bilbao."):
        team.perceive(text, speaker="Jon").close()
    yield ana, team
    for memory in (ana, team):
        assert graph.delete(memory.name) == 0


def names(pair: tuple[Memory, Memory]) -> list[str]:
    return [memory.name for memory in pair]


def test_one_brief_names_the_memory_of_each_line(graph: Graph, pair: tuple[Memory, Memory]) -> None:
    ana, team = pair
    found = graph.recall(names(pair), "What do you know about Iker?", speaker="Ana")
    lines = found.brief.text.splitlines()[2:-1]
    assert [item.line for item in found.items] == lines
    assert all(re.match(rf"- \[({ana.name}|{team.name})\] .", line) for line in lines)
    assert any("head of design" in line and f"[{team.name}]" in line for line in lines)
    assert any("since May" in line and f"[{ana.name}]" in line for line in lines)
    assert found.brief.tokens == count_tokens(found.brief.text) <= 512


def test_a_memory_with_nothing_to_say_adds_nothing(graph: Graph, pair: tuple[Memory, Memory]) -> None:
    ana, team = pair
    found = graph.recall(names(pair), "Where does my sister live?", speaker="Ana")
    assert "Gernika" in found.brief.text
    assert {name for item in found.items for name in item.memories} == {ana.name}
    other = graph.recall(names(pair), "When is the release?", speaker="Ana")
    assert {name for item in other.items for name in item.memories} == {team.name}
    assert not graph.recall(names(pair), "ok, thanks").brief


def test_the_order_of_names_changes_no_answer(graph: Graph, pair: tuple[Memory, Memory]) -> None:
    question = "Where does my sister live?"
    found = graph.recall(names(pair), question, speaker="Ana")
    turned = graph.recall(names(pair)[::-1], question, speaker="Ana")
    assert found.brief == turned.brief
    assert found.ranked == turned.ranked


def test_items_are_explained_with_their_memory(graph: Graph, pair: tuple[Memory, Memory]) -> None:
    found = graph.recall(names(pair), "What do you know about Iker?", speaker="Ana")
    assert {(name, why.item) for name, why in found.reasons} <= {
        (name, item.text) for item in found.items for name in item.memories
    }
    found = graph.recall(names(pair), "Who is the head of design?", speaker="Ana")
    told = found.explained()
    assert told["reasons"]
    assert told["left_out"]
    assert all(one["memory"] in names(pair) for one in (*told["reasons"], *told["left_out"]))
    assert told["silent"] == [{"memory": name, "probabilities": [0.0]} for name in names(pair)]  # no network reads here


def test_one_memory_is_answered_as_it_answers_alone(graph: Graph, pair: tuple[Memory, Memory]) -> None:
    ana, _ = pair
    at = ana.recall("Where does my sister live?", speaker="Ana")
    joint = graph.recall([ana.name, ana.name], "Where does my sister live?", speaker="Ana")
    assert [item.text for item in joint.items] == [line[2:] for line in at.brief.text.splitlines()[2:-1]]
    assert joint.brief.fact_ids == at.brief.fact_ids
    assert joint.brief.concept_ids == at.brief.concept_ids
    assert [hit for _, hit in joint.ranked] == list(at.ranked)


def test_the_budget_is_of_all_together(graph: Graph, pair: tuple[Memory, Memory]) -> None:
    whole = graph.recall(names(pair), "What do you know about Iker?", speaker="Ana")
    for budget in (1, 30, 45, 60, whole.brief.tokens):
        found = graph.recall(names(pair), "What do you know about Iker?", speaker="Ana", budget=budget)
        assert found.brief.tokens <= budget
    assert len(found.items) == len(whole.items) >= 2


def test_the_same_words_are_one_line_of_two_memories(graph: Graph, pair: tuple[Memory, Memory]) -> None:
    ana, _ = pair
    one = ana.recall("Where does my sister live?", speaker="Ana")
    found = join(one.question, {"first": one, "second": one}, 512, graph.options.selection)
    assert found.items
    assert all(item.memories == ("first", "second") for item in found.items)
    assert found.brief.text.count("Gernika") == one.brief.text.count("Gernika")


def test_a_far_memory_adds_only_what_its_graph_is_sure_of(graph: Graph, pair: tuple[Memory, Memory]) -> None:
    ana, team = pair
    parts = {memory.name: memory.recall("Where is the office?", speaker="Ana") for memory in pair}
    hit = next(hit for hit in parts[ana.name].ranked)
    weak = replace(hit, features={"meaning": 0.01, "interaction": 0.01})
    brief = replace(parts[ana.name].brief, items=(BriefItem("record", hit.id, f'"{hit.text}"'),))
    parts[ana.name] = replace(parts[ana.name], brief=brief, ranked=(weak,), facts=(), reasons=())
    assert [name for item in join("", parts, 512, Selection()).items for name in item.memories] == [
        team.name for _ in join("", {team.name: parts[team.name]}, 512, Selection()).items
    ]
    eager = join("", parts, 512, Selection(joint=0.0))
    assert ana.name in [name for item in eager.items for name in item.memories]


def test_a_turn_is_answered_by_others_too(graph: Graph, pair: tuple[Memory, Memory]) -> None:
    ana, team = pair
    turn = ana.perceive("When is the release?", speaker="Ana")
    found = turn.recall_with([team.name])
    assert list(found.parts) == [ana.name, team.name]
    assert "14 March" in found.brief.text
    assert f"[{team.name}]" in found.brief.text
    again = ana.turn(turn.id)
    assert (again.number, again.input.text, again.input.speaker) == (turn.number, "When is the release?", "Ana")
    again.close("On 14 March.", injected=found.brief)
    said = ana.timeline(limit=1)
    assert [(one.role, one.text) for one in said] == [("assistant", "On 14 March."), ("user", "When is the release?")]
    assert [one.turn for one in ana.timeline(before=said[0].turn, limit=2)] == [3, 2]
    ana.undo()
    with pytest.raises(InputError, match="no episode"):
        ana.turn("nothing")


@pytest.mark.parametrize("given", [[], "", "ana", None, ["*"], [""], [None], [["a"]], [7]], ids=repr)
def test_names_that_could_mean_all_are_refused(graph: Graph, given: object) -> None:
    with pytest.raises(InputError):
        graph.recall(given, "Who?")  # type: ignore[arg-type]


def test_an_unknown_memory_is_named_and_nothing_is_read(graph: Graph, pair: tuple[Memory, Memory]) -> None:
    with pytest.raises(MemoryNotFoundError, match="no memory named 'test-none-such'"):
        graph.recall([pair[0].name, "test-none-such"], "Who?")


def test_a_time_is_looked_up_in_each_memory(graph: Graph) -> None:
    run, noon = uuid.uuid4().hex[:8], datetime(2026, 2, 11, 12, tzinfo=UTC)
    home, team = graph.memory(f"home-{run}"), graph.memory(f"team-{run}")
    for memory, speaker, day, text in [
        (home, "Ana", 9, "My sister Leire moved to Gernika."),
        (home, "Ana", 10, "The roof leaks again."),
        (team, "Jon", 10, "The roofer comes on Friday for the roof."),
        (team, "Jon", 3, "The office is in Bilbao."),
    ]:
        memory.perceive(text, speaker=speaker, at=datetime(2026, 2, day, 10, tzinfo=UTC), session=f"s{day}").close()

    def lines(question: str) -> list[str]:
        found = graph.recall([home.name, team.name], question, speaker="Ana", at=noon)
        assert {one["memory"] for one in found.to_json()["windows"]} == {home.name, team.name}
        return [line.replace(f"-{run}", "") for line in found.brief.text.splitlines()[2:-1]]

    yesterday = lines("What did we talk about yesterday?")
    counted = "- [home, team] Said on 2026-02-10: 1 session, 1 turn."  # what both say is one line
    assert [line for line in yesterday if "Said on" in line] == [counted]
    assert {line.split()[1] for line in yesterday if "roof" in line} == {"[home]", "[team]"}
    roof = lines("What did we say about the roof yesterday?")
    assert any("leaks" in line for line in roof)
    assert any("Friday" in line for line in roof)
    office = lines("What did we say on 3 February about the office?")
    assert {line.split()[1] for line in office} == {"[team]"}, "that nothing was said at home is no answer"
    assert any("Bilbao" in line for line in office)
    nothing = lines("What did we say in January about the roof?")
    assert nothing[0] == "- [home, team] Nothing was said from 2026-01-01 to 2026-01-31."
    for memory in (home, team):
        assert graph.delete(memory.name) == 0
