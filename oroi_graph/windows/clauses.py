"""The verbs of a question and whether they look back: what a time in it is the time of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from oroi_graph.language.detection import Language
from oroi_graph.language.normalize import fold
from oroi_graph.language.verbs.english import english_forms
from oroi_graph.language.verbs.forms import forms_of, verb
from oroi_graph.language.verbs.verb_form import VerbForm
from oroi_graph.windows.grammar.lexicon import TimeLexicon, time_lexicon
from oroi_graph.windows.grammar.tokens import Token

Tense = Literal["past", "now", "ahead", "open"]  # "open": an infinitive, an imperative, a modal
_ENDS = frozenset(".?!;:¿¡")
# The tenses of a verb that an English auxiliary goes with.
_HELPED = {"do": frozenset({"base"}), "have": frozenset({"part", "past"}), "be": frozenset({"ing", "part", "past"})}
# Endings of the future, of verbs that no table has ("haré", "farei").
_FUTURES = {
    "es": ("haré", "diré", "dré", "querré", "rá", "remos", "rán"),
    "pt": ("farei", "direi", "trarei", "rá", "remos", "rão"),
}
_BACK = 5  # words between an auxiliary and its verb


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of a question. `at`: its token; `says`: whether it is done by talking; `asks`: said to the one addressed,
    or of knowing, so that its tense tells nothing of the time asked for."""

    at: int
    lemma: str
    tense: Tense
    says: bool
    asks: bool


def find_verbs(tokens: Sequence[Token], language: Language, taken: frozenset[int]) -> list[Verb]:
    """The verbs of a question in order. taken: tokens of its time expressions."""
    lexicon = time_lexicon(language)
    careless = all(token.text.isascii() for token in tokens)
    found: list[Verb] = []
    for i, token in enumerate(tokens):
        named = token.text[:1].isupper() and not token.text.isupper() and i and tokens[i - 1].form not in _ENDS
        if token.form == "'s" and i and tokens[i - 1].form in lexicon.context.get("contracting", frozenset()):
            found.append(Verb(i, "be", "now", says=False, asks=False))
        if i in taken or not token.form.isalpha() or named:
            continue
        form = _form(token, language, careless) or _first_person(tokens, i, lexicon)
        if form is None or _is_noun(tokens, i, lexicon, form):
            continue
        tense = _english(tokens, i, form, lexicon, found) if language == "en" else _romance(tokens, i, form, lexicon)
        if tense is not None:
            says = form.lemma in lexicon.context["say"]
            if tense == "now" and fold(form.lemma) in lexicon.context["done"]:
                says = False
            found.append(Verb(i, form.lemma, tense, says, _asks(tokens, i, form, lexicon)))
    return found


def _form(token: Token, language: Language, careless: bool) -> VerbForm | None:
    low = token.text.casefold()
    form = verb(low, language)
    if language == "en":
        if form is None and len(low) > 4 and low.endswith("ed"):
            return VerbForm(low.removesuffix("ed"), "past", low)
        return form
    if careless or form is None:  # "hable" and "conto" without their accents are pasts
        past = _pasts(language).get(token.form)
        form = past if past is not None and (form is None or form.tense == "present") else form
    return form or _by_ending(low, language)


def _asks(tokens: Sequence[Token], i: int, form: VerbForm, lexicon: TimeLexicon) -> bool:
    """Whether a verb is a request, or of knowing: "go through it", but not "where do I go"."""
    lemma = fold(form.lemma)
    if lemma not in lexicon.context["neutral"]:
        return False
    if lemma in lexicon.context["knowing"]:
        return True
    if lexicon.language == "en":
        return not {token.form for token in tokens[max(0, i - 2) : i]} & lexicon.context["speakers"]
    return form.tense not in ("present", "future") or form.person not in (1, 4)


def _first_person(tokens: Sequence[Token], i: int, lexicon: TimeLexicon) -> VerbForm | None:
    """A Spanish or Portuguese present that no table has, where a question opens with it or an infinitive follows:
    "¿Trabajo de lunes a …?", "pretendo fazer"."""
    low = tokens[i].text.casefold()
    after = verb(tokens[i + 1].text.casefold(), lexicon.language) if i + 1 < len(tokens) else None
    opens = i == 0 or tokens[i - 1].form in _ENDS or (after is not None and after.tense == "infinitive")
    if (
        lexicon.language == "en"
        or not opens
        or len(low) < 4
        or not low.endswith("o")
        or tokens[i].form in lexicon.function
    ):
        return None
    return VerbForm(low, "present", low, 1)


@cache
def _pasts(language: Language) -> dict[str, VerbForm]:
    """Forms of the past by their spelling without accents."""
    found: dict[str, VerbForm] = {}
    say = time_lexicon(language).context["say"]
    for lemma in say:
        for word in forms_of(lemma, language):
            form = verb(word, language)
            if form is not None and form.tense == "past":
                found[fold(word)] = form
    return found


