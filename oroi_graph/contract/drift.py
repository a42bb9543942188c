"""Semantic drift: whether what is written under one key differs between authors, or moves over time.

Both tests ask how much of the variance of the vectors a grouping explains: by author, or by the best cut in time.
The null distribution comes from permuting the labels (Anderson 2001, "A new method for non-parametric multivariate
analysis of variance"; for the cut, the maximum over all cuts, so that its choice is paid for). A p value is
(1 + permutations at least as extreme) / (1 + permutations), which never falls below what chance allows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oroi_graph.errors import InputError

Matrix = NDArray[np.float64]
Labels = NDArray[np.intp]

_LEAST = 6  # entries below which nothing is tested
_OF_AUTHOR = 2  # entries that an author needs to be compared
_TRIM = 0.1  # share of the entries before the first and after the last cut that is tried
_MOST = 2_000  # entries that are tested
_DIRECTIONS = 48  # principal components that are tested
_CLOSE_BY = 3  # entries this far apart in time are not of one burst …
_MATTER = 0.95  # … and what lies nearer than this share of them is about one matter
_BATCH = 1_000_000  # numbers permuted at once
_EQUAL = 1e-9  # statistics nearer than this are ties


@dataclass(frozen=True, slots=True)
class DriftEntry:
    """One entry of a key. at: when it was written. vector: (d,) unit vector. like: what it is compared with; entries
    of another `like` (an entry type, a part of a form) are expected to differ. seq: its place among entries of one
    moment, such as those of one file."""

    id: str
    author: str
    at: datetime
    vector: NDArray[np.float32]
    like: str = ""
    seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDrift:
    """How far two authors are apart. statistic: share of their variance, 0..1. p: adjusted for the number of pairs.

    drifted: p is within the level, and so is the test of all authors.
    """

    authors: tuple[str, str]
    statistic: float
    p: float
    drifted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftReport:
    """Whether one key drifts.

    statistic, p: of the test between authors (None where no two authors have two entries each); time_statistic,
    time_p: of the test over time (None below six entries). Statistics are shares of variance, 0..1; p values are
    those of the single tests. key_p: of the key as a whole, the smaller p adjusted for there being two (Holm);
    drifted: key_p <= level. since: the first entry after the best cut in time, where time drifts. moved: ids of the
    entries that left the others, furthest first. reason: in one sentence.
    """

    entries: int
    authors: tuple[str, ...]
    level: float
    permutations: int
    drifted: bool
    key_p: float
    statistic: float | None
    p: float | None
    time_statistic: float | None
    time_p: float | None
    since: str | None
    pairs: tuple[PairDrift, ...]
    moved: tuple[str, ...]
    reason: str

    @property
    def tested(self) -> bool:
        """Whether there were entries enough for one of the tests."""
        return self.p is not None or self.time_p is not None

    def to_json(self) -> dict[str, object]:
        """The report as JSON values."""
        return {**asdict(self), "authors": list(self.authors), "pairs": [asdict(p) for p in self.pairs]}


def drift(entries: Sequence[DriftEntry], *, permutations: int = 999, seed: int = 0, level: float = 0.05) -> DriftReport:
    """The drift of one key's entries, given in any order; equal entries and seed give an equal report.

    Of what an author writes in a row about one matter, the first entry counts.

    permutations: at least 19. level: probability of a false alarm for the key as a whole, over both tests, where
    entries of one `like` are exchangeable. Of more than 2,000 entries, so many are drawn; a test looks at the 48
    directions in which they vary most. Raises InputError for vectors of different lengths, repeated ids, or a level or
    number of permutations that is none.
    """
    _check(entries, permutations, level)
    ordered = sorted(entries, key=lambda entry: (entry.at, entry.seq, entry.id))
    if not isinstance(seed, int) or seed < 0:
        raise InputError(f"the seed of a drift test must be a whole number, at least 0, got {seed!r}")
    random = np.random.default_rng(seed)
    if len(ordered) > _MOST:
        ordered = [ordered[i] for i in sorted(random.choice(len(ordered), _MOST, replace=False))]
    ordered = _without_bursts(ordered)
    vectors = np.array([entry.vector for entry in ordered], dtype=np.float64)
    authors = [entry.author for entry in ordered]
    kinds = sorted({entry.like for entry in ordered})
    strata = np.array([kinds.index(entry.like) for entry in ordered], dtype=np.intp)
    for stratum in range(len(kinds)):
        vectors[strata == stratum] -= vectors[strata == stratum].mean(axis=0)
    reduced = _Rows(_reduced(vectors), strata)
    between = _between_authors(reduced, authors, permutations, random)
    over_time = _over_time(reduced, permutations, random)
    adjusted = holm([test[1] for test in (between, over_time) if test is not None])
    key_p = min(adjusted, default=1.0)
    by_authors = between is not None and adjusted[0] <= level
    by_time = over_time is not None and adjusted[-1] <= level
    pairs = _pairs(reduced, authors, permutations, random, level if by_authors else -1.0)
    cut = over_time[2] if over_time is not None and by_time else None
    apart = {name for pair in pairs if pair.drifted for name in pair.authors}
    moved = _moved(vectors, authors, apart or (set(authors) if by_authors else set()), cut)
    return DriftReport(
        entries=len(entries),
        authors=tuple(sorted(set(authors))),
        level=level,
        permutations=permutations,
        drifted=key_p <= level,
        key_p=key_p,
        statistic=between[0] if between else None,
        p=between[1] if between else None,
        time_statistic=over_time[0] if over_time else None,
        time_p=over_time[1] if over_time else None,
        since=ordered[cut].id if cut is not None else None,
        pairs=pairs,
        moved=tuple(ordered[i].id for i in moved),
        reason=_reason(len(entries), between is not None or over_time is not None, by_authors, by_time),
    )


def drifting_keys(reports: Mapping[str, DriftReport], level: float = 0.05) -> frozenset[str]:
    """The keys that drift when several are looked at: with probability `level` at most, any of them is a false alarm.

    Holm's correction of the p values (Holm 1979) for the number of keys that could be tested.
    """
    keys = sorted(key for key, report in reports.items() if report.tested)
    adjusted = holm([reports[key].key_p for key in keys])
    return frozenset(key for key, p in zip(keys, adjusted, strict=True) if p <= level)


def holm(values: Sequence[float]) -> list[float]:
    """p values adjusted for their number (Holm 1979), in the order given."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    adjusted, highest = [1.0] * len(values), 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - rank) * values[i]))
        adjusted[i] = highest
    return adjusted


