"""Perceiving a turn: text → extraction → mentions → resonance → upsert, pulse and spread.

Two stages. `prepare` calls the models and touches no database; `open_turn` is one write transaction under the
memory's lock (`opening`). Both are safe to repeat: the same turn id is the same turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from oroi_graph.entities.mentions import read
from oroi_graph.errors import InputError, ProviderError
from oroi_graph.forgetting.delete import finish
from oroi_graph.language.normalize import check_name, check_text, label_key, without_names
from oroi_graph.language.parsed_text import parse
from oroi_graph.language.quoting import strip_briefs
from oroi_graph.model import Extraction, TurnInput, Utterance
from oroi_graph.options import Options
from oroi_graph.perception.turn import Opened, Prepared, UnknownRelationsError, Vectors
from oroi_graph.perception.turn_transaction import TurnTransaction
from oroi_graph.providers.protocols import Embedder, Extractor
from oroi_graph.providers.word_vectors import embedded
from oroi_graph.redaction import Redaction, as_list
from oroi_graph.storage.store import Store
from oroi_graph.working_set.transactions import Writing

T = TypeVar("T")
Write = Callable[[Callable[[Writing], T]], T]  # `WorkingSets.writer` of the memory
# One step of a write transaction. It is given vectors of relation phrases besides those of its turn.
Step = Callable[[Writing, Vectors], T]


def cleaned(turn: TurnInput, options: Options) -> TurnInput:
    """The turn as it will be perceived: checked, redacted, and without any brief of ours pasted into it."""
    text = strip_briefs(check_text(turn.text, options.max_text))
    if not text.strip():
        raise InputError("the text holds nothing but a recalled brief: say something beside it")
    if turn.role not in ("user", "assistant"):
        raise InputError(f"bad role {turn.role!r}: it is user or assistant")
    for what, name in (("speaker", turn.speaker), ("turn id", turn.id), ("session", turn.session or "")):
        check_name(name, what)
    if not label_key(turn.speaker):
        raise InputError(f"bad speaker {turn.speaker!r}: give a name")
    if not turn.id:
        raise InputError("the turn id is empty: leave it out, or give one that is unique in the memory")
    redaction = Redaction(options.redact)
    text = redaction.text(text)
    kept = tuple(as_list(redaction.counts) or ())
    return TurnInput(text, turn.id, turn.speaker, turn.role, turn.at, turn.session, kept)


def extract(turn: TurnInput, window: Sequence[Utterance], extractor: Extractor) -> tuple[Extraction, str | None]:
    """The turn's extraction, or an empty one and the reason: a model's failure never loses a turn."""
    try:
        return extractor.extract(turn.utterance, window), None
    except ProviderError as error:
        return Extraction(), str(error)
    except Exception as error:  # an extractor may be anybody's code, and its faults must not cost a turn either
        return Extraction(), f"{type(error).__name__}: {error}"


def prepare(
    turns: Sequence[TurnInput],
    extractions: Sequence[tuple[Extraction, str | None]],
    name: str,
    embedder: Embedder,
    windows: Sequence[Sequence[Utterance]] = (),
) -> list[Prepared]:
    """Read the mentions of some turns and embed all their labels and texts in one batch. No database.

    extractions, windows: one a turn, as `extract` gave and took them; windows say who is being spoken to.
    """
    read_turns = [
        read(extraction, turn.speaker, parse(turn.text, turn.at))
        for turn, (extraction, _) in zip(turns, extractions, strict=True)
    ]
    texts = [embedded_text(turn, windows[i] if windows else ()) for i, turn in enumerate(turns)]
    wanted: dict[str, None] = dict.fromkeys(texts)
    for turn, (mentions, relations, lookups) in zip(turns, read_turns, strict=True):
        wanted.update(dict.fromkeys([turn.speaker, *(m.label for m in [*mentions, *lookups])]))
        wanted.update(dict.fromkeys(r.relation for r in relations if r.replaces is True))
    rows, packed = embedded(embedder, list(wanted))
    vectors = dict(zip(wanted, rows, strict=True))
    words = dict(zip(wanted, packed, strict=True))
    return [
        Prepared(
            turn,
            extraction,
            name,
            failure,
            tuple(mentions),
            tuple(lookups),
            tuple(relations),
            vectors,
            vectors[text],
            words[text],
        )
        for turn, text, (extraction, failure), (mentions, relations, lookups) in zip(
            turns, texts, extractions, read_turns, strict=True
        )
    ]


def kept(turn: TurnInput, failure: str) -> Prepared:
    """A turn whose embedder failed: kept as words only, to be extracted and embedded by a retry."""
    return Prepared(turn, Extraction(), "none", failure, (), (), (), {}, None)


def embedded_text(turn: TurnInput, window: Sequence[Utterance]) -> str:
    """What of a turn is embedded: its text without the names of those who speak here."""
    return without_names(turn.text, {turn.speaker, *(before.speaker for before in window)})


def open_turn(
    write: Write[list[Opened]], memory: str, prepared: Prepared, embedder: Embedder, options: Options
) -> Opened:
    """Perceive one prepared turn in one write transaction. What it forgets may still have to be finished (`ended`)."""
    if not prepared.extraction.store:
        return Opened(None)
    return together(write, [opening(memory, prepared, options)], embedder, {})[0]


def opening(memory: str, prepared: Prepared, options: Options) -> Step[Opened]:
    """The step that perceives one prepared turn, which is to be stored."""
    return lambda tx, known: TurnTransaction(tx, memory, prepared, {**prepared.vectors, **known}, options).run()


def together(
    write: Write[list[T]], steps: Sequence[Step[T]], embedder: Embedder, known: dict[str, NDArray[np.float32]]
) -> list[T]:
    """What some steps return, run in one write transaction in the order given.

    known: vectors of relation phrases. Phrases that a step meets and lacks are added to it, and all steps run again.
    """

    def work(tx: Writing) -> list[T]:
        if len(steps) > 1:
            tx.number_once()
        return [step(tx, known) for step in steps]

    while True:
        try:
            return write(work)
        except UnknownRelationsError as unknown:
            known.update(zip(unknown.phrases, embedder.embed(unknown.phrases), strict=True))


def ended(opened: Opened, store: Store, memory: str) -> Opened:
    """Delete the rest of what a turn forgot, if that was too much for one transaction."""
    if opened.forgotten is None or opened.forgotten.finished:
        return opened
    finish(store.write, memory)
    return replace(opened, forgotten=replace(opened.forgotten, finished=True))


def amend_turn(write: Write[list[bool]], memory: str, prepared: Prepared, embedder: Embedder, options: Options) -> bool:
    """Extract a failed turn's facts into the graph after all; False if there was nothing to amend."""

    def step(tx: Writing, known: Vectors) -> bool:
        return TurnTransaction(tx, memory, prepared, {**prepared.vectors, **known}, options).amend()

    return together(write, [step], embedder, {})[0]
