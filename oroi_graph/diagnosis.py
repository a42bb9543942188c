"""Checks of everything that a memory needs. Each says what it found and, if that is not enough, what to do.

Nothing is fetched, started or changed.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from oroi_graph.errors import OroiError
from oroi_graph.options import Options
from oroi_graph.settings import Settings

if TYPE_CHECKING:
    from oroi_graph.providers.openai.service import Endpoint
    from oroi_graph.server.checksums import Pin
    from oroi_graph.storage.store import Row, Store

OLDEST = (3, 11)
MEMORIES = 100  # whose words are looked at
PATIENCE = 5.0  # seconds that a service is waited for
ENOUGH_DISK = 2 * 10**9  # bytes: the server's program, its logs and room to grow


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. advice: what to do, empty where all is well. details: more for `--json`."""

    name: str
    state: Literal["ok", "later", "failed"]
    found: str
    advice: str = ""
    details: Mapping[str, object] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """A JSON-serialisable object; without details where there are none."""
        return {name: value for name, value in asdict(self).items() if name != "details" or value}


def diagnose(settings: Settings, *, thorough: bool = False) -> Iterator[Check]:
    """Look at everything in turn; "later" is what will be fetched or started on demand.

    thorough: files are compared with their checksums, not only with what was noted when they were.
    """
    checks: list[tuple[str, Callable[[Settings], Check]]] = [
        ("python", _python), ("packages", _packages), ("settings", _providers), ("services", _services),
        ("recall options", _options), ("disk", _disk), ("server files", partial(_server_files, thorough=thorough)),
        ("embedding model", partial(_model, thorough=thorough)),
        ("database", _database),
    ]  # fmt: skip
    for name, check in checks:
        try:
            yield check(settings)
        except OroiError as error:
            yield Check(name, "failed", *_split(str(error)))


def _split(message: str) -> tuple[str, str]:
    """Our errors end with what to do, behind their last ": "."""
    found, _, advice = message.rpartition(": ")
    return (found, advice) if found else (message, "")


def _python(_: Settings) -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST:
        return Check("python", "failed", version, "install Python 3.11 or later")
    return Check("python", "ok", version)


def _packages(_: Settings) -> Check:
    try:
        required = importlib.metadata.requires("oroi-graph") or []
        version = importlib.metadata.version("oroi-graph")
    except importlib.metadata.PackageNotFoundError:
        return Check("packages", "failed", "oroi-graph is not installed, only found", "pip install oroi-graph")
    missing = []
    for requirement in required:
        if "extra ==" in requirement:
            continue
        name = re.split(r"[\s<>=!~;\[(]", requirement, maxsplit=1)[0]
        try:
            importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        return Check("packages", "failed", f"missing: {', '.join(missing)}", f"pip install {' '.join(missing)}")
    return Check("packages", "ok", f"oroi-graph {version}")


def _providers(settings: Settings) -> Check:
    from oroi_graph import connection

    # Each names what it lacks: a key, a file, a library.
    for part in (
        connection.open_redactor, connection.open_extractor, connection.open_judge, connection.open_summarizer,
        connection.open_relevance, connection.open_reranker, connection.open_windows,
    ):  # fmt: skip
        part(settings)
    return Check("settings", "ok", f"embedder {settings.embedder}, extractor {settings.extractor}")


