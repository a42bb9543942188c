"""The tools: what each takes, gives, needs and calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from jsonschema import Draft202012Validator

from oroi_graph.errors import InputError
from oroi_graph.interfaces import exploring, reading, writing
from oroi_graph.interfaces.access import Access
from oroi_graph.interfaces.keys import Right
from oroi_graph.interfaces.mcp.schemas import Schema, array, flag, given, taken, text, whole
from oroi_graph.interfaces.reading import Json
from oroi_graph.language.quoting import quoted
from oroi_graph.redaction import said as redacted_said

ToolSet = Literal["core", "read", "all"]
LARGEST = 2**53  # whole number that every JSON reader has as it is; not in the schemas, which clients pay for
Effect = Literal["reads", "adds", "changes"]  # changes: something that was there is no longer there, or no longer holds


@dataclass(frozen=True)
class ToolSpec:
    """One tool. run: called with the principal's access and checked arguments. told: the answer as text for a model.

    once: whether the same call twice is one (by its nature, or by the id that it takes). core: whether it is offered by
    default.
    """

    name: str
    title: str
    described: str
    takes: Schema
    gives: Schema
    right: Right
    effect: Effect
    run: Callable[[Access, Json], Json]
    told: Callable[[Json], str]
    once: bool = True
    core: bool = False

    @cached_property
    def _validator(self) -> Draft202012Validator:
        return Draft202012Validator(self.takes)

    def call(self, access: Access, arguments: Json) -> Json:
        """What the tool gives. Raises InputError for arguments that do not fit its schema, and what `run` raises."""
        wrong = next(iter(sorted(self._validator.iter_errors(arguments), key=lambda e: list(map(str, e.path)))), None)
        if wrong is not None:
            at = "/".join(map(str, wrong.path))
            raise InputError(f"{self.name}: {at + ': ' if at else ''}{wrong.message}"[:300])
        return self.run(access, {name: self._plain(name, value) for name, value in arguments.items()})

    def _plain(self, name: str, value: object) -> object:
        """An argument as Python has it: JSON Schema takes 5.0 for an integer. Raises InputError for one too large."""
        if self.takes["properties"][name].get("type") != "integer":
            return value
        number = int(value)  # type: ignore[call-overload]
        if number > LARGEST:
            raise InputError(f"{self.name}: {name}: the largest number is {LARGEST}")
        return number


_ID = text("yours; the same id is the same turn")
_SPEAKER = text()
_ASKS = text("key of the session that asks")


def _said(found: Json) -> str:
    """What became of a turn, then its brief."""
    lines = [f"turn {found['turn']} {'known already' if found['repeated'] else 'kept'}"]
    if found["turn"] is None:
        lines = ["nothing was stored, as asked"]
    if found["refused"]:
        lines.append(f"nothing was forgotten: {found['refused']['reason']}")
    if found["forgotten"]:
        lines.append("forgotten as asked")
    if found["redacted"]:
        lines.append(f"redacted before it was kept: {redacted_said(found['redacted'])}")
    brief = found.get("brief", {}).get("text")
    return "\n\n".join([", ".join(lines), *([brief] if brief else [])])


def _recalled(found: Json) -> str:
    return str(found["brief"]["text"] or "nothing relevant is remembered")


def _listed(key: str, nothing: str, line: Callable[[Json], str]) -> Callable[[Json], str]:
    """The list under `key`, one line each."""
    return lambda found: "\n".join(line(one) for one in found[key]) or nothing


def _fact(fact: Json) -> str:
    state = "" if fact["current"] else " (no longer)"
    when = f" ({fact['when']})" if fact["when"] else ""
    negated = "not " if fact["negated"] else ""
    return f"{fact['id']}: {fact['source']} {negated}{fact['relation']} {fact['target']}{when}{state}"


def _merge(one: Json) -> str:
    return f"{one['id']}: {one['absorbed']} is {one['survivor']} ({one['state']})"


def _notes_found(found: Json) -> str:
    lines = [f"{one['path']}#L{one['startLine']} {one['snippet']}" for one in found["results"]]
    return "\n".join([*lines, *([found["warning"]] if "warning" in found else [])]) or "no note answers"


def _episode(one: Json) -> str:
    return f"{one['turn']} {(one['at'] or '')[:16]} {one['speaker']}: {one['text'] or '(at rest)'}"


def _planned(found: Json) -> str:
    if "plan" not in found:
        return f"forgotten: {_counts(found)}; {found['remains']} left of it"
    if found["plan"] is None:
        meant = f"; perhaps {', '.join(found['suggestions'])}" if found["suggestions"] else ""
        return f"nothing would be forgotten: {found['reason']}{meant}"
    gone = [*found["concepts"], *found["facts"], *found["episodes"]]
    return "\n".join([f"plan {found['plan']} would delete for ever ({_counts(found)}):", *(f"- {one}" for one in gone)])


def _counts(found: Json) -> str:
    return ", ".join(f"{count} {name}" for name, count in found["counts"].items() if count)


def _forget(access: Access, given: Json) -> Json:
    if "plan" in given:
        return writing.forget(access, given["what"], given["plan"], speaker=given.get("speaker"))
    return writing.plan_forgetting(access, given["what"], speaker=given.get("speaker"))


def _profiled(found: Json) -> str:
    return str(found["brief"]["text"] or f"nothing is known about {found['about']}")


def _shown(found: Json) -> str:
    """The structure itself, for what models rarely read."""
    return "\n".join(f"{name}: {value}" for name, value in found.items())


CORE = (
    ToolSpec(
        "memory_recall", "Recall", "Ask long-term memory. Gives current facts, then dated quotes.",
        taken("question", question=text(), speaker=text('whom "I" means'), budget=whole("tokens")),
        given(brief="object", items="array"), "read", "reads",
        lambda access, given: reading.recall(access, **given), _recalled, core=True,
    ),
    ToolSpec(
        "memory_say", "Tell one turn", "Keep what the user said, with your reply. Gives what memory adds to it.",
        taken("text", text=text(), reply=text(), speaker=_SPEAKER, session=text(), id=_ID),
        given(id="string", turn="integer?", brief="object"), "write", "adds",
        lambda access, given: writing.say(access, **given), _said, core=True,
    ),
    ToolSpec(
        "memory_remember", "Remember", "Keep a statement and never let it fade.",
        taken("text", text=text(), speaker=_SPEAKER, id=_ID),
        given(id="string", turn="integer?", concepts="array"), "write", "adds",
        lambda access, given: writing.remember(access, **given), _said, core=True,
    ),
    ToolSpec(
        "memory_profile", "Profile", "All that is surely known about a person or thing; without a name, the speaker.",
        taken(about=text(), speaker=text()), given(about="string", brief="object"), "read", "reads",
        lambda access, given: reading.profile(access, **given), _profiled, core=True,
    ),
    ToolSpec(
        "memory_facts", "Facts", "Facts of one concept with their ids, former ones too.",
        taken("about", about=text(), speaker=text()), given(facts="array"), "read", "reads",
        lambda access, given: reading.facts(access, **given), _listed("facts", "no facts", _fact), core=True,
    ),
    ToolSpec(
        "memory_correct", "Correct a fact", "Replace a fact that is wrong; its history is kept.",
        taken("id", id=text("of the fact"), relation=text(), target=text(), when=text("ISO date; empty: none"),
              speaker=text()),
        given(fact="object"), "write", "changes",
        lambda access, given: writing.edit_fact(access, **given), lambda found: _fact(found["fact"]), core=True,
    ),
    ToolSpec(
        "memory_forget", "Forget",
        "Delete for ever what is named and all that was said of it. Without plan: shows what would go. If the user"
        " agrees, again with the plan's id.",
        taken("what", what=text('a name, "my boss", a fact'), speaker=text(), plan=text()),
        given(counts="object"), "forget", "changes", _forget, _planned, core=True,
    ),
    ToolSpec(
        "memory_timeline", "Timeline", "What was said, newest first.",
        taken(before=whole("`next` of the last page"), limit=whole("turns", most=100)),
        given(episodes="array", next="integer?"), "read", "reads",
        lambda access, given: reading.timeline(access, **given),
        _listed("episodes", "nothing was said yet", _episode), core=True,
    ),
)  # fmt: skip

MORE = (
    ToolSpec(
        "memory_search", "Search notes", "Search the Markdown notes of the workspace.",
        taken("query", query=text(), most=whole("results", most=100), session=_ASKS), given(results="array"),
        "read", "reads", lambda access, given: exploring.notes_found(access, **given), _notes_found,
    ),
    ToolSpec(
        "memory_get", "Read a note", "Lines of one note of the workspace.",
        taken("path", path=text("as memory_search gives it"), start=whole("first line"), lines=whole(), session=_ASKS),
        given(path="string", text="string"), "read", "reads",
        lambda access, given: exploring.note(access, **given), lambda found: str(found["text"]),
    ),
    ToolSpec(
        "memory_explain", "Explain", "As memory_recall, with the way to each item, its numbers, and what was left out.",
        taken("question", question=text(), speaker=text(), budget=whole("tokens")),
        given(brief="object", cues="array", reasons="array", left_out="array", silent="array"), "read", "reads",
        lambda access, given: reading.explain(access, **given), lambda found: _why(found),
    ),
    ToolSpec(
        "memory_overview", "Overview", "Whose memory this is, what may be done in it, how large it is.", taken(),
        given(memory="string", rights="array", stats="object"), "read", "reads",
        lambda access, given: reading.overview(access), _shown,
    ),
    ToolSpec(
        "memory_merges", "Merges", "Which concepts sleep made one, with ids.", taken(), given(merges="array"),
        "read", "reads", lambda access, given: reading.merges(access),
        _listed("merges", "nothing was merged", _merge),
    ),
    ToolSpec(
        "memory_merge", "Merge", "Make one concept of two, by label or id.",
        taken("first second", first=text(), second=text()),
        given(merge="object"), "administer", "changes", lambda access, given: writing.merge(access, **given), _shown,
        once=False,
    ),
    ToolSpec(
        "memory_undo_merge", "Undo a merge", "Make two concepts of one again.",
        taken("id", id=text(), later=flag("first undo those built on it")), given(undone="array"), "administer",
        "changes",
        lambda access, given: writing.undo_merge(access, **given), _shown, once=False,
    ),
    ToolSpec(
        "memory_delete_fact", "Delete a fact", "Delete one fact by id; the words that stated it stay.",
        taken("id", id=text()), given(deleted="object"), "forget", "changes",
        lambda access, given: writing.delete_fact(access, **given), lambda found: f"deleted {_fact(found['deleted'])}",
        once=False,
    ),
    ToolSpec(
        "memory_undo", "Undo the last turn", "Take back the last turn with its reply.",
        taken(dry_run=flag("only say what would go")), given(turn="integer"), "forget", "changes",
        lambda access, given: writing.undo(access, **given), _shown, once=False,
    ),
    ToolSpec(
        "memory_consolidate", "Consolidate",
        "Let the memory sleep: merge, strengthen, prune, summarize. May take minutes.",
        taken(dry_run=flag()), given(state="string", counts="object"), "administer", "changes",
        lambda access, given: writing.consolidate(access, **given), _shown,
    ),
    ToolSpec(
        "contract_show", "Contract", "The contract under which agents share entries, and its schema_hash.", taken(),
        given(schema_hash="string", document="object"), "read", "reads",
        lambda access, given: reading.contract(access), _shown,
    ),
    ToolSpec(
        "contract_read", "Read entries", "Entries of the contract, newest first, or summaries that fit the budget.",
        taken(key=text(), author=text(), history=flag("superseded ones too"), budget=whole("tokens")),
        given(items="array"), "read", "reads", lambda access, given: reading.entries(access, **given), _shown,
    ),
    ToolSpec(
        "contract_write", "Write an entry", "Write an entry that fits the contract; says what it conflicts with.",
        taken("entry", entry={"type": "object", "description": "as the contract's schema has it, with idempotency_key"},
              token=text("the author's")),
        given(outcome="string", entry="object"), "write", "adds",
        lambda access, given: writing.write_entry(access, **given), _shown,
    ),
    ToolSpec(
        "contract_conflicts", "Conflicts", "Open disputes among entries.", taken(key=text()), given(conflicts="array"),
        "read", "reads", lambda access, given: reading.conflicts(access, **given), _shown,
    ),
    ToolSpec(
        "contract_settle", "Settle", "Write the entry that settles disputes, by ids of entries or conflicts.",
        taken("ids entry", ids=array(text()), entry={"type": "object"}, token=text()),
        given(outcome="string", entry="object"), "write", "adds", lambda access, given: writing.settle(access, **given),
        _shown,
    ),
)  # fmt: skip

TOOLS = {tool.name: tool for tool in (*CORE, *MORE)}


def offered(chosen: ToolSet) -> tuple[ToolSpec, ...]:
    """The tools of a set: core, all, or those of all that only read."""
    if chosen == "core":
        return CORE
    return tuple(tool for tool in TOOLS.values() if chosen == "all" or tool.effect == "reads")


def _why(found: Json) -> str:
    lines = [found["brief"]["text"] or "nothing relevant is remembered"]
    for why in found["reasons"]:
        path = "; ".join(f"{step['source']} {step['relation']} {step['target']}" for step in why["path"])
        lines.append(f"{why['item']}\n  from {why['cue'] or 'the question as a whole'}: {path}")
    lines += [f"left out: {quoted(one['record']['text'])[:200]}\n  {one['rule']}" for one in found["left_out"]]
    return "\n".join(lines)
