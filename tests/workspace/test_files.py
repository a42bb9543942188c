"""Notes as files: what a session begins with, appends that lose nothing, a history that can be reverted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from conftest_workspace import read_only
from tables import table

from oroi_graph.errors import InputError
from oroi_graph.workspace.files.importing import import_notes
from oroi_graph.workspace.files.journal import digest
from oroi_graph.workspace.files.reading import SessionKind, bootstrap, get
from oroi_graph.workspace.files.writing import NoteWriter
from oroi_graph.workspace.layout import Layout, day_of, is_evergreen

TODAY = date(2026, 2, 10)
NOON = datetime(2026, 2, 10, 12, tzinfo=UTC)


@table(
    "main, private, paths",
    [
        (True, True, ["MEMORY.md", "memory/2026-02-09.md", "memory/2026-02-10.md"]),
        (True, False, ["memory/2026-02-09.md", "memory/2026-02-10.md"]),
        (False, True, ["memory/2026-02-09.md", "memory/2026-02-10.md"]),
        (False, False, ["memory/2026-02-09.md", "memory/2026-02-10.md"]),
    ],
)
def test_a_session_begins_with_two_days_and_only_private_main_ones_with_curated_memory(
    main: bool, private: bool, paths: list[str], tmp_path: Path
) -> None:
    layout = Layout.of(tmp_path)
    (tmp_path / "memory").mkdir(exist_ok=True)
    for path in ("MEMORY.md", "memory/2026-02-08.md", "memory/2026-02-09.md", "memory/2026-02-10.md", "memory/x.md"):
        (tmp_path / path).write_text(f"of {path}\n")
    found = bootstrap(layout, SessionKind(main=main, private=private), TODAY)
    assert [one.path for one in found] == paths
    assert found[-1].text == "of memory/2026-02-10.md"


def test_a_session_begins_without_files_that_do_not_exist(tmp_path: Path) -> None:
    assert bootstrap(Layout.of(tmp_path), SessionKind(), TODAY) == []


def test_an_append_goes_to_the_day_and_says_its_lines(layout: Layout) -> None:
    writer = NoteWriter(layout, clock=lambda: NOON)
    assert (writer.append("First.\nSecond.").start, writer.append("Third.").end) == (1, 3)
    assert (layout.root / "memory/2026-02-10.md").read_text() == "First.\nSecond.\nThird.\n"


def test_an_append_respects_a_last_line_without_an_end(layout: Layout) -> None:
    path = layout.root / "memory/2026-02-10.md"
    path.write_text("No end")
    written = NoteWriter(layout, clock=lambda: NOON).append("Next.")
    assert (written.start, written.end, path.read_text()) == (2, 2, "No end\nNext.\n")


def test_the_day_is_that_of_the_moment_a_writers_turn_comes(layout: Layout) -> None:
    """Appends around midnight: the clock is asked under the lock."""
    moments = iter([NOON + timedelta(hours=11, minutes=59), NOON + timedelta(hours=12, minutes=1)])
    writer = NoteWriter(layout, clock=lambda: next(moments))
    assert [writer.append("Late.").path, writer.append("Early.").path] == [
        "memory/2026-02-10.md",
        "memory/2026-02-11.md",
    ]


def test_threads_that_append_at_once_lose_nothing(layout: Layout) -> None:
    def append(number: int) -> None:
        NoteWriter(layout, clock=lambda: NOON).append(f"entry {number}\nits second line {number}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(append, range(100)))
    lines = (layout.root / "memory/2026-02-10.md").read_text().splitlines()
    assert len(lines) == 200
    pairs = {(lines[i].split()[-1], lines[i + 1].split()[-1]) for i in range(0, 200, 2)}
    assert pairs == {(str(n), str(n)) for n in range(100)}


APPENDER = """
import sys
from pathlib import Path
from oroi_graph.workspace.files.writing import NoteWriter
from oroi_graph.workspace.layout import Layout
writer = NoteWriter(Layout.of(Path(sys.argv[1])))
for number in range(1_000_000):
    writer.append(f"{sys.argv[2]} {number} " + "x" * 200)
    print(number, flush=True)
