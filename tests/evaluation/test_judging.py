"""Evaluation with a model: answers and verdicts over real HTTP, every call recorded, replayed, resumed, counted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest_cli import Ran, cli_environment, oroi, spawn
from evaluation_files import evaluated_memories, jsonl, locomo_file
from fake_openai import KEY, Behaviour, FakeOpenAI, Request, Response, says, status

from oroi_graph.errors import InputError
from oroi_graph.evaluation.datasets.dataset import Dataset, Question
from oroi_graph.evaluation.errors import EvaluationError
from oroi_graph.evaluation.judging.answered import with_answers
from oroi_graph.evaluation.judging.answering import Answerer, Asked, Chat, Reply, Verdict, prompt
from oroi_graph.evaluation.judging.expected import Expected
from oroi_graph.evaluation.judging.models import ModelOptions
from oroi_graph.evaluation.judging.recording import Calls, RecordedService, call_key
from oroi_graph.evaluation.results import summarise
from oroi_graph.evaluation.scoring import Scored
from oroi_graph.evaluation.statistics import wilson
from oroi_graph.providers.openai.service import Endpoint
from oroi_graph.storage import catalog
from oroi_graph.storage.store import Store

# Evaluations name their memories by content and look for what is left of any of them.
pytestmark = pytest.mark.exclusive("evaluation")

__all__ = ["cli_environment", "oroi", "spawn"]  # fixtures

Oroi = Callable[..., Ran]
MODEL = "gpt-4o-mini"
PLACES: list[tuple[str, str, str]] = [("one", "Ana", "Irun"), ("two", "Jon", "Zarautz")]
QUICK = ("--condition", "none", "--condition", "oroi")
OFFLINE = ("--extraction", "offline")


def scenario(id: str, name: str, place: str) -> dict[str, Any]:
    """Who lives where, and what nobody said."""
    return {
        "id": id,
        "phenomenon": "recurrence" if id == "one" else "updating",
        "turns": [
            {"speaker": name, "text": f"I live in {place}.", "at": "2026-01-03T10:00:00Z"},
            {"role": "assistant", "text": "Noted."},
        ],
        "probes": [
            {"question": f"Where does {name} live?", "required": [[place]], "forbidden": [["Paris"]]},
            {"question": f"What does {name} play?", "required": [["oboe"]]},
        ],
    }


@pytest.fixture
def scenarios(tmp_path: Path) -> str:
    return str(jsonl(tmp_path / "s.jsonl", [scenario(*place) for place in PLACES]))


@pytest.fixture
def served(fake_openai: FakeOpenAI, cli_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> FakeOpenAI:
    """A service in good health, which the settings name."""
    monkeypatch.setenv("OROI_OPENAI_BASE_URL", fake_openai.url)
    monkeypatch.setenv("OROI_OPENAI_API_KEY", KEY)
    fake_openai.always(mind)
    return fake_openai


@pytest.fixture(autouse=True)
def nothing_is_left(store: Store) -> Any:
    """No memory of an evaluation stays behind."""
    before = evaluated_memories(store)
    yield
    assert evaluated_memories(store) <= before


def kind(request: Request) -> str:
    """What a request asks for: "extraction", "reranking", "grade" (a verdict), or "answer"."""
    form = request.body.get("response_format")
    return str(form["json_schema"]["name"]) if form else "answer"


def mind(fake: FakeOpenAI, request: Request) -> Response:
    """A model that reads simple sentences, answers with a place it is shown, and grades by words."""
    content = request.body["messages"][1]["content"]
    if kind(request) == "extraction":
        text = json.loads(content)["turn"]["text"]
        found = text.removeprefix("I live in ").rstrip(".")
        relations = [] if found == text else [{"source": "I", "relation": "live in", "target": found}]
        concepts = [{"label": r["target"], "kind": "name"} for r in relations]
        return says(json.dumps({"concepts": concepts, "relations": relations}))(fake, request)
    if kind(request) == "reranking":
        asked = json.loads(content)
        said = [one["index"] for one in asked["passages"] if "live" in one["text"] and "live?" in asked["question"]]
        return says(json.dumps({"needed": said, "outdated": []}))(fake, request)
    if kind(request) == "grade":
        asked = json.loads(content)
        right = asked["answer"].strip(".") in asked["expected"] or "not tell" in asked["expected"]
        return verdict("correct" if right else "incorrect")(fake, request)
    places = [place for _, _, place in PLACES if place in content] if "live?" in content else []
    return says(places[0] if places else "I don't know")(fake, request)


def verdict(said: str) -> Behaviour:
    return says(json.dumps({"reason": "it says so", "verdict": said}))


def when(wanted: str, text: str, behaviour: Behaviour) -> Behaviour:
    """That behaviour for requests of one kind about a text, the usual one for others."""

    def answer(fake: FakeOpenAI, request: Request) -> Response:
        about = kind(request) == wanted and any(text in message["content"] for message in request.body["messages"])
        return (behaviour if about else mind)(fake, request)

    return answer


def evaluated(oroi: Oroi, folder: Path, *arguments: str) -> tuple[dict[str, Any], str]:
    """Run a command that must work: its JSON, and all of its files that two runs have to share."""
    out, transcript = folder / "out.json", folder / "transcript.jsonl"
    ran = oroi("evaluate", *arguments, *QUICK, "--json", str(out), "--transcript", str(transcript))
    assert ran.code == 0, ran
    text = out.read_text()
    return json.loads(text), text[: text.index('"timings"')] + transcript.read_text()


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


# -- record and replay --------------------------------------------------------------------------------------


def test_scenarios_recorded_and_replayed_are_the_same(
    oroi: Oroi, served: FakeOpenAI, scenarios: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = tmp_path / "calls.jsonl"
    models = ("--extraction", "openai", "--answers", "openai", "--judge", "openai:strict")
    data, first = evaluated(oroi, tmp_path, "scenarios", scenarios, *models, "--record", str(calls))
    sent = len(served.requests)
    recorded = lines(calls)
    assert {line["kind"] for line in recorded} == {"extraction", "answer", "judge"}
    assert len({line["key"] for line in recorded}) == len(recorded) == sent
    assert {line["model"] for line in recorded if line["kind"] == "judge"} == {"strict"}
    for request in served.requests:
        body = request.body
        key = call_key(body["model"], body["messages"], body.get("response_format"))
        assert key in {line["key"] for line in recorded}
    # Nothing answers there, and no key is set.
    monkeypatch.setenv("OROI_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.delenv("OROI_OPENAI_API_KEY")
    before = calls.read_bytes()
    for threads in ("1", "8"):
        again = evaluated(
            oroi, tmp_path, "scenarios", scenarios, *models, "--replay", str(calls), "--parallel", threads
        )
        assert again[1] == first
    assert calls.read_bytes() == before
    assert len(served.requests) == sent
    assert not [path for path in tmp_path.iterdir() if KEY.encode() in path.read_bytes()]

    oroi_found = data["conditions"]["oroi"]
    assert data["counts"]["memory_facts"] == 2
    assert {name: oroi_found["metrics"][name] for name in ("recall_at_context", "answer_accuracy")} == {
        "recall_at_context": 0.5,
        "answer_accuracy": 0.5,
    }
    assert oroi_found["intervals"]["answer_accuracy"] == [round(end, 4) for end in wilson(2, 4)]
    assert oroi_found["groups"]["updating"]["answer_accuracy"] == 0.5
    assert oroi_found["groups"]["updating"]["answers"] == {"judged": 2, "unjudged": 0, "empty": 0}
    assert [row["metric"] for row in data["comparisons"]] == ["recall_at_context", "answer_accuracy"]
    # "none" quotes the same two turns, so it is right as often.
    assert (data["comparisons"][1]["wins"], data["comparisons"][1]["p"]) == (0, 1.0)
    usage = data["model"]["usage"]
    assert {name: data["model"][name] for name in ("extraction", "answers", "judge")} == {
        "extraction": f"openai:{MODEL}",
        "answers": f"openai:{MODEL}",
        "judge": "openai:strict",
    }
    assert usage["extraction"] == {"calls": 2, "input_tokens": 14, "output_tokens": 6}
    assert sum(found["calls"] for found in usage.values()) == data["counts"]["model_calls"] == sent
    assert data["counts"]["answers"] == 8


def test_locomo_recorded_and_replayed_is_the_same(oroi: Oroi, served: FakeOpenAI, tmp_path: Path) -> None:
    """A model that never knows is right where nothing is to be known: in category 5."""
    calls = tmp_path / "calls.jsonl"
    models = ("--answers", "openai", "--judge", "openai")
    path = str(locomo_file(tmp_path))
    data, first = evaluated(oroi, tmp_path, "locomo", path, *models, "--record", str(calls))
    sent = len(served.requests)
    assert evaluated(oroi, tmp_path, "locomo", path, *models, "--replay", str(calls))[1] == first
    assert len(served.requests) == sent
    groups = data["conditions"]["oroi"]["groups"]
    assert {name: part["answer_accuracy"] for name, part in groups.items()} == {
        "1": 0.0, "2": 0.0, "4": 0.0, "5": 1.0, "1-4": 0.0, "1-5": 0.25,
    }  # fmt: skip
    assert data["conditions"]["oroi"]["answers"] == {"judged": 3, "unjudged": 0, "empty": 0}
    assert data["counts"]["answers"] == 8
    told = lines(tmp_path / "transcript.jsonl")
    assert {row["expected"] for row in told if row["groups"][0] == "2"} == {"Getaria"}
    assert all("does not tell" in row["expected"] for row in told if row["groups"][0] == "5")
    asked = [r.body["messages"] for r in served.requests if "Where did Tom" in r.body["messages"][1]["content"]]
    assert "on 2025-06-12" in asked[0][0]["content"]
    assert asked[0][1]["content"].startswith("Where did Tom sail?\n\n<oroi-memory>\n")


def test_choices_of_records_recorded_and_replayed_are_the_same(
    oroi: Oroi, served: FakeOpenAI, scenarios: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model chooses nothing where nothing answers, so that those briefs are empty."""
    monkeypatch.setenv("OROI_RERANKER", "openai")
    calls = tmp_path / "calls.jsonl"
    run = ("evaluate", "scenarios", scenarios, *OFFLINE, "--condition", "oroi", "--json", str(tmp_path / "out.json"))

    def results(*more: str) -> tuple[dict[str, Any], str]:
        assert oroi(*run, *more).code == 0
        text = (tmp_path / "out.json").read_text()
        return json.loads(text), text[: text.index('"timings"')]

    data, first = results("--record", str(calls))
    assert [line["kind"] for line in lines(calls)] == ["reranking"] * 4
    assert {kind(request) for request in served.requests} == {"reranking"}
    assert data["model"]["reranking"] == f"openai:{MODEL}"
    assert data["model"]["usage"]["reranking"]["calls"] == data["counts"]["model_calls"] == 4
    assert data["conditions"]["oroi"]["metrics"]["recall_at_context"] == 0.5
    assert data["conditions"]["oroi"]["metrics"]["empty"] == 0.5

    monkeypatch.delenv("OROI_OPENAI_API_KEY")
    assert results("--replay", str(calls))[1] == first
    assert len(served.requests) == 4
    calls.write_text("".join(calls.read_text().splitlines(keepends=True)[:-1]))
    ended = oroi(*run, "--replay", str(calls))
    assert (ended.code, "holds no reranking call" in ended.err) == (1, True), ended


