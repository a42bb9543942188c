"""Notes by association: what the memory's recall evokes, weighed by the passage of each that says most to the question.

The candidates are what recall brings back, what is nearest to the question and what shares its words. Each has four
signals: its best passage, its words by stems, whether the waves of recall reach it, and its day. A passage counts for
what it is nearer to the question than to the passages of other candidates: what stands in a log day after day is near
to many questions and answers none (cross-domain similarity local scaling, Conneau et al. 2018). The passage that says
most may lead on: notes that share a rare name with it are moved up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from oroi_graph.language.parsed_text import ParsedText, parse
from oroi_graph.language.tokens import words_of
from oroi_graph.model import RecordHit
from oroi_graph.recall.ranking.features import Said, Values, z_scores
from oroi_graph.recall.ranking.kept_texts import stems_of
from oroi_graph.recall_options import Ranking
from oroi_graph.storage.store import Row, Store
from oroi_graph.workspace.config import QueryConfig
from oroi_graph.workspace.index.passages import passages, unpacked
from oroi_graph.workspace.search.candidates import Sought, candidates, hit_of
from oroi_graph.workspace.search.ranking import Hit, ordered

WIDE = QueryConfig(max_results=96, candidate_multiplier=1)  # candidates by vector, and as many by words
WINNERS = 512  # passages, the nearest ones, that are compared with all others
NEAREST = 10  # passages of other notes that tell how common one is
COMMON = 0.5  # of their mean cosine, taken off
WORDS, REACHED, DATED = 0.4, 0.3, 2.0  # weights beside that of the best passage, 1
BRIDGED = 2.0  # added to notes that share a rare name with the passage that says most
RARE = 8  # records that mention such a name at most
PROBABLE = (-5.3, 1.0)  # of the logistic function from a total to the probability that a note answers


def associated(
    store: Store, sought: Sought, at: datetime, recalled: Sequence[RecordHit], config: QueryConfig
) -> list[Hit]:
    """The best notes for a question, the likeliest first. at: when it is asked; recalled: what recall brought back.

    A score is the probability that a note helps to answer. Raises StoreError.
    """
    if sought.vector is None:
        return []
    question = _Question(sought, sought.vector, parse(sought.query, at), {hit.id: hit for hit in recalled if hit.note})
    ids = list(dict.fromkeys([*(hit.id for hit in candidates(store, sought, WIDE)), *question.recalled]))
    rows = _rows(store, sought, ids)
    if not rows:
        return []
    totals = question.totals(rows)
    bridged = _bridged(store, question, rows[int(np.argmax(totals))])
    if bridged:
        rows = _rows(store, sought, list(dict.fromkeys([*ids, *bridged])))
        totals = question.totals(rows) + BRIDGED * np.array([row["id"] in bridged for row in rows])
    scores = 1 / (1 + np.exp(-(PROBABLE[0] + PROBABLE[1] * totals)))
    hits = [replace(hit_of(row), score=float(score)) for row, score in zip(rows, scores, strict=True)]
    return [hit for hit in ordered(hits) if hit.score >= config.min_score][: config.max_results]


@dataclass(frozen=True, slots=True)
class _Question:
    """A question with its vector, (d,), its words, and what recall brought back, by id."""

    sought: Sought
    vector: NDArray[np.float32]
    asked: ParsedText
    recalled: Mapping[str, RecordHit]

    def totals(self, rows: Sequence[Row]) -> Values:
        """(n,) how much speaks for each note."""
        texts = [stems_of(row["text"], self.asked.language) for row in rows]
        signals = Signals(
            passage=_best_passages(rows, self.vector),
            words=Said(list(dict.fromkeys(self.asked.content_words)), texts).bm25(Ranking()),
            reached=self._feature(rows, "reached"),
            dated=self._feature(rows, "when"),
        )
        return signals.total

    def _feature(self, rows: Sequence[Row], name: str) -> Values:
        hits = (self.recalled.get(row["id"]) for row in rows)
        found = (0.0 if hit is None else hit.features.get(name, 0.0) for hit in hits)
        return np.fromiter(found, dtype=np.float64, count=len(rows))


def _rows(store: Store, sought: Sought, ids: Sequence[str]) -> list[Row]:
    rows = store.rows("workspace/cited", memory=sought.memory, ids=list(ids))
    return [row for row in rows if row["source"] in sought.sources]


def _bridged(store: Store, question: _Question, best: Row) -> set[str]:
    """Ids of notes that share a rare name with the passage that says most to the question.

    Who asks for "my sister" means her whom that passage names, and of whom others tell. A question that names somebody
    needs no bridge: notes about them are found by their names.
    """
    if best["passages"] is None:
        return set()
    vectors, _ = unpacked([best["passages"]])
    place, parts = int(np.argmax(vectors @ question.vector)), passages(best["text"])
    said, asked = (words_of(text) for text in (parts[place] if place < len(parts) else "", question.sought.query))
    given = {"memory": question.sought.memory, "shelf": question.sought.shelf, "note": best["id"], "rare": RARE}
    shared = {words_of(row["label"]): row["ids"] for row in store.rows("workspace/sharing", **given)}
    if any(name in asked for name in shared):
        return set()
    return {id for name, ids in shared.items() if name in said for id in ids}


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """What speaks for each of n candidates, (n,) each.

    passage: cosine beyond what is common; words: BM25; reached: by the waves from what the question names; dated: how
    well its day fits the question's, 0..1.
    """

    passage: Values
    words: Values
    reached: Values
    dated: Values

    @property
    def total(self) -> Values:
        """(n,) the weighted sum."""
        compared = z_scores(self.passage) + WORDS * z_scores(self.words) + REACHED * z_scores(self.reached)
        whole: Values = compared + DATED * self.dated
        return whole


def best_passages(
    vectors: NDArray[np.float32], owners: NDArray[np.intp], asked: NDArray[np.float32], notes: int
) -> Values:
    """(notes,) the greatest cosine to `asked` of a passage of each note, less COMMON of its NEAREST passages' mean.

    vectors: (n, d) unit vectors of passages; owners: (n,) whose each is; asked: (d,). A note without one among the
    WINNERS gets the least value found.
    """
    cosines = vectors @ asked
    near = np.argsort(-cosines, kind="stable")[:WINNERS]
    alike = vectors[near] @ vectors.T
    alike[owners[near][:, None] == owners[None, :]] = -1.0
    kept = min(NEAREST, alike.shape[1])
    nearest = np.partition(alike, alike.shape[1] - kept, axis=1)[:, -kept:]
    beyond = cosines[near] - COMMON * np.maximum(nearest, 0.0).mean(axis=1)
    found = np.full(notes, float(beyond.min()))
    np.maximum.at(found, owners[near], beyond)
    return found


def _best_passages(rows: Sequence[Row], asked: NDArray[np.float32]) -> Values:
    """`best_passages` of notes; one whose passages are not known yet is a passage by its own vector."""
    known = [i for i, row in enumerate(rows) if row["passages"] is not None]
    whole = [i for i, row in enumerate(rows) if row["passages"] is None and row["vector"] is not None]
    if not known and not whole:
        return np.zeros(len(rows))
    vectors, owners = unpacked([rows[i]["passages"] for i in known])
    more = np.array([rows[i]["vector"] for i in whole], dtype=np.float32).reshape(-1, len(asked))
    owners = np.concatenate([np.array(known, dtype=np.intp)[owners], np.array(whole, dtype=np.intp)])
    return best_passages(np.concatenate([vectors.reshape(-1, len(asked)), more]), owners, asked, len(rows))
