"""What a working set knows, for comparing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from oroi_graph.working_set.snapshot import Snapshot


def content(held: Snapshot) -> dict[str, Any]:
    """What a working set knows, by id, whatever the places."""
    c, a, r = held.concepts, held.associations, held.records
    names = list(a.codes)
    return {
        "clock": held.clock,
        "concepts": {
            id: [c.labels[i], c.keys[i], c.kinds[i], list(c.aliases[i]), int(c.mentions[i]), float(c.activation[i]),
                 float(c.strength[i]), c.vectors.buffer[i].tolist() if c.vectors.known[i] else None]
            for i, id in enumerate(c.ids)
        },
        "associations": {
            id: [a.relations[i], a.times[i], a.stated[i], a.records[i], bool(a.negated[i]), bool(a.contested[i]),
                 c.ids[a.source[i]], c.ids[a.target[i]], float(a.weight[i]), names[a.classes[i]],
                 bool(a.implied[i]), float(a.confidence[i]), int(a.first[i]), int(a.last[i]),
                 bool(a.superseded[i]), int(a.high[i]), int(a.low[i])]
            for i, id in enumerate(a.ids)
        },
        "records": {
            id: [list(r.said[i]), list(r.entries[i]), r.gists[i], r.resting[i], list(r.associations[i]),
                 sorted(r.concepts[i]), r.vectors.buffer[i].tolist() if r.vectors.known[i] else None]
            for i, id in enumerate(r.ids) if id
        },
        "around": {
            id: sorted((a.ids[edge], c.ids[other]) for edge, other in zip(*a.adjacency.of_concept(i), strict=True))
            for i, id in enumerate(c.ids)
        },
        "at": [all(table.place(id) == i for i, id in enumerate(table.ids) if id) for table in (c, a, r)],
        "keys": {key: found for key, places in c.by_key.items() if (found := _until(places, c.ids))},
        "mentioning": {id: _until(r.mentioning.get(id, ()), r.ids) for id in c.ids},
        "newest": {id: [r.ids[place] for place in r.newest_of(id)] for id in c.ids},
        "turns": {turn: found for turn, places in r.by_turn.items() if (found := _until(places, r.ids))},
    }  # fmt: skip


def _until(places: Iterable[int], ids: Sequence[str]) -> list[str]:
    """The ids at these places, without those of later states."""
    return sorted(ids[place] for place in places if place < len(ids))
