"""The conditions: ways of answering one question from one memory, each with a context and a ranking of records.

    none      the last turns, whatever is asked: what a model sees without any memory
    hybrid    cosine and BM25, fused by reciprocal ranks (k = 60)
    hybrid-z  cosine, and BM25 over each record with its neighbours, as a tuned sum of z-scores: the stronger one
    facts     the memory's own facts, ranked by the similarity of their sentences to the question, and by nothing else
    rerank    the most similar records, re-ordered by the activation of what they mention
    pagerank  personalised PageRank over the memory's own graph, as HippoRAG does (`pagerank`)
    oroi      the product: `memory.recall`

All have the same budget, the same counter of tokens and the same way of quoting.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from oroi_graph.errors import InputError
from oroi_graph.evaluation.baselines.lexical import Words
from oroi_graph.evaluation.baselines.memory import EvaluationMemory
from oroi_graph.evaluation.baselines.pagerank import Ranks
from oroi_graph.language import verbalize
from oroi_graph.language.normalize import without_names
from oroi_graph.language.quoting import block
from oroi_graph.language.tokens import count_tokens
from oroi_graph.model import RecordHit
from oroi_graph.providers.protocols import Vectors, for_questions
from oroi_graph.recall.brief import quote
from oroi_graph.recall.ranking.features import z_scores
from oroi_graph.recall.request import Recall

WINDOW = 6  # turns of "none"
MOST = 10  # items that a baseline may put into a context
RRF = 60  # k of reciprocal rank fusion
SIMILAR = 20  # records that "rerank" re-orders
# What a z-score of BM25 is worth beside one of the cosine in "hybrid-z" (docs/decisions/1821).
WORDS = 0.5

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a condition gives for a question. context: the text for the model; ranked: record ids, best first.

    quoted: ids of the records that the context quotes. recall: how the product came to it, for explanations.
    """

    context: str
    ranked: tuple[str, ...]
    quoted: tuple[str, ...] = ()
    recall: Recall | None = None


Ask = Callable[[str, int | None], Answer]  # a question and its budget in tokens, None for the options'


class Baseline:
    """What the baselines of one world share, each part made once."""

    def __init__(self, world: EvaluationMemory) -> None:
        self.world = world
        self.graph = world.memory.graph

    @cached_property
    def words(self) -> Words:
        """BM25 over what was said, and by whom."""
        return Words(self._said, self.world.language)

    @cached_property
    def exchanges(self) -> Words:
        """The same over each record together with what was said right before and after it in its session."""
        sessions = [record.session for record in self.world.records]

        def near(i: int) -> range:
            if sessions[i] is None:
                return range(i, i + 1)
            first = i - 1 if i and sessions[i - 1] == sessions[i] else i
            last = i + 1 if i + 1 < len(sessions) and sessions[i + 1] == sessions[i] else i
            return range(first, last + 1)

        return Words(["\n".join(self._said[j] for j in near(i)) for i in range(len(sessions))], self.world.language)

    @cached_property
    def _said(self) -> list[str]:
        return [f"{record.speaker}: {record.text}" for record in self.world.records]

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The memory's facts as the product would say them."""
        return tuple(verbalize.sentence(fact) for fact in self.world.facts)

    @cached_property
    def fact_vectors(self) -> Vectors:
        """(facts, d): their sentences, embedded."""
        return self.graph.embedder.embed(self.sentences)

    @cached_property
    def ranks(self) -> Ranks:
        """The memory's graph, for PageRank."""
        return Ranks(self.world)

    def asked(self, question: str) -> NDArray[np.float32]:
        """(d,): the question as the product embeds it, without the names of those who speak in the memory."""
        embedder = for_questions(self.graph.embedder)
        vector: NDArray[np.float32] = embedder.embed([without_names(question, self.world.protagonists)])[0]
        return vector

    def cosines(self, question: str) -> Scores:
        """(records,): how much each record means what the question means."""
        return (self.world.vectors @ self.asked(question)).astype(np.float64)

    def answer(self, order: Sequence[int], budget: int | None) -> Answer:
        """The answer of a ranking of records, given by their positions."""
        records = [self.world.records[i] for i in order]
        return self.quoting(records, tuple(record.id for record in records), budget)

    def quoting(self, records: Sequence[RecordHit], ranked: tuple[str, ...], budget: int | None) -> Answer:
        """The answer that quotes the first records, as many as the budget and the limit allow."""
        length = self.graph.options.selection.quote_length
        context, held = self.filled([quote(record, length) for record in records[:MOST]], budget)
        return Answer(context, ranked, tuple(records[i].id for i in held))

    def filled(self, items: Sequence[str], budget: int | None) -> tuple[str, list[int]]:
        """The delimited block of the items that fit, in their order, and their positions.

        What is too long makes way for what is not.
        """
        room = (budget or self.graph.options.brief_tokens) - count_tokens(block([" "]))
        lines: list[str] = []
        held: list[int] = []
        for i, item in enumerate(items):
            line = f"- {item}"
            cost = count_tokens(line)
            if cost <= room:
                lines.append(line)
                held.append(i)
                room -= cost
        return block(lines), held


