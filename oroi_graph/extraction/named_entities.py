"""Names in a sentence: capitalised runs, and whether the first word of a sentence begins one."""

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

_PEOPLE_LIKE_MONTHS = word_set("april may june august abril julio")
_WHICH_MONTH = word_set("last next early late mid")
_AUXILIARIES = word_set("be have do ser estar haber tener ter haver")
# how a third person ends, in Spanish and Portuguese; of verbs that no table holds
_FINITE = re.compile(r"[^\W\d_]{2,}(?:[ae]|[áéí]?an|en|em|am|ó|ou|eu|iu|aban?|íam?|[ai]ron|aram|eram|iram)")


@cache
def closed_words(language: str) -> frozenset[str]:
    """Words that are no names, however they are written."""
    lexicon = LEXICONS[language]
    return (
        lexicon.grammatical
        | lexicon.adverbs
        | lexicon.interjections
        | lexicon.evaluative
        | lexicon.junk
        | lexicon.common
    )


def _capital(token: Token) -> bool:
    return token.kind == "word" and token.text[0].isupper()


def is_acronym(text: str) -> bool:
    """Whether a word is written like "LGBTQ"."""
    return 2 <= len(text) <= 6 and text.isupper() and text.isalpha()


def join_names(words: list[Token], language: str, known: frozenset[str]) -> list[Token]:
    """Capitalised runs joined into name tokens ("María de la Cruz", "Dr. Smith", "FedEx Office")."""
    letters = "".join(t.text for t in words if t.kind == "word")
    shouting = len(letters) > 8 and sum(c.isupper() for c in letters) > 0.7 * len(letters)
    words = [Token(t.text, "word", end=t.end) if _is_person(words, k, language) else t for k, t in enumerate(words)]
    result: list[Token] = []
    i = 0
    while i < len(words):
        first = not any(t.kind in ("word", "name") for t in result)
        if shouting or not _begins_name(words, i, language, first=first, known=known):
            result.append(words[i])
            i += 1
            continue
        j = _name_end(words, i, language)
        result.append(Token(" ".join(t.text for t in words[i:j]), "name", end=words[j - 1].end))
        i = j
    return result


_ELONGATED = re.compile(r"(?:o+h?|m+|h+m+|a+w+|wo+[hw]*o*|(?:a?h+a+)+h*|ya+y+|(?:ja)+|ah+|u+[hg]+h*)")  # Mmm, Hahaha


def _is_person(words: Sequence[Token], i: int, language: str) -> bool:
    """Whether the name of a month is a person's: "my daughter April", "Julio vive en Tarifa"."""
    token, lexicon = words[i], LEXICONS[language]
    if token.kind != "date" or token.low not in _PEOPLE_LIKE_MONTHS or not token.text[0].isupper():
        return False
    before = words[i - 1] if i else Token("", "end")
    following = words[i + 1] if i + 1 < len(words) else Token("", "end")
    if before.low in lexicon.prepositions | lexicon.determiners | lexicon.adverbs | _WHICH_MONTH:
        return False
    if before.low in lexicon.kinship or following.kind == "poss" or _capital(following):
        return True
    form = verb(following.low, language)
    if form is None or following.kind != "word" or form.lemma in _AUXILIARIES:
        return False
    return form.person in (3, 6) if lexicon.romance else form.tense in {"s", "past"}


def _begins_name(words: list[Token], i: int, language: str, *, first: bool, known: frozenset[str]) -> bool:
    token = words[i]
    lexicon = LEXICONS[language]
    if token.low in lexicon.courtesy and not _capital(token):
        return i + 1 < len(words) and _capital(words[i + 1])  # "doña Elvira"
    if not _capital(token) or token.low == "i":
        return False
    low = token.low
    if low in lexicon.titles | lexicon.courtesy or low in known:
        return True
    if token.text.isupper() and len(low) > 1 and (len(low) > 5 or english_verb(low) is not None):
        return False
    if _ELONGATED.fullmatch(low):
        return False
    following = words[i + 1] if i + 1 < len(words) else Token("", "end")
    if not first and low in lexicon.determiners and _capital(following):
        return following.low not in closed_words(language) and len(low) > 1  # "at The Crown", "en La Barraca"
    if low in closed_words(language) and not (is_acronym(token.text) and len(token.text) > 2 and not first):
        return False
    if not first:
        return True
    form = verb_at_start(low, language)
    if form is not None and form.lemma in _AUXILIARIES:
        return False
    named = _capital(following) and following.low not in closed_words(language) and following.low != "i"
    # Spanish and Portuguese put an article before a common noun that is the subject: "Nube tiene …" is a name.
    if low in common_words(language) and not named and not (lexicon.romance and _finite(following.low, language)):
        return False
    if lexicon.romance:
        if form is not None:  # "Leo tiene una moto", "Casa Lola"; but "Leo novelas", "Visité Roma"
            return (named and verb(low, language) is None) or _finite(following.low, language)
    elif form is not None and form.tense == "base" and low not in NOUNS_TOO:
        return False  # "Remember Jon"
    elif form is not None or low.endswith(NOUN_ENDINGS):
        return named and (form is None or form.tense in {"base", "s"})
    return is_acronym(token.text) or _name_like_start(words, i, lexicon)


