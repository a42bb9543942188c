"""An offline token counter: an upper estimate that needs no model's vocabulary.

A word costs one token for every started four characters (so an ordinary word costs one or two), any other
visible character costs one: on average more than byte-pair and word-piece vocabularies charge for ordinary English
prose, so a brief does not cost the caller more than it was given. A test compares it with the (English) word-piece
vocabulary of the default embedding model, which charges up to a sixth more than this for Spanish.
"""

from __future__ import annotations

import re

_PIECE = re.compile(r"\w+|[^\w\s]")
_CHARACTERS = 4


def count_tokens(text: str) -> int:
    """Estimated tokens of `text`, 0 for nothing but spaces."""
    return sum(-(-len(piece) // _CHARACTERS) for piece in _PIECE.findall(text))
