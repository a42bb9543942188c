"""What a speaker orders of the memory itself: "remember that …", "forget …", "don't store this".

What is quoted orders nothing: words in quotation marks, lines that begin with ">", code between rows of backticks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from oroi_graph.language.lexicons.tables import pattern, patterns, tables

_ROWS = tables("orders")
_REMEMBER, _FORGET, _NEVER_MIND, _NO_STORE, _TAG = (
    re.compile(pattern(_ROWS, name), re.IGNORECASE) for name in ("remember", "forget", "never_mind", "no_store", "tag")
)
_POINTING = frozenset(patterns(_ROWS, "pointing"))
_QUOTED = re.compile(r"“[^”]{0,2000}+”|«[^»]{0,2000}+»|(?<!\w)\"[^\"]{0,2000}+\"|(?<!\w)'[^'\n]{12,400}+'(?!\w)")
_PASTED = re.compile(r"(?m)^[ \t]{0,8}>[^\n]*|^```[^\n]*\n(?:(?!```)[^\n]*\n)*+(?:```|\Z)")
_LONGEST_TAG = 24  # characters
_GAP = re.compile(r"(?<=[.!?\n])\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a turn and the order in it. text: without "remember that". forget: what is to be forgotten."""

    text: str
    remember: bool = False
    forget: str | None = None


def forbids_storage(text: str) -> bool:
    """Whether a turn asks not to be stored: "off the record", "no guardes esto"."""
    return _NO_STORE.search(_unquoted(text.replace("’", "'"))) is not None


def parts(text: str) -> Iterator[Part]:
    """Split a turn at its orders. Sentences without one stay together, because pronouns refer across them."""
    plain: list[str] = []
    # Without the space at its end, each run of spaces is followed by something, and is tried only once.
    text = _without_pasted(text).rstrip()
    straight = _unquoted(text.replace("’", "'"))
    begin = 0
    for end, following in [*(gap.span() for gap in _GAP.finditer(text)), (len(text), len(text))]:
        sentence, bare = text[begin:end], straight[begin:end]
        begin = following
        remember, forget = _REMEMBER.match(bare), _FORGET.match(bare)
        if bare.endswith("?") and not _TAG.search(bare[-_LONGEST_TAG:]):
            remember = None  # "remember my friend Jo?"
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


def only_forgets(text: str) -> bool:
    """Whether a text does nothing but ask to forget something."""
    found = list(parts(text))
    return bool(found) and all(part.forget is not None for part in found)


def _unquoted(text: str) -> str:
    """`text` with spaces, as many, for what is in quotation marks. Straight apostrophes."""
    return _QUOTED.sub(lambda found: " " * len(found.group()), text)


def _without_pasted(text: str) -> str:
    """`text` without lines that begin with ">" and without blocks of code: nobody says what they state."""
    return _PASTED.sub("", text) if ">" in text or "```" in text else text


def _forgotten(match: re.Match[str], sentence: str) -> str | None:
    """What an order to forget names; "that" where it only points at what was said last, None if it is no order."""
    if _NEVER_MIND.match(sentence[match.start("order") :]):
        return None
    said = (match["what"], sentence[match.end("order") :])
    what = next(filter(None, (text.strip(" .!?:,\"'") for text in said)), "")
    if not what and not match["order"].casefold().endswith(("lo", "la")):
        return None
    return "that" if not what or what.casefold() in _POINTING else what
