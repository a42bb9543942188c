"""The commands show, cypher and windows: a memory as a picture, any query that only reads, the times of a question."""

from __future__ import annotations

import base64
import json
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oroi_graph.cli.output import emit, emit_json, one_line, remark, table
from oroi_graph.cli.session import COUNT, DAY, PATH, TEXT, Session, argument_or_stdin, session_command

if TYPE_CHECKING:
    from oroi_graph.storage.store import Row
    from oroi_graph.windows import Window, WindowReading

_WIDEST = 80  # characters of one cell


@click.command()
@click.argument("memory", type=TEXT)
@click.argument("concept", type=TEXT, required=False)
@click.option("--output", "-o", type=PATH, metavar="FILE", help="A .png, .svg or .graphml file; without it, text.")
@click.option("--limit", type=COUNT, default=60, show_default=True, help="Concepts in the picture.")
@session_command
def show(session: Session, memory: str, concept: str | None, output: Path | None, limit: int, as_json: bool) -> None:
    """Show what stands out in a memory.

    All of MEMORY by activation, strength and use, or what surrounds one CONCEPT of it.

    In a picture red is activation, width is weight, a double border is a consolidated concept, dashed is superseded.

    \b
    Example:
      oroi show diary --output diary.png
      oroi show diary Leire
    """
    from oroi_graph.visualization.graph import MOST, outstanding

    with session.memory_store(memory) as store:
        # GraphML is for analysis: it has all that is chosen from, a picture only what can be seen.
        row = outstanding(store, memory, concept, limit if output is None else max(limit, MOST))
    said = "" if output is None else _write(memory, row, output, " · ".join(filter(None, [memory, concept])), limit)
    if as_json:
        emit_json({"concepts": row["nodes"], "associations": row["edges"]} | ({"file": str(output)} if output else {}))
    else:
        emit(said or _as_text(row))


def _write(memory: str, row: Row, output: Path, title: str, limit: int) -> str:
    """Write a file; what it holds."""
    from oroi_graph.errors import InputError
    from oroi_graph.interfaces.extras import require

    if output.suffix.lower() not in (".png", ".svg", ".graphml"):
        raise InputError(f"cannot write {output.name!r}: use a file name that ends in .png, .svg or .graphml")
    require("pictures")
    from oroi_graph.visualization.graph import portrait

    graph = portrait(memory, row)
    if output.suffix.lower() == ".graphml":
        from oroi_graph.visualization.graphml import write_graphml

        write_graphml(graph, output)
    else:
        from oroi_graph.visualization.draw import draw

        draw(graph, output, title=title, limit=limit)
    return f"{output}: {len(graph)} concepts, {graph.number_of_edges()} associations"


def _as_text(row: Row) -> str:
    if not row["nodes"]:
        return "the memory has no concepts yet"
    nodes = sorted(row["nodes"], key=lambda n: (-n["activation"], -n["strength"], n["label"]))
    concepts = table(
        ["concept", "kind", "activation", "strength", "mentions"],
        [[d["label"], d["kind"], f"{d['activation']:.2f}", f"{d['strength']:.2f}", str(d["mentions"])] for d in nodes],
    )
    labels = {node["id"]: node["label"] for node in nodes}
    edges = [(labels[edge["source"]], labels[edge["target"]], edge) for edge in row["edges"]]
    edges.sort(key=lambda edge: (-edge[2]["weight"], edge[0], edge[2]["relation"], edge[1]))
    associations = table(["weight", "association", ""], [_association(*edge) for edge in edges])
    return f"{concepts}\n\n{associations}" if edges else concepts


def _association(source: str, target: str, data: dict[str, Any]) -> list[str]:
    said = f"{source} –{'not ' if data['negated'] else ''}{data['relation']}→ {target}"
    state = " ".join(filter(None, [data["when"], "" if data["current"] else "superseded"]))
    return [f"{data['weight']:.2f}", said, state]


