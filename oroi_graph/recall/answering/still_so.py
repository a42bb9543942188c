"""What of a record still holds, when something else that it says was replaced.

"I'm learning Portuguese, as we're going to Porto in May" says what holds although the journey goes elsewhere now.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from oroi_graph.language.detection import detect
from oroi_graph.language.normalize import fold, names_one
from oroi_graph.language.stemming import content_words

_JOINING = "(?:and|but|because|so|since|although|y|pero|porque|aunque|e|mas|pois|embora) "
# Where a clause ends: at a mark, or before a conjunction.
_END = re.compile(rf"(?<=[,;:.!?…)])\s+|\n+|\s+[—–-]\s+|\s+(?={_JOINING})", re.IGNORECASE)
_LEADING = re.compile(rf"\A{_JOINING}", re.IGNORECASE)
_LEAST = 2  # content words that what is left must say
_GAP = "…"


def still_so(text: str, replaced: Collection[str]) -> str | None:
    """The text without the clauses that name what was replaced, "…" in their place.

    replaced: the labels of the ends of replaced facts, one at least. None if one of them is named nowhere, so that its
    clause is unknown, or if what is left says too little.
    """
    names = [fold(label) for label in replaced]
    clauses = [clause for clause in _END.split(text) if clause.strip()]
    folded = [fold(clause) for clause in clauses]
    if not all(any(names_one(clause, [name]) for clause in folded) for name in names):
        return None
    kept: list[str] = []
    for clause, low in zip(clauses, folded, strict=True):
        if not names_one(low, names):
            kept.append(clause.strip() if kept and kept[-1] != _GAP else _LEADING.sub("", clause.strip()))
        elif not kept or kept[-1] != _GAP:
            kept.append(_GAP)
    rest = " ".join(kept)
    return rest if len(set(content_words(rest, detect(text)))) >= _LEAST else None
