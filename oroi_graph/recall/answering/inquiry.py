"""A question read and embedded, and beside what it is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from oroi_graph.language.normalize import without_names
from oroi_graph.language.parsed_text import ParsedText
from oroi_graph.options import Options
from oroi_graph.providers.protocols import Embedder, for_questions
from oroi_graph.providers.word_vectors import embedded
from oroi_graph.recall.decomposition import criteria
from oroi_graph.recall.question import Question, read_question
from oroi_graph.recall.ranking.stressed import asks_for_reminders
from oroi_graph.recall.request import Readers, RecallRequest
from oroi_graph.recall.time_windows.scope import Scope, scope_of
from oroi_graph.storage.store import Row
from oroi_graph.working_set.transactions import Reading

_Vector = tuple[NDArray[np.float32], str | None]  # a text's vector, and its packed words


@dataclass(frozen=True, slots=True)
class EmbeddedQuestion:
    """A question with its vectors. bare: its text without the names of speakers, and vector: its vector.

    spans: vectors of the spans, by text. words: those of `bare`, packed for late interaction;
    criteria: the same for each criterion. dimensions, model: of the embedder. scope: the time it asks for, if it does.
    """

    question: Question
    scope: Scope | None
    bare: str
    vector: NDArray[np.float32]
    spans: Row
    words: str | None
    criteria: Sequence[str | None]
    dimensions: int
    model: str


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One question, beside the working set of the memory that it is asked of.

    tx: the transaction of all that is read for it. whole: all that was asked, if that was several questions.
    """

    tx: Reading
    memory: str
    asked: EmbeddedQuestion
    request: RecallRequest
    options: Options
    whole: ParsedText | None = None

    @property
    def question(self) -> Question:
        """The question as it is looked up."""
        return self.asked.question

    @property
    def said(self) -> ParsedText:
        """All that was asked."""
        return self.whole or self.question.parsed

    @property
    def scope(self) -> Scope | None:
        """The time it asks for, if it does."""
        return self.asked.scope


def embed_question(parsed: ParsedText, request: RecallRequest, readers: Readers, options: Options) -> EmbeddedQuestion:
    """Read and embed one question. What names its time is no cue: its windows stand for it.

    The words of a time of saying are not searched for, either; those of an event's time are: records say them, too.
    """
    scope = scope_of(parsed, request, readers.windows) if options.search.windows else None
    text = parsed.text if scope is None or not scope.reading.theme else scope.reading.theme
    question = read_question(text, request.speaker, request.at, readers.extractor)
    if scope is not None and scope.happened:
        question = replace(question, parsed=parsed)
    if request.turn and not asks_for_reminders(question.text, question.language, turn=True):
        question = replace(question, reminding=False)
    bare = without_names(question.text, request.protagonists)
    several = criteria(ParsedText(bare, question.parsed.language), options.selection)
    labels = dict.fromkeys(span.label for span in question.spans if span.kind == "concept")
    asked, named = _vectors(readers.embedder, dict.fromkeys([bare, *several]), labels)
    vector, words = asked[bare]
    said = [asked[one][1] for one in several]
    spans = {label: named[label][0] for label in labels}
    embedder = readers.embedder
    return EmbeddedQuestion(question, scope, bare, vector, spans, words, said, embedder.dimensions, embedder.model)


def _vectors(
    embedder: Embedder, questions: Iterable[str], labels: Iterable[str]
) -> tuple[Mapping[str, _Vector], Mapping[str, _Vector]]:
    """The vectors and packed words of what is asked and of what is named in it, by text.

    In one call, which may be a service's, unless the embedder tells questions from what answers them.
    """

    def embed(by: Embedder, texts: Iterable[str]) -> Mapping[str, _Vector]:
        texts = list(texts)
        return dict(zip(texts, zip(*embedded(by, texts), strict=True), strict=True)) if texts else {}

    asking = for_questions(embedder)
    if asking is embedder:
        together = embed(embedder, dict.fromkeys([*questions, *labels]))
        return together, together
    return embed(asking, questions), embed(embedder, labels)
