"""What the package knows of English and Spanish beyond word forms: which language a text is in, who "I" is,
what a question or small talk is, content words, and which relation phrases say the same."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Literal

import snowballstemmer  # type: ignore[import-untyped]
from stop_words import get_stop_words  # type: ignore[import-untyped]

from oroi_graph.grammar.verbs import VerbForm, english_verb, spanish_verb_at_start
from oroi_graph.grammar.words import word_set

Language = Literal["en", "es"]

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


_EN = word_set(
    "the and is are was were of to in it you that this for with my your his her we they have had i'm "
    "it's don't i've "
    "not but be on at what who how do does did will would can could been from or an about just so there "
    "their our "
    "what's that's i'll really thanks yes hey hi lives works i exactly right last week now"
)
_ES = word_set(
    "el la los las un una de del que y en es son está están soy estoy con por para mi mis tu tus su sus "
    "se lo al como "
    "más pero muy qué quién cómo cuándo dónde hay fue era hoy ayer mañana sí gracias hola porque cuando "
    "también ya yo "
    "tengo tiene vivo vive nos le les te eso esto ese esa este esta desde hasta sin sobre vale claro "
    "trabajo adiós"
)
_SPANISH_LETTERS = re.compile(r"[ñ¿¡áíóú]", re.IGNORECASE)
_DETECT_CHARACTERS = 2000  # the beginning of a text is enough to tell its language


def detect(text: str, hint: str | None = None) -> Language:
    """ "en" or "es" by common words and letters; a tie goes to `hint` (the one spoken before), else "en"."""
    words = [w.casefold().replace("’", "'") for w in _WORD.findall(text[:_DETECT_CHARACTERS])]
    english = sum(w in _EN for w in words)
    spanish = sum(w in _ES for w in words) + 0.75 * len(_SPANISH_LETTERS.findall(text[:_DETECT_CHARACTERS]))
    if english == spanish:
        form = spanish_verb_at_start(words[0]) if words else None
        # "Compré pan": a clause that begins with a conjugated verb
        if form is not None and form.person and english_verb(words[0]) is None:
            return "es"
        return "es" if hint == "es" else "en"
    return "es" if spanish > english else "en"


FIRST_PERSON = word_set("i me myself mine we us ourselves ours yo mí mi me conmigo nosotros nosotras nos mío mía") - {
    "mi"
}
SECOND_PERSON = word_set("you yourself yours tú ti usted ustedes vosotros vosotras contigo te")
_POSSESSIVES: dict[str, Language] = {
    "my": "en", "our": "en", "mi": "es", "mis": "es", "nuestro": "es", "nuestra": "es", "nuestros": "es",
    "nuestras": "es",
}  # fmt: skip


def is_first_person(label: str) -> bool:
    """Whether a label is the speaker: "I", "me", "yo", and "we" (what we do, I do)."""
    return label.strip().casefold() in FIRST_PERSON


def possessive(label: str) -> tuple[Language, str] | None:
    """ "my boss" → ("en", "boss"), "mis padres" → ("es", "padres"); None if it is not the speaker's."""
    first, _, head = label.strip().partition(" ")
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


def is_question(text: str) -> bool:
    """Whether a sentence asks: a question mark at its end, an opening one, or inverted word order."""
    text = text.strip()
    return bool(text.rstrip("\"'»”) !").endswith("?") or "¿" in text or _INVERTED.match(text) or _ASKING_ES.match(text))


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
    "venga guay todo te mil saludos"
)
_MAX_SMALL_TALK = 8  # words


def is_small_talk(text: str) -> bool:
    """Whether a text is nothing but greeting, thanks or acknowledgement ("ok, thanks"); empty text is."""
    words = [w.casefold().replace("’", "'") for w in _WORD.findall(text[:200])]
    return len(text) <= 200 and len(words) <= _MAX_SMALL_TALK and all(w in _SMALL_TALK for w in words)


