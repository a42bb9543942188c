"""all-MiniLM-L6-v2: the graph against a second, obvious forward pass, and what happens to damaged files."""

from __future__ import annotations

import json
import logging
import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from oroi_graph.errors import AssetError, SettingsError
from oroi_graph.providers.minilm import GRAPH_FILE, MAX_TOKENS, MiniLM

SENTENCES = [
    "",
    "   \n",
    "Ana",
    "boss of Ana",
    "15,000 euros",
    "The plumber's invoice came to 1.234,56 € on 3 March 2026.",
    "Mi jefa se ha mudado a Valencia y ya no trabaja en la oficina de Bilbao.",
    "Onde é que a Inês guardou as chaves? 鍵はどこですか 🔑",
    "Luis walks along the river after work, " * 9,
    "a text that goes on and on, well past what the model reads, " * 40,
]
FILES = ("config.json", "tokenizer.json", "model.safetensors")


@pytest.fixture(scope="module")
def minilm(minilm_folder: Path) -> MiniLM:
    return MiniLM(minilm_folder)


@pytest.fixture
def folder(minilm_folder: Path, tmp_path: Path) -> Path:
    """A folder of this test's own with links to the model's files, and no graph yet."""
    for name in FILES:
        (tmp_path / name).symlink_to(minilm_folder / name)
    return tmp_path


class Reference:
    """BERT's forward pass for one text at a time, in float64, straight from its description."""

    def __init__(self, folder: Path) -> None:
        self.tensors = {
            name: tensor.astype(np.float64) for name, tensor in load_file(folder / "model.safetensors").items()
        }
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def embed(self, text: str) -> NDArray[np.float64]:
        tokens = self.tokenizer.encode(text).ids
        if len(tokens) > MAX_TOKENS:
            tokens = [*tokens[: MAX_TOKENS - 1], tokens[-1]]
        at = "embeddings."
        x = (
            self.tensors[at + "word_embeddings.weight"][tokens]
            + self.tensors[at + "position_embeddings.weight"][: len(tokens)]
            + self.tensors[at + "token_type_embeddings.weight"][0]
        )
        x = self.normalise(x, at + "LayerNorm")
        for layer in range(6):
            x = self.layer(x, f"encoder.layer.{layer}.")
        mean = x.mean(axis=0)
        return mean / np.sqrt((mean**2).sum())

    def layer(self, x: NDArray[np.float64], at: str) -> NDArray[np.float64]:
        query, key, value = (self.linear(x, f"{at}attention.self.{name}") for name in ("query", "key", "value"))
        heads = []
        for start in range(0, 384, 32):
            part = slice(start, start + 32)
            scores = np.exp(query[:, part] @ key[:, part].T / math.sqrt(32))
            heads.append(scores / scores.sum(axis=1, keepdims=True) @ value[:, part])
        attended = self.linear(np.hstack(heads), at + "attention.output.dense")
        x = self.normalise(x + attended, at + "attention.output.LayerNorm")
        wide = self.linear(x, at + "intermediate.dense")
        wide = wide * 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        return self.normalise(x + self.linear(wide, at + "output.dense"), at + "output.LayerNorm")

    def linear(self, x: NDArray[np.float64], at: str) -> NDArray[np.float64]:
        return x @ self.tensors[at + ".weight"].T + self.tensors[at + ".bias"]

    def normalise(self, x: NDArray[np.float64], at: str) -> NDArray[np.float64]:
        centred = x - x.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
        return scaled * self.tensors[at + ".weight"] + self.tensors[at + ".bias"]


def test_the_graph_agrees_with_a_second_forward_pass(minilm: MiniLM, minilm_folder: Path) -> None:
    reference = Reference(minilm_folder)
    vectors = minilm.embed(SENTENCES).astype(np.float64)
    for text, vector in zip(SENTENCES, vectors, strict=True):
        cosine = vector @ reference.embed(text) / np.linalg.norm(vector)
        assert cosine >= 0.9999995, text[:40]


def test_the_similarities_are_those_that_the_models_authors_print(minilm: MiniLM) -> None:
    vectors = minilm.embed(["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."])
    cosines = (vectors @ vectors.T)[np.triu_indices(3, 1)]
    np.testing.assert_allclose(cosines, [0.6660, 0.1046, 0.1411], atol=5e-5)


