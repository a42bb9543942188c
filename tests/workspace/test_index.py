"""The index: what changed is read, nothing else; an old one answers until the new one is whole; nothing is lost."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest_workspace import QUIET, read_only

from oroi_graph import Graph, OfflineExtractor, ScriptedEmbedder
from oroi_graph.errors import EmbeddingModelError, InputError, ProviderError
from oroi_graph.language.normalize import digest
from oroi_graph.workspace.config import SyncConfig
from oroi_graph.workspace.index.vectors import VectorSource
from oroi_graph.workspace.pipeline import Workspace
from oroi_graph.workspace.qmd.exports import export

NOTES = {
    "MEMORY.md": "# Facts\nAna prefers tea.\nThe deploy key is a828e60.\n",
    "memory/2026-02-09.md": "Met Rod about the budget.\n",
    "memory/2026-02-10.md": "Rod has standup at 14:15.\nConfigured the Omada router.\n",
    "memory/projects/garden.md": "The garden needs water every second day.\n",
}


class Counting(ScriptedEmbedder):
    """Counts the texts it embeds; fails while `down`."""

    def __init__(self, model: str = "scripted") -> None:
        super().__init__()
        self.model = model
        self.texts: list[str] = []
        self.down = False

    def embed(self, texts: Sequence[str]) -> Any:
        """As the scripted one."""
        if self.down:
            raise ProviderError("the embedder is down")
        self.texts += texts
        return super().embed(texts)


def fill(root: Path, notes: dict[str, str] = NOTES, at: int = 1_770_000_000) -> None:
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
        os.utime(root / path, (at, at))


@contextmanager
def as_nobody() -> Iterator[None]:
    """Files are reached with the rights of a user who has none."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def with_embedder(own: Graph, embedder: Any) -> Graph:
    return Graph(own.store, embedder, OfflineExtractor())


def paths(workspace: Workspace, query: str, **more: Any) -> list[str]:
    return [hit.path for hit in workspace.search(query, **more).hits]


def texts_of(own: Graph, name: str) -> list[str]:
    _, rows = own.store.explore("MATCH (n:Note:Record {memory: $m}) RETURN n.text ORDER BY n.path, n.start", m=name)
    return [row[0] for row in rows]


def test_every_file_is_indexed_once_and_unchanged_ones_are_not_read_again(workspace: Workspace) -> None:
    fill(workspace.layout.root)
    first = workspace.sync()
    assert (first.read, first.written, first.embedded, first.skipped) == (4, 4, 4, {})
    again = workspace.sync()
    assert (again.read, again.written, again.deleted) == (0, 0, 0)
    status = workspace.status()
    assert (status.files, status.notes, status.dirty, status.bare, status.unlinked) == (4, 4, False, 0, 0)
    assert status.synced_at is not None


def test_a_change_replaces_what_changed_and_keeps_what_moved(workspace: Workspace, own: Graph) -> None:
    root = workspace.layout.root
    long = [f"paragraph {number} " + f"word{number} " * 40 for number in range(30)]
    fill(root, {"memory/long.md": "\n".join(long)})
    workspace.sync()
    before = set(texts_of(own, workspace.memory))
    fill(root, {"memory/long.md": "\n".join([*long, "one more line"])})
    report = workspace.sync()
    assert (report.written, report.deleted) == (1, 1)
    assert len(before & set(texts_of(own, workspace.memory))) == len(before) - 1
    # A text that comes back is not embedded again, though no note holds it any more.
    fill(root, {"memory/long.md": "\n".join(long)})
    report = workspace.sync()
    assert (report.written, report.embedded, report.reused) == (1, 0, 1)


def test_a_note_that_moves_within_its_file_keeps_its_vector_and_tells_its_new_lines(workspace: Workspace) -> None:
    config = replace(workspace.config, chunk_tokens=10, chunk_overlap=0)
    workspace = Workspace(workspace.memory, workspace.layout, config, workspace._means)
    fill(workspace.layout.root, {"memory/a.md": "the first thing is about apples\nthe second one is about pears"})
    workspace.sync()
    moved = "something else stands before now....\nthe first thing is about apples\nthe second one is about pears"
    fill(workspace.layout.root, {"memory/a.md": moved})
    report = workspace.sync()
    assert (report.written, report.deleted) == (1, 0)
    [hit] = workspace.search("the second one is about pears", max_results=1).hits
    assert (hit.start, hit.end) == (3, 3)


def test_a_file_that_is_gone_leaves_the_index(workspace: Workspace) -> None:
    fill(workspace.layout.root)
    workspace.sync()
    (workspace.layout.root / "memory/2026-02-09.md").unlink()
    assert workspace.status().due == 1
    report = workspace.sync()
    assert (report.removed, report.deleted, workspace.status().files) == (1, 1, 3)
    assert "memory/2026-02-09.md" not in paths(workspace, "budget")


