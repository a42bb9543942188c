"""The store: the only module that owns a driver.

Each call names the database and whether it reads or writes (so that a cluster can route it); values are always
parameters; every driver error is raised as an error of this package. Statements are counted, so that tests and
benchmarks can say what an operation costs.

A `Store` may be shared by threads (the driver is thread-safe); from async code, call it in a worker thread
(`asyncio.to_thread`).
"""

from __future__ import annotations

import random
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, ClassVar, Literal, LiteralString, TypeVar
from urllib.parse import urlsplit

import neo4j
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    DatabaseError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
)
from neo4j.vector import Vector
from numpy.typing import NDArray

from oroi_graph.errors import (
    CredentialsError,
    DatabaseFailedError,
    InputError,
    OroiError,
    SettingsError,
    StoreError,
    UnreachableError,
)
from oroi_graph.storage import statements
from oroi_graph.storage.changes import KEPT, NUMBERING, UNREAD, Changes, Touched
from oroi_graph.storage.computing import awaited, waiting
from oroi_graph.storage.group_commit import GroupCommit

Row = dict[str, Any]
T = TypeVar("T")

EVERY = 64  # changes of a memory, two a turn, after which what they wrote joins the vector and full-text indexes
BATCH = 512  # of it in one transaction
AHEAD = 64  # statements of one store that are under way while their callers compute

_CLOSED = "this connection was closed: open another with oroi_graph.connect()"
_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


class Log:
    """Counts the statements of one transaction, and knows what they change; shared by all objects that stand for it."""

    def __init__(self, count: Callable[[], None]) -> None:
        self._count = count
        self.changes = Changes()
        self.touched: Touched | None = None  # by the next statement, if that is known

    def __call__(self) -> None:
        """A statement was sent."""
        self._count()


class Transaction:
    """Statements by name inside one transaction."""

    def __init__(self, transaction: neo4j.ManagedTransaction | neo4j.Transaction | _Apart, count: Log) -> None:
        self._transaction = transaction
        self._count = count

    def run(self, name: str, **parameters: object) -> list[Row]:
        """Send the statement `name`; its rows as dictionaries."""
        log, touched = self._count, self._count.touched
        log.touched = None
        log()
        if name in NUMBERING:
            memory = str(parameters["memory"])
            log.changes.note(memory, touched)
            parameters |= {"kept": KEPT, "marks": log.changes.marks[memory], "numbers": not log.changes.once}
        with waiting():
            result = self._transaction.run(statements.load(name), statements.parameters(parameters))
            names, records = result.keys(), list(result)
        # Not `record.data()`, which walks through every list (our statements return plain values, never nodes), nor
        # `dict(record)`, which looks up the place of every name in every record.
        rows = [dict(zip(names, record.values(), strict=True)) for record in records]
        if name in NUMBERING:
            for row in rows if not log.changes.once else ():
                log.changes.number(memory, row)
        elif name not in UNREAD and result.consume().counters.contains_updates:
            log.changes.note(str(parameters["memory"]), touched)
        return rows

    def change(self, name: str, touched: Touched | None, **parameters: object) -> list[Row]:
        """Send the statement `name`, which changes nothing but what is `touched` (None: not known)."""
        self._count.touched = touched
        return self.run(name, **parameters)

    def also(self, memory: str, touched: Touched | None) -> None:
        """Something that the statement before said it touched, besides what was known when it was sent; None: more
        than is told one by one."""
        self._count.changes.note(memory, touched)

    def number_once(self) -> None:
        """All that this transaction changes gets one number, at its end: it does the work of many."""
        self._count.changes.once = True

    def raise_versions(self) -> None:
        """Number what was changed and has no number yet: last in a transaction."""
        changes = self._count.changes
        for memory, marks in sorted(changes.marks.items()):
            for row in self.run("storage/raise_version", memory=memory, kept=KEPT, marks=marks):
                changes.number(memory, row)

    def one(self, name: str, **parameters: object) -> Row:
        """Send the statement `name`, which returns exactly one row."""
        rows = self.run(name, **parameters)
        if len(rows) != 1:
            raise StoreError(f"statement {name} returned {len(rows)} rows where one was expected")
        return rows[0]

    def ahead(self, name: str, **parameters: object) -> Callable[[], Row]:
        """Begin `one`; what comes back waits for its row.

        The caller goes on meanwhile if the statement is a transaction of its own, else it has been answered.
        """
        apart = self._transaction
        if not isinstance(apart, _Apart):
            answered = self.one(name, **parameters)
            return lambda: answered
        return partial(awaited, apart.store.ahead(lambda tx: tx.one(name, **parameters)))


