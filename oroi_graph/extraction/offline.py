"""The extractor that needs no model and no network: English, Spanish and Portuguese, by rules.

It reads names, values, noun phrases and the relations of common clause shapes: copula ("Ana is a plumber"),
possession ("Ana's brother Luis"), "my X is Y", subject–verb–object, prepositions of place and time, coordinated
subjects and objects, simple relative clauses; negation, corrections ("actually", "no longer", "not Bilbao but
Madrid", "ya no", "switched from A to B", "stopped working at"), "remember", "forget", "don't store this",
strong emotion, and what of an assistant's last turn the speaker confirms. General statements ("dogs bring joy")
and praise of what is before the eyes ("those colours are vivid") state nothing. The grammar is in
the modules beside this one.

What it can't do. It has no statistical tagger: uncommon verbs are found only after a pronoun or a name, some
words are taken for the wrong class, and a common noun that begins a sentence may be taken for a name. "he",
"it" and subjects that Spanish and Portuguese leave out are resolved only where one candidate is near, else dropped.
Irony, nested relative clauses, comparisons and frequencies ("on Sundays") are not understood;
reported speech is read as fact ("Luis says that …"), opinions that are denied state nothing. Strong
emotion is a list of expressions. Other languages are read as English. Nothing is asserted from a question or
a condition ("if", "would").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from oroi_graph.extraction.clauses import MAX_ANALYSED, chosen_concepts, new_turn, read_text
from oroi_graph.language.detection import READ, detect
from oroi_graph.language.sentences import is_small_talk
from oroi_graph.language.stemming import content_words
from oroi_graph.model import ExtractedRelation, Extraction, Utterance

_MAX_RELATIONS = 24

_REMEMBER = re.compile(
    r"^(?:please,? |hey,? |and |so |por favor,? |y )*(?:(?:always |please )?remember|(?:don't|do not) forget|"
    r"keep in mind|"
    r"recuerda|acuérdate de|no (?:te )?olvides(?: de)?|ten en cuenta|"
    r"lembr(?:a|e)(?:-te|-se)?(?: de)?|não (?:te |se )?esque[çc](?:as?|e)(?:-te|-se)?(?: de)?|anot[ae]|"
    r"tenha em (?:conta|mente)|tem em conta)"
    r"(?:(?: that| this| que| esto| isto| isso)?:| that| que)?\s+"
    r"(?:(?<= that )|(?<= que )|(?<=: )|(?=(?:my|our|i|we|mi|mis|(?:[oa]s? )?(?:meus?|minhas?)) ))",
    re.IGNORECASE,
)
_FORGET = re.compile(
    r"^[¿¡]?(?:please,? |ok,? |okay,? |hey,? |actually,? |and |but |now |can you |could you |you can |would you |"
    r"will you |i(?: want|'d like| would like) you to |por favor,? |oye,? |y |pero |ahora |"
    r"(?:puedes|podrías|pode|podes) |"
    r"(?:quiero|quisiera|me gustaría|quero|gostaria) que )*(?:please |por favor |te )*"
    r"(?P<order>forget|erase|delete|remove|olv[ií]da(?:te|lo|la)?|olvid(?:es|ar)|b[oó]rra(?:lo|la)?|borr(?:es|ar)|"
    r"elim[ií]na(?:lo|la)?|elimin(?:es|ar)|esque[çc](?:e|a|as|er)(?:-te|-se)?|apag(?:a|ue|ues|ar))"
    r"(?: (?:about|that|what|everything|lo de|de|que|todo lo que|lo que))*(?![\w'’-])\s*(?P<what>[^\n]*)",
    re.IGNORECASE,
)
# "Forget it", "olvídalo": never mind. What an order points at is the last turn.
_NEVER_MIND = re.compile(r"^(?:forget (?:about )?it|olv[ií]dalo)\b", re.IGNORECASE)
_POINTING = frozenset({"it", "this", "that", "eso", "esto", "lo", "isso", "isto", "eso último", "that last one"})
_NO_STORE = re.compile(
    r"\b(?:(?:don't|do not|never) (?:store|save|record|remember|memori[sz]e|keep) "
    r"(?:this|that|it|any of this)|"
    r"off the record|between (?:you and me|us) only|no (?:guardes|almacenes|recuerdes|registres|apuntes) "
    r"(?:esto|eso|nada)|extraoficialmente|que quede entre nosotros|"
    r"não (?:guard|anot|regist|registr|memoriz|salv|armazen)(?:es?|em|e) (?:isto|isso|nada)|"
    r"(?:que )?fi(?:que|ca) (?:só )?entre nós|em off)\b",
    re.IGNORECASE,
)
# (pattern, charge): what marks a turn as one that nobody forgets
CHARGES = (
    (
        r"\b(?:died|passed away|murió|falleció|ha muerto|ha fallecido|morreu|faleceu|funeral|cancer|cáncer|câncer|"
        r"cancro)\b",
        0.8,
    ),
    (r"\b(?:devastated|heartbroken|destrozad[oa]|arrasad[oa]|hundid[oa])\b", 0.7),
    (
        r"\b(?:getting married|got married|got engaged|proposed to me|me caso|nos casamos|me he casado|"
        r"(?:vou|vamos) casar|me casei|casei-me|casámos)\b",
        0.7,
    ),
    (
        r"\b(?:pregnant|embarazada|grávida|had a baby|gave birth|nació mi|ha nacido|nasceu (?:o meu|a minha|meu|minha)|"
        r"miscarriage|aborto)\b",
        0.7,
    ),
    (
        r"\b(?:lost (?:my|our|his|her) (?:job|house|home)|perdí (?:mi|el) (?:trabajo|empleo)|me han? despedido|"
        r"perdi (?:o|meu|o meu) (?:trabalho|emprego)|fui (?:despedid|demitid)[oa])\b",
        0.6,
    ),
    (
        r"\b(?:divorce|divorcio|divórcio|car accident|accidente|acidente|hospital|terrified|aterrad[oa]|"
        r"aterrorizad[oa]|i hate|odio|odeio)\b",
        0.4,
    ),
    (
        r"\b(?:so happy|so proud|thrilled|over the moon|muy feliz|tan feliz|muito feliz|tão feliz|love of my life)\b",
        0.3,
    ),
)
CONFIRMATIONS = (
    r"^(?:(?:yes|yeah|yep|yup|exactly|right|correct|indeed|absolutely|sure|of course|true|"
    r"that'?s (?:right|it|correct|true)|you'?re right|"
    r"sí|exacto|exactamente|eso es|claro|correcto|así es|efectivamente|cierto|tal cual|"
    r"sim|exato|exatamente|isso mesmo|isso|com certeza|correto|é verdade)\b)"
)
_CONFIRMS = re.compile(CONFIRMATIONS, re.IGNORECASE)
_CONFIRMS_INSIDE = re.compile(
    r"(?:^|,)\s*(?:yes|exactly|right|correct|sí|exacto|claro|correcto|sim|exato|isso)\s*(?:,|$|[.!])", re.I
)
_CHARGES = tuple((re.compile(pattern, re.IGNORECASE), charge) for pattern, charge in CHARGES)


class OfflineExtractor:
    """An `Extractor` without model or network. Stateless, safe to share between threads."""

    @property
    def name(self) -> str:
        """ "offline"."""
        return "offline"

    def extract(self, turn: Utterance, window: Sequence[Utterance] = ()) -> Extraction:
        """What `turn` states, by rules; never fails. Only the first 4,000 characters are read."""
        text = turn.text[:MAX_ANALYSED]
        if _NO_STORE.search(text.replace("’", "'")):
            return Extraction(store=False)
        hint = detect(window[-1].text, among=READ) if window else None
        language = detect(text, hint, READ)
        state = new_turn(language, turn.at, window, turn.speaker)
        remember, forget = False, None
        if not is_small_talk(text):
            for begin, sentence in _directives(text):
                what = _forgotten(sentence)
                if what is not None:
                    forget = forget or what
                    continue
                remember |= begin > 0
                read_text(state, sentence[begin:])
        uptake = _uptake(text, language, window)
        return Extraction(
            concepts=chosen_concepts(state),
            relations=tuple(state.relations[:_MAX_RELATIONS]),
            uptake=uptake,
            remember=remember,
            forget=forget,
            charge=_charge(text),
        )


def _directives(text: str) -> Iterable[tuple[int, str]]:
    """The text in parts, each with the length of a "remember that" at its beginning (0 for none).

    Parts without an order stay together, so that pronouns see across them."""
    plain: list[str] = []
    for sentence in re.split(r"(?<=[.!?\n])\s+(?=\S)", text):
        straight = sentence.replace("’", "'")
        match = _REMEMBER.match(straight)
        if match is None and _FORGET.match(straight) is None:
            plain.append(sentence)
            continue
        if plain:
            yield 0, " ".join(plain)
            plain = []
        yield (match.end() if match else 0), sentence
    if plain:
        yield 0, " ".join(plain)


def _forgotten(sentence: str) -> str | None:
    """What an order to forget names; "that" where it names nothing, and means what the speaker said last."""
    match = _FORGET.match(sentence.replace("’", "'"))
    if match is None or _NEVER_MIND.match(sentence[match.start("order") :]):
        return None
    said = (match["what"], sentence[match.end("order") :])
    what = next(filter(None, (text.strip(" .!?:,\"'") for text in said)), "")
    if not what and not match["order"].casefold().endswith(("lo", "la")):
        return None
    return "that" if not what or what.casefold() in _POINTING else what


def _charge(text: str) -> float:
    return max((charge for pattern, charge in _CHARGES if pattern.search(text)), default=0.0)


def _uptake(text: str, language: str, window: Sequence[Utterance]) -> tuple[ExtractedRelation, ...]:
    """What the assistant's last turn says, if this turn confirms it or takes up its head noun."""
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
    stems = content_words(label, language)
    return {stems[-1] if language == "en" else stems[0]} if stems else set()
