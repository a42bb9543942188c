"""Latency of perceive, recall and close, warm, beside the floor of the same statements sent bare.

    python benchmarks/latency.py [--sizes 1000 10000 100000 1000x100] [--samples 100] [--json OUT]

**What is timed.** `perceive`: `Memory.perceive` with the extraction given; `recall`: `Memory.recall`; `close`:
`Turn.close` with a reply. All texts are embedded beforehand, so the model is out of it, while the cache in front of
it, the reading of the question and everything else in Python are in. Every sample has been preceded by a warm-up.

**The floor.** Each memory has a twin: the same graph under another name. An operation runs on the memory while its
statements and parameters are noted; then the bare driver sends those statements to the twin, in one managed
transaction, its commit included, with the same parameters but for the memory's name. So the floor does the same work
on the same graph, writes and index updates too, and the twins stay equal from sample to sample: nothing is rolled
back, nothing is found already done, and neither side finds pages that the other one has just warmed. Operation and
floor take turns (for recall, which writes nothing, every second sample begins with the floor, its statements noted
in an earlier, untimed run). `ratio` is the median of operation / floor over the samples, which load on the machine
moves least; p50 and p95 are in ms. Since a recall sends little more than one statement, its floor is that round trip.

**A window.** `month` is recall of the same questions with a month in them ("… in June 2024"), asked in turns with the
plain ones: p50 and p95 of both, the median of their ratios, and how many records the months held.

**Not warm.** `cold_ms` is the first recall over new connections by a graph that never read the memory, as in a process
that has just begun (its imports and its model apart); `foreign_ms` is recall after a turn that another graph wrote.
Both have no floor, and come last, since the twins do not take part in them.

One size at a time is in the database; `MxN` is M memories of N concepts, half of them twins of the others.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from typing import Any, TypeVar

import neo4j
import numpy as np
from figures import quantiles
from graphs import FEWEST, SPEAKER, START, SyntheticGraph, Vocabulary, await_indexes, make, write
from servers import Address, add_arguments, prepare_schema, read_settings, serving

from oroi_graph.connection import open_embedder
from oroi_graph.errors import InputError, OroiError
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.language.normalize import memory_key, without_names
from oroi_graph.memory import Graph, Memory
from oroi_graph.model import ExtractedConcept, ExtractedRelation, Extraction, TurnInput
from oroi_graph.perception.pipeline import prepare
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.storage import statements
from oroi_graph.storage.changes import KEPT, NUMBERING
from oroi_graph.storage.store import Answer, Store, Transaction

# Two that write and one that says where the memory stands; of a large memory the server searches the vectors, too, two
# at a time.
MOST_STATEMENTS = {"perceive": 5, "recall": 4, "close": 3}
MOST_MONTH = {"10000": 1.5}  # p50 of recall with a month in the question / without
MOST_MS: Mapping[str, Mapping[str, Mapping[str, float]]] = {  # by operation and concepts, on an idle machine
    "recall": {"1000": {"p50": 8.0}, "10000": {"p50": 12.0, "p95": 25.0}, "100000": {"p50": 35.0}},
    "perceive": {"10000": {"p50": 25.0}},
    "close": {"10000": {"p50": 12.0}},
}
GROWN = ("10000", "100000")  # concepts whose times are told as multiples of those at 1,000
MOST_COLD = {"1000": 150.0, "10000": 1_200.0, "100000": 5_000.0}  # p50 in ms of a first recall, on an idle machine
COLD = 5  # first recalls
WARM_UP = 25  # samples not counted, per size
AT = datetime(2026, 3, 2, 10, tzinfo=UTC)

_SPANISH = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()
_OURS = re.compile(r"bench-\d+(?:-twin)?")
_SIZE = re.compile(r"(?:(\d+)x)?(\d+)")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sent:
    """One statement of an operation, and how long its answer took (seconds)."""

    name: str
    parameters: dict[str, Any]
    seconds: float


class NotedTransaction:
    """The driver's transaction, noted: whatever stands for a transaction of ours sends its statements through it."""

    def __init__(self, transaction: Any, noted: list[Sent]) -> None:
        self._transaction, self._noted = transaction, noted

    def run(self, text: str, parameters: dict[str, Any]) -> Answer:
        """Send a statement, read its answer and note both."""
        begin = time.perf_counter()
        result = self._transaction.run(text, parameters)
        answer = Answer(result.keys(), list(result), result.consume())
        self._noted.append(Sent(_names()[text], statements.values(parameters), time.perf_counter() - begin))
        return answer