def test_own_artefacts_are_never_indexed(workspace: Workspace) -> None:
    writer = workspace.writer()
    writer.append("A line of today.")
    writer.write("MEMORY.md", "Curated.")
    writer.write("MEMORY.md", "Curated again.")
    (workspace.layout.state / "notes.md").write_text("an artefact")
    workspace.sync()
    assert workspace.status().files == 2
    assert all(".oroi" not in path for path in paths(workspace, "Curated artefact line"))


def test_an_embedder_that_fails_costs_no_note_and_is_told(own: Graph, named: str, tmp_path: Path) -> None:
    embedder = Counting()
    workspace = with_embedder(own, embedder).workspace(named, tmp_path, config=QUIET)
    fill(tmp_path)
    embedder.down = True
    report = workspace.sync()
    assert (report.written, report.embedded, report.failure) == (4, 0, "the embedder is down")
    found = workspace.search("a828e60")
    assert [hit.path for hit in found.hits] == ["MEMORY.md"]
    assert found.fallback is not None
    assert found.fallback.to_json() == {"from": "local", "reason": "the embedder is down"}
    assert (workspace.status().bare, workspace.status().failure) == (4, "the embedder is down")
    embedder.down = False
    report = workspace.sync()
    assert (report.written, report.embedded, report.failure) == (0, 4, None)
    assert (workspace.status().bare, workspace.search("a828e60").fallback) == (0, None)


def test_an_old_index_answers_until_the_new_one_is_whole(own: Graph, named: str, tmp_path: Path) -> None:
    """Another way of cutting: the new index is stopped half-way, continued, and takes over."""
    fill(tmp_path, {f"memory/note-{number}.md": f"note {number} about topic{number}\n" * 30 for number in range(12)})
    old = own.workspace(named, tmp_path, config=QUIET)
    old.sync()
    config = replace(QUIET, chunk_tokens=50, chunk_overlap=10)
    new = own.workspace(named, tmp_path, config=config)
    stop = threading.Event()
    served: list[list[str]] = []

    def watch(done: int, total: int, what: str) -> None:
        served.append(paths(new, "topic7", max_results=1))
        if done == 6:
            stop.set()

    report = new.sync(stop=stop, progress=watch, linked=False)
    assert not report.rebuilt
    assert served == [["memory/note-7.md"]] * 6
    assert new.status().rebuilding
    report = new.sync()
    assert report.rebuilt
    assert report.read == 6, "what was built before is not built again"
    assert (new.status().files, new.status().rebuilding) == (12, False)
    assert paths(new, "topic7", max_results=1) == ["memory/note-7.md"]
    _, rows = own.store.explore(
        "MATCH (n:Note {memory: $m}) RETURN count(DISTINCT n.shelf), min(size(n.text)) < 300, count(n)", m=named
    )
    assert rows[0][:2] == [1, True]
    assert rows[0][2] == new.status().notes


def test_a_full_index_is_made_of_known_vectors(workspace: Workspace) -> None:
    fill(workspace.layout.root)
    workspace.sync()
    report = workspace.sync(full=True)
    assert (report.rebuilt, report.read, report.embedded, report.reused) == (True, 4, 0, 4)


def test_another_model_never_pauses_search_in_silence(own: Graph, named: str, tmp_path: Path) -> None:
    fill(tmp_path)
    own.workspace(named, tmp_path, config=QUIET).sync()
    other = with_embedder(own, Counting("another")).workspace(named, tmp_path, config=QUIET)
    found = other.search("a828e60 deploy")
    assert found.hits[0].path == "MEMORY.md"
    assert found.fallback is not None
    assert "oroi reembed" in found.fallback.reason
    assert other.status().disabled == found.fallback.reason
    with pytest.raises(EmbeddingModelError):
        other.sync()


def test_the_cache_drops_the_least_recently_used(own: Graph, named: str, tmp_path: Path) -> None:
    config = replace(QUIET, cache=3)
    workspace = own.workspace(named, tmp_path, config=config)
    for round_ in range(6):
        fill(tmp_path, {"memory/a.md": f"version {round_} of the text\n"}, at=1_770_000_000 + round_)
        workspace.sync()
    assert workspace.status().cached == 3
    source = VectorSource(own.store, named, own.embedder, 3)
    # The vector of the latest version is the note's own, those of the three before it are kept.
    model = own.embedder.model
    known = {round_: digest(model, f"version {round_} of the text") for round_ in range(6)}
    found = source._known(list(known.values()))
    assert sorted(found) == sorted(known[round_] for round_ in (2, 3, 4, 5))


