"""Where the concepts, lines and labels of a picture go. Points in, points out; the same every time.

Stress majorisation (Gansner, Koren and North, "Graph drawing by stress majorization", 2004) on path
lengths, then boxes are pushed apart until none overlap, then separate parts are set side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Pairs = Sequence[tuple[int, int]]

SEED = 7
CURL = 0.82  # exponent of the distance that is wished for a path
STARTS = 6  # random starts, of which the least stressed is kept
ROUNDS = 120  # of pushing boxes off lines
SAMPLES = 61  # points of one drawn curve


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle by its centre and size, in points."""

    x: float
    y: float
    w: float
    h: float


def place(sizes: Points, pairs: Pairs, texts: Points) -> Points:
    """Centres (n, 2) for boxes of the given sizes (n, 2), none over another.

    pairs: m ties between boxes. texts: (m, 2) sizes of their labels, for which room is made; 0 for none.
    """
    parts = _parts(len(sizes), pairs)
    placed = []
    for part in parts:
        number = {node: k for k, node in enumerate(part)}
        ties: dict[tuple[int, int], Points] = {}
        for (a, b), text in zip(pairs, texts, strict=True):
            if a in number and a != b:
                tie = (min(number[a], number[b]), max(number[a], number[b]))
                ties[tie] = np.maximum(text, ties.get(tie, text))
        at = _stress(len(part), sorted(ties), 84.0)
        placed.append(_apart(_lying(at), sizes[part], dict(sorted(ties.items()))))
    return _side_by_side(parts, placed, sizes)


def _parts(n: int, pairs: Pairs) -> list[list[int]]:
    """Connected parts, the largest first."""
    graph: nx.Graph[int] = nx.Graph(list(pairs))
    graph.add_nodes_from(range(n))
    return sorted(map(sorted, nx.connected_components(graph)), key=lambda part: (-len(part), part))


def _distances(n: int, pairs: Pairs, length: float) -> Points:
    """Wished distances: path lengths, where a tie between two hubs is longer than one between leaves."""
    degree = np.zeros(n)
    for a, b in pairs:
        degree[[a, b]] += 1
    d = np.full((n, n), np.inf)
    np.fill_diagonal(d, 0.0)
    for a, b in pairs:
        d[a, b] = d[b, a] = length * (0.75 + 0.16 * np.sqrt(degree[a] + degree[b]))
    for k in range(n):
        d = np.minimum(d, d[:, k : k + 1] + d[k : k + 1, :])
    # Less than proportional, or one long chain would make the whole picture as long as itself.
    return np.asarray(length * (d / length) ** CURL)


def _stress(n: int, pairs: Pairs, length: float) -> Points:
    if n == 1:
        return np.zeros((1, 2))
    d = _distances(n, pairs, length)
    far = d + np.eye(n)  # no division by the zeros of the diagonal
    w = far**-2 - np.eye(n) * far**-2
    laplacian = np.diag(w.sum(axis=1)) - w
    inverse = np.linalg.pinv(laplacian)
    random = np.random.default_rng(SEED)
    best, least = np.zeros((n, 2)), np.inf
    for _ in range(STARTS):
        at = random.standard_normal((n, 2)) * length * np.sqrt(n)
        for _ in range(150):
            gaps = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1)) + np.eye(n)
            pull = w * d / np.maximum(gaps, 1e-9)
            at = inverse @ ((np.diag(pull.sum(axis=1)) - pull) @ at)
        gaps = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
        stress = float((w * (gaps - d) ** 2).sum())
        if stress < least - 1e-6:
            best, least = at, stress
    return best


def _lying(at: Points) -> Points:
    """Turned so that the longer side lies, since boxes and screens are wide; first node left and top."""
    centred: Points = at - at.mean(axis=0)
    if len(at) < 2:
        return centred
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned = centred @ axes.T
    ways = np.where(turned[0] * np.array([1.0, -1.0]) > 0, -1.0, 1.0)
    wide: Points = turned * ways * np.array([1.2, 1.0])
    return wide


def direction(way: Points) -> tuple[Points, Points, float]:
    """The unit vectors along a way and across it, and its length."""
    length = max(float(np.hypot(*way)), 1e-9)
    along = way / length
    return along, np.array([-along[1], along[0]]), length


def _apart(at: Points, sizes: Points, ties: dict[tuple[int, int], Points], gap: float = 16.0) -> Points:
    """Push boxes off each other, and as far as that goes off lines and labels that are not theirs."""
    at = at.copy()
    for _ in range(ROUNDS):
        _lengthen(at, sizes, ties)
        _off_lines(at, sizes, list(ties))
        _off_boxes(at, sizes, gap, 1)
    _off_boxes(at, sizes, gap, 2000)
    return at


def _lengthen(at: Points, sizes: Points, ties: dict[tuple[int, int], Points], arrow: float = 24.0) -> None:
    """Stretch ties on which label and arrow head would not fit between the two boxes."""
    for (a, b), text in ties.items():
        along, _, length = direction(at[b] - at[a])
        slope = np.maximum(np.abs(along), 1e-9)
        covered = (sizes[a] / 2 / slope).min() + (sizes[b] / 2 / slope).min()
        lacking = covered + float(slope @ text) + arrow - length
        if lacking > 0:
            at[a] -= along * lacking * 0.25
            at[b] += along * lacking * 0.25