@cache
def _names() -> dict[str, str]:
    """The name of each statement, by its text."""
    return {statements.load(name): name for name in statements.names()}


class NotedStore(Store):
    """A store that notes the statements of an operation in `noted`, which is emptied before each."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.noted: list[Sent] = []

    def read(self, work: Callable[[Transaction], T]) -> T:
        """As `Store.read`, noted."""
        return super().read(lambda tx: work(Transaction(self._note(tx._transaction), tx._count)))

    def read_apart(self, work: Callable[[Transaction], T]) -> T:
        """As `Store.read_apart`, noted."""
        return super().read_apart(lambda tx: work(Transaction(self._note(tx._transaction), tx._count)))

    def _numbered(self, tx: Any, work: Callable[[Transaction], T]) -> T:
        return super()._numbered(self._note(tx), work)

    def _note(self, transaction: Any) -> Any:
        """The driver's transaction, noted."""
        return NotedTransaction(transaction, self.noted)


@dataclass(slots=True)
class Samples:
    """Seconds of one operation and of its floor, in pairs; statements sent, and the seconds of each."""

    operation: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)
    statements: list[int] = field(default_factory=list)
    by_statement: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, operation: float, floor: float, sent: int, noted: Sequence[Sent]) -> None:
        """One pair. Raises OroiError where the operation sent statements and none was noted: the floor was nothing."""
        if sent and not noted:
            raise OroiError("the statements of an operation were not noted")
        self.operation.append(operation)
        self.floor.append(floor)
        self.statements.append(sent)
        for statement in noted:
            self.by_statement[statement.name].append(statement.seconds)

    def report(self) -> dict[str, Any]:
        """The figures; times in ms."""
        pairs = np.array(self.operation) / np.array(self.floor)
        return {
            "operation_ms": quantiles(self.operation),
            "floor_ms": quantiles(self.floor),
            "ratio": round(float(np.median(pairs)), 3),
            "statements": {"mean": round(float(np.mean(self.statements)), 2), "max": max(self.statements)},
            "by_statement_ms": {name: quantiles(seconds) for name, seconds in self.by_statement.items()},
            "n": len(self.operation),
        }