"""


def test_killed_appenders_lose_nothing_that_they_were_told_is_written(layout: Layout) -> None:
    for round_ in range(3):
        running = [
            subprocess.Popen([sys.executable, "-c", APPENDER, str(layout.root), f"w{round_}-{n}"],
                             stdout=subprocess.PIPE, text=True)
            for n in range(2)
        ]  # fmt: skip
        time.sleep(0.5)
        for one in running:
            one.send_signal(signal.SIGKILL)
        told = {}
        for n, one in enumerate(running):
            out, _ = one.communicate(timeout=30)
            told[f"w{round_}-{n}"] = len(out.splitlines())
        text = "".join(path.read_text() for path in sorted((layout.root / "memory").glob("*.md")))
        for name, count in told.items():
            for number in range(count):
                assert f"{name} {number} {'x' * 200}\n" in text
    NoteWriter(layout).append("The lock of a dead writer holds nobody up.")


def test_editors_that_append_meanwhile_lose_nothing(layout: Layout) -> None:
    path = layout.root / "memory/2026-02-10.md"
    path.write_text("")

    def foreign(number: int) -> None:
        with path.open("a") as file:
            file.write(f"foreign {number}\n")

    def ours(number: int) -> None:
        NoteWriter(layout, clock=lambda: NOON).append(f"ours {number}")

    with ThreadPoolExecutor(8) as pool:
        for number in range(50):
            pool.submit(foreign, number)
            pool.submit(ours, number)
    wanted = {f"{who} {number}" for who in ("foreign", "ours") for number in range(50)}
    assert set(path.read_text().splitlines()) >= wanted


def test_a_daily_log_only_grows(layout: Layout) -> None:
    writer = NoteWriter(layout, clock=lambda: NOON)
    writer.append("Kept.")
    with pytest.raises(InputError, match="daily log, which only grows"):
        writer.write("memory/2026-02-10.md", "Overwritten.")
    writer.write("memory/2026-02-10.md", "Kept.\nAnd more.")
    assert get(layout, "memory/2026-02-10.md").text == "Kept.\nAnd more."


def test_every_write_can_be_reverted_and_so_can_the_revert(layout: Layout) -> None:
    writer = NoteWriter(layout, by="Ana")
    first, second = writer.write("MEMORY.md", "Old."), writer.write("MEMORY.md", "New.")
    undone = writer.revert(second.change)
    assert get(layout, "MEMORY.md").text == "Old."
    writer.revert(undone.change)
    assert get(layout, "MEMORY.md").text == "New."
    with pytest.raises(InputError, match="changed after"):
        writer.revert(first.change)
    writer.revert(first.change, force=True)
    assert not (layout.root / "MEMORY.md").exists()
    changes = writer.journal.changes("MEMORY.md")
    assert [(one.action, one.by) for one in changes] == [("write", "Ana")] * 2 + [("revert", "Ana")] * 3
    assert changes[-1].reverts == first.change


def test_an_append_is_reverted_from_the_middle_and_the_log_is_never_deleted(layout: Layout) -> None:
    writer = NoteWriter(layout, clock=lambda: NOON)
    one, two = writer.append("One."), writer.append("Two.")
    writer.revert(one.change)
    assert (layout.root / two.path).read_text() == "Two.\n"
    with pytest.raises(InputError, match="no longer holds"):
        writer.revert(one.change, force=True)
    writer.revert(two.change)
    assert (layout.root / two.path).read_text() == ""


def test_an_append_is_reverted_once_however_often_its_text_stands_there(layout: Layout) -> None:
    writer, path = NoteWriter(layout, clock=lambda: NOON), layout.root / "memory/2026-02-10.md"
    one, _ = writer.append("milk"), writer.append("milk")
    undone = writer.revert(one.change)
    with pytest.raises(InputError, match=f"reverted already, by {undone.change}"):
        writer.revert(one.change)
    assert path.read_text() == "milk\n"
    writer.revert(undone.change)
    assert path.read_text() == "milk\nmilk\n"
    writer.revert(one.change)
    writer.revert(one.change, force=True)
    assert path.read_text() == ""


def test_a_revert_that_could_not_be_written_can_be_made_later(layout: Layout) -> None:
    writer, path = NoteWriter(layout, clock=lambda: NOON), layout.root / "memory/2026-02-10.md"
    one, _ = writer.append("milk"), writer.append("bread")
    with read_only(layout.root / "memory"), pytest.raises(InputError, match=r"cannot write .*Read-only file system"):
        writer.revert(one.change)
    assert [change.action for change in writer.journal.changes()] == ["append", "append"]
    writer.revert(one.change)
    assert path.read_text() == "bread\n"


def test_what_an_editor_saves_while_a_file_is_written_stays(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    writer, path, fsync = NoteWriter(layout, clock=lambda: NOON), layout.root / "memory/2026-02-10.md", os.fsync
    one = writer.append("milk")

    def meanwhile(handle: int) -> None:
        monkeypatch.undo()
        with path.open("a") as file:
            file.write("theirs\n")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", meanwhile)  # of the draft
    with pytest.raises(InputError, match="changed meanwhile, so nothing was written"):
        writer.revert(one.change)
    assert path.read_text() == "milk\ntheirs\n"
    writer.revert(one.change)
    assert path.read_text() == "theirs\n"
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_import_takes_what_is_not_there_and_leaves_what_is_no_text(layout: Layout, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "memory").mkdir(parents=True)
    (other / "memory/2026-02-10.md").write_text("Rain\n")
    (other / "memory/café.md").write_bytes("Olé".encode("latin-1"))
    writer = NoteWriter(layout, clock=lambda: NOON)
    writer.append("Rainy day")
    report = import_notes(other, layout, writer)
    assert (report.appended, [*report.skipped]) == (("memory/2026-02-10.md",), ["memory/café.md"])
    assert "save it as UTF-8" in report.skipped["memory/café.md"]
    assert (layout.root / "memory/2026-02-10.md").read_text() == "Rainy day\nRain\n"
    assert import_notes(other, layout, writer).same == ("memory/2026-02-10.md",)


def test_import_names_what_it_cannot_take(layout: Layout, tmp_path: Path) -> None:
    memory = tmp_path / "other/memory"
    (memory / "caf\udce9").mkdir(parents=True)  # letters of Latin-1
    for name in ("caf\udce9/a.md", "zero\u200bwidth.md", "caf\udce9.txt", ".hidden.md", "good.md"):
        (memory / name).write_text(f"of {name!a}\n")
    report = import_notes(tmp_path / "other", layout, NoteWriter(layout))
    assert report.written == ("memory/good.md",)
    why = "its name cannot be cited: rename it"
    assert report.skipped == {"memory/caf\\udce9": why, "memory/zero\\u200bwidth.md": why}


def test_only_whole_lines_are_taken_back_and_those_beside_them_stay_apart(layout: Layout) -> None:
    writer, path = NoteWriter(layout, clock=lambda: NOON), layout.root / "memory/2026-02-10.md"
    path.write_text("No end")
    one, two = writer.append("milk"), writer.append("bread")
    writer.revert(one.change)
    assert path.read_text() == "No end\nbread\n"
    path.write_text("No end\nrye bread\n")
    with pytest.raises(InputError, match="no longer holds"):
        writer.revert(two.change)
    assert path.read_text() == "No end\nrye bread\n"


def test_a_write_says_when_the_file_is_not_what_was_read(layout: Layout) -> None:
    writer = NoteWriter(layout)
    writer.write("MEMORY.md", "One.")
    writer.write("MEMORY.md", "Two.", expected=digest(b"One.\n"))
    with pytest.raises(InputError, match="changed meanwhile"):
        writer.write("MEMORY.md", "Three.", expected=digest(b"One.\n"))


@table("text", ["", "  \n", "a\0b"])
def test_what_cannot_be_a_note_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        NoteWriter(Layout.of(tmp_path)).append(text)
    assert not (tmp_path / "memory").exists()


def test_nothing_is_written_through_a_link(layout: Layout, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "2026-02-10.md").write_text("theirs\n")
    (layout.root / "memory/2026-02-10.md").symlink_to(outside / "2026-02-10.md")
    writer = NoteWriter(layout, clock=lambda: NOON)
    with pytest.raises(InputError, match="link"):
        writer.append("Ours.")
    (layout.root / "memory/sub").symlink_to(outside)
    with pytest.raises(InputError, match="link"):
        writer.write("memory/sub/x.md", "Ours.")
    assert [path.name for path in outside.iterdir()] == ["2026-02-10.md"]
    assert (outside / "2026-02-10.md").read_text() == "theirs\n"


def test_a_file_keeps_its_permissions_and_leaves_no_draft(layout: Layout) -> None:
    path = layout.root / "MEMORY.md"
    path.write_text("Old.\n")
    path.chmod(0o640)
    NoteWriter(layout).write("MEMORY.md", "New.")
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(one.name for one in layout.root.iterdir()) == [".oroi", "MEMORY.md", "memory"]


def test_the_history_names_what_is_damaged(layout: Layout) -> None:
    writer = NoteWriter(layout)
    writer.write("MEMORY.md", "One.")
    second = writer.write("MEMORY.md", "Two.")
    kept = layout.state / "history" / f"{digest(b'One.' + bytes([10]))}.z"
    kept.write_bytes(b"rubbish")
    with pytest.raises(InputError, match="damaged"):
        writer.revert(second.change)
    with pytest.raises(InputError, match="no change"):
        writer.revert("")
    with (layout.state / "history/log.jsonl").open("a") as log:
        log.write('{"half a li')
    assert len(writer.journal.changes()) == 2
    third = writer.write("MEMORY.md", "Three.")
    assert [change.id for change in writer.journal.changes()][2:] == [third.change]


@table("key, value", [("id", 5), ("path", 5), ("offset", "x"), ("offset", -5), ("after", [1]), ("reverts", [1])])
def test_a_damaged_line_of_the_history_is_no_change(key: str, value: object, tmp_path: Path) -> None:
    writer = NoteWriter(Layout.of(tmp_path), clock=lambda: NOON)
    one = writer.append("milk")
    log = tmp_path / ".oroi/history/log.jsonl"
    [line] = [line for line in log.read_text().splitlines() if one.change in line]
    with log.open("a") as file:
        file.write(json.dumps(json.loads(line) | {"id": "damaged", key: value}) + "\n")
    assert writer.revert(one.change).path == one.path
    with pytest.raises(InputError, match="no change with the id"):
        writer.revert("damaged")


@table("path", ["", "../x.md", "./MEMORY.md", "/MEMORY.md", "memory//a.md", "MEMORY.md/"])
def test_the_history_of_what_is_no_path_of_a_note_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the path"):
        NoteWriter(Layout.of(tmp_path)).journal.changes(path)


def test_lines_are_those_of_the_file(layout: Layout) -> None:
    (layout.root / "MEMORY.md").write_bytes("one\r\ntwo\u2028still two\x0bthis too\n\nfour".encode())
    found = get(layout, "MEMORY.md", 2, 2)
    assert (found.start, found.end, found.total) == (2, 3, 4)
    assert found.text == "two\u2028still two\x0bthis too\n"
    assert get(layout, "MEMORY.md", 9).to_json() == {"path": "MEMORY.md", "start": 9, "end": 8, "total": 4, "text": ""}
    with pytest.raises(InputError, match="counted from 1"):
        get(layout, "MEMORY.md", 0)


@table(
    "path, day, evergreen",
    [
        ("MEMORY.md", None, True),
        ("memory/2026-02-10.md", date(2026, 2, 10), False),
        ("memory/2026-02-30.md", None, True),
        ("memory/projects.md", None, True),
        ("memory/sub/2026-02-10.md", None, True),
        ("extra/docs/2026-02-10.md", None, False),
        ("sessions/a.jsonl", None, False),
    ],
)
def test_what_a_name_says_of_age(path: str, day: date | None, evergreen: bool) -> None:
    assert (day_of(path), is_evergreen(path)) == (day, evergreen)


def test_a_hidden_folder_that_the_configuration_names_is_read(layout: Layout) -> None:
    for path in (".notes/a.md", "notes/b.md"):
        (layout.root / path).parent.mkdir()
        (layout.root / path).write_text(f"{path}\n")
    named = Layout(layout.root, (".notes", "notes"))
    found = {one.place.path: get(named, one.place.path).text for one in named.scan()}
    assert found == {"extra/notes/a.md": ".notes/a.md", "extra/notes-2/b.md": "notes/b.md"}


def test_a_scan_meets_notes_only(layout: Layout, tmp_path_factory: pytest.TempPathFactory) -> None:
    root, outside = layout.root, tmp_path_factory.mktemp("team-docs")
    for path in ("MEMORY.md", "README.md", "memory/a.md", "memory/deep/er/b.md", "memory/c.txt", "memory/.hidden.md",
                 "memory/.git/x.md", ".oroi/history/z.md", "notes/n.md"):  # fmt: skip
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x\n")
    (outside / "guide.md").write_text("x\n")
    (outside / "overview.md").write_text("x\n")
    (root / "memory/link.md").symlink_to(outside / "guide.md")
    (root / "memory/linked").symlink_to(outside)
    os.mkfifo(root / "memory/pipe.md")
    found = Layout(root, (str(outside), str(outside / "overview.md"), "notes", "../nothing")).scan()
    assert [one.place.path for one in found] == [
        "MEMORY.md", "memory/a.md", "memory/deep/er/b.md", f"extra/{outside.name}/guide.md",
        f"extra/{outside.name}/overview.md", "extra/overview.md", "extra/notes/n.md",
    ]  # fmt: skip