# the package's list is for bag-of-words search engines: these are what people talk about
_KEPT = word_set(
    "computer bill face fire area areas case cases room rooms group groups system member members family "
    "home work "
    "book books detail page pages side trabajo empleo cuenta fin lado lugar parte uso verdad intento "
    "fuerza cosas "
    "trabajar trabaja trabajan trabajas trabajamos emplear dear interest interests problem problems "
    "world year years number point order"
)


_TOPICAL_MARKERS = word_set("lives works trabajo vivo vive week")
# verbs too common to carry a topic
_FUNCTIONAL = word_set(
    "be have do get go come make take say tell see know think want let keep give use need try ask seem mean "
    "put look feel become find happen like ser estar haber tener hacer ir poder decir "
    "querer saber ver dar poner"
)


@cache
def stop_words(language: str) -> frozenset[str]:
    """Words that carry no topic in `language` ("en" or "es")."""
    tongue: Language = "es" if language == "es" else "en"
    listed = frozenset(str(w).casefold() for w in get_stop_words(tongue))
    topical = frozenset(w for w in listed if (verb := _reading(w, tongue)) and verb.lemma not in _FUNCTIONAL)
    marks = _ES if tongue == "es" else _EN
    return (listed | marks) - topical - _KEPT - _TOPICAL_MARKERS


def _reading(word: str, tongue: Language) -> VerbForm | None:
    return spanish_verb_at_start(word) if tongue == "es" else english_verb(word)


@lru_cache(maxsize=20_000)
def stem(word: str, language: str) -> str:
    """The Snowball stem of a word."""
    return str(_stemmer(language).stemWord(word.casefold()))


