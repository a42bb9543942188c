"""Digests of entries: within their tokens, in the entries' words, what stands for most of them first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oroi_graph.contract.digest import digest
from oroi_graph.errors import InputError
from oroi_graph.language.tokens import count_tokens
from oroi_graph.providers.scripted import ScriptedEmbedder

TEXTS = [
    "The pump in hall two leaks oil",
    "The pump in hall two was repaired",
    "Oil was ordered for the pump in hall two",
    "The canteen closes at three",
    "The pump in hall two leaks oil.",
]


@given(st.lists(st.text(max_size=200), max_size=12), st.integers(1, 40), st.integers(0, 100), st.booleans())
def test_digests_keep_to_their_tokens(texts: list[str], short: int, more: int, with_vectors: bool) -> None:
    vectors = ScriptedEmbedder(32).embed(texts) if with_vectors else None
    found = digest(texts, vectors, short=short, full=short + more)
    assert count_tokens(found.short) <= short
    assert count_tokens(found.full) <= short + more
    assert list(found.used) == sorted(set(found.used))
    assert digest(texts, vectors, short=short, full=short + more) == found


def test_a_digest_of_little_says_everything_once_and_in_order() -> None:
    for vectors in (None, ScriptedEmbedder(256).embed(TEXTS)):
        found = digest(TEXTS, vectors, short=60, full=240)
        assert found.full.splitlines() == [TEXTS[1], TEXTS[2], TEXTS[3], TEXTS[4]]
        assert found.used == (1, 2, 3, 4)


def test_what_stands_for_most_comes_first_and_then_something_else() -> None:
    found = digest(TEXTS, ScriptedEmbedder(256).embed(TEXTS), short=12, full=24)
    assert "pump" in found.short
    assert found.used != (3,)


def test_a_long_entry_is_cut_at_its_sentences() -> None:
    long = " ".join(f"Shelf {i} holds {i} boxes of spare valves." for i in range(40))
    found = digest([long], None, short=20, full=80)
    assert found.used == (0,)
    assert 0 < count_tokens(found.short) <= 20
    assert all(
        line in long for line in found.full.replace("…", "\n").split("\n") if line.strip() and "." not in line[:-1]
    )


def test_silence_for_nothing() -> None:
    assert digest([], None).full == digest(["", " ", "…"], None).full == ""


def test_many_entries_are_no_problem() -> None:
    random = np.random.default_rng(0)
    vectors = random.normal(size=(3000, 16))
    found = digest([f"Entry number {i}" for i in range(3000)], vectors.astype(np.float32))
    assert count_tokens(found.full) <= 240
    assert len(found.used) > 20


def test_bad_input_is_refused() -> None:
    for options in ({"short": 0}, {"short": 50, "full": 40}):
        with pytest.raises(InputError):
            digest(TEXTS, None, **options)
    with pytest.raises(InputError, match="do not fit"):
        digest(TEXTS, np.zeros((2, 4), dtype=np.float32))
