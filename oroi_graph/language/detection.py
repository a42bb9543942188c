"""What the package knows of English, Spanish and Portuguese beyond word forms: which language a text is in, who "I" is,
what a question or small talk is, content words, and which relation phrases say the same."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.forms import verb, verb_at_start

Language = Literal["en", "es", "pt"]

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


# words that tell a language; those of two are in both lists
COMMON_WORDS: dict[Language, frozenset[str]] = {
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
    words = [word.replace("’", "'") for word in WORD.findall(text)]
    for i, word in enumerate(words):
        low = word.casefold()
        named = word != low and low != "i"
        for language, marks in COMMON_WORDS.items():
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


# --- relations -------------------------------------------------------------------------------------------