def test_a_vector_never_depends_on_its_neighbours(minilm: MiniLM, minilm_folder: Path) -> None:
    words = ["the", "plumber", "moved", "to", "a", "small", "flat", "with", "two", "cats", "and", "piano"]
    texts = [" ".join(words[: 1 + number % len(words)]) + f" {number}" for number in range(150)]
    together = minilm.embed(texts)
    alone = np.vstack([minilm.embed([text]) for text in texts])
    assert np.array_equal(together, alone)
    assert np.array_equal(together[::-1], minilm.embed(texts[::-1]))
    assert np.array_equal(together, MiniLM(minilm_folder, threads=1).embed(texts))


def test_only_the_first_256_tokens_count(minilm: MiniLM) -> None:
    long = "word " * (MAX_TOKENS - 2)
    full, more, less = minilm.embed([long, long + "and more", long[: -len("word ")]])
    assert np.array_equal(full, more)
    assert not np.array_equal(full, less)


def test_half_a_surrogate_pair_is_embedded(minilm: MiniLM) -> None:
    assert np.isfinite(minilm.embed(["half \ud800"])).all()


def test_the_graph_is_built_once_and_kept(folder: Path) -> None:
    first = MiniLM(folder).embed(["Ana"])
    kept = folder / GRAPH_FILE
    before = kept.stat()
    assert np.array_equal(first, MiniLM(folder).embed(["Ana"]))
    assert (before.st_ino, before.st_mtime_ns) == (kept.stat().st_ino, kept.stat().st_mtime_ns)
    assert sorted(path.name for path in folder.iterdir()) == sorted([*FILES, GRAPH_FILE])


def test_a_damaged_graph_is_built_again(folder: Path, minilm: MiniLM, caplog: pytest.LogCaptureFixture) -> None:
    (folder / GRAPH_FILE).write_bytes(b"not a graph")
    assert np.array_equal(MiniLM(folder).embed(["Ana"]), minilm.embed(["Ana"]))
    assert "is damaged" in caplog.text
    caplog.clear()
    MiniLM(folder).embed(["Ana"])
    assert caplog.text == ""


def test_a_graph_that_cannot_be_kept_serves_from_memory(
    folder: Path, minilm: MiniLM, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / GRAPH_FILE).mkdir()  # refuses a file of that name to every user, root included
    with caplog.at_level(logging.WARNING):
        assert np.array_equal(MiniLM(folder).embed(["Ana"]), minilm.embed(["Ana"]))
    assert "cannot keep" in caplog.text
    assert not list(folder.glob(".*"))


def test_several_that_build_at_once_end_with_one_good_graph(folder: Path, minilm: MiniLM) -> None:
    with ThreadPoolExecutor(3) as pool:
        vectors = list(pool.map(lambda _: MiniLM(folder, threads=1).embed(["Ana"]), range(3)))
    for vector in [*vectors, MiniLM(folder).embed(["Ana"])]:
        assert np.array_equal(vector, minilm.embed(["Ana"]))
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(AssetError, match=rf"{name}.*oroi setup"):
        MiniLM(folder)


@pytest.mark.parametrize("name", ["tokenizer.json", "model.safetensors"])
def test_a_damaged_file_is_named_on_first_use(folder: Path, name: str) -> None:
    (folder / name).unlink()
    (folder / name).write_bytes(b"{}")
    damaged = MiniLM(folder)
    with pytest.raises(AssetError, match=name):
        damaged.embed(["Ana"])


@pytest.mark.parametrize("config", [{"hidden_size": 768}, [], "{"])
def test_another_model_is_refused(folder: Path, config: Any) -> None:
    (folder / "config.json").unlink()
    (folder / "config.json").write_text(config if isinstance(config, str) else json.dumps(config))
    with pytest.raises(AssetError, match=r"config\.json|is not all-MiniLM-L6-v2"):
        MiniLM(folder)


def test_no_threads_are_refused(minilm_folder: Path) -> None:
    with pytest.raises(SettingsError, match="threads"):
        MiniLM(minilm_folder, threads=0)


def test_a_process_that_ends_while_the_model_is_loaded_ends_well(minilm_folder: Path) -> None:
    code = "import sys, time, oroi_graph.connection, oroi_graph.recall.pipeline; from pathlib import Path; "
    code += "from oroi_graph.providers.minilm import MiniLM; "
    code += "kept = [{} for _ in range(300_000)]; "  # so that there is something to tear down
    code += "MiniLM(Path(sys.argv[1])).load_beside(); time.sleep(0.05); raise SystemExit(1)"
    ran = subprocess.run([sys.executable, "-c", code, str(minilm_folder)], capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (1, b"")


def test_a_model_that_is_loaded_beside_is_loaded_once(minilm_folder: Path) -> None:
    model = MiniLM(minilm_folder)
    model.load_beside()
    assert model.embed(["I live in Bilbao."]).shape == (1, 384)
