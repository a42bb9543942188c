"""Near-duplicates among the concepts that are new since the last sleep: which pairs may be one concept. Reads only.

Candidates come from four sources: nearest neighbours by embedding (`nearest_neighbors`), labels that are inflected
forms of the same words, names that resemble or contain one another (`name_blocking`), and pairs that are still marked
as doubtful. `label_similarity` grades the labels of each pair as automatic or doubtful. A pair becomes doubtful if the
memory holds evidence against it, or if a concept has several candidates.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from rapidfuzz.fuzz import ratio

from oroi_graph.entities import nearest_neighbors
from oroi_graph.entities.label_similarity import LEAST, Grade, MatchGrade, Why, grade, name_words
from oroi_graph.entities.name_blocking import Pair, alike_names, same_forms
from oroi_graph.entities.resolution import MAYBE_SAME
from oroi_graph.language.normalize import fold
from oroi_graph.language.relations import SINGLE_VALUED
from oroi_graph.storage.catalog import existing
from oroi_graph.storage.store import Row, Store

Method = Literal["index", "blockwise"]

AGAINST = ("together", "associated", "differing", "denied", "replaced")  # what may speak against a pair
MOST_IN_GROUP = 8  # concepts that are merged into one without a judge

_LABELS = 5_000  # labels read at a time
_PAIRS = 250  # pairs of which one statement asks what speaks against them


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidatePair:
    """Two concepts of one kind that are one, or may be. `a` < `b` are their ids.

    score: for kind "concept" the cosine of their vectors, -1..1; for names the share of letters in common, 0..1.
    why: "similar" (by meaning), "spelling" or "subset" (of the words of a name). against: which of AGAINST hold.
    """

    a: str
    b: str
    label_a: str
    label_b: str
    kind: str
    score: float
    grade: Grade
    why: Why
    against: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The pairs, automatic ones first, the likeliest first; how many concepts were new, among how many; how found."""

    pairs: tuple[CandidatePair, ...]
    new: int
    among: int
    method: Method


@dataclass(frozen=True, slots=True)
class _Labels:
    """Concepts and names by id."""

    concepts: dict[str, str]
    names: dict[str, str]
    new: frozenset[str]

    def of(self, pair: Pair) -> tuple[str, str, str] | None:
        """(kind, label, label) of a pair of one kind that is there."""
        for kind, labels in (("concept", self.concepts), ("name", self.names)):
            if pair[0] in labels and pair[1] in labels:
                return kind, labels[pair[0]], labels[pair[1]]
        return None


def near_duplicates(
    store: Store, memory: str, since: int, *, method: Method | None = None, look: Callable[[], None] = lambda: None
) -> Found:
    """The pairs of which at least one concept was first mentioned after turn `since`, and those still in doubt.

    method: how neighbours are found; None chooses the cheaper one. look: called between two statements, may raise to
    stop. Deterministic. Raises MemoryNotFoundError, StoreError.
    """
    dimensions = existing(store, "storage/read_memory", memory)["dimensions"]
    labels = _read(store, memory, since, look)
    new = sorted(labels.new & labels.concepts.keys())
    how: Method = method or ("index" if nearest_neighbors.few(len(new), len(labels.concepts)) else "blockwise")
    cosines: Mapping[Pair, float] = {}
    if new and how == "index":
        cosines = nearest_neighbors.merged(nearest_neighbors.by_index(store, memory, new, LEAST, look))
    elif new:
        cosines = nearest_neighbors.merged(nearest_neighbors.blockwise(store, memory, dimensions, since, LEAST, look))
    spelled = same_forms(labels.concepts, labels.new) | alike_names(labels.names, labels.new)
    marked = store.rows("consolidation/near_marked", memory=memory, maybe_same=MAYBE_SAME)
    waiting = {(min(row["a"], row["b"]), max(row["a"], row["b"])) for row in marked}
    promising = [p for p in sorted({*cosines, *spelled}) if p not in waiting and _like(labels, p, cosines.get(p, 1.0))]
    found = _graded(store, memory, labels, [*promising, *sorted(waiting)], waiting, look)
    settled = _grouped(store, memory, labels, _one_candidate(found), look)
    settled.sort(key=lambda near: (near.grade != "automatic", -near.score, near.a, near.b))
    among = len(labels.concepts) + len(labels.names)
    return Found(pairs=tuple(settled), new=len(labels.new), among=among, method=how)


