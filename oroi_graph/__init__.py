"""Long-term memory for agents, kept as a living graph in Neo4j."""

from __future__ import annotations

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
