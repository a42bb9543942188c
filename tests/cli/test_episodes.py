"""`oroi episode`: what was said, word for word, whatever sleep has made of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from conftest_cli import Ran, cli_environment, mind, oroi

from oroi_graph import Extraction, Graph
from oroi_graph.consolidation.run_context import RunContext
from oroi_graph.consolidation.summarize import elaborate
from oroi_graph.options import Options, Sleep
from oroi_graph.providers.extractive import ExtractiveSummarizer
from oroi_graph.storage.lease import leased

__all__ = ["cli_environment", "mind", "oroi"]

Oroi = Callable[..., Ran]
LONG = (
    "¡Hola! Ayer me mudé por fin a Valencia con mi hermana Eva. Llovió todo el día sobre las cajas,\n"
    "y el camión llegó tarde. Muchas gracias por escucharme."
)
LOUD = "Vale \x1b[31m\u202e, gracias."


@pytest.fixture
def slept(graph: Graph, mind: str) -> str:
    """A memory with one gist, one episode that rests, and the last turns as they were said."""
    memory = graph.memory(mind)
    at = datetime(2026, 3, 2, 12, tzinfo=UTC)
    turns = [(LONG, "move", "Qué bien, me alegro."), (LOUD, "thanks", None), ("Ya.", "a", None), ("No.", "b", None)]
    for text, id, reply in turns:
        memory.perceive(text, speaker="Ana", id=id, at=at, extraction=Extraction()).close(reply)
    options = Options(sleep=Sleep(gist_after=0, rest_after=2, gist_length=70), window=2)
    graph.store.schema("MATCH (r:Record {memory: $m, turn_id: 'move'}) SET r.turn = 3", m=mind)  # young, for a moment
    with leased(graph.store, mind) as lease:
        run = RunContext(store=graph.store, memory=mind, options=options, turn=4, since=0, lease=lease)
        assert elaborate(run, graph.embedder, ExtractiveSummarizer()).rested == 1
        graph.store.schema("MATCH (r:Record {memory: $m, turn_id: 'move'}) SET r.turn = 1", m=mind)
        options = Options(sleep=Sleep(gist_after=0, gist_length=70), window=2)
        assert elaborate(replace(run, options=options), graph.embedder, ExtractiveSummarizer()).made == 1
    return mind


def test_the_words_are_there_for_ever(oroi: Oroi, slept: str) -> None:
    assert oroi("episode", "show", slept, "move", "--verbatim").out == f"{LONG}\n"
    shown = oroi("episode", "show", slept, "move")
    assert shown.code == 0
    assert "camión" in shown.out
    assert "Valencia" not in shown.out
    assert "state      gist" in shown.out
    found = oroi("episode", "show", slept, "move", "--json").json
    assert (found["verbatim"], found["role"], found["state"], found["gist_by"]) == (LONG, "user", "gist", "extractive")
    assert oroi("episode", "show", slept, found["id"], "--json").json == found


def test_what_rests_is_there_and_cannot_steer_the_terminal(oroi: Oroi, slept: str) -> None:
    assert oroi("episode", "show", slept, "thanks", "--json").json["verbatim"] == LOUD
    out = oroi("episode", "show", slept, "thanks", "--verbatim").out
    assert not set(out) & {"\x1b", "\u202e"}
    assert "gracias." in out
    assert "off the recall path" in oroi("episode", "show", slept, "thanks").out


def test_the_list_names_every_episode_and_those_that_changed(oroi: Oroi, slept: str) -> None:
    every = oroi("episode", "list", slept, "--json").json
    assert [e["turn_id"] for e in every] == ["b", "a", "thanks", "move", "move"]
    assert [e["state"] for e in every] == ["verbatim", "verbatim", "resting", "verbatim", "gist"]
    assert [e["turn_id"] for e in oroi("episode", "list", slept, "--gists", "--json").json] == ["move"]
    assert [e["turn_id"] for e in oroi("episode", "list", slept, "--resting", "--json").json] == ["thanks"]
    assert [e["turn_id"] for e in oroi("episode", "list", slept, "--limit", "1", "--json").json] == ["b"]
    lines = oroi("episode", "list", slept).out.splitlines()
    assert len(lines) == 7
    assert all(every[i]["id"] in lines[i + 2] for i in range(5))


def test_bad_input_is_one_line(oroi: Oroi, slept: str, graph: Graph) -> None:
    assert f"`oroi episode list {slept}`" in oroi("episode", "show", slept, "nothing").failed()
    assert "no memory named 'nobody-here'" in oroi("episode", "show", "nobody-here", "x").failed()
    assert "no memory named 'nobody-here'" in oroi("episode", "list", "nobody-here").failed()
    assert "bad memory name" in oroi("episode", "show", "*", "x").failed()
    oroi("episode", "list", slept, "--limit", "0").failed(2)
    oroi("episode", "show", slept).failed(2)


def test_an_empty_memory_says_so(oroi: Oroi, mind: str, graph: Graph) -> None:
    graph.memory(mind)
    ran = oroi("episode", "list", mind)
    assert (ran.code, ran.out) == (0, "")
    assert "there is no episode in memory" in ran.err
    assert oroi("episode", "list", mind, "--gists", "--json").json == []
    assert "there is no such episode" in oroi("episode", "list", mind, "--gists").err
