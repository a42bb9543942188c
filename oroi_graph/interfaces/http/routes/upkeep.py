"""Operations that look after a memory: merges and undo, sleep as a job, export."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import AsyncIterable
from pathlib import Path
from typing import Annotated

import anyio
from fastapi import APIRouter, Depends, Request
from fastapi.responses import FileResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.background import BackgroundTask

from oroi_graph.interfaces import reading, writing
from oroi_graph.interfaces.http import answers
from oroi_graph.interfaces.http.bodies import Imported, MergePair, MergeUndo, Trial
from oroi_graph.interfaces.http.calls import Call, Caller
from oroi_graph.interfaces.http.jobs import Job, Work
from oroi_graph.interfaces.http.routes.reading import Id
from oroi_graph.interfaces.reading import Json
from oroi_graph.options import Progress
from oroi_graph.transfer.archive import export_memory

LOOK = 0.2  # seconds between two looks at a job that is followed

router = APIRouter(prefix="/v1", tags=["upkeep"])


@router.get("/merges", response_model=answers.MergesAnswer)
def merges(call: Caller) -> Json:
    """What became one concept, the newest first."""
    return reading.merges(call.access)


@router.post("/merges", response_model=answers.MergeAnswer, status_code=201)
def merge(call: Caller, body: MergePair) -> Json:
    """Make one concept of two."""
    return call.once(lambda: writing.merge(call.access, body.first, body.second), twice=True)


@router.post("/merges/{id}/undo", response_model=answers.UnmergedAnswer)
def undo_merge(call: Caller, id: Id, body: MergeUndo) -> Json:
    """Make two concepts of one again."""
    return call.once(lambda: writing.undo_merge(call.access, id, later=body.later), twice=True)


@router.post("/undo", response_model=answers.UndoAnswer)
def undo(call: Caller, body: Trial) -> Json:
    """Take back the last turn with its reply."""
    return call.once(lambda: writing.undo(call.access, dry_run=body.dry_run), twice=not body.dry_run)


@router.post("/consolidations", response_model=answers.JobAnswer, status_code=202)
def consolidate(call: Caller, body: Trial) -> Json:
    """Let the memory sleep, in the background: a job, whose progress can be followed."""
    memory = call.access.own("administer").name

    def work(stop: threading.Event, progress: Progress) -> Json:
        return writing.consolidate(call.access, stop=stop, progress=progress, dry_run=body.dry_run)

    return call.once(lambda: _started(call, "consolidation", memory, work))


@router.post("/imports", response_model=answers.JobAnswer, status_code=202)
def import_(call: Caller, body: Imported) -> Json:
    """Import a conversation, in the background: a job. What cannot be read is refused at once.

    Done again, it goes on where it was stopped.
    """
    memory = call.access.own("administer").name
    found = writing.read_import(call.access, body.content, body.name, body.speaker)

    def work(stop: threading.Event, progress: Progress) -> Json:
        return writing.import_turns(call.access, found, stop=stop, progress=progress)

    return call.once(lambda: _started(call, "import", memory, work))


def _started(call: Call, kind: str, memory: str, work: Work) -> Json:
    return call.shared.jobs.start(call.access.principal.key, kind, memory, work).to_json()


def found_job(call: Caller, id: Id) -> Job:
    """The job that the address names: looked up before an answer begins. Raises RefusedError."""
    return call.shared.jobs.get(call.access.principal.key, id)


Found = Annotated[Job, Depends(found_job)]


@router.get("/jobs/{id}", response_model=answers.JobAnswer)
def job(found: Found) -> Json:
    """A job of this key, as it is now."""
    return found.to_json()


@router.delete("/jobs/{id}", response_model=answers.JobAnswer)
def stop_job(found: Found) -> Json:
    """Ask a job to stop: the transaction under way is finished, and the next sleep goes on from there."""
    found.stop.set()
    return found.to_json()


@router.get("/jobs/{id}/events", response_class=EventSourceResponse)
async def follow_job(call: Caller, found: Found) -> AsyncIterable[ServerSentEvent]:
    """A job's progress as server-sent events: `progress` at every change, `ended` at last."""
    shown = -1
    while not call.shared.jobs.closing.is_set():
        ended, version = found.ended, found.version
        if version != shown or ended:
            shown = version
            yield ServerSentEvent(data=found.to_json(), event="ended" if ended else "progress", id=str(version))
        if ended:
            return
        await anyio.sleep(LOOK)


@router.get("/export", response_class=FileResponse)
def export(call: Caller, request: Request) -> FileResponse:
    """The whole memory as JSON Lines, as `oroi memory export` writes it; turns wait meanwhile."""
    memory = call.access.own("administer")
    folder = tempfile.TemporaryDirectory(prefix="oroi-export-")
    try:
        path = Path(folder.name) / "memory.jsonl"
        export_memory(memory.graph.store, memory.name, path)
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(
        path, media_type="application/x-ndjson", filename="memory.jsonl", background=BackgroundTask(folder.cleanup)
    )
