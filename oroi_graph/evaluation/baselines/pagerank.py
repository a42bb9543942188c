"""Personalised PageRank over a memory's own graph, after HippoRAG (arXiv:2405.14831, section 2.3).

The graph is that of the memory: its concepts, its associations (walked both ways, as heavy as they are there), and
HippoRAG's synonym links between concepts of like meaning. A question's cues, read as the product reads them, start at
their nearest concepts, each divided by how many records mention it ("node specificity"). A record is worth the sum of
the ranks of the concepts it mentions.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from oroi_graph.evaluation.baselines.memory import EvaluationMemory
from oroi_graph.language.normalize import without_names
from oroi_graph.recall.question import read_question

DAMPING = 0.5  # HippoRAG's
SYNONYMS = 0.8  # cosine, HippoRAG's
_BLOCK = 1024  # concepts compared with all others at a time


class Ranks:
    """The graph of one world, asked again and again."""

    def __init__(self, world: EvaluationMemory) -> None:
        self._world = world
        self._graph: nx.Graph[int] = nx.Graph()
        self._graph.add_nodes_from(range(len(world.concepts)))
        for source, target, weight in world.links:
            if source != target:
                before = self._graph.get_edge_data(source, target, {"weight": 0.0})["weight"]
                self._graph.add_edge(source, target, weight=before + weight)
        for a, b, cosine in _synonyms(world.concept_vectors):
            if not self._graph.has_edge(a, b):
                self._graph.add_edge(a, b, weight=cosine)

    def records(self, question: str) -> NDArray[np.float64]:
        """(records,): what each record is worth, 0 for all where the question reaches nothing."""
        seeds = self._seeds(question)
        if not seeds:
            return np.zeros(len(self._world.records))
        ranks = nx.pagerank(self._graph, alpha=DAMPING, personalization=seeds, weight="weight")
        return np.array([sum(ranks[concept] for concept in mentioned) for mentioned in self._world.mentions])

    def _seeds(self, question: str) -> dict[int, float]:
        """Where the walk starts: the nearest concept of each cue; of the whole question where it names nothing."""
        world, graph = self._world, self._world.memory.graph
        if not world.concepts:
            return {}
        read = read_question(question, world.memory.protagonist, world.at, graph.question_extractor)
        cues = [span.label for span in read.spans] or [without_names(question, world.protagonists)]
        nearest = np.argmax(graph.embedder.embed(cues) @ world.concept_vectors.T, axis=1)
        seeds: dict[int, float] = {}
        for concept in nearest:
            seeds[int(concept)] = seeds.get(int(concept), 0.0) + 1.0 / max(1, world.concepts[concept].mentions)
        return seeds


def _synonyms(vectors: NDArray[np.float32]) -> list[tuple[int, int, float]]:
    """Pairs of like meaning, each once."""
    pairs: list[tuple[int, int, float]] = []
    for start in range(0, len(vectors), _BLOCK):
        cosines = vectors[start : start + _BLOCK] @ vectors[start:].T
        for i, j in zip(*np.nonzero(cosines >= SYNONYMS), strict=True):
            if j > i:
                pairs.append((start + int(i), start + int(j), float(cosines[i, j])))
    return pairs
