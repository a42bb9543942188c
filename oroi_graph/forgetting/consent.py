"""Whether a speaker surely asks the memory to forget. What is deleted is gone, so what is in doubt is asked back.

In doubt are: another verb than "forget" without a word of the memory ("remove Iker and Marta"), a reason or another
clause behind the name ("forget my boss, he is on holiday"), a limit ("for now"), and an order in a long or pasted text.
"""

from __future__ import annotations

import re

from oroi_graph.extraction.directives import parts
from oroi_graph.language.lexicons.tables import pattern, table, tables
from oroi_graph.model import TurnInput

_ROWS = table(tables("orders"), "doubt")
_OTHER_VERB, _OF_MEMORY, _CLAUSE, _LIMITED, _PASTED = (
    re.compile(pattern(_ROWS, name), re.IGNORECASE)
    for name in ("other_verb", "of_memory", "clause", "limited", "pasted")
)
_LONG = 400  # characters of a turn beside its order, from which the turn is about something else
_ORDER = 400  # characters of an order that one says by oneself
_SHOWN = 80
REDACTED = "a part of it is redacted before anything is kept or looked up: name the thing in other words"


def doubt(turn: TurnInput, asked: str) -> str | None:
    """Why it is not sure that `turn` asks to forget `asked`, and what to say instead; None where it is sure."""
    if turn.redacted:  # a kind of thing ("[email]") stands for all that was redacted
        return REDACTED
    said = [part.text for part in parts(turn.text) if part.forget is not None]
    order = " ".join(said).replace("’", "'") or turn.text
    pasted = len(order) > _ORDER or len(turn.text) - len(order) > _LONG or _PASTED.search(turn.text) is not None
    other = _OTHER_VERB.search(order) is not None and _OF_MEMORY.search(order) is None
    if not (pasted or other or _CLAUSE.search(order) or _LIMITED.search(order)):
        return None
    thing = re.split("[,;:–—]", asked, maxsplit=1)[0].strip()
    shown = thing if len(thing) <= _SHOWN else f"{thing[:_SHOWN]}…"
    why = "it stands in a longer text" if pasted else "it may not be meant for the memory"
    return f"{why}: say “forget everything about {shown}” alone to delete for good what is known of it"
