"""What commands print: results as JSON or for people, tables, remarks, questions."""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import click


def emit_json(data: object) -> None:
    """One JSON document on stdout."""
    click.echo(json.dumps(data, ensure_ascii=False, indent=2, default=str))


def is_stdout(path: Path) -> bool:
    """Whether a file that was named is this process's standard output (/dev/stdout)."""
    try:
        return os.path.samestat(path.stat(), os.fstat(1))
    except OSError:
        return False


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Standard output for a file's content, in UTF-8 wherever it leads."""
    with open(1, "w", encoding="utf-8", newline="\n", closefd=False) as file:
        yield file


def emit_either(as_json: bool, data: object, text: str) -> None:
    """The result of a command: `data` for programs, or `text` for people."""
    if as_json:
        emit_json(data)
    else:
        emit(text)


def emit_rows(
    as_json: bool, data: Sequence[object], columns: Sequence[str], rows: Sequence[Sequence[str]], nothing: str
) -> None:
    """The result of a command that lists: `data` for programs, or a table; `nothing` remarks that it is empty."""
    if as_json or rows:
        emit_either(as_json, data, table(columns, rows))
    else:
        remark(nothing)


def emit(text: str = "") -> None:
    """Lines for people on stdout; remembered text cannot steer the terminal."""
    click.echo(printable(text))


def remark(text: str) -> None:
    """A remark on stderr, apart from what the command prints."""
    click.echo(printable(text), err=True)


class DeclinedError(click.ClickException):
    """A person answered no: nothing happened, as asked."""

    exit_code = 1

    def __init__(self) -> None:
        super().__init__("nothing was changed")


def confirm(question: str, verb: str, show: Callable[[], None] = lambda: None) -> None:
    """Show and ask on a terminal; refuse where nobody can be asked."""
    if not sys.stdin.isatty():
        raise click.UsageError(f"nobody can be asked here: add --yes to {verb}")
    show()
    if not click.confirm(question, err=True):
        raise DeclinedError


def printable(text: str) -> str:
    """`text` without control and invisible characters that a terminal would obey (newlines and tabs stay)."""
    return "".join(
        char if char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs"} else "\ufffd" for char in text
    )


def one_line(text: str, longest: int) -> str:
    """`text` on one line, cut with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def pairs(values: Mapping[str, object]) -> str:
    """One "name  value" a line, aligned."""
    width = max((len(name) for name in values), default=0)
    return "\n".join(f"{name:<{width}}  {'-' if value is None else value}" for name, value in values.items())


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows under their columns, aligned by what a terminal shows (wide characters take two places)."""
    cells = [list(columns), *(["" if cell is None else printable(cell) for cell in row] for row in rows)]
    widths = [max(_width(row[i]) for row in cells) for i in range(len(columns))]
    cells.insert(1, ["-" * width for width in widths])
    padded = ([cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)] for row in cells)
    return "\n".join("  ".join(row).rstrip() for row in padded)


def _width(text: str) -> int:
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
