"""Draw docs/architecture.svg: how data flows through the rooms, and the import order, read from the package itself.

python docs/architecture_drawing.py
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

PAGE = Path(__file__).parent / "architecture.svg"
PACKAGE = Path(__file__).parents[1] / "oroi_graph"
VALUES, FACADE = "values", "façade"
# Modules of the top folder, drawn as two rooms; options name a redactor, so its room is drawn with them.
TOP = {
    **dict.fromkeys(("model", "options", "errors", "settings", "redaction"), VALUES),
    **dict.fromkeys(("connection", "diagnosis", "memory", "ogm", "worker"), FACADE),
}
# What calls a room, the room, its verb, and what it does with the graph.
FLOW = (
    ("a turn", "perception", "perceive", "extract, resolve entities, write", "reads, writes"),
    ("and its reply", "activation", "spread", "pulse, spread, decay, learn", "reads, writes"),
    ("a question", "recall", "recall", "cues, graph search, rank, select", "only reads"),
    ("a schedule", "consolidation", "consolidate", "merge, promote, prune, summarize", "reads, writes"),
    ("a request", "forgetting", "forget", "plan, delete, prove", "reads, deletes"),
)
INK, GREY, ACCENT, PAPER, GRAPH = "#22303c", "#6b7b88", "#d1495b", "#eef3f7", "#e3efe0"
WIDTH, TITLE, STEP, ROW = 1120, 34, 104, 46
ROOM_AT, ROOM_WIDTH, GRAPH_AT, ORDER_AT = 132, 262, 492, 630  # x of the columns
_ENDS = {"only reads": "start", "reads, writes": "start end", "reads, deletes": "start end"}


def imports() -> dict[str, set[str]]:
    """Each room and the rooms that its modules import."""
    found: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        room = _room(path.relative_to(PACKAGE).with_suffix("").parts[0])
        if room:
            used = {_room(name) for name in _ours(ast.parse(path.read_text(encoding="utf-8")))}
            found.setdefault(room, set()).update(used - {room, ""})
    return found


def rows(uses: Mapping[str, set[str]]) -> list[list[str]]:
    """The rooms by height: a room stands one row above the highest room that it imports."""
    heights: dict[str, int] = {}

    def height(room: str) -> int:
        if room not in heights:
            heights[room] = 1 + max((height(other) for other in uses[room]), default=-1)
        return heights[room]

    highest = max(height(room) for room in uses)
    return [sorted(room for room in uses if heights[room] == h) for h in range(highest, -1, -1)]


def nearest(uses: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The rooms that each room imports, without those that it also reaches through another one."""
    beyond = {room: set().union(*(_reached(uses, other) for other in used)) for room, used in uses.items()}
    return {room: used - beyond[room] for room, used in uses.items()}


def drawing() -> str:
    """The drawing as SVG."""
    uses = imports()
    layers = rows(uses)
    height = TITLE + max(len(layers) * ROW, len(FLOW) * STEP) + 24
    body = "\n".join([*_flow(height), *_order(layers, nearest(uses))])
    tips = "".join(
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="{size}" markerHeight="{size}" '
        f'orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="{colour}"/></marker>'
        for name, colour, size in (("thin", GREY, 7), ("thick", ACCENT, 4))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="13">\n<defs>{tips}</defs>\n'
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>\n{body}\n</svg>\n'
    )


def _reached(uses: Mapping[str, set[str]], room: str) -> set[str]:
    """What a room imports, directly or through others."""
    return uses[room].union(*(_reached(uses, other) for other in uses[room]))


def _room(name: str) -> str:
    """The room of a module or folder right below the package; "" for the package itself."""
    if name not in TOP and (PACKAGE / name).is_dir():
        return name
    return TOP.get(name, "")


def _ours(tree: ast.AST) -> Iterator[str]:
    """The first part of each module of the package that a tree imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "oroi_graph":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("oroi_graph."):
            yield (node.module or "").split(".")[1]


def _flow(height: int) -> Iterator[str]:
    yield _text(20, 20, "Data flow", INK, "bold")
    yield _box(GRAPH_AT, TITLE, 100, height - TITLE - 24, GRAPH)
    yield _text(GRAPH_AT + 50, height / 2 - 34, "Neo4j", INK, "bold", "middle")
    for i, line in enumerate(("concepts", "associations", "episodes")):
        yield _text(GRAPH_AT + 50, height / 2 - 10 + 18 * i, line, INK, anchor="middle")
    for i, (caller, room, verb, does, how) in enumerate(FLOW):
        y = TITLE + i * STEP
        yield _box(ROOM_AT, y, ROOM_WIDTH, 62, PAPER)
        yield _text(ROOM_AT + 12, y + 25, verb, ACCENT, "bold")
        yield _text(ROOM_AT + ROOM_WIDTH - 12, y + 25, f"{room}/", GREY, anchor="end")
        yield _text(ROOM_AT + 12, y + 47, does, INK)
        yield _text(20, y + 25, caller, INK)
        yield _line(20, y + 36, ROOM_AT - 4, y + 36)
        right = ROOM_AT + ROOM_WIDTH
        yield _line(right + 2, y + 36, GRAPH_AT - 2, y + 36, ends=_ENDS[how])
        yield _text((right + GRAPH_AT) / 2, y + 26, how, GREY, anchor="middle", size=11)
        if verb == "recall":
            yield _line(20, y + 54, ROOM_AT - 4, y + 54, ends="start")
            yield _text(20, y + 71, "the brief", INK)
        if i + 1 < len(FLOW) - 1:
            middle = ROOM_AT + ROOM_WIDTH / 2
            yield _line(middle, y + 64, middle, y + STEP - 3, tip="thick")


def _order(layers: list[list[str]], uses: Mapping[str, set[str]]) -> Iterator[str]:
    left, whole = ORDER_AT, WIDTH - ORDER_AT - 20
    yield _text(left, 20, "Import order: a room imports only from rows below it", INK, "bold")
    for i, layer in enumerate(layers):
        y, width = TITLE + i * ROW, whole / len(layer)
        for j, room in enumerate(layer):
            x = left + j * width
            yield _box(x, y, width - 6, ROW - 8, PAPER)
            yield _text(x + 10, y + 16, room, INK, "bold")
            if uses[room]:
                yield _text(x + 10, y + 31, f"on {', '.join(sorted(uses[room]))}", GREY, size=11)


def _box(x: float, y: float, width: float, height: float, fill: str) -> str:
    return (
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" rx="6" fill="{fill}" '
        f'stroke="{GREY}" stroke-width="0.8"/>'
    )


def _text(
    x: float, y: float, text: str, fill: str, weight: str = "normal", anchor: str = "start", *, size: int = 13
) -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" fill="{fill}" font-weight="{weight}" text-anchor="{anchor}" '
        f'font-size="{size}">{escape(text)}</text>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, *, ends: str = "end", tip: str = "thin") -> str:
    stroke, width = (GREY, 1.4) if tip == "thin" else (ACCENT, 2.5)
    markers = "".join(f' marker-{end}="url(#{tip})"' for end in ends.split())
    return (
        f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="{stroke}" '
        f'stroke-width="{width}"{markers}/>'
    )


if __name__ == "__main__":
    PAGE.write_text(drawing(), encoding="utf-8")
