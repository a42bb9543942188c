"""Export and import: lossless, all or nothing, and never into anything that exists."""

from __future__ import annotations

import io
import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph_state import EAGER, OPERATIONAL, agree, everything_of, live_and_sleep, perceive_scenarios, sleep
from graph_view import stating
from locations import DATA

from oroi_graph.consolidation.pipeline import consolidate
from oroi_graph.entities.fact_updates import slot
from oroi_graph.errors import InputError, MemoryNotFoundError, ProviderError, StoreError
from oroi_graph.interfaces.items.kept import Entry, Items
from oroi_graph.memory import Graph, Memory
from oroi_graph.options import Options
from oroi_graph.providers.protocols import Embedder, Vectors
from oroi_graph.providers.word_vectors import pack
from oroi_graph.storage import catalog, statements
from oroi_graph.storage.lease import acquire, leased
from oroi_graph.transfer import archive, archive_format
from oroi_graph.transfer.archive import Counts, export_memory, import_memory
from oroi_graph.transfer.archive_format import OBJECTS, PLURALS
from oroi_graph.transfer.archive_schema import LINES, MEMORY, TYPES

Lines = list[dict[str, Any]]
OLDER = DATA / "memory_v1.jsonl"
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def source(graph: Graph) -> Iterator[Memory]:
    """A memory with everything in it: corrections, replies, failures, coincidences, what sleep leaves, an open turn."""
    memory = graph.memory(f"transfer-{uuid.uuid4().hex[:8]}")
    perceive_scenarios(memory, 3)
    live_and_sleep(memory)
    agree(memory)
    keep_items(memory)
    memory.remember("Ana López is the new dentist of Irati.", speaker="Ana", id="kept")
    memory.perceive("Ana says that López may live in Irún.", speaker="Ana", id="open")
    yield memory
    assert graph.delete(memory.name) == 0


def keep_items(memory: Memory) -> None:
    """Items of an adapter: with words and without, below each other, of awkward names; words forgotten."""
    items = Items(memory)
    items.put([Entry(("a", "b/c~"), "one", {"n": [1, None, "á"]}, "The boat lies in Irun."), Entry((), "", "bare")])
    items.put([Entry(("a",), "one", 1.5), Entry(("a",), "gone", "The cat sleeps.", "The cat sleeps.")])
    memory.forget_turns(items.drop(("a",), ["gone"], forget=False))


@pytest.fixture
def target(graph: Graph) -> Iterator[str]:
    """A free name; what is made under it is deleted."""
    name = f"transfer-{uuid.uuid4().hex[:8]}"
    yield name
    if catalog.remaining(graph.store, name):
        assert graph.delete(name) == 0


def exported(graph: Graph, name: str) -> str:
    file = io.StringIO()
    export_memory(graph.store, name, file)
    return file.getvalue()


@pytest.fixture(scope="module")
def whole(graph: Graph, source: Memory) -> str:
    """The source, exported."""
    return exported(graph, source.name)


def test_items_are_kept_under_the_new_name(graph: Graph, source: Memory, target: str) -> None:
    import_memory(graph.store, io.StringIO(exported(graph, source.name)), target)
    first, copied = Items(source), Items(graph.memory(target))
    assert copied.namespaces() == first.namespaces()
    assert len(copied.within(())) == 3
    assert copied.within(()) == first.within(())
    assert copied.get(("a", "b/c~"), ["one"])["one"].value == {"n": [1, None, "á"]}
    copied.put([Entry(("a", "b/c~"), "one", "another")])
    assert [item.value for item in copied.within(("a", "b/c~"))] == ["another"], "it is the same item, not a second"


def test_round_trip_changes_nothing_but_the_name(graph: Graph, source: Memory, target: str) -> None:
    first = exported(graph, source.name)
    counts = import_memory(graph.store, io.StringIO(first), target)
    header, *lines = first.splitlines()
    again, *copied = exported(graph, target).splitlines()
    assert copied == lines
    assert json.loads(again) == json.loads(header) | {"memory": json.loads(header)["memory"] | {"name": target}}
    assert all(value > 0 for value in counts.to_json().values()), counts
    assert [next(iter(json.loads(line))) for line in lines] == [
        k for k in OBJECTS for _ in range(counts.to_json()[PLURALS[k]])
    ]
    assert len(lines) == counts.total


