"""The one door to the database: its errors, its counting, its access modes."""

from __future__ import annotations

import logging
import socket
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from tables import table

from oroi_graph.errors import CredentialsError, SettingsError, StoreError, UnreachableError
from oroi_graph.storage import store as store_module
from oroi_graph.storage.store import Store, Transaction, vector

SECRET = "s3cr3t-of-nobody"


def test_repr_hides_the_password(store_settings: Any) -> None:
    at = store_settings
    with Store(at.uri, at.user, SECRET, at.database) as opened:
        assert SECRET not in repr(opened)
        assert at.uri in repr(opened)


def test_wrong_password_is_said_without_the_password(store_settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    at = store_settings
    caplog.set_level(logging.DEBUG)
    with Store(at.uri, at.user, SECRET, at.database) as opened, pytest.raises(CredentialsError) as raised:
        opened.verify()
    assert "OROI_NEO4J_PASSWORD" in str(raised.value)
    assert at.user in str(raised.value)
    assert SECRET not in str(raised.value) + caplog.text
    assert "\n" not in str(raised.value)


def test_nothing_answers() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: connections are refused
        with (
            Store(f"bolt://127.0.0.1:{taken.getsockname()[1]}", "neo4j", SECRET) as opened,
            pytest.raises(UnreachableError, match="oroi server start") as raised,
        ):
            opened.verify()
    assert SECRET not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_closed_connection_says_so(store_settings: Any) -> None:
    at = store_settings
    with Store(at.uri, at.user, at.password, at.database) as opened:
        opened.verify()
    with pytest.raises(StoreError, match=r"this connection was closed: open another"):
        opened.verify()
    opened.close()


def test_what_is_begun_ahead_is_answered_while_the_caller_goes_on(store_settings: Any) -> None:
    at = store_settings
    went_on = threading.Event()

    def slow(tx: Transaction) -> tuple[bool, int]:
        return went_on.wait(30), len(tx.run("storage/list_memories"))

    with Store(at.uri, at.user, at.password, at.database) as opened:
        future = opened.ahead(slow)
        assert not future.done()
        went_on.set()
        assert future.result(30) == (True, len(opened.rows("storage/list_memories")))
    with pytest.raises(StoreError, match=r"this connection was closed: open another"):
        opened.ahead(slow)


def test_what_waits_for_its_turn_when_the_connection_is_closed_is_told_so(
    store_settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    at, go_on = store_settings, threading.Event()
    monkeypatch.setattr(store_module, "AHEAD", 1)
    opened = Store(at.uri, at.user, at.password, at.database)
    busy = opened.ahead(lambda tx: go_on.wait(30))
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(opened.ahead, lambda tx: tx.run("storage/list_memories"))
        while not opened._ahead._work_queue.qsize():
            time.sleep(0.01)
        opened.close()
        go_on.set()
        assert busy.result(30)
        with pytest.raises(StoreError, match="closed"):
            waiting.result(30).result(30)


def test_what_fails_ahead_is_raised_where_it_is_asked_for() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with Store(f"bolt://127.0.0.1:{taken.getsockname()[1]}", "neo4j", SECRET, patience=0.0) as opened:
            future = opened.ahead(lambda tx: tx.run("storage/list_memories"))
            with pytest.raises(UnreachableError):
                future.result(30)


def test_within_a_rehearsal_what_is_begun_ahead_is_of_its_transaction(store: Store) -> None:
    name = f"rehearsed-{uuid.uuid4().hex[:8]}"

    def is_there(tx: Transaction) -> bool:
        return bool(tx.run("storage/read_memory", memory=name))

    with store.rehearsing() as rehearsed:
        given = {"model": "m", "dimensions": 3, "memory_key": "k", "stamp": "s"}
        rehearsed.write_rows("storage/create_memory", memory=name, **given)
        assert rehearsed.ahead(is_there).result(30)
    assert not store.ahead(is_there).result(30)


def test_unknown_host() -> None:
    with (
        Store("bolt://nowhere.invalid:7687", "neo4j", SECRET) as opened,
        pytest.raises(UnreachableError, match=r"nowhere\.invalid"),
    ):
        opened.verify()


@table("uri", ["", "localhost:7687", "http://localhost:7474", "bolt:/x", "postgres://x", "bolt://[x"])
def test_unusable_addresses(uri: str) -> None:
    with pytest.raises(SettingsError, match="unusable database address"):
        Store(uri, "neo4j", SECRET)


def test_unknown_database_is_named(store_settings: Any) -> None:
    at = store_settings
    with (
        Store(at.uri, at.user, at.password, "nosuchdatabase") as opened,
        pytest.raises(StoreError, match=r"nosuchdatabase.*OROI_NEO4J_DATABASE"),
    ):
        opened.verify()


def test_explore_cannot_write(store: Store) -> None:
    with pytest.raises(StoreError, match="read access"):
        store.explore("CREATE (x:OroiTestIntruder) RETURN x")
    assert store.explore("MATCH (x:OroiTestIntruder) RETURN count(x)")[1] == [[0]]


def test_explore_gives_columns_and_rows(store: Store) -> None:
    assert store.explore("UNWIND $xs AS x RETURN x, x * 2 AS twice", xs=[1, 2]) == (["x", "twice"], [[1, 2], [2, 4]])


def test_a_refused_query_says_why_in_one_line(store: Store) -> None:
    with pytest.raises(StoreError, match="refused the statement") as raised:
        store.explore("MATCH (x RETURN x")
    assert "\n" not in str(raised.value)


def test_a_read_transaction_cannot_write(store: Store) -> None:
    with pytest.raises(StoreError, match="read access"):
        store.one("storage/create_memory", memory="store-intruder", model="m", dimensions=1, memory_key="k")
    assert store.rows("storage/read_memory", memory="store-intruder") == []


def test_a_failed_write_leaves_nothing(store: Store) -> None:
    def work(tx: Any) -> None:
        tx.run("storage/create_memory", memory="store-half", model="m", dimensions=1, memory_key="k")
        raise ValueError("half-way")

    with pytest.raises(ValueError, match="half-way"):
        store.write(work)
    assert store.rows("storage/read_memory", memory="store-half") == []


def test_one_row_is_one_row(store: Store) -> None:
    with pytest.raises(StoreError, match="storage/read_memory returned 0 rows"):
        store.one("storage/read_memory", memory="nobody")


def test_what_the_server_remarks_is_for_tests_only(
    store_settings: Any, server_remarks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    at, deprecated = store_settings, "MATCH (n) RETURN id(n) LIMIT 0"
    with Store(at.uri, at.user, at.password, at.database) as opened:
        opened.explore(deprecated)
    assert [remark for remark in server_remarks if "id is deprecated" in remark] == server_remarks != []
    server_remarks.clear()
    monkeypatch.setattr(Store, "notifications", "OFF")
    with Store(at.uri, at.user, at.password, at.database) as opened:
        opened.explore(deprecated)
    assert server_remarks == []


def test_statements_are_counted(store: Store) -> None:
    before = store.sent
    store.read(lambda tx: [tx.run("storage/read_memory", memory="nobody") for _ in range(3)])
    store.batched("storage/delete_records", memory="nobody")
    assert store.sent == before + 4


def test_threads_share_a_store(store: Store) -> None:
    before, found = store.sent, []

    def work() -> None:
        found.extend(store.rows("storage/read_memory", memory="nobody") for _ in range(10))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[]] * 40
    assert store.sent == before + 40


@pytest.mark.alone
def test_what_is_held_is_released_by_an_error(store: Store) -> None:
    with pytest.raises(ValueError, match="mine"), store.holding("storage/hold_schema", by="one"):
        raise ValueError("mine")
    with store.holding("storage/hold_schema", by="two"):
        pass
    assert store.explore("MATCH (s:Schema) RETURN s.lock")[1] == [["two"]]


def test_vectors_arrive_as_they_were(store: Store) -> None:
    values = np.random.default_rng(0).normal(size=16).astype(np.float32)
    row = store.explore("CYPHER 25 RETURN toFloatList($v)", v=vector(values))[1][0][0]
    assert np.array_equal(np.array(row, dtype=np.float32), values)


def test_a_transaction_begins_along_with_its_first_statement(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    """The driver's switch for that is no public one: what it says it sends shows whether it is still there."""
    with caplog.at_level(logging.DEBUG, "neo4j.io"):
        store.write(lambda tx: tx.run("storage/read_schema"))
    said = [record.getMessage() for record in caplog.records]
    begun = next(place for place, line in enumerate(said) if "C: BEGIN" in line)
    answered = next(place for place, line in enumerate(said) if place > begun and "S: SUCCESS" in line)
    assert any("C: RUN" in line for line in said[begun:answered])


def test_the_drivers_log_names_parameters_without_their_values(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "neo4j.io"):
        store.rows(
            "working_set/version", memory=SECRET, version=0, stamp=SECRET, kept=16, more=([SECRET], {"a": SECRET})
        )
    assert "{memory, version, stamp, kept, more}" in caplog.text
    assert SECRET not in caplog.text
