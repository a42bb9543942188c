"""The commands import, backup and restore: conversations into a memory, all memories onto a disk and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oroi_graph.cli.output import emit_either, emit_rows, remark
from oroi_graph.cli.session import INTERRUPTED, PATH, TEXT, Session, counting, session_command, stopping

if TYPE_CHECKING:
    from oroi_graph.memory import Memory
    from oroi_graph.transfer.bulk_by_model import BulkByModel
    from oroi_graph.transfer.bulk_import import ImportReport
    from oroi_graph.transfer.conversation_file import Scripted

POLL, LONGEST_WAIT = 30.0, 90_000.0  # seconds between two looks at a batch job, and of waiting: a job may take a day


@click.command("import")
@click.argument("file", type=PATH)
@click.argument("memory", type=TEXT)
@click.option(
    "--conversation", "parts", type=TEXT, multiple=True, metavar="NAME",
    help="Of a LoCoMo file, only this conversation (may be repeated).",
)  # fmt: skip
@click.option(
    "--speaker", type=TEXT, metavar="NAME",
    help='Who the user is, where the file says only "user" or "human".',
)  # fmt: skip
@click.option("--strict", is_flag=True, help="Exit with 1 if any turn could not be used.")
@click.option(
    "--batch", is_flag=True,
    help="Let OpenAI extract and embed in batch jobs: half the price, hours of time; the cost is shown first.",
)  # fmt: skip
@click.option("--no-wait", is_flag=True, help="With --batch: send the jobs and exit; the same command collects them.")
@click.option("--yes", is_flag=True, help="With --batch: do not ask before anything is sent.")
@session_command
@click.pass_context
def import_(
    context: click.Context,
    session: Session,
    file: Path,
    memory: str,
    parts: tuple[str, ...],
    speaker: str | None,
    strict: bool,
    batch: bool,
    no_wait: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Import conversations from FILE, or from standard input (`-`).

    What it is, is found out by its content; all goes into MEMORY, which is made if need be:

    \b
      the export of ChatGPT or Claude (conversations.json, or the ZIP archive as it came)
      a chat that WhatsApp exported as text (or its ZIP archive)
      messages with "role" and "content": JSON, or JSON lines
      a conversation written down in Markdown or plain text
      what mem0 or Graphiti remember, as JSON
      turns as JSON lines, or LoCoMo's JSON

    What assistants say is kept, and is nobody's fact. Messages of tools and attachments are passed over.

    \b
    A line of our own is one turn; all but "text" may be left out:
      {"id": "a1", "role": "user", "speaker": "Ana", "text": "I live in Durango.",
       "session": 1, "at": "2026-01-03T10:00:00Z", "extraction": {...}}

    Importing again changes nothing, and goes on where an interrupted import stopped.

    \b
    Example:
      oroi import conversation.jsonl diary
      oroi import chatgpt-export.zip diary --speaker Ana
      cat messages.jsonl | oroi import - diary
      oroi import locomo.json friends --conversation conv-26
      oroi import chatgpt-export.zip diary --speaker Ana --batch
    """
    if (no_wait or yes) and not batch:
        raise click.UsageError("--no-wait and --yes are for --batch")
    from oroi_graph.transfer.bulk_import import ingest
    from oroi_graph.transfer.chats.recognition import read_turns

    found = read_turns(file, parts, speaker=speaker)
    remark(f"read as {found.format}: {len(found.turns)} turns")
    for what, count in found.passed:
        remark(f"passed over: {count} {what}")
    if len(found.parts) > 1:
        remark(f"{len(found.parts)} conversations go into one memory: {', '.join(found.parts)}")
    with session.graph() as graph, stopping() as stop, counting("turns", memory) as progress:
        opened = graph.memory(memory)
        if not batch:
            report = ingest(opened, found.turns, progress=progress, stop=stop)
        elif (jobs := _confirmed(session, opened, found.turns, no_wait, yes)) is None:
            remark("nothing was sent")
            return
        else:
            report = jobs.run(progress, stop)
    problems = [*found.problems, *report.problems]
    data = report.to_json() | {"memory": memory, "format": found.format, "passed_over": dict(found.passed)}
    data |= {"problems": [asdict(problem) for problem in problems]}
    emit_either(as_json, data, summary(memory, report))
    for problem in problems:
        remark(f"left out, {problem}")
    if report.failed:
        remark(f"{report.failed} turns are kept without concepts (extraction failed): `oroi retry {memory}`")
    if report.interrupted:
        remark("interrupted: run the same command again to go on from here")
        context.exit(INTERRUPTED)
    if (problems and strict) or report.written + report.skipped + report.unstored == 0:
        context.exit(1)


