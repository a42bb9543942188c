"""Several memories as one answer: one brief within one budget, in which every line names its memory.

Each memory is searched by itself, in its own graph; here only what each of them would state is ranked together.
Probabilities of records compare the records of one memory, so memories are compared by nearness: how near a record is
to the question by meaning and by words, each over the value from which a memory has something to say. A memory's own
order is kept: lists are merged by the nearest record that each still holds, so that what a memory puts first because
its graph says so is not put behind what it thinks less of. A memory whose nearest record is far behind the nearest of
all adds no records but those that state its sure facts. A memory in which nothing was said at the time asked for adds
nothing where another one answers for that time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Any, Literal, TypeVar

from oroi_graph.language.quoting import block
from oroi_graph.language.tokens import count_tokens
from oroi_graph.model import Brief, BriefItem, Exclusion, LeftOut, Reason, RecordHit, Value
from oroi_graph.recall.request import Recall
from oroi_graph.recall_options import Selection

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class JointItem(Value):
    """One line of a joint brief. memories: that state it in these words, the nearest first; id: in the first of them.

    kind: as of `BriefItem`.
    """

    memories: tuple[str, ...]
    kind: Literal["note", "fact", "record"]
    id: str | None
    text: str

    @property
    def named(self) -> BriefItem:
        """As it stands in the brief."""
        return BriefItem(self.kind, self.id, f"[{', '.join(self.memories)}] {self.text}")

    @property
    def line(self) -> str:
        """Its line."""
        return f"- {self.named.text}"


@dataclass(frozen=True, slots=True)
class JointRecall:
    """What several memories brought back together.

    items: of the brief, in its order. parts: what each memory answers by itself. reasons: why an item is in the brief,
    with the memory's name; left_out: why the best of the other records are not. ranked: records of all, the best first,
    each with its memory's name.
    """

    question: str
    brief: Brief
    items: tuple[JointItem, ...]
    parts: Mapping[str, Recall]
    reasons: tuple[tuple[str, Reason], ...]
    ranked: tuple[tuple[str, RecordHit], ...]
    left_out: tuple[tuple[str, LeftOut], ...] = ()

    def records(self, k: int = 10) -> tuple[tuple[str, RecordHit], ...]:
        """The k best verbatim records, each with its memory's name, whether they entered the brief or not."""
        return self.ranked[:k]

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object."""
        return {
            "question": self.question,
            "memories": list(self.parts),
            "brief": self.brief.text,
            "tokens": self.brief.tokens,
            "items": [item.to_json() for item in self.items],
            "facts": [{"memory": name, **fact.to_json()} for name, part in self.parts.items() for fact in part.facts],
            "records": [{"memory": name, **hit.to_json()} for name, hit in self.ranked],
            **({"windows": windows} if (windows := self.window_contents()) else {}),
        }

    def window_contents(self) -> list[dict[str, Any]]:
        """What the times that the question names held in each memory, as JSON-serialisable objects."""
        return [{"memory": name, **one.to_json()} for name, part in self.parts.items() for one in part.windows]

    def explained(self) -> dict[str, Any]:
        """Why each item is in the brief and the best of the other records are not, as a JSON-serialisable object."""
        reasons = [{"memory": name, **asdict(reason), "numbers": dict(reason.numbers)} for name, reason in self.reasons]
        return {
            "reasons": reasons,
            "left_out": [{"memory": name, **one.to_json()} for name, one in self.left_out],
            "silent": [
                {"memory": name, "probabilities": [round(one, 6) for one in part.silent]}
                for name, part in self.parts.items()
            ],
        }


def join(question: str, parts: Mapping[str, Recall], budget: int, selection: Selection) -> JointRecall:
    """One answer of several. parts: {memory: its answer, with a brief of at least this budget}. budget: tokens."""
    nearness = _Nearness(selection)
    said = {name: part for name, part in parts.items() if _speaks(part, parts.values())}
    near = {name: max(map(nearness, part.ranked), default=0.0) for name, part in said.items()}
    enough = selection.joint * max(near.values(), default=0.0)
    notes = [(name, item) for name, part in said.items() for item in part.brief.items if item.kind == "note"]
    facts = _merged({
        name: [(item, _worth(item.text, part)) for item in part.brief.items if item.kind == "fact"]
        for name, part in said.items()
    })  # fmt: skip
    quotes = {name: _quoted(part) for name, part in parts.items()}
    offers = {
        name: [(item, nearness(hit)) for item, hit, states in quotes[name] if near[name] >= enough or states]
        for name in said
    }
    records = _merged(offers)
    offered = (JointItem((name,), item.kind, item.id, item.text) for name, item in (*notes, *facts, *records))
    chosen = _within(budget, selection.facts_share, offered)
    text = block([item.line for item in chosen])
    concepts = (id for name, part in parts.items() for id in part.brief.concept_ids if _states(chosen, name))
    items = tuple(item.named for item in chosen)
    brief = Brief(text, count_tokens(text), tuple(dict.fromkeys(concepts)), items)
    held = {(name, item.text) for item in chosen for name in item.memories}
    reasons = [(name, why) for name, part in parts.items() for why in part.reasons if (name, why.item) in held]
    ranked = _merged({name: [(hit, nearness(hit)) for hit in part.ranked] for name, part in parts.items()})
    left_out = {}
    for name, part in parts.items():
        offered_ids = {item.id for item, _ in offers[name]} if name in said else None
        unquoted = [hit for item, hit, _ in quotes[name] if (name, item.text) not in held]
        left_out[name] = [(one, nearness(one.record)) for one in _left_out(part, unquoted, offered_ids)]
    return JointRecall(
        question, brief, tuple(chosen), dict(parts), tuple(reasons), tuple(ranked),
        tuple(_merged(left_out)[: selection.left_out]),
    )  # fmt: skip


class _Nearness:
    """How near a record is to the question: 1 where a memory begins to have something to say."""

    def __init__(self, selection: Selection) -> None:
        self._meaning, self._words = max(selection.related, 1e-6), max(selection.word_similarity, 1e-6)

    def __call__(self, hit: RecordHit) -> float:
        found = hit.features
        return max(found.get("meaning", 0.0) / self._meaning, found.get("interaction", 0.0) / self._words)


def _quoted(part: Recall) -> list[tuple[BriefItem, RecordHit, bool]]:
    """The records of one memory's brief: each with its place in the ranking, and whether it states a fact of it."""
    known = {hit.id: hit for hit in part.ranked}
    shown = set(part.brief.fact_ids)
    stating = {record for fact in part.facts if fact.id in shown for record in fact.records}
    quotes = [item for item in part.brief.items if item.kind == "record"]
    return [(item, known[item.id], item.id in stating) for item in quotes if item.id in known]


