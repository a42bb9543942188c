"""What the package knows of English, Spanish and Portuguese beyond word forms: which language a text is in, who "I" is,
what a question or small talk is, content words, and which relation phrases say the same."""

from __future__ import annotations

import re
import threading
from functools import cache, lru_cache
from typing import Literal

import snowballstemmer  # type: ignore[import-untyped]
from stop_words import get_stop_words  # type: ignore[import-untyped]

from oroi_graph.language.relations import FAVOURITE, RELATION_CLASSES
from oroi_graph.language.verbs.english import english_verb
from oroi_graph.language.verbs.forms import verb, verb_at_start
from oroi_graph.language.words import word_set

Language = Literal["en", "es", "pt"]

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


# words that tell a language; those of two are in both lists
_MARKS: dict[Language, frozenset[str]] = {
    "en": word_set(
        "the and is are was were of to in it you that this for with my your his her we they have had i'm it's don't "
        "i've not but be on at what who how do does did will would can could been from or an about just so there their "
        "our what's that's i'll really thanks yes hey hi lives works i exactly right last week now"
    ),
    "es": word_set(
        "el la los las un una de del que y en es son está están soy estoy con por para mi mis tu tus su sus se lo al "
        "como más pero muy qué quién cómo cuándo dónde hay fue era hoy ayer mañana sí gracias hola porque cuando "
        "también ya yo tengo tiene vivo vive nos le les te eso esto ese esa este esta desde hasta sin sobre vale claro "
        "trabajo adiós"
    ),
    "pt": word_set(
        "o os um uma nos de do da das que e em na nas é são está estão sou estou com por para pra meu minha meus "
        "minhas teu tua seu sua seus suas se ao aos à às pelo pela como mais mas muito quem quando onde qual há foi "
        "era hoje ontem amanhã sim obrigado obrigada oi olá porque também já eu tenho tem moro mora vive nós você "
        "vocês isso isto esse essa este esta ele ela dele dela desde até sem sobre agora não então nosso nossa "
        "trabalho tchau dia"
    ),
}
_OWN_LETTERS: dict[Language, re.Pattern[str]] = {
    "es": re.compile(r"ñ|ción\b|ciones\b"),
    "pt": re.compile(r"[ãõçêôâà]|lh|nh|dade\b"),
}
_ACCENTS = re.compile(r"[áéíóú]")
_DETECT_CHARACTERS = 2000  # the beginning of a text is enough to tell its language


READ: tuple[Language, ...] = ("en", "es", "pt")  # what turns are read in


def detect(text: str, hint: str | None = None, among: tuple[Language, ...] = READ) -> Language:
    """The language of a text, one of `among`, by common words, verb forms and letters.

    A tie goes to `hint` (the one spoken before), else to the first of `among`."""
    scores = [(language, score) for language, score in _scores(text[:_DETECT_CHARACTERS]) if language in among]
    best = max(score for _, score in scores)
    tied = [language for language, score in scores if score == best]
    return next((language for language in tied if language == hint), tied[0])


@lru_cache(maxsize=20_000)  # of texts that short most are relation phrases, which recur
def _scores(text: str) -> tuple[tuple[Language, float], ...]:
    """What speaks for each language. Names speak for none, so a capital counts only at the beginning."""
    scores: dict[Language, float] = {"en": 0.0, "es": 1.5 * (text.count("¿") + text.count("¡")), "pt": 0.0}
    if _ARTICLE_AND_NAME.match(text):
        scores["pt"] += 1
    words = [word.replace("’", "'") for word in _WORD.findall(text)]
    for i, word in enumerate(words):
        low = word.casefold()
        named = word != low and low != "i"
        for language, marks in _MARKS.items():
            if low in marks:
                scores[language] += 1
            elif not (named and i):
                form = verb_at_start(low, language) if i == 0 else verb(low, language)
                scores[language] += _VERB if form is not None and (form.person or language == "en") else 0
        if named:
            continue
        accented = 0.75 * len(_ACCENTS.findall(low))
        for language in _OWN_LETTERS:
            scores[language] += accented + len(_OWN_LETTERS[language].findall(low))
    return tuple(scores.items())


_ARTICLE_AND_NAME = re.compile(r"[OA]s? [A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ]+ ")  # "A Joana está": no other language here says so
_VERB = 0.5  # a verb form that a language has; less than a common word, since languages share some