def _read(store: Store, memory: str, since: int, look: Callable[[], None]) -> _Labels:
    concepts: dict[str, str] = {}
    names: dict[str, str] = {}
    new: set[str] = set()
    after = ""
    while True:
        look()
        page = store.one("consolidation/near_labels", memory=memory, after=after, since=since, page=_LABELS)
        for id, kind, label, recent in zip(page["ids"], page["kinds"], page["labels"], page["news"], strict=True):
            (concepts if kind == "concept" else names)[id] = label
            if recent:
                new.add(id)
        if len(page["ids"]) < _LABELS:
            return _Labels(concepts, names, frozenset(new))
        after = page["ids"][-1]


def _like(labels: _Labels, pair: Pair, cosine: float) -> MatchGrade | None:
    known = labels.of(pair)
    return grade(known[1], known[2], known[0], cosine) if known else None


def _graded(
    store: Store, memory: str, labels: _Labels, pairs: Sequence[Pair], waiting: set[Pair], look: Callable[[], None]
) -> list[CandidatePair]:
    """The pairs graded by labels and evidence; a pair in `waiting` is at least doubtful."""
    found = []
    for row in _evidence(store, memory, pairs, look):
        pair = (row["a"], row["b"])
        known = labels.of(pair)
        if known is None or row["apart"]:
            continue
        kind, label_a, label_b = known
        cosine = 0.0 if row["cosine"] is None else row["cosine"]
        like = grade(label_a, label_b, kind, cosine)
        if like is None and pair in waiting:
            like = MatchGrade("doubtful", "subset" if kind == "name" else "similar")
        if like is None:
            continue
        against = tuple(name for name in AGAINST if row[name])
        found.append(
            CandidatePair(
                a=pair[0],
                b=pair[1],
                label_a=label_a,
                label_b=label_b,
                kind=kind,
                score=round(cosine if kind == "concept" else ratio(fold(label_a), fold(label_b)) / 100, 4),
                grade="doubtful" if against else like.grade,
                why=like.why,
                against=against,
            )
        )
    return found


def _evidence(store: Store, memory: str, pairs: Sequence[Pair], look: Callable[[], None]) -> Iterator[Row]:
    single = sorted(SINGLE_VALUED)
    for start in range(0, len(pairs), _PAIRS):
        look()
        rows = [{"a": a, "b": b} for a, b in pairs[start : start + _PAIRS]]
        yield from store.rows(
            "consolidation/near_evidence", memory=memory, pairs=rows, single=single, maybe_same=MAYBE_SAME
        )


def _one_candidate(found: Sequence[CandidatePair]) -> list[CandidatePair]:
    """A name that may be the misspelling of several other names makes only doubtful pairs."""
    candidates: dict[str, set[str]] = defaultdict(set)
    for near in found:
        if _misspelled(near):
            candidates[near.a].add(" ".join(name_words(near.label_b)))
            candidates[near.b].add(" ".join(name_words(near.label_a)))
    return [
        replace(near, grade="doubtful")
        if near.grade == "automatic"
        and _misspelled(near)
        and (len(candidates[near.a]) > 1 or len(candidates[near.b]) > 1)
        else near
        for near in found
    ]


def _misspelled(near: CandidatePair) -> bool:
    return near.kind == "name" and near.why == "spelling" and name_words(near.label_a) != name_words(near.label_b)


def _grouped(
    store: Store, memory: str, labels: _Labels, found: Sequence[CandidatePair], look: Callable[[], None]
) -> list[CandidatePair]:
    """A group of three or more concepts stays automatic only if every pair in it is: similarity is not transitive."""
    groups = [group for group in _groups(near for near in found if near.grade == "automatic") if len(group) > 2]
    automatic = {(near.a, near.b) for near in found if near.grade == "automatic"}
    missing = [
        pair
        for group in groups
        if len(group) <= MOST_IN_GROUP
        for pair in combinations(group, 2)
        if pair not in automatic
    ]
    graded = _graded(store, memory, labels, sorted(missing), set(), look)
    automatic |= {(near.a, near.b) for near in graded if near.grade == "automatic"}
    loose = {
        id
        for group in groups
        if len(group) > MOST_IN_GROUP or any(pair not in automatic for pair in combinations(group, 2))
        for id in group
    }
    return [
        replace(near, grade="doubtful") if near.grade == "automatic" and near.a in loose else near for near in found
    ]


def _groups(pairs: Iterable[CandidatePair]) -> list[list[str]]:
    """The ids that pairs join, directly or over others, each group sorted."""
    group_of: dict[str, list[str]] = {}
    for near in pairs:
        a, b = (group_of.setdefault(id, [id]) for id in (near.a, near.b))
        if a is not b:
            a += b
            group_of |= dict.fromkeys(b, a)
    return sorted(sorted(group) for group in {id(group): group for group in group_of.values()}.values())
