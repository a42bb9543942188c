"""Notes of another folder are taken over: nothing that is there is lost, and every step can be reverted."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, time
from pathlib import Path

from oroi_graph.errors import InputError
from oroi_graph.model import Value
from oroi_graph.workspace.files.reading import MOST, lines_of, text_of
from oroi_graph.workspace.files.writing import NoteWriter
from oroi_graph.workspace.layout import Layout, day_of
from oroi_graph.workspace.paths import Place, read_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport(Value):
    """Paths by what came of them. differing: other notes of the same name, which stay as they are."""

    written: tuple[str, ...] = ()
    appended: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()
    skipped: dict[str, str] = field(default_factory=dict)


def import_notes(folder: Path, layout: Layout, writer: NoteWriter, *, replace: bool = False) -> ImportReport:
    """Take over `MEMORY.md` and `memory/**/*.md` of a folder.

    A daily log that exists gets what it lacks appended. Another note that exists stays, unless `replace`. What is no
    UTF-8 is skipped, as its letters would be lost. Raises InputError if there is no such folder.
    """
    told: dict[str, list[str]] = {name: [] for name in ("written", "appended", "same", "differing")}
    skipped: dict[str, str] = {}
    for found in Layout.of(folder).scan(skipped.__setitem__):
        path = found.place.path
        try:
            told[_take(found.place, layout.place(path), writer, replace)].append(path)
        except (InputError, OSError) as error:
            skipped[path] = str(getattr(error, "strerror", None) or error)
    return ImportReport(**{name: tuple(paths) for name, paths in told.items()}, skipped=skipped)


def _take(source: Place, target: Place, writer: NoteWriter, replace: bool) -> str:
    text = _read(source)
    try:
        there = text_of(read_bytes(target, MOST)[0])
    except FileNotFoundError:
        there = ""
    if _holds(there, text):
        return "same"
    day = day_of(target.path)
    if there and day is not None:
        writer.append(text, at=datetime.combine(day, time(12)).astimezone())
        return "appended"
    if there and not replace:
        return "differing"
    writer.write(target.path, text)
    return "written"


def _read(source: Place) -> str:
    content = read_bytes(source, MOST)[0]
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"it is no UTF-8 (byte {error.start}): save it as UTF-8, and import it again") from error
    return text_of(content)


def _holds(there: str, text: str) -> bool:
    """Whether a note holds the lines of another one, whole and in a row: "Rainy day" does not hold "Rain"."""
    lines, wanted = ("\n".join(lines_of(one.strip())) for one in (there, text))
    return not wanted or f"\n{wanted}\n" in f"\n{lines}\n"
