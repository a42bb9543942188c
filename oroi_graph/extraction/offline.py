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
from oroi_graph.language.sentences import is_small_talk
from oroi_graph.language.stemming import content_words
from oroi_graph.model import ExtractedRelation, Extraction, Utterance

_MAX_RELATIONS = 24

# expressions of events and emotions that a person remembers, with their charge, 0..1
_CHARGES = tuple(
    (re.compile(rf"\b(?:{expressions})\b", re.IGNORECASE), charge)
    for charge, expressions in (
        (0.8, r"died|passed away|murió|falleció|ha muerto|ha fallecido|morreu|faleceu|funeral"),
        (0.8, r"cancer|cáncer|câncer|cancro"),
        (0.7, r"devastated|heartbroken|destrozad[oa]|arrasad[oa]|hundid[oa]"),
        (0.7, r"getting married|got married|got engaged|proposed to me|me caso|nos casamos|me he casado"),
        (0.7, r"(?:vou|vamos) casar|me casei|casei-me|casámos"),
        (0.7, r"pregnant|embarazada|grávida|miscarriage|aborto"),
        (0.7, r"had a baby|gave birth|nació mi|ha nacido|nasceu (?:o meu|a minha|meu|minha)"),
        (0.6, r"lost (?:my|our|his|her) (?:job|house|home)|perdí (?:mi|el) (?:trabajo|empleo)|me han? despedido"),
        (0.6, r"perdi (?:o|meu|o meu) (?:trabalho|emprego)|fui (?:despedid|demitid)[oa]"),
        (0.4, r"divorce|divorcio|divórcio|car accident|accidente|acidente|hospital|terrified|aterrad[oa]"),
        (0.4, r"aterrorizad[oa]|i hate|odio|odeio"),
        (0.3, r"so happy|so proud|thrilled|over the moon|muy feliz|tan feliz|muito feliz|tão feliz|love of my life"),
    )
)  # fmt: skip
_CONFIRMS = re.compile(
    r"^(?:yes|yeah|yep|yup|exactly|right|correct|indeed|absolutely|sure|of course|true|"
    r"that'?s (?:right|it|correct|true)|you'?re right|"
    r"sí|exacto|exactamente|eso es|claro|correcto|así es|efectivamente|cierto|tal cual|"
    r"sim|exato|exatamente|isso mesmo|isso|com certeza|correto|é verdade)\b",
    re.IGNORECASE,
)
_CONFIRMS_INSIDE = re.compile(
    r"(?:^|,)\s*(?:yes|exactly|right|correct|sí|exacto|claro|correcto|sim|exato|isso)\s*(?:,|$|[.!])", re.IGNORECASE
)


class OfflineExtractor:
    """An `Extractor` without model or network. Stateless, safe to share between threads."""

    @property
    def name(self) -> str:
        """ "offline"."""
        return "offline"

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
        return Extraction(
            concepts=chosen_concepts(state),
            relations=rated(state.relations[:_MAX_RELATIONS], text, language),
            uptake=_uptake(text, language, window),
            remember=remember,
            forget=forget,
            charge=max((charge for pattern, charge in _CHARGES if pattern.search(text)), default=0.0),
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
