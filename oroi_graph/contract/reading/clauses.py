"""A value as clauses: its words, names, negations and amounts, each where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from oroi_graph.contract.reading.amounts import Amount, find_amounts
from oroi_graph.contract.reading.text import readable
from oroi_graph.contract.reading.words import Pole, Words, key, poles, words_of
from oroi_graph.language.detection import Language
from oroi_graph.language.lexicons.tables import common_words
from oroi_graph.language.normalize import fold
from oroi_graph.language.sentences import spans
from oroi_graph.language.verbs.forms import verb

_TOKEN = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_CUT = re.compile(r"[;\n]|(?<=[^\d\s]), (?=(?:not|no|não|sino|but|pero|mas)\b)", re.IGNORECASE)
_CLITIC = re.compile(r"(?<=\w\w)-(?:me|te|se|nos|vos|lhes?|[ln]?[oa]s?)\Z", re.IGNORECASE)
_LINK = re.compile(r"[ -](?:(?:de|da|do|dos|das|del|de la|de los|of|of the|van|von|di|la|le) )?")
_PLAIN = frozenset(" \x1f.,;:!?¡¿'\"()[]{}-/_&%…·•")  # says nothing by itself
_MOST_SCOPE = 6  # content words that one negation denies


@dataclass(frozen=True, slots=True)
class Word:
    """A word that is no part of an amount. key: what it is compared by. content: carries the topic."""

    text: str
    folded: str
    key: str
    start: int
    content: bool
    poles: frozenset[Pole]
    siblings: frozenset[Pole]
    same: frozenset[int]
    lemma: str  # of a verb form, else ""

    @property
    def verb(self) -> bool:
        """Whether it is a form of a known verb."""
        return bool(self.lemma)

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Name:
    """A proper name: its folded words without titles and links, and its place in the text."""

    words: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Negation:
    """scope: the words that it denies, as they stand. existential: denies a thing ("no pets"), not a statement."""

    scope: tuple[Word, ...]
    existential: bool
    names: tuple[Name, ...] = ()  # right behind it: "not at Globex"


@dataclass(frozen=True, slots=True)
class Clause:
    """Words, names, negations and amounts in order. verb: where its first verb or colon stands, -1 without one."""

    words: tuple[Word, ...]
    names: tuple[Name, ...]
    negations: tuple[Negation, ...]
    amounts: tuple[Amount, ...]
    verb: int
    link: frozenset[str] = field(default=frozenset())  # keys of all words, function words included

    @property
    def content(self) -> tuple[Word, ...]:
        """The words that carry the topic."""
        return tuple(word for word in self.words if word.content)

    @property
    def bare(self) -> bool:
        """Whether nothing but names, amounts and function words is said."""
        return not self.content


@dataclass(frozen=True, slots=True)
class Reading:
    """A value: all of it as one clause, and its clauses one by one. signs: the characters in order that are neither in
    an amount nor letters, blanks or plain punctuation ("C++", "A+", emoji)."""

    text: str
    signs: str
    lists: Words
    whole: Clause
    clauses: tuple[Clause, ...]


@lru_cache(4096)  # one new value is compared with every current one of its key
def read(value: str, language: Language, about: frozenset[str] = frozenset()) -> Reading:
    """Read a value in a language. about: keys of the field's own words, which carry nothing in its values."""
    lists = words_of(language)
    text = readable(value)
    amounts = find_amounts(text, lists)
    masked = text
    for amount in amounts:
        masked = masked[: amount.start] + "\x1f" * (amount.end - amount.start) + masked[amount.end :]
    names, inside = _names(masked, lists)
    tokens = [m for m in _TOKEN.finditer(masked) if m.start() not in inside]
    words = [_word(m.group(), m.start(), lists, about) for token in tokens for m in _parts(token, lists)]
    pieces = _pieces(text, lists)
    clauses = tuple(_clause(words, names, amounts, masked, piece, lists) for piece in pieces)
    whole = _clause(words, names, amounts, masked, (0, len(text)), lists)
    signs = "".join(char for char in masked if not char.isalpha() and char not in _PLAIN)
    return Reading(text, signs, lists, whole, clauses if len(clauses) > 1 else (whole,))


