"""Exports of other programs: recognised by content, the right words to the right people, the same ids each time."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tables import table

from oroi_graph.errors import InputError
from oroi_graph.memory import Memory
from oroi_graph.model import ExtractedRelation
from oroi_graph.transfer.bulk_import import ingest
from oroi_graph.transfer.chats.recognition import read_text, read_turns
from oroi_graph.transfer.conversation_file import Conversation


def node(id: str, parent: str | None, message: Any = None, children: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"id": id, "parent": parent, "message": message, "children": list(children)}


def message(id: str, role: str, content: dict[str, Any], at: float | None = None, **more: Any) -> dict[str, Any]:
    author = {"role": role, "name": None, "metadata": {}}
    return {
        "id": id,
        "author": author,
        "create_time": at,
        "content": content,
        "recipient": "all",
        "metadata": {},
    } | more


def said(*parts: Any, kind: str = "text") -> dict[str, Any]:
    return {"content_type": kind, "parts": list(parts)}


LATER = {"title": "Later", "create_time": 1735900000.0, "conversation_id": "c2", "current_node": "z1", "mapping": {
    "z0": node("z0", None, None, ("z1",)),
    "z1": node("z1", "z0", message("m9", "user", said("Leire moved."), 1735900001.5)),
}}  # fmt: skip
CHATGPT = [LATER, {
    "title": "Sisters", "create_time": 1735689600.0, "conversation_id": "c1", "current_node": "n7", "mapping": {
        "n0": node("n0", None, None, ("n1",)),
        "n1": node("n1", "n0", message("m1", "system", said("")), ("n2",)),
        "n2": node("n2", "n1",
                   message("m2", "user", {"content_type": "user_editable_context", "user_profile": "x"}), ("n3",)),
        "n3": node("n3", "n2",
                   message("m3", "user", said("My sister Leire lives in Gernika."), 1735689601.25), ("n4", "n5")),
        "n4": node("n4", "n3", message("m4", "assistant", said("Regenerated away."), 1735689602.0)),
        "n5": node("n5", "n3", message("m5", "assistant", {"content_type": "thoughts", "thoughts": []}), ("n6",)),
        "n6": node("n6", "n5",
                   message("m6", "assistant", said("Lovely \ue200cite\ue202turn0\ue201town."), 1735689603.0), ("n7",)),
        "n7": node("n7", "n6", message("m7", "user", said({"content_type": "image_asset_pointer"}, "Here she is.",
                                                          kind="multimodal_text"), 1735689700.0)),
    },
}]  # fmt: skip

CLAUDE = [{
    "uuid": "c-1", "name": "Boats", "created_at": "2025-03-01T09:00:00.123456Z", "account": {"uuid": "a"},
    "chat_messages": [
        {"uuid": "u1", "sender": "human", "text": "I keep a boat in Bermeo.", "created_at": "2025-03-01T09:00:01.5Z",
         "content": [{"type": "text", "text": "I keep a boat in Bermeo."}],
         "attachments": [{"file_name": "deed.txt", "extracted_content": "I live in Madrid."}], "files": []},
        {"uuid": "u2", "sender": "assistant", "text": "```\nThis block is not supported\n```\nNice.",
         "created_at": "2025-03-01T09:00:05Z",
         "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Nice."}]},
        {"uuid": "u3", "sender": "human", "text": "Old exports have this only.", "created_at": "2025-03-01T09:01:00Z"},
    ],
}]  # fmt: skip

GRAPHITI = {
    "nodes": [{"uuid": "n1", "name": "Ana", "labels": ["Entity"]},
              {"uuid": "n2", "name": "Elhuyar", "labels": ["Entity"]}],
    "edges": [{"uuid": "e1", "name": "WORKS_AT", "fact": "Ana works at Elhuyar.", "source_node_uuid": "n1",
               "target_node_uuid": "n2", "valid_at": "2025-01-02T00:00:00Z", "invalid_at": "2025-06-01T00:00:00Z"}],
}  # fmt: skip
EPISODES = [
    {"uuid": "ep2", "name": "b", "source": "text", "content": "The harbour closed.",
     "valid_at": "2025-01-04T00:00:00Z"},
    {"uuid": "ep1", "name": "a", "source": "message", "group_id": "ana", "valid_at": "2025-01-03T10:00:00Z",
     "content": "Ana (user): I live in Durango.\nAgent (assistant): Noted:\n- all of it"},
    {"uuid": "ep3", "name": "c", "source": "json", "content": "{}", "valid_at": "2025-01-05T00:00:00Z"},
]  # fmt: skip


def written(folder: Path, content: object, name: str = "anything.bin") -> Path:
    path = folder / name
    raw = content if isinstance(content, bytes | str) else json.dumps(content, ensure_ascii=False)
    path.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
    return path


def read(folder: Path, content: object, **more: Any) -> Conversation:
    return read_turns(written(folder, content), **more)


def told(found: Conversation) -> list[tuple[str, str, str]]:
    return [(one.turn.role[0], one.turn.speaker, one.turn.text) for one in found.turns]


def zipped(**members: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "."), text)
    return buffer.getvalue()


def test_chatgpt_gives_the_branch_that_was_shown_oldest_conversation_first(tmp_path: Path) -> None:
    found = read(tmp_path, CHATGPT, speaker="Ana")
    assert told(found) == [
        ("u", "Ana", "My sister Leire lives in Gernika."),
        ("a", "Assistant", "Lovely town."),
        ("u", "Ana", "Here she is."),
        ("u", "Ana", "Leire moved."),
    ]
    assert [one.turn.id for one in found.turns] == ["m3", "m6", "m7", "m9"]
    assert [one.turn.session for one in found.turns] == ["c1", "c1", "c1", "c2"]
    assert found.turns[0].turn.at == datetime(2025, 1, 1, 0, 0, 1, 250000, tzinfo=UTC)
    assert dict(found.passed) == {"attachments": 1, "messages of tools, of the system, and thoughts": 2}


def test_chatgpt_without_a_current_node_takes_the_newest_leaf_and_bears_a_circle(tmp_path: Path) -> None:
    loose = json.loads(json.dumps(CHATGPT[1]))
    del loose["current_node"]
    assert told(read(tmp_path, loose))[-1] == ("u", "User", "Here she is.")
    loose["mapping"]["n0"]["parent"] = "n7"
    assert len(read(tmp_path, loose).turns) == 3


def test_claude_gives_words_and_leaves_documents_and_thoughts(tmp_path: Path) -> None:
    found = read(tmp_path, CLAUDE)
    assert told(found) == [
        ("u", "User", "I keep a boat in Bermeo."),
        ("a", "Assistant", "Nice."),
        ("u", "User", "Old exports have this only."),
    ]
    assert dict(found.passed) == {"attachments": 1, "thoughts and calls of tools": 1}
    assert found.turns[0].turn.at == datetime(2025, 3, 1, 9, 0, 1, 500000, tzinfo=UTC)


def test_archives_are_read_as_they_came(tmp_path: Path) -> None:
    split = {f"conversations-{i:03}__json": json.dumps([CHATGPT[1 - i]]) for i in range(2)}
    found = read(tmp_path, zipped(user__json="{}", chat__html="<p>", **split))
    assert [one.turn.id for one in found.turns] == ["m3", "m6", "m7", "m9"]
    chat = zipped(**{"_chat__txt": "[31/12/23, 21:15:03] Ana: Hi", "00000012-PHOTO__jpg": "x"})
    assert told(read(tmp_path, chat)) == [("u", "Ana", "Hi")]
    for broken, why in (
        (zipped(user__json="{}")[:-30], "no usable ZIP"),
        (zipped(a__png="x"), "holds no conversation"),
    ):
        with pytest.raises(InputError, match=why):
            read(tmp_path, broken)


@table(
    ("line", "at"),
    [
        ("12/31/23, 9:15 PM - {}", "2023-12-31 21:15:00"),
        ("12/31/23, 9:15\u202fPM - {}", "2023-12-31 21:15:00"),
        ("31/12/2023, 21:15 - {}", "2023-12-31 21:15:00"),
        ("31/12/2023 21:15 - {}", "2023-12-31 21:15:00"),
        ("31/12/23, 9:15 p. m. - {}", "2023-12-31 21:15:00"),
        ("31/12/23, 12:05\u00a0a.\u00a0m. - {}", "2023-12-31 00:05:00"),
        ("31.12.23, 21:15 - {}", "2023-12-31 21:15:00"),
        ("31-12-2023 21:15 - {}", "2023-12-31 21:15:00"),
        ("31.12.2023 21.15 - {}", "2023-12-31 21:15:00"),
        ("2023-12-31 21:15 - {}", "2023-12-31 21:15:00"),
        ("23/12/31, 21:15 - {}", "2023-12-31 21:15:00"),
        ("31/12/2023 à 21:15 - {}", "2023-12-31 21:15:00"),
        ("2023/12/31 下午9:15 - {}", "2023-12-31 21:15:00"),
        ("2023년 12월 31일 오후 9:15, {}", "2023-12-31 21:15:00"),
        ("[31/12/23, 21:15:03] {}", "2023-12-31 21:15:03"),
        ("[12/31/23, 9:15:03 PM] {}", "2023-12-31 21:15:03"),
        ("\u200e[31/12/2023, 9:15:03 p. m.] {}", "2023-12-31 21:15:03"),
        ("[31.12.2023 klo 21.15.03] {}", "2023-12-31 21:15:03"),
        ("[2023-12-31, 21:15:03] {}", "2023-12-31 21:15:03"),
    ],
)
def test_whatsapp_in_the_formats_of_its_regions(line: str, at: str, tmp_path: Path) -> None:
    found = read(tmp_path, line.format("Ana: Kaixo!\nzer moduz?\n\nAgur") + "\r\n" + line.format("Iker: Ondo: oso"))
    assert told(found) == [("u", "Ana", "Kaixo!\nzer moduz?\n\nAgur"), ("u", "Iker", "Ondo: oso")]
    assert {f"{one.turn.at:%Y-%m-%d %H:%M:%S}" for one in found.turns} == {at}


def test_whatsapp_decides_the_order_of_its_days_by_all_lines(tmp_path: Path) -> None:
    european = "03/04/23, 10:00 - Ana: a\n04/04/23, 10:00 - Ana: b\n02/05/23, 10:00 - Ana: c"
    assert [f"{one.turn.at:%m-%d}" for one in read(tmp_path, european).turns] == ["04-03", "04-04", "05-02"]
    american = "3/30/23, 10:00 - Ana: a\n4/1/23, 10:00 - Ana: b"
    assert [f"{one.turn.at:%m-%d}" for one in read(tmp_path, american).turns] == ["03-30", "04-01"]


def test_whatsapp_passes_over_what_nobody_typed(tmp_path: Path) -> None:
    android = """31/12/2023, 21:00 - Los mensajes y las llamadas están cifrados de extremo a extremo.
