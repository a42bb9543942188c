"""LangChain: a retriever over a memory, and a vector store whose documents become part of it.

    retriever = OroiRetriever(memory=connect().memory("diary"), k=5)
    store = OroiVectorStore(memory)

The retriever gives what was said, best first; the facts that answer stand in the brief, which `facts=True` puts first
as a document of its own. The store embeds with the memory's own model.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from oroi_graph.interfaces.adapters.talk import missing
from oroi_graph.interfaces.items.kept import Entry, Item, Items
from oroi_graph.memory import Memory
from oroi_graph.model import RecordHit

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.vectorstores import VectorStore
    from pydantic import ConfigDict
except ImportError as error:
    raise missing("langchain", error) from error


class OroiRetriever(BaseRetriever):
    """What a memory recalls. k: records. speaker: whom "my" means. facts: the brief comes first, as a document."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Memory
    k: int = 4
    speaker: str | None = None
    facts: bool = False

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None, **_: Any
    ) -> list[Document]:
        found = self.memory.recall(query, speaker=self.speaker)
        documents = [_of_record(hit) for hit in found.ranked[: self.k if k is None else k]]
        if self.facts and found.brief:
            about = {"kind": "brief", "fact_ids": list(found.brief.fact_ids)}
            documents.insert(0, Document(page_content=found.brief.text, metadata=about))
        return documents


class OroiVectorStore(VectorStore):
    """Documents in a memory, under one namespace. Their words are nobody's: they are found, and state no facts."""

    def __init__(self, memory: Memory, namespace: str = "documents") -> None:
        self._items, self._namespace = Items(memory), (namespace,)

    @property
    def embeddings(self) -> Embeddings | None:
        """None: the memory embeds with its own model."""
        return None

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **_: Any,
    ) -> list[str]:
        """Keep texts, each in place of what had its id; their ids."""
        given = list(texts)
        abouts = metadatas or [{} for _ in given]
        named = [id or uuid.uuid4().hex for id in (ids or [""] * len(given))]
        if not len(given) == len(abouts) == len(named):
            raise ValueError("texts, metadatas and ids must be equally many")
        kept = zip(given, abouts, named, strict=True)
        self._items.put(
            [Entry(self._namespace, id, {"text": text, "metadata": about}, text) for text, about, id in kept]
        )
        return named

    def delete(self, ids: list[str] | None = None, **_: Any) -> bool | None:
        """Delete documents by id, all of them without any; ids that are not there are passed over."""
        gone = [one.key for one in self._items.within(self._namespace)] if ids is None else ids
        self._items.drop(self._namespace, gone)
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The documents that are there, in the order of the ids."""
        found = self._items.get(self._namespace, ids)
        return [_of_item(found[id]) for id in ids if id in found]

    def similarity_search(self, query: str, k: int = 4, **_: Any) -> list[Document]:
        """The best documents."""
        return [document for document, _score in self.similarity_search_with_score(query, k)]

    def similarity_search_with_score(self, query: str, k: int = 4, **_: Any) -> list[tuple[Document, float]]:
        """The best documents with their scores, higher is better; 0 for what recall does not rank."""
        ranked = self._items.ranked(query, self._items.within(self._namespace))
        return [(_of_item(item), score or 0.0) for item, score in ranked[:k]]

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        memory: Memory | None = None,
        **_: Any,
    ) -> OroiVectorStore:
        """A store of `memory` with these texts. embedding: not used, the memory has its own."""
        if memory is None:
            raise ValueError("say which memory: OroiVectorStore.from_texts(texts, memory=…)")
        store = cls(memory)
        store.add_texts(texts, metadatas, ids=ids)
        return store


def _of_record(hit: RecordHit) -> Document:
    about = {
        "kind": "record", "turn": hit.turn, "turn_id": hit.turn_id, "speaker": hit.speaker, "role": hit.role,
        "session": hit.session, "at": hit.at, "score": hit.score,
    }  # fmt: skip
    return Document(id=hit.id, page_content=hit.text, metadata=about)


def _of_item(item: Item) -> Document:
    return Document(id=item.key, page_content=item.value["text"], metadata=item.value["metadata"])
