"""The commands on a real database, as their users type them."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from conftest_cli import Ran, cli_environment, mind, oroi, spawn
from fake_openai import KEY, FakeOpenAI, status
from graph_view import INDEXING
from locations import PROJECT
from tables import table

from oroi_graph import diagnosis
from oroi_graph.connection import open_store
from oroi_graph.errors import SettingsError
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.memory import Graph, Memory
from oroi_graph.providers.e5 import E5Small, read_adapters
from oroi_graph.settings import Settings
from oroi_graph.storage import catalog
from oroi_graph.storage.store import Store

__all__ = ["cli_environment", "mind", "oroi", "spawn"]  # fixtures

Oroi = Callable[..., Ran]
Spawn = Callable[..., "subprocess.Popen[bytes]"]
DEMO = PROJECT / "docs" / "demo" / "conversation.jsonl"


@pytest.fixture
def lived(oroi: Oroi, mind: str, tmp_path: Path) -> str:
    """A memory that knows where Ana lives from further back than the window, which is never recalled."""
    file = tmp_path / "lived.jsonl"
    file.write_text(lines(12), encoding="utf-8")
    assert oroi("import", str(file), mind).code == 0
    return mind


def lines(count: int) -> str:
    return "".join(DEMO.read_text(encoding="utf-8").splitlines(keepends=True)[:count])


# -- say, ask, chat -----------------------------------------------------------------------------------------


def test_say_then_ask(oroi: Oroi, mind: str) -> None:
    told = oroi("say", mind, "Mi hermana Leire vive en Gernika.", "--speaker", "Ana", "--reply", "Apuntado.")
    assert told.code == 0
    assert told.out.startswith(f"{mind} turn 1: ")
    assert "Gernika (new)" in told.out
    answer = oroi("ask", mind, "¿Dónde vive Leire?")
    assert answer.code == 0
    assert "Gernika" in answer.out
    assert oroi("stats", mind, "--json").json["replies"] == 1
    for named in ([mind], []):
        ran = oroi("stats", *named, "--prometheus")
        assert ran.code == 0, ran.err
        numbers = ran.out.splitlines()
        assert f'oroi_memory_turns{{memory="{mind}"}} 1.0' in numbers
        assert "# TYPE oroi_memory_turns gauge" in numbers
    assert "Missing argument 'MEMORY'" in oroi("stats").failed(2)


def test_ask_about_a_time(oroi: Oroi, mind: str) -> None:
    for day, text in (("03", "The roof is leaking."), ("10", "The roofer repaired the roof."), ("11", "We had soup.")):
        told = oroi("say", mind, text, "--speaker", "Ana", "--at", f"2026-03-{day}T10:00", "--session", f"s{day}")
        assert told.code == 0
    digest = oroi("ask", mind, "What did we talk about last week?", "--today", "2026-03-16")
    assert "2 sessions, 2 turns" in digest.out
    assert "leaking" not in digest.out
    themed = oroi("ask", mind, "What did I say about the roof on 10 March?", "--today", "2026-03-16", "--explain")
    assert "repaired" in themed.out
    brief, left_out = themed.out.split("\nleft out:\n")
    assert "leaking" not in brief
    assert '"The roof is leaking."\n    not of the time asked for; rank 2' in left_out
    (line,) = [line for line in themed.out.splitlines() if line.startswith("time: ")]
    assert "2026-03-10" in line
    assert "1 record in 1 session" in line
    data = oroi("ask", mind, "What did we talk about on 5 March?", "--today", "2026-03-16", "--json").json
    assert data["windows"][0]["windows"] == [{"start": "2026-03-05", "end": "2026-03-05"}]
    assert "Nothing was said on 2026-03-05." in data["brief"]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["What did I say yesterday?", "--today", "2026-02-31"], 2, "2026-02-31"),
        (["What did I say yesterday?", "--today", "soon"], 2, "soon"),
        (["What did I say on 31 February?"], 1, "31 February"),
    ],
)
def test_a_day_that_there_is_not_is_refused_in_a_line(
    oroi: Oroi, lived: str, arguments: list[str], code: int, says: str
) -> None:
    ran = oroi("ask", lived, *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert says in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def test_say_as_json_with_the_brief(oroi: Oroi, lived: str) -> None:
    turns = oroi("stats", lived, "--json").json["turns"]
    told = oroi("say", lived, "Where do I live?", "--id", "t2", "--brief", "--json").json
    assert (told["turn"], told["id"], told["repeated"]) == (turns + 1, "t2", False)
    assert "Durango" in told["brief"]
    assert "Where do I live" not in told["brief"]
    again = oroi("say", lived, "Where do I live?", "--id", "t2")
    assert "known already" in again.out
    assert oroi("stats", lived, "--json").json["turns"] == turns + 1


def test_ask_explains_and_filters(oroi: Oroi, mind: str) -> None:
    oroi("say", mind, "My sister Leire lives in Gernika.", "--speaker", "Ana", "--session", "1",
         "--at", "2026-01-03T10:00:00Z")  # fmt: skip
    explained = oroi("ask", mind, "Where does Leire live?", "--explain")
    assert "cues: Leire" in explained.out
    assert "–lives in→ Gernika" in explained.out
    assert "    sure fact on the way to an answer; from Leire: Leire –lives in→ Gernika" in explained.out
    data = oroi("ask", mind, "Where does Leire live?", "--explain", "--json").json
    assert data["reasons"][0]["rule"] == "sure fact on the way to an answer"
    assert data["reasons"][0]["path"][-1]["target"] == "Gernika"
    assert data["left_out"] == []
    assert "left out: nothing that was found" in explained.out
    tight = oroi("ask", mind, "Where does Leire live?", "--budget", "30", "--explain")
    assert '"My sister Leire lives in Gernika."\n    no room in the budget; rank 1, probability 1' in tight.out
    tight = oroi("ask", mind, "Where does Leire live?", "--budget", "30", "--explain", "--json").json
    assert [(one["rank"], one["rule"]) for one in tight["left_out"]] == [(1, "no room in the budget")]
    assert tight["left_out"][0]["record"]["text"] == "My sister Leire lives in Gernika."
    assert oroi("ask", mind, "Where does Leire live?", "--session", "1").out
    for option in (("--session", "2"), ("--speaker", "Jon"), ("--since", "2026-02-01"), ("--until", "2026-01-01")):
        silent = oroi("ask", mind, "Where does Leire live?", *option)
        assert (silent.code, silent.out, silent.err) == (0, "", "nothing relevant is remembered\n"), option


def test_silence_prints_nothing_on_stdout(oroi: Oroi, mind: str) -> None:
    oroi("say", mind, "I live in Durango.", "--speaker", "Ana")
    quiet = oroi("ask", mind, "ok, thanks")
    assert (quiet.code, quiet.out) == (0, "")


def test_chat_listens_and_shows_what_memory_would_add(oroi: Oroi, lived: str) -> None:
    turns = oroi("stats", lived, "--json").json["turns"]
    said = b"ok, vale\n\n\xff\nWhere do I live?\n" + "Mi tía vive en Muñoz.\n/quit\nNever said.\n".encode()
    held = oroi("chat", lived, "--speaker", "Ana", stdin=said)
    assert held.code == 0
    assert held.out.startswith("(memory has nothing to add)\n<oroi-memory>")
    assert "Durango" in held.out
    assert held.err == "oroi: line 3 is not UTF-8 text: it is left out\n"
    assert oroi("stats", lived, "--json").json["turns"] == turns + 3
    assert "Muñoz" in oroi("show", lived).out


def test_chat_without_a_model_shows_what_was_said_a_line_ago(oroi: Oroi, mind: str) -> None:
    """Nobody has the last turns before its eyes."""
    held = oroi(
        "chat", mind, "--speaker", "Ana", "--session", "1", stdin=b"My dog is called Rex.\nWhat is my dog called?\n"
    )
    first, second = held.out.split("\n", 1)
    assert first == "(memory has nothing to add)"
    assert "Rex" in second


def test_chat_with_a_model_leaves_out_what_the_model_sees(
    oroi: Oroi, mind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeOpenAI(chat=lambda messages: "I see.") as fake:
        monkeypatch.setenv("OROI_OPENAI_BASE_URL", fake.url)
        monkeypatch.setenv("OROI_OPENAI_API_KEY", KEY)
        said = b"My dog is called Rex.\nWhat is my dog called?\n"
        oroi("chat", mind, "--speaker", "Ana", "--session", "1", stdin=said)
        asked = fake.requests[-1].body["messages"]
    assert [message["content"] for message in asked] == ["My dog is called Rex.", "I see.", "What is my dog called?"]


def test_chat_answers_with_a_model_and_survives_its_failure(
    oroi: Oroi, lived: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = oroi("stats", lived, "--json").json
    with FakeOpenAI(chat=lambda messages: f"I heard {len(messages)}: {messages[-1]['content'][:12]}") as fake:
        monkeypatch.setenv("OROI_OPENAI_BASE_URL", fake.url)
        monkeypatch.setenv("OROI_OPENAI_API_KEY", KEY)
        held = oroi("chat", lived, "--speaker", "Ana", stdin=b"ok, thanks\nWhere do I live?\n")
        asked = fake.requests[-1].body["messages"]
        fake.always(status(400))
        failed = oroi("chat", lived, stdin=b"And now?\n")
    assert "I heard 1: ok, thanks" in held.out
    assert "I heard 3: Where do I l" in held.out
    assert [message["role"] for message in asked] == ["user", "assistant", "user"]
    assert asked[0]["content"] == "ok, thanks"
    assert "<oroi-memory>" in asked[-1]["content"]
    assert failed.code == 0
    assert "no answer" in failed.err
    after = oroi("stats", lived, "--json").json
    assert (after["turns"] - before["turns"], after["replies"] - before["replies"]) == (3, 2)
    assert KEY not in held.out + held.err + failed.out + failed.err


def test_chat_as_json_is_one_object_a_line(oroi: Oroi, lived: str) -> None:
    held = oroi("chat", lived, "--speaker", "Ana", "--json", stdin=b"ok, thanks\nWhere do I live?\n")
    turns = [json.loads(line) for line in held.out.splitlines()]
    assert turns[1]["turn"] == turns[0]["turn"] + 1
    assert turns[0]["brief"] == ""
    assert "Durango" in turns[1]["brief"]


# -- import -------------------------------------------------------------------------------------------------


def test_import_reports_and_repeats_nothing(oroi: Oroi, mind: str, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(lines(12), encoding="utf-8")
    first = oroi("import", str(file), mind)
    assert first.code == 0
    assert f"12 turns imported into {mind}" in first.out
    assert "turns/s" in first.out
    again = oroi("import", str(file), mind, "--json").json
    assert (again["written"], again["skipped"], again["problems"]) == (0, 12, [])


def test_import_names_bad_lines_and_keeps_the_others(oroi: Oroi, mind: str, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(lines(2) + '{"text": \n{"text": "a\\u0000b"}\n' + lines(3).splitlines()[2] + "\n", encoding="utf-8")
    ran = oroi("import", str(file), mind)
    assert ran.code == 0
    assert "3 turns imported" in ran.out
    assert "left out, line 3: not valid JSON" in ran.err
    assert "left out, line 4: the text has a NUL character at position 2" in ran.err
    assert oroi("import", str(file), mind, "--strict").code == 1


def test_import_takes_one_conversation_of_locomo(oroi: Oroi, mind: str, tmp_path: Path) -> None:
    sample = {
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [{"speaker": "Mel", "dia_id": "D1:1", "text": "I live in Boston with my dog Oscar."}],
        }
    }
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([sample | {"sample_id": "conv-1"}, sample | {"sample_id": "conv-2"}]), encoding="utf-8")
    ran = oroi("import", str(file), mind, "--conversation", "conv-2", "--json")
    assert ran.json["written"] == 1
    found = oroi("ask", mind, "Where does Mel live?")
    assert "2023-05-08" in found.out
    assert "Boston" in found.out
    assert "conv-7" in oroi("import", str(file), mind, "--conversation", "conv-7").failed()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_import_says_how_to_go_on(
    oroi: Oroi, spawn: Spawn, store: Store, mind: str, tmp_path: Path, number: signal.Signals
) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(lines(60), encoding="utf-8")
    with spawn("import", str(file), mind) as process:
        while catalog.remaining(store, mind) < 10:  # it has begun to write
            assert process.poll() is None
        process.send_signal(number)
        _, err = process.communicate()
    assert process.returncode == 130
    assert b"run the same command again" in err
    assert b"Traceback" not in err
    rest = oroi("import", str(file), mind, "--json").json
    assert rest["skipped"] > 0
    assert rest["written"] > 0
    assert rest["written"] + rest["skipped"] == 60


# -- memories -----------------------------------------------------------------------------------------------


def test_memories_are_listed_shown_and_deleted(oroi: Oroi, mind: str) -> None:
    oroi("say", mind, "I live in Durango.", "--speaker", "Ana")
    assert mind in [memory["name"] for memory in oroi("memory", "list", "--json").json]
    assert mind in oroi("memory", "list").out
    assert "all-MiniLM-L6-v2" in oroi("memory", "show", mind).out
    assert oroi("memory", "show", mind, "--json").json["protagonists"] == ["Ana"]
    assert "add --yes" in oroi("memory", "delete", mind).failed(2)
    assert oroi("memory", "delete", mind, "--yes", "--json").json == {"memory": mind, "left": 0}
    assert "no memory named" in oroi("memory", "show", mind).failed()


@pytest.mark.skipif(sys.platform == "win32", reason="files of POSIX")
@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_a_memory_is_exported_to_standard_output(
    oroi: Oroi, spawn: Callable[..., subprocess.Popen[bytes]], mind: str, tmp_path: Path, kind: str
) -> None:
    oroi("say", mind, "Vivo en Bilbao, muy cerca de la ría.", "--speaker", "Ana")
    out = tmp_path / "out"
    with out.open("wb") as opened:
        ran = spawn("memory", "export", mind, "/dev/stdout", stdout=subprocess.PIPE if kind == "pipe" else opened)
        printed, told = ran.communicate(timeout=120)
    assert ran.returncode == 0, told
    assert b"/dev/stdout: 1 records" in told
    lines = [json.loads(line) for line in (printed or out.read_bytes()).decode().splitlines()]
    assert lines[0]["format"] == "oroi-graph"
    assert [line["record"]["text"] for line in lines if "record" in line] == ["Vivo en Bilbao, muy cerca de la ría."]


def test_a_memory_travels_through_a_file(oroi: Oroi, store: Store, mind: str, tmp_path: Path) -> None:
    oroi("say", mind, "I live in Durango.", "--speaker", "Ana")
    file, copy = tmp_path / "mind.jsonl", f"{mind}-copy"
    assert oroi("memory", "export", mind, str(file)).code == 0
    try:
        assert oroi("memory", "import", str(file), "--name", copy).code == 0
        sizes = oroi("stats", copy, "--json").json
        assert sizes == oroi("stats", mind, "--json").json | {"name": copy}
        assert "Durango" in oroi("ask", copy, "Where do I live?").out
    finally:
        catalog.delete(store, copy)


def test_stats_and_retry(oroi: Oroi, mind: str) -> None:
    oroi("say", mind, "I live in Durango.", "--speaker", "Ana")
    assert re.search(r"^associations +1$", oroi("stats", mind).out, re.MULTILINE)
    assert oroi("retry", mind, "--json").json == {"memory": mind, "failed": 0, "amended": 0, "failure": None}


def test_a_failed_extraction_is_said_and_retried(oroi: Oroi, mind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI() as fake:
        fake.always(status(400))
        with monkeypatch.context() as patch:
            patch.setenv("OROI_EXTRACTOR", "openai")
            patch.setenv("OROI_OPENAI_BASE_URL", fake.url)
            patch.setenv("OROI_OPENAI_API_KEY", KEY)
            told = oroi("say", mind, "I live in Durango.", "--speaker", "Ana")
    assert told.code == 0
    assert f"oroi retry {mind}" in told.err
    assert oroi("retry", mind).out == f"1 of 1 failed turns of {mind} are whole now\n"


# -- show, cypher, migrate, doctor, server --------------------------------------------------------------------


def test_show_as_text_picture_and_graphml(oroi: Oroi, mind: str, tmp_path: Path) -> None:
    oroi("say", mind, "My sister Leire lives in Gernika. I live in Durango.", "--speaker", "Ana")
    assert "–lives in→ Gernika" in oroi("show", mind).out
    around = oroi("show", mind, "durango", "--json").json
    assert {c["label"] for c in around["concepts"]} >= {"Ana", "Durango"}
    for name, start in (("m.png", b"\x89PNG"), ("m.svg", b"<?xml"), ("m.graphml", b"<graphml")):
        drawn = oroi("show", mind, "--output", str(tmp_path / name))
        assert drawn.code == 0, drawn
        assert start in (tmp_path / name).read_bytes()[:200]
    assert "ends in .png, .svg or .graphml" in oroi("show", mind, "-o", str(tmp_path / "m.pdf")).failed()
    assert "No such file" in oroi("show", mind, "-o", str(tmp_path / "absent" / "m.png")).failed()
    assert "no concept of memory" in oroi("show", mind, "Zaragoza").failed()


@table(
    ("extra", "command"),
    [("pictures", ("show", "{mind}", "-o", "m.png")), ("evaluation", ("evaluate", "scenarios", "-", "--json", "-"))],
)
def test_without_an_extra_it_says_what_to_install(
    oroi: Oroi, mind: str, monkeypatch: pytest.MonkeyPatch, extra: str, command: tuple[str, ...]
) -> None:
    monkeypatch.setattr("oroi_graph.interfaces.extras.find_spec", lambda name: None)
    oroi("say", mind, "My sister Leire lives in Gernika.")
    failed = oroi(*(part.format(mind=mind) for part in command)).failed()
    assert f"pip install 'oroi-graph[{extra}]'" in failed


def test_show_of_an_empty_memory(oroi: Oroi, mind: str, store: Store) -> None:
    catalog.create(store, mind, "all-MiniLM-L6-v2", 384)
    assert oroi("show", mind).out == "the memory has no concepts yet\n"


def test_cypher_reads_with_parameters_and_cannot_write(oroi: Oroi, mind: str) -> None:
    oroi("say", mind, "I live in Durango.", "--speaker", "Ana")
    query = "MATCH (c:Concept {memory: $m}) WHERE c.mentions >= $n RETURN c.label AS label, c ORDER BY label"
    data = oroi("cypher", query, "--param", f"m={mind}", "--param", "n=1", "--json").json
    assert data["columns"] == ["label", "c"]
    assert [row[0] for row in data["rows"]] == ["Ana", "Durango"]
    assert set(data["rows"][0][1]["labels"]) - INDEXING == {"Concept"}
    shown = oroi("cypher", "-", "--param", f"m={mind}", "--param", "n=1", stdin=query.encode())
    assert shown.out.splitlines()[0].startswith("label")
    assert shown.out.endswith("(2 rows)\n")
    for writing in (
        "CREATE (n:X) RETURN n",
        "MATCH (n:Memory) DETACH DELETE n",
        "CREATE INDEX FOR (n:X) ON (n.y)",
        "UNWIND [1] AS x CALL (x) { CREATE (:X) } IN TRANSACTIONS",
        "CREATE USER x SET PASSWORD 'long-enough'",
    ):
        assert "nothing was changed" in oroi("cypher", writing).failed()
    assert "Neo4j refused the statement" in oroi("cypher", "MATCH").failed()
    assert "is not NAME=VALUE" in oroi("cypher", "RETURN 1", "--param", "novalue").failed(2)


def test_control_characters_do_not_reach_the_terminal(oroi: Oroi) -> None:
    shown = oroi("cypher", "RETURN $x AS x", "--param", 'x="\\u001b[2Jgone\\u202e"')
    assert shown.out.splitlines()[2] == "\ufffd[2Jgone\ufffd"


def test_migrate_and_its_status(oroi: Oroi) -> None:
    assert oroi("migrate", "--dry-run").out == "the schema is up to date\n"
    found = oroi("migrate", "status", "--json").json
    assert (found["pending"], found["dimensions"]) == ([], 384)
    assert "applied  V0001 create constraints" in oroi("migrate", "status").out


def wrong(oroi: Oroi) -> str:
    """What doctor prints that has found something wrong."""
    ran = oroi("doctor")
    assert ran.code == 1, ran
    return ran.out


def test_doctor_says_what_is_wrong_and_what_to_do(oroi: Oroi, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    checks = {check["name"]: check for check in oroi("doctor", "--json").json}
    assert checks["database"]["state"] == checks["embedding model"]["state"] == "ok"
    monkeypatch.setenv("OROI_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("OROI_NEO4J_PASSWORD", "wrong")
    monkeypatch.setenv("OROI_EXTRACTOR", "openai")
    said = wrong(oroi)
    assert "later   embedding model: all-MiniLM-L6-v2 is not fetched yet → oroi setup" in said
    assert "FAILED  settings: the openai provider needs a key → set OROI_OPENAI_API_KEY" in said
    assert "FAILED  database: Neo4j at" in said
    assert not list(tmp_path.iterdir())  # it only looked


@pytest.mark.parametrize("variable", ["JUDGE", "SUMMARIZER", "RELEVANCE", "RERANKER", "WINDOWS"])
def test_doctor_and_use_name_the_key_that_a_setting_needs(
    oroi: Oroi, monkeypatch: pytest.MonkeyPatch, variable: str, tmp_path: Path
) -> None:
    monkeypatch.setenv(f"OROI_{variable}", "openai")
    said = wrong(oroi)
    assert "FAILED  settings: the openai provider needs a key → set OROI_OPENAI_API_KEY" in said
    # In use it is noticed before anything is made, or a server started.
    monkeypatch.delenv("OROI_NEO4J_URI")
    monkeypatch.delenv("OROI_NEO4J_DATABASE", raising=False)
    monkeypatch.setenv("OROI_DATA_DIR", str(tmp_path / "data"))
    assert "set OROI_OPENAI_API_KEY" in oroi("say", "diary", "I live in Bilbao.").failed()
    assert not list(tmp_path.iterdir())


def test_doctor_names_the_setting_of_regions_that_do_not_exist(oroi: Oroi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OROI_REDACT", "phone")
    monkeypatch.setenv("OROI_REDACT_REGIONS", "ES,XY")
    said = wrong(oroi)
    assert "FAILED  settings: no phone numbers are known of the region 'XY'" in said
    assert "OROI_REDACT_REGIONS" in said


@pytest.mark.parametrize("variable", ["OROI_CACHE_DIR", "OROI_DATA_DIR"])
def test_doctor_sees_that_a_folder_is_a_file(
    oroi: Oroi, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(variable, str(tmp_path / "file"))
    said = wrong(oroi)
    assert f"FAILED  disk: {tmp_path / 'file'} is no folder → set {variable} to a folder you can write" in said


def test_doctor_asks_the_services_that_are_used(
    oroi: Oroi, monkeypatch: pytest.MonkeyPatch, fake_openai: FakeOpenAI
) -> None:
    monkeypatch.setenv("OROI_RERANKER", "openai")
    monkeypatch.setenv("OROI_OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OROI_OPENAI_BASE_URL", fake_openai.url)
    ran = oroi("doctor")
    assert (ran.code, f"ok      services: {fake_openai.url} answers\n" in ran.out) == (0, True), ran
    monkeypatch.setenv("OROI_OPENAI_BASE_URL", fake_openai.url.removesuffix("/v1"))
    ran = oroi("doctor")
    assert (ran.code, "lists no models: if calls of it fail, check OROI_OPENAI_BASE_URL" in ran.out) == (0, True), ran
    fake_openai.script(status(401))
    said = wrong(oroi)
    assert "refuses the key → check OROI_OPENAI_API_KEY" in said
    monkeypatch.setenv("OROI_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    said = wrong(oroi)
    assert "FAILED  services: http://127.0.0.1:9/v1 cannot be reached → check OROI_OPENAI_BASE_URL" in said
    monkeypatch.setenv("OROI_RERANKER", "offline")
    assert "ok      services: none is used" in oroi("doctor").out


def test_doctor_says_which_memories_another_version_of_the_model_read(
    oroi: Oroi, store: Store, mind: str, memory: Memory, e5_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once they are read anew, it has nothing more to say of them; nor of memories of another model."""
    memory.perceive("It rained.", speaker="Ana")
    monkeypatch.setenv("OROI_EMBEDDER", "e5-small")
    Graph(store, read_otherwise(e5_folder), OfflineExtractor()).memory(mind).perceive("I live in Durango.")
    oroi("say", mind, "I work in Elorrio.")
    found = next(check for check in oroi("doctor", "--json").json if check["name"] == "database")
    others = found["details"]["memories"]  # those of other tests may be there
    assert mind in others
    assert memory.name not in others
    assert found["state"] == "later"
    assert "were read by another version of the embedding model" in found["found"]
    assert found["advice"] == f"oroi reembed {others[0]}"
    oroi("reembed", mind)
    found = next(check for check in oroi("doctor", "--json").json if check["name"] == "database")
    assert mind not in found.get("details", {}).get("memories", ())


