"""Numbers in labels: what is numbered differently is different, whatever else two labels have in common.

"Server4" and "Server24", "Rocky II" and "Rocky III", "plan A" and "plan B", "grupo dos" and "grupo tres".
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from oroi_graph.language.normalize import fold
from oroi_graph.language.numbers import NUMBERS, SINGLE

_DIGITS = re.compile(r"[^\W_]*\d[^\W_]*")
_WORD = re.compile(r"[^\W\d_]+")
# At the end of a label: a Roman numeral, or a letter that counts.
_ORDINAL = re.compile(r"\w\W+(?P<last>[IVXLCDM]+|[A-Z])\W*\Z")
_SPELLED = {
    fold(word): value for language in NUMBERS.values() for word, value in language.items() if word not in SINGLE
}
_KEPT = 50_000  # labels that are remembered: the same ones are compared over and over

_Numbers = tuple[tuple[str, ...], tuple[int, ...], str]


def numbered_apart(a: str, b: str) -> bool:
    """Whether two labels bear different numbers, or numbers in another order.

    Digits always count. Number words, Roman numerals and letters count where both labels have some: "one" may be a
    pronoun, and a label may end in a capital for another reason.
    """
    digits_a, words_a, last_a = _numbers(a)
    digits_b, words_b, last_b = _numbers(b)
    return (
        digits_a != digits_b
        or bool(words_a and words_b and words_a != words_b)
        or bool(last_a and last_b and last_a != last_b)
    )


@lru_cache(_KEPT)
def _numbers(label: str) -> _Numbers:
    # Before folding: it makes letters of Roman numerals ("ⅳ"), and digits of exponents.
    signs = [f"{unicodedata.numeric(char)}" for char in label if unicodedata.category(char) in ("Nl", "No")]
    digits = _DIGITS.findall(fold(label)) if not signs else [*_DIGITS.findall(label.casefold()), *signs]
    words = (_SPELLED.get(fold(word)) for word in _WORD.findall(label))
    last = _ORDINAL.search(label)
    return tuple(digits), tuple(word for word in words if word is not None), last["last"] if last else ""
