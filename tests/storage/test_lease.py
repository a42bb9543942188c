"""Leases on the real server: one holder at a time, whoever lost it commits nothing, whoever dies is replaced."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from locations import SUPPORT
from waiting import PATIENCE, waited

from oroi_graph.errors import BusyError, LeaseLostError, MemoryNotFoundError, StoreError
from oroi_graph.storage import catalog
from oroi_graph.storage.lease import Lease, acquire, leased
from oroi_graph.storage.store import Store, Transaction

HOLDER = SUPPORT / "hold_leases.py"
SHORT = 1.0  # seconds


@pytest.fixture
def name(store: Store) -> Iterator[str]:
    """An empty memory of this test's own."""
    made = f"lease-{uuid.uuid4().hex[:10]}"
    catalog.create(store, made, "scripted", 384)
    yield made
    if catalog.remaining(store, made):
        assert catalog.delete(store, made) == 0


def state(store: Store, name: str) -> dict[str, Any]:
    """The memory's own properties."""
    [row] = store.schema("MATCH (m:Memory {name: $name}) RETURN properties(m) AS m", name=name)
    return dict(row["m"])


@pytest.fixture
def add(name: str) -> Callable[[Transaction], None]:
    """Work for `Lease.write`: it adds one to the memory's clock."""

    def work(tx: Transaction) -> None:
        tx._transaction.run("MATCH (m:Memory {name: $name}) SET m.turn = m.turn + 1", name=name).consume()

    return work


def taken(store: Store, name: str, seconds: float = SHORT) -> Lease | None:
    """The lease, or None where somebody has it."""
    try:
        return acquire(store, name, seconds=seconds)
    except BusyError:
        return None


def test_one_holder_at_a_time(store: Store, name: str, add: Callable[[Transaction], None]) -> None:
    first = acquire(store, name, "first")
    with pytest.raises(BusyError, match="is being consolidated by first: wait") as refused:
        acquire(store, name, "second")
    assert refused.value.owner == "first"
    first.write(add)
    assert state(store, name)["turn"] == 1


def test_the_same_owner_is_no_exception(store: Store, name: str) -> None:
    acquire(store, name, "first")
    with pytest.raises(BusyError):
        acquire(store, name, "first")


def test_threads_that_want_it_at_once(store: Store, name: str) -> None:
    gate = threading.Barrier(8)

    def compete(_: int) -> Lease | None:
        gate.wait(PATIENCE)
        return taken(store, name, 60)

    with ThreadPoolExecutor(8) as pool:
        won = [lease for lease in pool.map(compete, range(8)) if lease is not None]
    assert len(won) == 1
    assert state(store, name)["lease_owner"] == won[0].owner


def test_it_is_given_back_and_the_fence_rises(store: Store, name: str) -> None:
    fences = []
    for _ in range(3):
        with leased(store, name) as lease:
            fences.append(lease.fence)
    assert fences == [1, 2, 3]
    left = state(store, name)
    assert {key for key in left if key.startswith("lease")} == {"lease_fence"}


def test_it_is_given_back_after_an_error(store: Store, name: str) -> None:
    with pytest.raises(ZeroDivisionError), leased(store, name):
        _ = 1 / 0
    assert taken(store, name) is not None


def test_it_runs_out_and_whoever_had_it_writes_nothing(
    store: Store, name: str, add: Callable[[Transaction], None]
) -> None:
    late = acquire(store, name, seconds=SHORT)
    new = waited(lambda: taken(store, name, 60))
    assert new.fence == late.fence + 1
    for attempt in (lambda: late.write(add), late.renew):
        with pytest.raises(LeaseLostError, match="was lost to another worker"):
            attempt()
    assert state(store, name)["turn"] == 0
    late.release()
    assert state(store, name)["lease_owner"] == new.owner
    new.write(add)
    assert state(store, name)["turn"] == 1


def test_one_of_the_same_owner_is_another_lease(store: Store, name: str, add: Callable[[Transaction], None]) -> None:
    late = acquire(store, name, "one", seconds=0.001)
    new = waited(lambda: again(store, name))
    with pytest.raises(LeaseLostError):
        late.write(add)
    late.release()
    new.write(add)
    assert state(store, name)["turn"] == 1


def again(store: Store, name: str) -> Lease | None:
    try:
        return acquire(store, name, "one")
    except BusyError:
        return None


def test_one_that_ran_out_unnoticed_goes_on(store: Store, name: str, add: Callable[[Transaction], None]) -> None:
    lease = acquire(store, name, seconds=0.001)
    lease.write(add)
    assert state(store, name)["turn"] == 1


def test_every_write_renews_it(store: Store, name: str, add: Callable[[Transaction], None]) -> None:
    lease = acquire(store, name, seconds=60)
    before = state(store, name)["lease_until"]
    lease.write(add)
    between = state(store, name)["lease_until"]
    lease.renew()
    assert before < between < state(store, name)["lease_until"]


