"""The configuration of a workspace, read from JSON5 with the keys of the product that made this layout.

Three places are read: `agents.defaults.memorySearch`, `agents.defaults.compaction` and `memory`; `memory.search` is the
newer place of the first and wins over it. The rest of the file belongs to others and is passed over. A key of these
places that is not known is named (`unknown`), so is one that is known and has no effect here (`unused`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

import json5

from oroi_graph.errors import InputError
from oroi_graph.files import read_text

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
class WorkspaceConfig:
    """All settings of one workspace. unknown, unused: dotted keys of the file.

    chunk_tokens, chunk_overlap: of a chunk, about. cache: embeddings that are kept, 0 for none. sessions: the folder of
    the agent's own transcripts; they are searched only if `sources` names them.
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
    provider: str | None = None
    model: str | None = None
    query: QueryConfig = field(default_factory=QueryConfig)
    sync: SyncConfig = field(default_factory=SyncConfig)
    flush: FlushConfig = field(default_factory=FlushConfig)
    unknown: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.chunk_tokens <= 8_000 or not 0 <= self.chunk_overlap < self.chunk_tokens:
            raise InputError("a chunk needs 1 to 8000 tokens, and an overlap below that")


Reader = Callable[[str, Any], Any]


def _typed(kind: type, said: str) -> Reader:
    def read(key: str, value: Any) -> Any:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise InputError(f"{key} must be {said}, got {value!r}")
        return value

    return read


def _number(least: float, most: float, whole: bool = False) -> Reader:
    def read(key: str, value: Any) -> Any:
        good = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        if not good or not least <= value <= most:
            said = "a whole number" if whole else "a number"
            raise InputError(f"{key} must be {said} from {least:g} to {most:g}, got {value!r}")
        return value

    return read


def _choice(*choices: str) -> Reader:
    def read(key: str, value: Any) -> Any:
        if value not in choices:
            raise InputError(f"{key} must be one of {', '.join(choices)}, got {value!r}")
        return value

    return read


