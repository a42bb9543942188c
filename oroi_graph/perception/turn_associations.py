"""What a turn does to associations: new, repeated, superseded and contested ones, and pairs mentioned together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oroi_graph.perception.association_rows import AssociationRows
from oroi_graph.perception.decide_facts import DecidedFact
from oroi_graph.perception.resolve_mentions import Resolved
from oroi_graph.perception.turn import TurnContext
from oroi_graph.perception.turn_rows import association_row, kept_confidence, link_rows
from oroi_graph.storage.store import Row


@dataclass(frozen=True, slots=True)
class Statements:
    """What a turn states. associations: as they are afterwards. taken_up: ids that the assistant's `reply` gets, since
    its words are taken up. parameters: of the statement that writes the turn."""

    associations: AssociationRows
    reply: str | None
    taken_up: list[str]
    parameters: Row

    @classmethod
    def of(
        cls, context: TurnContext, resolved: Resolved, facts: Sequence[DecidedFact], last_reply: str | None
    ) -> Statements:
        """From the decided facts, and the "maybe same" links of new names. last_reply: id of the reply before."""
        rows = AssociationRows(context.tx.held, context.number)
        created, repeats = link_rows(context, resolved), list[tuple[DecidedFact, list[str]]]()
        superseded, contested, taken_up = list[Row](), list[str](), list[str]()
        for fact in facts:
            uptake = [last_reply] if fact.relation.uptake and last_reply else []
            records = [*uptake, context.record]
            if fact.outcome.repeats:
                repeats.append((fact, records))
            else:
                created.append(association_row(context, fact, records))
            superseded += [{"id": id, "by": fact.association} for id in fact.outcome.supersedes]
            contested += fact.outcome.contested
            taken_up += [fact.association] if uptake else []
        created = [row for row in created if rows.create(row)]
        dynamics = context.options.dynamics
        repeated = [
            rows.repeat(fact.association, records, kept_confidence(fact), dynamics) for fact, records in repeats
        ]
        for row in superseded:
            rows.supersede(row["id"])
        for id in contested:
            rows.contest(id)
        reply = last_reply if taken_up else None
        parameters = {
            "created": created,
            "repeated": repeated,
            "superseded": superseded,
            "contested": contested,
            "reply": reply,
            "taken_up": taken_up,
        }
        return cls(rows, reply, taken_up, parameters)


def coincidences(context: TurnContext, resolved: Resolved, facts: Sequence[DecidedFact]) -> list[list[str]]:
    """Co-mentions without a stated relation. Selves are left out: a speaker is mentioned with everything."""
    related = {frozenset((fact.stated.source, fact.stated.target)) for fact in facts}
    mentioned = list(dict.fromkeys(m.concept_id for m in resolved.matches if m.kind != "self"))
    pairs = [
        sorted((a, b)) for i, a in enumerate(mentioned) for b in mentioned[i + 1 :] if frozenset((a, b)) not in related
    ]
    return pairs[: context.options.dynamics.coincidence_pairs]