def _check(entries: Sequence[DriftEntry], permutations: int, level: float) -> None:
    if not 0 < level < 1:
        raise InputError(f"the level of a drift test must be between 0 and 1, got {level}")
    if permutations < 19:
        raise InputError(f"a drift test needs at least 19 permutations, got {permutations}")
    if len({entry.id for entry in entries}) != len(entries):
        raise InputError("the entries of a drift test must have different ids")
    if len({np.shape(entry.vector) for entry in entries}) > 1:
        raise InputError("the entries of a drift test must have vectors of one length: reembed the older ones")


def _without_bursts(ordered: list[DriftEntry]) -> list[DriftEntry]:
    """Of entries that an author writes in a row about one matter, the first: they are no independent evidence.

    One matter: nearer to one another than 95 % of the entries are that do not stand close together.
    """
    n = len(ordered)
    if n < _LEAST:
        return ordered
    vectors = np.array([entry.vector for entry in ordered], dtype=np.float64)
    cosines = vectors @ vectors.T
    apart = np.triu_indices(n, _CLOSE_BY)
    usual = float(np.quantile(cosines[apart], _MATTER)) + _EQUAL
    kept, last = [ordered[0]], 0
    for i in range(1, n):
        a, b = ordered[last], ordered[i]
        if (a.author, a.like) != (b.author, b.like) or cosines[last, i] <= usual:
            kept.append(b)
            last = i
    return kept


class _Rows(NamedTuple):
    """(n, k) values and the (n,) stratum of each; rows are exchanged within a stratum only."""

    values: Matrix
    strata: Labels

    def take(self, rows: Labels) -> _Rows:
        return _Rows(self.values[rows], self.strata[rows])


def _reduced(centred: Matrix) -> Matrix:
    """(n, d) → (n, k): the principal components. Which ones they are does not depend on labels or times, so a
    permutation test on them keeps its level."""
    if len(centred) < _LEAST:
        return centred
    if len(centred) < centred.shape[1]:  # the smaller of the two products
        sizes, left = np.linalg.eigh(centred @ centred.T)
        return np.asarray((left * np.sqrt(np.maximum(sizes, 0)))[:, ::-1][:, :_DIRECTIONS])
    _, axes = np.linalg.eigh(centred.T @ centred)
    return np.asarray(centred @ axes[:, ::-1][:, :_DIRECTIONS])


# --- the two tests ---------------------------------------------------------------------------------------


def _between_authors(
    data: _Rows, authors: Sequence[str], permutations: int, random: np.random.Generator
) -> tuple[float, float] | None:
    """Share of variance between authors, and its p value."""
    counts = Counter(authors)
    names = sorted(name for name, count in counts.items() if count >= _OF_AUTHOR)
    rows = np.array([i for i, name in enumerate(authors) if name in set(names)], dtype=np.intp)
    if len(names) < 2 or len(rows) < _LEAST:
        return None
    labels = np.array([names.index(authors[i]) for i in rows], dtype=np.intp)
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(len(names)))
    sizes = np.bincount(labels)

    def explained(shuffled: Matrix) -> Matrix:
        sums = np.add.reduceat(shuffled, starts, axis=1)
        return np.asarray(np.einsum("bgk,bgk,g->b", sums, sums, 1 / sizes))

    return _tested(data.take(rows[order]), explained, permutations, random)