FIRST_PERSON = word_set(
    "i me myself mine we us ourselves ours yo mí me conmigo nosotros nosotras nos mío mía eu mim comigo nós conosco "
    "connosco"
) | {"a gente"}
_MINE: dict[Language, str] = {
    "en": "my our",
    "es": "mi mis nuestro nuestra nuestros nuestras",
    "pt": "meu minha meus minhas nosso nossa nossos nossas",
}
_POSSESSIVES = {word: language for language, words in _MINE.items() for word in words.split()}
_ARTICLE_PT = re.compile(r"^[oa]s? (?=(?:meu|minha|noss[oa])s? )", re.IGNORECASE)


def is_first_person(label: str) -> bool:
    """Whether a label is the speaker: "I", "me", "yo", "eu", and "we" (what we do, I do)."""
    return label.strip().casefold() in FIRST_PERSON


def possessive(label: str) -> tuple[Language, str] | None:
    """ "my boss" → ("en", "boss"), "mis padres" → ("es", "padres"), "a minha irmã" → ("pt", "irmã"); None if it
    is not the speaker's."""
    first, _, head = _ARTICLE_PT.sub("", label.strip()).partition(" ")
    language = _POSSESSIVES.get(first.casefold())
    return (language, head.strip()) if language and head.strip() else None


_INVERTED = re.compile(
    r"^(?:so |and |but |well |hey |ok |okay )*"
    r"(?:(?:what|whose|which|how)\s+\w+\s+"
    r"(?:is|are|was|were|do|does|did|has|have|had|will|would|can|could|should|am)\b"
    r"|(?:what|who|where|when|why|how)(?:'s| is| are| was| were| do| does| did| has| have| will| would| "
    r"can| should)\b"
    r"|(?:do|does|did|is|are|was|were|can|could|would|will|have|has|should|am|don't|didn't|isn't|aren't)\s+"
    r"(?:i|you|he|she|it|we|they|there|this|that|the|my|your)\b)",
    re.IGNORECASE,
)
_ASKING_ES = re.compile(
    r"^(?:y |pero |oye |hola )*(?:a |de |con |en |por "
    r")?(?:qué|quién|quiénes|cuál|cuáles|cómo|cuándo|dónde|cuánto|"
    r"cuánta|cuántos|cuántas)\s",
    re.IGNORECASE,
)


# without a question mark, Portuguese question words begin clauses as often ("Como carne", "Onde moro chove")
_ASKING_PT = re.compile(
    r"^(?:e |mas |oi |olá )*(?:(?:o que|qual|quais|quem|onde|como) (?:é|são|era|foi|fica|está|se chama)|cadê|por que|"
    r"(?:de |com |em |para )(?:quem|onde|qual|quais|que)|quant[oa]s?) ",
    re.IGNORECASE,
)


def is_question(text: str) -> bool:
    """Whether a sentence asks: a question mark at its end, an opening one, or inverted word order."""
    text = text.strip()
    marked = text.rstrip("\"'»”) !").endswith("?") or "¿" in text
    return marked or any(asking.match(text) for asking in (_INVERTED, _ASKING_ES, _ASKING_PT))


_SMALL_TALK = word_set(
    "ok okay k thanks thank you so much very a lot thx ty hi hello hey bye goodbye good morning "
    "afternoon evening night "
    "see later soon talk yes yep yeah yup no nope sure great cool nice awesome perfect alright right got "
    "it i see fine "
    "welcome cheers please wow haha lol understood exactly indeed absolutely definitely agreed of course "
    "how are that's "
    "vale gracias muchas hola adiós buenos buenas días tardes noches hasta luego pronto mañana sí no "
    "claro perfecto "
    "genial estupendo bien muy de nada por favor entendido entiendo ya eso es exacto exactamente qué tal "
    "jaja bueno "
    "venga guay todo te mil saludos "
    "oi olá obrigado obrigada muito bom boa dia tarde noite até amanhã logo sim não tá certo beleza valeu legal ótimo "
    "perfeito exato isso mesmo entendi tchau adeus claro que bem tudo por favor kkk fixe já"
)
_MAX_SMALL_TALK = 8  # words


def is_small_talk(text: str) -> bool:
    """Whether a text is nothing but greeting, thanks or acknowledgement ("ok, thanks"); empty text is."""
    words = [w.casefold().replace("’", "'") for w in _WORD.findall(text[:200])]
    return len(text) <= 200 and len(words) <= _MAX_SMALL_TALK and all(w in _SMALL_TALK for w in words)


