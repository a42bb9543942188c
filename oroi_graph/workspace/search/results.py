"""What a search brings back, and how it is told as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from oroi_graph.model import NoteSource, Value
from oroi_graph.workspace.search.ranking import Hit
from oroi_graph.workspace.search.snippets import cited, snippet


@dataclass(frozen=True, slots=True)
class Fallback(Value):
    """Why the notes were not searched as configured. from_: what failed."""

    from_: str
    reason: str

    def to_json(self) -> dict[str, object]:
        """A JSON-serialisable object."""
        return {"from": self.from_, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class SearchResults:
    """What `memory_search` brings back. hits: the best first, whole notes; query: what was asked.

    provider, model: whose vectors were compared, or the sidecar and its mode. warning: why there may be more than is
    told.
    """

    hits: tuple[Hit, ...]
    query: str
    provider: str
    model: str
    fallback: Fallback | None
    citations: str
    warning: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The tool's answer, with snippets."""
        return {
            "results": [self._result(hit) for hit in self.hits],
            "provider": self.provider,
            "model": self.model,
            "fallback": self.fallback.to_json() if self.fallback else None,
            "citations": self.citations,
            **({"warning": self.warning} if self.warning else {}),
        }

    def _result(self, hit: Hit) -> dict[str, Any]:
        shown = snippet(hit.text, self.query)
        if self.citations != "off":
            shown = cited(shown, NoteSource(hit.path, hit.start, hit.end))
        marks = {"importance": hit.importance, "provenance": hit.provenance}
        return {
            "path": hit.path, "startLine": hit.start, "endLine": hit.end, "score": round(hit.score, 6),
            "snippet": shown, "source": hit.source, **{name: value for name, value in marks.items() if value},
        }  # fmt: skip
