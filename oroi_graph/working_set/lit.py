"""What is lit in a memory, and what it can spread to: the arrays that the kernel works on.

Rows stand in the order of ids, so that sums do not depend on when a concept came into the working set.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from oroi_graph.working_set.snapshot import Snapshot
from oroi_graph.working_set.tables import Associations, Concepts, Places
from oroi_graph.working_set.vectors import Floats

_NONE: Places = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """concepts: (n,) places. source, target: (m,) rows among them, of each association. edges: (m,) its place."""

    concepts: Places
    source: Places
    target: Places
    edges: Places


@dataclass(frozen=True, slots=True, eq=False)
class Lighting:
    """A change of activation. state: afterwards. rows: [id, activation] of the concepts whose node changes.

    dim: ids and activations of what is lit faintly, which the memory's node keeps; None without any.
    """

    state: Snapshot
    rows: list[list[str | float]]
    dim: tuple[list[str], list[float]] | tuple[None, None]


def around_lit(held: Snapshot, activation: Floats, near: int, far: int) -> Surroundings:
    """What is lit and two hops around it: the `near` best current associations of each lit concept, then the `far` best
    of each concept that these reach. The best are the heaviest, then the most recent, then by id.

    activation: (n,) that decides what is lit.
    """
    lit = np.flatnonzero(activation > 0)
    inner, ring = _best(held.associations, lit, near)
    outer, rim = _best(held.associations, _each(ring, len(activation), apart=lit), far)
    return _arranged(held, np.concatenate([lit, ring, rim]), np.concatenate([inner, outer]))


def relight(stored: Snapshot, after: Snapshot, activation: Floats, least: float) -> Lighting:
    """Give `after` another activation, (n,). stored: the state that the database has. least: below it a concept is dim.

    What is dim goes out when the turn ends. It takes part in the turn, but no node changes for it, nor an index: most
    of what a spread reaches is dim.
    """
    concepts = after.concepts
    faint = np.flatnonzero((activation > 0) & (activation < least)).tolist()
    dim = frozenset(concepts.ids[place] for place in faint)
    before, now = np.zeros(len(activation)), activation.copy()
    before[: len(stored.concepts.ids)] = stored.concepts.activation
    before[[stored.concepts.at[id] for id in stored.concepts.dim]] = 0.0
    now[faint] = 0.0
    changed = np.flatnonzero(before != now).tolist()
    return Lighting(
        replace(after, concepts=replace(concepts, activation=activation, dim=dim)),
        [[concepts.ids[place], float(now[place])] for place in changed],
        ([concepts.ids[place] for place in faint], activation[faint].tolist()) if faint else (None, None),
    )


def among_lit(held: Snapshot, least: float) -> Surroundings:
    """What is lit, and the current associations among what is lit by `least` or more."""
    bright, all_ = held.concepts.activation >= least, held.associations
    edges = np.flatnonzero(~all_.superseded & bright[all_.source] & bright[all_.target])
    return _arranged(held, np.flatnonzero(held.concepts.activation > 0), edges)


def _best(all_: Associations, owners: Places, most: int) -> tuple[Places, Places]:
    """(associations, other ends) of the best `most` of each concept."""
    owner, edge, other = all_.adjacency.of_concepts(owners)
    current = ~all_.superseded[edge]
    owner, edge, other = owner[current], edge[current], other[current]
    counts = np.bincount(owner, minlength=len(owners))
    kept = (counts <= most)[owner]
    grouped, ends = np.argsort(owner, kind="stable"), np.cumsum(counts)
    for crowded in np.flatnonzero(counts > most).tolist():
        out = grouped[ends[crowded] - counts[crowded] : ends[crowded]]
        weight = all_.weight[edge[out]]
        # Those as heavy as the last that may stay: recency and id decide between equals.
        heavy = out[weight >= np.partition(weight, -most)[-most]]
        among = edge[heavy]
        order = np.lexsort((all_.low[among], all_.high[among], -all_.last[among], -all_.weight[among]))
        kept[heavy[order[:most]]] = True
    return edge[kept], other[kept]


def _arranged(held: Snapshot, concepts: Places, edges: Places) -> Surroundings:
    """Each concept and each association once, by id."""
    all_ = held.associations
    places, edges = _by_id(held.concepts, concepts), _each(edges, len(all_.ids))
    edges = edges[np.lexsort((all_.low[edges], all_.high[edges]))]
    row = np.zeros(len(held.concepts.ids), dtype=np.int64)
    row[places] = np.arange(len(places))
    return Surroundings(places, row[all_.source[edges]], row[all_.target[edges]], edges)


def _by_id(concepts: Concepts, places: Places) -> Places:
    once = _each(places, len(concepts.ids)).tolist()
    return np.array(sorted(once, key=concepts.ids.__getitem__), dtype=np.int64)


def _each(places: Places, among: int, apart: Places = _NONE) -> Places:
    """Each of some places once, in order, without those that are `apart`. among: how many places there are.

    `np.unique` takes four times as long for the few hundred that are lit.
    """
    found = np.zeros(among, dtype=bool)
    found[places] = True
    found[apart] = False
    return np.flatnonzero(found)
