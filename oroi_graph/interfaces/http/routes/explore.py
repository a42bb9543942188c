"""Operations for people: the graph now or as it was, one concept, recall made visible, pairs in doubt, notes."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from oroi_graph.interfaces import exploring
from oroi_graph.interfaces.http import views
from oroi_graph.interfaces.http.bodies import Question
from oroi_graph.interfaces.http.calls import Caller
from oroi_graph.interfaces.http.routes.reading import Id, One
from oroi_graph.interfaces.reading import Json
from oroi_graph.visualization.snapshot import MOST

router = APIRouter(prefix="/v1", tags=["exploring"])

Asking = Annotated[
    str | None,
    Query(min_length=1, max_length=400, description="Key of the session that asks; narrows what the key may read."),
]
NotePath = Annotated[str, Query(min_length=1, max_length=1000, description="As `/v1/notes` lists it.")]


@router.get("/graph", response_model=views.GraphAnswer)
def graph(
    call: Caller,
    memory: One = None,
    turn: Annotated[int | None, Query(ge=0, le=2**53, description="As it was at this turn; now by default.")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST, description="Concepts.")] = 2000,
) -> Json:
    """The concepts that stand out and what joins them. At an earlier turn, activation is estimated from mentions."""
    return exploring.graph(call.access, memory, turn=turn, limit=limit)


@router.get("/concepts", response_model=views.ConceptsAnswer)
def concepts(
    call: Caller,
    like: Annotated[str, Query(min_length=1, max_length=200, description="A label, an alias, or a part of one.")],
    memory: One = None,
) -> Json:
    """Up to 20 concepts that a text may name, exact ones first."""
    return exploring.concepts(call.access, like, memory)


@router.get("/concepts/{id}", response_model=views.ConceptAnswer)
def concept(call: Caller, id: Id, memory: One = None) -> Json:
    """One concept: its facts, also those that hold no longer, and the newest words that mention it."""
    return exploring.concept(call.access, id, memory)


@router.post("/spread", response_model=views.SpreadAnswer)
def spread(call: Caller, body: Question) -> Json:
    """Ask, and see how activation spread from the cues, round by round; changes nothing."""
    return exploring.spread(call.access, body.question, body.names(), **body.details())


@router.get("/doubtful", response_model=views.DoubtfulAnswer)
def doubtful(call: Caller) -> Json:
    """Pairs of concepts that may be one; `POST /v1/merges` makes one of them."""
    return exploring.doubtful(call.access)


@router.get("/notes", response_model=views.NotesAnswer)
def notes(call: Caller, memory: One = None, session: Asking = None) -> Json:
    """The files of the memory's workspace."""
    return exploring.notes(call.access, memory, session=session)


@router.get("/notes/content", response_model=views.NoteAnswer)
def note(
    call: Caller,
    path: NotePath,
    memory: One = None,
    start: Annotated[int, Query(ge=1, le=2**31)] = 1,
    lines: Annotated[int | None, Query(ge=1, le=2**31)] = None,
    session: Asking = None,
) -> Json:
    """Lines of one note."""
    return exploring.note(call.access, path, memory, start=start, lines=lines, session=session)


@router.get("/notes/search", response_model=views.NotesFoundAnswer)
def notes_found(
    call: Caller,
    query: Annotated[str, Query(min_length=1, max_length=2000)],
    memory: One = None,
    most: Annotated[int | None, Query(ge=1, le=100, description="Results; as the workspace is set.")] = None,
    least: Annotated[float | None, Query(ge=0, le=1, description="Score of a result.")] = None,
    session: Asking = None,
) -> Json:
    """The notes that answer a query. A session that the notes' scope denies gets none, and a warning."""
    return exploring.notes_found(call.access, query, memory, most=most, least=least, session=session)