def test_doctor_looks_at_the_words_of_the_memories_that_were_made_first(
    store: Store, mind: str, e5_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnosis, "MEMORIES", 2)
    graph, made = Graph(store, read_otherwise(e5_folder), OfflineExtractor()), [f"{mind}-{letter}" for letter in "cab"]
    for name in made:
        graph.memory(name).perceive("I live in Durango.", speaker="Ana")
    rows = [row for row in store.rows("storage/list_memories") if row["name"] in made]
    found = diagnosis._read_by_another_fit(replace(Settings.from_env(), embedder="e5-small"), store, rows)
    for name in made:
        graph.delete(name)
    assert found == made[:2]


def read_otherwise(e5_folder: Path) -> E5Small:
    """The default model with another fit of its second reading."""
    return E5Small(e5_folder, adapters={name: -values for name, values in read_adapters().items()})


def test_the_local_server_is_found_stopped(oroi: Oroi, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OROI_NEO4J_URI")
    monkeypatch.setenv("OROI_DATA_DIR", str(tmp_path))
    assert oroi("server", "status", "--json").json["state"] == "stopped"
    assert oroi("server", "stop").out == "Neo4j was not running\n"
    assert oroi("server", "logs").err == "the local Neo4j was never started\n"
    assert "it starts on demand" in oroi("doctor").out


# -- errors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"OROI_NEO4J_PASSWORD": "wrong-secret"}, "refused user"),
        ({"OROI_NEO4J_URI": "bolt://127.0.0.1:9"}, "no Neo4j answers at bolt://127.0.0.1:9"),
        ({"OROI_NEO4J_URI": "bolt://nowhere.invalid:7687"}, "no Neo4j answers at bolt://nowhere.invalid:7687"),
        ({"OROI_NEO4J_URI": "http://127.0.0.1"}, "OROI_NEO4J_URI must be SCHEME://HOST"),
        ({"OROI_NEO4J_DATABASE": "absent"}, "check OROI_NEO4J_DATABASE"),
        ({"OROI_EXTRACTOR": "openai"}, "needs a key: set OROI_OPENAI_API_KEY"),
        ({"OROI_EMBEDDER": "openai"}, "needs a key: set OROI_OPENAI_API_KEY"),
        ({"OROI_EXTRACTOR": "magic"}, "OROI_EXTRACTOR must be one of"),
        ({"OROI_EXTRACTOR": "recorded:/absent.jsonl"}, "absent.jsonl"),
    ],
)
def test_settings_that_do_not_work_end_in_one_line(
    oroi: Oroi, mind: str, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], message: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    line = oroi("say", mind, "I live in Durango.").failed()
    assert message in line
    assert "wrong-secret" not in line


