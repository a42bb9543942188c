"""Updates: which earlier statement a new one replaces ("now I live in Bilbao", "…, not Madrid")."""

from __future__ import annotations

from dataclasses import replace

from oroi_graph.extraction.chunking import Chunk
from oroi_graph.extraction.clause_state import COPULA, PRESENT, TurnState
from oroi_graph.language.dates import is_weekday
from oroi_graph.language.relations import ONE_AT_A_TIME, SINGLE_VALUED, is_single_valued, relation_class
from oroi_graph.language.tokens import word_set
from oroi_graph.model import Replaced

CHANGING = word_set("move relocate switch change transfer mudar trasladar transferir cambiar pasar passar trocar")
_DEFINITE = word_set("the el la o a")
_SEVERAL_VALUES = word_set("has likes dislikes speaks") | {"is a", "is allergic to", "is from"}
_HABITS = word_set("plays eats wants needs prefers studies")  # a new one is added, or replaces one after "instead"


def replaced_by(turn: TurnState, relation: str, verb: Chunk, target: Chunk | None) -> bool | Replaced:
    """What the clause's `relation` to `target` replaces: True for the current value of the same relation."""
    if verb.negated:
        return False
    name = relation_class(relation)
    if turn.clause.origin and verb.lemma in CHANGING:
        return Replaced(turn.lexicon.lives if name == "lives in" else relation, turn.clause.origin)
    if name not in SINGLE_VALUED and _has_one_value(turn, verb, target):
        return True
    amount = target is not None and target.concept == "value"  # "actually the budget is 60,000 euros"
    # "now" adds a value to relations that have several; relations of no known class are taken as single-valued
    several = (name in _SEVERAL_VALUES or (name in _HABITS and not turn.switches)) and not amount
    corrects = turn.corrects and verb.tense in PRESENT  # "I used to live in Paris, but now …": only the second
    moved = name == "lives in" and verb.lemma in CHANGING
    return moved or (corrects and (is_single_valued(name) or not several))


def _has_one_value(turn: TurnState, verb: Chunk, target: Chunk | None) -> bool:
    """Whether a definite subject has one value at a time: "my boss is Marta", "the train leaves at 8:40".

    Not "my brother is Luis": there can be another brother."""
    subject = turn.clause.subject
    if subject is None or subject.kind != "np" or subject.concept != "concept" or verb.tense not in PRESENT:
        return False
    if not (subject.owner or subject.article in _DEFINITE) or turn.clause.adjective:
        return False
    if target is None or target.concept == "value":
        return True
    heads = {word.casefold() for word in (subject.head or subject.label).split()}
    single_role = subject.owner == turn.me and not heads & (turn.lexicon.kinship - ONE_AT_A_TIME)
    habitual = is_weekday(target.text)  # "es los jueves"
    return verb.lemma in COPULA and ((target.concept == "name" and single_role) or habitual)


def reject(turn: TurnState, target: str) -> None:
    """Read "…, not Madrid": the last relation of the clause replaces the one to `target`."""
    clause = turn.clause
    clause.rejecting = False
    if clause.found:
        last = clause.found[-1]
        clause.found[-1] = replace(last, replaces=Replaced(last.relation, target))
