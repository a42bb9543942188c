"""What a concept states: its current associations, as perception compares them with a new one."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from oroi_graph.storage.store import Row
from oroi_graph.working_set.snapshot import Snapshot
from oroi_graph.working_set.tables import Places


def stated_by(held: Snapshot, source: str, classes: Collection[str], targets: Collection[str]) -> list[Row]:
    """The current associations that lead out of a concept and are of one of the classes or lead to one of the targets.

    In the order of ids, each {id, source, relation, target, kind, negated, first_turn, class}; kind: of the target.
    """
    all_, edges = held.associations, _current(held, source)
    codes = [all_.codes[name] for name in classes if name in all_.codes]
    ends = [place for place in map(held.concepts.place, targets) if place is not None]
    wanted = edges[np.isin(all_.classes[edges], codes) | np.isin(all_.target[edges], ends)]
    return _rows(held, wanted[np.lexsort((all_.low[wanted], all_.high[wanted]))])


def all_stated_by(held: Snapshot, source: str, most: int) -> list[Row]:
    """The same for all that somebody stated, the most recent ones first, `most` at most."""
    all_, edges = held.associations, _current(held, source)
    edges = edges[~all_.implied[edges]]
    return _rows(held, edges[np.lexsort((all_.low[edges], all_.high[edges], -all_.last[edges]))][:most])


def _current(held: Snapshot, source: str) -> Places:
    place = held.concepts.place(source)
    if place is None:
        return np.zeros(0, dtype=np.int64)
    edges, _ = held.associations.adjacency.of_concept(place)
    found: Places = edges[(held.associations.source[edges] == place) & ~held.associations.superseded[edges]]
    return found


def _rows(held: Snapshot, edges: Places) -> list[Row]:
    all_, concepts = held.associations, held.concepts
    names = list(all_.codes) if len(edges) else []
    return [
        {
            "id": all_.ids[edge],
            "source": concepts.ids[all_.source[edge]],
            "relation": all_.relations[edge],
            "target": concepts.ids[all_.target[edge]],
            "kind": concepts.kinds[all_.target[edge]],
            "negated": all_.details[edge][0],
            "first_turn": int(all_.first[edge]),
            "class": names[all_.classes[edge]],
        }
        for edge in edges.tolist()
    ]
