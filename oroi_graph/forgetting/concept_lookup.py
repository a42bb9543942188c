"""Look up a concept by an exact name: its label, or an alias. No similarity search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from oroi_graph.entities.mentions import Mention
from oroi_graph.language.normalize import label_key
from oroi_graph.language.tokens import words_of
from oroi_graph.storage.store import Row

_KINDS: Mapping[str, tuple[str, ...]] = {
    "value": ("value",),
    "name": ("name", "concept", "value"),
    "concept": ("concept", "name", "value"),
    "self": ("self", "name"),
}


@dataclass(frozen=True, slots=True)
class ConceptRef:
    """A concept by its name."""

    id: str
    label: str
    kind: str
    aliases: tuple[str, ...] = ()


class Labels:
    """Every name of a memory, and how an exact one is looked up."""

    def __init__(self, row: Row) -> None:
        self.things = {r[0]: ConceptRef(r[0], r[2], r[1], tuple(r[4])) for r in row["concepts"]}
        self.keys = {r[0]: r[3] for r in row["concepts"]}
        self.speakers = {label_key(speaker) for speaker in row["speakers"]}
        self._merged = row["merged"]
        self._by_key: dict[str, list[ConceptRef]] = {}
        self._by_alias: dict[str, list[ConceptRef]] = {}
        for thing in self.things.values():
            self._by_key.setdefault(self.keys[thing.id], []).append(thing)
            for alias in thing.aliases:
                self._by_alias.setdefault(label_key(alias), []).append(thing)

    def find(self, readings: Iterable[Mention]) -> ConceptRef | None:
        """The thing that the first reading to be found names: by its key, else by an alias."""
        for mention in readings:
            kinds = _KINDS[mention.kind]
            for named in (self._by_key, self._by_alias if mention.owner is None else {}):
                found = [thing for thing in named.get(mention.key, ()) if thing.kind in (*kinds, "self")]
                if found:
                    return min(found, key=lambda t: (*kinds, "self").index(t.kind))
        return None

    def is_self(self, thing: ConceptRef) -> bool:
        """Whether it is somebody who speaks here."""
        return thing.kind == "self" or self.keys[thing.id] in self.speakers

    def namesakes(self, things: Sequence[ConceptRef]) -> list[ConceptRef]:
        """Others that bear the name of one of `things`, by itself or in a longer one ("Paris (person)")."""
        taken = {thing.id for thing in things}
        keys = {words_of(thing.label) for thing in things}
        others = (thing for thing in self.things.values() if thing.id not in taken)
        return [t for t in others if any(key in words_of(name) for key in keys for name in (t.label, *t.aliases))]

    def speaking_of(self, things: Sequence[ConceptRef]) -> list[ConceptRef]:
        """Concepts whose label says a name among `things`: "trip to Lisbon" is about Lisbon."""
        names = {words_of(name) for thing in things if thing.kind == "name" for name in (thing.label, *thing.aliases)}
        others = (t for t in self.things.values() if t.kind == "concept" and t not in things)
        return [t for t in others if any(name in words_of(t.label) != name for name in names)]

    def absorbed(self, ids: Iterable[str]) -> list[ConceptRef]:
        """What merges made part of some concepts, and of what these had absorbed."""
        whole, found = set(ids), list[ConceptRef]()
        while True:
            new = [row for row in self._merged if row[1] in whole and row[0] not in whole]
            if not new:
                return found
            whole |= {row[0] for row in new}
            found += [ConceptRef(row[0], row[2], "merged", tuple(row[3])) for row in new]
