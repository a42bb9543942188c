"""The profile of somebody or something: what is surely known by theme, then what was said last.

"What do you know about me?" names no slot, so no path and no likeness decides what answers it: the strongest facts do,
and the newest records. `Memory.profile` and questions of this form, "who is Jon?" among them (`lexicons/texts.toml`,
profiles and introductions), read the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from oroi_graph.language.detection import Language, detect
from oroi_graph.language.lexicons.tables import pattern, table, tables
from oroi_graph.language.relations import THEMES, theme
from oroi_graph.model import Brief, Fact, RecordHit, Value
from oroi_graph.recall.brief import whose
from oroi_graph.recall.entity_linking import Cue
from oroi_graph.recall.ranking.kept_texts import tells_nothing
from oroi_graph.recall_options import Selection
from oroi_graph.storage.store import Transaction
from oroi_graph.working_set.candidates import Candidate

_NAMING = ("exact", "alias", "rescue", "part", "literal")  # cues of what is named, not only resembled


@dataclass(frozen=True, slots=True)
class Profile(Value):
    """What a memory knows about one thing.

    about: its name. themes: {theme: facts}, the strongest first; without themes of which nothing is known. said: the
    newest records about it, or by it if it is somebody who speaks here. brief: the same as text for a model.
    """

    about: str
    themes: dict[str, tuple[Fact, ...]]
    said: tuple[RecordHit, ...]
    brief: Brief

    def __bool__(self) -> bool:
        return bool(self.themes or self.said)

    def to_json(self) -> dict[str, object]:
        """A JSON-serialisable object."""
        return Value.to_json(self) | {"brief": self.brief.to_json()}


def asked_about(question: str) -> str | None:
    """What a question asks to tell everything about, None if it does not.

    "me" in "What do you know about me?", "Jon" in "Who is Jon?": who asks that asks for no slot, either.
    """
    found = next(filter(None, (asking.match(question.strip()) for asking in _asking())), None)
    return found["about"].strip() if found else None


def by_theme(facts: Sequence[Fact]) -> dict[str, tuple[Fact, ...]]:
    """The facts under their themes, in the order of themes; under one theme in their own order."""
    told = {name: tuple(fact for fact in facts if theme(fact.relation) == name) for name in (*THEMES, "other")}
    return {name: some for name, some in told.items() if some}


def known(
    tx: Transaction,
    memory: str,
    cues: Sequence[Cue],
    selection: Selection,
    admitted: Callable[[Candidate], bool] | None = None,
) -> tuple[list[Fact], list[RecordHit]]:
    """The sure current facts about what the cues name, by theme, and the newest records; none where nothing is named.

    admitted: whether a record passes the caller's filters, None if there are none. With it facts are those that
    such records state.
    """
    named = [cue for cue in cues if cue.kind == "self" or cue.method in _NAMING]
    if not named:
        return [], []
    row = tx.one(
        "recall/profile",
        memory=memory,
        concepts=[cue.concept_id for cue in named],
        speakers=[cue.label for cue in named if cue.kind == "self"],
        sure=selection.sure_fact,
        facts=selection.profile_facts,
        records=selection.profile_searched if admitted else selection.profile_records,
    )
    facts = [Fact(**{**fact, "records": tuple(fact["records"])}) for fact in row["facts"]]
    told = [one for one in _said(row["records"]) if admitted is None or admitted(one)]
    if admitted:
        stated = {one.id for one in told}
        facts = [fact for fact in facts if not stated.isdisjoint(fact.records)]
    # "Ana's sister is Leire" and "Leire is Ana's sister" are one fact to whoever reads it; the strongest stands first.
    facts = list({whose(fact): fact for fact in reversed(facts)}.values())[::-1]
    tells = [one for one in told if not tells_nothing(one.text)]
    newest = sorted(tells, key=lambda one: (-one.turn, one.id))[: selection.profile_records]
    return [fact for some in by_theme(facts).values() for fact in some], [one.hit(0.0, {}) for one in newest]


def spoken(said: Sequence[RecordHit]) -> Language | None:
    """The language of what was said last, None if nothing was: in it facts are told whose words are of several."""
    return detect(" ".join(record.text for record in said)) if said else None


def _said(rows: Sequence[Sequence[Any]]) -> list[Candidate]:
    """Records as `recall/profile` returns them, without what lacks words, or who said it."""
    return [Candidate(*row) for row in rows if row[7] is not None and None not in row[:5]]


@cache
def _asking() -> tuple[re.Pattern[str], ...]:
    forms = (table(tables("texts"), name) for name in ("profiles", "introductions"))
    return tuple(re.compile(pattern(rows, language), re.IGNORECASE) for rows in forms for language in rows)
