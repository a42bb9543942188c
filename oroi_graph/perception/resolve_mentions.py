"""The mentions of a turn become concept ids: of stored concepts, or of new ones. Nothing is written."""

from __future__ import annotations

from dataclasses import dataclass, field

from oroi_graph.entities.mentions import Mention
from oroi_graph.entities.resolution import CANDIDATES, Resonance, decide, rows
from oroi_graph.language.normalize import digest
from oroi_graph.language.sentences import only_asks
from oroi_graph.model import ConceptKind, Match
from oroi_graph.perception.turn import Prepared, TurnContext
from oroi_graph.working_set.entry import concept_candidates


@dataclass(slots=True)
class Resolved:
    """The concepts of a turn. `resonances` and `matches` are of the mentions, in order; lookups have an id only."""

    resonances: list[Resonance] = field(default_factory=list)
    matches: list[Match] = field(default_factory=list)
    created: list[str] = field(default_factory=list)
    ids: dict[tuple[str, str], str] = field(default_factory=dict)
    kinds: dict[str, ConceptKind] = field(default_factory=dict)

    def id(self, mention: Mention) -> str:
        """The concept id of a mention of this turn."""
        return self.ids[mention.kind, mention.key]

    def knows(self, mention: Mention) -> bool:
        """Whether a mention is a concept of this turn."""
        return (mention.kind, mention.key) in self.ids

    def add(self, mention: Mention, concept: str, kind: ConceptKind) -> None:
        """Note which concept a mention is."""
        self.ids[mention.kind, mention.key] = concept
        self.kinds[concept] = kind


def resolve(context: TurnContext, prepared: Prepared) -> Resolved:
    """Resolve mentions and lookups; mentions that are nothing stored get the id of a new concept.

    A turn that only asks makes none: "What is my dog called?" would leave a concept that its answer does not share.
    """
    asked = [*prepared.mentions, *prepared.lookups]
    memory = context.memory
    found = concept_candidates(context.tx, memory, rows(asked, context.known), CANDIDATES)
    by_row = {row["i"]: row for row in found}
    decided = [decide(mention, by_row[i]) for i, mention in enumerate(asked)]
    asks = all(relation.implied for relation in prepared.relations) and only_asks(context.turn.text)
    mentioned = decided[: len(prepared.mentions)]
    resolved = Resolved([one for one in mentioned if one.match is not None] if asks else mentioned)
    for resonance in decided:
        if resonance.match is not None:
            resolved.add(resonance.mention, resonance.match.concept_id, resonance.match.kind)
    for resonance in resolved.resonances:
        mention, match = resonance.mention, resonance.match
        if match is None:
            concept = digest(memory, context.turn.id, mention.kind, mention.key)
            resolved.add(mention, concept, mention.kind)
            match = Match(concept, mention.label, mention.kind, mention.surface, "new", 1.0)
            resolved.created.append(concept)
        resolved.matches.append(match)
    return resolved
