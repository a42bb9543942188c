"""The configuration of a workspace, read from JSON5 with the keys of the product that made this layout.

Three places are read: `agents.defaults.memorySearch`, `agents.defaults.compaction` and `memory`; `memory.search` is the
newer place of the first and wins over it. The rest of the file belongs to others and is passed over. A key of these
places that is not known is named (`unknown`), so is one that is known and has no effect here (`unused`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

import json5

from oroi_graph.errors import InputError
from oroi_graph.files import read_text
from oroi_graph.providers.remote.jobs import JobOptions
from oroi_graph.workspace.qmd.config import QmdConfig, parse_paths, parse_rules
from oroi_graph.workspace.values import Reader, choice, flag, number, seconds, share, text, texts, whole

Citations = Literal["auto", "on", "off"]
Profile = Literal["seed", "current", "associative"]
PROFILES: tuple[Profile, ...] = ("seed", "current", "associative")
SOURCES = ("memory", "sessions")

SYSTEM_PROMPT = "Session nearing compaction. Store durable memories now."
PROMPT = "Append durable notes to memory/YYYY-MM-DD.md; reply with NO_REPLY if there is nothing to store."


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryConfig:
    """How `memory_search` ranks. Weights count by their proportion. half_life: days."""

    max_results: int = 6
    min_score: float = 0.0
    hybrid: bool = True
    vector_weight: float = 0.7
    text_weight: float = 0.3
    candidate_multiplier: int = 4
    mmr: bool = False
    mmr_lambda: float = 0.7
    decay: bool = False
    half_life: float = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncConfig:
    """When the index is brought up to date. debounce: milliseconds; interval: minutes, 0 for never."""

    on_session_start: bool = True
    on_search: bool = True
    watch: bool = True
    debounce: int = 1500
    interval: float = 0.0
    session_bytes: int = 100_000
    session_messages: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class FlushConfig:
    """The reminder before a compaction. Numbers are tokens."""

    enabled: bool = True
    reserve: int = 20_000
    soft: int = 4_000
    system_prompt: str = SYSTEM_PROMPT
    prompt: str = PROMPT


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingConfig:
    """Who embeds the notes. provider: None for the memory's own embedder. fallback: who does if that one fails.

    base_url, api_key, headers: of the service. others: the same by service, from `models.providers`. batch: None for no
    batch jobs. local_model: a local model of one's own.
    """

    provider: str | None = None
    model: str | None = None
    fallback: str = "none"
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    others: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    batch: JobOptions | None = None
    local_model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceConfig:
    """All settings of one workspace. unknown, unused: dotted keys of the file.

    chunk_tokens, chunk_overlap: of a chunk, about. cache: embeddings that are kept, 0 for none. sessions: the folder of
    the agent's own transcripts; they are searched only if `sources` names them. qmd: None if the graph's index answers.
    """

    enabled: bool = True
    profile: Profile = "seed"
    citations: Citations = "auto"
    sources: tuple[str, ...] = ("memory",)
    extra_paths: tuple[str, ...] = ()
    sessions: str | None = None
    chunk_tokens: int = 400
    chunk_overlap: int = 80
    cache: int = 50_000
    embedding: EmbeddingConfig = field(default_factory=EmbeddingConfig)
    qmd: QmdConfig | None = None
    query: QueryConfig = field(default_factory=QueryConfig)
    sync: SyncConfig = field(default_factory=SyncConfig)
    flush: FlushConfig = field(default_factory=FlushConfig)
    unknown: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.chunk_tokens <= 8_000 or not 0 <= self.chunk_overlap < self.chunk_tokens:
            raise InputError("a chunk needs 1 to 8000 tokens, and an overlap below that")


def _sources(key: str, value: Any) -> tuple[str, ...]:
    found: tuple[str, ...] = texts(key, value)
    for one in found:
        choice(*SOURCES)(key, one)
    return found


_COUNT = whole(0, 10**9)
_SESSIONS_ON = "sessions on"  # no field: one of two conditions for transcripts to be searched
_PROVIDERS = ("local", "openai", "gemini", "voyage")

# Keys below memorySearch: what they set and how they are read. None: accepted, without an effect here.
_SEARCH: Mapping[str, tuple[str, Reader] | None] = {
    "enabled": ("enabled", flag),
    "profile": ("profile", choice(*PROFILES)),
    "sources": ("sources", _sources),
    "extraPaths": ("extra_paths", texts),
    "sessions": ("sessions", text),
    "provider": ("embedding.provider", choice("auto", *_PROVIDERS)),
    "model": ("embedding.model", text),
    "fallback": ("embedding.fallback", choice("none", *_PROVIDERS)),
    "remote.baseUrl": ("embedding.base_url", text),
    "remote.apiKey": ("embedding.api_key", text),
    "remote.headers.*": ("embedding.headers.*", text),
    "remote.batch.enabled": ("batch.enabled", flag),
    "remote.batch.wait": ("batch.wait", flag),
    "remote.batch.pollIntervalMs": ("batch.poll", number(1, 3_600_000, scale=1 / 1000)),
    "remote.batch.timeoutMinutes": ("batch.timeout", number(0.001, 10_080, scale=60)),
    "remote.batch.concurrency": ("batch.concurrency", whole(1, 64)),
    "local.modelPath": ("embedding.local_model", text),
    "chunking.tokens": ("chunk_tokens", whole(1, 8_000)),
    "chunking.overlap": ("chunk_overlap", _COUNT),
    "cache.enabled": ("cache on", flag),
    "cache.maxEntries": ("cache", _COUNT),
    "query.maxResults": ("query.max_results", whole(1, 100)),
    "query.minScore": ("query.min_score", share),
    "query.hybrid.enabled": ("query.hybrid", flag),
    "query.hybrid.vectorWeight": ("query.vector_weight", share),
    "query.hybrid.textWeight": ("query.text_weight", share),
    "query.hybrid.candidateMultiplier": ("query.candidate_multiplier", whole(1, 20)),
    "query.hybrid.mmr.enabled": ("query.mmr", flag),
    "query.hybrid.mmr.lambda": ("query.mmr_lambda", share),
    "query.hybrid.temporalDecay.enabled": ("query.decay", flag),
    "query.hybrid.temporalDecay.halfLifeDays": ("query.half_life", number(0.01, 36_500)),
    "sync.onSessionStart": ("sync.on_session_start", flag),
    "sync.onSearch": ("sync.on_search", flag),
    "sync.watch": ("sync.watch", flag),
    "sync.watchDebounceMs": ("sync.debounce", whole(0, 600_000)),
    "sync.intervalMinutes": ("sync.interval", number(0, 10_080)),
    "sync.sessions.deltaBytes": ("sync.session_bytes", _COUNT),
    "sync.sessions.deltaMessages": ("sync.session_messages", _COUNT),
    "experimental.sessionMemory": (_SESSIONS_ON, flag),
    # The index is in the graph.
    **dict.fromkeys((
        "local.modelCacheDir", "store.path", "store.driver", "store.vector.enabled", "store.vector.extensionPath",
    )),
}  # fmt: skip
_COMPACTION: Mapping[str, tuple[str, Reader] | None] = {
    "reserveTokensFloor": ("flush.reserve", _COUNT),
    "memoryFlush.enabled": ("flush.enabled", flag),
    "memoryFlush.softThresholdTokens": ("flush.soft", _COUNT),
    "memoryFlush.systemPrompt": ("flush.system_prompt", text),
    "memoryFlush.prompt": ("flush.prompt", text),
    "mode": None,
    "maxHistoryShare": None,
}
_MEMORY: Mapping[str, tuple[str, Reader] | None] = {
    "citations": ("citations", choice("auto", "on", "off")),
    "backend": ("backend", choice("builtin", "qmd")),
    "qmd.command": ("qmd.command", text),
    "qmd.searchMode": ("qmd.mode", choice("search", "vsearch", "query")),
    "qmd.includeDefaultMemory": ("qmd.include_default", flag),
    "qmd.paths": ("qmd.paths", parse_paths),
    "qmd.sessions.enabled": ("qmd.sessions", flag),
    "qmd.sessions.retentionDays": ("qmd.retention_days", number(0.001, 36_500)),
    "qmd.sessions.exportDir": ("qmd.export_dir", text),
    "qmd.update.interval": ("qmd.interval", seconds),
    "qmd.update.debounceMs": ("qmd.debounce", number(0, 86_400_000, scale=1 / 1000)),
    "qmd.update.onBoot": None,  # `sync` brings QMD up to date, when a session starts, too
    "qmd.update.waitForBootSync": None,
    "qmd.update.embedInterval": ("qmd.embed_interval", seconds),
    "qmd.update.commandTimeoutMs": ("qmd.command_timeout", number(1, 86_400_000, scale=1 / 1000)),
    "qmd.update.updateTimeoutMs": ("qmd.update_timeout", number(1, 86_400_000, scale=1 / 1000)),
    "qmd.update.embedTimeoutMs": ("qmd.embed_timeout", number(1, 86_400_000, scale=1 / 1000)),
    "qmd.limits.maxResults": ("qmd.max_results", whole(1, 100)),
    "qmd.limits.maxSnippetChars": ("qmd.max_snippet", whole(1, 100_000)),
    "qmd.limits.maxInjectedChars": ("qmd.max_injected", whole(1, 1_000_000)),
    "qmd.limits.timeoutMs": ("qmd.timeout", number(1, 3_600_000, scale=1 / 1000)),
    "qmd.scope.default": ("qmd.default", choice("allow", "deny")),
    "qmd.scope.rules": ("qmd.rules", parse_rules),
}
# Of `models.providers`, which belongs to chat models, too, only how the services of embeddings are reached.
_MODELS: Mapping[str, tuple[str, Reader] | None] = {
    f"{theirs}.{key}": (f"others.{ours}.{name}", text)
    for theirs, ours in (("openai", "openai"), ("google", "gemini"), ("voyage", "voyage"))
    for key, name in (("apiKey", "key"), ("baseUrl", "base_url"))
}
# Later ones win.
_PLACES = (
    ("agents.defaults.memorySearch", _SEARCH),
    ("agents.defaults.compaction", _COMPACTION),
    ("memory", _MEMORY),
    ("memory.search", _SEARCH),
)
_PASSED = {"models.providers": _MODELS}  # what others share with us: other keys are none of ours
_VARIABLE = re.compile(r"\$\{[A-Za-z_]\w*\}")  # a key that stands in the environment: that of the settings counts
_MISPLACED = ("memorySearch",)


def read_config(path: Path | None) -> WorkspaceConfig:
    """The configuration in a file; the defaults without one. Raises InputError for an unusable file or value."""
    if path is None:
        return WorkspaceConfig()
    text = read_text(path)
    try:
        found = json5.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON5: {str(error).splitlines()[0]}") from error
    if not isinstance(found, dict):
        raise InputError(f"{path} must hold an object")
    return parse_config(found)


def parse_config(found: Mapping[str, Any]) -> WorkspaceConfig:
    """The configuration in an object. Raises InputError that names the key of a bad value."""
    values: dict[str, Any] = {}
    unknown = [key for key in _MISPLACED if key in found]
    unused: list[str] = []
    for place, table in (*_PASSED.items(), *_PLACES):
        section = _at(found, place)
        if section is None:
            continue
        if not isinstance(section, dict):
            raise InputError(f"{place} must be an object")
        for key, value in _leaves(section, table, skipped="search" if place == "memory" else ""):
            target = _target(key, table)
            if target is None and place not in _PASSED:
                unknown.append(f"{place}.{key}")
            elif target == ():
                unused.append(f"{place}.{key}")
            elif target is not None:
                name, reader = cast(tuple[str, Reader], target)
                values[name] = reader(f"{place}.{key}", value)
    return replace(_built(values), unknown=tuple(unknown), unused=tuple(unused))


def _built(values: dict[str, Any]) -> WorkspaceConfig:
    """What {field, or section.field: value} make."""
    sessions_on, cache_on = values.pop(_SESSIONS_ON, False), values.pop("cache on", True)
    if not cache_on:
        values["cache"] = 0
    if not sessions_on:
        values["sources"] = tuple(one for one in values.get("sources", ("memory",)) if one != "sessions")
    backend = values.pop("backend", "builtin")
    names = ("query", "sync", "flush", "embedding", "batch", "qmd", "others")
    sections: dict[str, dict[str, Any]] = {name: {} for name in names}
    own: dict[str, Any] = {}
    for name, value in values.items():
        section, _, key = name.partition(".")
        (sections[section] if key else own)[key or section] = value
    return WorkspaceConfig(
        **own, query=QueryConfig(**sections["query"]), sync=SyncConfig(**sections["sync"]),
        flush=FlushConfig(**sections["flush"]),
        embedding=_embedding(sections["embedding"], sections["batch"], sections["others"]),
        qmd=QmdConfig(**sections["qmd"]) if backend == "qmd" else None,
    )  # fmt: skip


def _embedding(values: dict[str, Any], batch: dict[str, Any], others: Mapping[str, str]) -> EmbeddingConfig:
    headers = {name.partition(".")[2]: values.pop(name) for name in list(values) if name.startswith("headers.")}
    if _VARIABLE.fullmatch(values.get("api_key", "")):
        del values["api_key"]
    services: dict[str, dict[str, str]] = {}
    for name, value in others.items():
        if not _VARIABLE.fullmatch(value):
            service, _, key = name.partition(".")
            services.setdefault(service, {})[key] = value
    enabled = batch.pop("enabled", False)
    return EmbeddingConfig(**values, headers=headers, others=services, batch=JobOptions(**batch) if enabled else None)


def _at(found: Mapping[str, Any], place: str) -> Any:
    value: Any = found
    for name in place.split("."):
        if not isinstance(value, Mapping) or name not in value:
            return None
        value = value[name]
    return value


def _leaves(
    section: Mapping[str, Any], known: Mapping[str, object], prefix: str = "", skipped: str = ""
) -> Iterator[tuple[str, Any]]:
    """(dotted key, value) of everything in a section that is known, or no object."""
    for key, value in section.items():
        if not prefix and key == skipped:
            continue
        if isinstance(value, dict) and value and f"{prefix}{key}" not in known:
            yield from _leaves(value, known, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _target(key: str, table: Mapping[str, tuple[str, Reader] | None]) -> tuple[str, Reader] | tuple[()] | None:
    """What a key sets; () if it has no effect; None if it is not known."""
    if key in table:
        return table[key] or ()
    parts = key.split(".")
    for end in range(1, len(parts)):
        wide = ".".join([*parts[:end], "*"])
        if wide in table:
            found = table[wide]
            return () if found is None else (found[0].removesuffix("*") + ".".join(parts[end:]), found[1])
    return None
