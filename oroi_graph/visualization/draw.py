"""A memory as a picture, in the manner of Figure 1 of the source.

Red is activation and grey is inactive; an association is as wide as its weight; a double border is a
consolidated concept; dashed is superseded, barred is negated. The graph is a `networkx.MultiDiGraph` with
node attributes label, kind, activation, strength and edge attributes relation, weight, current, negated.
"""

from __future__ import annotations

import io
import os
import warnings
from pathlib import Path

import matplotlib as mpl
import networkx as nx

from oroi_graph.errors import InputError
from oroi_graph.visualization.canvas import Canvas, Graph, empty, number, readable
from oroi_graph.visualization.graphml import write

SHOWN = 60  # concepts in one picture, unless the caller says otherwise
SHARPEST, LARGEST = 160.0, 6000.0  # dots per inch, and pixels along the longer side


def draw(
    graph: Graph, path: str | os.PathLike[str], title: str | None = None, labels: bool = True, limit: int = SHOWN
) -> Path:
    """Draw the graph into a .png or .svg file, the same picture every time; returns the path.

    labels: write the relations along the associations, or above 70 associations their numbers in a legend below.
    limit: at most so many concepts, chosen by activation, strength and degree; the title then says how many concepts
    and associations were drawn of how many. The time grows faster than the limit.
    SVG text stays text. Characters that no installed font has are drawn as placeholder boxes.
    Not to be called from several threads at once (matplotlib isn't made for it).
    Raises InputError for another suffix, a limit below 1 or a file that can't be written.
    """
    file = Path(path)
    kind = file.suffix.lower().lstrip(".")
    if kind not in ("png", "svg"):
        raise InputError(f"cannot draw {file.name!r}: use a file name that ends in .png or .svg")
    if limit < 1:
        raise InputError(f"limit must be 1 or more, got {limit}")
    shown = _strongest(graph, limit)
    heading = _heading(title, shown, graph)
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "oroi"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = empty(heading) if not len(shown) else Canvas(shown, labels, heading).figure
        dpi = min(SHARPEST, LARGEST / max(figure.get_size_inches()))
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, dpi=dpi, metadata={"Date": None} if kind == "svg" else None)
    write(file, buffer.getvalue())
    return file


def _strongest(graph: Graph, limit: int) -> Graph:
    """The subgraph to show, nodes and edges in an order that does not depend on how it was fetched."""
    names = {node: (str(data.get("label", node)), str(node)) for node, data in graph.nodes(data=True)}
    measures = {
        node: (number(data, "activation"), number(data, "strength"), float(graph.degree(node)))
        for node, data in graph.nodes(data=True)
    }
    # Activation is in pulses, strength in 0..1, degree in tens: each counts by its share of the highest.
    tops = [max(column, default=0.0) or 1.0 for column in zip(*measures.values(), strict=True)]
    worth = {node: sum(m / top for m, top in zip(ms, tops, strict=True)) for node, ms in measures.items()}
    chosen = sorted(graph, key=lambda node: (-worth[node], names[node]))[:limit]
    shown: Graph = nx.MultiDiGraph()
    shown.add_nodes_from((node, graph.nodes[node]) for node in sorted(chosen, key=names.__getitem__))
    inside = graph.subgraph(chosen).edges(data=True)
    order = sorted(inside, key=lambda edge: (names[edge[0]], names[edge[1]], str(edge[2].get("relation", ""))))
    for a, b, data in order:
        shown.add_edge(a, b, **data)
    return shown


def _heading(title: str | None, shown: Graph, graph: Graph) -> str:
    parts = [readable(title, 90)] if title else []
    known = graph.graph.get("concepts", len(graph)), graph.graph.get("associations", graph.number_of_edges())
    if len(shown) < known[0]:
        drawn = f"{shown.number_of_edges()} of {known[1]} associations"
        parts.append(f"the {len(shown)} most present of {known[0]} concepts, {drawn}")
    return " · ".join(parts)
