"""Who embeds the notes of a workspace: the memory's own embedder, or what its configuration names, or its fallback.

Another model than the memory's makes vectors that only notes have, so recall finds these notes by words and concepts.
The fallback takes over when the first one fails at indexing: a new index is made with it beside the old one, and it
stays until the first one answers again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from oroi_graph.errors import AssetError, ProviderError, SettingsError
from oroi_graph.files import expanded
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.providers.protocols import Embedder, Vectors, for_questions
from oroi_graph.providers.remote.choice import (
    AUTO,
    LOCAL,
    NONE,
    Access,
    Services,
    choose,
    open_local,
    open_remote,
    overridden,
    with_jobs,
)
from oroi_graph.workspace.config import EmbeddingConfig

PATIENCE = 30.0  # seconds for which an embedder that failed at a query is not asked again
JOBS = "batches.json"  # where batch jobs are noted, beside the workspace's other state


class Unavailable:
    """Stands for an embedder that cannot be used, and says why whenever it is asked."""

    def __init__(self, provider: str, model: str, dimensions: int, reason: str) -> None:
        self.provider, self.model, self.dimensions, self._reason = provider, model, dimensions, reason

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Nothing. Raises ProviderError, unless there are no texts."""
        if texts:
            raise ProviderError(self._reason)
        return np.empty((0, self.dimensions), dtype=np.float32)


@dataclass
class Embeddings:
    """The embedders of one workspace. own: the memory's; first: what is configured; fallback: None if there is none.

    provider: what was chosen; missing: why the fallback cannot be used.
    """

    own: Embedder
    first: Embedder
    fallback: Embedder | None = None
    missing: str | None = None
    _failed: dict[str, tuple[float, str]] = field(default_factory=dict, init=False)

    def serving(self, model: str | None) -> Embedder | None:
        """The one whose vectors an index of this model has; None if it is nobody's."""
        known = [self.first, self.fallback, self.own]
        if model is None:
            return self.first
        return next((one for one in known if one is not None and one.model == model), None)

    def vector(self, embedder: Embedder, query: str) -> tuple[NDArray[np.float32] | None, str | None]:
        """A query's vector; None, and why, if there is none. One that has just failed is not waited for again."""
        failed = self._failed.get(embedder.model)
        if failed is not None and time.monotonic() - failed[0] < PATIENCE:
            return None, failed[1]
        try:
            vector = for_questions(embedder).embed([query])[0]
        except ProviderError as error:
            self._failed[embedder.model] = (time.monotonic(), str(error))
            return None, str(error)
        self._failed.pop(embedder.model, None)
        if not np.any(vector) or not np.isfinite(vector).all():
            return None, "the query has no vector"
        return vector, None

    def works(self, embedder: Embedder) -> None:
        """It has just embedded something: it can be asked again."""
        self._failed.pop(embedder.model, None)

    def recovered(self) -> str | None:
        """Why the first one still fails; None if it answers again."""
        try:
            self.first.embed(["."])
        except ProviderError as error:
            return str(error)
        self._failed.pop(self.first.model, None)
        return None


def provider_of(embedder: Embedder) -> str:
    """Its provider's name."""
    return str(getattr(embedder, "provider", LOCAL))


def open_embeddings(config: EmbeddingConfig, own: Embedder, services: Services, state: Path) -> Embeddings:
    """The embedders that a configuration means. state: the workspace's folder for what the product keeps.

    What cannot be used says so when it is asked, so that notes are found by words meanwhile.
    """
    local = expanded(config.local_model) if config.local_model else None
    for name, others in config.others.items():
        services = overridden(services, name, Access(key=others.get("key"), base_url=others.get("base_url")))
    provider = config.provider
    if provider == AUTO:
        provider = choose(_told(config, services, "openai"), local)
    if provider is None:  # nothing is said of it, or nothing else can be used
        return _with_fallback(config, Embeddings(own, own), services)
    first = _opened(provider, config.model, own, _told(config, services, provider))
    if isinstance(first, CachedEmbedder) and first is not own and config.batch is not None:
        first = with_jobs(first.embedder, config.batch, state / JOBS)
    return _with_fallback(config, Embeddings(own, first), services)


def _told(config: EmbeddingConfig, services: Services, provider: str) -> Services:
    """The services with `remote.*`, which speaks of the provider that was chosen."""
    if provider == LOCAL:
        return services
    return overridden(services, provider, Access(key=config.api_key, base_url=config.base_url, headers=config.headers))


def _with_fallback(config: EmbeddingConfig, found: Embeddings, services: Services) -> Embeddings:
    if config.fallback == NONE or config.fallback == provider_of(found.first):
        return found
    other = _opened(config.fallback, None, found.own, services)
    if isinstance(other, Unavailable):
        try:
            other.embed(["."])
        except ProviderError as error:
            found.missing = f"the fallback {config.fallback} cannot be used: {error}"
        return found
    found.fallback = other
    return found


def _opened(provider: str, model: str | None, own: Embedder, services: Services) -> Embedder:
    """An embedder by its provider's name; the memory's own if it is the same."""
    if provider == provider_of(own) and model in (None, own.model) and not services.of(provider).headers:
        base = services.of(provider).base_url
        if provider == LOCAL or base is None or str(getattr(own, "endpoint", base)) == base.rstrip("/"):
            return own
    try:
        if provider == LOCAL:
            return open_local(services, own.dimensions)
        return CachedEmbedder(open_remote(provider, services, model, own.dimensions), size=2_000)
    except (SettingsError, AssetError, ProviderError) as error:
        return Unavailable(provider, model or provider, own.dimensions, str(error))