def _off_boxes(at: Points, sizes: Points, gap: float, rounds: int) -> None:
    """Move overlapping boxes apart along the shorter way out."""
    need = (sizes[:, None] + sizes[None]) / 2 + gap
    above = np.triu(np.ones((len(at), len(at)), dtype=bool), 1)
    for _ in range(rounds):
        between = at[None] - at[:, None]
        overlap = need - np.abs(between)
        hits = above & (overlap > 0.01).all(axis=2)
        if not hits.any():
            return
        for i, j in np.argwhere(hits):
            axis = int(overlap[i, j, 1] < overlap[i, j, 0])
            way = 1.0 if between[i, j, axis] >= 0 else -1.0
            push = way * overlap[i, j, axis] * 0.26
            at[i, axis] -= push
            at[j, axis] += push


def _off_lines(at: Points, sizes: Points, ties: Sequence[tuple[int, int]], gap: float = 9.0) -> None:
    """Move boxes a little aside from lines that run through them, and the lines' ends the other way."""
    for a, b in ties:
        along, across, length = direction(at[b] - at[a])
        offset = at - at[a]
        reach = np.abs(across) @ (sizes / 2).T + gap  # how far a box sticks out across the line
        aside, ahead = offset @ across, offset @ along
        hits = (np.abs(aside) < reach) & (ahead > 0) & (ahead < length)
        hits[[a, b]] = False
        for k in np.nonzero(hits)[0]:
            push = across * (1.0 if aside[k] >= 0 else -1.0) * (reach[k] - abs(aside[k])) * 0.3
            at[k] += push
            at[a] -= push * 0.3
            at[b] -= push * 0.3


def _side_by_side(parts: list[list[int]], placed: list[Points], sizes: Points, gap: float = 30.0) -> Points:
    """Shelves, widest part first on top; a shelf is as wide as the whole would be at 3:2."""
    bounds = []
    for part, at in zip(parts, placed, strict=True):
        low, high = (at - sizes[part] / 2).min(axis=0), (at + sizes[part] / 2).max(axis=0)
        bounds.append((low, high - low))
    area = sum((extent[0] + gap) * (extent[1] + gap) for _, extent in bounds)
    widest = max(max(extent[0] for _, extent in bounds), 1.25 * np.sqrt(area))
    at = np.zeros((len(sizes), 2))
    x = y = deepest = 0.0
    for part, own, (low, extent) in zip(parts, placed, bounds, strict=True):
        if x > 0 and x + extent[0] > widest:
            x, y, deepest = 0.0, y - deepest - gap, 0.0
        at[part] = own - low + np.array([x, y - extent[1]])
        x, deepest = x + extent[0] + gap, max(deepest, extent[1])
    return at


def bend(boxes: Sequence[Box], pairs: Pairs) -> list[Points]:
    """One curve (k, 2) per pair, centre to centre; several between two fan out, loops go over the top."""
    together: dict[tuple[int, int], list[int]] = {}
    for number, pair in enumerate(pairs):
        together.setdefault((min(pair), max(pair)), []).append(number)
    t = np.linspace(0, 1, SAMPLES)[:, None]
    curves: list[Points] = [np.zeros((0, 2))] * len(pairs)
    for (low, high), members in together.items():
        a, b = (np.array([boxes[k].x, boxes[k].y]) for k in (low, high))
        for k, member in enumerate(members):
            if low == high:
                curves[member] = _loop(boxes[low], k)
                continue
            across = np.array([-(b - a)[1], (b - a)[0]])
            aside = (k - (len(members) - 1) / 2) * 0.28
            middle = (a + b) / 2 + across * aside
            curve = (1 - t) ** 2 * a + 2 * t * (1 - t) * middle + t**2 * b
            curves[member] = curve if pairs[member][0] == low else curve[::-1]
    return curves


def _loop(box: Box, k: int) -> Points:
    turn = np.linspace(np.pi * 1.25, -np.pi * 0.25, SAMPLES)
    radius = 11.0 + 6.0 * k
    top = np.array([box.x, box.y + box.h / 2 + radius * 0.5])
    return top + radius * np.column_stack([np.cos(turn), np.sin(turn)])


def clip_to_boxes(curve: Points, start: Box, end: Box, gap: float) -> Points:
    """The part of a curve between two boxes, refined so that it ends where the box begins."""
    fine = np.column_stack(
        [np.interp(np.linspace(0, 1, 8 * SAMPLES), np.linspace(0, 1, len(curve)), axis) for axis in curve.T]
    )
    free = ~(_inside(fine, start, gap) | _inside(fine, end, gap))
    return fine[free]


def _inside(points: Points, box: Box, gap: float) -> NDArray[np.bool_]:
    near = np.abs(points - [box.x, box.y]) < np.array([box.w, box.h]) / 2 + gap
    return np.asarray(near.all(axis=1))


def place_label(line: Points, width: float, height: float, taken: Sequence[Box]) -> Box:
    """The spot along a line where a label hides least; the middle where nothing is hidden anywhere."""
    best, least = Box(0.0, 0.0, width, height), np.inf
    for fraction in (0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.26, 0.74, 0.2, 0.8):
        x, y = line[min(int(fraction * len(line)), len(line) - 1)]
        box = Box(float(x), float(y), width, height)
        hidden = sum(_overlap(box, other) for other in taken)
        if hidden < least - 1e-9:
            best, least = box, hidden
    return best


def _overlap(a: Box, b: Box) -> float:
    across = min(a.x + a.w / 2, b.x + b.w / 2) - max(a.x - a.w / 2, b.x - b.w / 2)
    upward = min(a.y + a.h / 2, b.y + b.h / 2) - max(a.y - a.h / 2, b.y - b.h / 2)
    return max(across, 0.0) * max(upward, 0.0)
