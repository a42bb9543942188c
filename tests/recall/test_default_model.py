"""The embedding model that users have by default: the rest of the suite embeds with the fastest one."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from graph_view import NOON
from shared_assets import ASSET_CACHE

from oroi_graph import Memory, OfflineExtractor
from oroi_graph.connection import open_embedder
from oroi_graph.errors import EmbeddingModelError
from oroi_graph.memory import Graph
from oroi_graph.providers.bge import MODEL as BGE_SMALL
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.providers.e5 import MODEL, E5Small
from oroi_graph.providers.minilm import MODEL as MINILM
from oroi_graph.settings import LOCAL_EMBEDDERS, Settings
from oroi_graph.storage.store import Store

SAID = {
    "es": (
        "Desde el lunes atiendo el mostrador de la farmacia y acabo con los pies hinchados.",
        "El domingo hicimos paella en casa de mis padres.",
        "Se me ha roto el móvil, tiene la pantalla negra.",
        "Me he apuntado a clases de cerámica, mi primer cuenco parece un cenicero.",
        "El perro anda con otitis y no se deja poner las gotas.",
        "Ayer llovió todo el día y no hicimos nada.",
    ),
    "pt": (
        "Saí tarde da padaria outra vez, fechar a caixa sozinha demora.",
        "No domingo almoçámos em casa dos meus pais.",
        "O telemóvel caiu-me ao rio.",
        "O gato do vizinho entrou-me pela janela.",
        "Comecei aulas de viola às quintas, os dedos já doem.",
        "Ontem choveu o dia inteiro.",
    ),
}


@pytest.fixture(scope="module")
def graph(store: Store, e5_folder: Path) -> Graph:
    return Graph(store, CachedEmbedder(E5Small(e5_folder)), OfflineExtractor())


@pytest.fixture
def told(request: pytest.FixtureRequest, memory: Memory) -> Memory:
    """A memory of what somebody said, a turn a day."""
    for day, text in enumerate(SAID[request.param]):
        memory.perceive(text, speaker="Nerea", at=NOON + timedelta(days=day), session=str(day)).close("Ok.")
    return memory


@pytest.mark.parametrize("embedder", [None, "e5-small", "auto"])
def test_it_is_multilingual_and_what_is_chosen_without_a_key(embedder: str | None) -> None:
    given = {"OROI_CACHE_DIR": str(ASSET_CACHE), **({"OROI_EMBEDDER": embedder} if embedder else {})}
    assert open_embedder(Settings.from_env(given)).model == MODEL


def test_a_memory_of_another_local_model_says_how_to_go_on_with_it() -> None:
    names = {"minilm": MINILM, "bge-small": BGE_SMALL, "e5-small": MODEL}
    assert {setting: name for name, setting in EmbeddingModelError.SETTINGS.items()} == names
    assert set(names) == set(LOCAL_EMBEDDERS)
    assert "set OROI_EMBEDDER=minilm, or `oroi reembed diary`" in str(EmbeddingModelError("diary", MINILM, MODEL))
    assert "use 'text-embedding-3-small', or" in str(EmbeddingModelError("diary", "text-embedding-3-small", MODEL))


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        ("es", "¿De qué está enferma mi mascota?", "otitis"),
        ("es", "¿Qué afición tengo?", "cerámica"),
        ("pt", "Que instrumento estou a aprender?", "viola"),
    ],
    indirect=["told"],
)
def test_what_is_asked_in_other_words_is_found_in_spanish_and_portuguese(
    told: Memory, question: str, answer: str
) -> None:
    found = told.recall(question, speaker="Nerea", at=NOON + timedelta(days=20))
    likeliest = max(found.ranked, key=lambda hit: hit.features["probability"])
    assert answer in likeliest.text
    assert answer in found.brief.text


@pytest.mark.parametrize(
    ("told", "question"),
    [("es", "¿Dónde nací?"), ("pt", "Como se chama o meu chefe?")],
    indirect=["told"],
)
def test_nothing_is_quoted_of_what_was_never_said(told: Memory, question: str) -> None:
    found = told.recall(question, speaker="Nerea", at=NOON + timedelta(days=20))
    assert not found.brief
    assert "nothing that was said answers the question" in {one.rule for one in found.left_out}
