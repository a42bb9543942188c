"""Names in a sentence: runs of capitalised words, and whether a sentence's first word begins one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from oroi_graph.extraction.tokenizer import Token
from oroi_graph.language.lexicons.by_language import LEXICONS, NOUN_ENDINGS
from oroi_graph.language.lexicons.lexicon import Lexicon
from oroi_graph.language.lexicons.tables import common_words, names_in_s
from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.english import NOUNS_TOO, english_verb
from oroi_graph.language.verbs.forms import verb, verb_at_start

_MAX_NAME = 7  # words
_PEOPLE_LIKE_MONTHS = word_set("april may june august abril julio")
_WHICH_MONTH = word_set("last next early late mid")
_AUXILIARIES = word_set("be have do ser estar haber tener ter haver")
_ELONGATED = re.compile(r"(?:o+h?|m+|h+m+|a+w+|wo+[hw]*o*|(?:a?h+a+)+h*|ya+y+|(?:ja)+|ah+|u+[hg]+h*)")  # Mmm, Hahaha
# endings of the third person in Spanish and Portuguese, for verbs that no table holds
_FINITE = re.compile(r"[^\W\d_]{2,}(?:[ae]|[áéí]?an|en|em|am|ó|ou|eu|iu|aban?|íam?|[ai]ron|aram|eram|iram)")
_END = Token("", "end")


@cache
def closed_words(language: str) -> frozenset[str]:
    """Words that are no names, however they are written."""
    lexicon = LEXICONS[language]
    described = lexicon.adverbs | lexicon.interjections | lexicon.evaluative
    return lexicon.grammatical | described | lexicon.junk | lexicon.common


def is_acronym(text: str) -> bool:
    """Whether a word is written like "LGBTQ"."""
    return 2 <= len(text) <= 6 and text.isupper() and text.isalpha()


def join_names(words: list[Token], language: str, known: frozenset[str]) -> list[Token]:
    """Join capitalised runs to name tokens ("María de la Cruz", "Dr. Smith", "FedEx Office").

    known: lower-case words that are names wherever they stand. Text in capitals throughout has no names."""
    letters = "".join(t.text for t in words if t.kind == "word")
    shouting = len(letters) > 8 and sum(map(str.isupper, letters)) > 0.7 * len(letters)
    words = [
        Token(t.text, "word", t.end) if t.kind == "date" and _is_person(words, k, language) else t
        for k, t in enumerate(words)
    ]
    result: list[Token] = []
    i, first = 0, True
    while i < len(words):
        if shouting or not _begins_name(words, i, language, first=first, known=known):
            result.append(words[i])
            i += 1
        else:
            j = _name_end(words, i, language)
            result.append(Token(" ".join(t.text for t in words[i:j]), "name", words[j - 1].end))
            i = j
        first = first and result[-1].kind not in ("word", "name")
    return result


def _at(words: Sequence[Token], i: int) -> Token:
    """Token `i`; an empty one outside the sentence."""
    return words[i] if 0 <= i < len(words) else _END


def _is_capital(token: Token) -> bool:
    return token.kind == "word" and token.text[0].isupper()


def _is_person(words: Sequence[Token], i: int, language: str) -> bool:
    """Whether the name of a month is a person's: "my daughter April", "Julio vive en Tarifa"."""
    token, lexicon = words[i], LEXICONS[language]
    if token.kind != "date" or token.low not in _PEOPLE_LIKE_MONTHS or not token.text[0].isupper():
        return False
    before, following = _at(words, i - 1), _at(words, i + 1)
    if any(before.low in words for words in (lexicon.prepositions, lexicon.determiners, lexicon.adverbs, _WHICH_MONTH)):
        return False
    if before.low in lexicon.kinship or following.kind == "poss" or _is_capital(following):
        return True
    form = verb(following.low, language)
    if form is None or following.kind != "word" or form.lemma in _AUXILIARIES:
        return False
    return form.person in (3, 6) if lexicon.romance else form.tense in {"s", "past"}


def _begins_name(words: list[Token], i: int, language: str, *, first: bool, known: frozenset[str]) -> bool:
    """Whether token `i` begins a name. first: no word stands before it in its sentence."""
    token, lexicon = words[i], LEXICONS[language]
    low = token.low
    if not _is_capital(token):
        return low in lexicon.courtesy and _is_capital(_at(words, i + 1))  # "doña Elvira"
    if low == "i":
        return False
    following = _at(words, i + 1)
    if low in lexicon.titles or low in lexicon.courtesy or low in known:
        return True
    shouted = token.text.isupper() and len(low) > 1 and (len(low) > 5 or english_verb(low) is not None)
    if shouted or _ELONGATED.fullmatch(low):
        return False
    closed = closed_words(language)
    if not first and (low in lexicon.determiners or low in lexicon.evaluative) and _is_capital(following):
        return following.low not in closed and len(low) > 1  # "at The Crown", "en La Barraca", "is Big Thief"
    if low in closed and (first or len(token.text) < 3 or not is_acronym(token.text)):
        return False
    return not first or _begins_name_at_start(words, i, lexicon)


