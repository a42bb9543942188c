"""What a speaker orders of the memory itself: "remember that …", "forget …", "don't store this"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

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
_NEVER_MIND = re.compile(r"^(?:forget (?:about )?it|olv[ií]dalo)\b", re.IGNORECASE)  # said without meaning the memory
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


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a turn and the order in it. text: without "remember that". forget: what is to be forgotten."""

    text: str
    remember: bool = False
    forget: str | None = None


def forbids_storage(text: str) -> bool:
    """Whether a turn asks not to be stored: "off the record", "no guardes esto"."""
    return _NO_STORE.search(text.replace("’", "'")) is not None


def parts(text: str) -> Iterator[Part]:
    """Split a turn at its orders. Sentences without one stay together, because pronouns refer across them."""
    plain: list[str] = []
    for sentence in re.split(r"(?<=[.!?\n])\s+(?=\S)", text):
        straight = sentence.replace("’", "'")
        remember, forget = _REMEMBER.match(straight), _FORGET.match(straight)
        if remember is None and forget is None:
            plain.append(sentence)
            continue
        if plain:
            yield Part(" ".join(plain))
            plain = []
        said = sentence[remember.end() :] if remember else sentence
        yield Part(said, remember is not None, _forgotten(forget, sentence) if forget else None)
    if plain:
        yield Part(" ".join(plain))


def _forgotten(match: re.Match[str], sentence: str) -> str | None:
    """What an order to forget names; "that" where it only points at what was said last, None if it is no order."""
    if _NEVER_MIND.match(sentence[match.start("order") :]):
        return None
    said = (match["what"], sentence[match.end("order") :])
    what = next(filter(None, (text.strip(" .!?:,\"'") for text in said)), "")
    if not what and not match["order"].casefold().endswith(("lo", "la")):
        return None
    return "that" if not what or what.casefold() in _POINTING else what
