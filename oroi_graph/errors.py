"""Every error this package raises on purpose.

    OroiError
    ├── SettingsError            a setting or option is unusable
    ├── InputError               what the caller passed is unusable (empty text, bad name, bad line …)
    │   └── NotFoundError        an id that names nothing in the memory
    ├── StoreError               the database refused or could not be reached
    │   ├── UnreachableError     nothing answers at the address
    │   ├── CredentialsError     user or password refused
    │   ├── DatabaseFailedError  the database met an error of its own (a full disk) and must be started again
    │   ├── SchemaError          migrations missing, changed or newer than this package
    │   ├── BusyError            somebody else is consolidating the memory
    │   └── LeaseLostError       somebody else has taken over: nothing more may be committed
    ├── MemoryNotFoundError      no memory of that name
    ├── EmbeddingModelError      a memory is pinned to another embedding model
    ├── ProviderError            an embedder or extractor failed
    │   └── ExtractionError      an extraction that is not what the schema says
    ├── KeyRefusedError          a key of an interface that is unknown, expired or revoked
    ├── NotPermittedError        what a key does not allow
    ├── ServerError              the managed local server could not be set up, started or stopped
    └── AssetError               a download or unpacked file is missing or not what its checksum says

Messages are one line and say what to do. The command line catches `OroiError` once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

LONGEST = 800  # characters of a message
_ECHO = re.compile(r"\S{241,}")  # what a caller passed and nobody wants to read to its end


class OroiError(Exception):
    """Base of every error raised on purpose; `str(error)` is one line that says what to do.

    However long or strange what it is about: long words are cut, and what is left too long is cut in its middle.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(_readable(message))


class SettingsError(OroiError):
    """A setting or option is unusable."""


class InputError(OroiError):
    """What the caller passed is unusable; nothing was stored."""


class NotFoundError(InputError):
    """An id that names nothing in the memory."""


class StoreError(OroiError):
    """The database refused a statement or could not be reached."""


class UnreachableError(StoreError):
    """Nothing answers at the database's address."""

    def __init__(self, uri: str, reason: str, advice: str | None = None) -> None:
        advice = advice or "start it (oroi server start, for the managed one) or set OROI_NEO4J_URI"
        super().__init__(f"no Neo4j answers at {uri} ({reason}): {advice}")
        self.uri = uri


class CredentialsError(StoreError):
    """User or password refused."""

    def __init__(self, uri: str, user: str) -> None:
        super().__init__(f"Neo4j at {uri} refused user {user!r}: check OROI_NEO4J_USER and OROI_NEO4J_PASSWORD")
        self.uri = uri


class DatabaseFailedError(StoreError):
    """The database met an error that is its own, such as a full disk; it takes nothing before it is started again."""


class SchemaError(StoreError):
    """Migrations are missing, were changed after being applied, or are newer than this package."""


class BusyError(StoreError):
    """Somebody else is consolidating the memory."""

    def __init__(self, memory: str, owner: str, until: str) -> None:
        super().__init__(
            f"memory {memory!r} is being consolidated by {owner}: wait for it (its lease lasts until {until[:19]}Z "
            "unless renewed), then try again"
        )
        self.memory = memory
        self.owner = owner


class LeaseLostError(StoreError):
    """The lease of a memory was lost to somebody else, or the memory is gone; what was under way was not committed."""

    def __init__(self, memory: str) -> None:
        super().__init__(
            f"the lease of memory {memory!r} was lost to another worker: nothing of this step was written; "
            "what is left is done by whoever has it now"
        )
        self.memory = memory


class MemoryNotFoundError(OroiError):
    """No memory of that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no memory named {name!r}: `oroi memory list` shows those that exist")
        self.name = name


class EmbeddingModelError(OroiError):
    """A memory is pinned to another embedding model than the one in use."""

    SETTINGS: ClassVar[Mapping[str, str]] = MappingProxyType(  # of local models, by the names of their vectors
        {
            "multilingual-e5-small-q4-centred": "e5-small",
            "all-MiniLM-L6-v2": "minilm",
            "bge-small-en-v1.5-centred": "bge-small",
        }
    )

    def __init__(self, memory: str, pinned: str, given: str) -> None:
        use = f"set OROI_EMBEDDER={self.SETTINGS[pinned]}" if pinned in self.SETTINGS else f"use {pinned!r}"
        super().__init__(
            f"memory {memory!r} is pinned to embedding model {pinned!r}, not {given!r}: "
            f"{use}, or `oroi reembed {memory}`"
        )
        self.memory = memory
        self.pinned = pinned
        self.given = given


class ProviderError(OroiError):
    """An embedder or extractor failed; the turn's text is kept all the same."""


class ExtractionError(ProviderError):
    """An extraction that is not what the schema says; `detail` is shown to the model on its retry."""

    def __init__(self, detail: str) -> None:
        super().__init__(f"extraction does not follow the schema: {detail}")
        self.detail = detail


class KeyRefusedError(OroiError):
    """A key of an interface that is unknown, expired or revoked."""


class NotPermittedError(OroiError):
    """What a key does not allow: a right that it lacks, or a memory that it does not open."""


class ServerError(OroiError):
    """The managed local server could not be set up, started or stopped."""


class AssetError(OroiError):
    """A download or unpacked file is missing or not what its checksum says."""


def _readable(message: str) -> str:
    line = " ".join(message.encode("utf-8", "backslashreplace").decode().split())
    line = _ECHO.sub(lambda long: f"{long.group()[:120]}…{long.group()[-60:]}", line)
    return line if len(line) <= LONGEST else f"{line[: LONGEST // 2]} … {line[-LONGEST // 2 + 3 :]}"
