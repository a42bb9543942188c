"""The order of the candidate records: a weighted sum of features, in two stages.

The first stage leaves a short list. In the second, its words are compared with the question's one by one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from oroi_graph.model import RecordHit
from oroi_graph.providers.word_vectors import fit_of
from oroi_graph.recall.graph.search import Evocation
from oroi_graph.recall.question import Question
from oroi_graph.recall.ranking.features import (
    GRADED,
    Values,
    best_words,
    first_features,
    late_features,
    z_rows,
    z_scores,
)
from oroi_graph.recall_options import Ranking
from oroi_graph.working_set.candidates import Candidate


@dataclass(frozen=True, slots=True)
class ShortList:
    """The best candidates of the first stage, in the order in which they were said, and their features, (n,) each.

    eligible: ids of those that may enter a brief, the best first.
    """

    said: Sequence[Candidate]
    features: Mapping[str, Values]
    eligible: Sequence[str]


@dataclass(frozen=True)
class Words:
    """Words packed for late interaction, None where the embedder knows none.

    asked: the question's; held: each record's, by id. dimensions, model: of the embedder.
    """

    asked: str | None
    held: Mapping[str, str | None]
    dimensions: int
    model: str = ""

    def best(self, ids: Sequence[str]) -> Values | None:
        """`best_words` of the held records with these ids, in this order."""
        if self._best is None:
            return None
        place = {id: i for i, id in enumerate(self.held)}
        return self._best[:, [place[id] for id in ids]]

    def read(self, id: str) -> str | None:
        """The words of a held record, if there is a second reading of the same fit as that of the question's."""
        packed = self.held.get(id)
        return packed if packed and self._fit is not None and fit_of(packed) == self._fit else None

    @cached_property
    def _fit(self) -> int | None:
        return fit_of(self.asked) if self.asked else None

    @cached_property
    def _best(self) -> Values | None:
        return best_words(self.asked, list(self.held.values()), self.dimensions)


@dataclass(frozen=True, slots=True)
class Met:
    """What a search met. said: candidates in the order in which they were said; cosines: {id: to the question}.

    retrieved: ids of those that the search found, not their neighbours. stating: ids of those that state a chosen fact,
    which all stay.
    """

    said: Sequence[Candidate]
    cosines: Mapping[str, float]
    retrieved: Collection[str] = frozenset()
    stating: Collection[str] = frozenset()


def shortlist(question: Question, evocation: Evocation, met: Met, ranking: Ranking) -> ShortList:
    """The first stage."""
    said, stating = met.said, met.stating
    if not said:
        return ShortList((), {}, ())
    features = first_features(question, evocation, said, met.cosines, ranking)
    found = np.array([c.id in met.retrieved for c in said])
    score = _sum(features, ranking.first_stage) + ranking.retrieved * found
    score[[c.id in stating for c in said]] = np.inf
    order = _best_first(score.tolist(), said)
    kept = sorted(order[: max(ranking.short_list, len(stating))])
    eligible = [said[i].id for i in order[: ranking.eligible + len(stating)]]
    return ShortList([said[i] for i in kept], {name: values[kept] for name, values in features.items()}, eligible)


def rank(short: ShortList, words: Words, cosines: Mapping[str, float], ranking: Ranking) -> list[RecordHit]:
    """The second stage: the short list, best first; among equals the newest.

    A record without an entry in `words.held` was deleted meanwhile and is left out. cosines: {id: cosine} of records
    that the first stage had none of.
    """
    kept = [i for i, candidate in enumerate(short.said) if candidate.id in words.held]
    if not kept:
        return []
    said = [short.said[i] for i in kept]
    features = {name: values[kept] for name, values in short.features.items()}
    features["meaning"] = np.array([cosines.get(c.id, m) for c, m in zip(said, features["meaning"], strict=True)])
    if any(c.fit is not None for c in said):
        features["when"] = features["when"] * _worth_of_time(features["meaning"], ranking)
    best = words.best([c.id for c in said])
    features |= late_features(best, features["meaning"], said, ranking.neighbour_word)
    score = _sum(features, ranking.second_stage)
    scores = score.tolist()
    order = _best_first([round(worth, 6) for worth in scores], said)
    numbers = np.round(np.stack(list(features.values()), axis=1), 6).tolist()
    return [said[i].hit(scores[i], dict(zip(features, numbers[i], strict=True))) for i in order]


def _best_first(scores: Sequence[float], said: Sequence[Candidate]) -> list[int]:
    """The places of the candidates, the best first; among equals the newest."""
    keys = sorted([(-score, -one.turn, one.id, i) for i, (score, one) in enumerate(zip(scores, said, strict=True))])
    return [i for *_, i in keys]


def _worth_of_time(meaning: Values, ranking: Ranking) -> Values:
    """(n,) by what the fit to a question's windows is multiplied: 1 for a record at least as near to it as the mean.

    It falls to `ranking.far_in_time` a standard deviation below: of what was said at the right time, most is about
    something else.
    """
    near: Values = np.clip(1.0 + z_scores(meaning), 0.0, 1.0)
    return ranking.far_in_time + (1.0 - ranking.far_in_time) * near


def _sum(features: Mapping[str, Values], weights: Mapping[str, float]) -> Values:
    """(n,) The weighted sum of the features, graded ones as z-scores."""
    values = np.array([features[name] for name in weights])
    graded = [i for i, name in enumerate(weights) if name in GRADED]
    values[graded] = z_rows(values[graded])
    total: Values = (np.array([*weights.values()])[:, np.newaxis] * values).sum(axis=0)
    return total
