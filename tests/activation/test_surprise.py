"""Surprise: graded in [0, 1], nothing where nothing is lit, less for what fits than for a jump."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shifts
import surprise as benchmark
from graph_view import NOON, activations, own_memory, records, stating, tell
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from oroi_graph import Extraction, Graph, Memory, ProviderError, ScriptedExtractor
from oroi_graph.activation.surprise import MOST, RECENT, SAMPLE, Before, Weights, sampled, surprise
from oroi_graph.language.tokens import count_tokens
from oroi_graph.working_set import context
from oroi_graph.working_set.transactions import Reading

EMPTY = Extraction()
LONG = 1_000_000  # tokens: a turn that says all it can
UP, ACROSS, THERE = np.eye(3, dtype=np.float32)

# A lead-in, what goes on with it, and what does not, with the topic of the lead-in.
TALKS = {
    "English": (
        (
            "My sister bought a wooden sailing boat last spring.",
            "We repainted the boat's hull and sewed a new sail.",
            "Yesterday we sailed the boat to the island, with a strong wind.",
        ),
        "The mast creaked all night while the boat lay at anchor.",
        "My accountant says the tax return is due on Friday.",
        "Thanks a lot!",
    ),
    "Spanish": (
        (
            "Mi hermana compró un velero de madera la primavera pasada.",
            "Pintamos el casco del velero y cosimos una vela nueva.",
            "Ayer navegamos en el velero hasta la isla, con viento fuerte.",
        ),
        "El mástil del velero crujió toda la noche junto al puerto.",
        "El gestor dice que la declaración de la renta vence el viernes.",
        "¡Muchas gracias!",
    ),
    "Portuguese": (
        (
            "A minha irmã comprou um veleiro de madeira na primavera passada.",
            "Pintámos o casco do veleiro e costurámos uma vela nova.",
            "Ontem navegámos no veleiro até à ilha, com vento forte.",
        ),
        "O mastro do veleiro rangeu toda a noite junto ao porto.",
        "O contabilista diz que a declaração de impostos vence na sexta-feira.",
        "Muito obrigado!",
    ),
}

shares = st.floats(0, 1)
cosines = st.floats(-1, 1)
vectors = st.lists(cosines, min_size=3, max_size=3)


def value(text: NDArray[np.float32], tokens: int = LONG, **before: Any) -> float:
    """Surprise at a text, one concept being lit that it has nothing to do with."""
    given = {"activation": [1.0], "affinity": [0.5], **before}
    return surprise(text, tokens, Before(**given))


@given(
    vectors,
    st.integers(0, 500),
    st.lists(st.tuples(st.floats(1e-3, 10), shares), max_size=12),
    st.lists(st.tuples(st.integers(0, 8), vectors), max_size=12),
    st.lists(vectors, max_size=6),
)
def test_it_is_a_share(
    text: list[float],
    tokens: int,
    lit: list[tuple[float, float]],
    said: list[tuple[int, list[float]]],
    sample: list[list[float]],
) -> None:
    before = Before(
        [a for a, _ in lit], [f for _, f in lit], [age for age, _ in said], [row for _, row in said], sample
    )
    found = surprise(np.array(text, dtype=np.float32), tokens, before)
    assert 0 <= found <= 1
    assert lit or found == 0


def test_nothing_lit_is_no_surprise() -> None:
    assert surprise(UP, LONG, Before()) == 0.0
    assert surprise(UP, LONG, Before(ages=[0], said=[ACROSS], sample=[ACROSS])) == 0.0


def test_what_nothing_accounts_for_is_all_surprise() -> None:
    assert value(UP) == pytest.approx(1, abs=1e-4)
    assert value(UP, ages=[0], said=[ACROSS]) == pytest.approx(1, abs=1e-4)


def test_what_was_said_just_now_is_no_surprise() -> None:
    assert value(UP, ages=[0], said=[UP]) == pytest.approx(0, abs=1e-9)


def test_the_opposite_does_not_undo_what_the_other_witness_says() -> None:
    assert value(UP, affinity=[1.0], ages=[0], said=[-UP]) == pytest.approx(0.5, abs=1e-4)
    assert value(UP, affinity=[0.0], ages=[0], said=[(UP + ACROSS) / np.sqrt(2)]) == pytest.approx(
        1 - 0.5**0.5, abs=1e-4
    )


def test_each_turn_since_leaves_half_a_witness() -> None:
    found = [1 - value(UP, ages=[age], said=[UP]) for age in range(4)]
    assert found == pytest.approx([1, 1 / 2, 1 / 4, 1 / 8], abs=1e-4)


def test_a_lit_concept_is_half_a_witness_and_less_when_dim() -> None:
    found = [1 - value(UP, activation=[a], affinity=[1.0]) for a in (3.0, 1.0, 0.5, 0.1)]
    assert found == pytest.approx([0.5, 0.5, 0.25, 0.05], abs=1e-4)


def test_both_witnesses_count() -> None:
    half = [(UP + ACROSS) / np.sqrt(2)]
    both = value(UP, affinity=[0.9], ages=[0], said=half)
    assert both < min(value(UP, affinity=[0.9]), value(UP, ages=[0], said=half)) - 0.1


def test_one_witness_is_enough_among_many() -> None:
    many: dict[str, Any] = {"activation": [1] * 10, "affinity": [0.5] * 10, "ages": [0] * 10}
    assert value(UP, **many, said=[UP] + [ACROSS] * 9) == pytest.approx(0, abs=1e-9)


@given(st.lists(st.floats(0, np.pi / 2), min_size=2, max_size=2, unique=True))
def test_the_better_it_fits_the_less_it_surprises(angles: list[float]) -> None:
    nearer, farther = sorted(angles)

    def at(angle: float) -> NDArray[np.float32]:
        turned: NDArray[np.float32] = (np.cos(angle) * UP + np.sin(angle) * ACROSS).astype(np.float32)
        return turned

    assert value(UP, ages=[0], said=[at(nearer)]) <= value(UP, ages=[0], said=[at(farther)]) + 1e-6
    fits = [(1 + np.cos(angle)) / 2 for angle in (nearer, farther)]
    assert value(UP, affinity=[fits[0]]) <= value(UP, affinity=[fits[1]]) + 1e-6


@given(st.lists(st.tuples(st.integers(0, 8), vectors), min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_order_says_nothing(said: list[tuple[int, list[float]]], chance: random.Random) -> None:
    def of(rows: list[tuple[int, list[float]]]) -> float:
        lit = [(1.0 + age, 0.5 + 0.5 * abs(row[0])) for age, row in rows]
        return surprise(
            UP,
            20,
            Before(
                [a for a, _ in lit],
                [f for _, f in lit],
                [a for a, _ in rows],
                [r for _, r in rows],
                [r for _, r in rows],
            ),
        )

    mixed = list(said)
    chance.shuffle(mixed)
    assert of(mixed) == pytest.approx(of(said), abs=1e-9)


def test_what_the_whole_memory_has_in_common_is_no_likeness() -> None:
    """All turns of a chat look alike; two of them about different things are alike in nothing else."""
    text, said = ((2 * THERE + other) / np.sqrt(5) for other in (UP, ACROSS))
    assert value(text, ages=[0], said=[said]) < 0.25
    assert value(text, ages=[0], said=[said], sample=[2 * THERE / np.sqrt(5)] * SAMPLE) > 0.5
    assert value(text, ages=[0], said=[text], sample=[THERE] * SAMPLE) == pytest.approx(0, abs=1e-9)


def test_a_few_turns_are_no_sample() -> None:
    text, said = ((2 * THERE + other) / np.sqrt(5) for other in (UP, ACROSS))
    found = [value(text, ages=[0], said=[said], sample=[2 * THERE / np.sqrt(5)] * n) for n in (0, 1, 4, 16, 64)]
    assert found == sorted(found)
    assert found[1] < found[0] + 0.1


def test_what_says_little_is_little_news() -> None:
    found = [value(UP, tokens=tokens) for tokens in (0, 3, 30, 300)]
    assert found == pytest.approx([0, 0.5, 30 / 33, 300 / 303])


def test_weights_can_be_given() -> None:
    before = Before([1.0], [1.0], [1], [UP])
    found = surprise(UP, 4, before, Weights(fading=0.25, concept=0.2, terse=4))
    assert found == pytest.approx(0.5 * 0.75 * 0.8)


@given(st.integers(0, 100_000))
def test_the_sample_is_spread_over_the_memory(turn: int) -> None:
    found = sampled(turn)
    assert len(found) == min(SAMPLE, max(turn - 1, 0))
    assert found == sorted(set(found))
    if found:
        assert (found[0], found[-1]) == (1, turn - 1)
        assert max(np.diff(found), default=0) <= min(np.diff(found), default=0) + 1


@pytest.mark.parametrize("language", TALKS)
def test_a_change_of_topic_surprises_more_than_going_on(graph: Graph, language: str) -> None:
    lead_in, going_on, changing, thanking = TALKS[language]

    def after_lead_in(text: str) -> float:
        with own_memory(graph) as memory:
            for said in lead_in:
                memory.perceive(said, speaker="Ana", at=NOON).close()
            return memory.perceive(text, speaker="Ana", at=NOON).surprise

    goes_on, changes, thanks = (after_lead_in(text) for text in (going_on, changing, thanking))
    assert 0 < goes_on < changes - 0.08
    assert changes <= 1
    assert 0 < thanks < changes - 0.01


def test_it_is_that_of_what_the_memory_holds(memory: Memory) -> None:
    """The kernel over vectors made here, lit concepts read before the turn: the memory says the same."""
    texts = [f"{thing} again, and {thing} tomorrow." for thing in ("The boat", "The sail", "My horse", "Your taxes")]
    for text, concept in zip(texts[:3], ("boat", "sail", "horse"), strict=True):
        tell(memory, text, stating(concepts=[concept]))
    lit = activations(memory)
    turn = tell(memory, texts[3], EMPTY)
    embedder = memory.graph.embedder
    *said, asked = embedder.embed(texts)
    affinity = [(1 + asked @ row) / 2 for row in embedder.embed(list(lit))]
    before = Before(list(lit.values()), affinity, [2, 1, 0], said, said)
    assert turn.surprise == pytest.approx(surprise(asked, count_tokens(texts[3]), before), abs=1e-5)
    assert len(lit) == 3


def test_the_reply_belongs_to_what_was_said(graph: Graph) -> None:
    def after(reply: str | None) -> float:
        with own_memory(graph) as memory:
            memory.perceive("I bought a wooden boat.", speaker="Ana", at=NOON).close(reply)
            return memory.perceive("The tax return is due on Friday.", speaker="Ana", at=NOON).surprise

    assert after("Is the tax return still due this week?") < after(None) - 0.1


def test_it_is_kept_with_the_turn(memory: Memory) -> None:
    tell(memory, "We sailed the boat.", stating(concepts=["sailing boat"]))
    turn = memory.perceive("My tax return is overdue.", speaker="Ana", at=NOON, extraction=EMPTY)
    assert records(memory)[-1]["surprise"] == turn.surprise > 0


def test_late_extraction_leaves_it_as_it_was(memory: Memory) -> None:
    tell(memory, "We sailed the boat.", stating(concepts=["sailing boat"]))
    text = "My tax return is overdue."

    def extracting(answer: Extraction | Exception) -> Memory:
        given = memory.graph
        return Graph(given.store, given.embedder, ScriptedExtractor({text: answer})).memory(memory.name)

    turn = extracting(ProviderError("the model is away")).perceive(text, speaker="Ana", at=NOON)
    turn.close()
    tell(memory, "Death and taxes.", stating(concepts=["taxes"]))
    extracting(stating(concepts=["tax return"])).retry()
    (kept,) = [record for record in records(memory) if record["text"] == text]
    assert (kept["extraction"], kept["surprise"]) == ("done", turn.surprise)
    assert turn.surprise > 0


def test_a_self_is_no_topic(memory: Memory) -> None:
    tell(memory, "I am here.", stating(concepts=["I"]))
    assert memory.perceive("My tax return is overdue.", speaker="Ana", at=NOON, extraction=EMPTY).surprise == 0.0


def test_a_memory_gone_dark_is_not_surprised(graph: Graph) -> None:
    with own_memory(graph, decay=0.2) as memory:
        tell(memory, "We sailed the boat.", stating(concepts=["sailing boat"]))
        assert tell(memory, "Well, well.", EMPTY).surprise > 0
        assert memory.perceive("I am cold.", speaker="Ana", at=NOON, extraction=EMPTY).surprise == 0.0


def test_few_rows_are_read_and_only_this_memorys(memory: Memory, graph: Graph) -> None:
    with own_memory(graph) as other:
        for owner, word, turns in ((memory, "boat", SAMPLE + 1), (other, "horse", 2)):
            for n in range(turns):
                owner.perceive(f"The {word} {n}.", extraction=stating(concepts=[word])).close(f"A {word}?")
        turn = SAMPLE + 2

        def look(tx: Reading) -> tuple[Any, ...]:
            return (
                *context.lit_topics(tx, memory.name, np.full(384, 0.1)),
                *context.recent(tx, memory.name, turn - RECENT, turn, MOST),
                context.sample(tx, memory.name, sampled(turn)),
            )

        activation, cosines, turns, said, sample = graph.sets.read(memory.name, look)
    assert (len(activation), len(cosines)) == (1, 1)
    assert sorted(turn - 1 - turns) == sorted([*range(RECENT)] * 2)
    assert (len(said), len(sample)) == (2 * RECENT, SAMPLE)


@pytest.mark.shared
def test_it_finds_topic_shifts_better_than_the_baselines(graph: Graph, shared_data: Path) -> None:
    """A few streams of the benchmark, whole: perceived on the real server with the default providers."""
    streams = shifts.spliced(shifts.read(shared_data / "locomo_dev.json"), 4, seed=0)
    measured = benchmark.measure(graph, streams)
    found = {name: shifts.auroc(signal, measured.labels) for name, signal in measured.signals.items()}
    assert measured.labels.sum() == 4 * (shifts.SEGMENTS - 1)
    assert found["surprise"] > max(found["previous"], found["mean"])
    assert found["surprise"] > 0.9
