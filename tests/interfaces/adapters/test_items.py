"""Items: exact values under a namespace and a key, whose words the memory knows for as long as they are there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from oroi_graph.errors import InputError, MemoryNotFoundError, SettingsError
from oroi_graph.interfaces.adapters.talk import missing
from oroi_graph.interfaces.items.kept import Entry, Items, words_of
from oroi_graph.memory import Graph, Memory

HOME = ("users", "ana")


def test_items_come_back_exactly_and_namespaces_do_not_run_into_each_other(memory: Memory) -> None:
    items = Items(memory)
    value = {"text": "zer moduz? ✓", "n": 1.5, "list": [None, True, {"a": "b"}]}
    items.put([Entry(HOME, "a/b~c", value), Entry(("users", "ana/x"), "k", 1), Entry(("users", "an"), "k", 2)])
    assert items.get(HOME, ["a/b~c", "absent"])["a/b~c"].value == value
    assert [one.value for one in items.within(HOME)] == [value]
    assert [one.value for one in items.within(("users",))] == [value, 1, 2]
    assert [one.value for one in items.within((), 2)] == [1, 2]
    assert items.within((), 0) == []
    assert items.namespaces() == [("users", "an"), ("users", "ana"), ("users", "ana/x")]
    for wrong in (object(), float("nan"), "\ud800"):
        with pytest.raises(InputError, match="is no JSON"):
            items.put([Entry(HOME, "new", 1), Entry(HOME, "wrong", wrong)])
    assert items.get(HOME, ["new"]) == {}


def test_words_are_known_while_the_item_is_there(memory: Memory) -> None:
    """Replaced and deleted words are gone from the memory; nobody's words state no facts, somebody's do."""
    items, own = Items(memory), Items(memory, speaker="Ana")
    items.put([Entry(HOME, "boat", {"text": "The boat lies in Bermeo."}, "The boat lies in Bermeo.")])
    own.put([Entry(HOME, "home", {}, "I live in Durango.")])
    assert {fact.target for fact in memory.facts("Ana")} == {"Durango"}
    assert "Bermeo" in str(memory.recall("Where does the boat lie?").brief)
    items.put([Entry(HOME, "boat", {}, "The boat lies in Lekeitio.")])
    own.put([Entry(HOME, "home", {}, "I live in Elorrio.")])
    said = " ".join(episode.text for episode in memory.timeline())
    assert "Lekeitio" in said
    assert "Bermeo" not in said
    assert {fact.target for fact in memory.facts("Ana")} == {"Elorrio"}
    ranked = items.ranked("Where does the boat lie?", items.within(HOME))
    assert (ranked[0][0].key, ranked[0][1] is not None) == ("boat", True)
    assert len(items.drop(HOME, ["boat", "home", "absent"])) == 2
    assert memory.timeline() == []


def test_writers_beside_each_other_lose_nothing_and_a_deleted_memory_takes_none(graph: Graph, other: Memory) -> None:
    items = Items(other)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: items.put([Entry(("n",), str(n % 16), n)]), range(64)))
    assert sorted(one.value % 16 for one in items.within(("n",))) == list(range(16))
    assert len({one.number for one in items.within(("n",))}) == 16
    assert graph.delete(other.name) == 0
    with pytest.raises(MemoryNotFoundError):
        items.put([Entry(("n",), "k", 1)])


def test_turns_are_forgotten_by_their_ids_and_only_they(memory: Memory) -> None:
    memory.perceive("I live in Durango.", speaker="Ana", id="a").close("Nice.")
    memory.perceive("Iker lives in Durango.", speaker="Ana", id="b").close()
    open_turn = memory.perceive("I live in Elorrio.", speaker="Ana", id="c")
    assert memory.forget_turns(["absent"]).id is None
    with pytest.raises(InputError, match="ids must be a list"):
        memory.forget_turns("a")
    done = memory.forget_turns(["a", "c"], by="Ana")
    assert (len(done.what.episodes), done.finished) == (3, True)
    open_turn.close("Too late.")
    assert [episode.turn_id for episode in memory.timeline()] == ["b"]
    assert memory.facts("Ana") == []
    assert {fact.target for fact in memory.facts("Iker")} == {"Durango"}
    assert memory.perceive("I live in Durango.", speaker="Ana", id="a").number is None  # what was forgotten stays so


def test_the_words_of_a_value() -> None:
    assert words_of({"text": "one"}) == "one"
    assert words_of({"a": "one", "b": {"c": ["two", 3]}}) == "a: one\nb c: two"
    assert words_of({"n": 1}) == ""


def test_an_absent_framework_is_told_with_its_extra() -> None:
    """Each adapter names its own extra, which the package has."""
    said = missing("llama-index", ImportError("x", name="llama_index.core"))
    assert isinstance(said, SettingsError)
    assert str(said) == "llama_index is not installed: pip install 'oroi-graph[llama-index]'"
    root = Path(__file__).parents[3]
    extras = (root / "pyproject.toml").read_text(encoding="utf-8")
    for module in (root / "oroi_graph/interfaces/adapters").glob("*.py"):
        text = module.read_text(encoding="utf-8")
        if module.stem not in ("__init__", "talk"):
            [named] = [line.split('"')[1] for line in text.splitlines() if line.startswith("    raise missing(")]
            assert f"\n{named} = [" in extras, module
