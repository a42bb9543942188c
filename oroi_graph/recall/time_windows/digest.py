"""A time that was asked for without a theme ("What did we talk about last week?"), summed up within the budget.

First a line that counts what was said, then one line for each session and day with what it was about, then quotes in
the order of time, as evenly from all lines as the budget allows. Where sessions would take too many lines, days do,
then months, then years; what even these leave out is counted in a last line. Nothing of a window is left out silently.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from oroi_graph.language.quoting import block, quoted
from oroi_graph.language.sentences import is_small_talk
from oroi_graph.language.tokens import count_tokens
from oroi_graph.model import Exclusion, RecordHit
from oroi_graph.options import Options
from oroi_graph.recall.brief import excerpt, quote
from oroi_graph.recall.ranking.kept_texts import Stems, line_cost, stems_of, tells_nothing
from oroi_graph.recall.selection import Chosen
from oroi_graph.recall.time_windows.search import Inside, Said, read
from oroi_graph.recall.time_windows.wording import Wording
from oroi_graph.working_set.candidates import Candidate
from oroi_graph.working_set.transactions import Reading

# How what was said is grouped, from the finest to the coarsest: the key of a group, and how it is shown.
_LEVELS: tuple[Callable[[Said], tuple[str, str | None]], ...] = (
    lambda one: (one.day, one.session),
    lambda one: (one.day, None),
    lambda one: (one.day[:7], None),
    lambda one: (one.day[:4], None),
)
_LINES_SHARE = 0.6  # of the budget that lines about groups may take; the rest is for quotes
_LINE = 24  # tokens of such a line, about
_READ = 160  # records whose words are read to choose quotes among them
_ASKED = 0.3  # worth of a record that only asks, beside one that tells
_ANSWERED = 0.6  # worth of an assistant's record


@dataclass(frozen=True, slots=True)
class Digest:
    """What sums up a time: what enters the brief, every record that was read, the best first, and candidates by id."""

    chosen: Chosen
    ranked: tuple[RecordHit, ...]
    candidates: Mapping[str, Candidate]


@dataclass(frozen=True, slots=True)
class _Group:
    """What was said at one time. day: ISO day, month or year. session: None where several are summed up."""

    day: str
    session: str | None
    said: tuple[Said, ...]


def digest(tx: Reading, memory: str, inside: Inside, wording: Wording, budget: int, options: Options) -> Digest:
    """Sum up what was said in the windows. budget: tokens of the brief, delimiters included. One statement."""
    room = budget - count_tokens(block([" "]))
    groups = _grouped(inside.said, max(1, int(_LINES_SHARE * room / _LINE)))
    row = tx.one(
        "recall/digest",
        memory=memory,
        groups=[{"key": i, "records": [one.id for one in group.said]} for i, group in enumerate(groups)],
        themes=options.selection.digest_themes,
    )
    known = {record.id: record for record in read(tx, memory, _readable(groups))}
    themes = dict(row["themes"])
    notes, room = _notes(groups, themes, inside, wording, room)
    hits = [best_of([known[one.id] for one in group.said if one.id in known], wording.language) for group in groups]
    records, left_out = _quotes(hits, room, options)
    ranked = [hit for row in zip_longest(*hits) for hit in row if hit is not None]
    return Digest(Chosen((), tuple(records), tuple(notes), left_out=left_out), tuple(ranked), known)


def _grouped(said: Sequence[Said], most: int) -> list[_Group]:
    """The finest grouping with at most `most` groups; else the coarsest."""
    groups: dict[tuple[str, str | None], list[Said]] = {}
    for level in _LEVELS:
        groups = {}
        for one in said:
            groups.setdefault(level(one), []).append(one)
        if len(groups) <= most:
            break
    ordered = sorted(groups.items(), key=lambda item: min(one.at for one in item[1]))
    return [_Group(day, session, tuple(some)) for (day, session), some in ordered]


def _readable(groups: Sequence[_Group]) -> list[str]:
    """Ids of the records to read: of each group evenly those that mention most, the user's before the assistant's."""
    ordered = [
        sorted(group.said, key=lambda one: (one.role == "assistant", -one.mentions, -one.length, one.id))
        for group in groups
    ]
    return [one.id for row in zip_longest(*ordered) for one in row if one is not None][:_READ]


def _notes(
    groups: Sequence[_Group], themes: Mapping[int, Sequence[str]], inside: Inside, wording: Wording, room: int
) -> tuple[list[str], int]:
    """The lines about the whole and its groups, and how many tokens they leave."""
    notes = [wording.said(_held(inside.said, wording, sessions=True))]
    if inside.rests:
        notes.append(wording.rests(inside.rests))
    room -= sum(line_cost(note) for note in notes)
    for i, group in enumerate(groups):
        left = groups[i + 1 :]
        rest = wording.more(_held([one for g in groups[i:] for one in g.said], wording, sessions=True))
        line = _line(group, themes.get(i, ()), wording)
        if line_cost(line) > room - (line_cost(rest) if left else 0):
            notes.append(rest)
            return notes, room - line_cost(rest)
        notes.append(line)
        room -= line_cost(line)
    return notes, room


def _line(group: _Group, themes: Sequence[str], wording: Wording) -> str:
    """ "2026-03-02 (garden, 14 turns): roof, gutters"."""
    named = [quoted(group.session)] if group.session else []
    head = f"{group.day} ({', '.join([*named, _held(group.said, wording)])})"
    return f"{head}: {', '.join(map(quoted, themes))}" if themes else head


def _held(said: Sequence[Said], wording: Wording, *, sessions: bool = False) -> str:
    """ "2 sessions, 14 turns, 1 note": how much some records are, by their kinds."""
    spoken = [one for one in said if one.role in ("user", "assistant")]
    counts = {
        "sessions": len({one.session or one.day for one in spoken}) if sessions else 0,
        "turns": len(spoken),
        "entries": sum(one.role == "entry" for one in said),
        "notes": sum(one.role == "note" for one in said),
    }
    return wording.counted(counts)


def best_of(said: Sequence[Candidate], language: str) -> list[RecordHit]:
    """The records of one time, what sums it up before the rest; each after the first for what it adds."""
    texts = {one.id: stems_of(one.text, language) for one in said if not is_small_talk(one.text)}
    common = Counter(stem for stems in texts.values() for stem in stems.distinct)
    left = {one.id: one for one in said if one.id in texts and texts[one.id].distinct}
    told: set[str] = set()
    found: list[RecordHit] = []
    while left:
        worth = {id: _worth(one, texts[id], common, told) for id, one in left.items()}
        best = min(left.values(), key=lambda one: (-worth[one.id], one.turn, one.id))
        found.append(best.hit(worth[best.id], {}))
        told |= texts[best.id].distinct
        del left[best.id]
    return found


def _worth(one: Candidate, stems: Stems, common: Counter[str], told: set[str]) -> float:
    """What a record adds: its new words, each by how many of the group's records say it, for its length."""
    new = sum(1 + math.log(common[stem]) for stem in stems.counts if stem not in told)
    kind = (_ASKED if tells_nothing(one.text) else 1.0) * (_ANSWERED if one.role == "assistant" else 1.0)
    return kind * (1 + 0.2 * len(one.concepts)) * new / math.sqrt(4 + stems.total)


def _quotes(
    groups: Sequence[Sequence[RecordHit]], room: int, options: Options
) -> tuple[list[RecordHit], dict[str, Exclusion]]:
    """Quotes that fit into `room` tokens, a round of the best ones of all groups after the other; in order of time.

    Also {id: what keeps a record out}.
    """
    length = options.selection.digest_quote
    chosen = []
    left_out: dict[str, Exclusion] = {}
    for row in zip_longest(*groups):
        for hit in row:
            if hit is None:
                continue
            if hit.score <= 0:
                left_out[hit.id] = "adds nothing to what is quoted"
                continue
            short = replace(hit, text=excerpt(quoted(hit.text), length, None))
            cost = line_cost(quote(short, options.selection.quote_length))
            if cost <= room:
                chosen.append(short)
                room -= cost
            else:
                left_out[hit.id] = "no room in the budget"
    return sorted(chosen, key=lambda hit: (hit.at or "", hit.turn, hit.role == "assistant")), left_out
