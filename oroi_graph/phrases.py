"""Sentences to chunks: noun phrases, verb groups, prepositions, dates, in English and Spanish.

Rule-based, from closed classes, verb tables and capital letters; no statistics. Linear in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache

from oroi_graph.language import is_question
from oroi_graph.lexicon import ACTIVITIES, ADJECTIVE_ENDINGS, LEXICONS, NOUN_ENDINGS, Lexicon
from oroi_graph.values import find_values, resolve_date
from oroi_graph.verbs import NOUNS_TOO, VerbForm, english_past, english_verb, spanish_verb, spanish_verb_at_start

MAX_LABEL_WORDS = 6
NAMING = frozenset("named called llamado llamada llamados llamadas".split(" "))  # before a name
MAX_SENTENCE_TOKENS = 120


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


@dataclass(slots=True)
class Chunk:
    """`kind`: np, pron, verb, prep, and, sub, if, date, clock, comma, stop, adv, neg, hey,
    called, inf (of "a dog called Max").

    A noun phrase has a clean `label`, its `concept` kind, the `owner` it belongs to ("I", "Ana", "" for none)
    and its `head` without the owner; `inner` are names within its label. A verb group has its readable
    `relation`, `negated`, its `person` (0 if unmarked) and lemma."""

    kind: str
    text: str
    label: str = ""
    concept: str = "concept"
    owner: str = ""
    head: str = ""
    article: str = ""
    inner: list[str] = field(default_factory=list)
    relation: str = ""
    negated: bool = False
    person: int = 0
    lemma: str = ""
    tense: str = ""
    clitic: str = ""
    no_longer: bool = False


@dataclass(slots=True)
class Sentence:
    """One sentence's chunks; `asks` if it is a question; `future` if it speaks of what is to come."""

    chunks: list[Chunk]
    asks: bool
    text: str


# --- tokens ----------------------------------------------------------------------------------------------