def test_without_a_judge_words_decide(oroi: Oroi, served: FakeOpenAI, scenarios: str, tmp_path: Path) -> None:
    """The right place and no forbidden one: of Jon it also says where he does not live."""
    served.always(when("answer", "Where does Jon", says("In Zarautz, not in Paris.")))
    data, _ = evaluated(oroi, tmp_path, "scenarios", scenarios, *OFFLINE, "--answers", "openai")
    groups = data["conditions"]["oroi"]["groups"]
    assert {name: part["answer_accuracy"] for name, part in groups.items()} == {"recurrence": 0.5, "updating": 0.0}
    assert data["model"]["judge"] is None
    assert {kind(request) for request in served.requests} == {"answer"}


def test_the_tables_show_accuracy(oroi: Oroi, served: FakeOpenAI, scenarios: str) -> None:
    ran = oroi("evaluate", "scenarios", scenarios, *OFFLINE, "--answers", "openai", *QUICK)
    assert ran.code == 0, ran
    accuracy = ran.out.split("\nanswer_accuracy\n")[1]
    assert accuracy.split("\n")[2].split() == ["recurrence", "2", "50.0", "50.0"]
    assert "answer_accuracy, question by question" in accuracy
    assert "8 answers" in ran.err
    assert "calls were sent to a model" in ran.err