def _begins_name_at_start(words: list[Token], i: int, lexicon: Lexicon) -> bool:
    """Whether the capital of a sentence's first word is a name's, by its form and what follows it."""
    low, following = words[i].low, _at(words, i + 1)
    form = verb_at_start(low, lexicon.language)
    if form is not None and form.lemma in _AUXILIARIES:
        return False
    named = _is_capital(following) and following.low not in closed_words(lexicon.language) and following.low != "i"
    next_form = verb(following.low, lexicon.language) if lexicon.romance else None
    before_verb = next_form is not None and next_form.person in (3, 6)
    # Spanish and Portuguese put an article before a common noun that is the subject: "Nube tiene …" has a name.
    if low in common_words(lexicon.language) and not named and not before_verb:
        return False
    if lexicon.romance:
        if form is not None:  # "Leo tiene una moto", "Casa Lola"; but "Leo novelas", "Visité Roma"
            return before_verb or (named and verb(low, lexicon.language) is None)
    elif form is not None and form.tense == "base" and low not in NOUNS_TOO:
        return False  # "Remember Jon"
    elif form is not None or low.endswith(NOUN_ENDINGS):
        return named and (form is None or form.tense in {"base", "s"})
    return is_acronym(words[i].text) or _is_followed_as_name(words, i, lexicon)


def _is_followed_as_name(words: list[Token], i: int, lexicon: Lexicon) -> bool:
    """Whether what follows a first word makes it a name: a verb, 's, another capital, "and Luis"."""
    low, following, after = words[i].low, _at(words, i + 1), _at(words, i + 2)
    if following is _END:
        return False
    if following.kind == "poss" or (_is_capital(following) and following.low != "i"):
        return True
    if following.kind == "mark" or following.low in lexicon.conjunctions:
        return after is not _END and (_is_capital(after) or following.kind == "mark")
    if low.endswith("s") and following.low in lexicon.adverbs:
        return False
    plural = low.endswith("s") and low not in names_in_s()
    if not plural and is_unknown_verb(words, i + 1, lexicon):
        return True
    form = verb(following.low, lexicon.language)
    if lexicon.romance:
        clitic = following.low in lexicon.clitics and following.low not in lexicon.clitics_object
        return form is not None or clitic or following.low in lexicon.negations or following.low in lexicon.before_verb
    if form is not None:
        return form.tense in {"s", "past"} and not (plural and following.low in {"are", "were"})
    adverbs = lexicon.before_verb - {"now", "still"} | {"no-longer", "never"}
    return following.low in adverbs or (following.low in lexicon.modals and not plural)


def is_unknown_verb(words: list[Token], i: int, lexicon: Lexicon) -> bool:
    """Whether a word that is no known verb, or mostly a noun, stands where its clause needs a verb.

    It must end as a verb does, an object or a place must follow, and nothing after it may be the verb: "Gonzalo
    veranea en Llanes", "Priya maintains it"."""
    token, low, after = words[i], words[i].low, _at(words, i + 1)
    if token.kind != "word" or token.text[0].isupper() or low in closed_words(lexicon.language) or after is _END:
        return False
    determined = after.low in lexicon.determiners or after.low in lexicon.possessives
    object_follows = determined or after.kind in ("name", "value") or _is_capital(after)
    if not lexicon.romance:
        shaped = low.endswith("s") and not low.endswith(("ss", "us", "is"))
        return shaped and object_follows and english_verb(low) is None
    form = verb_at_start(low, lexicon.language)
    if form is None and not _FINITE.fullmatch(low):
        return False
    if form is not None:
        third_person = form.person in (3, 6) or (form.person == 1 and is_fronted(words, i, lexicon))
        if not third_person or verb(low, lexicon.language) is not None:
            return False
    bare = form is not None and after.kind == "word" and after.low.endswith("s")  # "cría palomas"
    if not (bare or object_follows or after.low in lexicon.prepositions):
        return False
    return not _has_finite_verb(words[i + 1 :], lexicon)


def is_fronted(words: Sequence[Token], i: int, lexicon: Lexicon) -> bool:
    """Whether what stands before a word in its clause has a preposition and no verb ("para las fotos | uso …")."""
    begin = max((k + 1 for k in range(i) if words[k].kind == "mark"), default=0)
    if begin == i or words[begin].kind != "word" or words[begin].low not in lexicon.prepositions:
        return False
    return not _has_finite_verb(words[begin:i], lexicon)


def _has_finite_verb(words: Sequence[Token], lexicon: Lexicon) -> bool:
    forms = (verb(word.low, lexicon.language) for word in words if word.kind == "word")
    return any(form is not None and form.person for form in forms)


def _name_end(words: list[Token], i: int, language: str) -> int:
    """The index after the last word of the name that begins at token `i`."""
    lexicon = LEXICONS[language]
    j = i + 1
    while j < len(words) and j - i < _MAX_NAME:
        if _is_capital(words[j]) and words[j].low != "i" and words[j].low not in lexicon.pronouns:
            j += 1
            continue
        k = j
        while k < len(words) and k - j < 2 and words[k].low in lexicon.links and words[k].kind == "word":
            k += 1
        linked = k > j and words[j].low not in lexicon.and_link and _is_capital(_at(words, k))
        if not linked or words[k].low == "i":
            break
        j = k + 1
    return j
