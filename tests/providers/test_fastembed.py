"""Models by fastembed: what is said where it is absent; where it is there, a model from a folder."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from shared_assets import ASSET_CACHE

from oroi_graph.connection import open_embedder
from oroi_graph.errors import AssetError, SettingsError
from oroi_graph.providers.bge import BgeSmall
from oroi_graph.server.fetch import ensure_bge_small
from oroi_graph.settings import Settings


def test_the_extra_is_named_where_the_library_is_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(SettingsError, match=r"pip install 'oroi-graph\[fastembed\]'"):
        open_embedder(Settings(embedder="fastembed", cache_dir=tmp_path))


def test_a_model_from_a_folder_gives_the_vectors_of_the_same_model_by_us(tmp_path: Path) -> None:
    pytest.importorskip("fastembed")
    with pytest.raises(SettingsError, match="fastembed knows no model 'no/such'"):
        open_embedder(Settings(embedder="fastembed", embedding_model="no/such", cache_dir=tmp_path))
    settings = Settings(embedder="fastembed", cache_dir=tmp_path)
    embedder = open_embedder(settings)
    assert embedder.dimensions == 384
    source = ensure_bge_small(ASSET_CACHE)
    folder = tmp_path / "fastembed" / "BAAI--bge-small-en-v1.5"
    folder.mkdir(parents=True)
    with pytest.raises(AssetError, match="put the model's files into"):
        embedder.embed(["too early"])
    shutil.copyfile(source / "bge-small-en-v1.5.onnx", folder / "model_optimized.onnx")
    shutil.copyfile(source / "bge-small-en-v1.5-tokenizer.json", folder / "tokenizer.json")
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 512, "pad_token": "[PAD]"}))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}))
    texts = ["I live in Bilbao.", "", "A much longer text about a boat that lies in the harbour of Getxo.", "x\ud800"]
    found = embedder.embed(texts)
    assert found.dtype == np.float32
    assert np.allclose(found, BgeSmall(source).embed(texts), atol=1e-4)
    assert (embedder.embed(texts[:1])[0] == found[0]).all()
    assert embedder.embed([]).shape == (0, 384)