def _by_ending(low: str, language: Language) -> VerbForm | None:
    """Verbs that no table has, by endings that hardly any noun has."""
    endings = {
        "es": ("aste", "iste", "aron", "ieron", "amos", "imos", "abas", "aba", "aban", "ábamos", "é", "ó"),
        "pt": ("aste", "este", "iste", "ou", "aram", "eram", "iram", "ámos", "ei", "ava", "avas", "avam", "ávamos"),
    }[language]
    if len(low) > 3 and low.endswith(_FUTURES[language]):
        return VerbForm(low, "future", low)
    return VerbForm(low, "past", low) if len(low) > 4 and low.endswith(endings) else None


def _is_noun(tokens: Sequence[Token], i: int, lexicon: TimeLexicon, form: VerbForm) -> bool:
    """Whether a form that may be a noun stands as one: after an article or a possessive."""
    before = tokens[i - 1].form if i else ""
    context = lexicon.context
    if form.tense == "base" and before in context.get("prepositions", frozenset()):
        return True
    return before in context["determiners"] | context["possessives"] and (
        lexicon.language == "en" or form.tense in ("present", "future", "part", "infinitive")
    )


def _english(tokens: Sequence[Token], i: int, form: VerbForm, lexicon: TimeLexicon, before: list[Verb]) -> Tense | None:
    context = lexicon.context
    word = tokens[i].form
    helpers = context["past_auxiliaries"] | context["present_auxiliaries"] | context["future_auxiliaries"]
    if form.lemma in _HELPED and word in helpers:
        if _has_main_verb(tokens, i, lexicon, _HELPED[form.lemma]):
            return None
        if form.lemma == "be":
            return "past" if word in context["past_auxiliaries"] else "now"
    auxiliary = ""
    for j in range(i - 1, max(-1, i - 1 - _BACK), -1):
        said = tokens[j].form
        if said in _ENDS or (before and before[-1].at == j):
            break
        if said in helpers | context["modals"] or said in context["infinitive"]:
            auxiliary = said
            break
    if form.tense == "past":
        return "past"
    if form.tense == "part":
        return "now" if auxiliary in context["present_auxiliaries"] - {"do", "does"} and form.lemma != word else "past"
    if form.tense == "s" or (form.lemma == "have" and word in ("has", "have") and not auxiliary):
        return "now"
    if auxiliary in context["past_auxiliaries"]:
        return "ahead" if auxiliary == "'d" and form.tense == "base" else "past"
    if auxiliary in context["future_auxiliaries"]:
        return "ahead"
    if auxiliary in context["present_auxiliaries"]:
        return "now"
    if auxiliary in context["infinitive"]:
        going = i >= 2 and tokens[i - 2].form in context["future_auxiliaries"]
        return "ahead" if going else "open"
    if auxiliary in context["modals"] or form.tense == "ing":
        return "open"
    return "now" if _has_subject(tokens, i) else "open"


def _has_main_verb(tokens: Sequence[Token], i: int, lexicon: TimeLexicon, tenses: frozenset[str]) -> bool:
    """Whether a verb in one of the tenses follows an English auxiliary within its clause."""
    for j in range(i + 1, min(len(tokens), i + 2 + _BACK)):
        if tokens[j].form in _ENDS:
            return False
        form = english_forms().get(tokens[j].form)
        if form is not None and form.tense in tenses and not _is_noun(tokens, j, lexicon, form):
            return True
    return False


def _has_subject(tokens: Sequence[Token], i: int) -> bool:
    return i > 0 and tokens[i - 1].form in {"i", "you", "we", "they"}


def _romance(tokens: Sequence[Token], i: int, form: VerbForm, lexicon: TimeLexicon) -> Tense | None:
    context = lexicon.context
    if form.tense in ("past", "imperfect"):
        return "past"
    if form.tense == "future":
        return "ahead"
    near = [token.form for token in tokens[max(0, i - 3) : i]]
    if form.tense in ("part", "gerund"):
        helped = any(word in context["past_auxiliaries"] for word in near)
        return "past" if helped else None if form.tense == "part" else "open"
    if form.tense == "infinitive":
        return "ahead" if any(word in context["future_auxiliaries"] for word in near) else "open"
    helping = tokens[i].form in context["past_auxiliaries"] | context["future_auxiliaries"]
    return None if helping and _helps(tokens, i, lexicon.language) else "now"


def _helps(tokens: Sequence[Token], i: int, language: Language) -> bool:
    """Whether a Spanish or Portuguese auxiliary has its verb after it ("he dicho", "vou ligar"); "tenho de ligar" is a
    verb of its own."""
    if i + 1 >= len(tokens) or tokens[i + 1].form in time_lexicon(language).context["infinitive"]:
        return False
    following = [verb(token.text.casefold(), language) for token in tokens[i + 1 : i + 3]]
    return any(form is not None and form.tense in ("part", "gerund", "infinitive") for form in following)


def sentence(tokens: Sequence[Token], first: int, last: int) -> range:
    """The tokens of the sentence that a stretch is in."""
    start, end = first, last
    while start > 0 and tokens[start - 1].form not in _ENDS:
        start -= 1
    while end < len(tokens) and tokens[end].form not in _ENDS:
        end += 1
    return range(start, end)
