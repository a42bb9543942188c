"""Operations that tell and forget."""

from __future__ import annotations

from fastapi import APIRouter

from oroi_graph.interfaces import writing
from oroi_graph.interfaces.http import answers
from oroi_graph.interfaces.http.bodies import Closing, FactEdit, Forgetting, NewTurn, PlannedForgetting, Said
from oroi_graph.interfaces.http.calls import Caller
from oroi_graph.interfaces.http.routes.reading import Id
from oroi_graph.interfaces.reading import Json

router = APIRouter(prefix="/v1", tags=["writing"])


@router.post("/turns", response_model=answers.OpenedAnswer, status_code=201)
def open_turn(call: Caller, body: NewTurn) -> Json:
    """Perceive a turn of the user; gives the brief for the model. With `reply` it is closed at once."""
    details = body.details(call.turn_id(body.id))
    if body.reply is not None:
        return call.once(lambda: writing.say(call.access, body.text, body.reply, **details))
    return call.once(lambda: writing.open_turn(call.access, body.text, **details))


@router.post("/turns/{id:path}/close", response_model=answers.ClosedAnswer)
def close_turn(call: Caller, id: Id, body: Closing) -> Json:
    """End a turn with the assistant's reply. A second close changes nothing."""
    return call.once(lambda: writing.close_turn(call.access, id, body.reply, body.injected))


@router.post("/remember", response_model=answers.TurnAnswer, status_code=201)
def remember(call: Caller, body: Said) -> Json:
    """Perceive a turn whose concepts are fixed at once."""
    return call.once(lambda: writing.remember(call.access, body.text, **body.details(call.turn_id(body.id))))


@router.post("/forget/plan", response_model=answers.PlanAnswer)
def plan_forgetting(call: Caller, body: Forgetting) -> Json:
    """What forgetting would take along; changes nothing. `plan` is what `/v1/forget` needs."""
    return writing.plan_forgetting(call.access, body.what, speaker=body.speaker)


@router.post("/forget", response_model=answers.ForgottenAnswer)
def forget(call: Caller, body: PlannedForgetting) -> Json:
    """Forget for ever what the plan showed; 409 if that is something else by now."""
    return call.once(lambda: writing.forget(call.access, body.what, body.plan, speaker=body.speaker))


@router.patch("/facts/{id}", response_model=answers.FactAnswer)
def edit_fact(call: Caller, id: Id, body: FactEdit) -> Json:
    """Correct one fact: a new one replaces it. The same correction twice is one."""
    return writing.edit_fact(call.access, id, **body.model_dump())


@router.delete("/facts/{id}", response_model=answers.DeletedAnswer)
def delete_fact(call: Caller, id: Id) -> Json:
    """Delete one fact; the words that stated it stay."""
    return call.once(lambda: writing.delete_fact(call.access, id))
