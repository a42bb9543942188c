"""What a request to forget would delete: found and shown before anything is written.

Only exact names are deleted: a label, an alias, a possession of the speaker ("my boss"), a stated fact. Concepts that
only resemble the name, or have the same name, are listed separately and stay.

Episodes are deleted as a whole, together with their replies, because a pronoun in a later sentence may still refer to
what is forgotten. Facts about other concepts stay and lose the deleted episodes from their provenance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from oroi_graph.entities.fact_updates import relation_class
from oroi_graph.entities.mentions import Mention, StatedRelation
from oroi_graph.forgetting.concept_lookup import ConceptRef, Labels
from oroi_graph.forgetting.episode_search import EpisodeSearch, Quote, Retold, Scope, quote_of
from oroi_graph.forgetting.request import ForgetRequest, head_of
from oroi_graph.language import detection
from oroi_graph.language.normalize import label_key
from oroi_graph.language.stemming import content_words
from oroi_graph.language.tokens import PhraseMatcher, words_of
from oroi_graph.language.verbalize import sentence
from oroi_graph.model import Fact
from oroi_graph.storage.store import Row, Transaction

_FACT = tuple(Fact.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class DeletionPlan:
    """What would be forgotten. Empty (`bool` False) when nothing is named exactly; `reason` then says why.

    concepts: named, or owned by what is named; orphans: concepts that nothing else would hold. facts, sentences: the
    associations that go, in both forms. episodes: what was said that goes. merges, coincidences: how many go.
    apart: of the same or a longer name, not taken; suggestions: labels that may have been meant.
    """

    asked: str
    concepts: tuple[ConceptRef, ...] = ()
    orphans: tuple[ConceptRef, ...] = ()
    facts: tuple[Fact, ...] = ()
    episodes: tuple[Quote, ...] = ()
    merged: tuple[str, ...] = ()
    coincidences: int = 0
    apart: tuple[ConceptRef, ...] = ()
    suggestions: tuple[str, ...] = ()
    reason: str | None = None
    named: tuple[str, ...] = field(default=(), repr=False)  # ids of the facts that are gone for their own sake
    implied: frozenset[str] = field(default=frozenset(), repr=False)  # ids of the facts that nobody said
    wording: PhraseMatcher = field(default_factory=lambda: PhraseMatcher(frozenset()), repr=False)

    def __bool__(self) -> bool:
        return bool(self.concepts or self.facts or self.episodes)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The facts that go, for people; not that Ana has "sister of Ana", which the words themselves say."""
        return tuple(dict.fromkeys(sentence(fact) for fact in self.facts if fact.id not in self.implied))

    @property
    def nodes(self) -> list[str]:
        """The ids of all concepts that go, merged ones included."""
        return [*(thing.id for thing in (*self.concepts, *self.orphans)), *self.merged]

    @property
    def size(self) -> int:
        """Nodes and named facts that go."""
        return len(self.nodes) + len(self.episodes) + len(self.named)

    @property
    def counts(self) -> dict[str, int]:
        """How many of each kind go."""
        return {
            "concepts": len(self.concepts) + len(self.orphans),
            "associations": len(self.facts),
            "records": len(self.episodes),
            "gists": sum(quote.gist for quote in self.episodes),
            "coincidences": self.coincidences,
            "merges": len(self.merged),
        }

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object."""
        shown = asdict(self)
        for name in ("wording", "named", "merged", "implied"):
            del shown[name]
        return shown | {"sentences": list(self.sentences), "counts": self.counts}


def find(tx: Transaction, memory: str, request: ForgetRequest) -> DeletionPlan:
    """What `request` would have forgotten. Reads only."""
    return _Finding(tx, memory, request).run()


def of_records(tx: Transaction, memory: str, asked: str, records: Sequence[str]) -> DeletionPlan:
    """What would go with some episodes: themselves and what only they hold; the facts they state as well."""
    finding = _Finding(tx, memory, ForgetRequest(asked, ""))
    return finding.around((), finding.only_of(records), records)


def only_records(tx: Transaction, memory: str, asked: str, records: Sequence[str]) -> DeletionPlan:
    """Some records and what nothing else holds; what was said elsewhere of the same stays."""
    quotes = [quote_of(row) for row in tx.run("forgetting/quotes", memory=memory, records=list(records))]
    return (
        replace(_Finding(tx, memory, ForgetRequest(asked, "")).only(quotes), reason=None)
        if quotes
        else DeletionPlan(asked)
    )


def only_of_speaker(tx: Transaction, memory: str, what: DeletionPlan, speaker: str) -> DeletionPlan:
    """The part of a plan that is `speaker`'s own: what he said, the replies to it, and what nothing else holds.

    The plan itself if nobody else said any of it; an empty one with the reason if only others did.
    """
    me = label_key(speaker)
    others = {quote.turn for quote in what.episodes if quote.role == "user" and label_key(quote.speaker) != me}
    own = [q for q in what.episodes if q.turn not in others and (q.role != "entry" or label_key(q.speaker) == me)]
    if len(own) == len(what.episodes):
        return what
    if not own:
        return DeletionPlan(what.asked, reason=f"somebody else said it: `oroi forget {memory} …` forgets for everybody")
    finding = _Finding(tx, memory, ForgetRequest(what.asked, speaker))
    return finding.only(own)


class _Finding:
    """One look-up: names first, then facts, then what is said of them."""

    def __init__(self, tx: Transaction, memory: str, request: ForgetRequest) -> None:
        self.tx, self.memory, self.request = tx, memory, request
        self._associations = partial(associations, tx, memory)
        self.labels = Labels(tx.one("forgetting/labels", memory=memory))

    def run(self) -> DeletionPlan:
        request = self.request
        if request.last or request.myself:
            return DeletionPlan(request.asked, reason=self._pointing_elsewhere())
        things = self._things()
        facts = self._facts(things)
        selves = [thing for thing in things if self.labels.is_self(thing)]
        things = [thing for thing in things if thing not in selves]
        if not things and not facts:
            reason = self._pointing_elsewhere() if selves else f"nothing is known of {request.asked!r}"
            return DeletionPlan(request.asked, reason=reason)
        return self.around(things, [fact["id"] for fact in facts])

    def _pointing_elsewhere(self) -> str:
        if self.request.last:
            return "it names nothing: `oroi undo` takes the last turn back"
        return f"who speaks is not forgotten by a name: `oroi memory delete {self.memory}` deletes all of a memory"

    def _things(self) -> list[ConceptRef]:
        """The concepts that are named: by id, as a whole, or each of a list."""
        request = self.request
        by_id = self.labels.things.get(request.asked)
        if by_id is not None:
            return [by_id]
        whole = self.labels.find(request.whole)
        if whole is not None:
            return [whole]
        if request.facts:
            return []
        found = [self.labels.find(part) for part in request.parts]
        return [thing for thing in found if thing is not None] if all(found) else []

    def _facts(self, things: Sequence[ConceptRef]) -> list[Row]:
        """The associations that are named: by id, as stated, as a possession, or by an open question."""
        request = self.request
        ends = {end.id for mention in request.mentions if (end := self._end(mention)) is not None}
        rows = self._associations(concepts=sorted(ends), ids=[] if things else [request.asked])
        if things:
            wanted = [row for row in rows if self._is_role(row)]
        elif request.facts:
            wanted = [row for row in rows if any(self._says(row, fact) for fact in request.facts)]
        else:
            wanted = [row for row in rows if self._is_role(row) or self._answers(row)]
        return [row for row in rows if row["id"] == request.asked] or [row for row in wanted if not row["implied"]]

    def _end(self, mention: Mention) -> ConceptRef | None:
        return self.labels.find([mention])

    def _says(self, row: Row, fact: StatedRelation) -> bool:
        """Whether an association says what is stated, denied or not, still or no longer."""
        source, target = self._end(fact.source), self._end(fact.target)
        if source is None or target is None or row["class"] != relation_class(fact.relation):
            return False
        ends = (row["source_id"], row["target_id"])
        mirrored = row["class"] == "is a" and ends == (target.id, source.id)  # "Koldo is my boss", "my boss is Koldo"
        return ends == (source.id, target.id) or mirrored

    def _is_role(self, row: Row) -> bool:
        """Whether an association is a possession that is named: "my phone number" in "Ana –phone number is→ 600"."""
        for mention in [*self.request.whole, *(m for part in self.request.parts for m in part)]:
            head = head_of(mention)
            owner = self._end(mention.owner) if mention.owner else None
            if head and owner is not None and row["source_id"] == owner.id:
                tongue = detection.detect(f"{self.request.asked} {row['relation']}")
                wanted = sorted(content_words(head, tongue))
                if wanted and wanted == sorted(content_words(row["relation"], tongue)):
                    return True
        return False

    def _answers(self, row: Row) -> bool:
        """Whether an association answers what is asked ("where I live")."""
        owners, classes = self.request.asking
        sources = {end.id for owner in owners if (end := self._end(owner)) is not None}
        return row["source_id"] in sources and row["class"] in classes

    def only_of(self, records: Sequence[str]) -> list[str]:
        """The associations that have no other provenance than `records`."""
        gone = set(records)
        return [row["id"] for row in self._associations(records=records) if gone.issuperset(row["records"])]

    def only(self, quotes: Sequence[Quote]) -> DeletionPlan:
        """Some episodes with what only they hold. Their words may be said elsewhere: only ids are looked for then."""
        records = [quote.id for quote in quotes]
        facts = self.only_of(records)
        left = self.tx.one("forgetting/orphans", memory=self.memory, concepts=[], records=records, associations=facts)
        rows = [*self._associations(ids=facts)] if facts else []
        if left["orphans"]:
            rows += self._associations(concepts=left["orphans"])
        return DeletionPlan(
            asked=self.request.asked,
            orphans=tuple(self.labels.things[id] for id in left["orphans"]),
            facts=tuple(fact_of(row) for row in {row["id"]: row for row in rows}.values()),
            implied=_implied(rows),
            episodes=tuple(quotes),
            merged=tuple(left["merged"]),
            coincidences=left["coincidences"],
            reason="what others said of it stays",
            named=tuple(facts),
        )

    def around(self, named: Sequence[ConceptRef], facts: Sequence[str], records: Sequence[str] = ()) -> DeletionPlan:
        """All that goes with some things, facts and records."""
        things = self._with_owned([*named, *self.labels.speaking_of(named), *self._values_of(facts)])
        absorbed = self.labels.absorbed(thing.id for thing in things)
        touching = self._associations(concepts=[thing.id for thing in things], ids=facts)
        spoken = [thing.id for thing in (*things, *absorbed)]
        mentions = self.tx.run("forgetting/mentions", memory=self.memory, concepts=spoken)
        search = EpisodeSearch(self.tx, self.memory, self.labels, Scope(named, things, absorbed, mentions, touching))
        told = [] if named else [Retold(row) for row in touching if row["id"] in facts]
        phrased = [
            row["relation"]
            for row in self.tx.run("forgetting/relations", memory=self.memory)
            if search.wording.said_in(row["relation"])
        ]
        extra = self._associations(relations=phrased) if phrased else []
        going = {row["id"]: row for row in [*touching, *extra]}
        stating = {*facts, *(row["id"] for row in extra)}
        episodes = search.episodes({row["record"] for row in mentions} | set(records), stating, told)
        left = self.tx.one(
            "forgetting/orphans",
            memory=self.memory,
            concepts=[thing.id for thing in things],
            records=[quote.id for quote in episodes],
            associations=list(going),
        )
        orphans = [self.labels.things[id] for id in left["orphans"]]
        implied = self._associations(concepts=left["orphans"]) if orphans else []
        going |= {row["id"]: row for row in implied}
        return DeletionPlan(
            asked=self.request.asked,
            concepts=tuple(things),
            orphans=tuple(orphans),
            facts=tuple(fact_of(row) for row in going.values()),
            implied=_implied(going.values()),
            episodes=tuple(episodes),
            merged=tuple(left["merged"]),
            coincidences=left["coincidences"],
            apart=tuple(t for t in self.labels.namesakes(named) if t not in orphans and t not in things),
            named=tuple(dict.fromkeys([*facts, *(row["id"] for row in extra)])),
            wording=search.wording,
        )

    def _with_owned(self, things: Sequence[ConceptRef]) -> list[ConceptRef]:
        """`things` and what they own by name: "dog of Marta" goes with Marta."""
        found, new = {thing.id: thing for thing in things}, list(things)
        while new:
            rows = self._associations(concepts=[thing.id for thing in new])
            labels = {thing.id: words_of(thing.label) for thing in new}
            owned = {
                row["target_id"]
                for row in rows
                if row["implied"]
                and row["relation"] == "has"
                and words_of(row["target"]).endswith(labels.get(row["source_id"], "\0"))
            }
            new = [self.labels.things[id] for id in sorted(owned - set(found))]
            found |= {thing.id: thing for thing in new}
        return list(found.values())

    def _values_of(self, facts: Sequence[str]) -> list[ConceptRef]:
        """The values that only these facts speak of: a phone number goes with the fact whose it is."""
        rows = self._associations(ids=facts) if facts else []
        values = {row["target_id"] for row in rows if row["target_kind"] == "value"}
        if not values:
            return []
        others = {end for row in self._associations(concepts=sorted(values)) if row["id"] not in facts
                  for end in (row["source_id"], row["target_id"])}  # fmt: skip
        return [self.labels.things[id] for id in sorted(values - others)]


def associations(
    tx: Transaction,
    memory: str,
    *,
    concepts: Sequence[str] = (),
    ids: Sequence[str] = (),
    relations: Sequence[str] = (),
    records: Sequence[str] = (),
) -> list[Row]:
    """The associations of some concepts, of these ids, with these relations, or stated by these records."""
    asked = {"concepts": concepts, "ids": ids, "relations": relations, "records": records}
    return tx.run("forgetting/associations", memory=memory, **{name: list(some) for name, some in asked.items()})


def _implied(rows: Iterable[Row]) -> frozenset[str]:
    return frozenset(row["id"] for row in rows if row["implied"])


def fact_of(row: Row) -> Fact:
    """An association as `forgetting/associations` gives it."""
    return Fact(**{name: row[name] for name in _FACT if name != "records"}, records=tuple(row["records"]))
