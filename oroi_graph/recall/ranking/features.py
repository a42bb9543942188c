"""The features of record ranking: what a candidate's words, neighbours, speaker and time say for it.

`first_features` are those of the first stage, for all candidates. Those of late interaction (`ranker`) need the packed
words of each record, which are large, so they are computed for the short list only.

Each feature is an array over the candidates. Graded ones are summed as z-scores over the candidates (`ranker`), so that
their scales do not decide; symbolic ones (who, when, whether a time is told) are 0..1. A turn is understood from its
neighbours ("For three years now" answers the question before it), so their words and meaning count for it, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from math import log

import numpy as np
from numpy.typing import NDArray

from oroi_graph.language.normalize import label_key
from oroi_graph.model import EntryNote, NoteSource, RecordRole
from oroi_graph.recall.graph.evidence import mentions
from oroi_graph.recall.graph.search import Evocation
from oroi_graph.recall.question import Question
from oroi_graph.recall.ranking.kept_texts import Stems, stems_of
from oroi_graph.recall.time_windows import time_match
from oroi_graph.recall_options import Ranking
from oroi_graph.working_set.candidates import Candidate

Values = NDArray[np.float64]


# Features that only tell candidates apart: they are compared as z-scores.
GRADED = frozenset(
    {"meaning", "interaction", "interaction around", "meaning after"}
    | {"words", "words before", "answers", "session", "first said", "activation", "reached"}
)


@dataclass(frozen=True)
class Columns:
    """The fields of n candidates in the order in which they were said, each as one column: (n,)."""

    id: Sequence[str]
    turn_id: Sequence[str]
    turn: Sequence[int]
    role: Sequence[RecordRole]
    speaker: Sequence[str]
    session: Sequence[str | None]
    at: Sequence[str | None]
    text: Sequence[str]
    gist: Sequence[bool]
    concepts: Sequence[tuple[str, ...]]
    fit: Sequence[float | None]
    entry: Sequence[EntryNote | None]
    note: Sequence[NoteSource | None]

    @classmethod
    def of(cls, said: Sequence[Candidate]) -> Columns:
        """The columns of some candidates, one at least."""
        return cls(*zip(*said, strict=True))

    @cached_property
    def turns(self) -> NDArray[np.int64]:
        """(n,)"""
        return np.array(self.turn, dtype=np.int64)

    @cached_property
    def sessions(self) -> NDArray[np.int64]:
        """(n,) The number of each one's session, in the order of saying."""
        number: dict[str | None, int] = {}
        return np.array([number.setdefault(session, len(number)) for session in self.session], dtype=np.int64)

    @property
    def fitted(self) -> bool:
        """Whether the question names windows of time."""
        return self.fit.count(None) < len(self.fit)


def first_features(
    question: Question,
    evocation: Evocation,
    said: Columns,
    cosines: Mapping[str, float],
    ranking: Ranking,
) -> dict[str, Values]:
    """The features of the first stage, not yet scaled: {name: (n,) float64}.

    cosines: {id: to the question}; a candidate that the search did not compare gets the lowest cosine that it found.
    """
    neighbours, words = Neighbours(said), _Words(question, said)
    compared = np.array([*map(cosines.get, said.id)], dtype=np.float64)  # NaN for None
    least = np.fmin.reduce(compared)
    meaning = np.where(np.isnan(compared), 0.0 if np.isnan(least) else least, compared)
    lexical = words.scores(ranking)
    asks = words.asks()
    first, others = _speakers(question, evocation, said)
    speaks_first, speaks = among(first, said.speaker), among(first | others, said.speaker)
    return {
        "meaning": meaning,
        "words": lexical,
        "meaning after": neighbours.after(meaning),
        "words before": neighbours.before(lexical),
        "answers": neighbours.before(asks * np.maximum(meaning, 0.0)),
        "session": words.sessions(),
        **_activated(evocation, said, ranking.wave_scale),
        "who": speaks,
        "who first": speaks_first * bool(others),
        "when": _when(question.values, said, ranking),
        **_times(question.text, said),
        "first said": words.first_sessions() if time_match.is_moment_asked(question.text) else np.zeros(len(asks)),
        "asks": asks,
        "assistant": among({"assistant"}, said.role),
    }


def among(some: Set[str], values: Sequence[str]) -> Values:
    """Which values are some of these, as 1 and 0: (n,)."""
    return _flags(map(some.__contains__, values)) if some else np.zeros(len(values))


