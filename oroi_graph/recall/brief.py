"""The brief (S5): current facts as sentences, then dated verbatim quotes, within a token budget.

Deterministic: the same graph and question give the same bytes. What was not chosen does not fill it up, and where
nothing was chosen it is empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from oroi_graph.language import verbalize
from oroi_graph.language.quoting import block, quoted
from oroi_graph.language.tokens import count_tokens
from oroi_graph.model import Brief, Fact, Reason, RecordHit
from oroi_graph.recall.features import Candidate
from oroi_graph.recall.graph_search import Evocation, Path
from oroi_graph.recall.question import Cue
from oroi_graph.recall.selection import Chosen

QUOTE = 480  # characters of one quote
FACTS = 0.6  # share of the budget that facts may take, so that literal text always has room


def compose(chosen: Chosen, cues: Sequence[Cue], budget: int) -> Brief:
    """The text, and the ids of all that is in it. `budget`: tokens, delimiters included."""
    empty = count_tokens(block([" "]))
    room = budget - empty
    facts: list[tuple[str, Fact]] = []
    for fact in chosen.facts:
        line = f"- {verbalize.sentence(fact)}"
        cost = count_tokens(line)
        if cost <= room and budget - empty - room + cost <= FACTS * budget:
            facts.append((line, fact))
            room -= cost
    quotes: list[tuple[str, RecordHit]] = []
    for record in chosen.records:
        line = f"- {quote(record)}"
        cost = count_tokens(line)
        if cost <= room:
            quotes.append((line, record))
            room -= cost
    lines = [line for line, _ in facts] + [line for line, _ in quotes]
    text = block(lines)
    return Brief(
        text=text,
        tokens=count_tokens(text),
        concept_ids=_concepts([fact for _, fact in facts], cues),
        fact_ids=tuple(fact.id for _, fact in facts),
        record_ids=tuple(record.id for _, record in quotes),
    )


def quote(record: RecordHit) -> str:
    """One record as a dated quote that says whose words they are, and whether they are all of them.

    A gist is no literal quote, but it is remembered text all the same: the marks keep it from posing as ours.
    """
    text = quoted(record.text)
    if len(text) > QUOTE:
        text = text[:QUOTE].rsplit(" ", 1)[0] + " …"
    who = "the assistant said" if record.role == "assistant" else quoted(record.speaker)
    when = verbalize.stamp(record.at)
    short = " (in short)" if record.gist else ""
    return f'{when + ", " if when else ""}{who}{short}: "{text}"'


def reasons(
    chosen: Chosen,
    brief: Brief,
    paths: Mapping[str, Path],
    evocation: Evocation,
    candidates: Mapping[str, Candidate],
) -> tuple[Reason, ...]:
    """For each item of the brief: the cue that reached it, the path, the numbers."""
    explained = []
    for fact in chosen.facts:
        if fact.id in brief.fact_ids:
            path = paths[fact.id]
            explained.append(_reason(verbalize.sentence(fact), path, evocation, {"weight": round(fact.weight, 4)}))
    best: dict[str, Path] = {}
    for path in evocation.paths:
        best.setdefault(evocation.ids[path.end], path)
    for record in chosen.records:
        if record.id in brief.record_ids:
            near = [best[c] for c in candidates[record.id].concepts if c in best]
            # Ends of equal worth: the nearer one explains more; the id decides, since mentions come in no order.
            route = max(near, key=lambda p: (p.worth, -p.cue, -len(p.edges), evocation.ids[p.end]), default=None)
            explained.append(_reason(quote(record), route, evocation, {"score": record.score, **record.channels}))
    return tuple(explained)


def _reason(item: str, path: Path | None, evocation: Evocation, numbers: Mapping[str, float]) -> Reason:
    if path is None:
        return Reason(item, "", (), numbers)
    cue = evocation.cues[path.cue]
    return Reason(
        item,
        cue.span,
        evocation.steps(path),
        {
            "cue weight": round(cue.weight, 4),
            "path": round(path.worth, 4),
            "wave": round(float(evocation.waves[path.cue, path.end]), 6),
            "relevance": round(float(evocation.relevance[path.end]), 4),
            **numbers,
        },
    )


def _concepts(facts: Sequence[Fact], cues: Sequence[Cue]) -> tuple[str, ...]:
    ends = (id for fact in facts for id in (fact.source_id, fact.target_id))
    return tuple(dict.fromkeys([*ends, *(cue.concept_id for cue in cues)] if facts else ()))