def test_no_cache_keeps_nothing(own: Graph, named: str, tmp_path: Path) -> None:
    workspace = own.workspace(named, tmp_path, config=replace(QUIET, cache=0))
    fill(tmp_path, {"memory/a.md": "one\n"})
    workspace.sync()
    fill(tmp_path, {"memory/a.md": "two\n"}, at=1_780_000_000)
    workspace.sync()
    assert workspace.status().cached == 0


def test_unusable_vectors_are_no_vectors(own: Graph, named: str, tmp_path: Path) -> None:
    class Zero(Counting):
        def embed(self, texts: Sequence[str]) -> Any:
            return np.zeros((len(texts), self.dimensions), dtype=np.float32)

    workspace = with_embedder(own, Zero()).workspace(named, tmp_path, config=QUIET)
    fill(tmp_path)
    workspace.sync(linked=False)
    found = workspace.search("deploy key")
    assert found.hits[0].path == "MEMORY.md"
    assert found.fallback is not None
    assert found.fallback.reason == "the query has no vector"


def test_transcripts_are_opt_in_isolated_and_not_readable(own: Graph, named: str, tmp_path: Path) -> None:
    sessions, root = tmp_path / "agents/ana/sessions", tmp_path / "w"
    other = tmp_path / "agents/eve/sessions"
    for folder, said in ((sessions, "The zeppelin lands at noon."), (other, "The zeppelin is a secret of Eve.")):
        folder.mkdir(parents=True)
        line = '{"type": "message", "message": {"role": "user", "content": [{"type": "text", "text": "%s"}]}}'
        (folder / "a.jsonl").write_text('{"type": "session"}\n' + line % said + "\nnot json\n")
    root.mkdir()
    assert paths(own.workspace(named, root, config=QUIET), "zeppelin") == []
    config = replace(QUIET, sources=("memory", "sessions"), sessions=str(sessions))
    workspace = own.workspace(named, root, config=config)
    workspace.sync()
    [hit] = workspace.search("zeppelin").hits
    assert (hit.path, hit.start, hit.end, hit.source) == ("sessions/a.jsonl", 1, 3, "sessions")
    assert "User: The zeppelin lands at noon." in hit.text
    with pytest.raises(InputError):
        workspace.get("sessions/a.jsonl")


def test_what_a_transcript_spells_and_nobody_can_store_is_replaced(own: Graph, named: str, tmp_path: Path) -> None:
    root, sessions = tmp_path / "w", tmp_path / "sessions"
    root.mkdir()
    said = ["\\ud83d zeppelin", "\\u0000 marmalade", "\\ud83d\\ude00 garden"]
    odd = ["[" * 5_000, "null", '{"type": "message", "message": {"role": {}, "content": 5}}']
    lines = [f'{{"type": "message", "message": {{"role": "user", "content": "{one}"}}}}' for one in said] + odd
    fill(sessions, {"a.jsonl": "\n".join(lines)})
    workspace = own.workspace(named, root, config=replace(QUIET, sources=("sessions",), sessions=str(sessions)))
    report = workspace.sync()
    assert (report.read, report.skipped) == (1, {})
    [hit] = workspace.search("zeppelin").hits
    assert hit.text.strip() == "User: ? zeppelin\nUser: \ufffd marmalade\nUser: \U0001f600 garden"
    assert export(sessions, tmp_path / "exports", None) == 1


def test_transcripts_wait_until_they_have_grown(own: Graph, named: str, tmp_path: Path) -> None:
    sessions, root = tmp_path / "sessions", tmp_path / "w"
    root.mkdir()
    sessions.mkdir()
    sync = SyncConfig(on_search=False, session_bytes=10_000, session_messages=5)
    config = replace(QUIET, sources=("sessions",), sessions=str(sessions), sync=sync)
    workspace = own.workspace(named, root, config=config)
    line = '{"type": "message", "message": {"role": "assistant", "content": "word"}}\n'
    read = []
    for lines in (4, 5, 9, 10):
        (sessions / "a.jsonl").write_text(line * lines)
        read.append(workspace.sync(patient=True).read)
    (sessions / "a.jsonl").write_text(line * 11 + "x" * 10_000)
    read.append(workspace.sync(patient=True).read)
    (sessions / "a.jsonl").write_text(line)
    read.append(workspace.sync(patient=True).read)
    assert read == [0, 1, 0, 1, 1, 1]


def test_a_workspace_that_cannot_be_written_is_indexed(own: Graph, named: str, tmp_path: Path) -> None:
    fill(tmp_path)
    tmp_path.chmod(0o555)
    try:
        assert own.workspace(named, tmp_path, config=QUIET).sync().read == 4
    finally:
        tmp_path.chmod(0o755)


