"""Operations that read. They are POST where a question is asked, so that no question stands in an address."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from oroi_graph.interfaces import reading
from oroi_graph.interfaces.http import answers
from oroi_graph.interfaces.http.bodies import Question, RecordQuestion
from oroi_graph.interfaces.http.calls import Caller
from oroi_graph.interfaces.reading import Json

router = APIRouter(prefix="/v1", tags=["reading"])

# The id of a turn is its client's and may have slashes, which arrive here decoded: such routes take `{id:path}`.
Id = Annotated[str, Path(min_length=1, max_length=200)]
One = Annotated[
    str | None,
    Query(min_length=1, max_length=200, description="One of the memories that the key opens; its own by default."),
]
About = Annotated[str, Query(min_length=1, max_length=500, description="A name or an id.")]
Speaker = Annotated[str | None, Query(min_length=1, max_length=200, description='Whom "my" means.')]


@router.get("/memory", response_model=answers.OverviewAnswer)
def overview(call: Caller) -> Json:
    """Who asks, what the key allows, how large its memory is."""
    return reading.overview(call.access)


@router.post("/recall", response_model=answers.RecallAnswer)
def recall(call: Caller, body: Question) -> Json:
    """Ask. Gives the brief for a model; changes nothing."""
    return reading.recall(call.access, body.question, body.names(), **body.details())


@router.post("/explain", response_model=answers.ExplainedAnswer)
def explain(call: Caller, body: Question) -> Json:
    """Ask, and be told which rule let each item in, which cue reached it, along which path, with which numbers."""
    return reading.explain(call.access, body.question, body.names(), **body.details())


@router.post("/records", response_model=answers.RecordsAnswer)
def records(call: Caller, body: RecordQuestion) -> Json:
    """The best verbatim records for a question, whether they would enter the brief or not."""
    return reading.records(call.access, body.question, body.k, body.names(), **body.details())


@router.get("/facts", response_model=answers.FactsAnswer)
def facts(call: Caller, about: About, memory: One = None, speaker: Speaker = None) -> Json:
    """Every fact of one concept, what holds first, then the newest."""
    return reading.facts(call.access, about, memory, speaker=speaker)


@router.get("/profile", response_model=answers.ProfileAnswer)
def profile(
    call: Caller,
    about: Annotated[str | None, Query(min_length=1, max_length=500)] = None,
    memory: One = None,
    speaker: Speaker = None,
) -> Json:
    """What is surely known about somebody or something, by theme; without a name, about who speaks."""
    return reading.profile(call.access, about, memory, speaker=speaker)


@router.get("/timeline", response_model=answers.TimelineAnswer)
def timeline(
    call: Caller,
    memory: One = None,
    before: Annotated[int | None, Query(ge=1, le=2**53, description="Only turns below this number.")] = None,
    limit: Annotated[int, Query(ge=1, le=reading.MOST, description="Turns of a page.")] = 20,
) -> Json:
    """What was said, the newest first, in pages."""
    return reading.timeline(call.access, memory, before=before, limit=limit)


@router.get("/episodes/{id:path}", response_model=answers.EpisodeAnswer)
def episode(call: Caller, id: Id, memory: One = None) -> Json:
    """One turn's words, by record id or the turn's own id."""
    return reading.episode(call.access, id, memory)