# -- what goes wrong ----------------------------------------------------------------------------------------


def test_a_killed_run_goes_on_from_its_recording(
    oroi: Oroi,
    spawn: Callable[..., subprocess.Popen[bytes]],
    served: FakeOpenAI,
    scenarios: str,
    tmp_path: Path,
) -> None:
    calls = tmp_path / "calls.jsonl"
    arguments = ("scenarios", scenarios, *OFFLINE, "--answers", "openai", "--judge", "openai", "--record", str(calls))
    stuck = threading.Event()

    def hangs(fake: FakeOpenAI, request: Request) -> Response:
        stuck.set()
        fake.closing.wait()
        return Response({}, 503)

    served.always(when("grade", "Jon live", hangs))
    process = spawn("evaluate", *arguments, *QUICK)
    try:
        assert stuck.wait(60)
        deadline = time.monotonic() + 30
        while len(calls.read_bytes().split(b"\n")) < 7 and time.monotonic() < deadline:
            time.sleep(0.05)  # what the other threads ask for is recorded meanwhile
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    kept = lines(calls)
    calls.write_bytes(calls.read_bytes() + calls.read_bytes()[:90])  # as if it had died in the middle of a line
    served.always(mind)
    before = len(served.requests)
    resumed = evaluated(oroi, tmp_path, *arguments)[1]
    asked = [
        call_key(r.body["model"], r.body["messages"], r.body.get("response_format")) for r in served.requests[before:]
    ]
    assert len(kept) >= 6
    assert asked
    assert not {line["key"] for line in kept} & set(asked)
    assert lines(calls)[: len(kept)] == kept
    assert sorted(line["key"] for line in lines(calls)[len(kept) :]) == sorted(asked)
    fresh = (*arguments[:-1], str(tmp_path / "fresh.jsonl"))
    assert evaluated(oroi, tmp_path, *fresh)[1] == resumed


