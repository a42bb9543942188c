"""contract read, conflicts, drift, compress: what is known, what is disputed, what moves."""

from __future__ import annotations

from datetime import datetime
from math import ceil
from typing import TYPE_CHECKING

import click

from oroi_graph.cli.contract.shared import contract_command
from oroi_graph.cli.output import emit, emit_either, emit_json, remark
from oroi_graph.cli.session import COUNT, TEXT, WHEN, Session, counting, stopping

if TYPE_CHECKING:
    from oroi_graph.contract.drift import DriftReport
    from oroi_graph.contract.retrieval.entries import Dispute
    from oroi_graph.contract.retrieval.levels import Item

_TESTS = 2  # of each key: between authors, and over time


@click.command()
@click.argument("memory", type=TEXT)
@click.option("--key", type=TEXT, help="Only entries of this key.")
@click.option("--author", type=TEXT, metavar="NAME", help="Only entries by this author.")
@click.option("--level", type=click.IntRange(0, 3), help="0 entries, 1 a summary a day, 2 a topic, 3 one of all.")
@click.option("--budget", type=COUNT, metavar="TOKENS", help="Read the most that fits.")
@click.option("--full/--short", "full", default=None, help="Long or short summaries; by default the longest that fit.")
@click.option("--at", type=WHEN, help="As it was at this time (ISO).")
@click.option("--history", is_flag=True, help="Superseded, erased and generated entries, too.")
@contract_command
def read(
    call: Session,
    /,
    memory: str,
    key: str | None,
    author: str | None,
    level: int | None,
    budget: int | None,
    full: bool | None,
    at: datetime | None,
    history: bool,
    as_json: bool,
) -> None:
    """The current entries of MEMORY, the newest first, or summaries of them.

    With --history each entry has its place in the chain and its id before it, as parents are named by.

    \b
    Example:
      oroi contract read shared --key decision
      oroi contract read shared --budget 500
      oroi contract read shared --level 2 --short --json
    """
    from oroi_graph.contract.pipeline import read_entries
    from oroi_graph.contract.retrieval.entries import Selection
    from oroi_graph.contract.retrieval.levels import Wish

    form = None if full is None else "full" if full else "short"
    selection = Selection(key=key, author=author, at=at, history=history)
    with call.memory_store(memory) as store:
        found = read_entries(store, memory, selection, Wish(level=level, budget=budget, form=form))  # type: ignore[arg-type]
    if as_json:
        emit_json({"memory": memory, **found.to_json()})
        return
    for item in found.items:
        emit(_line(item, history))
    seen = found.coverage
    made = f", by summaries made from {seen.read} of them" if seen.read < seen.covered else ""
    remark(f"level {found.level}, {found.tokens} tokens; {seen.covered} of {seen.entries} entries covered{made}")
    if seen.sampled:
        hint = "" if selection else f": `oroi contract compress {memory}` makes those of all"
        remark(f"the summaries were made now{hint}")


def _line(item: Item, history: bool) -> str:
    if item.entry is None:
        return f"[{item.name}, {item.count} {'entry' if item.count == 1 else 'entries'}] {item.text}"
    return f"{item.entry.seq} {item.entry.id} {item.text}" if history else item.text


@click.command()
@click.argument("memory", type=TEXT)
@click.option("--key", type=TEXT, help="Only of this key.")
@contract_command
def conflicts(call: Session, memory: str, key: str | None, as_json: bool) -> None:
    """The disputes that nobody has settled yet.

    \b
    Example:
      oroi contract conflicts shared
    """
    from oroi_graph.contract.pipeline import disputes_of

    with call.memory_store(memory) as store:
        found = disputes_of(store, memory, key)
    if as_json:
        emit_json([one.to_json() for one in found])
        return
    for one in found:
        emit(_told(one))
    if not found:
        remark("nothing is disputed")


def _told(one: Dispute) -> str:
    lines = [f"{one.id} on {one.field_key}, since {one.opened_at[:19]}Z"]
    lines += [f"  {entry.id} by {entry.ia_author}: {entry.field_value}" for entry in one.entries]
    return "\n".join(lines)


@click.command()
@click.argument("memory", type=TEXT)
@click.option("--key", type=TEXT, help="Only of this key; all by default.")
@click.option("--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
              help="Rate of false alarms.")  # fmt: skip
@click.option("--permutations", type=click.IntRange(99, 100_000), default=999, show_default=True,
              help="Permutations of the null distribution.")  # fmt: skip
@contract_command
def drift(call: Session, memory: str, key: str | None, level: float, permutations: int, as_json: bool) -> None:
    """Whether the meaning under a key differs between authors, or moves over time.

    Of several keys, those drift of which any is a false alarm at most at the rate of --level.

    \b
    Example:
      oroi contract drift shared
      oroi contract drift shared --key decision
    """
    from oroi_graph.contract.drift import drifting_keys
    from oroi_graph.contract.pipeline import drift_report
    from oroi_graph.contract.registry import active

    with call.memory_store(memory) as store:
        keys = (key,) if key else store.read(lambda tx: active(tx, memory)).document.keys
        found = {one: drift_report(store, memory, one, level=level, permutations=permutations) for one in keys}
    drifting = drifting_keys(found, level)
    if as_json:
        told = [{"key": one, **report.to_json()} for one, report in found.items()]
        emit_json({"memory": memory, "keys": told, "drifting": sorted(drifting)})
        return
    for one, report in found.items():
        emit(_drifting(one, report, one in drifting))
    tested = sum(report.tested for report in found.values())
    if len(found) > 1:
        remark(f"{len(drifting)} of {tested} tested keys drift, corrected for their number")
    if (least := ceil(_TESTS * tested / level) - 1) > permutations:
        remark(f"at this level, a key can drift from {least} permutations on")


def _drifting(key: str, report: DriftReport, drifts: bool) -> str:
    by_itself = "drifts by itself, but not corrected for the number of keys" if report.drifted else "no drift found"
    verdict = "drifts" if drifts else by_itself
    moved = f"; moved: {', '.join(report.moved[:10])}" if report.drifted and report.moved else ""
    return f"{key}: {verdict} ({report.entries} entries; {report.reason}){moved}"


@click.command()
@click.argument("memory", type=TEXT)
@contract_command
def compress(call: Session, memory: str, as_json: bool) -> None:
    """Make the summaries of MEMORY that are out of date; `oroi worker` does it, too.

    \b
    Example:
      oroi contract compress shared
    """
    with call.graph() as graph, stopping() as stop, counting("summaries", "compressing") as progress:
        contract = graph.contract(memory, create=False)
        filled = contract.fill()
        found = contract.compress(stop=stop, progress=progress)
    made = ", ".join(f"{count} of level {level}" for level, count in found.made.items() if count) or "none"
    told = f"{memory}: {found.entries} entries taken in; summaries made: {made}; kept: {found.kept}"
    emit_either(as_json, {"memory": memory, "filled": filled, **found.to_json()}, told)