def test_copy_is_the_memory_itself(graph: Graph, source: Memory, target: str) -> None:
    """Not only what the file holds: all nodes, relationships and properties, the derived ones recomputed."""
    import_memory(graph.store, io.StringIO(exported(graph, source.name)), target)
    assert everything_of(graph.store, target) == everything_of(graph.store, source.name)
    rows = graph.store.explore(
        "MATCH (s:Concept {memory: $m})-[a:ASSOCIATED]->() WHERE a.implied IS NULL RETURN s.id, a.relation, a.slot",
        m=target,
    )[1]
    assert rows
    assert all(found == slot(target, concept, relation) for concept, relation, found in rows)
    shadows = graph.store.explore(
        "MATCH (s {memory: $m})-[a:WAS_ASSOCIATED]->() RETURN s.id, a.relation, a.slot, a.memory", m=target
    )[1]
    assert shadows
    assert all((found, of) == (slot(target, concept, relation), target) for concept, relation, found, of in shadows)


def test_copy_lives(graph: Graph, source: Memory, target: str) -> None:
    """It answers like the original, knows the turns it has, and goes on."""
    import_memory(graph.store, io.StringIO(exported(graph, source.name)), target)
    copy = graph.memory(target)
    for question in ("Who is Irati's dentist?", "What do you know about Ana López?"):
        assert copy.recall(question, speaker="Ana").brief.text == source.recall(question, speaker="Ana").brief.text
    assert copy.recall("Who is Irati's dentist?").brief.text
    before = copy.stats()
    assert copy.perceive("Ana says that López may live in Irún.", speaker="Ana", id="open").opened.repeated
    assert copy.stats() == before
    copy.perceive("Ana López lives in Irún.", speaker="Ana").close("Noted.")
    assert copy.stats().turns == before.turns + 2  # the turn that was open is closed by the new one


def test_every_kind_of_record_is_copied(graph: Graph, source: Memory, target: str) -> None:
    """What rests, gists and verbatim: the stats, by the copy's own count, are the original's."""
    import_memory(graph.store, io.StringIO(exported(graph, source.name)), target)
    copied, found = graph.memory(target).stats().to_json(), source.stats().to_json()
    assert copied | {"name": ""} == found | {"name": ""}
    for name in ("gists", "resting", "verbatim_characters", "merged", "slept_turn", "superseded"):
        assert copied[name] > 0, name


def test_a_merge_can_be_undone_in_a_copy(graph: Graph, memory: Memory, target: str) -> None:
    """With what was said before and after it, as in the original."""
    memory.perceive(
        "1", speaker="Ana", id="1", extraction=stating(("boat", "is", "red"), ("I", "drive", "boat"))
    ).close()
    memory.perceive(
        "2", speaker="Ana", id="2", extraction=stating(("I", "drive", "barca"), ("barca", "is", "red"))
    ).close()
    merged = memory.merge("boat", "barca")
    memory.perceive("3", speaker="Ana", id="3", extraction=stating(("I", "sold", merged.absorbed))).close()
    import_memory(graph.store, io.StringIO(exported(graph, memory.name)), target)
    copy = graph.memory(target)
    assert copy.merges() == memory.merges()
    for undone in (memory, copy):
        assert [merge.id for merge in undone.undo_merge(merged.id)] == [merged.id]
    assert everything_of(graph.store, target) == everything_of(graph.store, memory.name)
    assert copy.stats().merged == 0
    assert copy.recall("What did I sell?", speaker="Ana").brief.text


def test_a_copy_has_slept_and_sleeps_again(graph: Graph, memory: Memory, target: str) -> None:
    """The sleeps of the original are its own; the next one does the same to both."""
    live_and_sleep(memory)
    import_memory(graph.store, io.StringIO(exported(graph, memory.name)), target)
    options = Options(sleep=EAGER, window=1)
    assert consolidate(graph.store, target, graph.embedder, options).state == "not due"
    for lived in (memory, graph.memory(target)):
        lived.perceive(
            "Well, well, well.", speaker="Ana", id="later", at=NOON, extraction=stating(concepts=["boat"])
        ).close()
        sleep(lived)
    copied, found = ([_undated(line) for line in everything_of(graph.store, name)] for name in (target, memory.name))
    assert sorted(set(copied) ^ set(found)) == []


def _undated(line: str) -> str:
    """Without what the server's clock and who consolidates say."""
    *ends, properties = json.loads(line)
    for name in ("created_at", "started_at", "finished_at", "owner", "fence"):
        properties.pop(name, None)
    return json.dumps([*ends, properties], sort_keys=True)