def test_a_malformed_verdict_is_asked_again_then_unjudged(
    oroi: Oroi, served: FakeOpenAI, scenarios: str, tmp_path: Path
) -> None:
    calls = tmp_path / "calls.jsonl"
    served.always(when("grade", "Ana live", says('{"reason": "hm", "verdict": "maybe"}')))
    models = (*OFFLINE, "--answers", "openai", "--judge", "openai", "--parallel", "1")
    data, first = evaluated(oroi, tmp_path, "scenarios", scenarios, *models, "--record", str(calls))
    found = data["conditions"]["oroi"]
    assert found["answers"] == {"judged": 3, "unjudged": 1, "empty": 0}
    assert found["metrics"]["answer_accuracy"] == round(1 / 3, 4)
    assert found["groups"]["recurrence"]["answer_accuracy"] == 0.0
    assert found["groups"]["recurrence"]["answers"] == {"judged": 1, "unjudged": 1, "empty": 0}
    assert data["counts"]["answers_unjudged"] == 2  # in both conditions
    told = [row for row in lines(tmp_path / "transcript.jsonl") if row["verdict"] == "unjudged"]
    assert {row["question"] for row in told} == {"Where does Ana live?"}
    assert "got 'maybe'" in told[0]["reason"]
    again = [r for r in served.requests if kind(r) == "grade" and len(r.body["messages"]) == 4]
    assert "That was no grade" in again[0].body["messages"][3]["content"]
    assert evaluated(oroi, tmp_path, "scenarios", scenarios, *models, "--replay", str(calls))[1] == first


@pytest.mark.parametrize(
    "bad", ["no JSON", "[]", '{"verdict": "correct"}', '{"verdict": ["correct"], "reason": ""}', "", "{}"]
)
def test_a_second_try_can_save_a_verdict(served: FakeOpenAI, bad: str) -> None:
    served.script(says("Irun"), says(bad), verdict("correct"))
    assert _answered(served).replies[0].verdict == "correct"
    assert len(served.requests) == 3


def test_no_answer_is_wrong_and_not_judged(served: FakeOpenAI) -> None:
    served.script(says("  "))
    answerer = _answered(served)
    assert answerer.replies[0].verdict == "unanswered"
    assert len(served.requests) == 1


