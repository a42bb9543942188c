"""The channels of record ranking (S5): what a candidate's words, surroundings, speaker and time say for it.

`channels` are those of a first look at all candidates; `late` needs the words of each, packed, which are large, so it
is asked about the best of the first look only.

Each channel is an array over the candidates. Graded ones are z-scores over the candidates, so that no channel's scale
decides; symbolic ones (who, when, whether a time is told) are 0..1. A turn is understood from its surroundings: "For
three years now" answers the question before it, so a neighbour's words and meaning count for it, too.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oroi_graph.language.normalize import label_key
from oroi_graph.language.stemming import content_words
from oroi_graph.model import Role
from oroi_graph.recall import time_match
from oroi_graph.recall.graph_search import Evocation
from oroi_graph.recall.late_interaction import best_words
from oroi_graph.recall.question import Question

Values = NDArray[np.float64]
FAINT = 100.0  # a wave of 1 % of what a name began with still says something
SAID_AROUND = 0.8  # what a word said right before or after is worth beside one said in the record itself
SATURATION, LENGTH_SHARE = 1.2, 0.75  # k1 and b of BM25 (Robertson and Zaragoza 2009), their usual values


@dataclass(frozen=True, slots=True)
class Candidate:
    """One record that may be ranked, as `recall/weigh` returns it. cosine: None where the search compared none."""

    id: str
    turn_id: str
    turn: int
    role: Role
    speaker: str
    session: str | None
    at: str | None
    text: str
    gist: bool
    cosine: float | None
    concepts: tuple[str, ...]


def candidates(rows: Sequence[Sequence[Any]]) -> list[Candidate]:
    """The rows of `recall/weigh` in the order in which they were said; what was deleted meanwhile is left out."""
    whole = (row for row in rows if None not in row[:5] and row[7] is not None)
    found = [Candidate(*[*row[:-1], tuple(c for c in row[-1] if c)]) for row in whole]
    return sorted(found, key=lambda c: (c.turn, c.role == "assistant", c.id))


# Channels of which only the difference to other candidates says something.
GRADED = frozenset(
    {"meaning", "interaction", "interaction around", "meaning after"}
    | {"words", "words before", "answers", "session", "activation", "reached"}
)


def channels(question: Question, evocation: Evocation, said: Sequence[Candidate]) -> dict[str, Values]:
    """The channels of a first look as they are, {name: (n,) float64}; candidates in the order in which they were said.

    What the search did not compare means the question no more than the last that it found.
    """
    around = _Around(said)
    words = _Words(question, said)
    least = min((c.cosine for c in said if c.cosine is not None), default=0.0)
    meaning = np.array([least if c.cosine is None else c.cosine for c in said])
    lexical = words.scores()
    asks = np.array([c.text.rstrip().endswith("?") for c in said], dtype=np.float64)
    when = time_match.is_asked(question.text)
    first, others = _speakers(question, evocation, said)
    dates = [span.key for span in question.spans if span.kind == "value"]
    return {
        "meaning": meaning,
        "words": lexical,
        "meaning after": around.after(meaning),
        "words before": around.before(lexical),
        "answers": around.before(asks * np.maximum(meaning, 0.0)),
        "session": words.sessions(),
        **_lit(evocation, said),
        "who": np.array([c.speaker in first | others for c in said], dtype=np.float64),
        "who first": np.array([bool(others) and c.speaker in first for c in said], dtype=np.float64),
        "when": np.array([time_match.fit(c.at, dates) for c in said]),
        "time": np.array([when and time_match.is_told(c.text) for c in said], dtype=np.float64),
        "asks": asks,
        "assistant": np.array([c.role == "assistant" for c in said], dtype=np.float64),
    }


def late(
    asked: str | None, words: Sequence[str | None], meaning: Values, said: Sequence[Candidate], dimensions: int
) -> dict[str, Values]:
    """The channels of late interaction, {name: (n,) float64}.

    asked, words: the question's words and each candidate's, packed; None where the embedder knows none: then a whole
    text is one word, and `meaning` its cosine. dimensions: of the embedder.
    """
    best = best_words(asked, words, dimensions)
    if best is None:
        best = meaning[np.newaxis]
    alone = best.mean(axis=0)
    return {
        "interaction": alone,
        "interaction around": np.maximum(best, SAID_AROUND * _Around(said).nearest(best)).mean(axis=0),
    }


def z(values: Values) -> Values:
    """z-scores; zeros where all are alike."""
    spread = float(values.std()) if len(values) else 0.0
    if spread < 1e-9:
        return np.zeros(len(values))
    scored: Values = (values - values.mean()) / spread
    return scored


class _Around:
    """Who stands before and after whom: neighbours of one session, at most a turn apart."""

    def __init__(self, said: Sequence[Candidate]) -> None:
        near = [
            i > 0 and said[i].session == said[i - 1].session and said[i].turn - said[i - 1].turn <= 1
            for i in range(len(said))
        ]
        self._near = np.array(near, dtype=np.float64)

    def before(self, values: Values) -> Values:
        """What the candidate before each has; 0 where none is near."""
        return np.roll(values, 1) * self._near

    def nearest(self, values: Values) -> Values:
        """(k, n) → (k, n): the greater of what the candidates before and after each have, -1 where there is none."""
        before = np.where(self._near > 0, np.roll(values, 1, axis=1), -1.0)
        # The last has none after it, and the first none before it, so what wraps around is -1 already.
        after = np.roll(np.where(self._near > 0, values, -1.0), -1, axis=1)
        return np.maximum(before, after)

    def after(self, values: Values) -> Values:
        """What the candidate after each has."""
        return np.roll(values * self._near, -1)


class _Words:
    """BM25 over the candidates, with stems of the question's language; those asked of or speaking do not count."""

    def __init__(self, question: Question, said: Sequence[Candidate]) -> None:
        speakers = {c.speaker for c in said}
        people = {w for speaker in speakers for w in content_words(speaker, question.language)}
        self._said = said
        self._texts = [_stems(c.text, question.language) for c in said]
        seen = Counter(word for text in self._texts for word in text)
        n = len(said)
        asked = dict.fromkeys(content_words(question.text, question.language))
        self._worth = {
            word: math.log(1 + (n - seen[word] + 0.5) / (seen[word] + 0.5)) for word in asked if word not in people
        }

    def scores(self) -> Values:
        """(n,) BM25 of each candidate."""
        lengths = np.array([sum(text.values()) for text in self._texts], dtype=np.float64)
        mean = max(float(lengths.mean()) if len(lengths) else 0.0, 1.0)
        norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * lengths / mean)
        total = np.zeros(len(self._texts))
        for word, worth in self._worth.items():
            count = np.array([text[word] for text in self._texts], dtype=np.float64)
            total += worth * count * (SATURATION + 1) / (count + norm)
        return total

    def sessions(self) -> Values:
        """(n,) how much of the question's words the candidates of the same session say together."""
        said: dict[str | None, set[str]] = {}
        for candidate, text in zip(self._said, self._texts, strict=True):
            said.setdefault(candidate.session, set()).update(self._worth.keys() & text.keys())
        worth = {session: sum(self._worth[word] for word in words) for session, words in said.items()}
        return np.array([worth[candidate.session] for candidate in self._said])