def test_who_is_at_work_on_a_memory_is_no_content(graph: Graph, source: Memory, target: str) -> None:
    """A leased memory may be exported; its copy is nobody's yet."""
    free = exported(graph, source.name)
    with leased(graph.store, source.name):
        assert exported(graph, source.name) == free
    assert not OPERATIONAL & json.loads(free.splitlines()[0])["memory"].keys()
    import_memory(graph.store, io.StringIO(free), target)
    assert acquire(graph.store, target).fence == 1


def test_a_memory_that_is_being_deleted_is_not_exported(graph: Graph, target: str) -> None:
    graph.memory(target)
    graph.store.write_rows("storage/begin_delete", memory=target)
    with pytest.raises(StoreError, match=f"is being deleted.*oroi memory delete {target}"):
        export_memory(graph.store, target, io.StringIO())


def test_a_file_from_before_memories_slept(graph: Graph, target: str) -> None:
    """Version 1, as an earlier release wrote it."""
    text = OLDER.read_text(encoding="utf-8")
    header, *lines = text.splitlines()
    assert json.loads(header)["version"] == 1
    counts = import_memory(graph.store, io.StringIO(text), target)
    assert counts.total == len(lines)
    again, *copied = exported(graph, target).splitlines()
    assert copied == lines
    assert json.loads(again)["memory"] == json.loads(header)["memory"] | {"name": target}