def _left_out(part: Recall, unquoted: Iterable[RecordHit], offered: Collection[str | None] | None) -> list[LeftOut]:
    """Records of one memory that the joint brief does not quote, the best first, then those that are not ranked.

    unquoted: those that the memory's own brief quotes. offered: ids of those that there was room for or not; None if
    the memory adds nothing.
    """
    ranks = {hit.id: rank for rank, hit in enumerate(part.ranked, 1)}
    more = []
    for hit in unquoted:
        rule: Exclusion = "no room in the budget"
        if offered is None:
            rule = "another memory answers for the time asked for"
        elif hit.id not in offered:
            rule = "another memory is much nearer to the question"
        more.append(LeftOut(hit, rule, ranks[hit.id]))
    return sorted([*part.left_out, *more], key=lambda one: (one.rank is None, one.rank or 0))


def _speaks(part: Recall, others: Iterable[Recall]) -> bool:
    """Whether a memory's answer enters: unless it only tells that nothing was said then, and another answers."""
    return not _is_empty(part) or not any(one.windows and not _is_empty(one) and one.brief.record_ids for one in others)


def _is_empty(part: Recall) -> bool:
    """Whether a question names a time, and the memory holds nothing of it."""
    return bool(part.windows) and not any(one.records or one.facts or one.rests for one in part.windows)


def _worth(text: str, part: Recall) -> float:
    """How well the path to a fact fits the question, 0..1."""
    return next((why.numbers.get("path", 0.0) for why in part.reasons if why.item == text), 0.0)


def _merged(lists: Mapping[str, Sequence[tuple[T, float]]]) -> list[tuple[str, T]]:
    """Several lists as one, each in its own order: next comes the one that still holds the highest value."""
    keyed = []
    for place, (name, rows) in enumerate(lists.items()):
        best = [*accumulate((value for _, value in reversed(rows)), max)][::-1]
        keyed += [(-high, place, at, name, one) for at, ((one, _), high) in enumerate(zip(rows, best, strict=True))]
    return [(name, one) for *_, name, one in sorted(keyed, key=lambda row: row[:3])]


def _within(budget: int, share: float, items: Iterable[JointItem]) -> list[JointItem]:
    """The items that fit; facts leave room for records. What two memories say in the same words is one item."""
    room = budget - count_tokens(block([" "]))
    facts = share * budget
    chosen: dict[tuple[str, str], JointItem] = {}
    for item in items:
        known = chosen.get((item.kind, item.text))
        new = item if known is None else JointItem((*known.memories, *item.memories), item.kind, known.id, item.text)
        cost = count_tokens(new.line) - (count_tokens(known.line) if known else 0)
        if cost > room or (item.kind == "fact" and cost > facts):
            continue
        chosen[item.kind, item.text] = new
        room -= cost
        facts -= cost if item.kind == "fact" else 0.0
    return list(chosen.values())


def _states(items: Sequence[JointItem], memory: str) -> bool:
    return any(memory in item.memories for item in items)
