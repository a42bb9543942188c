"""One spelling for what can be written in several ways: Unicode forms, quotes, dashes, spaces, dotted capitals."""

from __future__ import annotations

import re
import unicodedata

_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‛′`´", "'"),
        **dict.fromkeys("“”„‟«»″", '"'),
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        "×": "x",
        "⁄": "/",
        "µ": "μ",
    }
)
# Invisible: soft hyphens, zero-width characters, direction marks, variation selectors.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]")
_SPACES = re.compile(r"[\s\x00-\x1f\x7f]+")
_DOTTED = re.compile(r"(?<!\w)(?:[^\W\d_]{1,2}\.\s?){2,}")
_CONTRACTIONS = ((r"\bcan't\b", "can not"), (r"\bwon't\b", "will not"), (r"n't\b", " not"), (r"\bcannot\b", "can not"))
_EDGES = " \"'.,;:!?¡¿…"


def plain(value: str) -> str:
    """NFKC, one kind of quote and dash, no invisible characters, single spaces; letters keep their case."""
    joined = _INVISIBLE.sub("", unicodedata.normalize("NFKC", value))
    return _SPACES.sub(" ", joined.translate(_SAME)).strip()


def readable(value: str) -> str:
    """`plain`, shouting in small letters, "U.S.A." as "USA", and English contractions apart."""
    text = _DOTTED.sub(_undotted, plain(value))
    letters = [char for char in text if char.isalpha()]
    if len(letters) > 5 and all(char.isupper() for char in letters) and not any(char.isdigit() for char in text):
        text = text.lower()
    for short, long in _CONTRACTIONS:
        text = re.sub(short, long, text, flags=re.IGNORECASE)
    return text


def canonical(value: str) -> str:
    """What two writings of one value share: `plain`, case folded, without quotes and the punctuation at its ends.

    Full stops, commas, signs, dashes and brackets inside stay, for they may belong to a number or a name.
    """
    text = plain(plain(value).casefold())
    # A sign or a decimal point before the first digit belongs to a number, and what closes a bracket to the bracket.
    while text and (stripped := _without_edges(text)) != text:
        text = stripped
    return text or plain(plain(value).casefold())


def _without_edges(text: str) -> str:
    first = text[0] in _EDGES and not (text[0] in ".," and text[1:2].isdigit())
    last = text[-1] in _EDGES and not _apostrophe(text)
    return text[first : len(text) - last] if first or last else text


def _apostrophe(text: str) -> bool:
    """Whether the last sign is a prime after a number: feet, minutes or inches."""
    return text[-1] in "'\"" and text[-2:-1].isdigit() and text.count(text[-1]) % 2 == 1


def _undotted(match: re.Match[str]) -> str:
    said = match.group()
    if not any(char.isupper() for char in said):
        return said
    return re.sub(r"[.\s]", "", said) + (" " if said.endswith(" ") else "")
