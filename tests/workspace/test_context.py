"""A long conversation is flushed before it is compacted, once a cycle, and never outgrows the model's context."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from oroi_graph.errors import ProviderError
from oroi_graph.workspace.config import FlushConfig
from oroi_graph.workspace.context import KEPT, Context, Message
from oroi_graph.workspace.files.reading import get
from oroi_graph.workspace.files.writing import NoteWriter
from oroi_graph.workspace.flush import Flusher
from oroi_graph.workspace.layout import Layout

NOON = datetime(2026, 2, 10, 12, tzinfo=UTC)
SMALL = FlushConfig(reserve=100, soft=100)
WINDOW = 1_000  # tokens: flushed from 800 on, compacted from 900 on


class Model:
    """Stores something whenever it is asked to; fails while `down`."""

    def __init__(self) -> None:
        self.asked: list[Sequence[Message]] = []
        self.down = False

    def __call__(self, messages: Sequence[Message]) -> str:
        """Its reply to a flush."""
        self.asked.append(list(messages))
        if self.down:
            raise ProviderError("it is down")
        return f"- stored {len(self.asked)}"


def context(layout: Layout, model: Model, config: FlushConfig = SMALL) -> Context:
    """As a process of its own would have it."""
    clock = lambda: NOON  # noqa: E731 - one moment
    return Context(Flusher(layout.state, config, NoteWriter(layout, clock=clock), clock), "chat", WINDOW, model)


def turn(held: Context, tokens: int = 50) -> bool:
    """One turn of that many tokens; whether it led to a flush."""
    held.add("x" * 2 * tokens, "y" * 2 * tokens)
    return held.settle() is not None


def test_each_cycle_is_flushed_once_and_before_its_compaction(layout: Layout) -> None:
    model = Model()
    held = context(layout, model)
    lengths = []
    flushes = []
    for number in range(60):
        if turn(held):
            flushes.append(number)
        lengths.append(len(held.messages))
        assert held.tokens < WINDOW
    compactions = [number for number in range(1, 60) if lengths[number] < lengths[number - 1]]
    assert flushes[0] == 15, "at 800 tokens"
    assert compactions[0] == 17, "at 900 tokens"
    assert all(before < after for before, after in zip(flushes, compactions, strict=False))
    assert abs(len(flushes) - len(compactions)) <= 1
    first = model.asked[0]
    assert (first[0]["role"], first[-1]["role"], len(first)) == ("system", "user", 34), "the whole conversation is seen"
    assert "2026-02-10" in first[-1]["content"]
    assert get(layout, "memory/2026-02-10.md").text.splitlines() == [f"- stored {n + 1}" for n in range(len(flushes))]


def test_a_new_process_begins_a_cycle_of_its_own(layout: Layout) -> None:
    flushed = []
    for _ in range(3):
        held = context(layout, Model())
        flushed.append(sum(turn(held) for _ in range(17)))
    assert flushed == [1, 1, 1]


def test_a_model_that_fails_costs_no_turn_and_the_context_stays_bounded(layout: Layout) -> None:
    model = Model()
    held = context(layout, model)
    model.down = True
    failures = 0
    for _ in range(40):
        try:
            turn(held)
        except ProviderError:
            failures += 1
        assert held.tokens < WINDOW
    assert failures >= 1


def test_a_turn_as_large_as_the_window_is_kept_alone(layout: Layout) -> None:
    held = context(layout, Model())
    turn(held)
    turn(held, 2_000)
    assert len(held.messages) == 2 <= KEPT


def test_a_flush_that_is_switched_off_leaves_compaction(layout: Layout) -> None:
    model = Model()
    held = context(layout, model, FlushConfig(enabled=False, reserve=100, soft=100))
    assert not any(turn(held) for _ in range(40))
    assert held.tokens < WINDOW
    assert model.asked == []
