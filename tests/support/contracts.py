"""A memory with a published contract, and entries for it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from oroi_graph.contract.document import template
from oroi_graph.contract.entry import Outcome
from oroi_graph.contract.pipeline import MemoryContract
from oroi_graph.memory import Graph

AUTHORS = ("claude", "gemini", "kimi")
SOURCE = {"equivalent": 0.88, "compatible": 0.2}  # thresholds, so that outcomes are those of the scripted embedder
KEYS = ("decision", "risk", "technology", "next_step", "preference", "identity", "project_goal", "project_status")


@dataclass
class Shared:
    """One memory's contract. key: the authority's. schema_hash: of the contract in force."""

    graph: Graph
    name: str
    contract: MemoryContract
    key: Ed25519PrivateKey
    schema_hash: str = ""
    token: dict[str, str] = field(default_factory=dict)

    def entry(self, author: str, key: str, value: str, **more: Any) -> dict[str, Any]:
        """A submission of the type fact."""
        return {
            "ia_author": author, "entry_type": "fact", "field_key": key, "field_value": value,
            "confidence_score": 0.9, "schema_hash": self.schema_hash, **more,
        }  # fmt: skip

    def write(self, author: str, key: str, value: str, **more: Any) -> Outcome:
        """Write one."""
        return self.contract.write(self.entry(author, key, value, **more), token=self.token.get(author))

    def publish(self, document: dict[str, Any]) -> None:
        """Put another contract in force."""
        self.schema_hash = self.contract.publish(document, self.key).schema_hash


def document(authors: Sequence[str] = AUTHORS, **rules: Any) -> dict[str, Any]:
    """A contract with the keys of KEYS; project_status takes one value. rules: of `memory_contract`."""
    made = template(authors, KEYS[:-1], single_valued=KEYS[-1:])
    made["memory_contract"] |= {
        name: rule for name, rule in ({"thresholds": SOURCE} | rules).items() if rule is not None
    }
    return made


@contextmanager
def shared_memory(graph: Graph, **rules: Any) -> Iterator[Shared]:
    """A memory of this test's own with a contract, deleted afterwards."""
    name = f"contract-{uuid.uuid4().hex[:10]}"
    made = Shared(graph, name, graph.contract(name), Ed25519PrivateKey.generate())
    made.publish(document(**rules))
    try:
        yield made
    finally:
        assert graph.delete(name) == 0