31/12/2023, 21:01 - Ana creó el grupo "Casa: todos"
31/12/2023, 21:02 - Ana: <Multimedia omitido>
31/12/2023, 21:03 - Ana: IMG-20231231-WA0001.jpg (archivo adjunto)
Mi hermana en Gernika
31/12/2023, 21:04 - Iker: Eliminaste este mensaje.
31/12/2023, 21:05 - \u202a+34 600 11 22 33\u202c: Feliz año <Se editó este mensaje.>
31/12/2023, 21:05 - \u202a+34 600 11 22 33\u202c: Feliz año
31/12/2023, 21:06 - Meta AI: Ana lives in Madrid."""
    found = read(tmp_path, android)
    assert told(found) == [
        ("u", "Ana", "Mi hermana en Gernika"),
        ("u", "+34 600 11 22 33", "Feliz año"),
        ("u", "+34 600 11 22 33", "Feliz año"),
        ("a", "Meta AI", "Ana lives in Madrid."),
    ]
    assert len({one.turn.id for one in found.turns}) == 4
    assert dict(found.passed) == {"attachments": 2, "deleted messages": 1, "lines of the app itself": 2}
    iphone = """[31/12/23, 21:00:00] Casa: \u200eMessages and calls are end-to-end encrypted.
\u200e[31/12/23, 21:01:00] ~ Ana: \u200e<attached: 00000012-PHOTO-2023.jpg>
\u200e[31/12/23, 21:02:00] ~ Ana: \u200eimage omitted
\u200e[31/12/23, 21:02:30] ~ Ana: My lease.pdf • \u200e3 pages \u200e<attached: 00000013-My lease.pdf>
\u200e[31/12/23, 21:02:40] ~ Ana: My lease.pdf • \u200e3 pages \u200edocument omitted
[31/12/23, 21:03:00] ~ Ana: Urte berri on"""
    found = read(tmp_path, iphone)
    assert told(found) == [("u", "Ana", "Urte berri on")]
    assert found.passed == (("attachments", 3), ("lines of the app itself", 2))


def test_whatsapp_passes_over_missed_calls_and_marks_of_editing_alone(tmp_path: Path) -> None:
    calls = ("Missed voice call", "Missed video call", "Llamada perdida", "Llamada de voz perdida",
             "Videollamada perdida", "Chamada de voz perdida", "Ligação de vídeo perdida.")  # fmt: skip
    marks = ("<This message was edited>", "<Mensagem editada>", "<Mensaje editado>", "<Se editó este mensaje.>",
             "\u200e<Ce message a été modifié>")  # fmt: skip
    edited = [f"Kaixo {mark}" for mark in marks]
    typed = ["Buy <milk and eggs>", "I missed a voice call", "Usa List<unsigned int>"]
    lines = [f"31/12/2023, 21:02 - Ana: {text}" for text in (*calls, *edited, *typed)]
    found = read(tmp_path, "\n".join(lines))
    assert [one.turn.text for one in found.turns] == [*["Kaixo"] * len(marks), *typed]
    assert dict(found.passed) == {"lines of the app itself": len(calls)}
    deleted = ("Mensagem apagada", "Ce message a été supprimé", "This message was deleted.")
    found = read(tmp_path, "\n".join(f"31/12/2023, 21:02 - Ana: {text}" for text in (*deleted, "Agur")))
    assert ([one.turn.text for one in found.turns], dict(found.passed)) == (["Agur"], {"deleted messages": 3})


def test_whatsapp_keeps_what_is_no_file(tmp_path: Path) -> None:
    typed = ("We moved to St.Ives (in Cornwall)", "Vivo en Irun.Antes (hasta mayo) en Bilbao", "ok.bien (creo)")
    sent = (
        "31/12/2023, 21:03 - Ana: Lease 2023.PDF (file attached)",
        "31/12/2023, 21:03 - Ana: Iker.vcf (file attached)",
    )
    found = read(tmp_path, "\n".join([*(f"31/12/2023, 21:02 - Ana: {text}" for text in typed), *sent]))
    assert told(found) == [("u", "Ana", text) for text in typed]
    assert dict(found.passed) == {"attachments": 2}


def test_a_chat_that_is_exported_again_later_has_the_same_ids(tmp_path: Path) -> None:
    first = "31/12/2023, 21:00 - Ana: ja\n31/12/2023, 21:00 - Ana: ja"
    grown = read(tmp_path, first + "\n31/12/2023, 21:01 - Ana: bai")
    assert [one.turn.id for one in grown.turns][:2] == [one.turn.id for one in read(tmp_path, first).turns]
    log = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    once = [one.turn.id for one in read(tmp_path, log).turns]
    assert [one.turn.id for one in read_turns(written(tmp_path, [*log, *log], "b")).turns][:2] == once
    assert len(set(once)) == 2


MESSAGES = [
    {"role": "system", "content": "You are kind."},
    {"role": "user",
     "content": [{"type": "text", "text": "I live in Durango."}, {"type": "image_url", "image_url": {}}]},
    {"role": "assistant", "content": None, "tool_calls": [{}]},
    {"role": "tool", "content": "42"},
    {"role": "assistant", "content": "Nice.", "timestamp": 1735689600},
]  # fmt: skip


@table(
    "content",
    [
        MESSAGES,
        {"messages": MESSAGES},
        [{"id": "x", "messages": MESSAGES}],
        "\n".join(json.dumps(one) for one in MESSAGES),
        json.dumps({"messages": MESSAGES}) + "\n",
    ],
    ids=lambda value: type(value).__name__,
)
def test_messages_with_role_and_content(content: object, tmp_path: Path) -> None:
    found = read(tmp_path, content)
    assert told(found) == [("u", "User", "I live in Durango."), ("a", "Assistant", "Nice.")]
    assert found.turns[1].turn.at == datetime(2025, 1, 1, tzinfo=UTC)
    assert dict(found.passed) == {
        "attachments": 1, "messages of tools, of the system, and thoughts": 2, "messages without text": 1,
    }  # fmt: skip


@table(
    "log",
    [
        "# My talk\n\n## User\n\nI live in Durango.\n\n## ChatGPT\n\nNice.\n```\n## User\n```",
        "## 👤 You (10:00)\nI live in Durango.\n---\n## 🤖 Claude\nNice.\n```\n## User\n```\n---",
        "**Human:** I live in Durango.\n\n**Assistant:** Nice.\n```\n## User\n```",
        "**User**: I live in Durango.\n**GPT-4**: Nice.\n```\n## User\n```",
        "User: I live in Durango.\nAssistant: Nice.\n```\n## User\n```",
    ],
)
def test_markdown_logs(log: str, tmp_path: Path) -> None:
    found = read(tmp_path, log, speaker="Ana")
    assert told(found) == [("u", "Ana", "I live in Durango."), ("a", "Assistant", "Nice.\n```\n## User\n```")]
    assert found.format == "a Markdown log"


def test_a_log_of_people_keeps_their_names_and_days(tmp_path: Path) -> None:
    found = read(tmp_path, "2024-02-03\n[10:05] Ana: Hi.\n[10:06] Iker: Hello.\n2024-02-04\n[09:00] Ana: Bye.")
    assert told(found) == [("u", "Ana", "Hi."), ("u", "Iker", "Hello."), ("u", "Ana", "Bye.")]
    assert [f"{one.turn.at:%m-%d %H:%M}" for one in found.turns] == ["02-03 10:05", "02-03 10:06", "02-04 09:00"]


@table(
    "content",
    [
        {"results": [{"id": "1", "memory": "User's sister lives in Gernika", "user_id": "ana", "hash": "h",
                      "created_at": "2025-01-02T00:00:00-07:00", "updated_at": None}]},
        [{"id": "1", "memory": "User's sister lives in Gernika", "user_id": "ana",
          "created_at": "2025-01-02T07:00:00Z"}],
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_mem0(content: object, tmp_path: Path) -> None:
    found = read(tmp_path, content)
    assert told(found) == [("u", "ana", "ana's sister lives in Gernika")]
    assert (found.turns[0].turn.id, found.turns[0].turn.at) == ("mem0-1", datetime(2025, 1, 2, 7, tzinfo=UTC))
    assert told(read(tmp_path, [{"id": "2", "memory": "Answers in rhyme", "agent_id": "bard"}])) == [
        ("a", "bard", "Answers in rhyme")
    ]


def test_graphiti_gives_episodes_or_the_facts_of_its_edges(tmp_path: Path) -> None:
    found = read(tmp_path, GRAPHITI | {"episodes": EPISODES})
    assert told(found) == [
        ("u", "Ana", "I live in Durango."),
        ("a", "Agent", "Noted:\n- all of it"),
        ("u", "User", "The harbour closed."),
    ]
    assert dict(found.passed) == {"edges, whose episodes are read in their place": 1, "episodes of structured data": 1}
    [fact] = read(tmp_path, GRAPHITI).turns
    assert fact.turn.text == "Ana works at Elhuyar."
    assert fact.extraction is not None
    assert fact.extraction.relations == (ExtractedRelation("Ana", "works at", "Elhuyar", when="2025-01-02/2025-06-01"),)
    apoc = [
        {"type": "node", "id": "0", "labels": ["Entity"], "properties": {"uuid": "n1", "name": "Ana"}},
        {"type": "node", "id": "1", "labels": ["Episodic"], "properties": EPISODES[0]},
    ]
    assert told(read(tmp_path, "\n".join(map(json.dumps, apoc)))) == [("u", "User", "The harbour closed.")]


@table(
    ("content", "why"),
    [
        (
            "Just some prose, with nothing in it: no talk.\n",
            "in no format that is known: import reads turns as JSON lines",
        ),
        ('{"a": 1}', "in no format that is known"),
        ('[{"conversation"', "is not valid JSON"),
        ("", "holds no readable turn: it is empty"),
        ("- buy: milk\n- call: Ana\n", "in no format that is known"),
        (b"User: \xff\n", r"is not UTF-8 text \(line 1\)"),
        ('[{"role": "user", "content": "\\ud800"}]', "not valid Unicode"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_not_recognised_is_told_what_is(content: object, why: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=why) as caught:
        read(tmp_path, content)
    assert "\n" not in str(caught.value)


def test_an_export_becomes_a_memory_in_which_assistants_state_nothing(memory: Memory, tmp_path: Path) -> None:
    """Interrupted and repeated, it is there once; what the assistant says of Ana is nobody's fact."""
    talk = json.loads(json.dumps(CLAUDE))
    talk[0]["chat_messages"][1]["content"] = [{"type": "text", "text": "Ana lives in Madrid and owns a horse."}]
    path = written(tmp_path, talk)
    turns = read_turns(path, speaker="Ana").turns
    assert ingest(memory, turns[:2]).written == 2
    again = ingest(memory, read_turns(path, speaker="Ana").turns)
    assert (again.written, again.skipped, again.problems) == (1, 2, ())
    known = memory.recall("Where does Ana keep her boat?", speaker="Ana")
    assert "Bermeo" in str(known.brief)
    assert not {fact.target for fact in memory.facts("Ana")} & {"Madrid", "horse", "a horse"}


def _places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where there is a value in JSON: the members and positions that lead to it."""
    yield at
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _places(inner, (*at, key))


def _with(value: Any, at: tuple[Any, ...], other: object) -> Any:
    """A copy of JSON with another value in one place."""
    if not at:
        return other
    changed = deepcopy(value)
    inner = changed
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = other
    return changed


@pytest.mark.parametrize("source", ["chatgpt", "claude", "messages", "graphiti", "mem0"])
def test_values_of_another_kind_are_passed_over_or_refused(source: str) -> None:
    """In whatever place: null, numbers, lists and objects where something else is expected."""
    content: Any = {
        "chatgpt": CHATGPT, "claude": CLAUDE, "messages": MESSAGES, "graphiti": GRAPHITI,
        "mem0": {"results": [{"id": "1", "memory": "Likes tea", "user_id": "ana", "created_at": "2026-01-01"}]},
    }[source]  # fmt: skip
    for place in _places(content):
        for other in (None, 7, -1.5, True, "", "x", [], [None], [[1]], {}, {"a": None}, 10**30):
            with suppress(InputError):
                read_text("chat.json", json.dumps(_with(content, place, other)))