@dataclass(frozen=True, slots=True)
class Said:
    """One turn to perceive, its reply, and a question to ask."""

    text: str
    extraction: Extraction
    reply: str
    question: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A memory, the name of its twin, and what will be said in it, sample by sample."""

    memory: Memory
    twin: str
    script: tuple[Said, ...]


class Bench:
    """The database and the providers of one run."""

    def __init__(self, address: Address, embedder: CachedEmbedder) -> None:
        self.driver = neo4j.GraphDatabase.driver(
            address.uri, auth=(address.user, address.password), notifications_min_severity="OFF"
        )
        self.database = address.database or None
        self.store = NotedStore(address.uri, address.user, address.password, self.database)
        self.embedder = embedder
        self._password = address.password
        self.graph = Graph(self.store, embedder, OfflineExtractor())

    def close(self) -> None:
        """Close the connections."""
        self.store.close()
        self.driver.close()

    def prepare(self) -> None:
        """Bring the schema, delete what a killed run left; refuse a database neither empty nor marked for tests."""
        prepare_schema(self.store, self.embedder.dimensions)
        self._clear()

    def measure(self, size: str, samples: int, vocabulary: Vocabulary) -> dict[str, Any]:
        """Build the memories of one size, measure, delete them."""
        memories, concepts = read_size(size)
        begin = time.perf_counter()
        try:
            pairs = [self._pair(i, memories, concepts, samples, vocabulary) for i in range(memories // 2)]
            await_indexes(self.driver, self.database)
            built = time.perf_counter() - begin
            month = self._months(pairs, samples)
            measured = {
                "recall": self._recalls(pairs, samples),
                **self._turns(pairs, samples),
            }
            cold = self._cold(pairs)
        finally:
            self._clear()
        reports = {name: found.report() for name, found in measured.items()}
        return {"built_s": round(built, 1), **reports, "month": month, **cold}

    def _pair(self, i: int, memories: int, concepts: int, samples: int, vocabulary: Vocabulary) -> Pair:
        name, twin = f"bench-{i}", f"bench-{i}-twin"
        graph = make(name, concepts, vocabulary, seed=i)
        for each in (name, twin):
            self.graph.memory(each)
            write(self.driver, self.database, each, graph, wait=False)
        turns = -(-2 * (samples + WARM_UP) // memories)
        return Pair(self.graph.memory(name), twin, tuple(script(graph, turns, seed=i)))

    def _clear(self) -> None:
        """Delete every memory of ours, those of a size whose building failed or was killed, too."""
        for found in self.graph.memories():
            if _OURS.fullmatch(found.name):
                self.graph.delete(found.name)

    def _turns(self, pairs: Sequence[Pair], samples: int) -> dict[str, Samples]:
        """Perceive and close, turn by turn, each followed by its floor on the twin."""
        perceived, closed = Samples(), Samples()
        for k in range(-WARM_UP, samples):
            pair = pairs[k % len(pairs)]
            memory, said = pair.memory, pair.script[(k + WARM_UP) // len(pairs)]
            id_, at = f"turn-{k}", AT + timedelta(hours=k)
            self._embed(memory, said, at)
            took, sent, turn = self._timed(
                memory.perceive, said.text, speaker=SPEAKER, id=id_, at=at, session="bench", extraction=said.extraction
            )
            noted = self.store.noted
            floor = self._bare(noted, pair, neo4j.WRITE_ACCESS)
            if k >= 0:
                perceived.add(took, floor, sent, noted)
            took, sent, _ = self._timed(turn.close, said.reply)
            noted = self.store.noted
            floor = self._bare(noted, pair, neo4j.WRITE_ACCESS)
            if k >= 0:
                closed.add(took, floor, sent, noted)
        return {"perceive": perceived, "close": closed}

    def _recalls(self, pairs: Sequence[Pair], samples: int) -> Samples:
        """Recall and its floor on the twin, in turns."""
        found = Samples()
        for k in range(-WARM_UP, samples):
            pair = pairs[k % len(pairs)]
            question = pair.script[(k + WARM_UP) // len(pairs)].question
            ask = partial(pair.memory.recall, question, speaker=SPEAKER, at=AT)
            self._timed(ask)  # embeds, and notes what the floor sends
            first = self._bare(self.store.noted, pair, neo4j.READ_ACCESS) if k % 2 else None
            took, sent, _ = self._timed(ask)
            noted = self.store.noted
            floor = self._bare(noted, pair, neo4j.READ_ACCESS) if first is None else first
            if k >= 0:
                found.add(took, floor, sent, noted)
        return found

    def _months(self, pairs: Sequence[Pair], samples: int) -> dict[str, Any]:
        """Recall of questions that name a month beside the same questions without, in turns."""
        plain, windowed, records = [], [], []
        for k in range(-WARM_UP, samples):
            pair = pairs[k % len(pairs)]
            question = pair.script[(k + WARM_UP) // len(pairs)].question
            month = START + timedelta(days=31 * (1 + k % 6))
            name = f"en {_SPANISH[month.month - 1]} de {month.year}" if "¿" in question else f"in {month:%B %Y}"
            asked = (question, f"{question.rstrip('?')} {name}?")
            took = {}
            for text in asked if k % 2 else asked[::-1]:
                ask = partial(pair.memory.recall, text, speaker=SPEAKER, at=AT)
                ask()  # embeds
                took[text], _, found = self._timed(ask)
                if found.windows and k >= 0:
                    records.append(found.windows[0].records)
            if k >= 0:
                plain.append(took[asked[0]])
                windowed.append(took[asked[1]])
        return {
            "month_ms": quantiles(windowed),
            "plain_ms": quantiles(plain),
            "ratio": round(float(np.median(windowed) / np.median(plain)), 3),
            "records": {"median": float(np.median(records)) if records else 0.0, "windows": len(records)},
            "n": len(plain),
        }

    def _cold(self, pairs: Sequence[Pair]) -> dict[str, dict[str, float]]:
        """The first recall of graphs that never read a memory, and recall after the turn that each of them wrote."""
        first, foreign = [], []
        for k in range(COLD):
            pair = pairs[k % len(pairs)]
            said, at = pair.script[k % len(pair.script)], AT + timedelta(days=365, hours=k)
            ask = {"question": said.question, "speaker": SPEAKER, "at": AT}
            pair.memory.recall(**ask)  # embeds
            self._embed(pair.memory, said, at)
            store = Store(self.store.uri, self.store.user, self._password, self.database)
            with Graph(store, self.embedder, OfflineExtractor()) as graph:
                took, _, memory = self._timed(graph.memory, pair.memory.name)
                first.append(took + self._timed(memory.recall, **ask)[0])
                given = {"id": f"foreign-{k}", "at": at, "session": "foreign", "extraction": said.extraction}
                memory.perceive(said.text, speaker=SPEAKER, **given).close(said.reply)
            foreign.append(self._timed(pair.memory.recall, **ask)[0])
        return {"cold_ms": quantiles(first), "foreign_ms": quantiles(foreign)}

    def _embed(self, memory: Memory, said: Said, at: datetime) -> None:
        """Have the embedder's cache hold whatever perceiving and closing a turn will ask of it."""
        turn = TurnInput(said.text, "-", SPEAKER, "user", at)
        prepare([turn], [(said.extraction, None)], "given", self.embedder, [memory.window()])
        self.embedder.embed([without_names(said.reply, {SPEAKER, "Assistant"})])

    def _timed(self, work: Callable[..., T], *given: Any, **named: Any) -> tuple[float, int, T]:
        """(seconds, statements, result)."""
        self.store.noted = []
        before, begin = self.store.sent, time.perf_counter()
        result = work(*given, **named)
        return time.perf_counter() - begin, self.store.sent - before, result

    def _bare(self, noted: Sequence[Sent], pair: Pair, mode: str) -> float:
        """Seconds that the bare driver takes for the same statements on the twin, in one transaction."""
        name, twin = pair.memory.name, pair.twin
        names = ((name, twin), (memory_key(name), memory_key(twin)))
        stands = self.store.one("working_set/version", memory=twin, version=0, stamp="", kept=KEPT)
        work = [(s.name, statements.load(s.name), _renamed(s.parameters, names)) for s in noted]

        def send(tx: neo4j.ManagedTransaction) -> None:
            for name, text, parameters in work:
                if "stamp" in parameters:
                    parameters["stamp"] = stands["stamp"]
                if not list(tx.run(text, statements.parameters(parameters))) and name in NUMBERING:
                    raise OroiError("a write was not repeated on the twin")

        with self.driver.session(database=self.database, default_access_mode=mode) as session:
            begin = time.perf_counter()
            if mode == neo4j.READ_ACCESS:
                session.execute_read(send)
            else:
                session.execute_write(send)
            return time.perf_counter() - begin


