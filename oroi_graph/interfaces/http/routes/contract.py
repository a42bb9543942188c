"""Operations on the contract of the key's own memory."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query

from oroi_graph.interfaces import reading, writing
from oroi_graph.interfaces.http import answers
from oroi_graph.interfaces.http.bodies import Moment, Settlement, Submitted
from oroi_graph.interfaces.http.calls import Caller
from oroi_graph.interfaces.reading import Json

router = APIRouter(prefix="/v1/contract", tags=["contract"])

Filter = Annotated[str | None, Query(min_length=1, max_length=200)]
Token = Annotated[
    str | None,
    Header(alias="X-Author-Token", max_length=300, pattern=r"^[!-~]+$", description="The author's, if it has one."),
]


@router.get("", response_model=answers.ContractAnswer)
def contract(call: Caller) -> Json:
    """The contract in force."""
    return reading.contract(call.access)


@router.get("/entries", response_model=answers.EntriesAnswer)
def entries(
    call: Caller,
    key: Filter = None,
    author: Filter = None,
    at: Annotated[Moment | None, Query(description="As it was then.")] = None,
    history: Annotated[bool, Query(description="Superseded ones, too.")] = False,
    budget: Annotated[int | None, Query(ge=1, le=1_000_000, description="Tokens; picks the level of summary.")] = None,
) -> Json:
    """Entries, the newest first, or summaries that fit the budget."""
    return reading.entries(call.access, key=key, author=author, at=at, history=history, budget=budget)


@router.post("/entries", response_model=answers.OutcomeAnswer, status_code=201)
def write_entry(call: Caller, body: Submitted, token: Token = None) -> Json:
    """Write an entry; says what it is to those there are."""
    return call.once(lambda: writing.write_entry(call.access, body.entry, token=token))


@router.get("/conflicts", response_model=answers.ConflictsAnswer)
def conflicts(call: Caller, key: Filter = None) -> Json:
    """Open disputes, the oldest first."""
    return reading.conflicts(call.access, key)


@router.post("/settlements", response_model=answers.OutcomeAnswer, status_code=201)
def settle(call: Caller, body: Settlement, token: Token = None) -> Json:
    """Write the entry that settles disputes."""
    return call.once(lambda: writing.settle(call.access, body.ids, body.entry, token=token))