def _services(settings: Settings) -> Check:
    """Whether the services that the settings use can be reached and take their keys."""
    from oroi_graph.connection import services_of
    from oroi_graph.providers.openai.service import Endpoint
    from oroi_graph.providers.remote.choice import AUTO, REMOTE, choose

    services = services_of(settings)
    embedding = choose(services) if settings.embedder == AUTO else settings.embedder
    asking = {settings.extractor, settings.judge, settings.summarizer}
    asking |= {settings.relevance, settings.reranker, settings.windows}
    # Whoever lacks a key is named by the checks of settings and of the embedding model.
    used = [name for name in REMOTE if (name == embedding or name in asking) and services.of(name).key]
    found = []
    for name in used:
        access = services.of(name)
        at = Endpoint(
            api_key=access.key, base_url=access.base_url, timeout=min(settings.timeout, PATIENCE), retries=0,
            service=name,
        )  # fmt: skip
        lists, answer = _asked(at)
        if answer:
            return Check("services", "failed", *_split(answer))
        known = lists or access.base_url is None  # of addresses that are not ours to doubt
        hint = "" if known else f" (it lists no models: if calls of it fail, check OROI_{name.upper()}_BASE_URL)"
        found.append(f"{at.shown} answers{hint}")
    return Check("services", "ok", ", ".join(found) or "none is used")


def _asked(at: Endpoint) -> tuple[bool, str]:
    """(whether a service lists its models, why it cannot be used or ""). Some that can be used list none."""
    from oroi_graph.providers.remote.service import JsonService

    variable, key = f"OROI_{at.service.upper()}", str(at.api_key)
    secret = ("x-goog-api-key", key) if at.service == "gemini" else ("Authorization", f"Bearer {key}")
    try:
        answer, _ = JsonService(at, secret).once("models", None)
    except ValueError:  # an address that is none
        answer = None
    if answer is None:
        return False, f"{at.shown} cannot be reached: check {variable}_BASE_URL and the network"
    if answer.status_code in (401, 403):
        return False, f"{at.shown} refuses the key: check {variable}_API_KEY"
    return answer.status_code == 200, ""


def _options(_: Settings) -> Check:
    options = Options()
    groups = {"search": options.search, "ranking": options.ranking, "selection": options.selection}
    details = {name: group.to_json() for name, group in groups.items()}
    found = ", ".join(f"{len(numbers)} of {name}" for name, numbers in details.items())
    return Check("recall options", "ok", f"defaults ({found}); --json lists them", details=details)


def _disk(settings: Settings) -> Check:
    for variable, wanted in (("OROI_CACHE_DIR", settings.cache_dir), ("OROI_DATA_DIR", settings.data_dir)):
        folder = next(path for path in (wanted, *wanted.parents) if path.exists())
        wrong = "no folder" if not folder.is_dir() else "" if os.access(folder, os.W_OK | os.X_OK) else "not writable"
        if wrong:
            return Check("disk", "failed", f"{folder} is {wrong}", f"set {variable} to a folder you can write")
    free = shutil.disk_usage(folder).free
    found = f"{free / 1e9:.1f} GB free for {settings.data_dir}"
    if settings.uri is None and free < ENOUGH_DISK:
        return Check("disk", "failed", found, "free some space or set OROI_DATA_DIR")
    return Check("disk", "ok", found)


def _server_files(settings: Settings, thorough: bool) -> Check:
    from oroi_graph.server.artifacts import read_lock

    if settings.uri is not None:
        return Check("server files", "ok", f"not needed: {settings.uri} is used")
    lock = read_lock()
    folder, pins = settings.cache_dir / lock.folder / "lib", [jar.pin for jar in lock.jars]
    altered = _altered(folder, pins, thorough)
    if altered:
        return Check("server files", "failed", f"{altered} in {folder} not what the checksum says", "oroi setup")
    if _here(folder, pins, thorough):
        return Check("server files", "ok", f"Neo4j {lock.version}")
    return Check("server files", "later", f"Neo4j {lock.version} is not fetched yet", "oroi setup")


def _here(folder: Path, pins: Sequence[Pin], thorough: bool) -> bool:
    """Whether all files are there and what they were when they were last compared with their checksums, or are now."""
    from oroi_graph.server.checksums import is_noted_whole, unfit

    return not unfit(folder, pins, thorough=True) if thorough else is_noted_whole(folder, pins)


