"""Which embedder a configuration means: the one it names, or the first that can be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from oroi_graph.errors import SettingsError
from oroi_graph.providers.e5 import E5Small
from oroi_graph.providers.openai.models import EMBEDDING_MODEL, OpenAIEmbedder
from oroi_graph.providers.openai.service import Endpoint
from oroi_graph.providers.protocols import Embedder
from oroi_graph.providers.remote import gemini, voyage
from oroi_graph.providers.remote.gemini import GeminiEmbedder
from oroi_graph.providers.remote.gemini_jobs import GeminiJobs
from oroi_graph.providers.remote.jobs import BatchEmbedder, JobOptions
from oroi_graph.providers.remote.openai_jobs import embedding_jobs
from oroi_graph.providers.remote.voyage import VoyageEmbedder
from oroi_graph.server.fetch import ensure_e5_small

LOCAL, AUTO, NONE = "local", "auto", "none"
REMOTE = ("openai", "gemini", "voyage")  # in the order in which they are chosen
MODELS = {"openai": EMBEDDING_MODEL, "gemini": gemini.MODEL, "voyage": voyage.MODEL}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Access:
    """How a service is reached. key: None where there is none."""

    key: str | None = None
    base_url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What is known of embedders: keys and addresses by service, the local model's cache folder. timeout: seconds."""

    access: Mapping[str, Access] = field(default_factory=dict)
    cache_dir: Path | None = None
    timeout: float = 60.0

    def of(self, provider: str) -> Access:
        """How a service is reached."""
        return self.access.get(provider, Access())


def choose(access: Services, local_model: Path | None = None) -> str | None:
    """The first provider that can be used; None if there is none.

    `local` if a model of its own is named and exists, else the first service that has a key.
    """
    if local_model is not None and local_model.exists():
        return LOCAL
    return next((name for name in REMOTE if access.of(name).key), None)


def open_remote(provider: str, services: Services, model: str | None, dimensions: int | None) -> Embedder:
    """The embedder of a service. dimensions: of its vectors; None: the model's own. Raises SettingsError."""
    access = services.of(provider)
    endpoint = Endpoint(
        api_key=access.key, base_url=access.base_url, timeout=services.timeout, service=provider, headers=access.headers
    )
    name = model or MODELS[provider]
    if provider == "gemini":
        return GeminiEmbedder(endpoint, name, dimensions)
    if provider == "voyage":
        return VoyageEmbedder(endpoint, name, dimensions)
    return OpenAIEmbedder(endpoint, name, dimensions)


def open_local(services: Services, dimensions: int) -> Embedder:
    """The default local model. Raises SettingsError if its vectors have another length; AssetError."""
    if services.cache_dir is None:
        raise SettingsError("the local embedding model is not set up here: run `oroi setup`")
    found = E5Small(ensure_e5_small(services.cache_dir))
    if found.dimensions != dimensions:
        raise SettingsError(
            f"the local model gives {found.dimensions} dimensions, but this database is made for {dimensions}"
        )
    return found


def with_jobs(embedder: Embedder, options: JobOptions, state: Path) -> Embedder:
    """The same embedder with batch jobs for many texts, where its service has them; else as it is."""
    if isinstance(embedder, OpenAIEmbedder):
        return BatchEmbedder(embedder, embedding_jobs(embedder), options, state)
    if isinstance(embedder, GeminiEmbedder):
        return BatchEmbedder(embedder, GeminiJobs(embedder), options, state)
    return embedder


def overridden(services: Services, provider: str, own: Access) -> Services:
    """The services with what a configuration says of one of them: what it says wins, headers one by one."""
    before = services.of(provider)
    merged = Access(
        key=own.key or before.key, base_url=own.base_url or before.base_url, headers={**before.headers, **own.headers}
    )
    return replace(services, access={**services.access, provider: merged})
