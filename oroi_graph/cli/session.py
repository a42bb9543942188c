"""What every command shares: the settings of this call, opened stores and graphs, options, output, progress."""

from __future__ import annotations

import json
import signal
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import click

from oroi_graph.errors import InputError, MemoryNotFoundError

if TYPE_CHECKING:
    from tqdm import tqdm

    from oroi_graph.memory import Graph
    from oroi_graph.options import Progress
    from oroi_graph.settings import Settings
    from oroi_graph.storage.store import Store

INTERRUPTED = 130  # exit code

P = ParamSpec("P")


@dataclass
class Session:
    """One call of `oroi`: the global options that were given, over the environment's settings."""

    given: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def with_setting(self, **more: Any) -> Session:
        """The same call with some settings given by a command's own options."""
        return Session({**self.given, **more})

    @property
    def settings(self) -> Settings:
        """The environment's settings with the options of this call. Raises SettingsError."""
        from oroi_graph.settings import Settings

        return replace(Settings.from_env(), **self.given)

    @contextmanager
    def graph(self) -> Iterator[Graph]:
        """The graph with its providers: for commands that embed or extract."""
        from oroi_graph.connection import connect

        with fetching() as progress:
            opened = connect(settings=self.settings, progress=progress)
        with opened:
            yield opened

    @contextmanager
    def store(self) -> Iterator[Store]:
        """The database alone, without any model: for administration. Raises SchemaError if it is newer than we are."""
        from oroi_graph.connection import open_store
        from oroi_graph.storage import migrations

        with fetching() as progress:
            opened = open_store(self.settings, progress)
        with opened:
            opened.verify()
            migrations.status(opened)
            yield opened

    @contextmanager
    def memory_store(self, name: str) -> Iterator[Store]:
        """The database, once it is known to hold the memory `name`. Raises InputError, MemoryNotFoundError."""
        from oroi_graph.language.normalize import check_memory_name
        from oroi_graph.storage import catalog

        check_memory_name(name)
        with self.store() as opened:
            if catalog.describe(opened, name) is None:
                raise MemoryNotFoundError(name)
            yield opened


def session_command(command: Callable[Concatenate[Session, P], None]) -> Callable[P, None]:
    """Give a command the option --json, which every command has, and this call's session as its first argument."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")(click.pass_obj(command))


class Text(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """Text that can be stored: refuses what is no valid Unicode (bytes that no terminal should send)."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The value as it is."""
        try:
            value.encode()
        except UnicodeEncodeError:
            self.fail("is not valid Unicode", param, ctx)
        return str(value)


class When(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """An ISO date or time; without an offset it is local time."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The moment, always with its offset."""
        if isinstance(value, datetime):
            return value
        try:
            at = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is no ISO time like 2026-03-01T18:30", param, ctx)
        return at if at.tzinfo else at.astimezone()


TEXT, WHEN, PATH = Text(), When(), click.Path(path_type=Path)


def argument_or_stdin(text: str) -> str:
    """`text`, or what standard input holds where it is "-". Raises InputError if that is not UTF-8."""
    if text != "-":
        return text
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"standard input is not UTF-8 text (byte {error.start + 1})") from error


# -- output -----------------------------------------------------------------------------------------------


def emit_json(data: object) -> None:
    """One JSON document on stdout."""
    click.echo(json.dumps(data, ensure_ascii=False, indent=2, default=str))


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
        note(nothing)


def emit(text: str = "") -> None:
    """Lines for people on stdout; remembered text cannot steer the terminal."""
    click.echo(printable(text))


def note(text: str) -> None:
    """A remark on stderr, apart from what the command prints."""
    click.echo(printable(text), err=True)


def confirm(question: str, verb: str, show: Callable[[], None] = lambda: None) -> None:
    """Show and ask on a terminal; refuse where nobody can be asked."""
    if not sys.stdin.isatty():
        raise click.UsageError(f"nobody can be asked here: add --yes to {verb}")
    show()
    click.confirm(question, abort=True, err=True)


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


# -- progress -----------------------------------------------------------------------------------------------


@contextmanager
def fetching() -> Iterator[Progress]:
    """Progress of downloads and server starts: a bar on a terminal, else one line for each piece of work."""
    shown = _Downloads()
    try:
        yield shown
    finally:
        shown.close()


class _Downloads:
    def __init__(self) -> None:
        self._bar: tqdm[Any] | None = None
        self._label = ""

    def __call__(self, done: int, total: int, label: str) -> None:
        if label != self._label:
            self.close()
            self._label = label
            if total and sys.stderr.isatty():
                from tqdm import tqdm

                self._bar = tqdm(total=total, desc=label, unit="B", unit_scale=True, file=sys.stderr)
            else:
                size = f" ({total / 1e6:.0f} MB)" if total else ""
                note(f"{label}{size} …")
        if self._bar is not None:
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


@contextmanager
def counting(unit: str, title: str) -> Iterator[Progress]:
    """A bar of things done, with rate and time left, on a terminal; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda done, total, label: None
        return
    from tqdm import tqdm

    with tqdm(desc=title, unit=f" {unit}", file=sys.stderr, dynamic_ncols=True) as bar:

        def show(done: int, total: int, label: str) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show


# -- interruption ------------------------------------------------------------------------------------------


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """An event that Ctrl-C or SIGTERM sets: the transaction under way is finished. A second one ends at once."""
    stop = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
