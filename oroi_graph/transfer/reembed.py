"""Moving a memory to another embedding model: every concept and record is embedded anew, then the pin is changed.

Resumable: what is done is marked, and a memory that is half-way is not opened until `reembed` has finished it.

Absorbed concepts are embedded, too: an undone merge brings them back. A gist is embedded as what it says, what rests
has no vector. Pairs in doubt get the score that they have with the new model, so that the next sleep judges them by
it; pairs that were found apart stay apart.
"""

from __future__ import annotations

from oroi_graph.errors import MemoryNotFoundError
from oroi_graph.language.normalize import check_memory_name, without_names
from oroi_graph.options import Progress, silent
from oroi_graph.providers.protocols import Embedder
from oroi_graph.providers.word_vectors import embedded
from oroi_graph.storage.catalog import describe, require_usable
from oroi_graph.storage.migrations import require, status
from oroi_graph.storage.store import Store, written_vector

PAGE = 256  # texts embedded and written in one transaction


def reembed(store: Store, name: str, embedder: Embedder, progress: Progress = silent) -> int:
    """Embed the memory `name` with `embedder` and pin it to that model; how many vectors were made.

    progress: told the number of vectors made so far. Raises MemoryNotFoundError, and SchemaError if the
    database's indexes have another dimension. The memory cannot be opened while this runs.
    """
    check_memory_name(name)
    require(status(store), embedder.dimensions)
    found = describe(store, name)
    if found is None:
        raise MemoryNotFoundError(name)
    if found.state != "reembedding":
        require_usable(found)
    store.write_rows("transfer/begin_reembed", memory=name, model=embedder.model)
    done = 0
    for kind in ("concepts", "records"):
        while rows := store.rows(f"transfer/reembed_{kind}", memory=name, page=PAGE):
            # An entry is compared with others as it was written.
            names = [() if row.get("verbatim") else found.protagonists for row in rows]
            texts = [without_names(row["text"], some) for row, some in zip(rows, names, strict=True)]
            vectors, words = embedded(embedder, texts)
            made = [
                {"id": row["id"], "vector": written_vector(v), "words": own}
                for row, v, own in zip(rows, vectors, words, strict=True)
            ]
            store.write_rows(f"transfer/write_reembed_{kind}", memory=name, rows=made)
            done += len(made)
            progress(done, 0, "embedding")
    store.batched("transfer/rescore_compared", memory=name)
    store.batched("transfer/finish_reembed", memory=name)
    store.write_rows("transfer/pin_model", memory=name, model=embedder.model)
    return done