@click.command()
@click.argument("query", type=TEXT)
@click.option(
    "--param", "parameters", type=TEXT, multiple=True, metavar="NAME=VALUE", help="A $NAME of the query: JSON or text."
)
@click.option("--limit", type=COUNT, default=10_000, show_default=True, metavar="ROWS", help="Print at most so many.")
@click.option(
    "--timeout",
    type=click.IntRange(1, 86_400),
    default=60,
    show_default=True,
    metavar="SECONDS",
    help="End the query then.",
)
@session_command
def cypher(session: Session, query: str, parameters: tuple[str, ...], limit: int, timeout: int, as_json: bool) -> None:
    """Run a reading Cypher query.

    For administrators. QUERY "-" is read from standard input.

    One database holds all memories, and a query sees all of them. It runs with read access: a query that writes
    is refused.

    \b
    Example:
      oroi cypher 'MATCH (c:Concept {memory: $m}) RETURN c.label, c.activation LIMIT 5' --param m=diary
    """
    values = dict(_parameter(text) for text in parameters)
    text = argument_or_stdin(query)
    with session.store() as store:
        columns, rows = store.explore(text, (float(timeout), limit + 1), **values)
    more = len(rows) > limit
    rows = rows[:limit]
    plain = [[_plain(value) for value in row] for row in rows]
    if as_json:
        emit_json({"columns": columns, "rows": plain})
    elif columns:
        emit(table(columns, [[_cell(value) for value in row] for row in plain]))
        emit(f"({len(rows)} row{'' if len(rows) == 1 else 's'})")
    if more:
        sys.stdout.flush()  # whoever does not read to the end is told nothing more
        remark(f"there are more rows than {limit:,}: --limit prints more")


def _parameter(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise click.UsageError(f"--param {text!r} is not NAME=VALUE")
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value


def _plain(value: object) -> Any:
    """A database value as JSON knows it; a node says its labels, a relationship its type."""
    from neo4j.graph import Node, Path, Relationship

    if isinstance(value, Node):
        return {"labels": sorted(value.labels), **{key: _plain(item) for key, item in value.items()}}
    if isinstance(value, Relationship):
        return {"type": value.type, **{key: _plain(item) for key, item in value.items()}}
    if isinstance(value, Path):
        return {"nodes": [_plain(n) for n in value.nodes], "relationships": [_plain(r) for r in value.relationships]}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value.iso_format() if hasattr(value, "iso_format") else str(value)


def _cell(value: object) -> str:
    """A value on one line; long lists of numbers (vectors) are only counted."""
    if isinstance(value, dict):
        shown = "{" + ", ".join(f"{key}: {_cell(item)}" for key, item in value.items()) + "}"
    elif isinstance(value, list):
        numbers = len(value) > 8 and all(isinstance(item, int | float) for item in value)
        shown = f"[{len(value)} numbers]" if numbers else "[" + ", ".join(_cell(item) for item in value) + "]"
    else:
        shown = "" if value is None else str(value)
    return one_line(shown, _WIDEST)


@click.command()
@click.argument("question", type=TEXT)
@click.option("--today", type=DAY, help="The local day of asking (YYYY-MM-DD); today by default.")
@click.option("--language", type=click.Choice(["en", "es", "pt"]), help="Of the question; found out by default.")
@click.option(
    "--hemisphere", type=click.Choice(["north", "south"]), default="north", show_default=True, help="Of the seasons."
)
@click.option("--reader", metavar="NAME", help="offline or openai; OROI_WINDOWS by default.")
@session_command
def windows(
    session: Session,
    question: str,
    today: date | None,
    language: str | None,
    hemisphere: str,
    reader: str | None,
    as_json: bool,
) -> None:
    """Show which days a question speaks of, and by which rule each was read.

    A line for each expression of time: its days, what they date (said: the conversation; event: something else), the
    rule.     No database is needed.

    \b
    Example:
      oroi windows "What did we say about the roof last Sunday?" --today 2026-03-18
    """
    from oroi_graph.connection import open_redactor, open_windows
    from oroi_graph.redaction import Redaction
    from oroi_graph.windows import check_possible

    session = session.with_setting(windows=reader) if reader is not None else session
    south = hemisphere == "south"
    reading = check_possible(
        open_windows(session.settings)(
            Redaction(open_redactor(session.settings)).text(argument_or_stdin(question)),
            today or date.today(),
            language=language,
            hemisphere="south" if south else "north",
        )
    )
    if as_json:
        emit_json(_reading_as_json(reading))
        return
    rows = [[e.text, _days(e.windows), e.refers, e.reason] for e in reading.expressions]
    emit(table(["words", "days", "of", "rule"], rows) if rows else "no time is named")


def _reading_as_json(reading: WindowReading) -> dict[str, object]:
    return {
        "windows": [window.to_json() for window in reading.windows],
        "refers": reading.refers,
        "theme": reading.theme,
        "timeless_theme": reading.timeless_theme,
        "expressions": [
            {"text": e.text, "begin": e.begin, "end": e.end, "refers": e.refers, "reason": e.reason,
             "windows": [window.to_json() for window in e.windows]}
            for e in reading.expressions
        ],
    }  # fmt: skip


def _days(found: tuple[Window, ...]) -> str:
    return ", ".join(str(w.start) if w.start == w.end else f"{w.start} to {w.end}" for w in found)