def test_export_is_deterministic_and_in_pages(graph: Graph, source: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = exported(graph, source.name)
    monkeypatch.setattr(archive, "PAGE", 7)
    assert exported(graph, source.name) == whole


def test_progress_counts_every_line(graph: Graph, source: Memory, target: str) -> None:
    told: list[tuple[int, int, str]] = []
    file = io.StringIO()
    counts = export_memory(graph.store, source.name, file, lambda *step: told.append(step))
    assert [done for done, _, _ in told] == list(range(1, counts.total + 1))
    assert {total for _, total, _ in told} == {counts.total}
    told.clear()
    file.seek(0)
    assert import_memory(graph.store, file, target, lambda *step: told.append(step)) == counts
    assert [done for done, _, _ in told] == list(range(1, counts.total + 1))


def test_to_and_from_a_path(graph: Graph, source: Memory, target: str, tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    counts = export_memory(graph.store, source.name, path)
    assert path.read_text(encoding="utf-8") == exported(graph, source.name)
    assert path.stat().st_mode & 0o077 == 0
    assert list(tmp_path.iterdir()) == [path]
    assert import_memory(graph.store, path, target) == counts


def test_a_failed_export_leaves_the_file_that_was_there(graph: Graph, tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    path.write_text("mine")
    with pytest.raises(MemoryNotFoundError):
        export_memory(graph.store, "transfer-nobody", path)
    assert [p.read_text() for p in tmp_path.iterdir()] == ["mine"]


def test_unusable_paths_are_named(graph: Graph, source: Memory, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write .*No such file"):
        export_memory(graph.store, source.name, tmp_path / "nowhere" / "memory.jsonl")
    with pytest.raises(InputError, match=r"cannot read .*No such file"):
        import_memory(graph.store, tmp_path / "nothing.jsonl")


def test_an_existing_memory_is_never_written_to(graph: Graph, source: Memory) -> None:
    text, before = exported(graph, source.name), everything_of(graph.store, source.name)
    with pytest.raises(InputError, match="already"):
        import_memory(graph.store, io.StringIO(text))
    assert everything_of(graph.store, source.name) == before
    assert graph.memory(source.name).name == source.name


def _edit(kind: str, change: Callable[[dict[str, Any]], object]) -> Callable[[Lines], None]:
    def apply(lines: Lines) -> None:
        change(next(line[kind] for line in lines if kind in line))

    return apply


def _edit_if(key: str, change: Callable[[dict[str, Any]], object]) -> Callable[[Lines], None]:
    """Change the first record that has a property."""

    def apply(lines: Lines) -> None:
        change(next(line["record"] for line in lines if key in line.get("record", ())))

    return apply


def _twice(kind: str) -> Callable[[Lines], None]:
    def apply(lines: Lines) -> None:
        place = next(i for i, line in enumerate(lines) if kind in line)
        lines.insert(place, lines[place])

    return apply


def _absorbed_concept(lines: Lines) -> None:
    """A merge says that it absorbed what is a concept still."""
    concept = next(line["concept"]["id"] for line in lines if "concept" in line)
    next(line["merge"] for line in lines if "merge" in line)["source"] = concept


def _twice_a_concept(lines: Lines) -> None:
    concept = next(line["concept"] for line in lines if "concept" in line)
    next(line["absorbed_concept"] for line in lines if "absorbed_concept" in line)["id"] = concept["id"]


def _nested(depth: int) -> object:
    return [_nested(depth - 1)] if depth else []


DAMAGE: dict[str, tuple[Callable[[Lines], None], str]] = {
    "foreign header": (lambda lines: lines[0].pop("format"), "no export"),
    "newer version": (lambda lines: lines[0].update(version=5), "upgrade"),
    "header without counts": (lambda lines: lines[0].pop("counts"), "line 1"),
    "header without turn": (_edit("memory", lambda m: m.pop("turn")), "line 1: the memory lacks 'turn'"),
    "other dimension": (_edit("memory", lambda m: m.update(dimensions=3)), "dimension 3, .* 384"),
    "cut short": (lambda lines: lines.pop(), "cut short"),
    "out of order": (lambda lines: lines.append(lines[1]), r"line \d+: concept after item"),
    "unknown object": (lambda lines: lines.insert(1, {"wish": {}}), "line 2: it must hold one of"),
    "object of no properties": (lambda lines: lines.insert(1, {"concept": 7}), "line 2: .*must be an object"),
    "another memory's property": (_edit("concept", lambda c: c.update(memory="b")), "line 2: .*'memory'"),
    "another memory's key": (_edit("record", lambda r: r.update(memory_key="b")), r"line \d+: .*'memory_key'"),
    "given slot": (_edit("association", lambda a: a.update(slot="b")), "'slot'"),
    "missing property": (_edit("concept", lambda c: c.pop("strength")), "line 2: a concept lacks 'strength'"),
    "wrong type": (_edit("concept", lambda c: c.update(activation="hot")), "line 2: .*'activation' as a number"),
    "flag for a number": (_edit("record", lambda r: r.update(turn=True)), "'turn' as a whole number"),
    "unknown kind": (_edit("concept", lambda c: c.update(kind="ghost")), "line 2: .*'kind' as one of concept, name"),
    "unknown role": (_edit("record", lambda r: r.update(role="system")), "'role' as one of user"),
    "no embedding": (_edit("concept", lambda c: c.pop("embedding")), "line 2: a concept lacks 'embedding'"),
    "short embedding": (_edit("concept", lambda c: c.update(embedding="AAAA")), "line 2"),
    "no base64": (_edit("concept", lambda c: c.update(embedding="%%%")), "line 2"),
    "infinite embedding": (_edit("concept", lambda c: c.update(embedding="AACAfw==" * 384)), "line 2"),
    "twice": (lambda lines: lines.insert(1, lines[1]), "line 3: a second concept"),
    "unknown source": (_edit("association", lambda a: a.update(source="x")), "there is no concept 'x'"),
    "unknown record": (_edit("mention", lambda m: m.update(record=["x", "user"])), "there is no record"),
    "unknown provenance": (_edit("association", lambda a: a.update(records=[["x", "user"]])), "there is no record"),
    "record of no shape": (_edit("mention", lambda m: m.update(record={"role": "user"})), r"line \d+"),
    "empty text": (_edit("record", lambda r: r.update(text=" ")), "empty"),
    "text with NUL": (_edit("record", lambda r: r.update(text="a\0b")), "NUL"),
    "lone surrogate": (_edit("concept", lambda c: c.update(label="\ud800")), "line 2"),
    "unknown property": (
        _edit("concept", lambda c: c.update(extra={"a": {"b": 1}})),
        "line 2: a concept has no 'extra'",
    ),
    "unknown property of the memory": (_edit("memory", lambda m: m.update(note=1)), "line 1: the memory has no 'note'"),
    "unknown part of the header": (lambda lines: lines[0].update(more=1), "line 1: a header has no 'more'"),
    "mixed list": (_edit("concept", lambda c: c.update(aliases=["a", 1])), "line 2: .*'aliases' as a list of items"),
    "infinite number": (_edit("concept", lambda c: c.update(strength=float("inf"))), "line 2: Infinity"),
    "huge number": (
        _edit("concept", lambda c: c.update(mentions=2**70)),
        "line 2: .*'mentions' as a whole number from",
    ),
    "last turn of all": (
        _edit("memory", lambda m: m.update(turn=2**63 - 1)),
        "line 1: .*'turn' as a whole number from",
    ),
    "turn before the first": (_edit("record", lambda r: r.update(turn=-1)), "'turn' as a whole number from 0"),
    "list for a time": (_edit("memory", lambda m: m.update(created_at=[])), "line 1: .*'created_at' as .*datetime"),
    "time of year 0": (_edit("memory", lambda m: m.update(created_at={"datetime": "0000-01-01T00:00Z"})), "line 1"),
    "time that is no text": (_edit("memory", lambda m: m.update(created_at={"datetime": 7})), "line 1: .*'created_at'"),
    "negative activation": (
        _edit("concept", lambda c: c.update(activation=-1)),
        "line 2: .*'activation' as a number from",
    ),
    "huge weight": (_edit("association", lambda a: a.update(weight=1e308)), "'weight' as a number from 0 to 1,000,000"),
    "negative weight": (_edit("association", lambda a: a.update(weight=-1.0)), "'weight' as a number from 0"),
    "share above 1": (_edit("entry", lambda e: e.update(confidence=1.5)), "'confidence' as a number from 0 to 1"),
    "long label": (
        _edit("concept", lambda c: c.update(label="a" * 100_000)),
        "line 2: .*'label' as Unicode text of 1 to",
    ),
    "memory of a number": (_edit("memory", lambda m: m.update(name=7)), "line 1: .*'name'"),
    "reply of a number": (_edit("memory", lambda m: m.update(last_reply=[1, 2])), "line 1: .*'last_reply'"),
    "words of no memory": (_edit_if("words", lambda r: r.update(words="AAA=")), "packed vectors of 384 dimensions"),
    "words read three times": (
        _edit_if("words", lambda r: r.update(words=pack(np.ones((2, 3 * 384))))),
        "packed vectors of 384 dimensions",
    ),
    "words half as long read twice": (
        _edit_if("words", lambda r: r.update(words=pack(np.ones((2, 192)), np.ones((2, 192))))),
        "packed vectors of 384 dimensions",
    ),
    "said at no time": (_edit("record", lambda r: r.update(at="soon")), "'at' as a time in ISO 8601"),
    "report of a sleep": (_edit("sleep", lambda s: s.update(report="[]")), "'report' as a JSON object"),
    "count of text": (lambda lines: lines[0]["counts"].update(records="many"), "line 1: the count of records"),
    "value that is no JSON": (_edit("item", lambda i: i.update(value="{")), "'value' as JSON, as text"),
    "an item's place in the database": (_edit("item", lambda i: i.update(path="x/")), "must not have 'path'"),
    "second item": (_twice("item"), "a second item"),
    "forgotten hash": (_edit("forgetting", lambda f: f.update(gone=[7])), "'gone' as a list of items"),
    "deep": (lambda lines: lines.insert(1, {"concept": _nested(50)}), "line 2"),
    "a lease": (_edit("memory", lambda m: m.update(lease_owner="x")), "line 1: .*'lease_owner'"),
    "version 1 of another": (lambda lines: lines[0].update(version=1), "counts must be of concept, record"),
    "merged into nothing": (_edit("merge", lambda m: m.update(target="x")), r"line \d+: there is no concept 'x'"),
    "merged what is none": (_absorbed_concept, r"line \d+: there is no absorbed concept"),
    "merge without its place": (_edit("merge", lambda m: m.pop("place")), "a merge lacks 'place'"),
    "concept that was absorbed, too": (_twice_a_concept, r"line \d+: a second concept"),
    "shadow of no merge": (_edit("former_association", lambda a: a.pop("merge")), "lacks 'merge'"),
    "shadow of nothing said": (_edit("former_association", lambda a: a.update(records=[["x", "user"]])), "no record"),
    "mention of no merge": (_edit("former_mention", lambda m: m.update(concept="x")), "there is no absorbed concept"),
    "compared with nothing": (_edit("comparison", lambda c: c.update(source="x")), "there is no concept 'x'"),
    "sleep without its turn": (_edit("sleep", lambda s: s.pop("turn")), "a sleep lacks 'turn'"),
    "one sleep twice": (_twice("sleep"), r"line \d+: a second sleep"),
    "one forgetting twice": (_twice("forgetting"), r"line \d+: a second forgetting"),
    "rest of no words": (_edit_if("resting", lambda r: r.pop("verbatim")), "empty"),
    "awake without embedding": (_edit_if("resting", lambda r: r.pop("resting")), r"line \d+"),
    "gist of a number": (_edit_if("gist_turn", lambda r: r.update(verbatim=7)), "'verbatim' as Unicode text"),
    "no date": (_edit("concept", lambda c: c.update(created_at={"datetime": "soon"})), "line 2"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_file_leaves_nothing(graph: Graph, whole: str, target: str, name: str) -> None:
    damage, message = DAMAGE[name]
    lines = [json.loads(line) for line in whole.splitlines()]
    damage(lines)
    with pytest.raises(InputError, match=message):
        import_memory(graph.store, io.StringIO("".join(json.dumps(line) + "\n" for line in lines)), target)
    assert catalog.remaining(graph.store, target) == 0


def test_words_that_were_read_twice_and_once_come_in_one_file(graph: Graph, whole: str, target: str) -> None:
    lines = [json.loads(line) for line in whole.splitlines()]
    twice = pack(np.ones((2, 384)), -np.ones((2, 384)))
    _edit_if("words", lambda r: r.update(words=twice))(lines)
    import_memory(graph.store, io.StringIO("".join(json.dumps(line) + "\n" for line in lines)), target)
    assert f'"words": "{twice}"' in exported(graph, target).replace('":"', '": "')
    assert graph.memory(target).recall("Who is the new dentist?").records


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no export"),
        ("{", "line 1"),
        ("[]", "line 1: it must be an object"),
        ("[" * 100_000, "line 1"),
        ('{"format": NaN}', "line 1: NaN"),
        ('{"role": "user", "text": "a turn, not an export"}', "no export"),
    ],
)
def test_other_files_are_refused(graph: Graph, target: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        import_memory(graph.store, io.StringIO(text), target)
    assert catalog.remaining(graph.store, target) == 0


def test_a_number_beyond_floats_is_refused(graph: Graph, source: Memory, target: str) -> None:
    text = exported(graph, source.name).replace('"strength":0.0', '"strength":1e999', 1)
    with pytest.raises(InputError, match=r"line \d+: .*not finite"):
        import_memory(graph.store, io.StringIO(text), target)
    assert catalog.remaining(graph.store, target) == 0


def test_a_line_without_end_is_refused_before_it_is_held(graph: Graph, target: str) -> None:
    """However long it is: no more of it is read than a line may have."""

    class Endless(io.StringIO):
        read_characters = 0

        def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
            assert size is not None
            assert size > 0
            self.read_characters += size
            return "[" * size

    file = Endless()
    with pytest.raises(InputError, match="line 1: it has more than"):
        import_memory(graph.store, file, target)
    assert file.read_characters <= archive_format.MOST + 1


def test_heavy_lines_are_written_before_the_page_is_full(
    graph: Graph, source: Memory, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    send = archive._Incoming._send

    def counted(self: Any, statement: str, **parameters: Any) -> None:
        sizes.append(len(parameters.get("rows", ())))
        send(self, statement, **parameters)

    monkeypatch.setattr(archive, "HEAVY", 100)
    monkeypatch.setattr(archive._Incoming, "_send", counted)
    text = exported(graph, source.name)
    import_memory(graph.store, io.StringIO(text), target)
    assert max(sizes) < 20
    assert exported(graph, target).splitlines()[1:] == text.splitlines()[1:]


def test_every_property_of_the_schema_has_a_type() -> None:
    for line in (MEMORY, *LINES.values()):
        for name in [*line.properties.values(), *line.optional.values()]:
            assert name in TYPES
        assert not line.properties.keys() & line.optional.keys()
    for type_ in TYPES.values():
        assert not type_.items or type_.items in TYPES


def test_a_memory_with_a_spoilt_date_is_listed(graph: Graph, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an earlier release let in breaks no list of memories."""
    load = statements.load
    spoil = "MATCH (m:Memory {name: $given.memory}) SET m.created_at = [] RETURN 1 AS spoilt"
    with monkeypatch.context() as patch:
        patch.setattr(statements, "load", lambda name, **more: spoil if name == "spoil" else load(name, **more))
        graph.store.write_one("spoil", memory=memory.name)
    assert next(one for one in graph.memories() if one.name == memory.name).created_at is None
    assert graph.memory(memory.name)


def test_bytes_that_are_no_text_are_refused(graph: Graph, source: Memory, target: str, tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    header, rest = exported(graph, source.name).encode().split(b"\n", 1)
    path.write_bytes(header + b'\n{"concept": "\xff"}\n' + rest)
    with pytest.raises(InputError, match="UTF-8"):
        import_memory(graph.store, path, target)
    assert catalog.remaining(graph.store, target) == 0


def test_a_memory_of_two_models_is_not_exported(graph: Graph, target: str) -> None:
    graph.memory(target)
    graph.store.write_rows("transfer/begin_reembed", memory=target, model="other")
    with pytest.raises(StoreError, match=f"oroi reembed {target}"):
        export_memory(graph.store, target, io.StringIO())


@pytest.mark.parametrize("name", ["", "*", "a b", "a/b"])
def test_bad_names_are_refused(graph: Graph, source: Memory, name: str) -> None:
    with pytest.raises(InputError, match="bad memory name"):
        import_memory(graph.store, io.StringIO(exported(graph, source.name)), name)
    with pytest.raises(InputError, match="bad memory name"):
        export_memory(graph.store, name, io.StringIO())


class Killed(BaseException):
    """The process ends here."""


def _killed_import(graph: Graph, text: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An import that dies after its first batches, with no chance to clean up."""

    def die(done: int, total: int, _: str) -> None:
        if done == total:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(archive, "PAGE", 5)
        patch.setattr(archive._Incoming, "abandon", lambda self: None)
        with pytest.raises(Killed):
            import_memory(graph.store, io.StringIO(text), name, die)
    assert catalog.remaining(graph.store, name) > 1


def test_a_killed_import_cannot_be_opened_and_is_repeated(
    graph: Graph, source: Memory, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = exported(graph, source.name)
    _killed_import(graph, text, target, monkeypatch)
    with pytest.raises(StoreError, match="being imported: repeat the import"):
        graph.memory(target)
    with pytest.raises(MemoryNotFoundError):
        export_memory(graph.store, target, io.StringIO())
    import_memory(graph.store, io.StringIO(text), target)
    assert everything_of(graph.store, target) == everything_of(graph.store, source.name)


def test_a_killed_import_can_be_deleted(
    graph: Graph, source: Memory, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _killed_import(graph, exported(graph, source.name), target, monkeypatch)
    assert graph.delete(target) == 0


def test_an_interrupted_import_leaves_nothing(
    graph: Graph, source: Memory, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(done: int, total: int, _: str) -> None:
        if done == total:
            raise KeyboardInterrupt

    monkeypatch.setattr(archive, "PAGE", 5)
    with pytest.raises(KeyboardInterrupt):
        import_memory(graph.store, io.StringIO(exported(graph, source.name)), target, interrupt)
    assert catalog.remaining(graph.store, target) == 0


def test_an_import_that_was_taken_over_stops_and_harms_nothing(
    graph: Graph, source: Memory, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = exported(graph, source.name)
    second: list[Counts] = []

    def overtake(done: int, total: int, _: str) -> None:
        if done == total and not second:
            second.append(Counts())
            second[0] = import_memory(graph.store, io.StringIO(text), target)

    monkeypatch.setattr(archive, "PAGE", 5)
    with pytest.raises(InputError, match="imported again"):
        import_memory(graph.store, io.StringIO(text), target, overtake)
    assert everything_of(graph.store, target) == everything_of(graph.store, source.name)


class Broken:
    """An embedder that is out of order; of the suite's model, so that it may open its memories."""

    def __init__(self, like: Embedder) -> None:
        self.model, self.dimensions = like.model, like.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise ProviderError("the service is down")


def test_turns_without_vectors_come_back_to_be_retried(graph: Graph, memory: Memory, target: str) -> None:
    """A turn whose embedder failed has no vector yet; a backup that held one could not be restored."""
    down = Graph(graph.store, Broken(graph.embedder), graph.extractor).memory(memory.name)
    down.perceive("My sister Leire lives in Gernika.", speaker="Ana")
    import_memory(graph.store, io.StringIO(exported(graph, memory.name)), target)
    copy = graph.memory(target)
    assert copy.stats().failed == 1
    assert copy.retry().amended == 1
    assert "Gernika" in copy.recall("Where does my sister live?", speaker="Ana").brief.text
