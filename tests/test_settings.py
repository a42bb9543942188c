"""Settings: what each variable does, and what a bad value says."""

from __future__ import annotations

import os
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path

import pytest
from tables import table

from oroi_graph.errors import SettingsError
from oroi_graph.settings import VARIABLES, Settings


def test_without_configuration_everything_is_local() -> None:
    settings = Settings.from_env({})
    assert settings.uri is None
    assert (settings.user, settings.password, settings.database) == ("neo4j", None, None)
    assert (settings.embedder, settings.extractor) == ("e5-small", "offline")
    assert settings.openai_api_key is None
    assert settings.data_dir.is_absolute()
    assert settings.cache_dir.is_absolute()
    assert settings.data_dir != settings.cache_dir
    assert settings == Settings()


def test_every_variable_arrives() -> None:
    env = {
        "OROI_NEO4J_URI": "neo4j+s://db.example.org",
        "OROI_NEO4J_USER": "ana",
        "OROI_NEO4J_PASSWORD": "pass word",
        "OROI_NEO4J_DATABASE": "memories",
        "OROI_DATA_DIR": "/somewhere/data",
        "OROI_CACHE_DIR": "/somewhere/cache",
        "OROI_EMBEDDER": "openai",
        "OROI_EXTRACTOR": "recorded:/somewhere/turns.jsonl",
        "OROI_JUDGE": "openai",
        "OROI_SUMMARIZER": "offline",
        "OROI_WINDOWS": "openai",
        "OROI_HEMISPHERE": "south",
        "OROI_RELEVANCE": "openai",
        "OROI_RERANKER": "openai",
        "OROI_OPENAI_BASE_URL": "http://127.0.0.1:8000/v1",
        "OROI_OPENAI_API_KEY": "key",
        "OROI_GEMINI_BASE_URL": "http://127.0.0.1:8001",
        "OROI_GEMINI_API_KEY": "key of gemini",
        "OROI_VOYAGE_BASE_URL": "http://127.0.0.1:8002",
        "OROI_VOYAGE_API_KEY": "key of voyage",
        "OROI_EMBEDDING_MODEL": "small",
        "OROI_EMBEDDING_DIMENSIONS": "256",
        "OROI_CHAT_MODEL": "large",
        "OROI_TIMEOUT": "2.5",
        "OROI_RECALL_TIMEOUT": "1.5",
        "OROI_WORKING_SET": "64m",
        "OROI_REDACT": "email,card",
        "OROI_REDACT_REGIONS": "ES FR",
        "OROI_AUTHOR_TOKEN": "oroi-author-secret",
        "OROI_KEY": "oroi_key_secret",
        "OROI_SERVER_HEAP": "1g",
        "OROI_SERVER_PAGE_CACHE": "64m",
        "OROI_SERVER_PORT": "7999",
        "OROI_SERVER_HTTP_PORT": "7474",
        "OROI_MAVEN_URL": "https://mirror.example.org/maven2",
    }
    assert set(env) == {variables[0] for variables in VARIABLES.values()}
    assert set(VARIABLES) == {item.name for item in fields(Settings)}
    settings = Settings.from_env(env)
    assert settings == Settings(
        uri="neo4j+s://db.example.org",
        user="ana",
        password="pass word",
        database="memories",
        redact=("email", "card"),
        redact_regions=("ES", "FR"),
        data_dir=Path("/somewhere/data"),
        cache_dir=Path("/somewhere/cache"),
        embedder="openai",
        extractor="recorded:/somewhere/turns.jsonl",
        judge="openai",
        summarizer="offline",
        windows="openai",
        hemisphere="south",
        relevance="openai",
        reranker="openai",
        openai_base_url="http://127.0.0.1:8000/v1",
        openai_api_key="key",
        gemini_base_url="http://127.0.0.1:8001",
        gemini_api_key="key of gemini",
        voyage_base_url="http://127.0.0.1:8002",
        voyage_api_key="key of voyage",
        embedding_model="small",
        embedding_dimensions=256,
        chat_model="large",
        timeout=2.5,
        recall_timeout=1.5,
        working_set=64 * 1024**2,
        author_token="oroi-author-secret",
        key="oroi_key_secret",
        server_heap="1g",
        server_page_cache="64m",
        server_port=7999,
        server_http_port=7474,
        maven_url="https://mirror.example.org/maven2",
    )
    assert settings.recorded_path == Path("/somewhere/turns.jsonl")


