"""What every command shares: the settings of this call, opened stores and graphs, options, progress."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import click

from oroi_graph.cli.output import remark
from oroi_graph.errors import InputError, MemoryNotFoundError
from oroi_graph.language.normalize import check_memory_name
from oroi_graph.options import Progress
from oroi_graph.settings import Settings
from oroi_graph.storage.arguments import YEARS, check_time

if TYPE_CHECKING:
    from tqdm import tqdm

    from oroi_graph.memory import Graph
    from oroi_graph.storage.store import Store

INTERRUPTED = 130  # exit code
SELDOM = 100_000  # objects that come and stay between two rounds of the collector of cyclic garbage; Python's: 700

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
        return replace(Settings.from_env(), **self.given)

    @contextmanager
    def graph(self) -> Iterator[Graph]:
        """The graph with its providers: for commands that embed or extract."""
        from oroi_graph.connection import connect

        with fetching() as progress:
            opened = connect(settings=self.settings, progress=progress, hurry=True)
        with opened:
            yield opened

    @contextmanager
    def lasting_graph(self) -> Iterator[Graph]:
        """The same for commands that serve until they are stopped."""
        with self.graph() as opened, seldom_collected():
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


class FilePath(click.Path):  # type: ignore[type-arg, unused-ignore]
    """The path of a file or folder: refuses what no system takes for one."""

    def __init__(self, *, dir_okay: bool = True) -> None:
        super().__init__(path_type=Path, dir_okay=dir_okay)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As of click."""
        try:
            usable = b"\0" not in os.fsencode(value)
        except UnicodeEncodeError:
            usable = False
        if not usable:
            self.fail("is no path: it holds what no name of a file may hold", param, ctx)
        return super().convert(value, param, ctx)


class When(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """An ISO date or time; without an offset it is local time."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The moment, always with its offset."""
        if isinstance(value, datetime):
            return value
        try:
            at = datetime.fromisoformat(value)
            return check_time("it", at if at.tzinfo or at.year not in YEARS else at.astimezone())
        except ValueError:
            self.fail(f"{shown(value)} is no ISO time like 2026-03-01T18:30", param, ctx)
        except InputError as error:
            self.fail(str(error), param, ctx)


class Day(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A day as YYYY-MM-DD."""

    name = "day"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        """The day."""
        if isinstance(value, date):
            return value
        try:
            day = date.fromisoformat(value)
        except ValueError:
            self.fail(f"{shown(value)} is no day such as 2026-03-01", param, ctx)
        if day.year not in YEARS:
            self.fail(f"must lie in the years {YEARS[0]} to {YEARS[-1]}", param, ctx)
        return day


def shown(value: object) -> str:
    """What was given, for a message."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


TEXT, WHEN, DAY, PATH = Text(), When(), Day(), FilePath()
COUNT = click.IntRange(1, 1_000_000)  # of things, or tokens


def noon_of(day: date) -> datetime:
    """Noon of a day, local time. Raises InputError for one at the ends of the calendar."""
    try:
        return datetime.combine(day, time(12)).astimezone()
    except (ValueError, OverflowError, OSError) as error:
        raise InputError(f"--today must be a day like 2026-03-01, got {day}") from error


def argument_or_stdin(text: str) -> str:
    """`text`, or what standard input holds where it is "-". Raises InputError if that is not UTF-8."""
    if text != "-":
        return text
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"standard input is not UTF-8 text (byte {error.start + 1})") from error


# -- progress -----------------------------------------------------------------------------------------------


@contextmanager
def fetching() -> Iterator[Progress]:
    """Progress of downloads and server starts: a bar on a terminal, else one line for each piece of work."""
    bar: tqdm[Any] | None = None
    current = ""
    with ExitStack() as shown:

        def show(done: int, total: int, label: str) -> None:
            nonlocal bar, current
            if label != current:
                shown.close()
                bar, current = None, label
                if total and sys.stderr.isatty():
                    from tqdm import tqdm

                    bar = shown.enter_context(tqdm(total=total, desc=label, unit="B", unit_scale=True, file=sys.stderr))
                else:
                    remark(f"{label}{f' ({total / 1e6:.0f} MB)' if total else ''} …")
            if bar is not None:
                bar.update(done - bar.n)

        yield show


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
def seldom_collected() -> Iterator[None]:
    """Let the collector of cyclic garbage pass over what is here by now, and look at the rest seldom.

    Memories that are loaded and leave again are many objects of which hardly any is in a cycle.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(SELDOM, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


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
