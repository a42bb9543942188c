"""The layout of a picture (`oroi show --output`) against those of libraries, on the same graphs.

    python benchmarks/picture_layouts.py benchmarks/corpora/scenarios-dev.jsonl benchmarks/corpora/hubs-dev.jsonl

Graphs are the stated facts of conversations, some of them joined, and random graphs with as many ends as those of
memories. Counted for each drawing: pairs of lines that cross (lines with a common end left out), boxes over boxes,
lines through boxes that are not their ends, relation labels over labels or boxes, the area, and the time.

`igraph` is measured if it is installed. "NAME alone" is the library's layout, scaled to the area of ours; "NAME + room"
replaces stress majorisation only, and boxes and labels still get room as in `visualization.layout`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np

from oroi_graph.visualization import canvas as drawn_on
from oroi_graph.visualization import draw, layout
from oroi_graph.visualization.layout import Box, Pairs, Points

Graph = drawn_on.Graph
Stress = Callable[[int, Pairs, float], Points]
Place = Callable[[Points, Pairs, Points], Points]
PICTURES = (3,)  # graphs of which pictures are drawn with --pictures
MEASURES = ("crossings", "boxes over boxes", "lines through boxes", "labels hidden", "Mpt²", "s")


@dataclass(frozen=True, slots=True)
class Drawing:
    """Where everything of one picture lies."""

    boxes: Sequence[Box]
    lines: Sequence[tuple[int, int, Points]]
    labels: Sequence[Box]


def stated(path: Path) -> list[Graph]:
    """The facts that each conversation of a corpus states, as graphs."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        graph: Graph = nx.MultiDiGraph()
        for turn in json.loads(line)["turns"]:
            for relation in (turn.get("extraction") or {}).get("relations", ()):
                ends = [_end(relation[end], turn["speaker"]) for end in ("source", "target")]
                for end in ends:
                    graph.add_node(end, label=end, kind="concept", activation=0.0, strength=0.0)
                graph.add_edge(*ends, relation=relation["relation"], weight=1.0, current=True)
        found.append(graph)
    return found


def _end(label: str, speaker: str) -> str:
    return speaker if label == "I" else label


def grown(n: int, seed: int) -> Graph:
    """A random graph in which what has ties gets more of them, as in a memory: 1.3 ties a concept."""
    chance = np.random.default_rng(seed)
    graph: Graph = nx.MultiDiGraph()
    graph.add_nodes_from((k, {"label": f"concept {k}", "kind": "concept"}) for k in range(n))
    tree = nx.barabasi_albert_graph(n, 1, seed=seed)
    more = [tuple(int(k) for k in chance.choice(n, 2, replace=False)) for _ in range(int(0.3 * n))]
    for a, b in [*tree.edges(), *more]:
        graph.add_edge(a, b, relation="likes" if (a + b) % 2 else "belongs to", weight=1.0)
    return graph


def graphs(paths: Sequence[Path]) -> list[Graph]:
    """Eight of conversations, from small to large, and four random ones; at most 60 concepts each."""
    conversations = sorted((g for path in paths for g in stated(path)), key=len)
    some = [conversations[round(at * (len(conversations) - 1))] for at in np.linspace(0, 1, 6)]
    joined = [nx.compose_all(conversations[k : k + 3]) for k in (40, 150)]
    chosen = [*some, *joined, *(grown(n, n) for n in (12, 25, 40, 60))]
    return [draw._strongest(graph, draw.SHOWN) for graph in chosen]


def drawing(graph: Graph, place: Place) -> tuple[Drawing, float]:
    """What `draw` would show with boxes put by `place`, and the seconds that `place` took."""
    took = 0.0

    def timed(sizes: Points, pairs: Pairs, texts: Points) -> Points:
        nonlocal took
        began = time.perf_counter()
        at = place(sizes, pairs, texts)
        took = time.perf_counter() - began
        return at

    drawn_on.place, own = timed, drawn_on.place  # type: ignore[attr-defined]
    try:
        canvas = drawn_on.Canvas(graph, True, "")
    finally:
        drawn_on.place = own  # type: ignore[attr-defined]
    index = {node: k for k, node in enumerate(graph)}
    pairs = [(index[a], index[b]) for a, b in graph.edges()]
    lines, taken = [], list(canvas.boxes)
    for (a, b), curve in zip(pairs, layout.bend(canvas.boxes, pairs), strict=True):
        lines.append((a, b, layout.clip_to_boxes(curve, canvas.boxes[a], canvas.boxes[b], gap=2.5)))
    for (_, _, line), text in zip(lines, canvas.relations, strict=True):
        if text and len(line) > 1:
            width, height = canvas._measure(text, 7.5)
            taken.append(layout.place_label(line, width, height, taken))
    return Drawing(canvas.boxes, lines, taken[len(canvas.boxes) :]), took


