"""The flush before a compaction: once a cycle, a silent turn lets the model store what must outlive its context.

A session's cycle begins with each compaction. Which cycle was flushed is kept in the workspace (`.oroi/sessions.json`),
so that a restart neither repeats nor forgets a flush.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock

from oroi_graph.errors import InputError
from oroi_graph.files import refusing, replace
from oroi_graph.language.normalize import check_name
from oroi_graph.model import Value, local_now
from oroi_graph.workspace.config import FlushConfig
from oroi_graph.workspace.files.writing import NoteWriter, Written

SILENT = "NO_REPLY"
Access = Literal["rw", "ro", "none"]  # of the session to its workspace
PATIENCE = timedelta(minutes=10)  # after which a flush that was begun and not ended is begun again
KEPT = 10_000  # sessions that are remembered, those seen last
_HINT = f"Usually {SILENT} is the right answer: then nobody sees this turn."


@dataclass(frozen=True, slots=True)
class FlushDecision(Value):
    """Whether a session is to be flushed now, and why not. threshold: tokens. Prompts are None if it is not."""

    due: bool
    reason: str
    threshold: int
    cycle: int
    system_prompt: str | None = None
    prompt: str | None = None


@dataclass(frozen=True, slots=True)
class Flushed(Value):
    """What came of a flush. reply: the model's, None if it was silent; written: what was appended, if anything."""

    decision: FlushDecision
    reply: str | None = None
    written: Written | None = None


class Flusher:
    """The flushes of a workspace's sessions. writer: of its notes; clock: tells the day and the time."""

    def __init__(
        self, state: Path, config: FlushConfig, writer: NoteWriter, clock: Callable[[], datetime] = local_now
    ) -> None:
        self._state, self._config, self._writer, self._clock = state, config, writer, clock

    def threshold(self, context_window: int) -> int:
        """The tokens of a session from which it is flushed. Raises InputError for a useless window."""
        if context_window < 1:
            raise InputError(f"the context window must be at least 1 token, got {context_window}")
        # Of a window that is smaller than what is kept free, the first turn is already near its compaction.
        return max(1, context_window - self._config.reserve - self._config.soft)

    def limit(self, context_window: int) -> int:
        """The tokens of a session from which it is compacted: later than it is flushed."""
        return max(self.threshold(context_window) + 1, context_window - self._config.reserve)

    def begin(self, session: str, tokens: int, context_window: int, access: Access = "rw") -> FlushDecision:
        """Whether to flush now; if so, this cycle counts as begun. tokens: of the session, estimated.

        Call it before a compaction, and `finish` with the model's reply. Raises InputError.
        """
        check_name(session, "session")
        threshold = self.threshold(context_window)
        refusal = self._refusal(tokens, threshold, access)
        if refusal is not None:  # nothing is noted, as the workspace may be one that cannot be written
            cycle = self._read().get(session, {"compactions": 0})["compactions"]
            return FlushDecision(False, refusal, threshold, cycle)
        with self._sessions() as sessions:
            known = _seen(sessions, session)
            cycle, now = known["compactions"], self._clock().astimezone(UTC)
            reason = self._against(known, now)
            if reason is not None:
                return FlushDecision(False, reason, threshold, cycle)
            known |= {"begun": cycle, "begun_at": now.isoformat()}
        day = self._clock().date().isoformat()
        system, prompt = (text.replace("YYYY-MM-DD", day) for text in (self._config.system_prompt, self._config.prompt))
        system = system if SILENT in system else f"{system} {_HINT}"
        prompt = prompt if SILENT in prompt else f"{prompt} {_HINT}"
        return FlushDecision(True, f"{tokens} of {context_window} tokens", threshold, cycle, system, prompt)

    def finish(self, session: str) -> None:
        """The flush of this cycle is done, whatever the model wrote."""
        with self._sessions() as sessions:
            known = _seen(sessions, session)
            known["flushed"] = known["compactions"]

    def compacted(self, session: str) -> int:
        """The session was compacted: another cycle begins; its number."""
        check_name(session, "session")
        with self._sessions() as sessions:
            known = _seen(sessions, session)
            known["compactions"] += 1
            return int(known["compactions"])

    def run(
        self, session: str, tokens: int, context_window: int, ask: Callable[[str, str], str], access: Access = "rw"
    ) -> Flushed:
        """Flush if it is due, for an agent whose model cannot write files itself.

        ask: (system prompt, prompt) → the model's reply, which is appended to the daily log unless it is silent. If it
        raises, nothing counts as flushed for longer than PATIENCE.
        """
        decision = self.begin(session, tokens, context_window, access)
        if not decision.due or decision.system_prompt is None or decision.prompt is None:
            return Flushed(decision)
        reply = spoken(ask(decision.system_prompt, decision.prompt))
        written = None if reply is None else self._writer.append(reply)
        self.finish(session)
        return Flushed(decision, reply, written)

    def _refusal(self, tokens: int, threshold: int, access: Access) -> str | None:
        """Why a session is not to be flushed, whatever its cycle; None if it may be."""
        if not self._config.enabled:
            return "it is switched off: compaction.memoryFlush.enabled is false"
        if access != "rw":
            return f"the workspace cannot be written (access {access!r})"
        if tokens < threshold:
            return f"{tokens} tokens are below the threshold of {threshold}"
        return None

    def _against(self, known: dict[str, Any], now: datetime) -> str | None:
        """Why a session is not flushed in its cycle; None if it is."""
        if known.get("flushed") == known["compactions"]:
            return "this cycle was flushed before"
        if known.get("begun") == known["compactions"]:
            with suppress(KeyError, TypeError, ValueError):  # a damaged line: at worst one flush too many
                if now - datetime.fromisoformat(known["begun_at"]) < PATIENCE:
                    return "a flush of this cycle is under way"
        return None

    @property
    def _path(self) -> Path:
        return self._state / "sessions.json"

    def _read(self) -> dict[str, dict[str, Any]]:
        """The sessions' cycles, the one seen last at the end. A file that is damaged begins anew. Raises InputError."""
        with refusing(self._path, "read"):
            try:
                found = json.loads(self._path.read_text("utf-8"))
                return {name: known for name, known in found.items() if isinstance(known.get("compactions"), int)}
            except (FileNotFoundError, ValueError, AttributeError, RecursionError):
                return {}

    @contextmanager
    def _sessions(self) -> Iterator[dict[str, dict[str, Any]]]:
        """The sessions' cycles, to be changed."""
        with refusing(self._state, "write"):
            self._state.mkdir(parents=True, exist_ok=True)
            with FileLock(self._state / "sessions.lock"):
                sessions = self._read()
                before = json.dumps(sessions)
                yield sessions
                if json.dumps(sessions) != before:
                    kept = dict(list(sessions.items())[-KEPT:])
                    replace(self._path, json.dumps(kept, ensure_ascii=False), private=True)


def _seen(sessions: dict[str, dict[str, Any]], session: str) -> dict[str, Any]:
    """What is known of a session, which is the one seen last now: it is forgotten after all others."""
    sessions[session] = known = sessions.pop(session, {"compactions": 0})
    return known


def spoken(reply: str) -> str | None:
    """What of a model's reply is for the user: nothing if it begins or ends with NO_REPLY, or is blank."""
    text = reply.strip()
    bare = text.strip("`*_\"'. ")
    return None if not text or bare.startswith(SILENT) or bare.endswith(SILENT) else text
