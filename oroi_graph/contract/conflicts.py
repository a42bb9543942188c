"""Whether two clauses exclude one another: one denies what the other says, or puts another value in its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from oroi_graph.contract.aspects import two_aspects
from oroi_graph.contract.reading.alignment import Alignment, align, alike, exclusive, of_one_kind
from oroi_graph.contract.reading.amounts import Amount
from oroi_graph.contract.reading.clauses import Clause, Name, Negation, Reading, Word
from oroi_graph.contract.reading.words import Words

_RESEMBLING = 0.5  # overlap from which two clauses are about the same
_DENIED = 0.6  # share of what a negation denies that the other clause must say


@dataclass(frozen=True, slots=True)
class Findings:
    """What two values hold against each other, and what of it turned out to be the same after all.

    conflicts: in words, the first one found first. settled: words that look opposite to one another and agree,
    because one of them is denied ("not enabled", "disabled").
    """

    conflicts: tuple[str, ...]
    agreed: bool  # every negation of one value has its counterpart in the other
    settled: frozenset[Word] = frozenset()


def find(new: Reading, old: Reading, several: bool | None, close: bool = False) -> Findings:
    """What two readings in one language hold against each other.

    several: whether the key takes several values. close: whether their vectors say that they are about the same.
    """
    conflicts: list[str] = []
    agreed = True
    settled: set[Word] = set()
    for a, b in _pairs(new, old):
        clauses = _Clauses(align(a, b, new.lists), new.lists, several, close)
        found, balanced = clauses.conflicts()
        conflicts += found
        agreed = agreed and balanced
        settled |= {word for pair in clauses.opposed for word in pair} if clauses.turned else set()
    conflicts += _denied_names(new, old) + _denied_names(old, new)
    return Findings(tuple(conflicts), agreed, frozenset(settled))


def _pairs(new: Reading, old: Reading) -> Iterator[tuple[Clause, Clause]]:
    """Each clause of the shorter value with the one of the other that shares most with it; all of one by one."""
    few, many = sorted((new.clauses, old.clauses), key=len)
    for a in few:
        best = max(many, key=lambda b: _shared(a, b))
        if len(many) == 1 or _shared(a, best):
            yield (a, best) if few is new.clauses else (best, a)


def _shared(a: Clause, b: Clause) -> float:
    """How much two clauses share, names counting double."""
    names = len({w for n in a.names for w in n.words} & {w for n in b.names for w in n.words})
    keys = {word.key for word in a.content} & {word.key for word in b.content}
    amounts = bool(a.amounts and b.amounts)
    return len(keys) + 2 * names + 0.5 * amounts + 0.1 / (1 + len(b.words))


def _denied_names(one: Reading, other: Reading) -> list[str]:
    """Names that a clause of one value denies ("…, not REST") and the other one says."""
    denied = {name.words for clause in one.clauses for negation in clause.negations for name in negation.names}
    also = {name.words for clause in other.clauses for negation in clause.negations for name in negation.names}
    said = {name.words for name in other.whole.names} - also
    shared = _topical(one) & _topical(other)
    return [f"one denies {' '.join(name).title()}, the other says it" for name in sorted(denied & said) if shared]


def _topical(reading: Reading) -> set[str]:
    """Keys of the words of content and of all verbs."""
    return {word.key for word in reading.whole.words if word.content or word.verb}


class _Clauses:
    """Two aligned clauses."""

    def __init__(self, match: Alignment, lists: Words, several: bool | None, close: bool = False) -> None:
        self.m, self.lists, self.several, self.close = match, lists, several, close
        self.turned = False  # whether one clause denies the opposite of what the other says
        self.opposed = [
            (x, y)
            for x in self._telling(match.a, match.only_a)
            for y in self._telling(match.b, match.only_b)
            if exclusive(x, y, lists)
        ]

    def conflicts(self) -> tuple[list[str], bool]:
        """The conflicts found, and whether all negations are balanced."""
        left_a, left_b = self._unbalanced()
        turned = self.turned = self._turned(left_a, left_b)
        agreed = (not left_a and not left_b) or turned
        found: list[str] = []
        if self._about_different_things():
            return found, agreed
        found += [] if turned else self._denied(left_a, left_b)
        found += [] if turned or left_a or left_b else self._opposites()
        found += self._amounts()
        if not left_a and not left_b:
            found += self._names() + self._kinds() + self._exclusive_words() + self._swapped()
        return found, agreed

    # --- what is about the same ---

    def _about_different_things(self) -> bool:
        """Whether the clauses speak of two things, or of one under two circumstances."""
        m = self.m
        two = m.a.verb >= 0 and m.b.verb >= 0 and self._two_subjects()
        return two or self._two_places() or two_aspects(m, self.lists)

    def _two_subjects(self) -> bool:
        """Whether each clause names something in its subject that the other one does not."""
        m = self.m
        names = [n for n in m.names_a if n.start < m.a.verb], [n for n in m.names_b if n.start < m.b.verb]
        if all(names):
            elsewhere = len(m.names_a) > len(names[0]) or len(m.names_b) > len(names[1])
            holder = bool(m.a.link & m.b.link & self.lists.holders)
            return bool(m.other_amounts or m.only_a or m.only_b) or elsewhere or not holder
        if any(_labels(x, m.a) and _labels(y, m.b) for x, y in m.other_amounts):
            return True
        counted = self.lists.negators | self.lists.every  # "none of them", "all of them"
        if any(x.start < m.a.verb and y.start < m.b.verb and x.folded not in counted for x, y in self.opposed):
            return True
        kinds = any(x.start < m.a.verb and y.start < m.b.verb for x, y in self._kind_pairs())
        if kinds and any(w.start > m.a.verb for w in m.only_a) and any(w.start > m.b.verb for w in m.only_b):
            return True  # "the first floor is rented", "the second floor is empty"
        subjects = [w for w in m.only_a if w.start < m.a.verb], [w for w in m.only_b if w.start < m.b.verb]
        if not all(subjects) or self._other_head(*subjects):
            return False
        return not any(x.folded in self.lists.negators for x in (*m.a.words, *m.b.words) if x.start < m.a.verb)

    def _other_head(self, a: list[Word], b: list[Word]) -> bool:
        """Whether two subjects share their modifiers and differ in their noun alone ("upload size", "upload limit")."""
        same = [x for x, y in self.m.shared if x.start < self.m.a.verb and y.start < self.m.b.verb]
        place = -1 if self.lists.language == "en" else 0
        heads = all(
            only == [[word for word in clause.content if word.start < clause.verb][place]]
            for only, clause in ((a, self.m.a), (b, self.m.b))
        )
        return len(same) >= 2 and heads

    def _two_places(self) -> bool:
        """Whether the clauses differ in two respects: what holds on Mondays says nothing about Sundays."""
        m = self.m
        nouns = [w for w in m.only_a if self._plain(w, m.a)], [w for w in m.only_b if self._plain(w, m.b)]
        if m.other_amounts and (all(nouns) or self._two_events()):
            return True
        kinds = len({scale for x, y in self._kind_pairs() for scale in _scales(x) & _scales(y)})
        named = bool(m.names_a and m.names_b)
        numbered = bool(m.other_amounts)
        if named and numbered:  # "PostgreSQL 15": a number that belongs to a name
            numbered = not any(x.start == name.end + 1 for x, _ in m.other_amounts for name in m.names_a)
        opposed = any(not of_one_kind(x, y) for x, y in self.opposed)
        if opposed and (named or numbered or kinds):
            return True
        return kinds + named + numbered >= 2 and not self._exclusive

    def _two_events(self) -> bool:
        """Whether an amount or date belongs to one verb here and to another one there: "founded in", "renovated in"."""
        m = self.m
        if self.close or all(x.kind == "time" for x, _ in m.other_amounts):
            return False
        verbs = [w for w in m.only_a if w.verb], [w for w in m.only_b if w.verb]
        return all(verbs) and not any(w in pair for w in (*verbs[0], *verbs[1]) for pair in self.opposed)

    def _plain(self, word: Word, clause: Clause) -> bool:
        """Whether a word is outside the subject, no verb, and not opposed to one of the other clause."""
        return word.start > clause.verb and not word.verb and not any(word in pair for pair in self.opposed)

    def _resembling(self, leaving_out: int = 0) -> bool:
        """Whether the clauses share enough, the words in question aside."""
        m = self.m
        sizes = [len(c.content) + len(c.names) - leaving_out for c in (m.a, m.b)]
        if min(sizes) <= 0:
            return True
        shared = len(m.shared) + len(m.same_names) + len(m.finer_names)
        return shared / min(sizes) >= _RESEMBLING

    # --- negation ---

    def _unbalanced(self) -> tuple[list[Negation], list[Negation]]:
        """The negations of each clause without a counterpart that denies the same in the other."""
        left = list(self.m.b.negations)
        rest = []
        for negation in self.m.a.negations:
            same = next((other for other in left if self._same_scope(negation, other)), None)
            if same is None:
                rest.append(negation)
            else:
                left.remove(same)
        return self._once(rest, self.m.a), self._once(left, self.m.b)

    def _once(self, left: list[Negation], clause: Clause) -> list[Negation]:
        """Of negations that say one thing together ("no tiene ninguna alergia"), one."""
        if self.lists.language == "en" or not left:
            return left
        if len(left) == len(clause.negations):
            return left[:1]
        return [negation for negation in left if negation.existential and not self._covered(negation, clause)]

    def _covered(self, negation: Negation, clause: Clause) -> bool:
        """Whether another negation of the clause denies the same words."""
        scope = {word.key for word in negation.scope}
        return any(other is not negation and scope <= {w.key for w in other.scope} for other in clause.negations)

    def _same_scope(self, x: Negation, y: Negation) -> bool:
        if not x.scope or not y.scope:
            return x.scope == y.scope
        short, long = sorted((x.scope, y.scope), key=len)
        said = sum(any(alike(word, other, self.lists) for other in long) for word in short)
        return said / len(short) >= _RESEMBLING

    def _turned(self, left_a: list[Negation], left_b: list[Negation]) -> bool:
        """Whether one clause denies the opposite of what the other says ("not enabled", "disabled")."""
        for x, y in self.opposed:
            denied_a = any(x in negation.scope for negation in left_a)
            denied_b = any(y in negation.scope for negation in left_b)
            if denied_a != denied_b:
                return True
        return False

    def _denied(self, left_a: list[Negation], left_b: list[Negation]) -> list[str]:
        """What one clause denies and the other says."""
        m = self.m
        if left_a and left_b:
            return []
        return [
            f"one denies {_quoted(negation.scope)}, the other says it"
            for negations, other in ((left_a, m.b), (left_b, m.a))
            for negation in negations
            if self._says(other, negation)
        ]

    def _says(self, clause: Clause, negation: Negation) -> bool:
        """Whether a clause says what a negation of the other one denies."""
        if self.m.names_a and self.m.names_b:
            return False
        if negation.names:
            return False
        if not negation.scope:
            return bool(self.m.shared) and self._resembling()
        words = [*clause.content, *self._telling(clause, clause.words)]
        said = [any(alike(word, other, self.lists) for other in words) for word in negation.scope]
        if negation.existential and said[-1]:
            return True
        if sum(said) / len(said) >= _DENIED:
            return True
        return negation.existential and self._resembling() and len(self.m.shared) >= 2 and bool(clause.amounts)

    # --- opposites ---

    def _telling(self, clause: Clause, words: tuple[Word, ...]) -> list[Word]:
        """Words that may be opposed: of content, or function words on a scale ("on", "más") of one clause only."""
        other = self.m.b if clause is self.m.a else self.m.a
        marks = [w for w in clause.words if not w.content and w.poles and w.key not in other.link]
        return [*words, *(w for w in marks if w not in words)]

    def _opposites(self) -> list[str]:
        if self._turned_around and len(self.opposed) == 1:
            return []  # "Leo is older than Mia", "Mia is younger than Leo"
        return [
            f"{x.text!r} and {y.text!r} exclude one another"
            for x, y in self.opposed
            if self._resembling(leaving_out=1) and (self.m.shared or self._bare_but(x, y))
        ]

    def _bare_but(self, x: Word, y: Word) -> bool:
        """Whether two clauses say nothing but two words, one of them at least."""
        m = self.m
        rest = [w for w in m.only_a if w is not x], [w for w in m.only_b if w is not y]
        return not all(rest)

    # --- amounts ---

    def _amounts(self) -> list[str]:
        m = self.m
        if not self._resembling():
            return []
        if self.several and (m.a.bare or m.b.bare or len(m.shared) + len(m.same_names) < 2):
            return []
        if m.other_amounts:
            x, y = m.other_amounts[0]
            return [f"two values of one kind ({x.kind}) differ"]
        bare = not m.only_a and not m.only_b and not m.names_a and not m.names_b
        if bare and len(m.amounts_a) == len(m.amounts_b) == 1 and (m.shared or m.same_amounts):
            x, y = m.amounts_a[0], m.amounts_b[0]
            if {x.kind, y.kind} <= {"quantity", "number", "money"} and not (x.nouns and y.nouns):
                return ["the units of two quantities differ"]
        return []

    # --- names, words of one kind, words of which there is one ---

    def _additive(self, x: Name | Word, y: Name | Word) -> bool:
        """Whether a word before either says that other things may stand beside it ("likes", "speaks")."""
        if self.several:
            return True
        if {word.folded for word in (*self.m.a.words, *self.m.b.words)} & self.lists.only:
            return False
        before = [w for w in self.m.a.words if w.start < x.start] + [w for w in self.m.b.words if w.start < y.start]
        return any(word.folded in self.lists.additive for word in before)

    def _names(self) -> list[str]:
        m = self.m
        if not m.names_a or not m.names_b or not self._resembling(leaving_out=1):
            return []
        if self._additive(m.names_a[0], m.names_b[0]):
            return []
        if (m.only_a and m.only_b and not self._exclusive) or m.a.bare != m.b.bare:
            return []
        x, y = m.names_a[0], m.names_b[0]
        return [f"two names differ: {_title(x)} and {_title(y)}"]

    def _kinds(self) -> list[str]:
        if not self._resembling(leaving_out=1):
            return []
        return [
            f"{x.text!r} and {y.text!r} are two of one kind"
            for x, y in self._kind_pairs()
            if (self.m.shared or self.m.same_names or self._bare_but(x, y)) and not self._additive(x, y)
        ]

    def _kind_pairs(self) -> list[tuple[Word, Word]]:
        """Two words of one kind, each of which one clause only says."""
        a, b = self.m.a, self.m.b
        return [(x, y) for x in _kind_words(a, b) for y in _kind_words(b, a) if of_one_kind(x, y)]

    @property
    def _exclusive(self) -> bool:
        """Whether both clauses have a word of which there is one at a time."""
        said = {word.folded for word in (*self.m.a.words, *self.m.b.words)}
        return bool(self.m.a.link & self.m.b.link & self.lists.exclusive or said & self.lists.only)

    def _exclusive_words(self) -> list[str]:
        m = self.m
        if not self._exclusive or m.amounts_a or m.amounts_b:
            return []
        said = {word.folded for word in (*m.a.words, *m.b.words)}
        if said & self.lists.only and m.shared and (m.only_a or m.names_a) and (m.only_b or m.names_b):
            return ["one says that there is nothing but what it names"]
        if not m.only_a or not m.only_b or not m.shared or len(m.only_a) > 2 or len(m.only_b) > 2:
            return []
        if any(w.verb for w in m.only_a) and any(w.verb for w in m.only_b):
            return []
        if self._additive(m.only_a[0], m.only_b[0]):
            return []
        return [f"{_quoted(m.only_a)} and {_quoted(m.only_b)} stand where there is one value at a time"]

    @property
    def _turned_around(self) -> bool:
        """Whether two names of both clauses stand in another order."""
        ordered = sorted(self.m.same_names, key=lambda pair: pair[0].start)
        places = [y.start for _, y in ordered]
        return places != sorted(places)

    def _swapped(self) -> list[str]:
        """Two names that changed places around words of direction: "from Leeds to Hull", "from Hull to Leeds"."""
        m = self.m
        if not self._turned_around or m.only_a or m.only_b:
            return []
        ordered = sorted(m.same_names, key=lambda pair: pair[0].start)
        first, last = ordered[0][0].start, ordered[-1][0].start
        said = {word.folded for word in m.a.words}
        listed = {word.folded for word in m.a.words if first < word.start < last} & self.lists.conjunctions
        return ["two names changed places"] if said & self.lists.directions and not listed else []


def _kind_words(clause: Clause, other: Clause) -> list[Word]:
    """Words of a kind (colours, days) that the other clause does not say."""
    return [w for w in clause.words if w.siblings and not any(w.siblings & o.siblings for o in other.words)]


def _scales(word: Word) -> set[str]:
    return {scale for scale, _ in word.siblings}


def _labels(amount: Amount, clause: Clause) -> bool:
    """Whether a number names the subject ("invoice 1001 was paid") rather than counting or measuring."""
    counts = bool(amount.nouns) and clause.verb != amount.end + 1  # not "line 3 uses robots"
    bare = amount.kind in ("identifier", "version", "date") or (amount.kind == "number" and not counts)
    of_name = any(amount.start == name.end + 1 for name in clause.names)  # "Python 3.12"
    dotted = "." in amount.text if amount.kind == "version" else not amount.low.is_integer()
    return bare and amount.start < clause.verb and bool(amount.before) and not of_name and not dotted


def _quoted(words: tuple[Word, ...]) -> str:
    return repr(" ".join(word.text for word in words))


def _title(name: Name) -> str:
    return " ".join(name.words).title()