def _over_time(data: _Rows, permutations: int, random: np.random.Generator) -> tuple[float, float, int] | None:
    """Share of variance between before and after the best cut, its p value, and the first index after the cut."""
    vectors = data.values
    n = len(vectors)
    if n < _LEAST:
        return None
    trim = max(2, math.ceil(_TRIM * n))
    before = np.arange(trim, n - trim + 1)
    total = vectors.sum(axis=0)

    def by_cut(shuffled: Matrix) -> Matrix:
        sums = np.cumsum(shuffled, axis=1)[:, before - 1]
        rest = total - sums
        return np.asarray((sums * sums).sum(axis=2) / before + (rest * rest).sum(axis=2) / (n - before))

    share, p = _tested(data, lambda shuffled: np.asarray(by_cut(shuffled).max(axis=1)), permutations, random)
    return share, p, int(before[int(by_cut(vectors[None]).argmax())])


def _tested(
    data: _Rows, explained: Callable[[Matrix], Matrix], permutations: int, random: np.random.Generator
) -> tuple[float, float]:
    """The share of variance that a grouping of rows explains, and its p value under permutation of the rows.

    explained: (b, n, k) copies of the rows, each in its order → (b,).
    """
    vectors = data.values
    total = vectors.sum(axis=0)
    mean = float(total @ total) / len(vectors)
    whole = float(np.einsum("ij,ij->", vectors, vectors)) - mean
    if whole <= _EQUAL:  # all entries are one
        return 0.0, 1.0
    observed = float(explained(vectors[None])[0])
    batch = max(1, _BATCH // vectors.size)
    extreme = 0
    for start in range(0, permutations, batch):
        orders = _orders(data.strata, min(batch, permutations - start), random)
        extreme += int((explained(vectors[orders]) >= observed - _EQUAL).sum())
    share = min(1.0, max(0.0, (observed - mean) / whole))
    return share, (1 + extreme) / (1 + permutations)


def _orders(strata: Labels, count: int, random: np.random.Generator) -> Labels:
    """(count, n) permutations of the rows, each within the strata."""
    grouped = np.argsort(strata, kind="stable")
    shuffled = np.argsort(strata[grouped] + random.random((count, len(strata))), axis=1)
    orders = np.empty_like(shuffled)
    orders[:, grouped] = grouped[shuffled]
    return orders


def _pairs(
    data: _Rows, authors: Sequence[str], permutations: int, random: np.random.Generator, level: float
) -> tuple[PairDrift, ...]:
    """Every two authors with enough entries, in alphabetical order."""
    found: list[tuple[tuple[str, str], float, float]] = []
    for one, other in combinations(sorted(set(authors)), 2):
        rows = np.array([i for i, name in enumerate(authors) if name in (one, other)], dtype=np.intp)
        tested = _between_authors(data.take(rows), [authors[i] for i in rows], permutations, random)
        if tested is not None:
            found.append(((one, other), *tested))
    adjusted = holm([p for _, _, p in found])
    return tuple(
        PairDrift(authors=pair, statistic=share, p=p, drifted=p <= level)
        for (pair, share, _), p in zip(found, adjusted, strict=True)
    )


# --- which entries moved ---------------------------------------------------------------------------------


def _moved(vectors: Matrix, authors: Sequence[str], drifted: set[str], cut: int | None) -> list[int]:
    """Entries nearer to their own group than to what they left, furthest first.

    Groups are the authors that are apart from one another (all, where only all together are), beside all other
    authors, and the entries after the cut in time, beside those before it.
    """
    gaps: dict[int, float] = {}
    groups = []
    for author in sorted(drifted):
        own = [i for i, name in enumerate(authors) if name == author]
        groups.append((own, [i for i, name in enumerate(authors) if name != author]))
    if cut is not None:
        groups.append((list(range(cut, len(vectors))), list(range(cut))))
    for own, rest in groups:
        for i in own:
            mine = _direction(vectors[own].sum(axis=0) - vectors[i])
            gap = float(vectors[i] @ (mine - _direction(vectors[rest].sum(axis=0))))
            if gap > 0:
                gaps[i] = max(gap, gaps.get(i, 0.0))
    return sorted(gaps, key=lambda i: (-gaps[i], i))


def _direction(vector: Matrix) -> Matrix:
    length = float(np.linalg.norm(vector))
    return vector / length if length > _EQUAL else vector


def _reason(entries: int, tested: bool, by_authors: bool, by_time: bool) -> str:
    if not tested:
        return f"{entries} entries are too few to tell"
    if by_authors and by_time:
        return "authors differ, and the meaning moved over time"
    if by_authors:
        return "authors differ"
    return "the meaning moved over time" if by_time else "no more variance than chance explains"
