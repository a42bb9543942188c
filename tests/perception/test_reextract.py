"""Failure: a turn whose extraction failed is kept, counted, and extracted again under its own number."""

from __future__ import annotations

from collections.abc import Mapping

from graph_view import (
    NOON,
    activations,
    association,
    associations,
    checksum_without_lock,
    clock,
    concepts,
    current,
    mentions,
    own_memory,
    records,
    stating,
    tell,
)

from oroi_graph import ExtractedRelation, Extraction, ExtractionError, Graph, Memory, ProviderError, ScriptedExtractor

EMPTY = Extraction()
DOWN = ProviderError("the model is away")
MADRID = stating(("I", "lives in", "Madrid"), names=["Madrid"])
VALENCIA = stating(("I", "lives in", "Valencia"), names=["Valencia"])


def working(memory: Memory, script: Mapping[str, Extraction | Exception]) -> Memory:
    """The same memory with an extractor that answers by a script."""
    graph = memory.graph
    return Graph(graph.store, graph.embedder, ScriptedExtractor(script), graph.options).memory(memory.name)


def test_a_failure_keeps_the_turn(graph: Graph) -> None:
    with own_memory(graph, ScriptedExtractor([DOWN])) as memory:
        turn = memory.perceive("I live in Madrid.", speaker="Ana", at=NOON)
        turn.close("Noted.")
        assert (turn.number, clock(memory)) == (1, 1)
        assert turn.opened.failure == "the model is away"
        (said, reply) = records(memory)
        assert (said["text"], said["extraction"], said["failure"]) == (
            "I live in Madrid.",
            "failed",
            "the model is away",
        )
        assert reply["text"] == "Noted."
        assert concepts(memory) == {}
        assert memory.stats().failed == 1
        assert "Madrid" in memory.recall("Where do I live?", speaker="Ana").brief.text, "its words are searchable"


def test_retry_extracts_it_under_its_own_number_without_a_pulse(graph: Graph) -> None:
    with own_memory(graph, ScriptedExtractor([DOWN, EMPTY])) as memory:
        memory.perceive("I live in Madrid.", speaker="Ana", at=NOON).close()
        memory.perceive("It rains.", speaker="Ana", at=NOON).close()
        again = working(memory, {"I live in Madrid.": MADRID})
        report = again.retry()
        assert (report.failed, report.amended, report.failure) == (1, 1, None)
        fact = association(memory, "Ana", "Madrid")
        assert (fact["first_turn"], fact["records"]) == (1, [records(memory)[0]["id"]])
        assert fact["stated_at"] == NOON.isoformat()
        assert activations(memory) == {}, "it is not what is being spoken of now"
        assert clock(memory) == 2
        assert [(m[0], m[1], m[3]) for m in mentions(memory)] == [(1, "Ana", "new"), (1, "Madrid", "new")]
        (said, _) = records(memory)
        assert (said["extraction"], said.get("failure"), said["extractor"]) == ("done", None, "scripted")
        assert said["associations"] == [fact["id"]]
        assert memory.stats().failed == 0


def test_retry_is_idempotent(graph: Graph) -> None:
    with own_memory(graph, ScriptedExtractor([DOWN])) as memory:
        memory.perceive("I live in Madrid.", speaker="Ana", at=NOON).close()
        again = working(memory, {"I live in Madrid.": MADRID})
        again.retry()
        before = checksum_without_lock(memory)
        assert again.retry().failed == 0
        assert checksum_without_lock(memory) == before


def test_failing_twice_leaves_the_turn_as_it_was(graph: Graph) -> None:
    with own_memory(graph, ScriptedExtractor([DOWN])) as memory:
        memory.perceive("I live in Madrid.", speaker="Ana", at=NOON).close()
        before = checksum_without_lock(memory)
        report = working(memory, {"I live in Madrid.": ExtractionError("no object")}).retry()
        assert (report.failed, report.amended) == (1, 0)
        assert "no object" in str(report.failure)
        assert checksum_without_lock(memory) == before
        assert working(memory, {"I live in Madrid.": MADRID}).retry().amended == 1