_EXPANSIONS = tuple(
    (re.compile(pattern, re.IGNORECASE), text)
    for pattern, text in (
        (r"\bcan't\b", "can not"), (r"\bwon't\b", "will not"), (r"\bshan't\b", "shall not"), (r"n't\b", " not"),
        (r"\bcannot\b", "can not"), (r"(?<=\w)'m\b", " am"), (r"(?<=\w)'re\b", " are"), (r"(?<=\w)'ve\b", " have"),
        (r"(?<=\w)'ll\b", " will"), (r"(?<=\w)'d\b", " would"), (r"(?<=\w)'s (been|got)\b", r" has \1"),
        (r"\b(it|he|she|that|what|there|who|here|how|where|when|everything|everyone)'s\b", r"\1 is"),
        (r"(?<=\w)'s (?=(?:a|an|the|not|in|at|very|so|going)\b)", " is "), (r"\bgonna\b", "going to"),
        (r"\bwanna\b", "want to"), (r"\bgotta\b", "have to"), (r"\blet's\b", "let us"), (r"\bno longer\b", "no-longer"),
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


_SAYING = frozenset("i you we he she they it yo tú él ella what how why do don't let that this".split(" "))


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


def sentences(text: str, language: str, at: datetime | None, known: frozenset[str]) -> list[Sentence]:
    """The sentences of a text, chunked. `known`: names (lower case) that are names even as a first word."""
    text = expand(text)
    result: list[Sentence] = []
    current: list[Token] = []
    begin = 0
    for token in [*tokens(text, language, at), Token(".", "end", end=len(text))]:
        if token.kind != "end" and len(current) < MAX_SENTENCE_TOKENS:
            current.append(token)
            continue
        if current:
            said = text[begin : token.end].strip()
            asks = "?" in token.text or is_question(said)
            named = _names(current, language, known)
            result.append(Sentence(_Chunker(named, language).chunks(), asks, said))
        current, begin = [], token.end
    return result


# --- names -----------------------------------------------------------------------------------------------

_TITLES = frozenset("dr. dra. mr. mrs. ms. sr. sra. prof. st. d. dña. don doña".split(" "))
_LINKS = {"es": ("de", "del", "la", "las", "los", "y"), "en": ("of", "the", "de", "van", "von", "&")}


@cache
def _closed(language: str) -> frozenset[str]:
    lexicon = LEXICONS[language]
    words = (
        lexicon.determiners | lexicon.pronouns | lexicon.prepositions | lexicon.conjunctions | lexicon.subordinators
        | lexicon.conditionals | lexicon.modals | lexicon.negations | lexicon.adverbs | lexicon.interjections
        | lexicon.evaluative | lexicon.junk | lexicon.common | frozenset(lexicon.possessives)
    )  # fmt: skip
    return words


def _capital(token: Token) -> bool:
    return token.kind == "word" and token.text[0].isupper()


def _acronym(text: str) -> bool:
    return 2 <= len(text) <= 6 and text.isupper() and text.isalpha()


def _names(words: list[Token], language: str, known: frozenset[str]) -> list[Token]:
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
_NAMES_IN_S = frozenset("james chris luis carlos lucas thomas nicolas marcos andrés andres alexis dennis charles iris "
                        "doris agnes ross marcus louis lewis elias tomás inés jesús texas paris".split(" "))  # fmt: skip


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
    if low in _closed(language) and not (_acronym(token.text) and len(token.text) > 2 and not first):
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
        return following is not None and _capital(following) and (verb is None or verb.tense in {"base", "s"}) and (
            following.low not in _closed(language) and following.low != "i"
        )
    return _acronym(token.text) or _name_like_start(words, i, language)


def _name_like_start(words: list[Token], i: int, language: str) -> bool:
    """Whether what follows a sentence's first word makes it a name: a verb, 's, another capital, "and Luis"."""
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


# --- chunks ----------------------------------------------------------------------------------------------


class _Chunker:
    """One pass over a sentence's tokens. `self.open` says that the clause still waits for its verb."""

    def __init__(self, words: list[Token], language: str) -> None:
        self.words = words
        self.language = language
        self.lexicon: Lexicon = LEXICONS[language]
        self.i = 0
        self.out: list[Chunk] = []

    def chunks(self) -> list[Chunk]:
        while self.i < len(self.words):
            before = self.i
            self._next()
            self.i = max(self.i, before + 1)
        return self.out

    def _peek(self, ahead: int = 0) -> Token:
        at = self.i + ahead
        return self.words[at] if at < len(self.words) else Token("", "end")

    def _add(self, kind: str, count: int = 1) -> None:
        self.out.append(Chunk(kind, " ".join(t.text for t in self.words[self.i : self.i + count])))
        self.i += count

    def _next(self) -> None:
        token, lexicon = self._peek(), self.lexicon
        low = token.low
        if token.kind == "mark":
            self._add("comma" if token.text == "," else "stop")
        elif token.kind in ("date", "clock"):
            self.out.append(Chunk(token.kind, token.text, token.text, "value"))
            self.i += 1
        elif token.kind in ("name", "value"):
            self._noun_phrase()
        elif self._loose_gerund():
            self._add("inf")
        elif low in NAMING and self._peek(1).kind == "name" and self.out and self.out[-1].kind == "np":
            self._add("called")
        elif self._infinitive() or self._verb_group():
            return
        elif low in lexicon.interjections and low not in lexicon.determiners and not self._waits_for_object():
            self._add("hey")
        elif low in lexicon.conditionals:
            self._add("if")
        elif low in lexicon.possessives or (low in lexicon.determiners and self._determines()):
            self._noun_phrase()
        elif low in {"some", "many", "most", "all", "one", "part"} and self._peek(1).low == "of":
            self.i += 2
        elif low in lexicon.pronouns:
            self._add("pron")
        elif low in lexicon.subordinators:
            self._add("sub")
        elif low in lexicon.conjunctions:
            self._add("and")
        elif low in lexicon.prepositions:
            self._add("prep")
        elif low in lexicon.negations:
            self._add("neg")
        elif low in lexicon.adverbs or (low.endswith(("ly", "mente")) and len(low) > 5):
            self._add("adv")
        elif token.kind == "word" and low in lexicon.determiners:
            self._add("pron")
        elif token.kind == "word":
            self._noun_phrase()
        else:
            self.i += 1

    def _waits_for_object(self) -> bool:
        return bool(self.out) and self.out[-1].kind == "prep"

    def _determines(self) -> bool:
        """Whether a determiner has a noun after it ("that book"), rather than standing for one ("that is")."""
        following = self._peek(1)
        if following.kind in ("name", "value", "date"):
            return self._peek().low != "that"
        low, lexicon = following.low, self.lexicon
        if following.kind != "word" or low in lexicon.pronouns | lexicon.prepositions | lexicon.modals:
            return False
        if self._peek().low in {"that", "this", "these", "those", "all", "some", "much", "more", "both", "most"}:
            verb = english_verb(low)
            if verb is not None and (verb.lemma in {"be", "have", "do"} or low not in NOUNS_TOO):
                return False
        return low not in lexicon.conjunctions | lexicon.subordinators

    # verbs

    def _loose_gerund(self) -> bool:
        """ "people … waving flags": says what somebody does on the side."""
        if self.language == "es" or not self.out or self.out[-1].kind not in ("np", "comma", "and"):
            return False
        return self._peek().kind == "word" and _generic(self._peek().low) and self._object_follows(1)

    def _infinitive(self) -> bool:
        """ "to see (Ana)", "of joining (a team)": a verb whose subject and truth are not stated."""
        following = self._peek(1)
        if following.kind != "word" or self._peek().kind != "word":
            return False
        low = self._peek().low
        if self.language == "es":
            form = spanish_verb_at_start(following.low)
            if low in self.lexicon.prepositions and form is not None and form.tense == "infinitive":
                self._add("inf", 2)
                return True
            return False
        verb = english_verb(following.low)
        if verb is None:
            return False
        last = next((c.lemma for c in reversed(self.out) if c.kind == "verb"), "")
        infinitive = low == "to" and verb.tense == "base" and not (last in {"go", "come"} and verb.lemma == "work")
        gerund = low in self.lexicon.prepositions and verb.tense == "ing" and (
            following.low not in ACTIVITIES or self._object_follows(2)
        )
        if infinitive or gerund:
            self._add("inf", 2)
        return infinitive or gerund

    def _waits_for_verb(self) -> bool:
        """Whether a finite verb may stand here: after a subject, at the start, after "and", "who" …"""
        for chunk in reversed(self.out):
            if chunk.kind in ("adv", "neg", "date", "clock"):
                continue
            return chunk.kind in ("np", "pron", "and", "sub", "if", "stop", "comma", "hey")
        return True

    def _verb_group(self) -> bool:
        return self._english_group() if self.language == "en" else self._spanish_group()

    def _finite_english(self, ahead: int = 0) -> VerbForm | None:
        token = self._peek(ahead)
        if token.kind != "word":
            return None
        low = token.low
        verb = english_verb(low)
        before = next((c for c in reversed(self.out) if c.kind not in ("adv", "neg")), None)
        subject = before is not None and before.kind in ("np", "pron")
        if verb is not None:
            if verb.lemma in {"be", "have", "do"} and verb.tense in {"base", "s", "past"}:
                return verb
            if verb.tense in {"ing", "part"} or not self._waits_for_verb():
                return None
            pasts_too = verb.third == low and subject
            if verb.tense == "base" and low in NOUNS_TOO and not pasts_too and not self._plural_subject(before):
                return None
            return verb
        if subject and before is not None and low not in _closed("en"):
            named = before.concept == "name" or before.text.casefold() in {"he", "she", "it"}
            if low.endswith("ed") or (named and low.endswith("s") and not low.endswith("ss")):
                return VerbForm(low, "past" if low.endswith("ed") else "s", low)
            if before.text.casefold() in {"i", "we", "they", "you"} and low.isalpha():
                return VerbForm(low, "base", f"{low}s")
        return None

    @staticmethod
    def _plural_subject(before: Chunk | None) -> bool:
        if before is None:
            return False
        if before.kind == "pron":
            return before.text.casefold() in {"i", "we", "you", "they", "who", "that"}
        return before.kind in ("sub", "and") or (before.kind == "np" and (before.text.endswith("s") or before.concept == "name"))

    def _english_group(self) -> bool:
        token = self._peek()
        if token.kind != "word":
            return False
        start, negated, no_longer, words = self.i, False, False, []
        lexicon = self.lexicon
        while (low := self._peek().low) in lexicon.negations | {"also", "just", "still", "now", "really", "always", "recently"}:
            negated |= low in lexicon.negations
            no_longer |= low == "no-longer"
            self.i += 1
        verb = self._finite_english()
        if verb is None and self._peek().low not in lexicon.modals:
            self.i = start
            return False
        while True:
            here = self._peek()
            low = here.low
            if low in lexicon.negations:
                negated = True
                no_longer |= low == "no-longer"
            elif low in lexicon.adverbs and words and self._verbal(1, words):
                pass
            elif here.kind == "word" and (not words or self._verbal(0, words)):
                words.append(low)
                self._chain(words)
            elif low in _PARTICLES and words and words[-1] not in lexicon.modals:
                words.append(low)
                self.i += 1
                break
            else:
                break
            self.i += 1
        self.out.append(_english_relation(words, self.words[start : self.i], negated=negated, no_longer=no_longer))
        return True

    def _verbal(self, ahead: int, words: list[str]) -> bool:
        """Whether the next word continues the verb group begun by `words`."""
        token, last = self._peek(ahead), words[-1]
        if token.kind != "word":
            return False
        verb, low = english_verb(token.low), token.low
        last_verb = english_verb(last)
        if last == "to" or last in self.lexicon.modals or (last in {"do", "does", "did"} and len(words) == 1):
            return verb is not None or (low not in _closed("en") and low.isalpha())
        if last_verb is None or verb is None:
            return low.endswith("ed") and last_verb is not None and last_verb.lemma == "be" and low not in self.lexicon.evaluative
        if last_verb.lemma == "be":
            return verb.tense in {"ing"} or low == "been" or (verb.tense in {"part", "past"} and low != "left")
        if last_verb.lemma == "have":
            return verb.tense in {"part", "past"} and (low not in NOUNS_TOO or low == "read")
        if verb.tense == "ing" and last_verb.lemma in _TAKES_ING and ahead == 0:
            return self._object_follows(1)
        return False

    def _object_follows(self, ahead: int) -> bool:
        token = self._peek(ahead)
        low = token.low
        return token.kind in ("name", "value") or (
            token.kind == "word"
            and low not in self.lexicon.prepositions | self.lexicon.conjunctions | self.lexicon.adverbs
            and low not in self.lexicon.subordinators
        )

    def _chain(self, words: list[str]) -> None:
        """Take "to" along where a verb follows it: wants to | learn; used to | live."""
        after, then = self._peek(1), self._peek(2)
        gerund = words[-1].endswith("ing") and words[-1] not in _INTENTIONS
        if after.low == "to" and then.kind == "word" and words[-1] not in self.lexicon.modals and not gerund:
            verb = english_verb(then.low)
            if verb is not None and verb.tense == "base":
                words.append("to")
                self.i += 1

    def _spanish_group(self) -> bool:
        start = self.i
        negated = no_longer = False
        clitic = ""
        while self._peek().low in {"no", "nunca", "jamás", "tampoco", "ya", "también", "ahora", "siempre", "aún", "todavía", "solo"}:
            low = self._peek().low
            negated |= low in self.lexicon.negations
            no_longer |= low == "no" and self.i > start and self.words[self.i - 1].low == "ya"
            self.i += 1
        while self._peek().low in _CLITICS and self._peek().kind == "word":
            following = self._peek(1)
            if following.low not in _CLITICS and not self._spanish_verb(following, strict=True):
                break
            clitic = self._peek().low
            self.i += 1
        verb = self._spanish_verb(self._peek(), strict=False)
        if verb is None or verb.tense in {"part", "gerund", "infinitive"} or not verb.person:
            self.i = start
            return False
        words = [self._peek().low]
        self.i += 1
        while (found := self._spanish_continues(words[-1])) is not None:
            words.extend(found)
        self.out.append(
            _spanish_relation(words, verb, self.words[start : self.i], clitic, negated=negated, no_longer=no_longer)
        )
        return True

    def _spanish_verb(self, token: Token, *, strict: bool) -> VerbForm | None:
        if token.kind != "word":
            return None
        low = token.low
        if strict:
            return spanish_verb_at_start(low)
        if self.out and self.out[-1].kind == "prep" and low != "es":
            return None
        before = self.words[self.i - 1].low if self.i else ""
        clause_start = not self.out or self.out[-1].kind in ("comma", "stop", "neg", "sub", "and", "hey", "adv", "date")
        subject = bool(self.out) and self.out[-1].concept == "name"
        if before in _CLITICS | {"no"} or ((clause_start or subject) and low not in self.lexicon.prepositions):
            return spanish_verb_at_start(low)
        return spanish_verb(low)

    def _spanish_continues(self, last: str) -> list[str] | None:
        """The words that go on with a verb group: participle, gerund, infinitive with or without "a", "que"."""
        token = self._peek()
        form = spanish_verb_at_start(token.low) if token.kind == "word" else None
        lemma = getattr(spanish_verb_at_start(last), "lemma", "")
        if form is not None:
            auxiliary = {"part": {"haber"}, "gerund": {"estar", "seguir", "llevar"}}.get(form.tense)
            if (auxiliary and lemma in auxiliary) or (form.tense == "infinitive" and lemma not in {"ser", "estar"}):
                self.i += 1
                return [token.low]
        following = self._peek(1)
        form = spanish_verb_at_start(following.low) if following.kind == "word" else None
        if token.low in {"a", "que", "de"} and form is not None and form.tense == "infinitive":
            self.i += 2
            return [token.low, following.low]
        return None

    # noun phrases

    def _noun_phrase(self) -> None:
        start = self.i
        owner = article = ""
        owned = ""
        while (low := self._peek().low) in self.lexicon.determiners or low in self.lexicon.possessives:
            if low in self.lexicon.possessives:
                owner, owned = self.lexicon.possessives[low], low
                article = ""
            else:
                article = article or low
            self.i += 1
        if self._peek().kind == "date" and self.i > start and not owned:
            return  # "el 3 de marzo": the date makes its own chunk
        body = self._body(start)
        if not body:
            if self.i == start:
                self._add("adv")
            else:
                self.out.append(Chunk("pron", owned or article))
            return
        chunk = _phrase(body, owner, owned, article, self.language, first=start == 0)
        self.out.append(chunk)
        self._possessor(chunk)
        self._of()

    def _body(self, start: int) -> list[Token]:
        body: list[Token] = []
        while len(body) < 9:
            token = self._peek()
            if token.kind in ("name", "value"):
                if body and (body[-1].kind == token.kind == "name"):
                    break
                # a common noun before a name is apposition ("my brother Luis"), but a brand goes with its noun
                if token.kind == "name" and body and not self._brand(body):
                    break
                if token.kind == "value" and body and body[-1].kind == "name":
                    break
                body.append(token)
            elif token.kind == "word" and self._nominal(token, body, start):
                body.append(token)
            else:
                break
            self.i += 1
        return body

    def _brand(self, body: list[Token]) -> bool:
        if self.language == "es":
            return not self._owned_before(body)
        following = self._peek(1)
        return following.kind == "word" and following.low not in _closed("en") and english_verb(following.low) is None

    def _owned_before(self, body: list[Token]) -> bool:
        at = self.i - len(body) - 1
        return at >= 0 and self.words[at].low in self.lexicon.possessives

    def _nominal(self, token: Token, body: list[Token], start: int) -> bool:
        low, lexicon = token.low, self.lexicon
        closed = (
            lexicon.pronouns | lexicon.prepositions | lexicon.conjunctions | lexicon.subordinators | lexicon.conditionals
            | lexicon.modals | lexicon.negations | lexicon.determiners | frozenset(lexicon.possessives)
        )  # fmt: skip
        if low in NAMING and self._peek(1).kind == "name":
            return False
        if body and self.language == "en" and (_generic(low) or (low.endswith("ed") and body[-1].low.endswith("s"))):
            return False
        if low in closed or (low in lexicon.adverbs and low not in lexicon.evaluative):
            return False
        if low.endswith(("ly", "mente")) and len(low) > 5 and low not in {"family", "assembly", "reply", "italy"}:
            return False
        if low in lexicon.interjections and low not in lexicon.evaluative:
            return False
        determined = self.i > start and not body
        if self.language == "es":
            verb = spanish_verb(low)
            if body and body[-1].kind == "value":
                return True
            return determined or verb is None or verb.tense == "part" or (verb.tense == "infinitive" and not body)
        verb = english_verb(low)
        if determined or verb is None:
            return not (body and body[-1].kind == "name" and low.endswith("s") and len(body) == 1 and start != self.i - 1
                        and self._subject_position(start))
        if verb.lemma in {"be", "have", "do"}:
            return False
        if body and verb.tense in {"s", "past", "part"}:
            return verb.lemma in NOUNS_TOO and not self._subject_position(start)
        if body and body[-1].kind == "name" and self._subject_position(start):
            return False
        if verb.tense == "past" and not body:
            return False
        return not (verb.tense == "base" and low not in NOUNS_TOO)

    def _subject_position(self, start: int) -> bool:
        for chunk in reversed(self.out):
            if chunk.kind in ("comma", "and", "np", "adv", "date"):
                continue
            return chunk.kind not in ("verb", "prep")
        return True

    def _possessor(self, chunk: Chunk) -> None:
        """ "Ana's brother": the phrase so far owns what follows."""
        if self._peek().kind != "poss":
            return
        self.i += 1
        body = self._body(self.i - 1)
        if not body:
            return
        head = _phrase(body, "", "", "", self.language, first=False)
        chunk.inner = [chunk.label] if chunk.concept == "name" else chunk.inner
        owner = chunk.label
        chunk.owner, chunk.head, chunk.concept = owner, head.label, "concept"
        chunk.label = f"{owner}'s {head.label}" if head.label else owner
        chunk.text = chunk.label

    def _of(self) -> None:
        """ "capital of Australia", "hermano de Ana": joined while short, the last part named within."""
        chunk = self.out[-1]
        if self._peek().low not in self.lexicon.of or chunk.concept != "concept":
            return
        if not chunk.label:
            if self.language == "en":  # "a bit of", "lots of"
                self.out.pop()
                self.i += 1
            return
        if self._peek().kind != "word" or self._peek(1).kind in ("date", "value", "clock"):
            return
        mark = self.i
        link = [self._peek().text]
        self.i += 1
        while self._peek().low in self.lexicon.determiners:
            link.append(self._peek().text)
            self.i += 1
        owned = self._peek().low in self.lexicon.possessives
        if owned:
            link.append(self._peek().text)
            self.i += 1
        body = self._body(mark)
        inner = _phrase(body, "", "", "", self.language, first=False) if body else None
        words = len(chunk.label.split()) + (len(inner.label.split()) if inner else 9)
        if inner is None or not inner.label or inner.concept == "value" or words > MAX_LABEL_WORDS:
            self.i = mark
            return
        if inner.concept == "name":
            chunk.inner.append(inner.label)
            if self.language == "es" and not chunk.owner:
                chunk.owner, chunk.head = inner.label, chunk.label
        chunk.label = " ".join([chunk.label, *link, inner.label])


_INTENTIONS = frozenset("going trying planning hoping wanting learning starting beginning".split(" "))
_PARTICLES = frozenset("up out away back down off together".split(" "))
_TAKES_ING = frozenset("start stop keep begin finish try love like enjoy hate practice consider go".split(" "))
_CLITICS = frozenset("me te se nos os le les lo la los las".split(" "))


def _english_relation(words: list[str], said: list[Token], *, negated: bool, no_longer: bool) -> Chunk:
    chunk = Chunk("verb", " ".join(t.text for t in said), negated=negated, no_longer=no_longer)
    chunk.relation = _readable(words)
    main = words[-2] if len(words) > 1 and words[-1] in _PARTICLES else words[-1]
    first, last = english_verb(words[0]), english_verb(main)
    chunk.lemma = last.lemma if last else main
    chunk.tense = first.tense if first else "base"
    planned = words[0] in {"am", "is", "are"} and words[-1].endswith("ing")  # "I am meeting Tom on Friday"
    if words[0] in {"will", "shall"} or "going" in words or planned:
        chunk.tense = "future"
    elif words[0] in _HYPOTHETICAL or words == ["can"]:
        chunk.tense = "hypothetical"
    elif first is not None and first.lemma == "have" and len(words) > 1 and words[1] != "to":
        chunk.tense = "perfect"
    return chunk


_HYPOTHETICAL = frozenset("would could should may might must".split(" "))


def _readable(words: list[str]) -> str:
    """ "am going" → "is going", "did … buy" → "bought", "have adopted" → "adopted", "live" → "lives"."""
    first = english_verb(words[0])
    if len(words) > 1 and words[0] in {"do", "does", "did"} and words[1] != "to":
        return _readable([tensed(words[1], past=words[0] == "did"), *words[2:]])
    if len(words) > 1 and first is not None and first.lemma == "have" and words[1] != "to":
        form = english_verb(words[1])
        if words[1] == "been":
            return " ".join(["has been" if len(words) == 2 else "is", *words[2:]])
        return " ".join([form.third if form else words[1], *words[2:]])
    if first is None:
        unknown = words[0] if words[0].endswith(("ed", "s")) or len(words) > 1 else f"{words[0]}s"
        return " ".join([unknown, *words[1:]])
    head = first.third if first.tense in {"base", "s"} or first.lemma == "be" else words[0]
    return " ".join([head, *words[1:]])


def tensed(base: str, *, past: bool) -> str:
    """A base form in the third person: "live" → "lives", or "lived"."""
    if past:
        return english_past(base)
    form = english_verb(base)
    return form.third if form else f"{base}s"


def _spanish_relation(
    words: list[str], verb: VerbForm, said: list[Token], clitic: str, *, negated: bool, no_longer: bool
) -> Chunk:
    chunk = Chunk("verb", " ".join(t.text for t in said), negated=negated, no_longer=no_longer, clitic=clitic)
    chunk.person, chunk.tense, chunk.lemma = verb.person, verb.tense, verb.lemma
    chunk.relation = " ".join([verb.third, *words[1:]])
    last = spanish_verb_at_start(words[-1])
    if verb.lemma == "haber" and last is not None:
        chunk.lemma = last.lemma
    if verb.lemma == "ir" and len(words) > 1:
        chunk.tense = "future"
    reflexive = clitic == "se" or (clitic, verb.person) in {("me", 1), ("nos", 4), ("te", 2), ("os", 5)}
    if reflexive:
        chunk.relation = f"se {chunk.relation}"
    return chunk


_ARTICLES = frozenset("a an the el la los las un una unos unas".split(" "))


def _phrase(body: list[Token], owner: str, owned: str, article: str, language: str, *, first: bool) -> Chunk:
    """A noun phrase's chunk: praise and empty nouns removed, lower-cased at a sentence's start."""
    lexicon = LEXICONS[language]
    words = list(body)
    junk = lexicon.evaluative | lexicon.interjections
    while words and words[0].kind == "word" and (
        words[0].low in junk or (language == "en" and len(words) > 1 and _generic(words[0].low))
    ):
        words.pop(0)
    while words and words[-1].kind == "word" and words[-1].low in junk:
        words.pop()
    head = words[-1 if language == "en" else 0] if words else None
    text = " ".join(t.text for t in body)
    empty = Chunk("np", text, "", article=article, owner="")
    if head is None or (head.kind == "word" and _empty(head.low, lexicon, alone=len(words) == 1 and not owned and article not in _ARTICLES)):
        return empty
    if len(words) > MAX_LABEL_WORDS:
        words = words[-MAX_LABEL_WORDS:] if language == "en" else words[:MAX_LABEL_WORDS]
    kinds = {t.kind for t in words}
    concept = next(iter(kinds)) if kinds in ({"name"}, {"value"}) else "concept"
    said = [t.text if t.kind != "word" or _acronym(t.text) or not (first and t is body[0]) else t.low for t in words]
    label = " ".join(said)
    inner = [t.text for t in words if t.kind == "name" and concept == "concept" and not _acronym(t.text)]
    if owned and concept == "concept":
        return Chunk("np", text, f"{owned} {label}", concept, owner, label, article, inner)
    return Chunk("np", text, label, concept, owner, label, article, inner)


def _empty(low: str, lexicon: Lexicon, *, alone: bool) -> bool:
    if low in lexicon.junk or len(low) < 2 or low.isdigit():
        return True
    return alone and (low.endswith(ADJECTIVE_ENDINGS) or (lexicon is LEXICONS["en"] and _verb_only(low)))


def _generic(low: str) -> bool:
    """A gerund that names no activity ("getting", "making")."""
    verb = english_verb(low)
    return verb is not None and verb.tense == "ing" and low not in ACTIVITIES


def _verb_only(low: str) -> bool:
    verb = english_verb(low)
    if verb is None:
        return low.endswith("ed") and len(low) > 5
    return _generic(low) or (verb.tense != "ing" and low not in NOUNS_TOO and verb.tense != "s")