def none(shared: Baseline) -> Ask:
    """The last turns, in the order they were said; ranked the newest first."""
    positions = range(max(0, len(shared.world.records) - WINDOW), len(shared.world.records))
    records = [shared.world.records[i] for i in positions]
    ranked = tuple(record.id for record in reversed(records))
    return lambda question, budget: shared.quoting(records, ranked, budget)


def hybrid(shared: Baseline) -> Ask:
    """Reciprocal rank fusion of cosine and BM25."""
    words = shared.words

    def ask(question: str, budget: int | None) -> Answer:
        fused = np.zeros(len(shared.world.records))
        for scores, least in ((shared.cosines(question), -np.inf), (words.scores(question), 0.0)):
            for rank, i in enumerate((i for i in best_first(scores) if scores[i] > least), start=1):
                fused[i] += 1.0 / (RRF + rank)
        return shared.answer(best_first(fused), budget)

    return ask


def hybrid_z(shared: Baseline) -> Ask:
    """The sum of the z-scores of cosine and BM25 over exchanges."""
    words = shared.exchanges

    def ask(question: str, budget: int | None) -> Answer:
        return shared.answer(
            best_first(z_scores(shared.cosines(question)) + WORDS * z_scores(words.scores(question))), budget
        )

    return ask


def facts(shared: Baseline) -> Ask:
    """Facts by the similarity of their sentences alone; a record is worth its best fact, one without any nothing.

    All facts that were ever stated compete: that some hold no longer is said by their sentences.
    """
    vectors, sentences, world = shared.fact_vectors, shared.sentences, shared.world
    told = [fact.records for fact in world.facts]

    def ask(question: str, budget: int | None) -> Answer:
        order = best_first((vectors @ shared.asked(question)).astype(np.float64))
        ranked = dict.fromkeys(record for i in order for record in told[i])
        context, _ = shared.filled([sentences[i] for i in order[:MOST]], budget)
        return Answer(context, tuple(ranked))

    return ask


def rerank(shared: Baseline) -> Ask:
    """The most similar records by the activation of the concepts they mention; the others behind them."""
    world = shared.world
    lit = np.array([sum(world.concepts[c].activation for c in mentioned) for mentioned in world.mentions])

    def ask(question: str, budget: int | None) -> Answer:
        similar = best_first(shared.cosines(question))
        first = sorted(similar[:SIMILAR], key=lambda i: -lit[i])  # stable: similarity decides between equals
        return shared.answer([*first, *similar[SIMILAR:]], budget)

    return ask


def pagerank(shared: Baseline) -> Ask:
    """Records by the rank of the concepts they mention; similarity decides where the graph says nothing."""
    ranks = shared.ranks

    def ask(question: str, budget: int | None) -> Answer:
        cosines, worth = shared.cosines(question), ranks.records(question)
        return shared.answer(sorted(range(len(worth)), key=lambda i: (-worth[i], -cosines[i], i)), budget)

    return ask


def oroi(shared: Baseline) -> Ask:
    """The product, asked as a user would ask it right after the last turn."""
    world = shared.world

    def ask(question: str, budget: int | None) -> Answer:
        recall = world.memory.recall(question, at=world.at, budget=budget)
        return Answer(recall.brief.text, tuple(hit.id for hit in recall.ranked), recall.brief.record_ids, recall)

    return ask


CONDITIONS: Mapping[str, Callable[[Baseline], Ask]] = {
    "none": none,
    "hybrid": hybrid,
    "hybrid-z": hybrid_z,
    "facts": facts,
    "rerank": rerank,
    "pagerank": pagerank,
    "oroi": oroi,
}


def chosen(names: Sequence[str]) -> tuple[str, ...]:
    """The conditions of these names in their usual order, all of them for none. Raises InputError."""
    for name in names:
        if name not in CONDITIONS:
            raise InputError(f"unknown condition {name!r}: choose from {', '.join(CONDITIONS)}")
    return tuple(name for name in CONDITIONS if not names or name in names)


def best_first(scores: Scores) -> list[int]:
    """Positions by falling score; of equals the one said first."""
    return [int(i) for i in np.argsort(-scores, kind="stable")]
