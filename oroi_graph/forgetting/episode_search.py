"""Find the episodes about what is to be forgotten: they mention it, contain its names, or restate a fact about it.

"My boss" means the boss of the speaker, "your boss" that of the addressee. A name inside a longer name ("Ana" in
"Ana Ruiz") does not count, nor does a name by which the episode mentions another concept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from oroi_graph.forgetting.concept_lookup import ConceptRef, Labels
from oroi_graph.language import detection
from oroi_graph.language.lexicons.pronouns import is_first_person, possessive
from oroi_graph.language.normalize import label_key
from oroi_graph.language.stemming import content_words
from oroi_graph.language.tokens import PhraseMatcher
from oroi_graph.language.verbalize import stamp
from oroi_graph.storage.store import Row, Transaction

PAGE = 5_000  # records read in one statement
SHOWN = 90  # characters of a quote
_YOURS = {
    "en": ("your",),
    "es": ("tu", "tus", "su", "sus", "vuestro", "vuestra"),
    "pt": ("teu", "tua", "teus", "tuas", "seu", "sua", "seus", "suas", "vosso", "vossa"),
}


@dataclass(frozen=True, slots=True)
class Quote:
    """An episode that would go: when, who, the first words."""

    id: str
    turn_id: str
    turn: int
    role: str
    speaker: str
    at: str
    text: str
    gist: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """What is to be forgotten. things: `named` and what they own; absorbed: what merges made part of `things`.

    mentions: rows of `forgetting/mentions` for both; touching: rows of `forgetting/associations` around `things`.
    """

    named: Sequence[ConceptRef]
    things: Sequence[ConceptRef]
    absorbed: Sequence[ConceptRef]
    mentions: Sequence[Row]
    touching: Sequence[Row]


class EpisodeSearch:
    """The words for what goes, and the episodes that say them."""

    def __init__(self, tx: Transaction, memory: str, labels: Labels, scope: Scope) -> None:
        self.tx, self.memory, self.labels = tx, memory, labels
        things, absorbed, mentions, touching = scope.things, scope.absorbed, scope.mentions, scope.touching
        asked = {thing.id for thing in scope.named}
        spoken = [t for t in [*things, *absorbed] if t.kind != "value" or t.id in asked or _telling(t.label)]
        ids = {thing.id for thing in spoken}
        names = [name for thing in spoken for name in (thing.label, *thing.aliases)]
        names += [row["surface"] for row in mentions if row["concept"] in ids]
        self._taken = {thing.id for thing in [*things, *absorbed]}
        kept = [t for t in self.labels.things.values() if t.id not in self._taken]
        others = [name for thing in kept for name in (thing.label, *thing.aliases)]
        open_names = [name for name in dict.fromkeys(names) if not _local(name)]
        self.wording = PhraseMatcher.of(open_names, others)
        self._mine = PhraseMatcher.of((name for name in names if possessive(name)), others)
        self._yours = PhraseMatcher.of((form for name in names for form in _addressed(name)), others)
        self._owners = {label_key(row["source"]) for row in touching if row["implied"] and row["source_kind"] == "self"}

    def episodes(self, mentioning: set[str], facts: set[str], told: Sequence[Retold]) -> list[Quote]:
        """The records that go: those that mention, say or state what goes, and the replies to them."""
        rows = list(self._all())
        speakers = {row["turn"]: row["speaker"] for row in rows if row["role"] == "user"}
        gone = {row["id"] for row in rows if row["id"] in mentioning or facts.intersection(row["associations"])}
        gone |= {row["id"] for row in rows if any(fact.said_in(row, speakers.get(row["turn"])) for fact in told)}
        saying = [row for row in rows if row["id"] not in gone and self._says(row, speakers)]
        gone |= self._meaning_it(saying, speakers)
        turns = {row["turn"] for row in rows if row["id"] in gone and row["role"] == "user"}
        going = [row for row in rows if row["id"] in gone or (row["turn"] in turns and row["role"] != "user")]
        return [quote_of(row) for row in sorted(going, key=lambda row: (row["turn"], row["role"] != "user", row["id"]))]

    def _all(self) -> Iterable[Row]:
        after = ""
        while page := self.tx.run("forgetting/records", memory=self.memory, after=after, page=PAGE):
            yield from page
            after = page[-1]["id"]

    def _says(self, row: Row, speakers: Mapping[int, str], apart: Sequence[str] = ()) -> bool:
        """Whether a record says it; "my boss" is the boss of who speaks, "your boss" of who is spoken to."""
        texts = (row["text"], row["verbatim"])
        if any(self.wording.said_in(text, apart) for text in texts):
            return True
        own = self._mine if row["role"] == "user" else self._yours
        whose = row["speaker"] if row["role"] == "user" else speakers.get(row["turn"])
        theirs = not self._owners or (whose is not None and label_key(whose) in self._owners)
        return theirs and any(own.said_in(text, apart) for text in texts)

    def _meaning_it(self, saying: Sequence[Row], speakers: Mapping[int, str]) -> set[str]:
        """Those whose words are not explained by something else of the same name that they mention."""
        surfaces: dict[str, list[str]] = {}
        ids = [row["id"] for row in saying]
        for row in self.tx.run("forgetting/mentioned", memory=self.memory, records=ids) if ids else ():
            if row["concept"] not in self._taken:
                surfaces.setdefault(row["record"], []).append(row["surface"])
        return {row["id"] for row in saying if self._says(row, speakers, surfaces.get(row["id"], ()))}


class Retold:
    """A fact as somebody may have said it without its having been read: "So you live in Bilbao, do you?"."""

    def __init__(self, row: Row) -> None:
        self._target, self._source = PhraseMatcher.of([row["target"]]), PhraseMatcher.of([row["source"]])
        self._owner = label_key(row["source"]) if row["source_kind"] == "self" else None
        self._tongue = detection.detect(f"{row['relation']} {row['target']}")
        self._stems = set(content_words(row["relation"], self._tongue))

    def said_in(self, row: Row, user: str | None) -> bool:
        """Whether a record says target and relation of the source, or of `user`, who speaks or is spoken to."""
        texts = [text for text in (row["text"], row["verbatim"]) if self._target.said_in(text)]
        of_user = self._owner is not None and user is not None and label_key(user) == self._owner
        return any(
            (of_user or self._source.said_in(text))
            and (self._stems.issubset(content_words(text, self._tongue)) if self._stems else not of_user)
            for text in texts
        )


def _local(name: str) -> bool:
    """Whether a name means something only in somebody's mouth ("my boss", "I")."""
    return is_first_person(name) or possessive(name) is not None


def _addressed(name: str) -> list[str]:
    """How an assistant says a possession of who it speaks to."""
    found = possessive(name)
    return [f"{word} {found[1]}" for word in _YOURS[found[0]]] if found else []


def _telling(value: str) -> bool:
    """Whether a value is one wherever it stands: a long number, not an age or a year."""
    digits = sum(char.isdigit() for char in value)
    year = digits == 4 and value.strip()[:2] in ("19", "20")
    return digits >= 4 and not year


def quote_of(row: Row) -> Quote:
    """A record as a plan shows it."""
    words = " ".join((row["text"] or row["verbatim"] or "").split())
    shown = words if len(words) <= SHOWN else words[: SHOWN - 1] + "…"
    return Quote(
        row["id"], row["turn_id"], row["turn"], row["role"], row["speaker"], stamp(row["at"]), shown, row["gist"]
    )
