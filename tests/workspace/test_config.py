"""The configuration: the inventor's JSON5 as it is, its newer place, unknown keys, bad values."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import table

from oroi_graph.errors import InputError
from oroi_graph.providers.remote.jobs import JobOptions
from oroi_graph.workspace.config import (
    EmbeddingConfig,
    FlushConfig,
    QueryConfig,
    WorkspaceConfig,
    parse_config,
    read_config,
)
from oroi_graph.workspace.qmd.config import QmdConfig, QmdPath

EXAMPLE = """
{
  // Comments, bare keys and trailing commas are JSON5.
  agents: {
    defaults: {
      workspace: "~/.openclaw/workspace",
      model: { primary: "anthropic/claude" },
      compaction: {
        reserveTokensFloor: 20000,
        memoryFlush: {
          enabled: true,
          softThresholdTokens: 4000,
          systemPrompt: "Sesión cercana a compactación. Almacena memorias duraderas ahora.",
          prompt: "Escribe notas duraderas en memory/YYYY-MM-DD.md; responde con NO_REPLY si no hay nada.",
        },
      },
      memorySearch: {
        provider: "openai",
        model: "text-embedding-3-small",
        fallback: "openai",
        extraPaths: ["../team-docs", "/srv/shared-notes/overview.md"],
        remote: {
          baseUrl: "https://api.example.com/v1/",
          apiKey: "YOUR_OPENAI_COMPAT_API_KEY",
          headers: { "X-Custom-Header": "value" },
          batch: { enabled: true, concurrency: 2 },
        },
        sync: { watch: true, sessions: { deltaBytes: 100000, deltaMessages: 50 } },
        query: {
          hybrid: {
            enabled: true,
            vectorWeight: 0.7,
            textWeight: 0.3,
            candidateMultiplier: 4,
            mmr: { enabled: true, lambda: 0.7 },
            temporalDecay: { enabled: true, halfLifeDays: 30 },
          },
        },
        cache: { enabled: true, maxEntries: 50000 },
        experimental: { sessionMemory: true },
        sources: ["memory", "sessions"],
        store: { vector: { enabled: true, extensionPath: "/path/to/sqlite-vec" } },
      },
    },
  },
  memory: {
    backend: "qmd",
    citations: "auto",
    qmd: {
      includeDefaultMemory: true,
      update: { interval: "5m", debounceMs: 15000, onBoot: true },
      limits: { maxResults: 6, timeoutMs: 4000 },
      scope: { default: "deny", rules: [{ action: "allow", match: { chatType: "direct" } }] },
      paths: [{ name: "docs", path: "~/notes", pattern: "**/*.md" }],
    },
  },
  gateway: { port: 18789 },
}
"""


def test_the_inventors_file_is_accepted_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "openclaw.json"
    path.write_text(EXAMPLE)
    found = read_config(path)
    assert found.unknown == ()
    assert found.query == QueryConfig(mmr=True, decay=True)
    assert (found.flush.reserve, found.flush.soft, found.flush.prompt[:8]) == (20_000, 4_000, "Escribe ")
    assert found.extra_paths == ("../team-docs", "/srv/shared-notes/overview.md")
    assert found.sources == ("memory", "sessions")
    assert found.embedding == EmbeddingConfig(
        provider="openai", model="text-embedding-3-small", fallback="openai", base_url="https://api.example.com/v1/",
        api_key="YOUR_OPENAI_COMPAT_API_KEY", headers={"X-Custom-Header": "value"}, batch=JobOptions(concurrency=2),
    )  # fmt: skip
    assert "YOUR_OPENAI" not in repr(found)
    assert found.cache == 50_000
    assert found.qmd == QmdConfig(paths=(QmdPath(name="docs", path="~/notes"),))
    assert {"agents.defaults.memorySearch.store.vector.enabled", "memory.qmd.update.onBoot"} <= set(found.unused)


def test_defaults_are_the_inventors() -> None:
    found = read_config(None)
    assert found == parse_config({}) == WorkspaceConfig()
    assert (found.query.mmr, found.query.decay, found.query.max_results) == (False, False, 6)
    assert (found.sync.debounce, found.sync.session_bytes, found.sync.session_messages) == (1500, 100_000, 50)
    assert (found.chunk_tokens, found.chunk_overlap, found.flush) == (400, 80, FlushConfig())


def test_the_newer_place_wins_over_the_older_one() -> None:
    old = {"agents": {"defaults": {"memorySearch": {"query": {"maxResults": 3, "minScore": 0.2}}}}}
    found = parse_config(old | {"memory": {"search": {"query": {"maxResults": 9}}}})
    assert (found.query.max_results, found.query.min_score) == (9, 0.2)


def test_unknown_keys_are_named_and_others_passed_over() -> None:
    found = parse_config({
        "memorySearch": {"provider": "openai"},
        "agents": {
            "defaults": {"memorySearch": {"querry": {"maxResults": 3}}, "compaction": {"memoryFlush": {"on": 1}}}
        },
        "memory": {"citatoins": "on"},
        "channels": {"discord": {}},
    })  # fmt: skip
    assert found.unknown == (
        "memorySearch", "agents.defaults.memorySearch.querry.maxResults", "agents.defaults.compaction.memoryFlush.on",
        "memory.citatoins",
    )  # fmt: skip


def test_keys_of_services_stand_where_the_inventor_has_them() -> None:
    providers = {"google": {"apiKey": "g", "models": []}, "openai": {"apiKey": "${OPENAI_API_KEY}"}, "other": {}}
    search = {"remote": {"apiKey": "${GEMINI_API_KEY}", "batch": {"enabled": True, "pollIntervalMs": 500}}}
    found = parse_config({"models": {"providers": providers}, "memory": {"search": search}})
    assert found.unknown == ()
    assert (found.embedding.api_key, found.embedding.others) == (None, {"gemini": {"key": "g"}})
    assert found.embedding.batch == JobOptions(poll=0.5)


def test_the_sidecar_is_used_only_if_it_is_the_backend() -> None:
    qmd = {"update": {"interval": "90s", "embedInterval": "1h"}, "limits": {"timeoutMs": 250}}
    assert parse_config({"memory": {"qmd": qmd}}).qmd is None
    found = parse_config({"memory": {"backend": "qmd", "qmd": qmd}}).qmd
    assert found is not None
    assert (found.interval, found.embed_interval, found.timeout, found.default) == (90.0, 3600.0, 0.25, "deny")


@table(
    "qmd, message",
    [
        ({"update": {"interval": "soon"}}, "must be a duration"),
        ({"searchMode": "grep"}, "must be one of search, vsearch, query"),
        ({"paths": [{"name": "../x", "path": "~"}]}, "must be made of letters"),
        ({"paths": [{"name": "a", "path": "~"}, {"name": "a", "path": "/"}]}, "each once"),
        ({"paths": [{"name": "a"}]}, "paths.0..path must be a text"),
        ({"scope": {"rules": [{"action": "allow", "match": {"chattype": "direct"}}]}}, "not known: chattype"),
        ({"scope": {"rules": [{"action": "perhaps"}]}}, "must be one of allow, deny"),
        ({"scope": {"rules": {"action": "allow"}}}, "must be a list of objects"),
    ],
)
def test_a_bad_value_of_the_sidecar_names_its_key(qmd: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_config({"memory": {"backend": "qmd", "qmd": qmd}})


def test_transcripts_need_both_conditions() -> None:
    search = {"sources": ["memory", "sessions"]}
    assert parse_config({"memory": {"search": search}}).sources == ("memory",)
    both = search | {"experimental": {"sessionMemory": True}}
    assert parse_config({"memory": {"search": both}}).sources == ("memory", "sessions")


def test_a_cache_that_is_off_holds_nothing() -> None:
    assert parse_config({"memory": {"search": {"cache": {"enabled": False, "maxEntries": 9}}}}).cache == 0


@table(
    "search, message",
    [
        ({"query": {"maxResults": 0}}, "memory.search.query.maxResults must be a whole number from 1 to 100"),
        ({"query": {"maxResults": True}}, "whole number"),
        ({"query": {"hybrid": {"vectorWeight": "a lot"}}}, "must be a number from 0 to 1"),
        ({"enabled": "yes"}, "must be true or false"),
        ({"extraPaths": "docs"}, "must be a list of texts"),
        ({"sources": ["mail"]}, "must be one of memory, sessions"),
        ({"provider": "word2vec"}, "must be one of"),
        ({"chunking": {"tokens": 100, "overlap": 100}}, "overlap below that"),
        ([], "memory.search must be an object"),
    ],
)
def test_a_bad_value_names_its_key(search: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_config({"memory": {"search": search}})


@table("text", ["{", "[1]", "{a: }", "'x'", "{" * 3000])
def test_what_is_no_json5_object_is_refused_in_a_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    with pytest.raises(InputError) as refusal:
        read_config(path)
    assert "\n" not in str(refusal.value)