def _flags(found: Iterable[bool]) -> Values:
    """Yes and no as 1 and 0: (n,)."""
    return np.array([*found], dtype=np.float64)


def _when(dates: Sequence[str], said: Columns, ranking: Ranking) -> Values:
    """How well the time of each candidate fits what the question names: (n,)."""
    if not dates and not said.fitted:
        return np.zeros(len(said.at))

    @cache  # many are said on one day
    def on(day: str) -> float:
        return time_match.fit(day, dates, ranking)

    return np.array([on((at or "")[:10]) if fit is None else fit for at, fit in zip(said.at, said.fit, strict=True)])


def _times(question: str, said: Columns) -> dict[str, Values]:
    """Whether each candidate tells a time, if one is asked for; and a time to come, if that of a plan is: (n,) each."""
    asked, plan = time_match.is_asked(question), time_match.is_plan_asked(question)
    none = np.zeros(len(said.text))
    return {
        "time": _flags(time_match.is_told.of(said.text)) if asked else none,
        "time ahead": _flags(time_match.is_ahead.of(said.text)) if plan else none,
    }


def rarity(texts: Collection[Set[str]]) -> dict[str, float]:
    """{word: inverse document frequency}, 0..1, 1 for a word that one text alone says of very many."""
    size = len(texts) + 1
    return {word: log(size / n) / log(size) for word, n in Counter(chain.from_iterable(texts)).items()}


def z_scores(values: Values) -> Values:
    """z-scores; zeros if all values are equal."""
    found: Values = z_rows(values[np.newaxis])[0]
    return found


def z_rows(values: Values) -> Values:
    """(k, n) → (k, n): the z-scores of each row; zeros where all values are equal."""
    n = max(values.shape[1], 1)
    away: Values = values - np.add.reduce(values, axis=1, keepdims=True) / n
    # As `values.std()`, which takes four times as long for few.
    spread = np.sqrt(np.add.reduce(away * away, axis=1, keepdims=True) / n)
    return np.where(spread < 1e-9, 0.0, away / np.maximum(spread, 1e-9))


class Neighbours:
    """The candidates before and after each: of one session, at most a turn apart."""

    def __init__(self, said: Columns) -> None:
        session, turn = said.sessions, said.turns
        # (n - 1,): whether each but the first is a neighbour of the one before it.
        self._near = (session[1:] == session[:-1]) & (turn[1:] - turn[:-1] <= 1)

    def before(self, values: Values) -> Values:
        """(n,) → (n,): the value of the candidate before each; 0 without one."""
        found = np.zeros_like(values)
        np.multiply(values[:-1], self._near, out=found[1:])
        return found

    def after(self, values: Values) -> Values:
        """(n,) → (n,): the value of the candidate after each; 0 without one."""
        found = np.zeros_like(values)
        np.multiply(values[1:], self._near, out=found[:-1])
        return found

    def nearest(self, values: Values) -> Values:
        """(k, n) → (k, n): the greater value of the candidates before and after each; -1 without one."""
        found = np.full_like(values, -1.0)
        np.copyto(found[:, 1:], values[:, :-1], where=self._near)
        np.maximum(found[:, :-1], values[:, 1:], out=found[:, :-1], where=self._near)
        return found


class _Words:
    """BM25 over the candidates, with stems of the question's language; names of speakers do not count."""

    def __init__(self, question: Question, said: Columns) -> None:
        names = stems_of.of(dict.fromkeys(said.speaker), question.language)
        people = frozenset().union(*(name.distinct for name in names))
        asked = [word for word in dict.fromkeys(question.parsed.content_words) if word not in people]
        self._columns, self._session = said, said.sessions
        self._sessions = int(said.sessions.max()) + 1
        self._texts = stems_of.of(said.text, question.language)
        self._said = Said(asked, self._texts)

    def asks(self) -> Values:
        """(n,) Whether each candidate ends with a question mark."""
        return _flags(text.asks for text in self._texts)

    def scores(self, ranking: Ranking) -> Values:
        """(n,) BM25 of each candidate."""
        return self._said.bm25(ranking)

    def sessions(self) -> Values:
        """(n,) summed IDF of the question's words that the candidates of the same session say together."""
        together = np.zeros((len(self._said.counts), self._sessions), dtype=bool)
        word, text = self._said.counts.nonzero()
        together[word, self._session[text]] = True
        worth: Values = self._said.worths @ together
        return worth[self._session]

    def first_sessions(self) -> Values:
        """(n,) summed IDF of the question's words that the session of each candidate is the first to say.

        An event is told of where its words are first said; later sessions come back to it. Entries and notes are of no
        turn, so they have no place in this order.
        """
        columns = zip(self._columns.entry, self._columns.note, strict=True)
        spoken = np.array([entry is None and note is None for entry, note in columns], dtype=bool)
        said = (self._said.counts > 0) & spoken
        some = said.any(axis=1)
        first = self._session[said[some].argmax(axis=1)]
        worth = np.bincount(first, self._said.worths[some], self._sessions).astype(np.float64)
        return worth[self._session]