def _texts(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise InputError(f"{key} must be a list of texts, got {value!r}")
    return tuple(value)


def _sources(key: str, value: Any) -> tuple[str, ...]:
    found = _texts(key, value)
    for one in found:
        _choice(*SOURCES)(key, one)
    return found


_FLAG, _TEXT = _typed(bool, "true or false"), _typed(str, "a text")
_COUNT, _SHARE = _number(0, 10**9, whole=True), _number(0, 1)
_SESSIONS_ON = "sessions on"  # no field: one of two conditions for transcripts to be searched

# Keys below memorySearch: what they set and how they are read. None: accepted, without an effect here.
_SEARCH: Mapping[str, tuple[str, Reader] | None] = {
    "enabled": ("enabled", _FLAG),
    "profile": ("profile", _choice(*PROFILES)),
    "sources": ("sources", _sources),
    "extraPaths": ("extra_paths", _texts),
    "provider": ("provider", _choice("auto", "local", "openai", "gemini", "voyage")),
    "model": ("model", _TEXT),
    "chunking.tokens": ("chunk_tokens", _number(1, 8_000, whole=True)),
    "chunking.overlap": ("chunk_overlap", _COUNT),
    "cache.enabled": ("cache on", _FLAG),
    "cache.maxEntries": ("cache", _COUNT),
    "query.maxResults": ("query.max_results", _number(1, 100, whole=True)),
    "query.minScore": ("query.min_score", _SHARE),
    "query.hybrid.enabled": ("query.hybrid", _FLAG),
    "query.hybrid.vectorWeight": ("query.vector_weight", _SHARE),
    "query.hybrid.textWeight": ("query.text_weight", _SHARE),
    "query.hybrid.candidateMultiplier": ("query.candidate_multiplier", _number(1, 20, whole=True)),
    "query.hybrid.mmr.enabled": ("query.mmr", _FLAG),
    "query.hybrid.mmr.lambda": ("query.mmr_lambda", _SHARE),
    "query.hybrid.temporalDecay.enabled": ("query.decay", _FLAG),
    "query.hybrid.temporalDecay.halfLifeDays": ("query.half_life", _number(0.01, 36_500)),
    "sync.onSessionStart": ("sync.on_session_start", _FLAG),
    "sync.onSearch": ("sync.on_search", _FLAG),
    "sync.watch": ("sync.watch", _FLAG),
    "sync.watchDebounceMs": ("sync.debounce", _number(0, 600_000, whole=True)),
    "sync.intervalMinutes": ("sync.interval", _number(0, 10_080)),
    "sync.sessions.deltaBytes": ("sync.session_bytes", _COUNT),
    "sync.sessions.deltaMessages": ("sync.session_messages", _COUNT),
    "experimental.sessionMemory": (_SESSIONS_ON, _FLAG),
    # An embedding provider is a setting of the whole memory here, the index is in the graph.
    **dict.fromkeys((
        "fallback", "remote.baseUrl", "remote.apiKey", "remote.headers.*", "remote.batch.enabled", "remote.batch.wait",
        "remote.batch.pollIntervalMs", "remote.batch.timeoutMinutes", "remote.batch.concurrency", "local.modelPath",
        "local.modelCacheDir", "store.path", "store.driver", "store.vector.enabled", "store.vector.extensionPath",
    )),
}  # fmt: skip
_COMPACTION: Mapping[str, tuple[str, Reader] | None] = {
    "reserveTokensFloor": ("flush.reserve", _COUNT),
    "memoryFlush.enabled": ("flush.enabled", _FLAG),
    "memoryFlush.softThresholdTokens": ("flush.soft", _COUNT),
    "memoryFlush.systemPrompt": ("flush.system_prompt", _TEXT),
    "memoryFlush.prompt": ("flush.prompt", _TEXT),
    "mode": None,
    "maxHistoryShare": None,
}
_MEMORY: Mapping[str, tuple[str, Reader] | None] = {
    "citations": ("citations", _choice("auto", "on", "off")),
    "backend": None,
    "qmd.*": None,
}
# Later ones win.
_PLACES = (
    ("agents.defaults.memorySearch", _SEARCH),
    ("agents.defaults.compaction", _COMPACTION),
    ("memory", _MEMORY),
    ("memory.search", _SEARCH),
)
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
    for place, table in _PLACES:
        section = _at(found, place)
        if section is None:
            continue
        if not isinstance(section, dict):
            raise InputError(f"{place} must be an object")
        for key, value in _leaves(section, skipped="search" if place == "memory" else ""):
            full = f"{place}.{key}"
            target = _target(key, table)
            if target is None:
                unknown.append(full)
            elif target == ():
                unused.append(full)
            else:
                name, reader = cast(tuple[str, Reader], target)
                values[name] = reader(full, value)
    sessions_on, cache_on = values.pop(_SESSIONS_ON, False), values.pop("cache on", True)
    if not cache_on:
        values["cache"] = 0
    if not sessions_on:
        values["sources"] = tuple(one for one in values.get("sources", ("memory",)) if one != "sessions")
    return replace(_built(values), unknown=tuple(unknown), unused=tuple(unused))


def _built(values: Mapping[str, Any]) -> WorkspaceConfig:
    sections: dict[str, dict[str, Any]] = {"query": {}, "sync": {}, "flush": {}}
    own: dict[str, Any] = {}
    for name, value in values.items():
        section, _, key = name.rpartition(".")
        (sections[section] if section else own)[key] = value
    return WorkspaceConfig(
        **own, query=QueryConfig(**sections["query"]), sync=SyncConfig(**sections["sync"]),
        flush=FlushConfig(**sections["flush"]),
    )  # fmt: skip


def _at(found: Mapping[str, Any], place: str) -> Any:
    value: Any = found
    for name in place.split("."):
        if not isinstance(value, Mapping) or name not in value:
            return None
        value = value[name]
    return value


def _leaves(section: Mapping[str, Any], prefix: str = "", skipped: str = "") -> Iterator[tuple[str, Any]]:
    """(dotted key, value) of everything in a section that is no object."""
    for key, value in section.items():
        if not prefix and key == skipped:
            continue
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _target(key: str, table: Mapping[str, tuple[str, Reader] | None]) -> tuple[str, Reader] | tuple[()] | None:
    """What a key sets; () if it has no effect; None if it is not known."""
    if key in table:
        return table[key] or ()
    parts = key.split(".")
    wide = (".".join([*parts[:end], "*"]) for end in range(1, len(parts)))
    return () if any(one in table for one in wide) else None