class Writer(ABC):
    """Runs work in write transactions: the store itself, or an object that adds a condition to each transaction."""

    __slots__ = ()

    @abstractmethod
    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in one write transaction, which may be tried again: `work` must be idempotent."""

    def write_rows(self, name: str, **parameters: object) -> list[Row]:
        """Send the statement `name` in a write transaction of its own; its rows."""
        return self.write(lambda tx: tx.run(name, **parameters))

    def write_one(self, name: str, **parameters: object) -> Row:
        """The same for a statement that returns exactly one row."""
        return self.write(lambda tx: tx.one(name, **parameters))


class Store(Writer):
    """A driver, a database name, and the translation of its errors.

    patience: seconds for which a transaction is tried again after a transient failure or a lost connection.
    advice: says what to do when the database itself has failed. alive: raises an error of ours where the server has
    ended; asked before a connection is opened, so that the password is told to no other process, and nothing waits.
    """

    # What the server may remark about statements that work; users cannot act on it. The suite lets warnings through.
    notifications: ClassVar[Literal["OFF", "WARNING"]] = "OFF"

    def __init__(
        self,
        uri: str,
        user: str,
        password: str | None,
        database: str | None = None,
        *,
        patience: float = 30.0,
        advice: Callable[[], str] = lambda: "look at its disk and its log, then start it again",
        alive: Callable[[], None] = lambda: None,
    ) -> None:
        self.uri = uri
        self.advice = advice
        self.user = user
        self.database = database
        if "://" not in uri or uri.split("://")[0] not in _SCHEMES:
            raise SettingsError(f"unusable database address {uri!r}: it must start with one of {', '.join(_SCHEMES)}")
        self._patience = patience
        self._lock = threading.Lock()
        self._sent = 0
        self._closed = False
        self._changed: Counter[str] = Counter()  # changes of each memory since what they wrote was indexed
        self._lost = False  # whether the server was away when it was last asked
        try:
            local = urlsplit(uri).hostname in ("localhost", "127.0.0.1", "::1")
            # Over a network each statement is a round trip, and a whole group would wait for all of them.
            self._commits = GroupCommit(self._write, self._write_together) if local else None
            self._driver = neo4j.GraphDatabase.driver(
                uri,
                auth=(user, password) if password is not None else None,
                resolver=partial(_resolved, alive),
                notifications_min_severity=self.notifications,
                connection_timeout=10.0,
                max_transaction_retry_time=patience,
            )
        except (ConfigurationError, ValueError) as error:
            raise SettingsError(f"unusable database address {uri!r}: {_line(error)}") from error
        self._ahead = ThreadPoolExecutor(AHEAD, thread_name_prefix="oroi-ahead")

    def __repr__(self) -> str:
        return f"Store(uri={self.uri!r}, user={self.user!r}, database={self.database!r})"

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Index what was written, and close the driver's connections. What is asked afterwards raises StoreError."""
        if not self._closed and not self._lost:
            self.index(*list(self._changed))
        self._closed = True
        self._ahead.shutdown(wait=False)  # what has not begun yet finds the connection closed
        self._driver.close()

    @property
    def sent(self) -> int:
        """How many statements were sent so far."""
        return self._sent

    def verify(self) -> None:
        """Raise what is wrong with address or credentials; return if the database answers."""
        self.explore("RETURN 1")

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a read transaction, retried by the driver on transient failures."""
        with self._translated(), self._session(neo4j.READ_ACCESS) as session:
            return session.execute_read(lambda tx: work(Transaction(tx, Log(self._count))))

    def read_apart(self, work: Callable[[Transaction], T]) -> T:
        """Run `work`, each statement of which is a read transaction of its own: one round trip less than `read`.

        For statements that need no common snapshot, which the database would not give them in one transaction, either.
        """
        return self._apart(work, neo4j.READ_ACCESS)

    def locked(self, work: Callable[[Transaction], T]) -> T:
        """The same for statements that take locks, and write nothing."""
        return self._apart(work, neo4j.WRITE_ACCESS)

    def _apart(self, work: Callable[[Transaction], T], access: str) -> T:
        with self._translated():
            return work(Transaction(_Apart(self, access), Log(self._count)))

    def ahead(self, work: Callable[[Transaction], T]) -> Future[T]:
        """Begin `work` as `read_apart` does; the caller goes on meanwhile, and asks the future for what came of it.

        Returns when the first statement is on its way, as a rule: else this thread would keep the interpreter from the
        one that sends it, for as long as it computes.
        """
        begun = threading.Lock()  # in place of an event, which takes longer
        begun.acquire()

        def run() -> T:
            begun.release()  # the caller waits for the interpreter until this thread waits for the server
            return self.read_apart(work)

        try:
            future = self._ahead.submit(run)
        except RuntimeError as error:
            raise StoreError(_CLOSED) from error
        begun.acquire()
        return future

    def rows(self, name: str, **parameters: object) -> list[Row]:
        """Send the statement `name` in a read transaction of its own; its rows."""
        return self.read_apart(lambda tx: tx.run(name, **parameters))

    def one(self, name: str, **parameters: object) -> Row:
        """The same for a statement that returns exactly one row."""
        return self.read_apart(lambda tx: tx.one(name, **parameters))

    def write(self, work: Callable[[Transaction], T], *, memory: str | None = None) -> T:
        """Run `work` in a write transaction, retried on transient failures: it must be idempotent.

        memory: what a short work locks first and touches alone; of a database on this machine, such works may
        share a commit (`group_commit`).
        """
        result = self._write(work) if memory is None or self._commits is None else self._commits.write(work, memory)
        with self._lock:
            names = [*self._changed] if memory is None else [memory]
            due = [name for name in names if self._changed[name] >= EVERY]
        self.index(*due)
        return result

    def index(self, *memories: str) -> None:
        """Let what was written of some memories join the vector and full-text indexes. Recall does not wait for it, so
        what fails here is not tried again, and not told: it is indexed another time."""
        for memory in memories:
            with self._lock:
                self._changed.pop(memory, None)
            values = {"memory": memory, "token": str(time.time_ns()), "most": BATCH}
            with suppress(OroiError):
                while self._once("storage/index_new", **values)["indexed"] == BATCH:
                    pass

    def forget_changes(self, memory: str) -> None:
        """Nothing that was written of a memory waits to be indexed: it was deleted."""
        with self._lock:
            self._changed.pop(memory, None)

    def _once(self, name: str, **parameters: object) -> Row:
        """Send one statement in a write transaction that is not tried again."""
        with self._translated(), self._session(neo4j.WRITE_ACCESS) as session, session.begin_transaction() as tx:
            row = Transaction(tx, Log(self._count)).one(name, **parameters)
            tx.commit()
            return row

    def _write(self, work: Callable[[Transaction], T]) -> T:
        with self._translated(), self._session(neo4j.WRITE_ACCESS) as session:
            result, changed = session.execute_write(lambda tx: self._numbered(tx, work))
        self._count_changes(changed)
        return result

    def _write_together(self, works: Sequence[Callable[[Transaction], Any]]) -> list[Any]:
        with self._session(neo4j.WRITE_ACCESS) as session, session.begin_transaction() as transaction:
            found = [self._numbered(transaction, work) for work in works]
            transaction.commit()
        for _, changed in found:
            self._count_changes(changed)
        return [result for result, _ in found]

    def _count_changes(self, changed: Iterable[str]) -> None:
        """Count changes of memories that were committed."""
        with self._lock:
            self._changed.update(changed)

    def _numbered(
        self, tx: neo4j.ManagedTransaction | neo4j.Transaction, work: Callable[[Transaction], T]
    ) -> tuple[T, list[str]]:
        """Run `work`, and number what it changed; what it returns, and the memories that it changed."""
        transaction = Transaction(tx, Log(self._count))
        result = work(transaction)
        transaction.raise_versions()
        return result, list(transaction._count.changes.numbered)

    def batched(self, name: str, **parameters: object) -> list[Row]:
        """Send a statement that commits its own batches (`CALL … IN TRANSACTIONS`)."""
        with self._translated(), self._session(neo4j.WRITE_ACCESS) as session:
            self._count()
            return [record.data() for record in session.run(statements.load(name), statements.parameters(parameters))]

    def schema(self, text: str, **parameters: object) -> list[Row]:
        """Send one schema statement of a migration, which is text of ours, never of a user's.

        It is sent again after a transient failure: constraints that two processes create at once deadlock.
        """
        with self._translated(), self._session(neo4j.WRITE_ACCESS) as session:
            self._count()
            if "IN TRANSACTIONS" in text:  # which commits its own batches
                return [record.data() for record in session.run(statements.language(text), parameters)]
            return session.execute_write(
                lambda tx: [record.data() for record in tx.run(statements.language(text), parameters)]
            )

    @contextmanager
    def holding(self, name: str, **parameters: object) -> Iterator[None]:
        """Keep the locks that statement `name` takes until the block ends (released if this process dies)."""
        with self._translated(), self._session(neo4j.WRITE_ACCESS) as session:
            self._count()
            transaction = self._locked(session, name, parameters)
            with transaction:
                yield
                transaction.commit()

    @contextmanager
    def rehearsing(self) -> Iterator[Store]:
        """A store whose works, reading and writing, share one transaction, which is rolled back when the block ends.

        What it locks stays locked until then. A transient failure is not tried again.
        """
        with self._translated(), self._session(neo4j.WRITE_ACCESS) as session:
            transaction = session.begin_transaction()
            try:
                yield _Rehearsal(self, transaction)
            finally:
                transaction.close()  # without a commit: rolled back

    def _locked(self, session: neo4j.Session, name: str, parameters: dict[str, object]) -> neo4j.Transaction:
        """A transaction that holds the locks of statement `name`; a deadlock with others is tried again."""
        deadline = time.monotonic() + self._patience
        while True:
            transaction = session.begin_transaction()
            try:
                transaction.run(statements.load(name), statements.parameters(parameters)).consume()
            except Neo4jError as error:
                transaction.close()
                if not error.is_retryable() or time.monotonic() > deadline:
                    raise
                time.sleep(random.uniform(0.05, 0.5))  # noqa: S311 so that two do not meet again
            else:
                return transaction

    def explore(
        self, text: str, limits: tuple[float, int] | None = None, /, **parameters: object
    ) -> tuple[list[str], list[list[Any]]]:
        """A person's own query, in read access mode: column names and rows of plain values.

        limits: seconds after which the server gives up, and rows after which no more are read; None: none.
        """
        seconds, most = limits or (None, None)
        with self._translated(), self._session(neo4j.READ_ACCESS) as session:
            result = session.run(neo4j.Query(text, timeout=seconds), parameters)
            return list(result.keys()), [list(record.values()) for record in islice(result, most)]

    def plan(self, name: str) -> Row:
        """The server's plan of the statement `name`, which isn't run; raises StoreError if it is not valid."""
        explained = statements.load(name, prefix="EXPLAIN ")
        with self._translated(), self._session(neo4j.READ_ACCESS) as session:
            # With a map of parameters, though empty, it is planned as what is run, and kept, apart from that; without
            # one, the server makes another plan each time.
            return dict(session.run(explained, statements.parameters({})).consume().plan or {})

    @contextmanager
    def _session(self, mode: str) -> Iterator[neo4j.Session]:
        if self._closed:
            raise StoreError(_CLOSED)
        # One bookmark manager: what this store wrote, it reads, on a cluster too.
        with (
            self._driver.session(
                database=self.database,
                default_access_mode=mode,
                bookmark_manager=self._driver.execute_query_bookmark_manager,
            ) as session,
            # What begins a transaction is sent along with its first statement: one round trip less. The driver has this
            # switch for `Driver.execute_query`; one without it waits for the answer.
            getattr(session, "_pipelined_begin", nullcontext()),
        ):
            yield session

    def _count(self) -> None:
        with self._lock:
            self._sent += 1

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
            self._lost = False
        except AuthError as error:
            raise CredentialsError(self.uri, self.user) from error
        except ServiceUnavailable as error:
            self._lost = True
            raise UnreachableError(self.uri, _line(error)) from error
        except ClientError as error:
            raise StoreError(_client_message(error)) from error
        except OverflowError as error:
            raise InputError("a number is too large to be stored: give one below 2^63") from error
        except UnicodeError as error:  # half of a character pair, or a host name that is none
            raise InputError(f"a text is not valid Unicode, or the host no valid name ({_line(error)})") from error
        except DatabaseError as error:
            raise DatabaseFailedError(f"Neo4j at {self.uri} failed ({_line(error)}): {self.advice()}") from error
        except (Neo4jError, DriverError) as error:
            raise StoreError(f"Neo4j at {self.uri}: {_line(error)}") from error


@dataclass(frozen=True, slots=True)
class Answer:
    """A result that was read to its end: what `Transaction.run` asks of one."""

    names: Sequence[str]
    records: Sequence[neo4j.Record]
    summary: neo4j.ResultSummary

    def keys(self) -> Sequence[str]:
        """As of a result."""
        return self.names

    def __iter__(self) -> Iterator[neo4j.Record]:
        return iter(self.records)

    def consume(self) -> neo4j.ResultSummary:
        """As of a result."""
        return self.summary


class _Apart:
    """Stands for a driver's transaction; commits each statement by itself."""

    def __init__(self, store: Store, access: str) -> None:
        self.store, self._access = store, access

    def run(self, text: LiteralString, parameters: dict[str, object]) -> Answer:
        with self.store._session(self._access) as session:
            try:
                return self._answer(session.run(text, parameters))
            except (Neo4jError, DriverError) as error:
                if not error.is_retryable():
                    raise
            # The driver tries a transaction again, but no single statement.
            again = session.execute_read if self._access == neo4j.READ_ACCESS else session.execute_write
            return again(lambda tx: self._answer(tx.run(text, parameters)))

    @staticmethod
    def _answer(result: neo4j.Result) -> Answer:
        return Answer(result.keys(), list(result), result.consume())