def test_a_workspace_on_a_disk_that_is_only_read_is_indexed_and_what_cannot_be_written_is_told(
    own: Graph, named: str, tmp_path: Path
) -> None:
    fill(tmp_path)
    workspace = own.workspace(named, tmp_path, config=QUIET)
    with read_only(tmp_path):
        report = workspace.sync()
        assert report.read == 4
        assert report.remark == f"{tmp_path}/.oroi cannot be written (Read-only file system): notes are only read"
        assert workspace.status().due == 0
        assert paths(workspace, "Omada router")[0] == "memory/2026-02-10.md"
        with pytest.raises(InputError, match="cannot write"):
            workspace.writer().append("Never written.")
    assert workspace.sync().remark is None


def test_a_broken_file_does_not_stop_the_others(workspace: Workspace) -> None:
    root = workspace.layout.root
    fill(root)
    (root / "memory/huge.md").write_bytes(b"")
    with (root / "memory/huge.md").open("r+b") as file:
        file.truncate(40 * 1024**2)
    (root / "memory/bytes.md").write_bytes(b"\xff\xfe\0 the marmalade \xed\xa0\x80 is here\n")
    report = workspace.sync()
    assert list(report.skipped) == ["memory/huge.md"]
    assert paths(workspace, "marmalade", max_results=1) == ["memory/bytes.md"]


def test_a_folder_that_cannot_be_read_keeps_what_the_index_has_of_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace.layout.root
    fill(root)
    workspace.sync()
    scandir = os.scandir

    def failing(path: Any) -> Any:
        if Path(path) == root / "memory":
            raise OSError(5, "Input/output error")
        return scandir(path)

    with monkeypatch.context() as disk:
        disk.setattr(os, "scandir", failing)
        report = workspace.sync()
        assert (report.removed, report.skipped) == (0, {"memory": "Input/output error"})
        assert workspace.status().due == 0
    assert paths(workspace, "Omada router")[0] == "memory/2026-02-10.md"
    root.rename(root.with_name("away"))
    assert workspace.sync().removed == 0
    root.with_name("away").rename(root)
    assert workspace.sync().removed == 0


def test_a_folder_of_notes_that_is_away_keeps_what_the_index_has_until_it_is_empty(
    own: Graph, named: str, tmp_path: Path
) -> None:
    root, sessions = tmp_path / "w", tmp_path / "sessions"
    fill(root)
    fill(root / "more", {"x.md": "A zeppelin.\n"})
    fill(sessions, {"a.jsonl": '{"type": "message", "message": {"role": "user", "content": "Marmalade."}}\n'})
    config = replace(QUIET, extra_paths=("more",), sources=("memory", "sessions"), sessions=str(sessions))
    workspace = own.workspace(named, root, config=config)
    assert workspace.sync().read == 6
    away = [(path, path.with_name(f"{path.name}.away")) for path in (root / "memory", root / "more", sessions)]
    for path, elsewhere in away:
        path.rename(elsewhere)
    report = workspace.sync()
    assert (report.removed, [*report.skipped]) == (0, ["memory", "extra/more", "sessions"])
    assert "make an empty folder" in report.skipped["memory"]
    assert workspace.status().due == 0
    assert paths(workspace, "Omada router")[0] == "memory/2026-02-10.md"
    for path, _ in away:
        path.mkdir()
    report = workspace.sync()
    assert (report.removed, report.skipped) == (5, {})


def test_a_new_index_does_not_take_over_while_a_folder_is_away(workspace: Workspace) -> None:
    root = workspace.layout.root
    fill(root)
    workspace.sync()
    (root / "memory").rename(root / "away")
    for full in (True, False):  # the second run goes on with what the first one began
        report = workspace.sync(full=full)
        assert not report.rebuilt
        assert "the former index answers" in str(report.remark)
        assert paths(workspace, "Omada router")[0] == "memory/2026-02-10.md"
    (root / "away").rename(root / "memory")
    report = workspace.sync()
    assert (report.rebuilt, report.remark) == (True, None)
    assert paths(workspace, "Omada router")[0] == "memory/2026-02-10.md"
    assert (workspace.status().files, workspace.status().rebuilding) == (4, False)


def test_a_folder_whose_files_may_not_be_looked_at_keeps_its_notes(own: Graph, named: str) -> None:
    """Its names can be listed, but not what they are: it has no permission to be searched."""
    with tempfile.TemporaryDirectory() as folder:  # which another user can reach
        root = Path(folder)
        root.chmod(0o755)
        fill(root)
        workspace = own.workspace(named, root, config=QUIET)
        workspace.sync()
        for path in (root / "memory", root):
            path.chmod(0o444)
            with as_nobody():
                report = workspace.sync()
            path.chmod(0o755)
            assert report.removed == 0
            assert "Permission denied" in report.skipped.values()


def test_what_was_just_synced_is_not_due(workspace: Workspace) -> None:
    fill(workspace.layout.root)
    (workspace.layout.root / "memory/new.md").write_text("Just now.\n")
    workspace.sync()
    assert workspace.status().due == 0
