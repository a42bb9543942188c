"""Migrations on the real server. The schema is shared by the suite: what is changed here, while no other test runs, is
put back.
"""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from oroi_graph.connection import connect
from oroi_graph.errors import SchemaError, StoreError
from oroi_graph.providers.scripted import ScriptedEmbedder, ScriptedExtractor
from oroi_graph.storage import migrations, statements
from oroi_graph.storage.store import Store

pytestmark = pytest.mark.alone

DIMENSIONS = 384


def applied(store: Store) -> list[list[Any]]:
    """Every applied migration: version, name, checksum, dimension, time."""
    return store.explore(
        "MATCH (m:Migration) RETURN m.version, m.name, m.checksum, m.dimensions, toString(m.applied_at) "
        "ORDER BY m.version"
    )[1]


def indexes(store: Store) -> list[list[Any]]:
    """Every index and its state."""
    return store.explore("SHOW INDEXES YIELD name, type, state RETURN name, type, state ORDER BY name")[1]


@pytest.fixture
def kept(store: Store) -> Iterator[list[list[Any]]]:
    """What is applied; put back afterwards, whatever the test did."""
    before = applied(store)
    yield before
    store.schema("MATCH (m:Migration) DETACH DELETE m")
    store.schema(
        "UNWIND $rows AS row CREATE (:Migration {version: row[0], name: row[1], checksum: row[2], dimensions: row[3], "
        "applied_at: datetime(row[4])})",
        rows=before,
    )
    assert applied(store) == before
    assert migrations.migrate(store, DIMENSIONS).pending == ()


@contextmanager
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **more: str) -> Iterator[None]:
    """The shipped migrations and some more."""
    shutil.copytree(statements.folder(), tmp_path, dirs_exist_ok=True)
    folder = tmp_path / "migrations"
    for name, text in more.items():
        (folder / f"{name}.cypher").write_text(text)
    root = statements.folder()
    with monkeypatch.context() as patch:
        patch.setattr(migrations.statements, "folder", lambda: tmp_path)
        yield
    assert statements.folder() == root


def test_shipped_in_order_without_gaps() -> None:
    found = migrations.shipped()
    assert [m.version for m in found] == list(range(1, len(found) + 1))
    assert all(len(m.checksum) == 64 for m in found)
    assert len({m.checksum for m in found}) == len(found)


def test_checksum_is_of_the_content_not_of_line_endings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = [m.checksum for m in migrations.shipped()]
    with scripts(tmp_path, monkeypatch):
        for path in (tmp_path / "migrations").iterdir():
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        assert [m.checksum for m in migrations.shipped()] == before
        path.write_bytes(path.read_bytes() + b"// more\r\n")
        assert [m.checksum for m in migrations.shipped()] != before


def test_a_misnamed_script_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripts(tmp_path, monkeypatch, V3__late="RETURN 1"), pytest.raises(SchemaError, match="V3__late"):
        migrations.shipped()


def test_statements_are_filled_in_and_apart() -> None:
    found = [s for m in migrations.shipped() for s in m.statements(DIMENSIONS)]
    assert len(found) >= 14
    assert all(
        re.match("CREATE .* IF NOT EXISTS |DROP INDEX .* IF EXISTS;?$|MATCH .* WHERE NOT .* IN TRANSACTIONS ", s)
        for s in found
    )
    assert not any("{{" in s or ";" in s.rstrip(";") for s in found)
    assert sum(f"`vector.dimensions`: {DIMENSIONS}" in s for s in found) == 10


def test_everything_is_applied_and_recorded(store: Store) -> None:
    found = migrations.status(store)
    assert found.pending == ()
    assert found.dimensions == DIMENSIONS
    assert [row[:4] for row in applied(store)] == [
        [m.version, m.name, m.checksum, DIMENSIONS] for m in migrations.shipped()
    ]
    migrations.require(migrations.status(store), DIMENSIONS)


def test_every_index_of_the_scripts_is_online(store: Store) -> None:
    last: dict[str, str] = {}  # what the last statement about each does
    for migration in migrations.shipped():
        for statement in migration.statements(DIMENSIONS):
            if found := re.match(r"(CREATE|DROP) [A-Z ]*?(\w+) IF ", statement):
                last[found[2]] = found[1]
    states = {name: state for name, _, state in indexes(store)}
    assert {states.get(name) for name, done in last.items() if done == "CREATE"} == {"ONLINE"}
    gone = {name for name, done in last.items() if done == "DROP"}
    assert gone == {
        "association_id", "association_slot", "association_superseded_by", "association_when", "merge_id",
    }  # fmt: skip
    assert gone.isdisjoint(states)


def test_a_second_run_changes_nothing(store: Store) -> None:
    before, made = applied(store), indexes(store)
    migrations.migrate(store, DIMENSIONS)
    assert (applied(store), indexes(store)) == (before, made)