class Said:
    """Which of some texts say the words that are asked for.

    counts: (k, n) how often each text says each word. worths: (k,) inverse document frequencies.
    """

    def __init__(self, asked: Sequence[str], texts: Sequence[Stems]) -> None:
        size, hashes = len(texts), [text.hashes for text in texts]
        words = np.frombuffer(b"".join(hashes), dtype=np.int64)
        lengths = np.array([*map(len, hashes)], dtype=np.int64) // words.itemsize
        wanted = np.array([*map(hash, asked)], dtype=np.int64)
        word, place = np.divmod((wanted[:, np.newaxis] == words).ravel().nonzero()[0], max(len(words), 1))
        text = lengths.cumsum().searchsorted(place, side="right")
        counts = np.bincount(word * size + text, minlength=len(asked) * size)
        self.counts = counts.reshape(len(asked), size).astype(np.float64)
        saying = np.add.reduce(self.counts > 0, axis=1)
        self.worths: Values = np.log(1 + (size - saying + 0.5) / (saying + 0.5))
        self._lengths = lengths.astype(np.float64)

    def bm25(self, ranking: Ranking) -> Values:
        """(n,) BM25 of each text (Robertson and Zaragoza 2009)."""
        k1, b, lengths = ranking.bm25_saturation, ranking.bm25_length, self._lengths
        mean = max(float(lengths.mean()) if len(lengths) else 0.0, 1.0)
        norm = k1 * (1 - b + b * lengths / mean)
        total: Values = (self.worths[:, np.newaxis] * self.counts * (k1 + 1) / (self.counts + norm)).sum(axis=0)
        return total


def _speakers(question: Question, evocation: Evocation, said: Columns) -> tuple[Set[str], Set[str]]:
    """Speakers that the question names: the first of them, and the others."""
    cued = {label_key(cue.label): cue.span for cue in evocation.cues if cue.kind == "self"}
    if not cued:
        return frozenset(), frozenset()
    spoken = {speaker: label_key(speaker) for speaker in dict.fromkeys(said.speaker)}
    places = {speaker: _place(question.text, cued[key]) for speaker, key in spoken.items() if key in cued}
    first = sorted(places, key=lambda speaker: (places[speaker], speaker))[:1]
    return frozenset(first), places.keys() - first


def _place(text: str, span: str) -> int:
    found = re.search(rf"(?<!\w){re.escape(span)}(?!\w)", text, re.IGNORECASE)
    return found.start() if found else len(text)


def _activated(evocation: Evocation, said: Columns, wave_scale: float) -> dict[str, Values]:
    """How strongly the waves reach what each candidate mentions.

    activation: half the relevance of the two most relevant concepts. reached: Σ over the cues that are names of the
    log-compressed sum of the wave; a wave from a frequent concept or from a speaker would reach almost every record.
    """
    size = len(said.concepts)
    who, what = mentions(said.concepts, {concept: i for i, concept in enumerate(evocation.ids)})
    relevance = evocation.relevance[what]
    order = np.lexsort((-relevance, who))  # which leaves `who` as it is: it ascends
    best = np.arange(len(who)) - np.searchsorted(who, who) < 2
    activation = np.bincount(who[best], relevance[order[best]], size) / 2
    reached = np.zeros(size)
    for cue, wave in zip(evocation.cues, evocation.waves, strict=True):
        if cue.kind == "name" and cue.method != "recognition":
            reached += cue.weight * np.log1p(wave_scale * np.bincount(who, wave[what], size))
    return {"activation": activation, "reached": reached}
