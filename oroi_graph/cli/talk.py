"""say, ask, chat: one turn, one question, a conversation in the terminal."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, Unpack, get_args

import click

from oroi_graph.cli.output import emit, emit_json, one_line, remark
from oroi_graph.cli.session import (
    COUNT,
    DAY,
    TEXT,
    WHEN,
    Session,
    argument_or_stdin,
    noon_of,
    session_command,
    stopping,
)
from oroi_graph.errors import InputError, OroiError, ProviderError
from oroi_graph.model import RecordKind
from oroi_graph.redaction import Redaction

if TYPE_CHECKING:
    from oroi_graph.memory import Memory, RecallDetails, Turn
    from oroi_graph.model import LeftOut, TurnDetails
    from oroi_graph.providers.openai.models import ChatModel
    from oroi_graph.recall.joint import JointRecall
    from oroi_graph.recall.request import Recall, WindowContents
    from oroi_graph.storage.episodes import Provenance
    from oroi_graph.windows import Window
    from oroi_graph.workspace.context import Context

CHAT_HELP = "each line is a turn; /quit or /exit ends, /help says this"
_COMMAND = re.compile(r"/[a-z]\S*")  # "/etc is full" is a sentence
WINDOW = 128_000  # tokens of a chat model's context
CHAT_WINDOW = 20  # messages of this conversation that the chat model is given


@click.command()
@click.argument("memory", type=TEXT)
@click.argument("text", type=TEXT)
@click.option("--reply", type=TEXT, help="What the assistant answered.")
@click.option("--speaker", type=TEXT, help="Who speaks; the only one so far by default.")
@click.option("--session", type=TEXT, help="The session it belongs to.")
@click.option("--at", type=WHEN, help="When it was said (ISO); now by default.")
@click.option("--id", type=TEXT, help="Your own id: the same id is the same turn, sent once or twice.")
@click.option("--brief", is_flag=True, help="Print what memory recalls for this turn.")
@session_command
def say(
    call: Session,
    /,
    memory: str,
    text: str,
    reply: str | None,
    brief: bool,
    as_json: bool,
    **details: Unpack[TurnDetails],
) -> None:
    """Tell a memory one turn.

    TEXT "-" is read from standard input. MEMORY is made on its first turn.

    \b
    Example:
      oroi say diary "My sister Leire moved to Gernika." --speaker Ana --reply "Noted."
    """
    from oroi_graph.language.normalize import check_text
    from oroi_graph.redaction import said as redacted_said

    said = argument_or_stdin(text)
    with call.graph() as graph:
        # Nothing is created for a turn that cannot be kept.
        for words in [said] if reply is None else [said, reply]:
            check_text(words, graph.options.max_text)
        opened = graph.memory(memory)
        turn = opened.perceive(said, **details)
        recalled = turn.brief if brief else None
        turn.close(reply)
        if as_json:
            emit_json(_told(memory, turn) | ({"brief": recalled.text} if recalled is not None else {}))
            return
        emit(_summary(memory, turn))
        if recalled:
            emit(recalled.text)
        if turn.redacted:
            remark(f"redacted before it was kept: {redacted_said(turn.redacted)}")
        if turn.opened.failure:
            remark(
                f"the extraction failed ({turn.opened.failure}): the text is kept, `oroi retry {memory}` extracts it"
            )


def _told(memory: str, turn: Turn) -> dict[str, object]:
    return {
        "memory": memory,
        "turn": turn.number,
        "id": turn.id,
        "repeated": turn.opened.repeated,
        "surprise": turn.surprise,
        "failure": turn.opened.failure,
        "concepts": [
            {"id": m.concept_id, "label": m.label, "kind": m.kind, "surface": m.surface, "method": m.method,
             "score": m.score}
            for m in turn.matches
        ],
        "superseded": list(turn.opened.superseded),
        "forgotten": turn.forgotten.to_json() if turn.forgotten else None,
        "refused": _refusal(turn),
        "redacted": turn.redacted,
    }  # fmt: skip


def _refusal(turn: Turn) -> str | None:
    """Why what the turn asked to forget is still there, and what may have been meant."""
    plan = turn.refused
    if plan is None:
        return None
    meant = f"; perhaps you mean {', '.join(plan.suggestions)}" if plan.suggestions else ""
    return f"nothing was forgotten: {plan.reason}{meant}"


def _summary(memory: str, turn: Turn) -> str:
    if turn.opened.gone:
        return f"{memory}: turn {turn.id} was forgotten, and stays so"
    if turn.number is None:
        return "nothing was stored, as asked"
    if turn.opened.repeated:
        return f"{memory} turn {turn.number}: known already, nothing changed"
    if turn.forgotten:
        counts = ", ".join(f"{name} {count}" for name, count in turn.forgotten.what.counts.items() if count)
        return f"{memory} turn {turn.number}: forgotten as asked ({counts})"
    refusal = _refusal(turn)
    if refusal is not None:
        return f"{memory} turn {turn.number}: {refusal}"
    labels = list(dict.fromkeys(m.label + (" (new)" if m.method == "new" else "") for m in turn.matches))
    return f"{memory} turn {turn.number}: {', '.join(labels) or 'no concepts'}"


@click.command()
@click.argument("memory", type=TEXT)
@click.argument("question", type=TEXT)
@click.option("--with", "others", type=TEXT, multiple=True, metavar="MEMORY", help="A memory to ask, too; repeatable.")
@click.option(
    "--explain",
    is_flag=True,
    help="Say by which rule each item is there, which cue reached it on which path, and what was left out and why.",
)
@click.option("--as", "asker", type=TEXT, metavar="NAME", help='Whom "I" and "my" mean; the only speaker by default.')
@click.option("--speaker", type=TEXT, help="Only what this person said.")
@click.option("--session", type=TEXT, help="Only this session.")
@click.option("--since", type=TEXT, metavar="DATE", help="Only from this date on.")
@click.option("--until", type=TEXT, metavar="DATE", help="Only before this date.")
@click.option("--kind", type=click.Choice(get_args(RecordKind)),
              help="Only what was said, only contract entries, or only notes of a workspace.")  # fmt: skip
@click.option("--budget", type=COUNT, metavar="TOKENS", help="Length of the brief; 512 by default.")
@click.option("--today", type=DAY, metavar="DATE", help='The day that "yesterday" is seen from; today by default.')
@session_command
def ask(
    call: Session,
    /,
    memory: str,
    question: str,
    others: tuple[str, ...],
    explain: bool,
    asker: str | None,
    budget: int | None,
    today: date | None,
    as_json: bool,
    **filters: str | None,
) -> None:
    """Ask a memory a question.

    Prints the brief that a model would be given, nothing where nothing is relevant. A question may speak of time ("last
    Sunday"); one that asks for nothing else gets a digest of it. Several memories give one brief, in which each line
    names its memory. Reading changes nothing.

    \b
    Example:
      oroi ask diary "Where does my sister live?" --as Ana --explain
      oroi ask diary "When is the release?" --with team
      oroi ask diary "What did we talk about last week?" --today 2026-03-09
    """
    from oroi_graph.recall.request import Filters

    chosen = Filters(**filters)
    asked = argument_or_stdin(question)
    at = noon_of(today) if today is not None else None
    with call.graph() as graph:
        details: RecallDetails = {"speaker": asker, "at": at, "filters": chosen, "budget": budget}
        if others:
            _tell_joint(graph.recall([memory, *others], asked, **details), explain, as_json)
            return
        opened = graph.memory(memory, create=False)
        found = opened.recall(asked, **details)
        shown = [fact for fact in found.facts if fact.id in found.brief.fact_ids] if explain else []
        said = {fact.id: opened.provenance(fact) for fact in shown}
    if as_json:
        sources = {id: [one.to_json() for one in found] for id, found in said.items()}
        emit_json(found.to_json() | ({**found.explained(), "provenance": sources} if explain else {}))
        return
    if found.brief:
        emit(found.brief.text)
    else:
        remark("nothing relevant is remembered")
    for failure in (found.failure, *(contents.failure for contents in found.windows)):
        if failure is not None:
            remark(f"a model failed, its part was done offline ({failure})")
    if explain:
        emit(explanation(found))
        told = {item.id: item.text for item in found.brief.items}
        for fact in shown:
            emit(f"· {told[fact.id]}\n    {_sources(said[fact.id])}")
        emit(_unquoted(found.left_out))


def _tell_joint(found: JointRecall, explain: bool, as_json: bool) -> None:
    """What several memories answer together."""
    if as_json:
        emit_json(found.to_json() | (found.explained() if explain else {}))
        return
    if found.brief:
        emit(found.brief.text)
    else:
        remark("nothing relevant is remembered")
    if explain:
        for name, part in found.parts.items():
            emit(f"\n{name}{explanation(part)}")
            emit(_unquoted([one for memory, one in found.left_out if memory == name]))


def explanation(found: Recall) -> str:
    """The cues of a recall and the way to each item of its brief."""
    cues = ", ".join(f"{cue.span} → {cue.label} ({cue.method}, {cue.weight:.2f})" for cue in found.cues)
    lines = ["", *(_time(contents) for contents in found.windows), f"cues: {cues or 'none'}"]
    if any(found.silent):
        lines.append("no record answers: probability " + ", ".join(f"{one:.3g}" for one in found.silent))
    for reason in found.reasons:
        numbers = ", ".join(f"{name} {value:.3g}" for name, value in reason.numbers.items())
        path = " ".join(
            f"{s.source} –{s.relation}→ {s.target};" if s.forwards else f"{s.target} –{s.relation}→ {s.source} (back);"
            for s in reason.path
        )
        way = f"from {reason.cue or 'the question as a whole'}: {path} [{numbers}]"
        lines += [f"· {reason.item}", f"    {reason.rule}; {way}"]
    return "\n".join(lines)


def _unquoted(left_out: Sequence[LeftOut]) -> str:
    """The records that a brief does not quote, and what left each out."""
    from oroi_graph.recall import quote
    from oroi_graph.recall_options import Selection

    lines = ["", "left out:" if left_out else "left out: nothing that was found"]
    for one in left_out:
        record = one.record
        shown = [name for name in ("probability", "misleading", "meaning") if name in record.features]
        numbers = [f"{name} {record.features[name]:.3g}" for name in shown]
        rank = "not ranked" if one.rank is None else f"rank {one.rank}"
        lines += [f"· {quote(record, Selection().short_quote)}", f"    {one.rule}; {', '.join([rank, *numbers])}"]
    return "\n".join(lines)


def _sources(said: Sequence[Provenance]) -> str:
    """Who stated and edited a fact; of one that sleep made, nobody did."""
    return "; ".join(map(str, said)) or "made by a merge or a promotion, or its words were forgotten"


def _time(contents: WindowContents) -> str:
    """The windows of a question, why they were read, and what they held."""
    reading = contents.reading
    read = "; ".join(f"“{one.text}” {_days(one.windows)} ({one.reason})" for one in reading.expressions)
    meant = {"said": "when it was said", "event": "when it happened", "either": "when it was said or happened"}
    counts = ((contents.records, "record"), (contents.sessions, "session"), (contents.facts, "dated fact"))
    records, sessions, facts = (f"{n} {what}{'' if n == 1 else 's'}" for n, what in counts)
    held = f"{records} in {sessions}, {facts}"
    rest = f", {contents.rests} at rest" if contents.rests else ""
    kept = f"; the model kept {contents.kept[0]} of {contents.kept[1]} sessions" if contents.kept else ""
    return f"time: {read}; {_days(reading.windows)}, {meant[reading.refers]}: {held}{rest}{kept}"


def _days(windows: Sequence[Window]) -> str:
    return ", ".join(str(w.start) if w.start == w.end else f"{w.start}/{w.end}" for w in windows)


@click.command()
@click.argument("memory", type=TEXT)
@click.argument("about", type=TEXT, required=False)
@click.option("--as", "asker", type=TEXT, metavar="NAME", help='Whom "my" means; the only speaker by default.')
@click.option("--budget", type=COUNT, metavar="TOKENS", help="Length of the brief; 512 by default.")
@session_command
def profile(
    call: Session, memory: str, about: str | None, asker: str | None, budget: int | None, as_json: bool
) -> None:
    """Tell all that is surely known about somebody or something.

    ABOUT is a name or a possession ("my sister"); without it, who speaks. Facts are grouped by theme, then comes what
    was said last. Reading changes nothing.

    \b
    Example:
      oroi profile diary
      oroi profile diary "my sister" --as Ana
    """
    from oroi_graph.language import verbalize
    from oroi_graph.recall import quote
    from oroi_graph.recall.profile import spoken
    from oroi_graph.recall_options import Selection

    with call.graph() as graph:
        found = graph.memory(memory, create=False).profile(about, speaker=asker, budget=budget)
    if as_json:
        emit_json(found.to_json())
        return
    if not found:
        remark(f"nothing is known about {found.about!r}")
        return
    language = spoken(found.said)
    for theme, facts in found.themes.items():
        emit("\n".join([theme, *(f"  {verbalize.sentence(fact, language)}" for fact in facts)]))
    if found.said:
        emit("\n".join(["said last", *(f"  {quote(record, Selection().quote_length)}" for record in found.said)]))


@click.command()
@click.argument("memory", type=TEXT)
@click.option("--speaker", type=TEXT, help="Who you are; the only speaker so far by default.")
@click.option("--session", "session_name", type=TEXT, help="The session the turns belong to.")
@click.option("--window", type=click.IntRange(1), default=WINDOW, show_default=True, metavar="TOKENS",
              help="The chat model's context, for a memory with a workspace.")  # fmt: skip
@session_command
def chat(
    session: Session, memory: str, speaker: str | None, session_name: str | None, window: int, as_json: bool
) -> None:
    """Talk with a memory.

    Each line is a turn; what memory would give a model is shown. With a chat model (OROI_OPENAI_API_KEY,
    OROI_OPENAI_BASE_URL, OROI_CHAT_MODEL) it answers. /quit or the end of the input ends it, /help tells.

    If the memory has a workspace (`oroi workspace init`), a model that answers is given the whole conversation; before
    its oldest messages are dropped it may store in the daily log what must last.

    \b
    Example:
      oroi chat diary --speaker Ana
      printf 'Where do I live?\\n' | oroi chat diary --speaker Ana
    """
    from oroi_graph.connection import open_chat
    from oroi_graph.workspace.context import Context

    with session.graph() as graph:
        model = open_chat(session.settings)
        conversation = _Chat(graph.memory(memory), model, speaker, session_name, as_json)
        if model is not None and graph.has_workspace(memory):
            flusher = graph.workspace(memory).flusher()
            try:
                conversation.context = Context(flusher, session_name or "chat", window, model.reply)
            except InputError as error:  # a workspace that is only read
                remark(f"nothing of this chat is stored in the notes: {error}")
        conversation.hold(_lines())


class _Chat:
    """A conversation in the terminal; one bad line or a failed answer does not end it."""

    def __init__(
        self, memory: Memory, model: ChatModel | None, speaker: str | None, session: str | None, as_json: bool
    ) -> None:
        self._memory, self._model, self._as_json = memory, model, as_json
        self._speaker, self._session = speaker, session
        self._messages: list[dict[str, str]] = []
        self.context: Context | None = None  # of a memory with a workspace

    def hold(self, lines: Iterator[str | InputError]) -> None:
        if self._model is None and sys.stdin.isatty():
            remark("no chat model is set (OROI_OPENAI_API_KEY): memory listens and shows what it recalls; /quit ends")
        for line in lines:
            if isinstance(line, InputError):
                remark(f"oroi: {line}")
            elif line.strip() in ("/quit", "/exit"):
                return
            elif _COMMAND.fullmatch(line.strip()):
                known = line.strip() == "/help"
                remark(f"{'' if known else f'there is no {one_line(line.strip(), 40)}: '}{CHAT_HELP}")
            elif line.strip():
                try:
                    with stopping() as stop:  # the turn under way is finished first
                        self._take(line.strip())
                    if stop.is_set():
                        raise KeyboardInterrupt
                except (InputError, ProviderError) as error:
                    remark(f"oroi: {error}")

    def _take(self, text: str) -> None:
        nothing = () if self._model is None else None  # without a model nobody has the last turns before its eyes
        turn = self._memory.perceive(text, in_sight=nothing, speaker=self._speaker, session=self._session)
        brief = turn.brief
        if not self._as_json:
            emit(brief.text if brief else f"({_refusal(turn) or 'memory has nothing to add'})")
        reply, failure = self._answer(turn.input.text, brief.text)
        turn.close(reply, injected=brief if reply is not None else None)
        if self._as_json:
            told = _told(self._memory.name, turn) | {"brief": brief.text, "reply": reply}
            click.echo(json.dumps(told, ensure_ascii=False))
        elif reply is not None:
            emit(f"\n{reply}\n")
        if failure is not None:
            remark(f"oroi: no answer: {failure}")

    def _answer(self, text: str, brief: str) -> tuple[str | None, OroiError | None]:
        """The model's answer, or why there is none; the brief goes to the user's turn, never to a system message."""
        if self._model is None:
            return None, None
        said = {"role": "user", "content": f"{text}\n\n{brief}" if brief else text}
        try:
            before = self._messages if self.context is None else self.context.messages
            reply = self._model.reply([*before, said])
        except ProviderError as error:
            return None, error
        kept = Redaction(self._memory.graph.options.redact).text(reply)
        if self.context is not None:
            self._keep(self.context, text, kept)
            return reply, None
        history = [{"role": "user", "content": text}, {"role": "assistant", "content": kept}]
        self._messages = [*self._messages, *history][-CHAT_WINDOW:]
        return reply, None

    def _keep(self, context: Context, text: str, reply: str) -> None:
        """Add a turn to a long conversation; what its model stored is told."""
        context.add(text, reply)
        try:
            flushed = context.settle()
        except OroiError as error:
            remark(f"oroi: the flush before the compaction failed: {error}")
            return
        if flushed is not None and flushed.written is not None:
            remark(f"stored in {flushed.written.path}:{flushed.written.start}-{flushed.written.end}")


def _lines() -> Iterator[str | InputError]:
    """The lines of standard input; one that is not UTF-8 comes as the error that says so."""
    if sys.stdin.isatty():
        import readline  # noqa: F401 - line editing and history for `input`

        while True:
            try:
                yield input("you> ")
            except EOFError:
                click.echo()
                return
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError:
            yield InputError(f"line {number} is not UTF-8 text: it is left out")
