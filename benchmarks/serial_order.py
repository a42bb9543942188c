"""Whether what several writers were told is what they would have been told one after the other, in some order.

The chain says in which order entries were appended. The checker replays it with a slow, obvious second implementation
of the rules, and asks of each reply: is it what a lone writer would have got at that place? Replies without a new entry
(equivalent) have no place of their own: any place between their start and their end will do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Judge = Callable[[str, str, Sequence[str]], Sequence[str]]  # (key, new value, current values) → relations


@dataclass(frozen=True)
class Call:
    """One write: what was sent, the reply as JSON, and when it began and ended on one clock. process: who sent it."""

    process: int
    sent: dict[str, Any]
    reply: dict[str, Any]
    began: float
    ended: float


def faults(calls: Sequence[Call], chain: Sequence[dict[str, Any]], judge: Judge) -> list[str]:
    """What is wrong with a history; empty if it is serial. chain: all entries as JSON, in any order."""
    entries = sorted(chain, key=lambda entry: entry["seq"])
    found = [] if [e["seq"] for e in entries] == list(range(1, len(entries) + 1)) else ["the chain has a gap or a twin"]
    by_id = {entry["id"]: entry for entry in entries}
    if len(by_id) < len(entries):
        found.append("an id occurs twice")
    appended = [call for call in calls if call.reply["outcome"] != "equivalent"]
    ids = [call.reply["entry"]["id"] for call in appended]
    if len(set(ids)) < len(ids):
        found.append("two calls were told of one new entry")
    found += [f"{id} was acknowledged and is not there" for id in ids if id not in by_id]
    written = {entry["id"] for entry in entries if not entry["generated"]}
    found += [f"{id} was written by nobody" for id in sorted(written - set(ids))]
    if found:
        return found
    return _order(appended) + _replies(calls, entries, judge)


def _order(appended: Sequence[Call]) -> list[str]:
    """A call that ended before another one began has the earlier place; so have those of one process."""
    ordered = sorted(appended, key=lambda call: call.reply["entry"]["seq"])
    latest, found = 0.0, []
    for call in ordered:
        if call.ended < latest:
            found.append(f"entry {call.reply['entry']['seq']} ended before an earlier one began")
        latest = max(latest, call.began)
    return found


def _replies(calls: Sequence[Call], entries: Sequence[dict[str, Any]], judge: Judge) -> list[str]:
    found = []
    told = {call.reply["entry"]["id"]: call for call in calls if call.reply["outcome"] != "equivalent"}
    current: dict[str, list[dict[str, Any]]] = {}
    when: dict[int, dict[str, list[dict[str, Any]]]] = {0: {}}
    for place, entry in enumerate(entries):
        key = entry["field_key"]
        if entry["generated"]:
            before = entries[place - 1]
            if not entry["covers"] or entry["covers"][0] != before["id"]:
                found.append(f"generated entry {entry['seq']} does not follow what it is about")
        else:
            call = told[entry["id"]]
            expected = _expected(key, entry["field_value"], current.get(key, []), judge)
            if call.reply["outcome"] != expected:
                found.append(f"entry {entry['seq']} is {call.reply['outcome']}, a lone writer would get {expected}")
            current[key] = [e for e in current.get(key, []) if e["id"] not in entry["parent_entry_ids"]] + [entry]
        when[entry["seq"]] = {**current}
    for call in calls:
        if call.reply["outcome"] == "equivalent":
            key, existing = call.sent["field_key"], call.reply["entry"]["id"]
            after = max((c.reply["entry"]["seq"] for c in told.values() if c.ended < call.began), default=0)
            until = min(
                (c.reply["entry"]["seq"] for c in told.values() if c.began > call.ended), default=len(entries) + 1
            )
            if not any(
                existing in [e["id"] for e in when[place].get(key, [])]
                and "equivalent" in judge(key, call.sent["field_value"], [call.reply["entry"]["field_value"]])
                for place in range(after, until)
            ):
                found.append(f"{existing} was no current equivalent while the call lasted")
    return found


def _expected(key: str, value: str, current: Sequence[dict[str, Any]], judge: Judge) -> str:
    relations = judge(key, value, [entry["field_value"] for entry in current])
    for outcome in ("equivalent", "contradiction", "compatible", "critical"):
        if outcome in relations:
            return outcome
    return "inserted"