def _altered(folder: Path, pins: Sequence[Pin], thorough: bool) -> str:
    """The files that are there and not what their checksums say, in words; "" where none is, or nobody looked."""
    from oroi_graph.server.checksums import unfit

    found = [pin.name for pin in unfit(folder, pins, thorough=True) if (folder / pin.name).exists()] if thorough else []
    return f"{found[0]}{f' and {len(found) - 1} more files are' if len(found) > 1 else ' is'}" if found else ""


def _model(settings: Settings, thorough: bool) -> Check:
    from oroi_graph.server.fetch import LOCAL_MODELS

    name = "embedding model"
    if settings.embedder not in LOCAL_MODELS:
        from oroi_graph.connection import open_embedder

        return Check(name, "ok", open_embedder(settings).model)
    title, pinned = LOCAL_MODELS[settings.embedder]
    folder = settings.cache_dir / pinned.folder
    altered = _altered(folder, pinned.files, thorough)
    if altered:
        return Check(name, "failed", f"{altered} in {folder} not what the checksum says", "oroi setup")
    if not _here(folder, pinned.files, thorough):
        return Check(name, "later", f"{title} is not fetched yet", "oroi setup")
    from oroi_graph.connection import open_local_model
    from oroi_graph.providers.minilm import MiniLM, graph_is_faithful

    model = open_local_model(settings)
    if thorough and isinstance(model, MiniLM) and not graph_is_faithful(folder):
        return Check(name, "failed", f"the graph in {folder} is not the one of its weights", "oroi setup")
    return Check(name, "ok", f"{model.model} answers with {model.embed(['ready']).shape[1]} dimensions")


def _database(settings: Settings) -> Check:
    from oroi_graph.connection import open_store
    from oroi_graph.server.managed import ManagedServer
    from oroi_graph.storage import migrations

    if settings.uri is None:
        status = ManagedServer.from_settings(settings).status()
        if status.state == "stopped":
            return Check("database", "later", "the local server is stopped; it starts on demand", "oroi server start")
        if status.state == "starting":
            return Check("database", "later", "the local server is starting", "wait a moment")
    with open_store(settings, revive=False) as store:
        store.verify()
        found = migrations.status(store)
        memories = store.rows("storage/list_memories")
        others = [] if found.pending else _read_by_another_fit(settings, store, memories)
    if found.pending and found.applied:
        return Check("database", "failed", f"{store.uri} lacks {len(found.pending)} migrations", "oroi migrate")
    if not found.applied:
        return Check("database", "later", f"{store.uri} answers; it has no schema yet", "oroi migrate")
    answers = f"{store.uri} answers (memories: {len(memories)}, dimension: {found.dimensions})"
    if others:
        which = f"memory {others[0]!r}" + (f" and {len(others) - 1} more" if others[1:] else "")
        said = f"{answers}; words of {which} were read by another version of the embedding model"
        return Check("database", "later", said, f"oroi reembed {others[0]}", {"memories": others})
    return Check("database", "ok", answers)


def _read_by_another_fit(settings: Settings, store: Store, memories: Sequence[Row]) -> list[str]:
    """The names of those of the memories whose oldest words the model in use reads in another way by now.

    Of the first MEMORIES that were made, as one statement is sent for each.
    """
    from oroi_graph.connection import open_local_model
    from oroi_graph.providers.word_vectors import fit_of
    from oroi_graph.server.fetch import LOCAL_MODELS

    if settings.embedder not in LOCAL_MODELS:
        return []
    _, pinned = LOCAL_MODELS[settings.embedder]
    if not _here(settings.cache_dir / pinned.folder, pinned.files, thorough=False):
        return []
    model = open_local_model(settings)
    of_model = [row for row in memories if row["model"] == model.model and model.fit]
    names = [row["name"] for row in sorted(of_model, key=lambda row: row["created_at"] or "")[:MEMORIES]]
    oldest = ((name, row["words"]) for name in names for row in store.rows("storage/oldest_words", memory=name))
    return [name for name, words in oldest if fit_of(words) != model.fit]