def test_the_process_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OROI_NEO4J_USER", "berta")
    assert Settings.from_env().user == "berta"
    assert Settings.from_env({}).user == "neo4j"
    assert os.environ["OROI_NEO4J_USER"] == "berta"


def test_our_own_variables_win_over_the_shared_ones() -> None:
    shared = {"OPENAI_API_KEY": "shared", "OPENAI_BASE_URL": "http://shared/v1"}
    assert Settings.from_env(shared).openai_api_key == "shared"
    assert Settings.from_env(shared).openai_base_url == "http://shared/v1"
    own = {**shared, "OROI_OPENAI_API_KEY": "own", "OROI_OPENAI_BASE_URL": "http://own/v1"}
    assert Settings.from_env(own).openai_api_key == "own"
    assert Settings.from_env(own).openai_base_url == "http://own/v1"


def test_an_empty_variable_counts_as_unset() -> None:
    assert Settings.from_env({"OROI_NEO4J_URI": "", "OROI_TIMEOUT": " "}) == Settings()


def test_no_working_sets_are_kept_for_0() -> None:
    assert Settings.from_env({"OROI_WORKING_SET": "0"}).working_set == 0


def test_folders_are_made_absolute_and_know_the_home_folder() -> None:
    settings = Settings.from_env({"OROI_DATA_DIR": "~/memories", "OROI_CACHE_DIR": "here"})
    assert settings.data_dir == Path.home() / "memories"
    assert settings.cache_dir == Path.cwd() / "here"


def test_secrets_are_not_shown() -> None:
    settings = Settings(password="top-secret", openai_api_key="sk-secret")
    assert "secret" not in repr(settings)
    assert "secret" not in str(settings)
    assert "password=***" in repr(settings)
    assert "password=None" in repr(Settings())


def test_frozen_and_checked_on_replace() -> None:
    settings = Settings()
    with pytest.raises(FrozenInstanceError):
        settings.user = "other"  # type: ignore[misc]
    assert replace(settings, uri="bolt://127.0.0.1:7687").uri == "bolt://127.0.0.1:7687"
    with pytest.raises(SettingsError, match="OROI_NEO4J_URI"):
        replace(settings, uri="localhost")


@table(
    ("variable", "value"),
    [
        ("OROI_NEO4J_URI", "localhost:7687"),
        ("OROI_NEO4J_URI", "http://localhost:7474"),
        ("OROI_NEO4J_URI", "bolt://"),
        ("OROI_NEO4J_URI", "bolt://host:99999"),
        ("OROI_NEO4J_URI", "bolt://[::1"),
        ("OROI_EMBEDDER", "word2vec"),
        ("OROI_EXTRACTOR", "magic"),
        ("OROI_JUDGE", "nobody"),
        ("OROI_SUMMARIZER", "recorded:/x"),
        ("OROI_WINDOWS", "almanac"),
        ("OROI_RELEVANCE", "maybe"),
        ("OROI_RERANKER", "maybe"),
        ("OROI_HEMISPHERE", "east"),
        ("OROI_EXTRACTOR", "recorded:"),
        ("OROI_OPENAI_BASE_URL", "api.example.org"),
        ("OROI_MAVEN_URL", "file:///tmp"),
        ("OROI_EMBEDDING_DIMENSIONS", "many"),
        ("OROI_EMBEDDING_DIMENSIONS", "0"),
        ("OROI_TIMEOUT", "soon"),
        ("OROI_RECALL_TIMEOUT", "0"),
        ("OROI_WORKING_SET", "much"),
        ("OROI_WORKING_SET", "-1"),
        ("OROI_TIMEOUT", "0"),
        ("OROI_TIMEOUT", "nan"),
        ("OROI_TIMEOUT", "inf"),
        ("OROI_SERVER_HEAP", "lots"),
        ("OROI_SERVER_HEAP", "512"),
        ("OROI_SERVER_PAGE_CACHE", "0m"),
        ("OROI_SERVER_PORT", "bolt"),
        ("OROI_SERVER_PORT", "0"),
        ("OROI_SERVER_HTTP_PORT", "65536"),
    ],
)
def test_a_bad_value_is_named_in_one_line(variable: str, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({variable: value})
    message = str(caught.value)
    assert message.startswith(variable)
    assert "\n" not in message


def test_a_password_in_the_address_is_refused_unseen() -> None:
    with pytest.raises(SettingsError, match="OROI_NEO4J_PASSWORD") as caught:
        Settings.from_env({"OROI_NEO4J_URI": "bolt://neo4j:hunter22@host:7687"})
    assert "hunter22" not in str(caught.value)