def test_an_unwritable_data_folder_is_named(oroi: Oroi, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.delenv("OROI_NEO4J_URI")
    monkeypatch.setenv("OROI_DATA_DIR", str(tmp_path / "file"))
    assert "OROI_DATA_DIR" in oroi("server", "start").failed()
    monkeypatch.setenv("OROI_CACHE_DIR", str(tmp_path / "file"))
    assert "OROI_CACHE_DIR" in oroi("setup").failed()


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (b"", "the text is empty"),
        (b"  \n ", "the text is empty"),
        (b"x" * 1_000_000, "the text has 1,000,000 characters"),
        (b"a\0b", "NUL character at position 2"),
        (b"a\xffb", "standard input is not UTF-8 text (byte 2)"),
    ],
)
def test_unusable_text_is_refused_and_makes_no_memory(
    oroi: Oroi, store: Store, mind: str, said: bytes, message: str
) -> None:
    assert message in oroi("say", mind, "-", stdin=said).failed()
    assert catalog.describe(store, mind) is None


def test_a_bad_file_is_refused_and_makes_no_memory(oroi: Oroi, store: Store, mind: str, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_bytes(b'{"text": "\xff"}')
    assert "talk.jsonl is not UTF-8 text (line 1)" in oroi("import", str(file), mind).failed()
    assert "No such file" in oroi("import", str(tmp_path / "absent"), mind).failed()
    assert catalog.describe(store, mind) is None


@pytest.mark.parametrize("name", ["*", "", "a b", "../x", "-x", "x" * 121, "a'}) MATCH (n) DETACH DELETE n //"])
def test_a_bad_memory_name_is_refused_everywhere(oroi: Oroi, name: str) -> None:
    for arguments in (("say", "--", name, "hi"), ("ask", "--", name, "hi?"), ("stats", "--", name),
                      ("show", "--", name), ("memory", "delete", "--yes", "--", name)):  # fmt: skip
        assert "bad memory name" in oroi(*arguments).failed()


def test_an_unknown_memory_is_named(oroi: Oroi, mind: str, tmp_path: Path) -> None:
    for arguments in (("ask", mind, "hi?"), ("stats", mind), ("show", mind), ("retry", mind),
                      ("memory", "show", mind), ("memory", "delete", mind, "--yes"),
                      ("memory", "export", mind, str(tmp_path / "x.jsonl"))):  # fmt: skip
        assert f"no memory named '{mind}'" in oroi(*arguments).failed()


def test_wrong_usage_is_one_line_and_exit_code_2(oroi: Oroi) -> None:
    assert "see `oroi say --help`" in oroi("say", "diary").failed(2)
    assert "No such command" in oroi("sing").failed(2)
    assert "No such option" in oroi("--sing", "say").failed(2)
    assert "is no ISO time" in oroi("say", "diary", "x", "--at", "now").failed(2)


def test_options_override_the_environment(oroi: Oroi) -> None:
    line = oroi("--uri", "bolt://127.0.0.1:9", "--password", "from-option", "memory", "list").failed()
    assert "bolt://127.0.0.1:9" in line
    assert "from-option" not in line


# -- as a process -------------------------------------------------------------------------------------------


def run_and_loaded(*arguments: str) -> tuple[str, set[str]]:
    """What a command prints, and the modules that its process has loaded at its end."""
    code = "import sys; from oroi_graph.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return ran.stdout, set(ran.stderr.split())


def test_a_question_loads_no_more_than_it_needs(oroi: Oroi, mind: str) -> None:
    """Each of these costs a tenth of a warm answer and more; one import on the way brings it in for all."""
    oroi("say", mind, "My sister is called Leire.", "--speaker", "Ana")
    printed, loaded = run_and_loaded("ask", mind, "What is my sister called?", "--as", "Ana")
    assert "Leire" in printed
    assert (loaded | {name.split(".")[0] for name in loaded}) & {
        "scipy", "fastcluster", "jsonschema", "networkx", "onnx", "matplotlib", "openai", "fastapi", "mcp",
        "dateparser", "phonenumbers", "detect_secrets", "oroi_graph.contract.pipeline", "oroi_graph.workspace.pipeline",
        "oroi_graph.consolidation.pipeline",
    } == set()  # fmt: skip


def test_administration_waits_for_the_driver_alone(oroi: Oroi, mind: str) -> None:
    oroi("say", mind, "I like tea.", "--speaker", "Ana")
    printed, loaded = run_and_loaded("memory", "list")
    assert mind in printed
    assert "neo4j" in loaded
    rooms = "activation entities extraction perception providers recall windows working_set".split()
    assert loaded & {"oroi_graph.memory", "onnxruntime", *(f"oroi_graph.{room}" for room in rooms)} == set()


def test_help_does_not_load_what_it_does_not_need() -> None:
    printed, loaded = run_and_loaded("--help")
    assert "Usage: oroi" in printed
    packages = {name.split(".")[0] for name in loaded}
    assert not packages & {"neo4j", "numpy", "onnxruntime", "openai", "dateparser", "matplotlib", "jgo", "neomodel"}


def test_a_reader_that_leaves_early_is_no_error(spawn: Spawn) -> None:
    process = spawn("cypher", "UNWIND range(1, 30000) AS n RETURN n", "--limit", "30000", "--json")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait()


def test_ctrl_c_in_a_chat_ends_it_with_130(spawn: Spawn, mind: str) -> None:
    with spawn("chat", mind, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"I live in Durango.\n")
        process.stdin.flush()
        process.stdout.readline()  # it answered, and waits for more
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert process.stderr is not None
        assert process.stderr.read().strip() == b"oroi: interrupted"


def test_a_query_has_an_end(oroi: Callable[..., Ran]) -> None:
    """In rows and in time: one heavy query would take the server's memory from everybody."""
    ran = oroi("cypher", "UNWIND range(1, 1000000) AS n RETURN n", "--limit", "3", "--json")
    assert [row[0] for row in ran.json["rows"]] == [1, 2, 3]
    assert "more rows than 3" in ran.err
    slow = "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b WITH a, b WHERE a * b < 0 RETURN count(*)"
    assert "did not end within its time: give it more (--timeout)" in oroi("cypher", slow, "--timeout", "1").failed()


def test_the_managed_server_has_one_database(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OROI_NEO4J_URI", "OROI_NEO4J_DATABASE"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SettingsError, match="'nope', but the managed server has one database, 'neo4j'"):
        open_store(Settings(data_dir=tmp_path, database="nope"))


def test_errors_are_json_where_json_is_asked_for(oroi: Oroi) -> None:
    ran = oroi("stats", "nobody-here", "--json")
    assert ran.code == 1
    assert ran.json["error"] == "MemoryNotFoundError"
    assert "nobody-here" in ran.json["message"]
    assert oroi("stats", "--json").json["error"] == "UsageError"


def test_a_chat_knows_its_commands(oroi: Oroi, mind: str) -> None:
    ran = oroi("chat", mind, "--speaker", "Ana", stdin=b"/help\n/wipe\n/quit\nNever said.\n")
    assert "each line is a turn" in ran.err
    assert "there is no /wipe" in ran.err
    assert oroi("stats", mind, "--json").json["turns"] == 0


def test_the_history_of_sleeps(oroi: Oroi, mind: str) -> None:
    oroi("say", mind, "My sister is called Leire.", "--speaker", "Ana")
    assert mind not in oroi("worker", "--history").out
    assert "nothing has slept yet" in oroi("worker", "--history", mind).err
    assert oroi("consolidate", mind).code == 0
    [found] = oroi("worker", "--history", mind, mind, "--json").json
    assert (found["memory"], found["turn"], found["state"], found["attempts"]) == (mind, 1, "done", 1)
    assert found["counts"]["decayed"] > 0
    assert found["finished_at"] >= found["started_at"]
    assert mind in oroi("worker", "--history").out
    assert "nobody" in oroi("worker", "--history", "nobody").failed()