def _finite(low: str, language: str) -> bool:
    form = verb(low, language)
    return form is not None and form.person in (3, 6)


def _name_like_start(words: list[Token], i: int, lexicon: Lexicon) -> bool:
    """Whether what follows a first word makes it a name: a verb, 's, another capital, "and Luis"."""
    following = words[i + 1] if i + 1 < len(words) else None
    if following is None:
        return False
    if following.kind == "poss" or (_capital(following) and following.low != "i"):
        return True
    after = words[i + 2] if i + 2 < len(words) else None
    low, plural = following.low, words[i].low.endswith("s") and words[i].low not in names_in_s()
    if following.kind == "mark" or low in lexicon.conjunctions:
        return after is not None and (_capital(after) or following.kind == "mark")
    if words[i].low.endswith("s") and low in lexicon.adverbs:
        return False
    if lexicon.romance:
        if low in lexicon.negations | lexicon.before_verb | lexicon.clitics - lexicon.clitics_object:
            return True
        form = verb(low, lexicon.language)
        return form is not None or (not plural and is_unknown_verb(words, i + 1, lexicon))
    form = english_verb(low)
    if words[i].low.endswith("s") and form is not None and form.tense == "base":
        return False
    if plural and (low in lexicon.modals or (form is not None and low in {"are", "were", "have"})):
        return False
    if form is not None:
        return form.tense in {"s", "past"}
    return low in lexicon.modals | {"no-longer", "never"} | lexicon.before_verb - {"now", "still"} or (
        not plural and is_unknown_verb(words, i + 1, lexicon)
    )


def is_unknown_verb(words: list[Token], i: int, lexicon: Lexicon) -> bool:
    """Whether a word that is no known verb, or mostly a noun, is where the verb of its clause must be: it ends as one
    does, an object or a place follows, and nothing after it can be the verb ("Gonzalo veranea en Llanes", "Priya
    maintains it")."""
    low = words[i].low
    if words[i].kind != "word" or words[i].text[0].isupper() or low in closed_words(lexicon.language):
        return False
    after = words[i + 1] if i + 1 < len(words) else None
    if after is None:
        return False
    objects = lexicon.determiners | frozenset(lexicon.possessives)
    if not lexicon.romance:
        shaped = low.endswith("s") and not low.endswith(("ss", "us", "is"))
        return (
            shaped
            and english_verb(low) is None
            and (after.kind in ("name", "value") or _capital(after) or after.low in objects)
        )
    form = verb_at_start(low, lexicon.language)
    if form is None and not _FINITE.fullmatch(low):
        return False
    if form is not None and verb(low, lexicon.language) is not None:
        return False
    if form is not None and form.person not in (3, 6) and not (form.person == 1 and is_fronted(words, i, lexicon)):
        return False
    bare = form is not None and after.kind == "word" and after.low.endswith("s")  # "cría palomas"
    if not (bare or after.kind in ("name", "value") or _capital(after) or after.low in objects | lexicon.prepositions):
        return False
    return not any(
        (form := verb(word.low, lexicon.language)) is not None and form.person
        for word in words[i + 1 :]
        if word.kind == "word"
    )


def is_fronted(words: Sequence[Token], i: int, lexicon: Lexicon) -> bool:
    """Whether what stands before a word in its clause has a preposition and no verb ("para las fotos | uso …")."""
    begin = max((k + 1 for k in range(i) if words[k].kind == "mark"), default=0)
    before = [word for word in words[begin:i] if word.kind == "word"]
    return (
        bool(before)
        and before[0] is words[begin]
        and before[0].low in lexicon.prepositions
        and not any((form := verb(word.low, lexicon.language)) is not None and form.person for word in before)
    )


def _name_end(words: list[Token], i: int, language: str) -> int:
    lexicon = LEXICONS[language]
    j = i + 1
    while j < len(words) and j - i < 7:
        if _capital(words[j]) and words[j].low != "i" and words[j].low not in lexicon.pronouns:
            j += 1
            continue
        k = j
        while k < len(words) and k - j < 2 and words[k].low in lexicon.links and words[k].kind == "word":
            k += 1
        links = [t.low for t in words[j:k]]
        joins = links and links[0] not in lexicon.and_link and k < len(words) and _capital(words[k])
        if not joins or words[k].low == "i":
            break
        j = k + 1
    return j