def test_what_fails_leaves_nothing_written(store: Store, name: str, add: Callable[[Transaction], None]) -> None:
    def failing(tx: Transaction) -> None:
        add(tx)
        raise ZeroDivisionError

    lease = acquire(store, name)
    with pytest.raises(ZeroDivisionError):
        lease.write(failing)
    assert state(store, name)["turn"] == 0


def test_it_is_kept_for_longer_than_it_lasts(store: Store, name: str) -> None:
    with leased(store, name, seconds=SHORT) as lease:
        took = state(store, name)["lease_until"]
        # Three lifetimes by the database's clock, in which nobody writes.
        waited(lambda: store.schema("RETURN datetime() > $at + duration({seconds: 3}) AS past", at=took)[0]["past"])
        assert taken(store, name) is None
        lease.renew()
    assert taken(store, name) is not None


def test_keeping_ends_when_it_is_lost(store: Store, name: str) -> None:
    lease = acquire(store, name, seconds=SHORT)
    with lease.kept() as lost:
        assert not lost.is_set()
        store.schema(
            "MATCH (m:Memory {name: $name}) SET m.lease_owner = 'other', m.lease_fence = m.lease_fence + 1, "
            "m.lease_until = datetime() + duration({minutes: 1})",
            name=name,
        )
        assert lost.wait(PATIENCE)
        waited(lambda: not [thread for thread in threading.enumerate() if thread.name == f"lease of {name}"])
    assert state(store, name)["lease_owner"] == "other"


def test_no_thread_is_left_behind(store: Store, name: str) -> None:
    with leased(store, name, seconds=60):
        assert [thread.daemon for thread in threading.enumerate() if thread.name == f"lease of {name}"] == [True]
    waited(lambda: not [thread for thread in threading.enumerate() if thread.name == f"lease of {name}"])


def test_giving_back_late_takes_nothing_from_who_has_it_now(
    store: Store, store_settings: Any, name: str, add: Callable[[Transaction], None]
) -> None:
    """Somebody takes over an expired lease, not yet committed, while its holder gives it back."""
    late = acquire(store, name, seconds=0.001)
    releasing = threading.Thread(target=late.release)

    def take_over(tx: Transaction) -> int:
        [row] = tx.run("storage/acquire", memory=name, owner="new", seconds=60)
        releasing.start()
        # It has come as far as it can: to the lock that this transaction holds.
        waited(lambda: store.schema("SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN status"))
        return int(row["fence"])

    fence = store.write(take_over)
    releasing.join(PATIENCE)
    assert state(store, name)["lease_owner"] == "new"
    Lease(store, name, "new", fence).write(add)
    assert state(store, name)["turn"] == 1


@pytest.mark.parametrize("mark", ["deleting", "reembedding", "importing"])
def test_a_memory_that_is_unusable_takes_no_more(
    store: Store, name: str, mark: str, add: Callable[[Transaction], None]
) -> None:
    lease = acquire(store, name)
    store.schema(f"MATCH (m:Memory {{name: $name}}) SET m.{mark} = true", name=name)
    with pytest.raises(LeaseLostError):
        lease.write(add)
    assert state(store, name)["turn"] == 0
    with pytest.raises(StoreError, match="is being"):
        acquire(store, name)
    store.schema(f"MATCH (m:Memory {{name: $name}}) REMOVE m.{mark}", name=name)


def test_a_memory_that_is_deleted_in_between(store: Store, name: str, add: Callable[[Transaction], None]) -> None:
    with leased(store, name) as lease:
        assert catalog.delete(store, name) == 0
        with pytest.raises(LeaseLostError):
            lease.write(add)
    with pytest.raises(MemoryNotFoundError):
        acquire(store, name)
    assert catalog.remaining(store, name) == 0


def test_a_database_out_of_reach_does_not_hide_the_error(store_settings: Any, store: Store, name: str) -> None:
    """Giving back is tried only: what ended the block is what the caller hears."""
    own = Store(store_settings.uri, store_settings.user, store_settings.password)

    def interrupted() -> None:
        with leased(own, name, seconds=SHORT):
            own.close()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        interrupted()
    assert waited(lambda: taken(store, name)) is not None


def test_processes_compete_and_one_is_killed(store_settings: Any, store: Store, name: str) -> None:
    environment = {
        **os.environ,
        "HOLDER_USER": store_settings.user,
        "HOLDER_PASSWORD": store_settings.password,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    started = [
        subprocess.Popen(
            [sys.executable, str(HOLDER), store_settings.uri, name, "1.5"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )
        for _ in range(3)
    ]  # fmt: skip
    try:
        for process in started:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in started:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        said = [process.stdout.readline().strip() for process in started if process.stdout]
        assert sorted(said) == ["1", "busy", "busy"]
        holder = started[said.index("1")]
        owner = state(store, name)["lease_owner"]
        assert f":{holder.pid}:" in owner
        holder.kill()
        holder.wait(PATIENCE)
        assert state(store, name)["lease_owner"] == owner, "it had no time to give it back"
        assert waited(lambda: taken(store, name)).fence == 2
    finally:
        for process in started:
            process.kill()
            process.communicate(timeout=PATIENCE)