class _Part:
    """A part of a hyphenated word."""

    def __init__(self, said: str, at: int) -> None:
        self._said, self._at = said, at

    def group(self) -> str:
        return self._said

    def start(self) -> int:
        return self._at


def _parts(token: re.Match[str], lists: Words) -> list[_Part]:
    """A token, or the parts of one whose first part negates ("non-smoker"); without a genitive."""
    said = re.sub(r"'s?$", "", token.group())
    if lists.language == "pt":
        said = _CLITIC.sub("", said)
    head, hyphen, rest = said.partition("-")
    if hyphen and fold(head) in lists.negators:
        return [_Part(head, token.start()), _Part(rest, token.start() + len(head) + 1)]
    return [_Part(said, token.start())]


def _word(said: str, start: int, lists: Words, about: frozenset[str]) -> Word:
    low, folded = said.casefold(), fold(said)
    known = key(low, lists.language)
    content = (
        low not in lists.function
        and folded not in lists.titles
        and folded not in lists.negators
        and folded not in lists.conjunctions
        and folded not in lists.every
        and folded not in lists.version
        and known not in about
        and len(folded) > 1
    )
    opposites, siblings = poles(folded, known, lists)
    same = lists.same.get(known, frozenset())
    form = verb(low, lists.language)
    lemma = "" if form is None else form.lemma
    return Word(said, folded, known, start, content, opposites, siblings, same, lemma)


def _pieces(text: str, lists: Words) -> list[tuple[int, int]]:
    """Where each clause begins and ends."""
    found = []
    for start, end in spans(text) or [(0, len(text))]:
        cuts = [start]
        cuts += [start + m.start() for m in _CUT.finditer(text[start:end])]
        cuts += [start + m.start() for m in lists.but.finditer(fold(text[start:end]))]
        cuts = [*sorted(set(cuts)), end]
        found += [(a, b) for a, b in pairwise(cuts) if any(c.isalnum() for c in text[a:b])]
    return found


def _clause(
    words: list[Word], names: list[Name], amounts: list[Amount], text: str, piece: tuple[int, int], lists: Words
) -> Clause:
    start, end = piece
    inside = tuple(word for word in words if start <= word.start < end)
    return Clause(
        inside,
        tuple(name for name in names if start <= name.start < end),
        _negations(
            inside, tuple(name for name in names if start <= name.start < end), fold(text[start:end]), start, lists
        ),
        tuple(amount for amount in amounts if start <= amount.start < end),
        _verb(inside, text, piece, lists),
        frozenset(word.key for word in inside),
    )


def _verb(words: tuple[Word, ...], text: str, piece: tuple[int, int], lists: Words) -> int:
    """Where the subject of a clause ends: at a colon, a copula or auxiliary, else the first verb; -1 without one."""
    colon = text.find(": ", *piece)
    if colon >= 0:
        return colon
    for i, word in enumerate(words):
        form = verb(word.text.casefold(), lists.language)
        finite = word.folded in lists.auxiliaries or (form is not None and (form.person or form.tense in ("s", "past")))
        before = words[i - 1] if i else None
        noun = before is not None and before.folded in lists.before_noun and before.end + 1 == word.start
        noun = noun and not (before is not None and before.folded in lists.negators)
        if finite and not noun and (lists.language != "en" or word.start > piece[0]):
            return word.start
    return -1


def _names(text: str, lists: Words) -> tuple[list[Name], set[int]]:
    """The names of a text, and where each of their words begins."""
    tokens = list(_TOKEN.finditer(text))
    starts = {start for start, _ in spans(text)} | {0}
    flags = [_is_name(tokens, i, starts, lists) for i in range(len(tokens))]
    found: list[Name] = []
    inside: set[int] = set()
    i = 0
    while i < len(tokens):
        if not flags[i]:
            i += 1
            continue
        last, parts = i, [i]
        for j in range(i + 1, min(i + 4, len(tokens))):
            if flags[j] and _LINK.fullmatch(text[tokens[last].end() : tokens[j].start()]):
                last = j
                parts.append(j)
        while last + 1 < len(tokens) and flags[last + 1] and text[tokens[last].end() : tokens[last + 1].start()] == " ":
            last += 1
            parts.append(last)
        said = [fold(re.sub(r"'s?$", "", tokens[j].group())) for j in dict.fromkeys(parts)]
        kept = tuple(word for word in said if word not in lists.titles)
        if kept:
            found.append(Name(kept, tokens[i].start(), tokens[last].end()))
        inside |= {tokens[j].start() for j in range(i, last + 1)}
        i = last + 1
    return found, inside