class _Rehearsal(Store):
    """A store within a transaction of another one, which lives as long."""

    def __init__(self, of: Store, transaction: neo4j.Transaction) -> None:
        self.__dict__.update(of.__dict__)
        self._transaction = transaction

    def read(self, work: Callable[[Transaction], T]) -> T:
        return work(Transaction(self._transaction, Log(self._count)))

    def _apart(self, work: Callable[[Transaction], T], access: str) -> T:
        return self.read(work)

    def ahead(self, work: Callable[[Transaction], T]) -> Future[T]:
        future: Future[T] = Future()
        future.set_result(self.read(work))
        return future

    def write(self, work: Callable[[Transaction], T], *, memory: str | None = None) -> T:
        return self.read(work)


def _resolved(alive: Callable[[], None], address: neo4j.Address) -> list[neo4j.Address]:
    """The address itself, asked for before a connection is opened; raises what `alive` does."""
    alive()
    return [address]


def vector(values: NDArray[Any]) -> Vector:
    """One row of floats as the driver's vector type: much cheaper to send than a list (float32)."""
    return Vector.from_numpy(values.astype("float32", copy=False))


def written_vector(values: NDArray[Any]) -> Row:
    """One row of floats as statements write it: `floats`, a vector of the driver, for indexes and for people; `bytes`,
    the same (float32, big-endian), from which a memory is loaded: a list of numbers takes the server several times as
    long to read."""
    floats = vector(values)
    return {"floats": floats, "bytes": floats.raw()}


def _line(error: Exception) -> str:
    """The first line of an error's text, at most 300 characters."""
    text = (getattr(error, "message", None) or str(error) or type(error).__name__).strip()
    return text.splitlines()[0][:300] if text else type(error).__name__


def _client_message(error: ClientError) -> str:
    code = error.code or ""
    if code.endswith("Database.DatabaseNotFound"):
        return f"{_line(error)}: check OROI_NEO4J_DATABASE"
    if "TransactionTimedOut" in code:
        return "the query did not end within its time: give it more (--timeout), or ask for less"
    if "Statement.AccessMode" in code:
        return "this is read access: the query tried to write, and nothing was changed"
    return f"Neo4j refused the statement: {_line(error)}"
