"""A graph as one principal sees it: its own memory, and those it may read. Nothing else of the graph is reached."""

from __future__ import annotations

from dataclasses import dataclass

from oroi_graph.contract.pipeline import MemoryContract
from oroi_graph.errors import InputError
from oroi_graph.interfaces.keys import Principal, Right
from oroi_graph.memory import Graph, Memory
from oroi_graph.workspace.qmd.scope import Asker


class PlanChangedError(InputError):
    """What would be forgotten is no longer what was shown; nothing was."""


@dataclass(frozen=True, slots=True)
class Access:
    """A graph and who asks. Every method checks the principal first."""

    graph: Graph
    principal: Principal

    def own(self, right: Right) -> Memory:
        """The principal's own memory. Raises NotPermittedError, MemoryNotFoundError."""
        return self.graph.memory(self.principal.own(right), create=False)

    def readable(self, name: str | None = None) -> Memory:
        """One memory to read, its own by default. Raises NotPermittedError, MemoryNotFoundError."""
        [found] = self.principal.readable([self.principal.own("read") if name is None else name])
        return self.graph.memory(found, create=False)

    def contract(self, right: Right) -> MemoryContract:
        """The contract of the principal's own memory. Raises NotPermittedError, MemoryNotFoundError."""
        return self.graph.contract(self.principal.own(right), create=False)

    def asker(self, session: str | None) -> Asker:
        """Who reads notes, for their scope. session: what the request names as its own, which can only narrow it."""
        who = self.principal
        return (Asker.owner() if who.owner else Asker.bound(who.session)).naming(session)
