"""Long-term memory for agents, kept as a living graph in Neo4j."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oroi_graph.connection import connect
    from oroi_graph.consolidation.pipeline import SleepReport
    from oroi_graph.consolidation.schedule import CronSchedule, Schedule
    from oroi_graph.consolidation.unmerge import Merge
    from oroi_graph.errors import (
        AssetError,
        BusyError,
        CredentialsError,
        EmbeddingModelError,
        ExtractionError,
        InputError,
        LeaseLostError,
        MemoryNotFoundError,
        OroiError,
        ProviderError,
        SchemaError,
        ServerError,
        SettingsError,
        StoreError,
        UnreachableError,
    )
    from oroi_graph.extraction.offline import OfflineExtractor
    from oroi_graph.forgetting.delete import DeletionResult
    from oroi_graph.forgetting.plan import DeletionPlan
    from oroi_graph.forgetting.undo_turn import UndoResult
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
    from oroi_graph.options import Dynamics, Options, Sleep
    from oroi_graph.providers.extractive import ExtractiveSummarizer
    from oroi_graph.providers.minilm import MiniLM
    from oroi_graph.providers.openai.judge import OpenAIJudge
    from oroi_graph.providers.openai.models import OpenAIEmbedder, OpenAIExtractor
    from oroi_graph.providers.openai.summarizer import OpenAISummarizer
    from oroi_graph.providers.protocols import Embedder, Extractor, Judge, Sketch, Summarizer
    from oroi_graph.providers.recorded import RecordedExtractor, Recorder
    from oroi_graph.providers.scripted import ScriptedEmbedder, ScriptedExtractor
    from oroi_graph.recall.pipeline import Filters, Recall
    from oroi_graph.settings import Settings
    from oroi_graph.storage.episodes import Episode
    from oroi_graph.worker import Outcome, Worker

__version__ = "0.1.0"

# Where each public name lives. They are imported on first use: `oroi --help` must not wait for a database driver.
_HOMES = {
    "AssetError": "errors",
    "Brief": "model",
    "BusyError": "errors",
    "CredentialsError": "errors",
    "CronSchedule": "consolidation.schedule",
    "DeletionPlan": "forgetting.plan",
    "DeletionResult": "forgetting.delete",
    "Dynamics": "options",
    "Embedder": "providers.protocols",
    "EmbeddingModelError": "errors",
    "Episode": "storage.episodes",
    "ExtractedConcept": "model",
    "ExtractedRelation": "model",
    "Extraction": "model",
    "ExtractionError": "errors",
    "ExtractiveSummarizer": "providers.extractive",
    "Extractor": "providers.protocols",
    "Fact": "model",
    "Filters": "recall.pipeline",
    "Graph": "memory",
    "InputError": "errors",
    "Judge": "providers.protocols",
    "LeaseLostError": "errors",
    "Match": "model",
    "Memory": "memory",
    "MemoryNotFoundError": "errors",
    "Merge": "consolidation.unmerge",
    "MiniLM": "providers.minilm",
    "OfflineExtractor": "extraction.offline",
    "OpenAIEmbedder": "providers.openai.models",
    "OpenAIExtractor": "providers.openai.models",
    "OpenAIJudge": "providers.openai.judge",
    "OpenAISummarizer": "providers.openai.summarizer",
    "Options": "options",
    "OroiError": "errors",
    "Outcome": "worker",
    "ProviderError": "errors",
    "Reason": "model",
    "Recall": "recall.pipeline",
    "RecordHit": "model",
    "RecordedExtractor": "providers.recorded",
    "Recorder": "providers.recorded",
    "Replaced": "model",
    "Schedule": "consolidation.schedule",
    "SchemaError": "errors",
    "ScriptedEmbedder": "providers.scripted",
    "ScriptedExtractor": "providers.scripted",
    "ServerError": "errors",
    "Settings": "settings",
    "SettingsError": "errors",
    "Sketch": "providers.protocols",
    "Sleep": "options",
    "SleepReport": "consolidation.pipeline",
    "Step": "model",
    "StoreError": "errors",
    "Summarizer": "providers.protocols",
    "Turn": "memory",
    "TurnInput": "model",
    "UndoResult": "forgetting.undo_turn",
    "UnreachableError": "errors",
    "Utterance": "model",
    "Worker": "worker",
    "connect": "connection",
}

__all__ = [
    "AssetError",
    "Brief",
    "BusyError",
    "CredentialsError",
    "CronSchedule",
    "DeletionPlan",
    "DeletionResult",
    "Dynamics",
    "Embedder",
    "EmbeddingModelError",
    "Episode",
    "ExtractedConcept",
    "ExtractedRelation",
    "Extraction",
    "ExtractionError",
    "ExtractiveSummarizer",
    "Extractor",
    "Fact",
    "Filters",
    "Graph",
    "InputError",
    "Judge",
    "LeaseLostError",
    "Match",
    "Memory",
    "MemoryNotFoundError",
    "Merge",
    "MiniLM",
    "OfflineExtractor",
    "OpenAIEmbedder",
    "OpenAIExtractor",
    "OpenAIJudge",
    "OpenAISummarizer",
    "Options",
    "OroiError",
    "Outcome",
    "ProviderError",
    "Reason",
    "Recall",
    "RecordHit",
    "RecordedExtractor",
    "Recorder",
    "Replaced",
    "Schedule",
    "SchemaError",
    "ScriptedEmbedder",
    "ScriptedExtractor",
    "ServerError",
    "Settings",
    "SettingsError",
    "Sketch",
    "Sleep",
    "SleepReport",
    "Step",
    "StoreError",
    "Summarizer",
    "Turn",
    "TurnInput",
    "UndoResult",
    "UnreachableError",
    "Utterance",
    "Worker",
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