def test_a_dry_run_says_and_does_nothing(store: Store, kept: list[list[Any]]) -> None:
    last = migrations.shipped()[-1]
    store.schema("MATCH (m:Migration {version: $v}) DELETE m", v=last.version)
    found = migrations.migrate(store, DIMENSIONS, dry_run=True)
    assert found.pending == (f"V{last.version:04d} {last.name.replace('_', ' ')}",)
    assert applied(store) == kept[:-1]
    with pytest.raises(SchemaError, match=r"pending.*oroi migrate"):
        migrations.require(migrations.status(store), DIMENSIONS)


def test_a_new_script_is_applied_once(
    store: Store, kept: list[list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "// Marks.\nCREATE (:OroiTestMark {n: 1});\nCREATE (:OroiTestMark {n: 2});\n"
    try:
        with scripts(tmp_path, monkeypatch, V9999__leave_marks=text):
            assert migrations.status(store).pending == ("V9999 leave marks",)
            for _ in range(2):
                assert migrations.migrate(store, DIMENSIONS).applied[-1] == "V9999 leave marks"
        assert store.explore("MATCH (x:OroiTestMark) RETURN x.n ORDER BY x.n")[1] == [[1], [2]]
    finally:
        store.schema("MATCH (x:OroiTestMark) DELETE x")


def test_six_at_once_apply_it_once(
    store: Store, store_settings: Any, kept: list[list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six connections of their own, as of six processes: nothing is shared but the database."""
    at, barrier = store_settings, threading.Barrier(6)

    def run(_: int) -> tuple[str, ...]:
        with Store(at.uri, at.user, at.password, at.database) as own:
            barrier.wait(timeout=60)
            return migrations.migrate(own, DIMENSIONS).pending

    try:
        with (
            scripts(tmp_path, monkeypatch, V9999__leave_a_mark="// Marks.\nCREATE (:OroiTestMark);\n"),
            ThreadPoolExecutor(6) as pool,
        ):
            assert list(pool.map(run, range(6))) == [()] * 6
        assert store.explore("MATCH (x:OroiTestMark) RETURN count(x)")[1] == [[1]]
        assert len(applied(store)) == len(kept) + 1
    finally:
        store.schema("MATCH (x:OroiTestMark) DELETE x")


def test_a_run_that_died_half_way_is_repeated(
    store: Store, kept: list[list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The script's first statement is done, its second failed, nothing is recorded: the next run completes it."""
    index = "CREATE INDEX oroi_test_half IF NOT EXISTS FOR (x:OroiTestHalf) ON (x.a);\n"
    try:
        with (
            scripts(tmp_path, monkeypatch, V9999__half=f"// Half.\n{index}CREATE NONSENSE;\n"),
            pytest.raises(StoreError, match="refused"),
        ):
            migrations.migrate(store, DIMENSIONS)
        assert "oroi_test_half" in {name for name, _, _ in indexes(store)}
        assert applied(store) == kept
        whole = tmp_path / "whole"
        whole.mkdir()
        with scripts(
            whole, monkeypatch, V9999__half=f"// Half.\n{index}{index.replace('half', 'rest').replace('x.a', 'x.b')}"
        ):
            assert migrations.migrate(store, DIMENSIONS).pending == ()
        assert {"oroi_test_half", "oroi_test_rest"} <= {name for name, _, _ in indexes(store)}
    finally:
        store.schema("DROP INDEX oroi_test_half IF EXISTS")
        store.schema("DROP INDEX oroi_test_rest IF EXISTS")


def test_a_changed_script_is_refused(store: Store, kept: list[list[Any]]) -> None:
    store.schema("MATCH (m:Migration {version: 1}) SET m.checksum = 'other'")
    for call in (
        migrations.status,
        lambda s: migrations.migrate(s, DIMENSIONS),
    ):
        with pytest.raises(SchemaError, match="V0001 create_constraints was changed after it was applied"):
            call(store)


def test_a_newer_database_is_refused(store: Store, kept: list[list[Any]]) -> None:
    store.schema("CREATE (:Migration {version: 9999, name: 'from_the_future', checksum: 'x', dimensions: 384})")
    for call in (migrations.status, lambda s: migrations.migrate(s, DIMENSIONS)):
        with pytest.raises(SchemaError, match=r"newer than this package.*V9999 from_the_future.*upgrade"):
            call(store)


def test_another_dimension_is_refused(store: Store) -> None:
    for call in (lambda: migrations.migrate(store, 3), lambda: migrations.require(migrations.status(store), 3)):
        with pytest.raises(SchemaError, match="dimension 384, the embedder has 3"):
            call()


def test_connect_refuses_before_anything_is_written(store: Store, store_settings: Any, kept: list[list[Any]]) -> None:
    at = store_settings
    given = {"embedder": ScriptedEmbedder(3), "extractor": ScriptedExtractor([])}
    with pytest.raises(SchemaError, match="dimension"):
        connect(at.uri, at.user, at.password, at.database, **given)
    store.schema("MATCH (m:Migration) WITH m ORDER BY m.version DESC LIMIT 1 DELETE m")
    given["embedder"] = ScriptedEmbedder(DIMENSIONS)
    with pytest.raises(SchemaError, match=r"1 migration\(s\) pending"):
        connect(at.uri, at.user, at.password, at.database, **given)
    assert applied(store) == kept[:-1]
