"""Backups, copies and other names of memories: equal to the original, or refused; nothing replaced."""

from __future__ import annotations

import gzip
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest_cli import Ran, cli_environment, oroi
from graph_view import NOON

from oroi_graph.errors import InputError, StoreError
from oroi_graph.interfaces.items.kept import Entry, Items
from oroi_graph.memory import Graph, Memory
from oroi_graph.storage import catalog
from oroi_graph.transfer import copies

__all__ = ["cli_environment", "oroi"]


@pytest.fixture(scope="module")
def diary(graph: Graph) -> Iterator[Memory]:
    memory = graph.memory(f"copies-{uuid.uuid4().hex[:8]}")
    memory.perceive("I live in Bilbao.", speaker="Ana", at=NOON).close("Nice.")
    memory.perceive("My sister is called Leire.", speaker="Ana", at=NOON).close()
    yield memory
    assert graph.delete(memory.name) == 0


@pytest.fixture
def new(graph: Graph) -> Iterator[str]:
    """A free name; what is made under it is deleted."""
    name = f"copies-{uuid.uuid4().hex[:8]}"
    yield name
    if catalog.remaining(graph.store, name):
        assert graph.delete(name) == 0


def only(monkeypatch: pytest.MonkeyPatch, graph: Graph, *names: str) -> None:
    """Let a backup see these memories: others' tests use the same database."""
    found = [summary for name in names if (summary := catalog.describe(graph.store, name))]
    monkeypatch.setattr(catalog, "list_memories", lambda store: found)


def test_a_backup_is_restored_as_it_was(
    graph: Graph, diary: Memory, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, oroi: Callable[..., Ran]
) -> None:
    folder = tmp_path / "backups"
    only(monkeypatch, graph, diary.name)
    first = copies.backup(graph.store, folder)
    assert [saved.name for saved in first.memories] == [diary.name]
    assert (first.new, first.skipped) == (1, ())
    assert (first.path.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    assert copies.backup(graph.store, folder).new == 0  # nothing changed: no room taken
    assert len(list((folder / "memories").iterdir())) == 1

    assert copies.restore(graph.store, folder) == []  # there already
    ran = oroi("restore", str(folder), "--memory", diary.name, "--as", new, "--json")
    assert [(saved["name"], saved["digest"]) for saved in ran.json] == [(new, first.memories[0].digest)]
    assert "Bilbao" in graph.memory(new).recall("Where do I live?", speaker="Ana").brief.text
    graph.memory(new).perceive("I like tea.", speaker="Ana", at=NOON).close()
    with pytest.raises(InputError, match="with other content: restore it under another name"):
        copies.restore(graph.store, folder, names={diary.name: new})


def test_what_was_changed_in_a_backup_is_named(
    graph: Graph, diary: Memory, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, oroi: Callable[..., Ran]
) -> None:
    with pytest.raises(InputError, match="has no backup: `oroi backup` makes one"):
        copies.read_backup(tmp_path)
    assert "cannot read" in oroi("backup", str(tmp_path / "none"), "--check").failed()
    only(monkeypatch, graph, diary.name)
    made = copies.backup(graph.store, tmp_path)
    assert "1 memories, all as they were written" in oroi("backup", str(tmp_path), "--check").out
    (file,) = (tmp_path / "memories").iterdir()
    content = file.read_bytes()
    text = gzip.decompress(content)
    for broken, told in (
        (content[:-30], "is damaged"),
        (b"no gzip", "is damaged"),
        (gzip.compress(text.replace(b"Bilbao", b"Madrid")), "was changed since"),
        (gzip.compress(b"[]\n"), "is damaged"),
        (gzip.compress(b"\xff\n"), "is damaged"),
    ):
        file.write_bytes(broken)
        with pytest.raises(InputError, match=told):
            copies.restore(graph.store, tmp_path, names={diary.name: new})
        assert catalog.describe(graph.store, new) is None
    file.write_bytes(gzip.compress(text))  # packed otherwise, the same content
    assert copies.read_backup(tmp_path).memories == made.memories
    for at, told in (("1999", "has no backup of '1999'"), ("20", r"no memory named 'nobody'")):
        with pytest.raises(InputError, match=told):
            copies.restore(graph.store, tmp_path, at, {"nobody": "nobody"})
    for broken_list in ("{", "[]", '{"format": "oroi-graph-backup", "version": 1, "memories": [{"name": "a", "digest": '
                        '"../../etc/passwd", "objects": 1}]}'):  # fmt: skip
        made.path.write_text(broken_list)
        with pytest.raises(InputError, match="is no list of a backup"):
            copies.read_backup(tmp_path)


def test_a_copy_is_equal_and_a_name_is_changed_for_good(
    graph: Graph, diary: Memory, new: str, oroi: Callable[..., Ran]
) -> None:
    assert oroi("memory", "copy", diary.name, new).out == f"{new} is a copy of {diary.name}\n"
    assert copies._digest(graph.store, new) == copies._digest(graph.store, diary.name)
    assert "there is a memory named" in oroi("memory", "rename", diary.name, new).failed()
    assert catalog.describe(graph.store, diary.name) is not None
    renamed = f"{new}-b"
    Items(graph.memory(new)).put([Entry(("notes",), "kept", {"n": 1})])
    assert oroi("memory", "rename", new, renamed).out == f"{new} is called {renamed} now\n"
    try:
        assert catalog.remaining(graph.store, new) == 0
        assert Items(graph.memory(renamed)).get(("notes",), ["kept"])["kept"].value == {"n": 1}
        assert "Leire" in graph.memory(renamed).recall("What is my sister called?", speaker="Ana").brief.text
    finally:
        graph.delete(renamed)


def test_a_memory_that_is_written_to_keeps_its_name(
    graph: Graph, diary: Memory, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = copies.copy_memory

    def slow(store: object, name: str, *rest: object) -> object:
        counts = copied(store, name, *rest)  # type: ignore[arg-type]
        diary.perceive("I bought a boat.", speaker="Ana", at=NOON).close()
        return counts

    monkeypatch.setattr(copies, "copy_memory", slow)
    with pytest.raises(StoreError, match="was written to while it was copied, and keeps its name"):
        copies.rename_memory(graph.store, diary.name, new)
    assert catalog.remaining(graph.store, new) == 0
    assert "boat" in diary.recall("What did I buy?", speaker="Ana").brief.text


def test_a_memory_deleted_after_it_was_listed_is_left_out(
    graph: Graph, diary: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, oroi: Callable[..., Ran]
) -> None:
    gone = graph.memory(f"copies-{uuid.uuid4().hex[:8]}")
    only(monkeypatch, graph, gone.name, diary.name)
    stale = {summary.name: summary for summary in catalog.list_memories(graph.store)}
    assert graph.delete(gone.name) == 0
    with monkeypatch.context() as patched:
        patched.setattr(catalog, "describe", lambda store, name: stale[name])
        assert [one.name for one in copies.backup(graph.store, tmp_path).memories] == [diary.name]
    told = oroi("stats", "--prometheus")
    assert told.code == 0, told.err
    assert f'oroi_memory_turns{{memory="{diary.name}"}} {diary.stats().turns}.0' in told.out
    assert [report["memory"] for report in oroi("consolidate", "--all", "--json").json] == [diary.name]
    assert f"no memory named '{gone.name}'" in oroi("consolidate", gone.name).failed()
