"""Verb forms of English: common verbs, from a form to its lemma, tense and readable third person."""

from __future__ import annotations

import re
from functools import cache

from oroi_graph.language.lexicons.tables import entries, table, tables, words
from oroi_graph.language.verbs.verb_form import VerbForm

_VERBS = table(tables("en"), "verbs")
_DOUBLING = words(_VERBS, "doubling")
NOUNS_TOO = words(_VERBS, "nouns_too")  # verbs that are nouns as well


def _english_s(base: str) -> str:
    if re.search(r"(?:s|x|z|ch|sh|o)$", base):
        return f"{base}es"
    return f"{base[:-1]}ies" if re.search(r"[^aeiou]y$", base) else f"{base}s"


def _english_ed(base: str) -> str:
    if base.endswith("e"):
        return f"{base}d"
    if re.search(r"[^aeiou]y$", base):
        return f"{base[:-1]}ied"
    return f"{base}{base[-1]}ed" if base in _DOUBLING else f"{base}ed"


def _english_ing(base: str) -> str:
    if base.endswith("ie"):
        return f"{base[:-2]}ying"
    if base.endswith("e") and not base.endswith(("ee", "be")):
        return f"{base[:-1]}ing"
    return f"{base}{base[-1]}ing" if base in _DOUBLING else f"{base}ing"


@cache
def english_forms() -> dict[str, VerbForm]:
    """Form → reading. Where two verbs share a form, the past of an irregular one wins ("left", "found")."""
    table: dict[str, VerbForm] = {}
    for base in sorted(words(_VERBS, "regular")):
        _enter_english(table, base, _english_ed(base), _english_ed(base))
    for base, forms in entries(_VERBS, "irregular"):
        past, part = forms.split()
        _enter_english(table, base, past, part)
    table["has"] = VerbForm("have", "s", "has")
    table["does"] = VerbForm("do", "s", "does")
    for form in ("is", "am", "are", "'m", "'re"):
        table[form] = VerbForm("be", "s", "is")
    table["were"] = VerbForm("be", "past", "was")
    return table


def _enter_english(table: dict[str, VerbForm], base: str, past: str, part: str) -> None:
    third = {"have": "has", "be": "is"}.get(base, _english_s(base))
    table[_english_s(base)] = VerbForm(base, "s", third)
    table[_english_ing(base)] = VerbForm(base, "ing", f"is {_english_ing(base)}")
    table[base] = VerbForm(base, "base", base if base == past else third)
    if part != base:
        table[part] = VerbForm(base, "part", past)
    if past != base:
        table[past] = VerbForm(base, "past", past)


def english_verb(word: str) -> VerbForm | None:
    """The reading of an English verb form (lower case), None if unknown."""
    return english_forms().get(word)


@cache
def _english_past() -> dict[str, str]:
    pasts = {form.lemma: word for word, form in english_forms().items() if form.tense == "past" and word != "were"}
    return {**pasts, "be": "was"}


def english_past(base: str) -> str:
    """The simple past of a base form ("buy" → "bought")."""
    return _english_past().get(base, base if (f := english_verb(base)) and f.third == base else _english_ed(base))
