"""Settings: folders, addresses and providers, read once from the environment and passed on as one value.

Nothing else in this package reads settings from the environment. An empty variable counts as unset.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args
from urllib.parse import SplitResult, urlsplit

from platformdirs import user_cache_path, user_data_path

from oroi_graph.errors import SettingsError

APP = "oroi-graph"
URI_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
LONGEST_URI = 2_000  # characters
LOCAL_EMBEDDERS = ("e5-small", "minilm", "bge-small")
EMBEDDERS = (*LOCAL_EMBEDDERS, "fastembed", "openai", "gemini", "voyage", "auto")
EXTRACTORS = ("offline", "openai")
SLEEPERS = ("offline", "openai")  # who judges and elaborates in sleep
RELEVANCE = ("offline", "openai")
RERANKERS = ("offline", "openai")  # who says which records answer a question
WINDOWS = ("offline", "openai")  # who reads the times of a question
RECORDED = "recorded:"
REDACTED = ("secret", "email", "iban", "card", "phone")  # kinds; where two overlap, the first names both
REGIONS = ("ES", "GB", "US", "PT", "BR")
Hemisphere = Literal["north", "south"]

_SECRETS = frozenset({"password", "openai_api_key", "gemini_api_key", "voyage_api_key", "author_token", "key"})
_SIZE = re.compile(r"[1-9][0-9]*[kmg]", re.IGNORECASE)
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Settings:
    """Everything a process is configured with. Raises SettingsError, naming the variable, on a bad value."""

    # Each meaning stands behind its field: docs/settings.md is made of them.
    uri: str | None = None  # address of a Neo4j (bolt://, neo4j+s://, …); none: the managed local server
    user: str = "neo4j"  # its user
    password: str | None = None  # its password; none: no authentication. The managed server has its own
    database: str | None = None  # its database; none: the server's default
    data_dir: Path = field(default_factory=lambda: user_data_path(APP, appauthor=False))  # the managed server's data
    cache_dir: Path = field(default_factory=lambda: user_cache_path(APP, appauthor=False))  # what was downloaded
    # "auto": the first service that has a key, in this order, else the local model.
    # Local ones: "e5-small" (a hundred languages), "minilm" and "bge-small" (English, faster), and "fastembed"'s.
    embedder: str = "e5-small"  # "minilm", "bge-small", "e5-small", "fastembed", "openai", "gemini", "voyage" or "auto"
    extractor: str = "offline"  # who reads turns: "offline", "openai", or "recorded:PATH"
    judge: str | None = None  # who decides doubtful pairs in sleep: "offline" or "openai"; none: as the extractor
    summarizer: str | None = None  # who summarizes in sleep: "offline" or "openai"; none: as the extractor
    relevance: str = "offline"  # who says which sessions answer a question about a time: "offline" or "openai"
    reranker: str = "offline"  # who says which records answer a question: "offline" or "openai" (a call each)
    windows: str = "offline"  # who reads the times that a question names: "offline" or "openai"
    hemisphere: Hemisphere = "north"  # of the seasons that a question names: "north" or "south"
    openai_base_url: str | None = None  # address of an OpenAI-compatible service; none: OpenAI's
    openai_api_key: str | None = None  # its key
    gemini_base_url: str | None = None  # address of Gemini's API, for embeddings; none: Google's
    gemini_api_key: str | None = None  # its key
    voyage_base_url: str | None = None  # address of Voyage's API, for embeddings; none: Voyage's
    voyage_api_key: str | None = None  # its key
    embedding_model: str | None = None  # its model for vectors; none: the provider's default
    embedding_dimensions: int | None = None  # of those vectors; none: the model's own
    chat_model: str | None = None  # its model for everything else; none: the provider's default
    timeout: float = 60.0  # seconds, per call of the service
    recall_timeout: float = 10.0  # seconds that a question waits for a call of a model; then it goes on without it
    # Before anything is stored, embedded or sent to a model. "on" is all of them; needs oroi-graph[redaction].
    redact: tuple[str, ...] | None = None  # what is taken out of texts: "on", or secret,email,iban,card,phone
    redact_regions: tuple[str, ...] = REGIONS  # whose national phone numbers are known to redaction
    working_set: int = 512 * 1024**2  # bytes of memories kept in process (512m in the environment); 0 keeps none
    author_token: str | None = None  # proves who writes entries under a contract
    key: str | None = None  # of who uses `oroi mcp`, where it is not told a memory
    server_heap: str | None = None  # heap of the managed server; none: 1/16 of what is available, 512m to 2g
    server_page_cache: str | None = None  # its page cache; none: 1/8 of what is available, 256m to 8g
    server_port: int | None = None  # its Bolt port; none: a free one is chosen once and remembered
    server_http_port: int | None = None  # its HTTP port, for Neo4j Browser; none: off
    maven_url: str | None = None  # a mirror of Maven Central to fetch the server's files from

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> Settings:
        """The settings of this environment (`os.environ` unless given).

        Raises SettingsError with one line that names the variable whose value is unusable.
        """
        env = os.environ if env is None else env
        values: dict[str, Any] = {}
        for name, variables in VARIABLES.items():
            text = next((value for key in variables if (value := env.get(key, "").strip())), None)
            if text is not None:
                values[name] = _READERS[name](name, text) if name in _READERS else text
        return cls(**values)

    @property
    def recorded_path(self) -> Path | None:
        """The file of recorded extractions, where `extractor` is "recorded:PATH"."""
        if not self.extractor.startswith(RECORDED):
            return None
        return Path(self.extractor.removeprefix(RECORDED)).expanduser()

    def __post_init__(self) -> None:
        _check_uri(self.uri)
        _check_choice("embedder", self.embedder, EMBEDDERS)
        if self.extractor == RECORDED or not self.extractor.startswith(RECORDED):
            _check_choice("extractor", self.extractor, (*EXTRACTORS, "recorded:PATH"))
        _check_choice("relevance", self.relevance, RELEVANCE)
        _check_choice("reranker", self.reranker, RERANKERS)
        _check_choice("windows", self.windows, WINDOWS)
        _check_choice("hemisphere", self.hemisphere, get_args(Hemisphere))
        for name in ("judge", "summarizer"):
            if getattr(self, name) is not None:
                _check_choice(name, getattr(self, name), SLEEPERS)
        for name in ("openai_base_url", "gemini_base_url", "voyage_base_url", "maven_url"):
            _check_http(name, getattr(self, name))
        for name in ("server_heap", "server_page_cache"):
            size = getattr(self, name)
            if size is not None and not _SIZE.fullmatch(size):
                raise _refused(name, "must be a size such as 512m or 2g", size)
        for name in ("server_port", "server_http_port"):
            port = getattr(self, name)
            if port is not None and not 1 <= port <= 65535:
                raise _refused(name, "must be a port from 1 to 65535", port)
        if self.redact is not None and (not self.redact or set(self.redact) - set(REDACTED)):
            raise _refused("redact", f'must be "on", "off" or some of {",".join(REDACTED)}', ",".join(self.redact))
        if self.working_set < 0:
            raise _refused("working_set", "must be a size such as 512m, or 0", self.working_set)
        if self.embedding_dimensions is not None and self.embedding_dimensions < 1:
            raise _refused("embedding_dimensions", "must be at least 1", self.embedding_dimensions)
        for name in ("timeout", "recall_timeout"):
            if not 0 < getattr(self, name) < float("inf"):
                raise _refused(name, "must be seconds above 0", getattr(self, name))

    def __repr__(self) -> str:
        shown = (
            f"{item.name}={'***' if item.name in _SECRETS and value is not None else repr(value)}"
            for item in fields(self)
            for value in (getattr(self, item.name),)
        )
        return f"Settings({', '.join(shown)})"


# Fields whose variable other products read, too.
_SHARED = ("openai_base_url", "openai_api_key", "gemini_api_key", "voyage_api_key")

# Each field's variables, the first one that is set wins; errors name the first.
VARIABLES: Mapping[str, tuple[str, ...]] = {item.name: (f"OROI_{item.name.upper()}",) for item in fields(Settings)} | {
    **{name: (f"OROI_NEO4J_{name.upper()}",) for name in ("uri", "user", "password", "database")},
    **{name: (f"OROI_{name.upper()}", name.upper()) for name in _SHARED},
}


def _refused(name: str, rule: str, value: object) -> SettingsError:
    return SettingsError(f"{VARIABLES[name][0]} {rule}, got {value!r}")


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise _refused(name, f"must be one of {', '.join(choices)}", value)


def _check_uri(uri: str | None) -> None:
    if uri is None:
        return
    if len(uri) > LONGEST_URI:
        raise SettingsError(f"OROI_NEO4J_URI has {len(uri):,} characters, the most is {LONGEST_URI:,}")
    parts = _split("uri", uri)
    if parts.username or parts.password:  # the address is printed: it must hold no secret
        raise SettingsError("OROI_NEO4J_URI must hold no user or password: use OROI_NEO4J_USER and OROI_NEO4J_PASSWORD")
    if parts.scheme not in URI_SCHEMES or not parts.hostname:
        raise _refused("uri", f"must be SCHEME://HOST[:PORT] with one of {', '.join(URI_SCHEMES)}", uri)


def _check_http(name: str, url: str | None) -> None:
    if url is None:
        return
    parts = _split(name, url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(f"{VARIABLES[name][0]} must be an http:// or https:// address")


def _split(name: str, url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port  # out of range raises only when it is read
    except ValueError as error:
        raise SettingsError(f"{VARIABLES[name][0]} is no valid address: {error}") from None
    return parts


def _path(name: str, text: str) -> Path:
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError as error:  # no home folder to expand ~ to
        raise _refused(name, f"must be a folder ({error})", text) from None


def _number(kind: Callable[[str], _T], rule: str) -> Callable[[str, str], _T]:
    def read(name: str, text: str) -> _T:
        try:
            return kind(text)
        except ValueError:
            raise _refused(name, rule, text) from None

    return read


def _bytes(name: str, text: str) -> int:
    """A size such as 512m as bytes."""
    if not _SIZE.fullmatch(text) and text != "0":
        raise _refused(name, "must be a size such as 512m, or 0", text)
    return int(text[:-1]) * 1024 ** ("kmg".index(text[-1].lower()) + 1) if text != "0" else 0


def _redacted(name: str, text: str) -> tuple[str, ...] | None:
    """Kinds of what is redacted."""
    if text.lower() in ("on", "1", "true", "yes"):
        return REDACTED
    return None if text.lower() in ("off", "0", "false", "no") else _names(name, text)


def _names(name: str, text: str) -> tuple[str, ...]:
    """What stands between commas or blanks."""
    return tuple(text.replace(",", " ").split())


_READERS: Mapping[str, Callable[[str, str], Any]] = {
    "data_dir": _path,
    "cache_dir": _path,
    "working_set": _bytes,
    "redact": _redacted,
    "redact_regions": _names,
    "embedding_dimensions": _number(int, "must be a whole number"),
    "timeout": _number(float, "must be a number of seconds"),
    "recall_timeout": _number(float, "must be a number of seconds"),
    "server_port": _number(int, "must be a port from 1 to 65535"),
    "server_http_port": _number(int, "must be a port from 1 to 65535"),
}