def test_one_that_fails_again_does_not_stop_the_others(graph: Graph) -> None:
    with own_memory(graph, ScriptedExtractor([DOWN, DOWN, DOWN])) as memory:
        for text in ("I live in Madrid.", "Mumble.", "Marta plays the cello."):
            memory.perceive(text, speaker="Ana", at=NOON).close()
        cello = stating(("Marta", "plays", "cello"), names=["Marta"])
        script: dict[str, Extraction | Exception] = {
            "I live in Madrid.": MADRID,
            "Mumble.": DOWN,
            "Marta plays the cello.": cello,
        }
        report = working(memory, script).retry()
        assert (report.failed, report.amended) == (3, 2)
        assert current(memory) == {("Ana", "lives in", "Madrid"), ("Marta", "plays", "cello")}


def test_what_was_said_later_still_holds(graph: Graph) -> None:
    """Madrid was said first and is extracted last: it is history from its start."""
    with own_memory(graph, ScriptedExtractor([DOWN, VALENCIA])) as memory:
        memory.perceive("I live in Madrid.", speaker="Ana", at=NOON).close()
        memory.perceive("I live in Valencia.", speaker="Ana", at=NOON).close()
        assert working(memory, {"I live in Madrid.": MADRID}).retry().amended == 1
        assert current(memory) == {("Ana", "lives in", "Valencia")}
        old, new = association(memory, "Ana", "Madrid"), association(memory, "Ana", "Valencia")
        assert (old["superseded_turn"], old["superseded_by"]) == (2, new["id"])
        assert "Madrid" not in memory.recall("Where do I live?", speaker="Ana").brief.text
        assert "Madrid" in memory.recall("Where did I live before?", speaker="Ana").brief.text


def test_a_later_denial_still_holds(graph: Graph) -> None:
    jazz = ExtractedRelation("I", "likes", "jazz")
    with own_memory(graph, ScriptedExtractor([DOWN])) as memory:
        memory.perceive("I like jazz.", speaker="Ana", at=NOON).close()
        tell(memory, "I don't like jazz.", stating(ExtractedRelation("I", "likes", "jazz", negated=True)))
        working(memory, {"I like jazz.": stating(jazz)}).retry()
        assert current(memory) == {("Ana", "not likes", "jazz")}


def test_what_was_said_again_later_is_one_association(graph: Graph) -> None:
    with own_memory(graph, ScriptedExtractor([DOWN, MADRID])) as memory:
        memory.perceive("I live in Madrid.", speaker="Ana", at=NOON).close()
        memory.perceive("Yes, I live in Madrid.", speaker="Ana", at=NOON).close()
        working(memory, {"I live in Madrid.": MADRID}).retry()
        (fact,) = associations(memory)
        assert (fact["count"], fact["last_turn"]) == (2, 2)
        assert set(fact["records"]) == {r["id"] for r in records(memory)}


def test_it_still_replaces_what_was_said_before_it(graph: Graph) -> None:
    with own_memory(graph, ScriptedExtractor([MADRID, DOWN])) as memory:
        memory.perceive("I live in Madrid.", speaker="Ana", at=NOON).close()
        memory.perceive("I live in Valencia.", speaker="Ana", at=NOON).close()
        working(memory, {"I live in Valencia.": VALENCIA}).retry()
        assert current(memory) == {("Ana", "lives in", "Valencia")}
        assert association(memory, "Ana", "Madrid")["superseded_turn"] == 2


def test_the_window_of_a_retried_turn_is_what_came_before_it(graph: Graph) -> None:
    with own_memory(graph, ScriptedExtractor([EMPTY, DOWN, EMPTY])) as memory:
        memory.perceive("We talked of Rome.", speaker="Ana", at=NOON).close("A great city.")
        memory.perceive("I live there.", speaker="Ana", at=NOON).close()
        memory.perceive("It snows.", speaker="Ana", at=NOON).close()
        extractor = ScriptedExtractor({"I live there.": EMPTY})
        Graph(graph.store, graph.embedder, extractor).memory(memory.name).retry()
        ((turn, window),) = extractor.calls
        assert (turn.text, turn.speaker, turn.at) == ("I live there.", "Ana", NOON)
        assert [u.text for u in window] == ["We talked of Rome.", "A great city."]


def test_nothing_failed_nothing_to_do(memory: Memory) -> None:
    tell(memory, "I live in Madrid.", MADRID)
    report = memory.retry()
    assert (report.failed, report.amended, report.failure) == (0, 0, None)