@cache
def _stemmer(language: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer("spanish" if language == "es" else "english")


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

_BE = r"(?:is|are|am|es|son|soy)"
_CLASSES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        (
            "lives in",
            r"(?:lives|resides|is living|is based|is settled) (?:now )?(?:in|at)|(?:has "
            r")?(?:moved|relocated) "
            r"(?:back )?(?:to|into)|(?:vive|reside|está viviendo) en|se (?:ha "
            r")?(?:mudó|mudado|trasladó|trasladado) a",
        ),
        (
            "works at",
            r"(?:works|is working|is employed) (?:now )?(?:at|for|with|in|by)|employer is|joined as "
            r"employee|"
            r"(?:trabaja|está trabajando) (?:en|para)|(?:empresa|empleador) es",
        ),
        (
            "works as",
            r"(?:works|is working|is employed) as(?: an?)?|(?:job|profession|occupation) is(?: an?)?|"
            r"(?:trabaja|está trabajando) (?:como|de)|se dedica a|(?:profesión|oficio|trabajo) es",
        ),
        (
            "is called",
            r"is (?:called|named)|(?:full )?name is|goes by|se llama|nombre (?:completo )?es|es llamad[oa]",
        ),
        (
            "birthday",
            r"(?:birthday|birth date|date of birth) is(?: on)?|(?:was|is) born(?: on)?|nació(?: el)?|"
            r"(?:cumpleaños|fecha de nacimiento) es(?: el)?|cumple(?: años)?(?: el)?",
        ),
        ("age", r"(?:age|edad) (?:is|es)|is aged|turned|tiene años|cumplió"),
        (
            "is married to",
            r"is married (?:to|with)|(?:has )?married|(?:wife|husband|spouse) (?:is|es)|está casad[oa] con|"
            r"es (?:el marido|la mujer|esposa|esposo) de|se (?:ha )?(?:casó|casado) "
            r"con|(?:marido|esposa|esposo) es",
        ),
        (
            "phone",
            r"(?:phone|telephone|mobile|cell)(?: number)? is|(?:(?:número de )?teléfono|móvil|celular) es",
        ),
        ("e-mail", r"e-?mail(?: address)? is|(?:correo(?: electrónico)?|e-?mail) es"),
        ("address", r"(?:home |postal )?address is|(?:dirección|domicilio) es"),
        (
            "is located in",
            rf"(?:{_BE} )?(?:located|situated|based) (?:in|at)|{_BE} (?:in|at)|lies in|está(?: "
            rf"situad[oa]| ubicad[oa])? "
            r"en|queda en|se (?:encuentra|ubica) en",
        ),
        ("price", r"costs?|price is|is worth|cuesta|costó|vale|precio es"),
        (
            "likes",
            r"(?:really )?(?:likes|loves|enjoys|adores)|is (?:fond of|into|keen on|a fan of)|"
            r"(?:le |les |me |nos )?(?:gusta|gustan|encanta|encantan)|adora|disfruta(?: de)?|ama",
        ),
        ("dislikes", r"(?:hates|dislikes|detests|can't stand)|odia|detesta|no soporta"),
        ("has", r"has|has got|owns|possesses|tiene|posee"),
        ("drives", r"drives|conduce|maneja"),
        ("speaks", r"speaks|habla"),
        (
            "studies at",
            r"(?:studies|is studying) (?:at|in)|attends|goes to school at|(?:estudia|está estudiando) en",
        ),
        ("studies", r"studies|is studying|majors in|estudia|está estudiando"),
        ("plays", r"plays|is playing|juega a|juega|toca"),
        ("eats", r"eats|come"),
        ("is allergic to", r"is allergic to|has an allergy to|es alérgic[oa] a|tiene alergia a"),
        ("is from", r"(?:is|comes) from|es de|viene de|was born at"),
        ("is a", rf"{_BE}(?: an?| the| un| una| el| la)?"),
        ("wants", r"wants|would like|quiere|desea"),
        ("needs", r"needs|necesita"),
        ("prefers", r"prefers|prefiere"),
    )
)
SINGLE_VALUED = word_set("age birthday phone e-mail address price") | {
    "favourite",
    "is called",
    "is located in",
    "is married to",
    "lives in",
    "works as",
    "works at",
}
_FAVOURITE = re.compile(
    r"(?:favou?rite) (?P<en>[\w' -]+?) (?:is|are)(?: an?| the)?|(?P<es>[\w' -]+?) "
    r"(?:favorit|preferid)[oa]s? (?:es|son)"
)


def is_single_valued(name: str | None) -> bool:
    """Whether a class has one value at a time; every "favourite ‹something›" has."""
    return name is not None and (name in SINGLE_VALUED or name.startswith("favourite "))


@lru_cache(maxsize=20_000)
def relation_class(relation: str) -> str | None:
    """The canonical class of an English or Spanish relation phrase in any person ("se mudó a" → "lives in");
    None for phrases in no class. Past states ("lived in", "used to live in") are in none."""
    said = " ".join(relation.casefold().split())
    favourite = _FAVOURITE.fullmatch(said)
    if favourite:
        kind = (favourite["en"] or favourite["es"]).replace("colour", "color")
        return f"favourite {kind}"
    for phrase in (said, _third_person(said)):  # "name is" before "name" is taken for a verb
        found = next((name for name, pattern in _CLASSES if pattern.fullmatch(phrase)), None)
        if found:
            return found
    return None


def _third_person(phrase: str) -> str:
    first, _, rest = phrase.partition(" ")
    if first in {"me", "te", "nos"} and rest:
        verb, _, tail = rest.partition(" ")
        form = spanish_verb_at_start(verb)
        if form and form.person in (1, 2, 4, 5):
            return " ".join(filter(None, ("se", form.third, tail)))
        return phrase
    reading = _verb(first)
    if reading is None or (reading.tense not in {"base", "s"} and not reading.person):
        return phrase
    return " ".join(filter(None, (reading.third, rest)))


def _verb(word: str) -> VerbForm | None:
    english = english_verb(word)
    return english if english and english.tense in {"base", "s"} else spanish_verb_at_start(word)
