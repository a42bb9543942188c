"""The protocols of embedders, extractors, judges, summarizers and relevance filters.

Any object with these members can serve as one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from oroi_graph.model import Extraction, Utterance

Vectors = NDArray[np.float32]


@runtime_checkable
class Embedder(Protocol):
    """Text to unit vectors. Implementations are safe to call from several threads."""

    @property
    def model(self) -> str:
        """The model's name, pinned in every memory that uses it ("multilingual-e5-small-q4-centred")."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of each vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n,) texts → (n, dimensions) float32, each row of Euclidean length 1; (0, dimensions) for none.

        Raises ProviderError when the model fails or answers with another dimension.
        """
        ...


def for_questions(embedder: Embedder) -> Embedder:
    """Who embeds what is asked, if `embedder` embeds what is stored: itself, unless its model tells the two apart.

    Then its `questions` is another embedder of that model, whose vectors lie near those of the texts that answer.
    """
    asking: Embedder = getattr(embedder, "questions", embedder)  # every recall asks: `isinstance` takes far longer
    return asking


@runtime_checkable
class Extractor(Protocol):
    """One turn to what it states. Called once a turn, outside any transaction."""

    @property
    def name(self) -> str:
        """Short name, stored with each episode ("offline", "openai:gpt-4o-mini")."""
        ...

    def extract(self, turn: Utterance, window: Sequence[Utterance]) -> Extraction:
        """What `turn` states; `window` (oldest first) serves only to resolve "it", "that", "also" and to
        find which of the assistant's last statements the speaker takes up.

        First persons stay as said ("I", "my boss"): perception resolves them to the speaker.
        Raises ExtractionError or ProviderError; the turn is then kept without concepts.
        """
        ...


Verdict = Literal["same", "apart", "unsure"]


@dataclass(frozen=True, slots=True)
class ConceptProfile:
    """A concept as a judge sees it: how it is called, and some of the facts that hold of it, as sentences."""

    label: str
    kind: str
    aliases: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()


@runtime_checkable
class Judge(Protocol):
    """Whether two concepts are one: asked in sleep, for what nothing else decides."""

    @property
    def name(self) -> str:
        """Short name, stored with each merge ("openai:gpt-4o-mini")."""
        ...

    def judge(self, pairs: Sequence[tuple[ConceptProfile, ConceptProfile]]) -> list[Verdict]:
        """(n,) pairs → (n,) verdicts. "unsure" leaves a pair as it is, to be asked about another time.

        Raises ProviderError; nothing is merged on an answer that cannot be read.
        """
        ...


@runtime_checkable
class Summarizer(Protocol):
    """Turns an old episode into its gist."""

    @property
    def name(self) -> str:
        """Short name, stored with each gist ("extractive", "openai:gpt-4o-mini")."""
        ...

    def gist(self, text: str, facts: Sequence[str], most: int) -> str:
        """What of `text` is worth keeping, at most `most` characters; `facts` are those it states that still hold.

        Says nothing that `text` does not. "" where nothing is. Raises ProviderError.
        """
        ...


@dataclass(frozen=True, slots=True)
class FoundConversation:
    """A session as a relevance filter sees it: its ISO day ("" if it has none), and what was said, in order."""

    day: str
    lines: tuple[str, ...]


@runtime_checkable
class RelevanceFilter(Protocol):
    """Which conversations are needed to answer a question; asked about questions that name a time."""

    @property
    def name(self) -> str:
        """Short name ("openai:gpt-4o-mini")."""
        ...

    def relevant(self, question: str, today: date | None, conversations: Sequence[FoundConversation]) -> list[int]:
        """The positions of those that are needed, in order, each once; none if none is. Raises ProviderError."""
        ...


@dataclass(frozen=True, slots=True)
class Passage:
    """A record as a reranker sees it: its ISO day ("" if it has none), who said it, and what."""

    day: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Reranked:
    """What a reranker says of passages, by position: which are needed, and which of those a later one replaced.

    words: of some of them the run of their own words that tells what is needed, for where there is little room.
    """

    needed: tuple[int, ...]
    outdated: tuple[int, ...] = ()
    words: Mapping[int, str] = field(default_factory=dict)


@runtime_checkable
class Reranker(Protocol):
    """Which records answer a question; asked about every question, with the likeliest records."""

    @property
    def name(self) -> str:
        """Short name ("openai:gpt-4o-mini")."""
        ...

    def rerank(self, question: str, speaker: str, today: date | None, passages: Sequence[Passage]) -> Reranked:
        """Which of the passages, in the order of the conversation, are needed to answer what `speaker` asks.

        None is needed if none answers. Positions are in ascending order, each once. Raises ProviderError.
        """
        ...