@lru_cache(maxsize=20_000)  # the same records come back for many questions
def _stems(text: str, tongue: str) -> Counter[str]:
    return Counter(content_words(text, tongue))


def _speakers(question: Question, evocation: Evocation, said: Sequence[Candidate]) -> tuple[set[str], set[str]]:
    """Speakers whom the question names: the first of them, and the others."""
    cued = {label_key(cue.label): cue.span for cue in evocation.cues if cue.kind == "self"}
    spoken = {speaker: label_key(speaker) for speaker in {c.speaker for c in said}}
    named = {speaker: cued[key] for speaker, key in spoken.items() if key in cued}
    places = {speaker: _place(question.text, span) for speaker, span in named.items()}
    first = sorted(places, key=lambda speaker: (places[speaker], speaker))[:1]
    return set(first), set(places) - set(first)


def _place(text: str, span: str) -> int:
    found = re.search(rf"(?<!\w){re.escape(span)}(?!\w)", text, re.IGNORECASE)
    return found.start() if found else len(text)


def _lit(evocation: Evocation, said: Sequence[Candidate]) -> dict[str, Values]:
    """What the waves bring to what each candidate mentions.

    activation: half the relevance of the two most relevant. reached: Σ over the cues that are names of the wave's sum,
    log-compressed; names only, since a wave from what everybody mentions, or from one who speaks, reaches everything.
    """
    place = {concept: i for i, concept in enumerate(evocation.ids)}
    mentioned = [[place[concept] for concept in c.concepts if concept in place] for c in said]
    relevance = evocation.relevance.tolist()
    activation = [sum(sorted((relevance[i] for i in some), reverse=True)[:2]) / 2 for some in mentioned]
    who = np.repeat(np.arange(len(said)), [len(some) for some in mentioned])
    what = np.fromiter(chain.from_iterable(mentioned), dtype=np.intp, count=len(who))
    reached = np.zeros(len(said))
    for cue, wave in zip(evocation.cues, evocation.waves, strict=True):
        if cue.kind == "name" and cue.method != "recognition":
            reached += cue.weight * np.log1p(FAINT * np.bincount(who, wave[what], len(said)))
    return {"activation": np.array(activation), "reached": reached}
