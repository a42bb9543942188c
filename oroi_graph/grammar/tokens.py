"""Text to tokens: contractions written out; values, quoted titles and names are one token each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from oroi_graph.dates import resolve_date
from oroi_graph.grammar.lexicon import LEXICONS, NOUN_ENDINGS
from oroi_graph.grammar.verbs import NOUNS_TOO, english_verb, spanish_verb, spanish_verb_at_start
from oroi_graph.grammar.words import word_set
from oroi_graph.values import find_values


@dataclass(frozen=True, slots=True)
class Token:
    """`kind`: word, name, value, date, end (of sentence), mark (other punctuation)."""

    text: str
    kind: str
    canonical: str = ""
    end: int = 0

    @property
    def low(self) -> str:
        """Case-folded text."""
        return self.text.casefold()


# --- tokens ----------------------------------------------------------------------------------------------

_EXPANSIONS = tuple(
    (re.compile(pattern, re.IGNORECASE), text)
    for pattern, text in (
        (r"\bcan't\b", "can not"), (r"\bwon't\b", "will not"), (r"\bshan't\b", "shall not"),
        (r"n't\b", " not"),
        (r"\bcannot\b", "can not"), (r"(?<=\w)'m\b", " am"), (r"(?<=\w)'re\b", " are"),
        (r"(?<=\w)'ve\b", " have"),
        (r"(?<=\w)'ll\b", " will"), (r"(?<=\w)'d\b", " would"), (r"(?<=\w)'s (been|got)\b", r" has \1"),
        (r"\b(it|he|she|that|what|there|who|here|how|where|when|everything|everyone)'s\b", r"\1 is"),
        (r"(?<=\w)'s (?=(?:a|an|the|not|in|at|very|so|going)\b)", " is "), (r"\bgonna\b", "going to"),
        (r"\bwanna\b", "want to"), (r"\bgotta\b", "have to"), (r"\blet's\b", "let us"),
        (r"\bno longer\b", "no-longer"),
        (r"\bany ?more\b", "anymore"), (r"\bpor favor\b", "por-favor"), (r"\bas well\b", "too"),
    )
)  # fmt: skip
_TOKEN = re.compile(
    r"(?P<quote>[\"“«](?=[^\W\d_])[^\"“”«»\n]{1,80}[\"”»])"
    r"|(?P<word>(?:(?:Dr|Dra|Mr|Mrs|Ms|Sr|Sra|Prof|St|D|Dña)\.(?=\s?[A-ZÁÉÍÓÚÑ])|[A-HJ-Z]\.(?=\s?[A-Z][\w.])"
    r"|\w{1,40}(?:[-&]\w{1,40}){0,4}))"
    r"|(?P<poss>'s?(?!\w))|(?P<end>[.!?…\n]+)|(?P<mark>[,;:()¿¡—–/\-])"
)


def expand(text: str) -> str:
    """The text with English contractions written out, so that every verb and "not" is a word of its own."""
    text = re.sub(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u2060\ufeff]", " ", text).replace("’", "'").replace("‘", "'")
    for pattern, written in _EXPANSIONS:
        text = pattern.sub(written, text)
    return text


_SAYING = word_set("i you we he she they it yo tú él ella what how why do don't let that this")


def tokens(text: str, language: str, at: datetime | None) -> list[Token]:
    """Words, names in quotes, values and punctuation of an expanded text, in order."""
    found: list[Token] = []
    position = 0
    for start, end, surface, canonical in [*find_values(text, language, at), (len(text), len(text), "", "")]:
        for match in _TOKEN.finditer(text, position, max(start, position)):
            kind, said = match.lastgroup or "mark", match.group()
            if kind == "quote":
                title = said[1:-1].strip(" .,")
                named = title[:1].isupper() and title.count(" ") < 6 and title.split(" ")[0].casefold() not in _SAYING
                kind, said = ("name", title) if named else ("mark", '"')
            found.append(Token(said, kind, end=match.end()))
        position = max(end, position)
        if surface:
            date = bool(re.fullmatch(r"-?-?\d{2,4}(?:-\d\d){0,2}(?:/.*)?|\d\d:\d\d", canonical))
            date = date and not re.fullmatch(r"\d{1,3}", canonical) and bool(resolve_date(surface, language, at))
            clock = bool(re.fullmatch(r"\d\d:\d\d", canonical))
            found.append(Token(surface, "date" if date else "clock" if clock else "value", canonical, end))
    return found


# --- names -----------------------------------------------------------------------------------------------

_TITLES = word_set("dr. dra. mr. mrs. ms. sr. sra. prof. st. d. dña. don doña")
_LINKS = {"es": ("de", "del", "la", "las", "los", "y"), "en": ("of", "the", "de", "van", "von", "&")}


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
_NAMES_IN_S = word_set(
    "james chris luis carlos lucas thomas nicolas marcos andrés andres alexis dennis charles iris doris "
    "agnes ross marcus louis lewis elias tomás inés jesús texas paris"
)


def _begins_name(words: list[Token], i: int, language: str, *, first: bool, known: frozenset[str]) -> bool:
    token = words[i]
    if not _capital(token) or token.low == "i":
        return False
    low = token.low
    if low in _TITLES or low in known:
        return True
    if token.text.isupper() and len(low) > 1 and (len(low) > 5 or english_verb(low) is not None):
        return False
    if _ELONGATED.fullmatch(low):
        return False
    if low in closed_words(language) and not (is_acronym(token.text) and len(token.text) > 2 and not first):
        return False
    if not first:
        return True
    following = words[i + 1] if i + 1 < len(words) else None
    verb = english_verb(low) if language == "en" else spanish_verb_at_start(low)
    if verb is not None and verb.lemma in {"be", "have", "do", "ser", "estar", "haber", "tener"}:
        return False
    if language == "en" and verb is not None and verb.tense == "base" and low not in NOUNS_TOO:
        return False  # "Remember Jon"
    if verb is not None or low.endswith(NOUN_ENDINGS):
        return (
            following is not None
            and _capital(following)
            and (verb is None or verb.tense in {"base", "s"})
            and (following.low not in closed_words(language) and following.low != "i")
        )
    return is_acronym(token.text) or _name_like_start(words, i, language)


def _name_like_start(words: list[Token], i: int, language: str) -> bool:
    """Whether what follows a first word makes it a name: a verb, 's, another capital, "and Luis"."""
    following = words[i + 1] if i + 1 < len(words) else None
    if following is None:
        return False
    if following.kind == "poss" or (_capital(following) and following.low != "i"):
        return True
    if following.kind in ("mark",) or following.low in LEXICONS[language].conjunctions:
        after = words[i + 2] if i + 2 < len(words) else None
        return after is not None and (_capital(after) or following.kind == "mark")
    low = following.low
    if words[i].low.endswith("s") and following.low in LEXICONS[language].adverbs:
        return False
    if language == "es":
        return spanish_verb(low) is not None or low in {"no", "ya", "se", "me", "te", "le", "también", "y"}
    verb = english_verb(low)
    if words[i].low.endswith("s") and verb is not None and verb.tense == "base":
        return False
    plural = words[i].low.endswith("s") and words[i].low not in _NAMES_IN_S
    if plural and (low in LEXICONS["en"].modals or (verb is not None and low in {"are", "were", "have"})):
        return False
    return (verb is not None and verb.tense in {"s", "past"}) or low in LEXICONS["en"].modals | {
        "no-longer", "never", "also", "just", "recently", "always", "really",
    }  # fmt: skip


def _name_end(words: list[Token], i: int, language: str) -> int:
    j = i + 1
    while j < len(words) and j - i < 7:
        if _capital(words[j]) and words[j].low != "i" and words[j].low not in LEXICONS[language].pronouns:
            j += 1
            continue
        k = j
        while k < len(words) and k - j < 2 and words[k].low in _LINKS[language] and words[k].kind == "word":
            k += 1
        links = [t.low for t in words[j:k]]
        joins = links and links[0] not in ("y", "the", "la", "las", "los") and k < len(words) and _capital(words[k])
        if not joins or words[k].low == "i":
            break
        j = k + 1
    return j
