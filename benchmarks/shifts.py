"""Conversations with labelled topic shifts, and how well a signal finds them (AUROC with intervals).

Two kinds of streams are made of a LoCoMo file:

- **spliced**: segments of some turns each, cut from different conversations and put one after another. The first turn
  of each segment but the first is a shift; every other turn is none. No turn is used twice, segments never cross the
  border of a session, and neighbouring segments come from different conversations.
- **sessions**: a whole conversation. The first turn of each session but the first is a shift: a weaker label, for a
  session may take up where the last one ended, and may change its topic on the way.

Nothing but what is said may give a splice away. The two speakers of every conversation are given the same two names,
as speakers and wherever they are named in the text, shortened forms included; they take turns across a splice as they
do elsewhere; the clock runs evenly; no session is named. Other people keep their names: they are part of the topic.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

NAMES = ("Robin", "Dana")  # neither is named in the data, neither is a word
SEGMENTS = 8  # a spliced stream
SHORTEST, LONGEST = 4, 10  # turns of a segment
START = datetime(2026, 1, 5, 9, tzinfo=UTC)
_SESSION = re.compile(r"session_(\d+)")


@dataclass(frozen=True, slots=True)
class Said:
    """One turn: who of the two (0 or 1), and what, with the names already replaced by NAMES."""

    who: int
    text: str


@dataclass(frozen=True, slots=True)
class Stream:
    """Turns in order with their labels. `label` is None where nothing can be asked: the very first turn.

    groups: what belongs together when intervals are drawn (the segment's stream, the session).
    sources: the conversation that each turn comes from.
    """

    kind: str
    name: str
    turns: tuple[Said, ...]
    labels: tuple[bool | None, ...]
    groups: tuple[str, ...]
    sources: tuple[str, ...]

    def at(self, i: int) -> datetime:
        """When turn i is said: one minute after another, whatever the source's clock says."""
        return START + timedelta(minutes=i)


Sessions = dict[str, list[list[Said]]]


def read(path: Path) -> Sessions:
    """The sessions of each conversation of a LoCoMo file, by the conversation's id."""
    conversations = json.loads(path.read_text(encoding="utf-8"))
    return {str(c.get("sample_id", i)): list(_sessions(c["conversation"])) for i, c in enumerate(conversations)}


def _sessions(conversation: dict[str, Any]) -> Iterator[list[Said]]:
    speakers = [conversation["speaker_a"], conversation["speaker_b"]]
    numbers = sorted(int(found[1]) for key in conversation if (found := _SESSION.fullmatch(key)))
    sessions = [conversation[f"session_{number}"] for number in numbers]
    neutral = _Neutral(speakers, " ".join(turn["text"] for session in sessions for turn in session))
    for session in sessions:
        said = [Said(speakers.index(turn["speaker"]), neutral(turn["text"])) for turn in session]
        if said:
            yield said


class _Neutral:
    """Puts NAMES in the place of two speakers' names and of the short forms that the conversation uses.

    A short form is a capitalised beginning of the name, of two letters at least, that the conversation never uses as
    a word of its own: "Mel" for Melanie, but not "And" for Andrew.
    """

    def __init__(self, speakers: Sequence[str], text: str) -> None:
        words = set(re.findall(r"[^\W\d_]+", text))
        self._names: dict[str, str] = {}
        for speaker, name in zip(speakers, NAMES, strict=True):
            short = [speaker[:n] for n in range(2, len(speaker))]
            used = [form for form in short if form in words and form.lower() not in words]
            self._names |= dict.fromkeys([speaker, *used], name)
        longest_first = sorted(self._names, key=len, reverse=True)
        self._pattern = re.compile(rf"\b({'|'.join(map(re.escape, longest_first))})\b")

    def __call__(self, text: str) -> str:
        return self._pattern.sub(lambda found: self._names[found[1]], text)


def sessions(conversations: Sessions) -> list[Stream]:
    """One stream a conversation; its session borders are the shifts."""
    streams = []
    for source, parts in conversations.items():
        turns = tuple(turn for part in parts for turn in part)
        labels = [i == 0 for part in parts for i in range(len(part))]
        groups = tuple(f"{source}/{n}" for n, part in enumerate(parts) for _ in part)
        streams.append(Stream("sessions", source, turns, (None, *labels[1:]), groups, (source,) * len(turns)))
    return streams


def spliced(conversations: Sessions, count: int, seed: int) -> list[Stream]:
    """Up to `count` streams of SEGMENTS segments each, as long as there is something left to cut."""
    chance = random.Random(seed)
    left = {source: _segments(parts, chance) for source, parts in conversations.items()}
    streams: list[Stream] = []
    while len(streams) < count:
        chosen: list[tuple[str, list[Said]]] = []
        while len(chosen) < SEGMENTS:
            open_to = [source for source in left if left[source] and (not chosen or source != chosen[-1][0])]
            if not open_to:
                return streams
            source = chance.choices(open_to, [len(left[s]) for s in open_to])[0]
            chosen.append((source, left[source].pop()))
        streams.append(_joined(f"spliced-{len(streams)}", chosen))
    return streams


def _segments(parts: Sequence[Sequence[Said]], chance: random.Random) -> list[list[Said]]:
    """Each session cut, from a random start, into segments of random length; in random order."""
    found = []
    for part in parts:
        start = chance.randint(0, LONGEST)
        while (length := chance.randint(SHORTEST, LONGEST)) <= len(part) - start:
            found.append(list(part[start : start + length]))
            start += length
    chance.shuffle(found)
    return found


def _joined(name: str, segments: Sequence[tuple[str, Sequence[Said]]]) -> Stream:
    turns: list[Said] = []
    labels: list[bool | None] = []
    sources: list[str] = []
    for source, segment in segments:
        swap = bool(turns) and turns[-1].who == segment[0].who
        turns += [_swapped(turn) for turn in segment] if swap else segment
        labels += [i == 0 for i in range(len(segment))]
        sources += [source] * len(segment)
    return Stream("spliced", name, tuple(turns), (None, *labels[1:]), (name,) * len(turns), tuple(sources))


def _swapped(turn: Said) -> Said:
    """The same turn with the two people's names exchanged."""
    other = dict(zip(NAMES, reversed(NAMES), strict=True))
    text = re.sub(rf"\b({'|'.join(NAMES)})\b", lambda found: other[found[1]], turn.text)
    return Said(1 - turn.who, text)


def auroc(score: ArrayLike, label: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Chance that a shift scores above a turn that is none, ties counting half (Mann-Whitney U / (n+ · n−)).

    score: (n,); label: (n,) bool; weight: (n,) how often each counts, 1 by default. NaN if a class is absent.
    """
    scores, labels = np.asarray(score, dtype=np.float64), np.asarray(label, dtype=bool)
    times = np.ones(len(scores)) if weight is None else np.asarray(weight, dtype=np.float64)
    _, place = np.unique(scores, return_inverse=True)
    shifts = np.bincount(place, times * labels)
    others = np.bincount(place, times * ~labels)
    pairs = shifts.sum() * others.sum()
    below = np.cumsum(others) - others
    return float(np.sum(shifts * (below + 0.5 * others)) / pairs) if pairs else float("nan")


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def compare(
    scores: dict[str, NDArray[np.float64]],
    label: NDArray[np.bool_],
    groups: Sequence[str],
    ours: str,
    resamples: int,
    seed: int,
) -> tuple[dict[str, Figure], dict[str, Figure]]:
    """AUROC of each signal, and `ours` less each other one, with intervals from a bootstrap of whole groups.

    Turns of one group depend on one another, so groups are drawn, not turns; every signal is measured on the same
    draws, so that differences are paired.
    """
    names, member = np.unique(np.array(groups), return_inverse=True)
    random_ = np.random.default_rng(seed)
    drawn: dict[str, list[float]] = {name: [] for name in scores}
    for _ in range(resamples):
        weight = random_.multinomial(len(names), np.full(len(names), 1 / len(names)))[member]
        for name, score in scores.items():
            drawn[name].append(auroc(score, label, weight))
    values = {name: auroc(score, label) for name, score in scores.items()}
    ahead = {
        name: _figure(values[ours] - values[name], np.array(drawn[ours]) - np.array(drawn[name]))
        for name in scores
        if name != ours
    }
    return {name: _figure(values[name], np.array(drawn[name])) for name in scores}, ahead


def _figure(value: float, drawn: NDArray[np.float64]) -> Figure:
    low, high = np.nanquantile(drawn, (0.025, 0.975))
    return Figure(value, float(low), float(high))