def test_accuracy_and_pairs_by_hand() -> None:
    """Of five questions one is unjudged under each condition, so three pairs are left: one won, two equal."""
    verdicts: dict[str, list[Verdict]] = {
        "none": ["incorrect", "correct", "unanswered", "correct", "unjudged"],
        "oroi": ["correct", "correct", "incorrect", "unjudged", "correct"],
    }
    questions = [Question(str(i), "?", ("even" if i % 2 == 0 else "odd",)) for i in range(5)]
    dataset = Dataset(name="x", cases=(), headline="recall_at_context", groups=("even", "odd"))
    scored = [Scored(question, {"recall_at_context": 1.0}, 0, 0.0) for question in questions]
    results = summarise(dataset, dict.fromkeys(verdicts, scored), "", 0, {})
    replies = [
        Reply(name, question, "", "", said)
        for name, found in verdicts.items()
        for question, said in zip(questions, found, strict=True)
    ]
    data = with_answers(results, replies).to_json()
    none, ours = (data["conditions"][name] for name in verdicts)
    assert (none["metrics"]["answer_accuracy"], ours["metrics"]["answer_accuracy"]) == (0.5, 0.75)
    assert none["answers"] == {"judged": 4, "unjudged": 1, "empty": 1}
    assert ours["intervals"]["answer_accuracy"] == [round(end, 4) for end in wilson(3, 4)]
    assert ours["groups"]["odd"]["answer_accuracy"] == 1.0
    assert ours["groups"]["odd"]["answers"] == {"judged": 1, "unjudged": 1, "empty": 0}
    compared = data["comparisons"][1]
    assert (compared["a"], compared["b"], compared["metric"]) == ("oroi", "none", "answer_accuracy")
    assert (compared["wins"], compared["losses"], compared["difference"], compared["p"]) == (1, 0, 0.3333, 1.0)
    assert [compared["groups"][group]["difference"] for group in ("even", "odd")] == [0.5, 0.0]


def test_a_question_without_expectation_is_not_asked(served: FakeOpenAI) -> None:
    assert _answered(served, {}).replies == []
    assert served.requests == []


def _answered(fake: FakeOpenAI, expected: dict[str, Expected] | None = None) -> Answerer:
    endpoint, calls = Endpoint(api_key=KEY, base_url=fake.url), Calls()
    answer, judge = (Chat(RecordedService(endpoint, calls, kind), MODEL) for kind in ("answer", "judge"))
    expected = {"q": Expected("Irun.")} if expected is None else expected
    answerer = Answerer(answer, expected, judge=judge)
    answerer.take([Asked("oroi", Question("q", "Where?", ()), "")])
    return answerer


