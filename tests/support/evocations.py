"""What questions evoke, made by hand: without a database, or a network to be searched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oroi_graph.language.relations import relation_class
from oroi_graph.recall.entity_linking import Cue
from oroi_graph.recall.graph.paths import Paths
from oroi_graph.recall.graph.search import Evocation
from oroi_graph.working_set.neighbourhood import Edge, Edges, Neighbourhood

NOWHERE = Evocation(
    (), (), (), (), Edges.of(()), np.zeros((0, 0)), np.zeros(0), np.zeros(0), Paths.of(()), np.zeros(0, bool)
)


def evoked(*cues: Cue, waves: Sequence[Sequence[float]] = ((1.0,),)) -> Evocation:
    """The concepts of some cues without associations; waves: (cues, concepts)."""
    ids, labels, kinds = zip(*((cue.concept_id, cue.label, cue.kind) for cue in cues), strict=True)
    whole = np.ones(len(cues))
    return Evocation(
        cues, ids, labels, kinds, Edges.of(()), np.array(waves), whole, whole, Paths.of(()), np.zeros(0, bool)
    )


def network(
    triples: Sequence[tuple[str, str, str]], selves: Sequence[str] = (), sure: Sequence[float] = ()
) -> Neighbourhood:
    """Associations (source, relation, target), "fact 0" and so on, and their ends, whose ids are their labels.

    selves: those that speak. sure: the confidence of each; all are certain if it is not given.
    """
    labels = list(dict.fromkeys(label for source, _, target in triples for label in (source, target)))
    edges = Edges.of(
        Edge(
            f"fact {i}", labels.index(source), labels.index(target), 1.0, relation,
            relation_class(relation) or relation, False, sure[i] if sure else 1.0,
        )
        for i, (source, relation, target) in enumerate(triples)
    )  # fmt: skip
    kinds = ["self" if label in selves else "concept" for label in labels]
    return Neighbourhood(labels, labels, kinds, np.zeros(len(labels)), edges)
