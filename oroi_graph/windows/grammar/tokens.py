"""The words of a question and what each may mean in time: spelling repaired, numbers read, quotes left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA

from oroi_graph.language.detection import Language
from oroi_graph.language.normalize import fold
from oroi_graph.language.numbers import NUMBERS, number_in_words
from oroi_graph.windows.grammar.lexicon import is_verb, pieces, time_lexicon

LONGEST = 4_000  # characters of a question that are read: a longer text has its question at one of its ends
LONGEST_NUMBER = 6  # words of a number
_SHORTEST_WORD, _LONGEST_WORD = 5, 14  # letters of a word that may be a misspelled one
_QUOTES = {'"': '"', "“": "”", "«": "»", "„": "“", "‘": "’"}
_ORDINAL = frozenset("st nd rd th o a er ro do to ra da ta º ª °".split())
_DASHES = frozenset("–—−‐‑")
_YEARS = range(1000, 3000)


class Token(NamedTuple):
    """A word, number or sign. `form`: folded, spelling repaired; "" in quotes. `begin`, `end`: character offsets."""

    text: str
    form: str
    begin: int
    end: int


Item = tuple[str, int, object]  # category, the token after its last one, value


def read_tokens(text: str, language: Language) -> list[Token]:
    """The tokens of a question; of a text longer than `LONGEST`, those of its two ends, a full stop between them."""
    if len(text) > LONGEST:
        half = LONGEST // 2
        tail = len(text) - half
        end = [t._replace(begin=t.begin + tail, end=t.end + tail) for t in read_tokens(text[tail:], language)]
        return [*read_tokens(text[:half], language), Token(".", ".", half, half), *end]
    found = list(pieces(text))
    said = [piece.group() for piece in found]
    forms = [fold(word).replace("’", "'") for word in said]
    out = _quoted(said) | _stranded(forms, language)
    return [
        Token(word, "" if i in out else _repaired(word, form, i, language), *piece.span())
        for i, (word, form, piece) in enumerate(zip(said, forms, found, strict=True))
    ]


def _stranded(forms: list[str], language: Language) -> set[int]:
    """ "about" that belongs to a verb before it: "What did we talk about two weeks ago?" is no "about two weeks"."""
    verbs = time_lexicon(language).context.get("about_verbs", frozenset())
    return {i for i, form in enumerate(forms) if form == "about" and i and forms[i - 1] in verbs}


def _quoted(said: list[str]) -> set[int]:
    """Tokens between quotes: titles and words, unless most of the question is in quotes."""
    inside: set[int] = set()
    opened: list[int] = []
    closing = ""
    for i, word in enumerate(said):
        if opened and word == closing:
            inside.update(range(opened.pop(), i + 1))
        elif not opened and word in _QUOTES:
            opened, closing = [i], _QUOTES[word]
    return inside if 2 * len(inside) < len(said) else set()


def _repaired(word: str, form: str, i: int, language: Language) -> str:
    """The form of token `i`, a word; of a misspelled word of time, that word."""
    if len(form) < _SHORTEST_WORD:
        return "-" if form in _DASHES else form
    named = i > 0 and word[:1].isupper() and language != "en"
    if len(form) > _LONGEST_WORD or named or not form.isalpha():
        return form
    return _corrected(form, word.casefold(), language)


@lru_cache(maxsize=20_000)
def _corrected(form: str, low: str, language: Language) -> str:
    lexicon = time_lexicon(language)
    if form in lexicon.known or is_verb(low, language):
        return form
    most = 2 if len(form) >= 8 else 1
    best = process.extractOne(form, lexicon.correctable, scorer=OSA.distance, score_cutoff=most)
    if best is None or (best[0][0] != form[0] and (best[1] > 1 or len(best[0]) < 5)):
        return form
    return best[0] if len(best[0]) > 4 or len(form) > 4 else form


def terminals(tokens: list[Token], i: int, language: Language) -> list[Item]:
    """What the words that begin at token `i` may be: terminals with their values. Of most words nothing."""
    lexicon = time_lexicon(language)
    found: list[Item] = []
    form = tokens[i].form
    for words, meant in lexicon.phrases.get(form, ()):
        end = i + len(words)
        if len(words) > 1:
            if [token.form for token in tokens[i:end]] != words:
                continue
            if form.isdecimal() and tokens[i + 1].begin > tokens[i].end:
                continue  # "3ª" is a weekday in Portuguese, "3 a 9" are days
        found += [(terminal, end, value) for terminal, value in meant]
    if form.isdecimal() or form in _number_words(language):
        found += _numbers(tokens, i, language)
    return found


def _numbers(tokens: list[Token], i: int, language: Language) -> Iterator[Item]:
    form = tokens[i].form
    if form.isdecimal() and form.isascii() and len(form) <= 5:
        glued = i > 0 and tokens[i - 1].end == tokens[i].begin and tokens[i - 1].text in "$€£#@"
        after = tokens[i + 1] if i + 1 < len(tokens) else None
        if glued:
            return
        if after is not None and after.begin == tokens[i].end and after.form in _ORDINAL:
            yield "O", i + 2, int(form)
            yield "OD", i + 2, int(form)
        elif len(form) == 4 and int(form) in _YEARS:
            yield "Y", i + 1, int(form)
            yield "N", i + 1, int(form)
        elif int(form) == 0:
            yield "ZERO", i + 1, 0
        else:
            yield "N", i + 1, int(form)
            yield "D", i + 1, int(form)  # a number in digits
            if len(form) == 2:
                yield "D2", i + 1, int(form)  # a year in two digits
        return
    for length in range(min(LONGEST_NUMBER, len(tokens) - i), 0, -1):
        if any(token.form not in _number_words(language) and token.form != "-" for token in tokens[i : i + length]):
            continue
        value = _in_words(tuple(t.text.casefold() for t in tokens[i : i + length]), language)
        if value is not None:
            yield ("Y" if value in range(1900, 2200) else "N"), i + length, value
            return


@cache
def _number_words(language: Language) -> dict[str, str]:
    """Words that numbers are built of, by their form without accents."""
    more = {"en": ("hundred", "thousand", "and"), "es": ("mil", "y"), "pt": ("mil", "e")}[language]
    return {fold(word): word for word in (*NUMBERS[language], *more)}


@lru_cache(maxsize=2_000)
def _in_words(words: tuple[str, ...], language: Language) -> int | None:
    spelled = _number_words(language)
    forms = [spelled.get(fold(word), word) for word in words if word != "-"]
    if not forms or words[0] == "-" or words[-1] == "-":
        return None
    if re.fullmatch("and|y|e", forms[0]) or re.fullmatch("and|y|e", forms[-1]):
        return None
    if len(forms) == 1 and forms[0] in {"un", "una", "um", "uma", "a"}:
        return None  # articles: a terminal of their own
    return number_in_words(" ".join(forms), language)
