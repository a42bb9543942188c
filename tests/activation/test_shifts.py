"""The labelled streams of the surprise benchmark: what gives a splice away, and the figures drawn from them."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import shifts
from hypothesis import given
from hypothesis import strategies as st

PEOPLE = (("Melanie", "Andrew"), ("Joanna", "Evan"), ("Nate", "Audrey"))


@pytest.fixture
def conversations(tmp_path: Path) -> shifts.Sessions:
    """Three conversations of six sessions, read from a file in the format of LoCoMo."""
    written = [
        {
            "sample_id": f"conv-{n}",
            "conversation": {
                "speaker_a": people[0],
                "speaker_b": people[1],
                **{f"session_{s}_date_time": "1:00 pm on 3 May, 2023" for s in range(1, 7)},
                **{f"session_{s}": _session(people, f"{n}-{s}") for s in range(1, 7)},
            },
        }
        for n, people in enumerate(PEOPLE)
    ]
    path = tmp_path / "talks.json"
    path.write_text(json.dumps(written), encoding="utf-8")
    return shifts.read(path)


def _session(people: tuple[str, str], mark: str) -> list[dict[str, str]]:
    shorts = {"Melanie": "Mel", "Andrew": "Drew"}
    return [
        {
            "speaker": people[i % 2],
            "dia_id": f"D{mark}:{i}",
            "text": f"Hey {shorts.get(other, other)}! And {other} and {mark}-{i}, Sam.",
        }
        for i in range(31)
        for other in (people[1 - i % 2],)
    ]


def mark(said: shifts.Said) -> str:
    """Which turn of which session this is."""
    found = re.search(r"(\d+-\d+-\d+)", said.text)
    assert found is not None
    return found[1]


def test_names_are_the_same_two_everywhere(conversations: shifts.Sessions) -> None:
    texts = [said.text for parts in conversations.values() for part in parts for said in part]
    for name in [name for people in PEOPLE for name in people] + ["Mel"]:
        assert not any(re.search(rf"\b{name}\b", text) for text in texts), name
    assert all("! And " in text for text in texts), "a word is no short form of a name"
    assert all("Sam" in text for text in texts), "who does not speak keeps the name"
    first, second = conversations["conv-1"][0][:2]
    assert (first.who, first.text) == (0, "Hey Dana! And Dana and 1-1-0, Sam.")
    assert (second.who, second.text) == (1, "Hey Robin! And Robin and 1-1-1, Sam.")


def test_splices(conversations: shifts.Sessions) -> None:
    streams = shifts.spliced(conversations, 3, seed=0)
    assert len(streams) == 3
    marks = [mark(said) for stream in streams for said in stream.turns]
    assert len(set(marks)) == len(marks), "no turn is used twice"
    for stream in streams:
        assert stream.labels[0] is None
        assert stream.labels.count(True) == shifts.SEGMENTS - 1
        assert all(before.who != after.who for before, after in pairwise(stream.turns)), "they take turns"
        for i in range(1, len(stream.turns)):
            before, after = (mark(said).split("-") for said in stream.turns[i - 1 : i + 1])
            if stream.labels[i]:
                assert before[0] != after[0], "neighbours are of different conversations"
            else:
                assert before[:2] == after[:2], "segments stay in one session"
                assert int(after[2]) == int(before[2]) + 1
            assert stream.sources[i] == f"conv-{after[0]}"
        lengths = np.diff([i for i, label in enumerate([*stream.labels, True]) if label is not False])
        assert lengths.min() >= shifts.SHORTEST
        assert lengths.max() <= shifts.LONGEST
        assert all(f"Hey {shifts.NAMES[1 - said.who]}" in said.text or "Drew" in said.text for said in stream.turns)


def test_splices_are_the_same_for_the_same_seed(conversations: shifts.Sessions) -> None:
    first, again, other = (shifts.spliced(conversations, 2, seed) for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_no_more_streams_than_there_is_to_cut(conversations: shifts.Sessions) -> None:
    assert 1 <= len(shifts.spliced(conversations, 1_000, seed=0)) < 20


def test_session_borders(conversations: shifts.Sessions) -> None:
    stream = shifts.sessions(conversations)[2]
    assert [i for i, label in enumerate(stream.labels) if label] == [31, 62, 93, 124, 155]
    assert stream.labels[0] is None
    assert (stream.groups[0], stream.groups[31]) == ("conv-2/0", "conv-2/1")
    assert set(stream.sources) == {"conv-2"}


scored = st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.integers(0, 3)), min_size=1, max_size=20)


@given(scored)
def test_auroc_is_the_share_of_pairs_in_order(rows: list[tuple[int, bool, int]]) -> None:
    pairs = [
        (1.0 if a > b else 0.5 if a == b else 0.0, m * n)
        for a, shift, m in rows
        if shift
        for b, other, n in rows
        if not other
    ]
    total = sum(times for _, times in pairs)
    found = shifts.auroc([s for s, _, _ in rows], [x for _, x, _ in rows], [n for _, _, n in rows])
    if total:
        assert found == pytest.approx(sum(share * times for share, times in pairs) / total)
    else:
        assert np.isnan(found)


def test_intervals() -> None:
    chance = np.random.default_rng(0)
    label = np.tile([True, False, False, False], 60)
    groups = [f"g{i // 8}" for i in range(240)]
    good, poor = (label + chance.normal(0, noise, 240) for noise in (0.5, 2.0))
    values, ahead = shifts.compare({"good": good, "poor": poor}, label, groups, "good", 300, 0)
    assert values["good"].value == pytest.approx(shifts.auroc(good, label))
    assert values["good"].low < values["good"].value < values["good"].high
    assert 0 < ahead["poor"].low < ahead["poor"].value < ahead["poor"].high
    assert ahead["poor"].value == pytest.approx(values["good"].value - values["poor"].value)
    _, same = shifts.compare({"a": good, "b": good}, label, groups, "a", 100, 0)
    assert (same["b"].low, same["b"].value, same["b"].high) == (0, 0, 0)