# the package's list is for bag-of-words search engines: these are what people talk about
_KEPT = word_set(
    "computer bill face fire area areas case cases room rooms group groups system member members family home work "
    "book books detail page pages side trabajo empleo cuenta fin lado lugar parte uso verdad intento fuerza cosas "
    "trabajar trabaja trabajan trabajas trabajamos emplear trabalho emprego família casa filho filhos dear interest "
    "interests problem problems world year years number point order"
)


_TOPICAL_MARKERS = word_set("lives works trabajo vivo vive week moro mora trabalho dia")
# verbs too common to carry a topic
_FUNCTIONAL = word_set(
    "be have do get go come make take say tell see know think want let keep give use need try ask seem mean "
    "put look feel become find happen like ser estar haber tener hacer ir poder decir "
    "querer saber ver dar poner ter haver fazer pôr ficar"
)


@cache
def stop_words(language: str) -> frozenset[str]:
    """Words that carry no topic in `language` ("en", "es" or "pt")."""
    tongue = _known(language)
    listed = frozenset(str(w).casefold() for w in get_stop_words(tongue))
    topical = frozenset(w for w in listed if (form := verb_at_start(w, tongue)) and form.lemma not in _FUNCTIONAL)
    return (listed | _MARKS[tongue]) - topical - _KEPT - _TOPICAL_MARKERS


def _known(language: str) -> Language:
    """`language` if it is one of those known here, else English."""
    return language if language in _STEMMERS else "en"  # type: ignore[return-value]


_STEMMERS = {"en": "english", "es": "spanish", "pt": "portuguese"}


@lru_cache(maxsize=20_000)
def stem(word: str, language: str) -> str:
    """The Snowball stem of a word."""
    return str(_stemmer(language).stemWord(word.casefold()))


def _stemmer(language: str) -> snowballstemmer.stemmer:
    """A stemmer of the calling thread's own: it keeps state while it stems."""
    known = _PER_THREAD.__dict__
    if language not in known:
        known[language] = snowballstemmer.stemmer(_STEMMERS[_known(language)])
    return known[language]


_PER_THREAD = threading.local()


def content_words(text: str, language: str) -> tuple[str, ...]:
    """Stems of the words of `text` that are no stop words, in order, repeats kept; numbers count as words."""
    found = (_content_stem(word, language) for word in _CONTENT.findall(text))
    return tuple(word for word in found if word is not None)


_CONTENT = re.compile(r"\w+(?:['’]\w+)?")


@lru_cache(maxsize=50_000)  # a recall asks for the words of some hundred labels and records, mostly the same words
def _content_stem(word: str, language: str) -> str | None:
    """The stem of one word as written, without its clitic; None for a stop word."""
    bare = re.sub(r"['’]s?$|['’]\w+$", "", word.casefold())
    return stem(bare, language) if bare and bare not in stop_words(language) else None


# --- relations -------------------------------------------------------------------------------------------

SINGLE_VALUED = word_set("age birthday phone e-mail address price") | {
    "favourite",
    "is called",
    "is located in",
    "is married to",
    "lives in",
    "works as",
    "works at",
}


def is_single_valued(name: str | None) -> bool:
    """Whether a class has one value at a time; every "favourite ‹something›" has."""
    return name is not None and (name in SINGLE_VALUED or name.startswith("favourite "))


@lru_cache(maxsize=20_000)
def relation_class(relation: str) -> str | None:
    """The canonical class of a relation phrase of any language, in any person ("se mudó a" → "lives in"); None for
    phrases in no class. Past states ("lived in", "used to live in") are in none."""
    said = " ".join(relation.casefold().split())
    favourite = FAVOURITE.fullmatch(said)
    if favourite:
        kind = (favourite["en"] or favourite["es"]).replace("colour", "color")
        return f"favourite {kind}"
    for phrase in (said, _third_person(said)):  # "name is" before "name" is taken for a verb
        found = next((name for name, pattern in RELATION_CLASSES if pattern.fullmatch(phrase)), None)
        if found:
            return found
    return None


def _third_person(phrase: str) -> str:
    first, _, rest = phrase.partition(" ")
    if first in {"me", "te", "nos"} and rest:
        word, _, tail = rest.partition(" ")
        for language in _ROMANCE:
            form = verb_at_start(word, language)
            if form and form.person in (1, 2, 4, 5):
                return " ".join(filter(None, ("se", form.third, tail)))
        return phrase
    form = english_verb(first)
    if form is None or form.tense not in {"base", "s"}:
        form = next((f for tongue in _ROMANCE if (f := verb_at_start(first, tongue)) and f.person), None)
    return " ".join(filter(None, (form.third, rest))) if form else phrase


_ROMANCE: tuple[Language, ...] = ("es", "pt")