def _confirmed(
    session: Session, memory: Memory, turns: Sequence[Scripted], no_wait: bool, yes: bool
) -> BulkByModel | None:
    """The import by jobs, once its cost was shown and agreed to; None if it was not."""
    from oroi_graph.providers.remote.jobs import JobOptions
    from oroi_graph.transfer.bulk_by_model import BulkByModel

    options = JobOptions(wait=not no_wait, poll=POLL, timeout=LONGEST_WAIT)
    jobs = BulkByModel(memory, turns, session.settings.data_dir / "jobs.json", options)
    told = jobs.estimate()
    price = "a price that is not known here" if told.cost is None else f"about ${told.cost:.2f}"
    tokens = told.input_tokens + told.output_tokens + told.embedding_tokens
    begun = f"; jobs are under way for {told.begun} more" if told.begun else ""
    remark(f"{told.turns} turns to be read by batch jobs, about {tokens:,} tokens, {price}{begun}")
    agreed = yes or not told.turns or click.confirm("Send them?", err=True)
    return jobs if agreed else None


def summary(memory: str, report: ImportReport) -> str:
    """What an import did, for people."""
    counts = [f"{report.written} turns imported into {memory}"]
    counts += [f"{report.skipped} there already"] if report.skipped else []
    counts += [f"{report.unstored} not to be stored"] if report.unstored else []
    if not report.written:
        return ", ".join(counts)
    shares = ", ".join(f"{name} {share:.0%}" for name, share in report.shares.items())
    return f"{', '.join(counts)}\n{report.seconds:.1f} s, {report.rate:.1f} turns/s (work: {shares})"


@click.command()
@click.argument("folder", type=PATH)
@click.option(
    "--check", is_flag=True, help="Make none: read the latest one of FOLDER, and compare it with its digests."
)
@session_command
def backup(session: Session, folder: Path, check: bool, as_json: bool) -> None:
    """Save every memory of the database in FOLDER.

    Repeated, it saves what changed, beside what is there. What was saved is read back and compared. Notes of
    workspaces and keys of interfaces are not in it.

    \b
    Example:
      oroi backup /mnt/disk/memories
      oroi backup /mnt/disk/memories --check
    """
    from oroi_graph.transfer import copies

    if check:
        made = copies.read_backup(folder)
        emit_either(as_json, made.to_json(), f"{made.path}: {len(made.memories)} memories, all as they were written")
        return
    with session.store() as store, counting("lines", "backup") as progress:
        made = copies.backup(store, folder, progress)
    text = f"{made.path}: {len(made.memories)} memories, {made.new} of them new or changed"
    emit_either(as_json, made.to_json(), text)
    for name in made.skipped:
        remark(f"left out, because an import, deletion or re-embedding of it is not finished: {name}")


@click.command()
@click.argument("folder", type=PATH)
@click.option(
    "--at", type=TEXT, metavar="TIME", help="The latest backup whose name begins so (2026-03-01); else the latest."
)
@click.option("--memory", "name", type=TEXT, metavar="MEMORY", help="Only this memory.")
@click.option("--as", "new", type=TEXT, metavar="NAME", help="Under another name; with --memory.")
@session_command
def restore(session: Session, folder: Path, at: str | None, name: str | None, new: str | None, as_json: bool) -> None:
    """Make the memories of a backup anew.

    What is there with the same content is left alone, so an interrupted restore can be repeated; what is there with
    other content is never replaced. Every restored memory is compared with the backup.

    \b
    Example:
      oroi restore /mnt/disk/memories
      oroi restore /mnt/disk/memories --memory diary --as diary-of-yesterday
    """
    from oroi_graph.transfer import copies

    if new is not None and name is None:
        raise click.UsageError("--as is for one memory: name it with --memory")
    names = None if name is None else {name: new or name}
    with session.graph() as graph, counting("lines", "restore") as progress:
        made = copies.restore(graph.store, folder, at, names, progress)
    rows = [[saved.name, str(saved.objects), saved.digest[:12]] for saved in made]
    nothing = "nothing to restore: all of it is there"
    emit_rows(as_json, [saved.to_json() for saved in made], ["memory", "objects", "digest"], rows, nothing)
