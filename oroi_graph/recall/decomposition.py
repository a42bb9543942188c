"""Questions that ask for two things at once ("Where does she live, and what is her job?")."""

from __future__ import annotations

import re

LEAST_PART = 3  # words of a question

_TWO = re.compile(
    r"\b(?:and|y|e)(?: (?:in|at|on|by|with|for|from|to|en|de|con|por|para|a|em|com))? "
    r"(?:who|whom|whose|what|which|where|when|how|why|quién|quiénes|qué|cuál|cuáles|d[óo]nde|cu[áa]ndo|cómo"
    r"|cu[áa]nt[oa]s?|quem|qual|quais|que|onde|quando|como|quant[oa]s?)\b",
    re.IGNORECASE,
)
_OF_THEM = re.compile(r"\b(?:his|her|its|their|(?:de )?(?:ella|él|ele|ela))\b", re.IGNORECASE)
_THEY = re.compile(r"\b(?:she|he|it|they|ella|él|ela|ele)\b", re.IGNORECASE)
# What a question is about: a name, or "the …" and "my …" with all that belongs to it.
_NOUN = r"(?!(?:is|are|was|were|do|does|did|es|son|era|está|é|são)\b)[^\W\d_]+"
_THING = rf"\b(?:the|my|our|el|la|los|las|mis?|nuestr[oa]s?|minha|meu) {_NOUN}(?:['’]s {_NOUN})*"
_IS_WHAT = re.compile(
    r"[¿¡]?\w+(?:['’]s| (?:is|are|was|were|es|son|era|está|están|se llaman?|é|são|fica))"
    rf" (?P<what>{_THING}(?: [^\W\d_]+){{0,6}})$",
    re.IGNORECASE,
)
_SUBJECT = re.compile(rf"{_THING}(?: (?:of|del?|d[oa]s?) (?:{_THING}|{_NOUN}))*")
_NAMES_SOMETHING = re.compile(
    r"(?<=[\w,;:] )[A-ZÀ-ÖØ-Þ][^\W_]+|\b(?:the|an?|my|our|your|his|her|its|their|el|los|unos?|unas?|mis?|tus?|sus?"
    r"|nuestr[oa]s?|um|uma|meu|minha|seu|sua)\b"
)
_WHO = re.compile(r"(?<=[\w,;:] )([A-ZÀ-ÖØ-Þ][^\W_]+)(?:['’]s)?(?!\w)")


def parts(text: str) -> list[str]:
    """A question that asks for two things at once, as two; "her" and "she" of the second stand for who the first names.

    A second part that says neither is about the same: whom or what the first one names is put at its end.
    """
    found = _TWO.search(text)
    if found is None or len(text[: found.start()].split()) < LEAST_PART:
        return [text]
    first, second = text[: found.start()].strip(" ,;"), text[found.start() :].split(" ", 1)[1]
    names, subject = _WHO.findall(first), _SUBJECT.search(first)
    whole = _IS_WHAT.match(first)
    stands_for = names[-1] if names else whole["what"] if whole else subject.group() if subject else ""
    if not stands_for:
        return [f"{first}?", second]
    told = _THEY.sub(stands_for, _OF_THEM.sub(f"{stands_for}'s", second))
    if told == second and not _NAMES_SOMETHING.search(second):
        told = f"{second.rstrip(' ?')}, {stands_for}?"
    return [f"{first}?", told]