def test_a_call_that_was_not_recorded_is_named(
    oroi: Oroi, served: FakeOpenAI, scenarios: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = tmp_path / "calls.jsonl"
    arguments = ("scenarios", scenarios, "--extraction", "openai", "--answers", "openai")
    evaluated(oroi, tmp_path, *arguments, "--record", str(calls))
    whole = lines(calls)
    sent = len(served.requests)

    def replayed(kept: list[dict[str, Any]], *more: str) -> str:
        replay = jsonl(tmp_path / "part.jsonl", kept)
        return oroi("evaluate", *arguments, *QUICK, "--replay", str(replay), *more).failed()

    ana = [line for line in whole if line["messages"][1]["content"].startswith("Where does Ana live?")]
    found = replayed([line for line in whole if line not in ana])
    assert "part.jsonl holds no answer call for 'Where does Ana live? <oroi-memory>" in found
    assert any(f"(model '{MODEL}', key {line['key'][:12]}…): record it with --record" in found for line in ana)
    found = replayed([line for line in whole if line["kind"] != "extraction"])
    assert "holds no extraction call for 'I live in Irun.'" in found
    assert "holds no judge call for 'Wh" in replayed(whole, "--judge", "openai")
    monkeypatch.setenv("OROI_CHAT_MODEL", "another")
    assert "model 'another'" in replayed(whole)
    assert len(served.requests) == sent


def test_the_budget_of_calls_ends_a_run_and_another_goes_on(
    oroi: Oroi, served: FakeOpenAI, scenarios: str, tmp_path: Path
) -> None:
    calls = tmp_path / "calls.jsonl"
    arguments = ("scenarios", scenarios, "--answers", "openai", "--judge", "openai")
    budget = ("--record", str(calls), "--max-calls", "5")
    found = oroi("evaluate", *arguments, *QUICK, *budget).failed()
    assert "the budget of 5 calls (--max-calls) is used up" in found
    assert f"what was answered is recorded in {calls}: the same command goes on from there" in found
    assert len(served.requests) == len(lines(calls)) == 5
    for runs in range(2, 9):
        if oroi("evaluate", *arguments, *QUICK, *budget).code == 0:
            break
        assert len(lines(calls)) == 5 * runs
    assert len(served.requests) == len(lines(calls)) <= 16
    # With all of it recorded nothing is left to be sent.
    assert oroi("evaluate", *arguments, *QUICK, "--record", str(calls), "--max-calls", "0").code == 0


@pytest.mark.parametrize(
    ("wanted", "behaviour", "said"),
    [
        ("extraction", status(503, retry_after=0), "is overloaded or failing"),
        ("answer", status(503, retry_after=0), "is overloaded or failing"),
        ("grade", status(401, message=f"bad key {KEY}"), "refused the key (bad key ***)"),
    ],
)
def test_a_service_that_fails_ends_the_run(
    oroi: Oroi, served: FakeOpenAI, scenarios: str, tmp_path: Path, wanted: str, behaviour: Behaviour, said: str
) -> None:
    """A failed extraction too, which perception would take for a turn that states nothing."""
    calls = tmp_path / "calls.jsonl"
    served.always(when(wanted, "", behaviour))
    found = oroi(
        "evaluate", "scenarios", scenarios, *QUICK, "--extraction", "openai", "--answers", "openai",
        "--judge", "openai", "--record", str(calls), "--json", str(tmp_path / "out.json"), "--parallel", "1",
    ).failed()  # fmt: skip
    assert said in found
    assert str(calls) in found
    assert not (tmp_path / "out.json").exists()
    assert [kind(request) for request in served.requests].count(wanted) == (4 if "overloaded" in said else 1)
    assert KEY not in found + calls.read_text()


def test_a_memory_that_is_kept_holds_no_turn_without_its_extraction(
    oroi: Oroi, store: Store, served: FakeOpenAI, scenarios: str, tmp_path: Path
) -> None:
    """What a failed run kept would else pass for the whole of it in the next one."""
    before = evaluated_memories(store)
    keep = ("scenarios", scenarios, "--extraction", "openai", "--answers", "openai", "--keep")
    served.always(when("extraction", "Zarautz", status(503, retry_after=0)))
    try:
        oroi("evaluate", *keep, *QUICK).failed()
        served.always(mind)
        data, _ = evaluated(oroi, tmp_path, *keep)
        assert data["counts"]["memory_facts"] == 2
    finally:
        for name in evaluated_memories(store) - before:
            catalog.delete(store, name)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--answers", "magic"], "--answers must be openai or openai:MODEL, got 'magic'"),
        (["--answers", "openai", "--judge", "openai:"], "--judge must be openai or openai:MODEL, got 'openai:'"),
        (["--judge", "openai"], "--judge has nothing to judge: give --answers, too"),
        (["--transcript", "{folder}/t"], "--transcript has no answers to write"),
        (["--answers", "openai", "--record", "{folder}/a", "--replay", "{folder}/b"], "exclude each other"),
        (["--answers", "openai", "--replay", "{folder}/no"], "cannot read recordings from {folder}/no"),
        (["--answers", "openai", "--record", "{folder}"], "recordings from {folder} (Is a directory)"),
        (["--answers", "openai", "--replay", "{folder}/s.jsonl"], "s.jsonl line 1 is no recorded call (KeyError)"),
        (["--answers", "openai"], "the openai provider needs a key: set OROI_OPENAI_API_KEY"),
    ],
)
def test_errors_are_one_line(oroi: Oroi, scenarios: str, tmp_path: Path, arguments: list[str], said: str) -> None:
    given = [argument.format(folder=tmp_path) for argument in arguments]
    assert said.format(folder=tmp_path) in oroi("evaluate", "scenarios", scenarios, *given).failed()
    assert [path.name for path in tmp_path.iterdir()] == ["s.jsonl"]


def test_locomo_needs_a_judge(oroi: Oroi, tmp_path: Path) -> None:
    assert "--judge" in oroi("evaluate", "locomo", str(locomo_file(tmp_path)), "--answers", "openai").failed()


# -- calls --------------------------------------------------------------------------------------------------


