"""Which words, names and amounts two clauses share, and which stand in one only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import OSA

from oroi_graph.contract.reading.amounts import Amount, date_parts
from oroi_graph.contract.reading.clauses import Clause, Name, Word
from oroi_graph.contract.reading.words import Words
from oroi_graph.entities.label_similarity import grade

Fit = Literal["same", "finer", "apart", "other"]  # finer: one says more precisely what the other says

_CLOSE = 1e-9  # relative: rounding of unit conversion
_ABOUT = 0.1  # relative: how far "about 300" reaches
_DERIVED = 5  # letters of a stem from which a longer one may be derived: "allerg", "allergi"
_SLIP = 7  # letters from which one wrong letter is a slip of the hand
_YEARS = (1900, 2100)


@dataclass(frozen=True, slots=True)
class Alignment:
    """What two clauses share. Of words, only those of content; pairs are (of the first, of the second)."""

    a: Clause
    b: Clause
    shared: tuple[tuple[Word, Word], ...]
    only_a: tuple[Word, ...]
    only_b: tuple[Word, ...]
    same_names: tuple[tuple[Name, Name], ...]
    finer_names: tuple[tuple[Name, Name], ...]
    names_a: tuple[Name, ...]
    names_b: tuple[Name, ...]
    same_amounts: tuple[tuple[Amount, Amount], ...]
    finer_amounts: tuple[tuple[Amount, Amount], ...]
    other_amounts: tuple[tuple[Amount, Amount], ...]  # of one kind and dimension, about the same, with other values
    amounts_a: tuple[Amount, ...]
    amounts_b: tuple[Amount, ...]

    @property
    def overlap(self) -> float:
        """Shared content words, names included, by those of the clause that has fewer; 1 where that has none."""
        a, b = (len(clause.content) + len(clause.names) for clause in (self.a, self.b))
        shared = len(self.shared) + len(self.same_names) + len(self.finer_names)
        return shared / min(a, b) if min(a, b) else 1.0


def align(a: Clause, b: Clause, lists: Words) -> Alignment:
    """Match two clauses word by word, name by name, amount by amount; order does not matter."""
    shared, only_a, only_b = _matched(a.content, b.content, lists)
    same_names, finer_names, names_a, names_b = _names(a.names, b.names, lists)
    same, finer, other, amounts_a, amounts_b = _amounts(a.amounts, b.amounts)
    return Alignment(
        a,
        b,
        shared,
        only_a,
        only_b,
        same_names,
        finer_names,
        names_a,
        names_b,
        same,
        finer,
        other,
        amounts_a,
        amounts_b,
    )


# --- words -----------------------------------------------------------------------------------------------


def alike(x: Word, y: Word, lists: Words) -> bool:
    """Whether two words say the same here: forms, derivations or spellings of one word, or listed as the same."""
    if x.key == y.key:
        return True
    if exclusive(x, y, lists):
        return False
    if x.same & y.same or x.poles & y.poles or x.siblings & y.siblings:
        return True
    if {x.folded, y.folded} & lists.abbreviations.keys():
        shorts = ((x.folded, y.folded), (y.folded, x.folded))
        return any(long in lists.abbreviations.get(short, ()) for short, long in shorts)
    short, long = sorted((x.key, y.key), key=len)
    if len(short) >= _DERIVED and long.startswith(short) and len(long) - len(short) <= 4:
        return True
    return min(len(x.folded), len(y.folded)) >= _SLIP and OSA.distance(x.folded, y.folded) == 1


def interchangeable(x: Word, y: Word) -> bool:
    """Whether two words that are alike may stand for one another without loss: one word, its plural, forms of one
    verb, or listed synonyms. Stems alone do not tell ("universe", "university"; "hijo", "hija")."""
    if x.folded == y.folded or x.same & y.same or (x.lemma and x.lemma == y.lemma):
        return True
    short, long = sorted((x.folded, y.folded), key=len)
    return long in (f"{short}s", f"{short}es")


def exclusive(x: Word, y: Word, lists: Words) -> bool:
    """Whether two words are opposites: two poles of a scale, antonyms, or one is the other with a negating prefix."""
    if x.poles & y.poles or x.key == y.key:
        return False
    if {scale for scale, _ in x.poles} & {scale for scale, _ in y.poles}:
        return True
    if y.folded in lists.antonyms.get(x.folded, ()) or y.key in lists.antonyms.get(x.key, ()):
        return True
    return _negated(x, y, lists) or _negated(y, x, lists)


def of_one_kind(x: Word, y: Word) -> bool:
    """Whether two words are two different things of one kind: two colours, two days of the week."""
    if x.siblings & y.siblings or x.key == y.key:
        return False
    return bool({scale for scale, _ in x.siblings} & {scale for scale, _ in y.siblings})


def _negated(x: Word, y: Word, lists: Words) -> bool:
    """Whether `x` is `y` behind a prefix of negation ("insoluble", "desligado")."""
    bases = {y.folded, y.key}
    for form in (x.folded, x.key):
        for prefix in lists.prefixes:
            rest = form.removeprefix(prefix).removeprefix("-")
            if rest != form and len(rest) >= 4 and rest in bases and rest not in lists.no_opposites:
                return True
    return False


def _matched(
    a: Sequence[Word], b: Sequence[Word], lists: Words
) -> tuple[tuple[tuple[Word, Word], ...], tuple[Word, ...], tuple[Word, ...]]:
    """Equal keys first, then what is alike."""
    left, shared, rest = list(b), [], []
    for x in a:
        same = next((y for y in left if y.key == x.key), None)
        if same is None:
            rest.append(x)
        else:
            left.remove(same)
            shared.append((x, same))
    only = []
    for x in rest:
        near = next((y for y in left if alike(x, y, lists)), None)
        if near is None:
            only.append(x)
        else:
            left.remove(near)
            shared.append((x, near))
    return tuple(shared), tuple(only), tuple(left)


# --- names -----------------------------------------------------------------------------------------------


def name_fit(x: Name, y: Name, lists: Words) -> Fit:
    """Whether two names are one, one is the other said more fully, or they are two."""
    if x.words == y.words or _spelled_out(x.words, y.words, lists) or _spelled_out(y.words, x.words, lists):
        return "same"
    shorter, longer = sorted((x.words, y.words), key=len)
    if set(shorter) < set(longer) or _initials(shorter, longer) or _acronym(shorter, longer):
        return "finer"
    found = grade(" ".join(x.words), " ".join(y.words), "name", 0.0)
    return "finer" if found is not None and found.grade == "automatic" else "apart"


def _spelled_out(short: tuple[str, ...], long: tuple[str, ...], lists: Words) -> bool:
    said, full = " ".join(short), " ".join(long)
    if full in {
        " ".join(w for w in listed.split() if w not in ("of", "de", "da"))
        for listed in lists.abbreviations.get(said, ())
    }:
        return True
    return full in lists.abbreviations.get(said, ())


def _initials(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """ "J. Smith", "John Smith"."""
    return len(short) == len(long) > 1 and all(
        x == y or (min(len(x), len(y)) == 1 and x[0] == y[0]) for x, y in zip(short, long, strict=True)
    )


def _acronym(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """ "WHO", "World Health Organization"."""
    return len(short) == 1 and len(long) > 1 and short[0] == "".join(word[0] for word in long)


_NameMatch = tuple[tuple[tuple[Name, Name], ...], tuple[tuple[Name, Name], ...], tuple[Name, ...], tuple[Name, ...]]


def _names(a: Sequence[Name], b: Sequence[Name], lists: Words) -> _NameMatch:
    """The same names, those said more fully, and those of one side."""
    if a and sorted(w for n in a for w in n.words) == sorted(w for n in b for w in n.words) and len(a) != len(b):
        return ((a[0], b[0]),), (), (), ()  # a comma between the parts of one name
    pairs: dict[str, list[tuple[Name, Name]]] = {"same": [], "finer": []}
    rest, left = list(a), list(b)
    for wanted in ("same", "finer"):
        for x in list(rest):
            found = next((y for y in left if name_fit(x, y, lists) == wanted), None)
            if found is not None:
                rest.remove(x)
                left.remove(found)
                pairs[wanted].append((x, found))
    return tuple(pairs["same"]), tuple(pairs["finer"]), tuple(rest), tuple(left)


# --- amounts ---------------------------------------------------------------------------------------------


def amount_fit(x: Amount, y: Amount) -> Fit:
    """What two amounts are to each other; "other" for two that cannot be compared."""
    x, y = _as_date(x, y), _as_date(y, x)
    kinds = {x.kind, y.kind}
    if kinds == {"version"} or (kinds == {"version", "number"} and not x.nouns and not y.nouns):
        return _version_fit(*(amount.text or f"{amount.low:g}" for amount in (x, y)))
    if kinds == {"identifier"}:
        return "same" if x.text == y.text else "apart"
    if kinds == {"date"}:
        return _date_fit(x.text, y.text)
    if x.kind != y.kind and kinds != {"number", "percent"}:
        return "other"
    if x.kind != y.kind:
        share, percent = (x, y) if x.kind == "number" else (y, x)
        return "same" if _close(share.low * 100, percent.low) and not share.nouns else "other"
    if x.unit != y.unit:
        return "apart" if x.kind == "money" else "other"
    if x.kind == "number" and x.nouns and y.nouns and not x.nouns & y.nouns:
        return "other"
    return _interval_fit(x, y)


def is_year(x: Amount) -> bool:
    """Whether a number may be a year: a whole one of the last century, this one or the next."""
    return x.kind == "number" and x.low == x.high and x.low.is_integer() and _YEARS[0] <= x.low < _YEARS[1]


def _as_date(x: Amount, y: Amount) -> Amount:
    """A bare year beside a date is one."""
    if not is_year(x) or y.kind != "date":
        return x
    return Amount(kind="date", start=x.start, end=x.end, text=f"{int(x.low)}")


def _version_fit(x: str, y: str) -> Fit:
    if x == y:
        return "same"
    short, long = sorted((x, y), key=len)
    return "finer" if long.startswith(f"{short}.") else "apart"


def _date_fit(x: str, y: str) -> Fit:
    if x == y:
        return "same"
    a, b = date_parts(x), date_parts(y)
    if a is None or b is None:
        ends = next((text.split("/") for text in (x, y) if "/" in text), [])
        day = y if a is None else x
        return "finer" if len(ends) == 2 and "/" not in day and ends[0] <= day <= ends[1] else "apart"
    differ = any(i is not None and j is not None and i != j for i, j in zip(a, b, strict=True))
    common = any(i is not None and j is not None for i, j in zip(a, b, strict=True))
    return "apart" if differ else "finer" if common else "other"


def _interval_fit(x: Amount, y: Amount) -> Fit:
    equal = _close(x.low, y.low) and _close(x.high, y.high)
    if equal and x.bound == y.bound:
        return "same"
    if "about" in (x.bound, y.bound) and {x.bound, y.bound} <= {"", "about"}:
        return "finer" if equal or abs(x.low - y.low) <= _ABOUT * max(abs(x.low), abs(y.low)) else "apart"
    if x.bound == y.bound and x.bound != "range":
        return "apart"
    (a, b), (c, d) = _ends(x), _ends(y)
    if max(a, c) > min(b, d) and not _close(max(a, c), min(b, d)):
        return "apart"
    within = (a <= c and d <= b) or (c <= a and b <= d)
    return "finer" if within or {"min", "max"} & {x.bound, y.bound} else "apart"


def _ends(x: Amount) -> tuple[float, float]:
    if x.bound == "min":
        return x.low, float("inf")
    if x.bound == "max":
        return float("-inf"), x.high
    return x.low, x.high


def _close(x: float, y: float) -> bool:
    return abs(x - y) <= _CLOSE * max(1e-12, abs(x), abs(y))


_AmountMatch = tuple[
    tuple[tuple[Amount, Amount], ...],
    tuple[tuple[Amount, Amount], ...],
    tuple[tuple[Amount, Amount], ...],
    tuple[Amount, ...],
    tuple[Amount, ...],
]


def _amounts(a: Sequence[Amount], b: Sequence[Amount]) -> _AmountMatch:
    """Pairs by fit; amounts of one dimension that differ are a pair where nothing says that they measure two things."""
    pairs: dict[str, list[tuple[Amount, Amount]]] = {"same": [], "finer": [], "apart": []}
    rest, left = list(a), list(b)
    for wanted in ("same", "finer", "apart"):
        for x in list(rest):
            fits = [y for y in left if amount_fit(x, y) == wanted and (wanted != "apart" or not _other_things(x, y))]
            if fits:
                best = max(fits, key=lambda y: (x.before == y.before, bool(x.nouns & y.nouns), -y.start))
                rest.remove(x)
                left.remove(best)
                pairs[wanted].append((x, best))
    return tuple(pairs["same"]), tuple(pairs["finer"]), tuple(pairs["apart"]), tuple(rest), tuple(left)


def _other_things(x: Amount, y: Amount) -> bool:
    """Whether the words behind two quantities say that they measure different things ("64 GB of memory", "of disk")."""
    return bool(x.nouns and y.nouns and not x.nouns & y.nouns)