def _renamed(value: Any, names: Sequence[tuple[str, str]]) -> Any:
    """`value` with one memory's name and full-text key replaced by another's, wherever they stand."""
    if isinstance(value, dict):
        return {key: _renamed(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    if isinstance(value, str):
        (name, twin), (key, twin_key) = names
        return twin if value == name else value.replace(key, twin_key)
    return value


def script(graph: SyntheticGraph, turns: int, seed: int) -> Iterator[Said]:
    """Turns that speak of known and new things, and questions of the usual shapes; half of them about hubs."""
    random = np.random.default_rng(1_000 + seed)
    popularity = {kind: _normalised(graph.popularity[graph.of_kind(kind)]) for kind in ("concept", "name", "value")}

    def pick(kind: str, hub: bool) -> str:
        among = graph.of_kind(kind)
        return graph.labels[int(random.choice(among, p=popularity[kind] if hub else None))]

    for i in range(turns):
        hub = bool(i % 2)
        thing, other, who, friend, value = (pick(kind, hub) for kind in ("concept", "concept", "name", "name", "value"))
        new = f"{pick('concept', False)} number {seed}-{i}"
        questions = (
            f"What did {who} repair?",
            f"Where is the {thing}?",
            f"How much did I pay for the {thing}?",
            f"What do {who} and {friend} have in common?",
            f"Who bought the {thing}?",
            f"¿Qué le gusta a {who}?",
        )
        yield Said(
            text=f"{who} repaired the {thing} and I bought the {new} from {friend} for {value}.",
            extraction=Extraction(
                concepts=(
                    *(ExtractedConcept(label, "concept") for label in (thing, new)),
                    *(ExtractedConcept(label, "name") for label in (who, friend)),
                    ExtractedConcept(value, "value"),
                ),
                relations=(
                    ExtractedRelation(who, "repaired", thing),
                    ExtractedRelation("I", "bought", new),
                    ExtractedRelation(new, "was bought from", friend),
                    ExtractedRelation(new, "costs", value),
                ),
            ),
            reply=f"Good to know about the {new}. Is the {other} still with {friend}?",
            question=questions[i % len(questions)],
        )


def _normalised(weights: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return weights / float(weights.sum())


def read_size(text: str) -> tuple[int, int]:
    """ "10000" → (2, 10000): a memory and its twin; "200x100" → (200, 100).

    Raises InputError where it is no size, memories cannot be paired or have fewer concepts than turns need to speak of.
    """
    found = _SIZE.fullmatch(text)
    if not found:
        raise InputError(f"bad size {text!r}: write it like 10000 (concepts) or 200x100 (memories x concepts)")
    memories, concepts = int(found[1] or 2), int(found[2])
    if memories < 2 or memories % 2:
        raise InputError(f"bad size {text!r}: half of the memories are twins, so their number must be even")
    if concepts < FEWEST:
        raise InputError(f"bad size {text!r}: a memory needs {FEWEST} concepts at least")
    return memories, concepts


def goals(sizes: dict[str, Any]) -> dict[str, bool]:
    """The goals, by name: reached or not."""
    reached = {}
    for size, found in sizes.items():
        for operation, most in MOST_STATEMENTS.items():
            sent = found[operation]["statements"]["max"]
            reached[f"{size}: {operation} sends {sent} statements, at most {most}"] = sent <= most
        if size in MOST_MONTH and "month" in found:
            asked = found["month"]
            name = f"{size}: recall of a month takes {asked['ratio']:.2f} × recall, at most {MOST_MONTH[size]}"
            reached[name] = asked["ratio"] <= MOST_MONTH[size]
        if size in MOST_COLD and "cold_ms" in found:
            took = found["cold_ms"]["p50"]
            name = f"{size}: a first recall takes {took:.0f} ms, at most {MOST_COLD[size]:.0f} on an idle machine"
            reached[name] = took <= MOST_COLD[size]
        for operation, by_size in MOST_MS.items():
            for q, most_ms in by_size.get(size, {}).items():
                took = found[operation]["operation_ms"][q]
                name = f"{size}: {operation} {q} is {took:.1f} ms, at most {most_ms:.0f} on an idle machine"
                reached[name] = took <= most_ms
    return reached


def growths(sizes: dict[str, Any]) -> dict[str, dict[str, dict[str, float]]]:
    """By larger size and operation: its time over that at 1,000 concepts, where both were measured."""
    small = sizes.get("1000")
    return {
        size: {
            operation: {
                q: round(sizes[size][operation]["operation_ms"][q] / small[operation]["operation_ms"][q], 3)
                for q in ("p50", "p95")
            }
            for operation in MOST_STATEMENTS
        }
        for size in GROWN
        if small and size in sizes
    }


def table(sizes: dict[str, Any]) -> str:
    """The figures for people."""
    head = f"{'size':>9}  {'operation':9}  {'p50':>7}  {'p95':>7}  {'floor p50':>9}  {'p95':>7}  ratio  sent"
    lines = [head, "-" * len(head)]
    for size, found in sizes.items():
        for operation in MOST_STATEMENTS:
            row = found[operation]
            ours, floor = row["operation_ms"], row["floor_ms"]
            lines.append(
                f"{size:>9}  {operation:9}  {ours['p50']:7.1f}  {ours['p95']:7.1f}  {floor['p50']:9.1f}  "
                f"{floor['p95']:7.1f}  {row['ratio']:5.2f}  {row['statements']['max']:4d}"
            )
        for name, label in (("cold_ms", "cold"), ("foreign_ms", "foreign")):
            if name in found:
                lines.append(f"{size:>9}  {label:9}  {found[name]['p50']:7.1f}  {found[name]['p95']:7.1f}")
    return "\n".join(lines)


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Latency of perceive, recall and close beside their floor.")
    add = parser.add_argument
    add("--sizes", nargs="+", default=["1000", "10000", "200x100"], help="concepts, or MEMORIESxCONCEPTS")
    add("--samples", type=int, default=100, help="measured samples of each operation (default 100)")
    add_arguments(parser)
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Run; 0 when every goal is reached, else 1."""
    arguments = _arguments(given)
    for size in arguments.sizes:
        read_size(size)  # before anything is built
    settings = read_settings()
    embedder = CachedEmbedder(open_embedder(settings))
    vocabulary = Vocabulary.embedded(embedder)
    sizes: dict[str, Any] = {}
    with serving(arguments, settings) as address:
        bench = Bench(address, embedder)
        try:
            bench.prepare()
            for size in arguments.sizes:
                print(f"measuring {size} …", file=sys.stderr, flush=True)
                sizes[size] = bench.measure(size, arguments.samples, vocabulary)
        finally:
            bench.close()
    reached = goals(sizes)
    print(table(sizes))
    print("\n".join(f"{'reached' if ok else 'MISSED '}  {name}" for name, ok in reached.items()))
    if arguments.json:
        report = {"sizes": sizes, "growth": growths(sizes), "goals": reached}
        arguments.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0 if all(reached.values()) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OroiError as error:
        sys.exit(str(error))