def _is_name(tokens: list[re.Match[str]], i: int, starts: set[int], lists: Words) -> bool:
    """Whether a token is a proper name or part of one: a capital where the place asks for none."""
    said = tokens[i].group()
    low = said.casefold()
    known = key(low, lists.language)
    if not said[0].isupper() or low == "i":
        return False
    if known in lists.siblings or fold(low) in lists.yes | lists.no | lists.negators:
        return False
    if len(said) > 1 and said.isupper():
        return True
    if fold(low) in lists.titles:
        return i + 1 < len(tokens) and tokens[i + 1].group()[0].isupper()
    if not (tokens[i].start() in starts or _after_mark(tokens[i])):
        return True
    if low in lists.function or len(low) == 1:
        return False
    following = tokens[i + 1].group() if i + 1 < len(tokens) else ""
    adjacent = tokens[i].string[tokens[i].end() : tokens[i].end() + 2].strip()
    if (
        following[:1].isupper()
        and not following.isupper()
        and adjacent == following[:1]
        and verb(low, lists.language) is None
    ):
        return True  # "New York"
    if low in common_words(lists.language) or low in lists.function or known in lists.opposites or known in lists.same:
        return False
    if len(tokens) == 1:
        return not any(char == "\x1f" for char in tokens[i].string)
    if following[:1].isupper() or adjacent == ",":
        return following[:1].isupper()
    if fold(following) in lists.conjunctions and i + 2 < len(tokens):
        return tokens[i + 2].group()[0].isupper()
    form = verb(following.casefold(), lists.language)
    if not following or tokens[i].end() + 1 != tokens[i + 1].start():
        return False
    if fold(following) in lists.auxiliaries | lists.singular:
        return fold(following) in lists.singular
    if form is None or verb(low, lists.language) is not None:
        return False
    told = form.tense == "past" and lists.language == "en" and not low.endswith("s")  # "Marta won"
    return form.person == 3 or form.tense == "s" or told


def _after_mark(token: re.Match[str]) -> bool:
    """Whether a token follows a colon, a bullet, a quotation mark or a bracket, where anything has a capital."""
    return token.string[: token.start()].rstrip()[-1:] in (":", "-", '"', "(", "*", "•")


def _negations(
    words: tuple[Word, ...], names: tuple[Name, ...], folded: str, start: int, lists: Words
) -> tuple[Negation, ...]:
    """The negations of a clause, each with what it denies."""
    exempt = [(m.start() + start, m.end() + start) for m in lists.not_denying.finditer(folded)]
    denying = [(m.start() + start, m.end() + start) for m in lists.denying.finditer(folded)]
    said = [*(word.start for word in words if _says(word, lists)), *(name.start for name in names)]
    places = [(b, False) for _, b in denying if any(at >= b for at in said)]
    for word in words:
        covered = any(a <= word.start < b for a, b in exempt + denying)
        if word.folded in lists.negators and not covered:
            places.append((word.start + len(word.text), word.folded in lists.existential))
    found = []
    for place, existential in sorted(places):
        after = [word for word in words if word.start >= place and _says(word, lists)]
        if existential:
            after = _phrase(after, words)
        scope = (
            tuple(after[:_MOST_SCOPE])
            or tuple(word for word in words if word.start < place and _says(word, lists))[-3:]
        )
        first = after[0].start if after else start + len(folded)
        denied = tuple(name for name in names if place <= name.start < first)
        found.append(Negation(scope if after or not denied else (), existential, denied))
    return tuple(found)


def _says(word: Word, lists: Words) -> bool:
    return word.content or (bool(word.poles) and word.folded not in lists.negators | lists.every)


def _phrase(after: list[Word], words: tuple[Word, ...]) -> list[Word]:
    """The noun phrase right after a negation: content words up to the first function word behind one."""
    kept: list[Word] = []
    for word in after:
        between = [w for w in words if kept and kept[-1].start < w.start < word.start]
        if between:
            break
        kept.append(word)
    return kept[:3]
