"""Several agents at once, each in a process of its own: what one writes another reads, and every history is serial."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest_cli import Ran
from contracts import AUTHORS, Shared
from locations import SUPPORT
from serial_order import Call, faults
from tables import table

from oroi_graph import ScriptedEmbedder
from oroi_graph.contract.comparison import FieldRule, Thresholds, compare
from oroi_graph.storage.store import Store

WRITER = SUPPORT / "write_entries.py"


def judge(key: str, new: str, olds: Sequence[str]) -> list[str]:
    """What the product says of a value and others, with the vectors of the writers' embedder."""
    rule = FieldRule(key=key, single_valued=True if key == "project_status" else None)
    vector, *vectors = ScriptedEmbedder().embed([new, *olds])
    return [
        compare(new, old, field=rule, cosine=float(vector @ other), thresholds=Thresholds()).relation
        for old, other in zip(olds, vectors, strict=True)
    ]


def start(shared: Shared, database: Any, number: int, count: int, keys: tuple[str, ...]) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "WRITER_USER": database.user,
        "WRITER_PASSWORD": database.password,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    author = AUTHORS[number % len(AUTHORS)]
    arguments = [database.uri, shared.name, shared.schema_hash, author, str(number), str(count), *keys]
    return subprocess.Popen(
        [sys.executable, str(WRITER), *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip


def go(writers: list[subprocess.Popen[str]]) -> None:
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n", writer.communicate()[1]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()


def calls_of(lines: list[str]) -> list[Call]:
    return [Call(**json.loads(line)) for line in lines]


def chain(shared: Shared) -> list[dict[str, Any]]:
    return [item.entry.to_json() for item in shared.contract.read(history=True).items if item.entry]


@pytest.mark.parametrize("keys", [("risk",), ("risk", "decision", "technology", "project_status")])
def test_concurrent_writers_are_serial(shared: Shared, store_settings: Any, keys: tuple[str, ...]) -> None:
    processes, count = 3, 8
    writers = [start(shared, store_settings, number, count, keys) for number in range(processes)]
    go(writers)
    calls = []
    for writer in writers:
        out, error = writer.communicate(timeout=300)
        assert writer.returncode == 0, error
        calls += calls_of(out.splitlines())
    assert len(calls) == processes * count
    assert faults(calls, chain(shared), judge) == []
    assert {"equivalent", "contradiction"} <= {call.reply["outcome"] for call in calls}
    assert shared.contract.verify().valid


def test_a_killed_writer_loses_nothing_that_was_acknowledged(shared: Shared, store_settings: Any) -> None:
    acknowledged: list[str] = []
    for number in range(3):
        writer = start(shared, store_settings, number, 1_000, ("risk", "decision"))
        go([writer])
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(3 + number)]
        os.kill(writer.pid, signal.SIGKILL)
        rest, _ = writer.communicate()
        lines += [line for line in rest.splitlines() if line.endswith("}")]
        acknowledged += [call.reply["entry"]["id"] for call in calls_of(lines)]
    known = {entry["id"] for entry in chain(shared)}
    assert set(acknowledged) <= known
    found = shared.contract.verify()
    assert found.valid, found
    assert found.entries == len(known)
    # Whoever comes after the dead finds the key free, and what was written once is not written twice.
    again = start(shared, store_settings, 2, 4, ("risk", "decision"))
    go([again])
    out, error = again.communicate(timeout=120)
    assert again.returncode == 0, error
    assert all(call.reply["repeated"] for call in calls_of(out.splitlines()))


HISTORY: list[tuple[int, str, str, float, float]] = [
    (0, "alpha", "inserted", 0, 1), (1, "alpha", "equivalent", 2, 3), (1, "beta", "compatible", 3, 5),
    (0, "gamma", "compatible", 4, 6),
]  # fmt: skip


def history(rows: list[tuple[int, str, str, float, float]] = HISTORY) -> tuple[list[Call], list[dict[str, Any]]]:
    """Calls as they would be, with the chain that they leave."""
    entries: list[dict[str, Any]] = []
    calls = []
    for process, value, outcome, began, ended in rows:
        if outcome == "equivalent":
            entry = next(entry for entry in entries if entry["field_value"] == value)
        else:
            entry = {"id": value, "seq": len(entries) + 1, "field_key": "k", "field_value": value, "generated": False,
                     "covers": [], "parent_entry_ids": []}  # fmt: skip
            entries.append(entry)
        calls.append(
            Call(process, {"field_key": "k", "field_value": value}, {"outcome": outcome, "entry": entry}, began, ended)
        )
    return calls, entries


def plain(key: str, new: str, olds: Sequence[str]) -> list[str]:
    return ["equivalent" if new == old else "compatible" for old in olds]


def test_the_checker_passes_a_serial_history() -> None:
    assert faults(*history(), plain) == []


WRONG: dict[str, Callable[[list[Call], list[dict[str, Any]]], object]] = {
    "a gap": lambda calls, chain: chain[-1].update(seq=9),
    "a twin place": lambda calls, chain: chain[-1].update(seq=2),
    "an acknowledged entry is missing": lambda calls, chain: chain.pop(0),
    "an entry that nobody wrote": lambda calls, chain: chain.append({**chain[0], "id": "x", "seq": 4}),
    "a duplicate": lambda calls, chain: (
        calls[1].reply.update(outcome="inserted", entry={**chain[0], "id": "d", "seq": 4}),
        chain.append({**chain[0], "id": "d", "seq": 4}),
    ),
    "a lost comparison": lambda calls, chain: calls[2].reply.update(outcome="inserted"),
    "an order against time": lambda calls, chain: (chain[0].update(seq=2), chain[1].update(seq=1)),
    "one entry for two calls": lambda calls, chain: calls[3].reply.update(entry=calls[2].reply["entry"]),
    "an equivalent that did not exist yet": lambda calls, chain: calls[1].reply.update(entry=chain[2]),
    "a remark apart from its entry": lambda calls, chain: chain.append(
        {**chain[0], "id": "r", "seq": 4, "generated": True, "covers": ["alpha"]}
    ),
}  # fmt: skip


@table("name", WRONG)
def test_the_checker_finds_wrong_histories(name: str) -> None:
    calls, entries = history()
    WRONG[name](calls, entries)
    assert faults(calls, entries, plain) != [], name


def test_what_one_agent_writes_another_reads(
    spawn: Callable[..., subprocess.Popen[bytes]], oroi: Callable[..., Ran], mind: str, store: Store, tmp_path: Any
) -> None:
    """Two processes, two clients, two authors with tokens; then a worker compresses while they go on."""
    contract, key = str(tmp_path / "c.json"), str(tmp_path / "k.pem")
    oroi("contract", "init", contract, "--author", "claude", "--author", "gemini", "--key", "decision", "--tokens")
    oroi("contract", "keygen", key)
    published = oroi("contract", "publish", mind, contract, "--key", key, "--json").json
    tokens = {
        name: oroi("contract", "author", "add", mind, name, "--json").json["token"] for name in ("claude", "gemini")
    }

    def write(author: str, value: str) -> dict[str, Any]:
        arguments = ["--author", author, "--type", "fact", "--key", "decision", "--value", value]
        arguments += ["--confidence", "0.9", "--schema", published["schema_hash"], "--json"]
        environment = {**os.environ, "OROI_AUTHOR_TOKEN": tokens[author]}
        done = spawn("contract", "write", mind, *arguments, env=environment)
        out, error = done.communicate(timeout=120)
        assert done.returncode == 0, error
        found: dict[str, Any] = json.loads(out)
        return found

    first = write("claude", "The archive is kept in Vitoria.")
    reading = spawn("contract", "read", mind, "--json")
    out, error = reading.communicate(timeout=120)
    assert reading.returncode == 0, error
    [seen] = json.loads(out)["entries"]
    assert (seen["id"], seen["ia_author"], seen["field_value"]) == (
        first["entry"]["id"], "claude", "The archive is kept in Vitoria.",
    )  # fmt: skip
    claim = ("--type", "fact", "--key", "decision", "--value", "A claim.", "--confidence", "0.9", "--json")
    for author, token, schema_hash, pointer in (
        ("gemini", "claude", published["schema_hash"], "/ia_author"),  # another's token
        ("gemini", "gemini", "0" * 64, "/schema_hash"),
    ):
        refused = oroi(
            "contract", "write", mind, "--author", author, "--token", tokens[token], "--schema", schema_hash, *claim
        )
        assert (refused.code, [one["pointer"] for one in refused.json["problems"]]) == (2, [pointer])
    worker = spawn("worker", mind, "--poll", "0.2")
    try:
        second = write("gemini", "The archive is kept in Bilbao.")
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            found = oroi("contract", "read", mind, "--level", "1", "--json").json
            if found["items"] and not found["entries"]:
                break
            time.sleep(0.3)
        assert found["coverage"]["covered"] == found["coverage"]["entries"] == 2
        assert {id for item in found["items"] for id in item["covers"]} == {first["entry"]["id"], second["entry"]["id"]}
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.communicate(timeout=60)
    assert worker.returncode == 0
    old = published["schema_hash"]
    document = json.loads(Path(contract).read_text())
    document["memory_contract"]["version"] = "2.0"
    Path(contract).write_text(json.dumps(document))
    new = oroi("contract", "publish", mind, contract, "--key", key, "--json").json["schema_hash"]
    late = oroi("contract", "write", mind, "--author", "claude", "--token", tokens["claude"], "--schema", old, *claim)
    assert (late.code, late.json["expected"]) == (2, new)
    assert oroi("contract", "verify", mind, "--json").json["valid"]
    assert len(oroi("contract", "read", mind, "--json").json["entries"]) == 2
    assert uuid.UUID(second["entry"]["id"])
