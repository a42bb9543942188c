"""What goes into the transaction of a turn, and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oroi_graph.entities.mentions import Mention, StatedRelation
from oroi_graph.forgetting.delete import DeletionResult
from oroi_graph.forgetting.plan import DeletionPlan
from oroi_graph.model import Extraction, Match, TurnInput
from oroi_graph.options import Options
from oroi_graph.working_set.transactions import Writing

Vectors = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A turn with everything the models had to say about it; ready for its transaction.

    `failure` is the extractor's error, in which case the turn is kept without concepts and can be retried.
    """

    turn: TurnInput
    extraction: Extraction
    extractor: str
    failure: str | None
    mentions: tuple[Mention, ...]
    lookups: tuple[Mention, ...]
    relations: tuple[StatedRelation, ...]
    vectors: Vectors
    embedding: NDArray[np.float32] | None
    words: str | None = None  # those of the text, packed for late interaction


@dataclass(frozen=True, slots=True)
class Opened:
    """What `open_turn` did. `number` None: the speaker asked that nothing be stored.

    refused: what the turn asks to forget and names nothing that is known.
    """

    number: int | None
    surprise: float = 0.0
    matches: tuple[Match, ...] = ()
    created: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    repeated: bool = False
    failure: str | None = None
    forgotten: DeletionResult | None = None
    refused: DeletionPlan | None = None


class UnknownRelationsError(Exception):
    """Relation phrases met inside the transaction whose vectors are needed: embedded outside, then retried."""

    def __init__(self, phrases: Sequence[str]) -> None:
        super().__init__(", ".join(phrases))
        self.phrases = tuple(phrases)


@dataclass(frozen=True, slots=True)
class TurnContext:
    """Where a turn is written: its transaction and memory, its number, its input, and the id of its episode.

    known: vectors by label or relation phrase, those of `Prepared` and what was asked for since.
    """

    tx: Writing
    memory: str
    number: int
    turn: TurnInput
    record: str
    known: Vectors
    options: Options
