"""Unusable input is refused in one line and leaves nothing; usable input, however odd, is kept as it was said."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any

import pytest
from tables import table

from oroi_graph.errors import ExtractionError, InputError, OroiError, ProviderError
from oroi_graph.memory import Graph, Memory
from oroi_graph.model import Extraction
from oroi_graph.providers.openai.models import OpenAIEmbedder
from oroi_graph.providers.openai.service import Endpoint
from oroi_graph.providers.scripted import ScriptedExtractor
from oroi_graph.recall.request import Filters
from oroi_graph.settings import Settings
from oroi_graph.storage.store import Store

SECRET = "sk-0f-n0b0dy-4t-4ll"

TEXTS: dict[str, tuple[Any, str]] = {
    "empty": ("", "the text is empty"),
    "blank": (" \n\t ", "the text is empty"),
    "nothing": (None, "the text is empty"),
    "bytes": (b"hello", "the text is empty"),
    "1 MB": ("word " * 200_000, r"1,000,000 characters, the most is 200,000"),
    "NUL": ("a\0b", "NUL character at position 2"),
    "lone surrogate": ("ab\ud800c", "not valid Unicode at position 3"),
    "only a brief": ("<oroi-memory>\nx\n</oroi-memory>", "nothing but a recalled brief"),
}


def one_line(error: pytest.ExceptionInfo[OroiError]) -> str:
    text = str(error.value)
    assert text
    assert "\n" not in text
    assert len(text) < 400
    return text


@pytest.mark.parametrize("name", TEXTS)
def test_unusable_text_is_refused_and_leaves_nothing(memory: Memory, name: str) -> None:
    text, message = TEXTS[name]
    for call in (
        lambda: memory.perceive(text, speaker="Ana"),
        lambda: memory.perceive(text, speaker="Oroi", role="assistant"),
        lambda: memory.remember(text, speaker="Ana"),
    ):
        with pytest.raises(InputError, match=message) as refused:
            call()
        one_line(refused)
    assert (memory.stats().episodes, memory.stats().replies, memory.stats().turns) == (0, 0, 0)


@pytest.mark.parametrize("name", [name for name in TEXTS if name != "only a brief"])
def test_unusable_questions_are_refused(memory: Memory, name: str) -> None:
    text, message = TEXTS[name]
    with pytest.raises(InputError, match=message):
        memory.recall(text, speaker="Ana")


@pytest.mark.parametrize("name", [name for name in TEXTS if name != "nothing"])
def test_an_unusable_reply_leaves_the_turn_open(memory: Memory, name: str) -> None:
    text, message = TEXTS[name]
    turn = memory.perceive("Irene lives in Oñati.", speaker="Ana")
    with pytest.raises(InputError, match=message):
        turn.close(text)
    assert (memory.stats().turns, memory.stats().replies) == (0, 0)
    turn.close("Noted.")
    assert (memory.stats().turns, memory.stats().replies) == (1, 1)


@pytest.mark.parametrize("speaker", [" ", "\u200b", "\ud800", "A\0na", "\n"])
def test_unusable_speakers_are_refused(memory: Memory, speaker: str) -> None:
    with pytest.raises(InputError, match="speaker") as refused:
        memory.perceive("Hello there.", speaker=speaker)
    one_line(refused)
    assert memory.stats().episodes == 0


@pytest.mark.parametrize("field", ["id", "session"])
@pytest.mark.parametrize("value", ["\ud800", "a\0b"])
def test_unstorable_names_of_turns_are_refused(memory: Memory, field: str, value: str) -> None:
    with pytest.raises(InputError) as refused:
        memory.perceive("Hello there.", speaker="Ana", **{field: value})  # type: ignore[arg-type]
    one_line(refused)
    assert memory.stats().episodes == 0


@pytest.mark.parametrize("role", ["system", "", "User"])
def test_unknown_roles_are_refused(memory: Memory, role: Any) -> None:
    with pytest.raises(InputError, match="role"):
        memory.perceive("Hello there.", speaker="Ana", role=role)
    assert (memory.stats().episodes, memory.stats().replies) == (0, 0)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 200_000,
        "word " * 39_999,
        "\ufeff¡Hola!\r\n\ttab\x1b[31m \u202eright to left\u202c 👩\u200d🚀",
        "MATCH (n) DETACH DELETE n //",
        "'; $memory }}} {{dimensions}} %s `x` \\u0041",
        "日本語のテキスト",
        "!?",
        "e\u0301" * 50,
    ],
    ids=lambda text: text[:12].encode("unicode_escape").decode(),
)
def test_odd_text_is_kept_as_it_was_said(memory: Memory, text: str) -> None:
    turn = memory.perceive(text, speaker="Ana")
    turn.close(text)
    rows = memory.graph.store.explore("MATCH (r:Record {memory: $m}) RETURN r.text", m=memory.name)[1]
    assert rows == [[text], [text]]
    assert memory.stats().turns == 1


def test_a_huge_label_is_cut_and_found_again(memory: Memory) -> None:
    label = "Grand " * 5_000
    gold = Extraction.from_json({"relations": [{"source": label, "relation": "owns", "target": "boat"}]})
    first = memory.perceive("The Grand owns a boat.", speaker="Ana", extraction=gold)
    second = memory.perceive("The Grand owns a boat.", speaker="Ana", extraction=gold)
    assert max(len(match.label) for match in first.matches) <= 200
    assert [match.concept_id for match in first.matches] == [match.concept_id for match in second.matches]
    assert second.opened.created == ()


@pytest.mark.parametrize(
    "label", ["\u200b", "...", "a\0b", "\x1b[31mred", "<oroi-memory>", "x" * 40_000, "ﬀ" * 300, "İ" * 300]
)
def test_odd_labels_of_an_extractor_never_lose_the_turn(graph: Graph, memory: Memory, label: str) -> None:
    answer = {
        "concepts": [{"label": label, "kind": "concept"}, {"label": label, "kind": "name"}],
        "relations": [{"source": "I", "relation": label, "target": label}],
    }
    odd = Graph(graph.store, graph.embedder, ScriptedExtractor([answer])).memory(memory.name)
    odd.perceive("Something odd was said.", speaker="Ana").close("Indeed.")
    assert (memory.stats().episodes, memory.stats().replies) == (1, 1)


@table(
    ("answer", "message"),
    [
        (None, "expected an object"),
        ([], "expected an object"),
        ({"wish": 1}, "unknown key 'wish'"),
        ({"concepts": "Ana"}, "concepts must be a list"),
        ({"concepts": ["Ana"]}, "a concept must be an object"),
        ({"concepts": [{"label": 7}]}, "non-empty 'label'"),
        ({"concepts": [{"label": " "}]}, "non-empty 'label'"),
        ({"concepts": [{"label": "Ana", "kind": "self"}]}, "concept kind"),
        ({"relations": [7]}, "a relation must be an object"),
        ({"relations": [{"source": "a", "relation": "b"}]}, "non-empty 'target'"),
        ({"relations": [{"source": "a", "relation": "b", "target": "c", "negated": "no"}]}, "negated"),
        ({"relations": [{"source": "a", "relation": "b", "target": "c", "replaces": 1}]}, "replaces"),
        ({"relations": [{"source": "a", "relation": "b", "target": "c", "when": 2026}]}, "when"),
        ({"concepts": [{"label": "\ud800"}]}, "not valid Unicode"),
        ({"relations": [{"source": "a", "relation": "b", "target": "c", "when": "\udc00"}]}, "not valid Unicode"),
        ({"charge": 2}, "charge"),
        ({"charge": True}, "charge"),
        ({"charge": float("nan")}, "charge"),
        ({"store": None}, "store"),
        ({"forget": 1}, "forget"),
    ],
)
def test_extractions_of_wrong_types_are_refused(answer: Any, message: str) -> None:
    with pytest.raises(ExtractionError, match=message) as refused:
        Extraction.from_json(answer)
    one_line(refused)


def test_an_extractor_that_fails_keeps_the_turn(graph: Graph, memory: Memory) -> None:
    failing = Graph(graph.store, graph.embedder, ScriptedExtractor([ProviderError("the model is away")]))
    turn = failing.memory(memory.name).perceive("Irene lives in Oñati.", speaker="Ana")
    assert turn.opened.failure == "the model is away"
    turn.close()
    assert (memory.stats().episodes, memory.stats().failed) == (1, 1)
    assert memory.retry().amended == 1
    assert memory.stats().failed == 0


def test_the_same_id_is_the_same_turn(memory: Memory) -> None:
    first = memory.perceive("Irene lives in Oñati.", speaker="Ana", id="t1")
    again = memory.perceive("Irene lives in Oñati.", speaker="Ana", id="t1")
    with pytest.raises(InputError, match="turn 't1' holds other words already"):
        memory.perceive("Something else.", speaker="Ana", id="t1")
    assert first.number == again.number == 1
    assert again.opened.repeated
    for turn in (first, again, first):
        turn.close("Noted.")
    stats = memory.stats()
    assert (stats.turns, stats.episodes, stats.replies) == (1, 1, 1)


@pytest.mark.parametrize("at", [datetime(1, 1, 1), datetime(9999, 12, 31, tzinfo=UTC)])
def test_times_without_a_day_before_or_after_are_refused(memory: Memory, at: datetime) -> None:
    for call in (memory.perceive, memory.recall):
        with pytest.raises(InputError, match="at must lie in the years 2 to 9998"):
            call("What did we say yesterday?", speaker="Ana", at=at)


@pytest.mark.parametrize("at", [datetime(2, 1, 1), datetime(9998, 12, 31, tzinfo=UTC), datetime(2026, 3, 1)])
def test_any_other_time_will_do(memory: Memory, at: datetime) -> None:
    turn = memory.perceive("Yesterday Irene moved to Oñati.", speaker="Ana", at=at)
    turn.close("Noted.")
    assert memory.recall("Where does Irene live?", speaker="Ana", at=at).question


@table("value", ["soon", "2026-13-01", "", "01/02/2026"])
def test_unusable_dates_of_a_filter_are_refused(value: str) -> None:
    with pytest.raises(InputError, match="ISO date"):
        Filters(since=value)


def test_secrets_are_shown_nowhere(
    store_settings: Any, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    settings = Settings.from_env(
        {"OROI_NEO4J_URI": store_settings.uri, "OROI_NEO4J_PASSWORD": SECRET, "OROI_OPENAI_API_KEY": SECRET}
    )
    endpoint = Endpoint(api_key=SECRET, base_url=f"http://user:{SECRET}@127.0.0.1:9/v1?key={SECRET}", retries=0)
    embedder = OpenAIEmbedder(endpoint, "model", 3)
    shown = [repr(settings), str(settings), repr(endpoint), str(endpoint), repr(embedder), f"{vars(embedder)}"]
    with pytest.raises(ProviderError) as failed:
        embedder.embed(["hello"])
    with Store(store_settings.uri, "nobody", SECRET) as store:
        shown += [repr(store), str(store), repr(Graph(store, embedder, ScriptedExtractor([])))]
        with pytest.raises(OroiError) as refused:
            store.verify()
    shown += [str(failed.value), repr(failed.value), str(refused.value), repr(refused.value)]
    printed = capsys.readouterr()
    for text in [*shown, caplog.text, printed.out, printed.err]:
        assert SECRET not in text
