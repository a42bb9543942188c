"""The drawing of one picture: boxes, lines, labels, title and legend on a matplotlib figure.

One unit of every coordinate is a point (1/72 inch), so that text, boxes and lines share one measure.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import networkx as nx
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Polygon
from matplotlib.text import Text
from numpy.typing import ArrayLike

from oroi_graph.visualization.layout import Box, Points, bend, clip_to_boxes, direction, place, place_label

Graph: TypeAlias = "nx.MultiDiGraph[Any]"

CONSOLIDATED = 0.5  # strength from which a concept gets its double border
LABELLED = 70  # with more associations than this, relations are numbered: their words would hide each other
LISTED = 15  # points from one line of the legend of relations to the next
COLUMN = 210.0  # its columns
MARGIN, HEADER, FOOTER = 26.0, 34.0, 40.0
NARROWEST = 640.0  # the width of the legend

INK, QUIET, PAPER = "#1f2933", "#6b7480", "#ffffff"
ASLEEP, ASLEEP_RIM, LINE, GONE = "#e6e9ed", "#a3acb8", "#98a2ae", "#c3c9d1"
REDS = LinearSegmentedColormap.from_list("activation", ["#fde0dc", "#f28a80", "#dc3038", "#a80f24"])
WARM = LinearSegmentedColormap.from_list("between active", ["#e3bdb9", "#c23a42"])


def readable(text: object, longest: int) -> str:
    """One line without control characters, cut with an ellipsis."""
    kept = (
        " " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c
        for c in str(text)
        if unicodedata.category(c) not in ("Cs", "Cn") and (unicodedata.category(c) != "Cf" or c in "\u200c\u200d")
    )
    line = " ".join("".join(kept).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _wrapped(line: str, width: int = 17) -> str:
    """Two lines where one would be long, broken at the space nearest to the middle."""
    if len(line) <= width:
        return line
    breaks = [place for place, c in enumerate(line) if c == " "]
    if not breaks:
        return line
    middle = min(breaks, key=lambda place: abs(place - len(line) / 2))
    return f"{line[:middle]}\n{line[middle + 1 :]}"


def number(data: dict[str, Any], key: str) -> float:
    """A numeric attribute of a node or an edge; 0 if it has none."""
    return float(data.get(key) or 0.0)


@cache
def _fallbacks() -> tuple[tuple[str, frozenset[int]], ...]:
    """Installed upright fonts and the characters they have, in the order of their names."""
    fonts = {
        font.name: font.fname
        for font in font_manager.fontManager.ttflist
        if font.style == "normal" and font.weight in (400, "normal", "regular") and "Last Resort" not in font.name
    }
    return tuple(
        (name, frozenset(font_manager.get_font(fonts[name]).get_charmap()))
        for name in sorted(fonts, key=lambda name: (name != "DejaVu Sans", not name.startswith("Noto"), name))
    )


def _families(text: str) -> list[str]:
    """DejaVu Sans, which comes with matplotlib, and what is installed for the characters it lacks."""
    missing = {ord(c) for c in text}
    families = ["DejaVu Sans"]
    for name, characters in _fallbacks():
        if missing & characters:
            families += [name] if name not in families else []
            missing -= characters
    return families


def _blank(width: float, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width / 72, height / 72), dpi=72, facecolor=PAPER)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    axes.set_axis_off()
    return figure, axes


def empty(heading: str) -> Figure:
    """The picture of a memory without concepts."""
    figure, axes = _blank(NARROWEST, 240)
    family = _families(heading)
    axes.text(
        MARGIN, 240 - MARGIN, heading, fontsize=13, weight="bold", color=INK, va="top", family=family, parse_math=False
    )
    axes.text(NARROWEST / 2, 115, "This memory is empty.", fontsize=15, color=QUIET, ha="center", va="center")
    return figure


@dataclass(frozen=True, slots=True)
class _Look:
    """How one concept is drawn."""

    text: str
    fill: str
    rim: str
    ink: str
    double: bool
    bold: bool
    rounded: bool
    glow: float  # 0..1, how red


def _look(data: dict[str, Any], node: object, top: float) -> _Look:
    activation = number(data, "activation")
    # A power below 1 keeps what received little visible: it is what a person looks for in the picture.
    glow = (activation / top) ** 0.6 if activation > 0 else 0.0
    return _Look(
        text=_wrapped(readable(data.get("label", node), 40)) or "?",
        fill=to_hex(REDS(glow)) if glow else ASLEEP,
        rim=to_hex(REDS(min(1.0, 0.45 + glow / 2))) if glow else ASLEEP_RIM,
        ink=PAPER if glow > 0.55 else INK,
        double=number(data, "strength") >= CONSOLIDATED,
        bold=data.get("kind") == "self",
        rounded=data.get("kind") != "value",
        glow=glow,
    )


def _numbered(relations: list[str]) -> dict[str, str]:
    """A number for each relation, the most frequent first."""
    counts = Counter(text for text in relations if text)
    ordered = sorted(counts, key=lambda text: (-counts[text], text))
    return {text: str(number) for number, text in enumerate(ordered, 1)}


class Canvas:
    """One picture being drawn."""

    def __init__(self, graph: Graph, labels: bool, heading: str) -> None:
        self.graph = graph
        self.nodes = list(graph)
        top = max(1.0, *(number(data, "activation") for _, data in graph.nodes(data=True)))
        self.looks = [_look(data, node, top) for node, data in graph.nodes(data=True)]
        self.labels = labels
        relations = [str(data.get("relation", "")) for _, _, data in graph.edges(data=True)]
        self.family = _families("".join([heading, *relations, *(look.text for look in self.looks)]))
        self.figure, self.axes = _blank(NARROWEST, 100)
        sizes = [self._box(look) for look in self.looks]
        index = {node: place for place, node in enumerate(self.nodes)}
        pairs = [(index[a], index[b]) for a, b in graph.edges()]
        self.relations = [self._said(data) for _, _, data in graph.edges(data=True)]
        self.listed = _numbered(self.relations) if graph.number_of_edges() > LABELLED else {}
        self.relations = [self.listed.get(text, text) for text in self.relations]
        texts = [self._measure(text, 7.5) if text else (0.0, 0.0) for text in self.relations]
        at = place(np.array(sizes), pairs, np.array(texts).reshape(-1, 2))
        self._frame(at, np.array(sizes), heading)
        self.boxes = [Box(x, y, w, h) for (x, y), (w, h) in zip(self.at, sizes, strict=True)]
        self._edges(pairs)
        for box, look in zip(self.boxes, self.looks, strict=True):
            self._node(box, look)

    def _measure(self, text: str, size: float, bold: bool = False) -> tuple[float, float]:
        drawn = self._text(0, 0, text, size, INK, bold=bold, ha="left", va="baseline")
        extent = drawn.get_window_extent()
        drawn.remove()
        return extent.width, extent.height

    def _box(self, look: _Look) -> tuple[float, float]:
        width, height = self._measure(look.text, 10, look.bold)
        grow = 6.0 if look.double else 0.0
        return max(width + 20, 34) + grow, max(height + 12, 24) + grow

    def _frame(self, at: Points, sizes: Points, heading: str) -> None:
        """Size the figure to what was placed; write title and legend around it."""
        low, high = (at - sizes / 2).min(axis=0), (at + sizes / 2).max(axis=0)
        inner = high - low
        width = max(inner[0] + 2 * MARGIN, NARROWEST, self._measure(heading or " ", 13, True)[0] + 2 * MARGIN)
        header = HEADER if heading else 0.0
        columns = max(1, int((width - 2 * MARGIN) // COLUMN))
        rows = -(-len(self.listed) // columns)
        footer = FOOTER + rows * LISTED
        height = inner[1] + 2 * MARGIN + header + footer
        self.at = at - low + np.array([(width - inner[0]) / 2, MARGIN + footer])
        self.figure.set_size_inches(width / 72, height / 72)
        self.axes.set_xlim(0, width)
        self.axes.set_ylim(0, height)
        if heading:
            self._text(MARGIN, height - MARGIN + 4, heading, 13, INK, bold=True, ha="left", va="top")
        self._legend()
        for spot, (said, listed) in enumerate(self.listed.items()):
            x, y = MARGIN + spot // rows * COLUMN, FOOTER + (rows - spot % rows - 0.5) * LISTED
            self._text(x, y, f"{listed}  {said}", 8, QUIET, ha="left")

    def _text(self, x: float, y: float, text: str, size: float, color: str, *, bold: bool = False, **more: Any) -> Text:
        weight = "bold" if bold else "normal"
        options = {"ha": "center", "va": "center", "zorder": 5, "family": self.family, "weight": weight, **more}
        return self.axes.text(x, y, text, fontsize=size, color=color, parse_math=False, **options)

    def _node(self, box: Box, look: _Look) -> None:
        inner = box
        if look.double:
            self._pill(box, PAPER, look.rim, look.rounded)
            inner = Box(box.x, box.y, box.w - 6, box.h - 6)
        self._pill(inner, look.fill, look.rim, look.rounded)
        self._text(box.x, box.y, look.text, 10, look.ink, bold=look.bold, linespacing=1.05)

    def _pill(self, box: Box, fill: str, rim: str, rounded: bool, zorder: float = 4) -> None:
        radius = min(box.h / 2, 14.0) if rounded else 2.5
        style = f"round,pad=0,rounding_size={radius}"
        corner = (box.x - box.w / 2, box.y - box.h / 2)
        self.axes.add_patch(
            FancyBboxPatch(corner, box.w, box.h, boxstyle=style, fc=fill, ec=rim, lw=1.1, zorder=zorder)
        )

    def _edges(self, pairs: list[tuple[int, int]]) -> None:
        data = [attributes for _, _, attributes in self.graph.edges(data=True)]
        heaviest = max([3.0, *(number(attributes, "weight") for attributes in data)])
        taken: list[Box] = list(self.boxes)
        lines = []
        curves = bend(self.boxes, pairs)
        for (a, b), curve, attributes, text in zip(pairs, curves, data, self.relations, strict=True):
            line = clip_to_boxes(curve, self.boxes[a], self.boxes[b], gap=2.5)
            if len(line) < 2:
                continue
            width = 0.8 + 3.4 * number(attributes, "weight") / heaviest
            current = bool(attributes.get("current", True))
            warm = min(self.looks[a].glow, self.looks[b].glow)
            color = to_hex(WARM(warm)) if warm else LINE
            self._arrow(line, width, color if current else GONE, current)
            if attributes.get("negated"):
                self._bar(line, current)
            if text:
                lines.append((line, text, current))
        for line, text, current in lines:
            self._relation(line, text, current, taken)

    def _said(self, data: dict[str, Any]) -> str:
        relation = readable(data.get("relation", ""), 26) if self.labels else ""
        return f"not {relation}" if relation and data.get("negated") else relation

    def _arrow(self, line: Points, width: float, color: str, current: bool) -> None:
        end = line[-1]
        length = 5.0 + 1.6 * width
        distances = np.hypot(*(line - end).T)
        behind = line[np.nonzero(distances >= length * 0.8)[0][-1]] if (distances >= length * 0.8).any() else line[0]
        along, across, _ = direction(end - behind)
        across = across * (2.0 + 0.9 * width)
        shaft = np.vstack([line[distances >= length * 0.8], end - along * length * 0.8])
        style: Any = "-" if current else (0, (4, 3))
        self._stroke(shaft[:, 0], shaft[:, 1], width, color, style, zorder=1)
        tip = np.array([end, end - along * length + across, end - along * length - across])
        self.axes.add_patch(Polygon(tip, closed=True, fc=color, ec="none", zorder=2))

    def _bar(self, line: Points, current: bool) -> None:
        """Two strokes across the middle of what is negated."""
        k = max(1, min(len(line) - 2, round(len(line) * 0.22)))
        along, across, _ = direction(line[k + 1 if k + 1 < len(line) else k] - line[k - 1])
        across = across * 6.0
        for offset in (-2.0, 2.0):
            ends = np.array([line[k] + along * offset - across, line[k] + along * offset + across])
            self.axes.add_line(Line2D(ends[:, 0], ends[:, 1], lw=1.4, color=INK if current else QUIET, zorder=2.5))

    def _relation(self, line: Points, text: str, current: bool, taken: list[Box]) -> None:
        width, height = self._measure(text, 7.5)
        box = place_label(line, width + 4, height + 1, taken)
        taken.append(box)
        plate = {"facecolor": PAPER, "edgecolor": "none", "alpha": 0.88, "pad": 0.8}
        self._text(box.x, box.y, text, 7.5, QUIET if current else "#9aa3ad", zorder=3, bbox=plate)

    def _legend(self) -> None:
        y, x = FOOTER / 2 + 2, MARGIN
        for step in range(12):
            left = x + step * 4
            patch = [(left, y - 5), (left + 4.2, y - 5), (left + 4.2, y + 5), (left, y + 5)]
            self.axes.add_patch(Polygon(patch, closed=True, fc=to_hex(REDS((step + 0.5) / 12)), ec="none"))
        x = self._caption(x + 54, y, "activation")
        self._pill(Box(x + 12, y, 24, 12), ASLEEP, ASLEEP_RIM, True)
        x = self._caption(x + 30, y, "inactive")
        self._pill(Box(x + 13, y, 26, 15), PAPER, ASLEEP_RIM, True)
        self._pill(Box(x + 13, y, 20, 9), ASLEEP, ASLEEP_RIM, True)
        x = self._caption(x + 32, y, "consolidated")
        for step, thick in enumerate((0.9, 2.2, 4.0)):
            self._stroke([x + step * 11, x + step * 11 + 10], [y, y], thick, LINE)
        x = self._caption(x + 39, y, "weight")
        self._stroke([x, x + 26], [y, y], 1.4, GONE, (0, (4, 3)))
        x = self._caption(x + 32, y, "superseded")
        self._stroke([x, x + 26], [y, y], 1.4, LINE)
        self._bar(np.column_stack([np.linspace(x - 20, x + 46, 13), np.full(13, y)])[2:], True)
        self._caption(x + 32, y, "negated")

    def _stroke(
        self, x: ArrayLike, y: ArrayLike, width: float, color: str, style: Any = "-", zorder: float = 2
    ) -> None:
        self.axes.add_line(Line2D(x, y, lw=width, color=color, ls=style, solid_capstyle="butt", zorder=zorder))

    def _caption(self, x: float, y: float, text: str) -> float:
        self._text(x, y, text, 8, QUIET, ha="left")
        return x + self._measure(text, 8)[0] + 18