def service(fake: FakeOpenAI, calls: Calls, key: str = KEY) -> RecordedService:
    return RecordedService(Endpoint(api_key=key, base_url=fake.url, backoff=0.01), calls, "answer")


def said(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def test_the_same_request_is_sent_once(served: FakeOpenAI, tmp_path: Path) -> None:
    """Also when several threads ask for it before the first has its answer."""
    gate = threading.Barrier(2)

    def slow(fake: FakeOpenAI, request: Request) -> Response:
        gate.wait(10)
        return says("once")(fake, request)

    served.always(slow)
    calls = Calls(tmp_path / "calls.jsonl")
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(service(served, calls).complete, MODEL, said("Where?")) for _ in range(4)]
        gate.wait(10)
        assert {future.result().said for future in waiting} == {"once"}
    assert len(served.requests) == len(lines(tmp_path / "calls.jsonl")) == calls.sent == 1
    assert calls.usage() == {"answer": {"calls": 1, "input_tokens": 7, "output_tokens": 3}}


def test_a_key_names_model_messages_and_schema() -> None:
    other = [
        call_key(MODEL, said("a"), None),
        call_key("b", said("a"), None),
        call_key(MODEL, said("b"), None),
        call_key(MODEL, said("a"), {"type": "json_schema"}),
        call_key(MODEL, [{"role": "system", "content": "a"}], None),
    ]
    assert len(set(other)) == len(other)
    assert call_key(MODEL, [{"content": "a", "role": "user"}], None) == other[0]
    assert call_key(MODEL, said("half \ud83d"), None)


def test_a_key_that_an_answer_repeats_is_not_written(served: FakeOpenAI, tmp_path: Path) -> None:
    served.script(says(f"your key is {KEY}"))
    path = tmp_path / "calls.jsonl"
    assert service(served, Calls(path)).complete(MODEL, said("What is it?")).said == "your key is ***"
    assert KEY not in path.read_text()
    assert service(served, Calls(path, replay=True)).complete(MODEL, said("What is it?")).said == "your key is ***"


def test_a_word_that_stands_for_a_key_stays_in_answers(served: FakeOpenAI) -> None:
    served.script(says("none of them"))
    assert service(served, Calls(), key="none").complete(MODEL, said("Which?")).said == "none of them"


def test_a_refusal_is_replayed_as_one(served: FakeOpenAI, tmp_path: Path) -> None:
    served.script(says(None, refusal="I won't."))
    path = tmp_path / "calls.jsonl"
    first = service(served, Calls(path)).complete(MODEL, said("x"))
    assert first.refused
    assert service(served, Calls(path, replay=True)).complete(MODEL, said("x")) == first


def test_a_failure_ends_all_calls_but_is_not_recorded(served: FakeOpenAI, tmp_path: Path) -> None:
    served.script(status(404, message="no such model"))
    path = tmp_path / "calls.jsonl"
    calls = Calls(path)
    for _ in range(2):
        with pytest.raises(EvaluationError, match="no such model"):
            service(served, calls).complete(MODEL, said("x"))
    assert path.read_text() == ""
    assert len(served.requests) == 1


def test_a_last_line_without_its_end_is_kept_if_it_is_whole(served: FakeOpenAI, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"

    def ask(*, replay: bool = False) -> None:
        service(served, Calls(path, replay=replay)).complete(MODEL, [*said("x"), *said("y")])

    ask()
    whole = path.read_bytes()
    path.write_bytes(whole.rstrip(b"\n"))
    ask(replay=True)
    ask()
    assert path.read_bytes() == whole
    path.write_bytes(whole + whole[:-9])
    ask(replay=True)
    assert path.read_bytes() != whole
    ask()
    assert path.read_bytes() == whole
    assert len(served.requests) == 1
    path.write_bytes(whole[:-9] + b"\n" + whole)
    with pytest.raises(InputError, match=r"calls.jsonl line 1 is no recorded call"):
        Calls(path)


def test_silence_leaves_the_question_alone() -> None:
    asked = Asked("oroi", Question("q", "¿Dónde vivo?", ()), "", asker="Ana")
    assert prompt(asked)[1]["content"] == "¿Dónde vivo?"
    assert "a question of Ana.\n" in prompt(asked)[0]["content"]


def test_options_are_checked_in_the_library_too() -> None:
    with pytest.raises(InputError, match="nothing to judge"):
        ModelOptions(judge="openai")
