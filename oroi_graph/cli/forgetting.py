"""The commands forget, undo and fact: delete from a memory, take back its last turn, correct single facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oroi_graph.cli.output import confirm, emit, emit_either, emit_rows, remark
from oroi_graph.cli.session import TEXT, Session, counting, session_command
from oroi_graph.options import Dynamics

if TYPE_CHECKING:
    from oroi_graph.forgetting.concept_lookup import ConceptRef
    from oroi_graph.forgetting.plan import DeletionPlan
    from oroi_graph.forgetting.scrub import ScrubResult
    from oroi_graph.forgetting.undo_turn import UndoResult
    from oroi_graph.model import Fact
    from oroi_graph.storage.store import Store

SHOWN = 10  # lines of one kind


@click.command()
@click.argument("memory", type=TEXT)
@click.argument("text", type=TEXT)
@click.option("--speaker", type=TEXT, help='Whom "I" and "my" mean; the only speaker by default.')
@click.option("--dry-run", is_flag=True, help="Show what would be forgotten, change nothing.")
@click.option("--scrub", is_flag=True, help="Remove it from the local server's disk, too; restarts the server.")
@click.option("--yes", is_flag=True, help="Don't ask.")
@session_command
def forget(
    session: Session, memory: str, text: str, speaker: str | None, dry_run: bool, scrub: bool, yes: bool, as_json: bool
) -> None:
    """Forget something for ever.

    TEXT names it: a person or thing ("Koldo", "my boss"), a fact ("that I live in Bilbao", "where I live"), or an id.
    What was said of it goes as whole episodes, with their replies; then the memory is searched for what is left.
    Nothing that merely resembles it is taken. What a database deletes stays in its logs and freed blocks for a while:
    --scrub removes it from there as well, also what was forgotten before.

    \b
    Example:
      oroi forget diary "my phone number" --speaker Ana --dry-run
      oroi forget diary "that I live in Bilbao" --yes
    """
    if scrub and session.settings.uri is not None:
        raise click.UsageError("--scrub is for the local server: docs/privacy.md says what to do with another one")
    words = [text]
    with session.graph() as graph:
        from oroi_graph.forgetting.delete import finish

        opened = graph.memory(memory, create=False)
        if not dry_run and finish(graph.store.write, memory):
            remark("what an earlier, interrupted request was to forget is gone now")
        found = opened.forgettable(text, speaker=speaker)
        if (not found and not scrub) or dry_run:
            _show(found, as_json)
            return
        if not yes:
            confirm(f"Forget this for ever in memory {memory}?", "forget", lambda: emit(_listed(found)))
        with counting("things", "forget") as progress:
            done = opened.forget(text, speaker=speaker, by="cli", progress=progress)
        words += [thing.label for thing in (*done.what.concepts, *done.what.orphans)]
    lines = [f"forgotten: {_numbers(done.what.counts) or 'nothing'}"]
    if done:
        lines.append(f"{memory} was searched for it: {done.remains} places are left")
    data = {"memory": memory, **done.to_json()}
    if scrub:
        scrubbed = _scrubbed(session, words)
        data["scrub"] = scrubbed.to_json()
        lines.append(f"disk: {scrubbed}")
    emit_either(as_json, data, "\n".join(lines))
    if not as_json:
        _note_apart(done.what)


def _scrubbed(session: Session, words: list[str]) -> ScrubResult:
    from oroi_graph.connection import open_store
    from oroi_graph.forgetting.scrub import scrub
    from oroi_graph.server.managed import ManagedServer

    settings = session.settings
    remark("the server is stopped and started again …")
    return scrub(ManagedServer.from_settings(settings), lambda: open_store(settings), words)


def _show(found: DeletionPlan, as_json: bool) -> None:
    if as_json or found:
        emit_either(as_json, found.to_json(), _listed(found))
    else:
        remark(f"nothing to forget: {found.reason}")
    if not as_json:
        _note_apart(found)
        if found.suggestions:
            remark(f"did you mean: {', '.join(found.suggestions)}")


def _listed(found: DeletionPlan) -> str:
    """The counts, and the first of each kind."""
    lines = [f"to forget: {_numbers(found.counts)}"]
    lines += _some("concepts", [_named(thing) for thing in (*found.concepts, *found.orphans)])
    lines += _some("facts", list(found.sentences))
    lines += _some("episodes", [f"{q.at or '-'} {q.speaker}: {q.text}" for q in found.episodes])
    return "\n".join(lines)


def _numbers(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name if count != 1 else name[:-1]}" for name, count in counts.items() if count)


def _some(title: str, lines: list[str]) -> list[str]:
    more = [f"  … and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return [title, *(f"  {line}" for line in lines[:SHOWN]), *more] if lines else []


def _named(thing: ConceptRef) -> str:
    return f"{thing.label} ({thing.kind}, {thing.id})"


def _note_apart(found: DeletionPlan) -> None:
    if found.apart:
        names = ", ".join(_named(thing) for thing in found.apart[:SHOWN])
        remark(f"something else, and kept: {names}; forget it by its id if you meant it")


@click.command()
@click.argument("memory", type=TEXT)
@click.option("--yes", is_flag=True, help="Don't ask.")
@session_command
def undo(session: Session, memory: str, yes: bool, as_json: bool) -> None:
    """Take back the last turn of a memory.

    The turn goes with its reply, as if it had not been said: its facts, concepts and words, and what it replaced holds
    again. Done again, it takes back the turn before, as far as the last sleep.

    \b
    Example:
      oroi undo diary --yes
    """
    with session.memory_store(memory) as store:
        from oroi_graph.forgetting.undo_turn import undo as take_back

        def show() -> None:
            emit(_taken(memory, take_back(store, memory, Dynamics(), dry_run=True), "would take back"))

        if not yes:
            confirm(f"Take it back in memory {memory}?", "undo", show)
        done = take_back(store, memory, Dynamics())
    emit_either(as_json, {"memory": memory, **done.to_json()}, _taken(memory, done, "took back"))


def _taken(memory: str, done: UndoResult, verb: str) -> str:
    words = "".join(f'\n  "{text}"' for text in done.texts)
    return (
        f"{memory}: {verb} turn {done.turn} ({done.records} records, {done.concepts} concepts, "
        f"{done.associations} associations; {done.restored} hold again){words}"
    )


@click.group()
def fact() -> None:
    """List, correct, delete single facts.

    \b
    Example:
      oroi fact list diary Leire
    """


@fact.command("list")
@click.argument("memory", type=TEXT)
@click.argument("concept", type=TEXT, required=False)
@click.option("--speaker", type=TEXT, help='Whom "my" means; the only speaker by default.')
@session_command
def list_(session: Session, memory: str, concept: str | None, speaker: str | None, as_json: bool) -> None:
    """Every fact of CONCEPT, a label or an id, or of the whole memory; what holds no longer comes last.

    \b
    Example:
      oroi fact list diary
      oroi fact list diary "my sister" --speaker Ana
    """
    from oroi_graph.forgetting.fact_edits import list_facts
    from oroi_graph.language.verbalize import sentence

    with session.memory_store(memory) as store:
        found = list_facts(store, memory, concept, _speaker(store, memory, speaker))
    data = [one.to_json() | {"sentence": sentence(one)} for one in found]
    rows = [[f.id, sentence(f), _turns(f)] for f in found]
    emit_rows(as_json, data, ["id", "fact", "said in turns"], rows, f"no fact is known of {concept or memory}")


def _speaker(store: Store, memory: str, speaker: str | None) -> str:
    """The person that "my" means: the one given, else the only protagonist of the memory."""
    from oroi_graph.perception.recent_turns import ANONYMOUS
    from oroi_graph.storage import catalog

    if speaker:
        return speaker
    found = catalog.describe(store, memory)
    return found.protagonists[0] if found and len(found.protagonists) == 1 else ANONYMOUS


def _turns(one: Fact) -> str:
    return str(one.first_turn) if one.first_turn == one.last_turn else f"{one.first_turn}-{one.last_turn}"


@fact.command("edit")
@click.argument("memory", type=TEXT)
@click.argument("fact_id", metavar="ID", type=TEXT)
@click.option("--relation", type=TEXT, help='Another relation ("works at").')
@click.option("--target", type=TEXT, help="Another target.")
@click.option("--when", type=TEXT, metavar="DATE", help="When it holds: 2026-03, 2026-03-01/2026-05-31; '' for always.")
@click.option("--by", type=TEXT, help='Who corrects it, and whom "my" means; the only speaker by default.')
@session_command
def edit(session: Session, /, memory: str, fact_id: str, as_json: bool, **edited: str | None) -> None:
    """Correct the fact ID, or whose id begins so: a new one takes its place, the old one is history.

    \b
    Example:
      oroi fact edit diary 5f0c1c2bd6f3a1e07f0a --target Gernika --when 2026-03
    """
    from oroi_graph.language.verbalize import sentence

    with session.graph() as graph:
        found = graph.memory(memory, create=False).edit_fact(fact_id, **edited)
    emit_either(as_json, found.to_json() | {"sentence": sentence(found)}, f"{found.id}: {sentence(found)}")


@fact.command("delete")
@click.argument("memory", type=TEXT)
@click.argument("fact_id", metavar="ID", type=TEXT)
@click.option("--yes", is_flag=True, help="Don't ask.")
@session_command
def delete(session: Session, memory: str, fact_id: str, yes: bool, as_json: bool) -> None:
    """Delete the fact ID, or whose id begins so.

    The words that stated it stay; `oroi forget MEMORY ID` takes them along.

    \b
    Example:
      oroi fact delete diary 5f0c1c2bd6f3a1e07f0a --yes
    """
    from oroi_graph.forgetting.fact_edits import delete_fact
    from oroi_graph.language.verbalize import sentence

    with session.memory_store(memory) as store:
        if not yes:
            confirm(f"Delete fact {fact_id} of memory {memory} for ever?", "delete")
        found = delete_fact(store, memory, fact_id)
    emit_either(as_json, found.to_json() | {"sentence": sentence(found)}, f"deleted: {sentence(found)}")
