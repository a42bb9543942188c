"""Whether two clauses tell two aspects of one thing: a part and the whole, a plan and what came of it, two times."""

from __future__ import annotations

import re

from oroi_graph.contract.reading.alignment import Alignment, alike, is_year, of_one_kind
from oroi_graph.contract.reading.amounts import Amount
from oroi_graph.contract.reading.clauses import Clause, Name, Word
from oroi_graph.contract.reading.words import Words

_ORDINALS = "ordinal"  # the scale of "first", "second" among words of one kind
_COUNTED = frozenset({"number", "quantity", "money", "percent"})
_LABELS = frozenset({"version", "identifier"})  # "in Ward 3", "in Ward 5"


def two_aspects(match: Alignment, lists: Words) -> bool:
    """Whether what two clauses say may hold at once, because it holds of two aspects: in none of it they conflict."""
    a, b = match.a, match.b
    return (
        _part_of(a, b, lists)
        or _part_of(b, a, lists)
        or _says(a, lists.planned) != _says(b, lists.planned)
        or (bool(match.other_amounts) and _counted_apart(match, lists))
        or _numbered_apart(match)
    )


def _part_of(part: Clause, whole: Clause, lists: Words) -> bool:
    """Whether one clause tells of a part of what the other one tells the same of: "the engine of the van weighs …".

    After a copula the part may be an aspect ("the colour of the door is …"), so there it does not count.
    """
    verbs = _verb(part), _verb(whole)
    if verbs[0] is None or verbs[1] is None or verbs[0].key != verbs[1].key or verbs[0].folded in lists.copulas:
        return False
    subject, other = _subject(part, verbs[0]), _subject(whole, verbs[1])
    place = next((at for at, word in enumerate(subject) if at and _links(word, lists)), None)
    if place is None or not other or any(_links(word, lists) for word in other):
        return False
    head, rest = _telling(subject[:place]), _telling(subject[place:])
    held = _telling(other)
    if not head or not held or any(_same(x, y, lists) for x in head for y in held):
        return False
    return all(any(_same(x, y, lists) for y in rest) for x in held)


def _verb(clause: Clause) -> Word | None:
    """Its verb; if none is known, the last word before its first amount stands for it."""
    if clause.verb >= 0 or not clause.amounts:
        return next((word for word in clause.words if word.start == clause.verb), None)
    before = [word for word in clause.words if word.start < clause.amounts[0].start]
    return before[-1] if before and before[-1].content else None


def _subject(clause: Clause, verb: Word) -> list[Word | Name]:
    before: list[Word | Name] = [*clause.words, *clause.names]
    return sorted((one for one in before if one.start < verb.start), key=lambda one: one.start)


def _links(one: Word | Name, lists: Words) -> bool:
    return isinstance(one, Word) and one.folded in lists.belonging


def _telling(some: list[Word | Name]) -> list[Word | Name]:
    return [one for one in some if isinstance(one, Name) or one.content]


def _same(x: Word | Name, y: Word | Name, lists: Words) -> bool:
    if isinstance(x, Name) or isinstance(y, Name):
        return isinstance(x, Name) and isinstance(y, Name) and x.words == y.words
    return alike(x, y, lists)


def _says(clause: Clause, phrases: re.Pattern[str]) -> bool:
    return phrases.search(" ".join(word.folded for word in clause.words)) is not None


def _counted_apart(match: Alignment, lists: Words) -> bool:
    """Whether two clauses count something at two times or of two things, or one of them tells of another time."""
    times = [pair for pair in match.other_amounts if _dates(*pair)]
    labels = [pair for pair in match.other_amounts if {one.kind for one in pair} <= _LABELS]
    rest = (pair for pair in match.other_amounts if pair not in times and pair not in labels)
    if (times or labels) and any({one.kind for one in pair} <= _COUNTED for pair in rest):
        return True
    return bool(times) and _says(match.a, lists.again) != _says(match.b, lists.again)


def _numbered_apart(match: Alignment) -> bool:
    """Whether two clauses tell of two things in a row, and differ in something else: "won the first set", "the second
    set"."""
    a, b = (
        [w for w in clause.words if any(scale == _ORDINALS for scale, _ in w.siblings)] for clause in (match.a, match.b)
    )
    apart = any(of_one_kind(x, y) for x in a for y in b) and not any(x.siblings & y.siblings for x in a for y in b)
    rest = ([w for w in match.only_a if w not in a], [w for w in match.only_b if w not in b])
    return apart and (all(rest) or bool(match.names_a and match.names_b) or bool(match.other_amounts))


def _dates(x: Amount, y: Amount) -> bool:
    return all(one.kind == "date" or is_year(one) for one in (x, y))
