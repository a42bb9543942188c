"""Long-term memory for agents, kept as a living graph in Neo4j."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oroi_graph.connection import connect
    from oroi_graph.errors import (
        AssetError,
        CredentialsError,
        EmbeddingModelError,
        ExtractionError,
        InputError,
        MemoryNotFoundError,
        OroiError,
        ProviderError,
        SchemaError,
        ServerError,
        SettingsError,
        StoreError,
        UnreachableError,
    )
    from oroi_graph.memory import Graph, Memory, Turn
    from oroi_graph.model import (
        Brief,
        ExtractedConcept,
        ExtractedRelation,
        Extraction,
        Fact,
        Match,
        Reason,
        RecordHit,
        Replaced,
        Step,
        TurnInput,
        Utterance,
    )
    from oroi_graph.options import Dynamics, Options
    from oroi_graph.providers.minilm import MiniLM
    from oroi_graph.providers.offline import OfflineExtractor
    from oroi_graph.providers.openai import OpenAIEmbedder, OpenAIExtractor
    from oroi_graph.providers.protocols import Embedder, Extractor
    from oroi_graph.providers.recorded import RecordedExtractor, Recorder
    from oroi_graph.providers.scripted import ScriptedEmbedder, ScriptedExtractor
    from oroi_graph.recall import Filters, Recall
    from oroi_graph.settings import Settings

__version__ = "0.1.0"

# Where each public name lives. They are imported on first use: `oroi --help` must not wait for a database driver.
_HOMES = {
    "AssetError": "errors",
    "Brief": "model",
    "CredentialsError": "errors",
    "Dynamics": "options",
    "Embedder": "providers.protocols",
    "EmbeddingModelError": "errors",
    "ExtractedConcept": "model",
    "ExtractedRelation": "model",
    "Extraction": "model",
    "ExtractionError": "errors",
    "Extractor": "providers.protocols",
    "Fact": "model",
    "Filters": "recall",
    "Graph": "memory",
    "InputError": "errors",
    "Match": "model",
    "Memory": "memory",
    "MemoryNotFoundError": "errors",
    "MiniLM": "providers.minilm",
    "OfflineExtractor": "providers.offline",
    "OpenAIEmbedder": "providers.openai",
    "OpenAIExtractor": "providers.openai",
    "Options": "options",
    "OroiError": "errors",
    "ProviderError": "errors",
    "Reason": "model",
    "Recall": "recall",
    "RecordHit": "model",
    "RecordedExtractor": "providers.recorded",
    "Recorder": "providers.recorded",
    "Replaced": "model",
    "SchemaError": "errors",
    "ScriptedEmbedder": "providers.scripted",
    "ScriptedExtractor": "providers.scripted",
    "ServerError": "errors",
    "Settings": "settings",
    "SettingsError": "errors",
    "Step": "model",
    "StoreError": "errors",
    "Turn": "memory",
    "TurnInput": "model",
    "UnreachableError": "errors",
    "Utterance": "model",
    "connect": "connection",
}

__all__ = [
    "AssetError",
    "Brief",
    "CredentialsError",
    "Dynamics",
    "Embedder",
    "EmbeddingModelError",
    "ExtractedConcept",
    "ExtractedRelation",
    "Extraction",
    "ExtractionError",
    "Extractor",
    "Fact",
    "Filters",
    "Graph",
    "InputError",
    "Match",
    "Memory",
    "MemoryNotFoundError",
    "MiniLM",
    "OfflineExtractor",
    "OpenAIEmbedder",
    "OpenAIExtractor",
    "Options",
    "OroiError",
    "ProviderError",
    "Reason",
    "Recall",
    "RecordHit",
    "RecordedExtractor",
    "Recorder",
    "Replaced",
    "SchemaError",
    "ScriptedEmbedder",
    "ScriptedExtractor",
    "ServerError",
    "Settings",
    "SettingsError",
    "Step",
    "StoreError",
    "Turn",
    "TurnInput",
    "UnreachableError",
    "Utterance",
    "connect",
]


def __getattr__(name: str) -> Any:
    """Import a public name from its home on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, imported or not."""
    return sorted({*globals(), *__all__})