def measured(shown: Drawing, seconds: float) -> tuple[float, ...]:
    """The figures of one drawing, by MEASURES."""
    straight = [(a, b, line[:: max(1, len(line) // 12)]) for a, b, line in shown.lines if len(line) > 1 and a != b]
    crossings = sum(_cross(p, q) for (a, b, p), (c, d, q) in combinations(straight, 2) if not {a, b} & {c, d})
    over = sum(layout._overlap(a, b) > 1 for a, b in combinations(shown.boxes, 2))
    through = sum(
        bool(layout._inside(line, box, -1).any())
        for a, b, line in shown.lines
        for k, box in enumerate(shown.boxes)
        if k not in (a, b)
    )
    hidden = sum(
        any(layout._overlap(label, other) > 2 for other in [*shown.boxes, *shown.labels[:k]])
        for k, label in enumerate(shown.labels)
    )
    edges = np.array([[b.x - b.w / 2, b.y - b.h / 2, b.x + b.w / 2, b.y + b.h / 2] for b in shown.boxes])
    area = float(np.prod(edges[:, 2:].max(axis=0) - edges[:, :2].min(axis=0)))
    return crossings, over, through, hidden, area / 1e6, seconds


def _cross(p: Points, q: Points) -> bool:
    """Whether two polylines cross."""
    a, b = p[:-1, None], p[1:, None]
    c, d = q[None, :-1], q[None, 1:]

    def side(u: Points, v: Points, w: Points) -> Points:
        return np.asarray((v - u)[..., 0] * (w - u)[..., 1] - (v - u)[..., 1] * (w - u)[..., 0])

    return bool(((side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)).any())


def alone(stress: Stress, ours: list[Points]) -> Place:
    """A library's layout of the whole graph, stretched to the extent of ours: the last item of `ours`."""

    def place(sizes: Points, pairs: Pairs, texts: Points) -> Points:
        at = stress(len(sizes), sorted({(min(p), max(p)) for p in pairs if p[0] != p[1]}), 84.0)
        return np.asarray((at - at.min(axis=0)) / np.maximum(np.ptp(at, axis=0), 1e-9) * np.ptp(ours[-1], axis=0))

    return place


def libraries() -> dict[str, Stress]:
    """Layouts by name, each from (n, ties, wished length of a tie)."""

    def tied(n: int, pairs: Pairs) -> nx.Graph[int]:
        graph: nx.Graph[int] = nx.Graph()
        graph.add_nodes_from(range(n))
        graph.add_edges_from(pairs)
        return graph

    def of(found: dict[int, Points], scale: float) -> Points:
        return np.array([found[k] for k in range(len(found))]) * scale

    def wished(n: int, pairs: Pairs, length: float) -> Points:
        """Kamada and Kawai's layout with the distances that ours wishes for, in their scale."""
        wish = layout._distances(n, pairs, length)
        wish[np.isinf(wish)] = 2 * wish[np.isfinite(wish)].max()  # between unconnected parts
        found = nx.kamada_kawai_layout(tied(n, pairs), dist={a: dict(enumerate(row)) for a, row in enumerate(wish)})
        at = of(found, 1.0)
        real = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
        return at * float((wish * real).sum() / (real * real).sum())

    made: dict[str, Stress] = {
        "kamada_kawai, our distances": wished,
        "kamada_kawai": lambda n, p, s: of(nx.kamada_kawai_layout(tied(n, p)), s * np.sqrt(n)),
        "spring": lambda n, p, s: of(nx.spring_layout(tied(n, p), seed=layout.SEED, iterations=300), s * np.sqrt(n)),
        "forceatlas2": lambda n, p, s: of(nx.forceatlas2_layout(tied(n, p), seed=layout.SEED, max_iter=300), s / 2),
    }
    if importlib.util.find_spec("igraph"):
        import igraph

        def drawn(n: int, pairs: Pairs, name: str) -> Points:
            start = [list(xy) for xy in np.random.default_rng(layout.SEED).standard_normal((n, 2))]
            graph = igraph.Graph(n=n, edges=list(pairs))
            return np.array(graph.layout(name, seed=start).coords)

        made["igraph kk"] = lambda n, p, s: drawn(n, p, "kk") * s
        made["igraph fr"] = lambda n, p, s: drawn(n, p, "fr") * s
    return made


def with_room(stress: Stress) -> Place:
    """Our layout with another function in the place of stress majorisation."""

    def place(sizes: Points, pairs: Pairs, texts: Points) -> Points:
        layout._stress, own = lambda n, p, s: np.zeros((1, 2)) if n == 1 else stress(n, p, s), layout._stress
        try:
            return layout.place(sizes, pairs, texts)
        finally:
            layout._stress = own

    return place


def main() -> int:
    """Print the means over all graphs; write pictures if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--pictures", type=Path, help="a folder for pictures of one of the graphs by each layout")
    options = parser.parse_args()
    rows: dict[str, list[tuple[float, ...]]] = {}
    ours: list[Points] = []

    def own(sizes: Points, pairs: Pairs, texts: Points) -> Points:
        ours.append(layout.place(sizes, pairs, texts))
        return ours[-1]

    for number, graph in enumerate(graphs(options.corpora)):
        sys.stdout.write(f"graph {number}: {len(graph)} concepts, {graph.number_of_edges()} associations\n")
        sys.stdout.flush()
        places: dict[str, Place] = {"ours": own}
        for name, stress in libraries().items():
            places |= {f"{name} alone": alone(stress, ours), f"{name} + room": with_room(stress)}
        for name, place in places.items():
            rows.setdefault(name, []).append(measured(*drawing(graph, place)))
            if options.pictures and number in PICTURES:
                drawn_on.place, kept = place, drawn_on.place  # type: ignore[attr-defined]
                draw.draw(graph, options.pictures / f"{number}-{name.replace(' ', '-')}.png", title=name)
                drawn_on.place = kept  # type: ignore[attr-defined]
    sys.stdout.write(
        f"\n| sums over {len(next(iter(rows.values())))} graphs | {' | '.join(MEASURES)} |\n|---|{'---|' * 6}\n"
    )
    for name, found in rows.items():
        totals = np.array(found).sum(axis=0)
        cells = [f"{value:.0f}" for value in totals[:4]] + [f"{value:.2f}" for value in totals[4:]]
        sys.stdout.write(f"| {name} | {' | '.join(cells)} |\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
