"""The extractor that needs no model and no network: English, Spanish and Portuguese, by rules.

It reads names, values, noun phrases and the relations of common clause shapes: copula ("Ana is a plumber"),
possession ("Ana's brother Luis"), "my X is Y", subject–verb–object, prepositions of place and time, coordinated
subjects and objects, simple relative clauses; negation, corrections ("actually", "no longer", "not Bilbao but
Madrid", "ya no", "switched from A to B", "stopped working at"), orders to the memory ("remember", "forget", "don't
store this"), strong emotion, and what of an assistant's last turn the speaker confirms. Questions, conditions,
general statements ("dogs bring joy") and praise of what is in sight ("those colours are vivid") state nothing.

Limits. There is no statistical tagger: uncommon verbs are found only after a pronoun or a name, some words get the
wrong word class, and a common noun that begins a sentence may be taken for a name. Pronouns and subjects that
Spanish and Portuguese leave out are resolved only if there is one candidate nearby, else the clause states nothing.
Irony, nested relative clauses, comparisons and frequencies ("on Sundays") are not understood. Reported speech is
read as fact ("Luis says that …"). Strong emotion is a list of expressions. Other languages are read as English.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from oroi_graph.extraction.clauses import MAX_ANALYSED, chosen_concepts, new_turn, read_text
from oroi_graph.extraction.confidence import rated
from oroi_graph.extraction.directives import forbids_storage, parts
from oroi_graph.language.detection import READ, detect
from oroi_graph.language.lexicons.phrases import Sought
from oroi_graph.language.lexicons.tables import pattern, table, tables
from oroi_graph.language.sentences import is_small_talk
from oroi_graph.language.stemming import content_words
from oroi_graph.model import ExtractedRelation, Extraction, Utterance

_MAX_RELATIONS = 24

_ROWS = tables("texts")
_CHARGES = [
    (Sought.words(pattern(table(_ROWS, "charges"), charge)), float(charge)) for charge in table(_ROWS, "charges")
]
_CONFIRMS, _CONFIRMS_INSIDE = (
    re.compile(pattern(table(_ROWS, "confirming"), name), re.IGNORECASE) for name in ("first", "inside")
)


class OfflineExtractor:
    """An `Extractor` without model or network, safe to share between threads.

    rates: whether relations get a confidence; who reads questions, which state nothing, has no use for one.
    """

    name = "offline"

    def __init__(self, *, rates: bool = True) -> None:
        self.rates = rates

    def extract(self, turn: Utterance, window: Sequence[Utterance] = ()) -> Extraction:
        """What `turn` states, by rules; never fails. Only the first MAX_ANALYSED characters are read.

        window: the turns before it, oldest first."""
        text = turn.text[:MAX_ANALYSED]
        if forbids_storage(text):
            return Extraction(store=False)
        hint = detect(window[-1].text, among=READ) if window else None
        language = detect(text, hint, READ)
        state = new_turn(language, turn.at, window, turn.speaker)
        remember, forget = False, None
        for part in parts(text) if not is_small_talk(text) else ():
            if part.forget is not None:
                forget = forget or part.forget
                continue
            remember |= part.remember
            read_text(state, part.text)
        relations = tuple(state.relations[:_MAX_RELATIONS])
        return Extraction(
            concepts=chosen_concepts(state),
            relations=rated(relations, text, language) if self.rates else relations,
            uptake=_uptake(text, language, window),
            remember=remember,
            forget=forget,
            charge=max((charge for sought, charge in _CHARGES if sought.is_in(text)), default=0.0),
        )


def _uptake(text: str, language: str, window: Sequence[Utterance]) -> tuple[ExtractedRelation, ...]:
    """What the assistant's last turn states, as far as this turn confirms it or repeats the head noun of a target."""
    if not window or window[-1].role != "assistant":
        return ()
    last = window[-1]
    state = new_turn(detect(last.text, language, READ), last.at, window[:-1], last.speaker, addressed=True)
    read_text(state, last.text[:MAX_ANALYSED])
    if _CONFIRMS.match(text.strip(" ¡¿")) or _CONFIRMS_INSIDE.search(text):
        return tuple(state.relations[:_MAX_RELATIONS])
    said = set(content_words(text, language))
    return tuple(r for r in state.relations if _head(r.target, language) & said)


def _head(label: str, language: str) -> set[str]:
    """The stem of a label's head noun: the last one in English, the first one in Spanish and Portuguese."""
    stems = content_words(label, language)
    return {stems[-1 if language == "en" else 0]} if stems else set()
