"""bge-small-en-v1.5: its vectors against another way to run the model, its limit, and damaged files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime as ort  # type: ignore[import-untyped]
import pytest
from tokenizers import Tokenizer

from oroi_graph.errors import AssetError
from oroi_graph.providers.bge import MAX_TOKENS, BgeSmall
from oroi_graph.providers.local import COMMON, LocalModel, shipped_centre
from oroi_graph.providers.word_vectors import bits

GRAPH, TOKENIZER = "bge-small-en-v1.5.onnx", "bge-small-en-v1.5-tokenizer.json"
SENTENCES = [
    "",
    "Ana",
    "15,000 euros",
    "The plumber's invoice came to 1.234,56 €.",
    "鍵はどこですか 🔑",
    "so it goes " * 90,
]


@pytest.fixture(scope="module")
def bge(bge_folder: Path) -> BgeSmall:
    return BgeSmall(bge_folder)


def test_the_vectors_are_those_of_a_padded_batch(bge: BgeSmall, bge_folder: Path) -> None:
    tokenizer = Tokenizer.from_file(str(bge_folder / TOKENIZER))
    tokenizer.enable_padding()
    encoded = tokenizer.encode_batch(SENTENCES)
    session = ort.InferenceSession(str(bge_folder / GRAPH), providers=["CPUExecutionProvider"])
    given = {
        "input_ids": np.array([one.ids for one in encoded], dtype=np.int64),
        "attention_mask": np.array([one.attention_mask for one in encoded], dtype=np.int64),
        "token_type_ids": np.array([one.type_ids for one in encoded], dtype=np.int64),
    }
    first = session.run(None, given)[0][:, 0].astype(np.float64)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    centre = shipped_centre(bge.model)
    assert centre is not None
    first -= COMMON * centre.text
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    cosines = np.einsum("ij,ij->i", bge.embed(SENTENCES).astype(np.float64), first)
    assert cosines.min() >= 0.999999


def test_unrelated_texts_have_little_in_common(bge: BgeSmall) -> None:
    texts = [
        "Keep frozen at all times",
        "El tren sale a las nueve",
        "A minha avó fazia marmelada",
        "She plays the drums",
    ]
    common = bge.centre_of(texts).text
    assert np.linalg.norm(common) > 0.7
    cosines = np.asarray(bge.embed(texts) @ bge.embed(texts).T)[np.triu_indices(len(texts), 1)]
    assert np.abs(cosines).max() < 0.35


def test_a_question_is_nearest_to_what_answers_it(bge: BgeSmall) -> None:
    texts = ["How do I fix a leaking tap?", "Replace the worn washer inside the faucet.", "The choir sings on Sundays."]
    question, answer, other = bge.embed(texts)
    assert question @ answer > question @ other + 0.1


def test_only_the_first_512_tokens_count(bge: BgeSmall) -> None:
    most = MAX_TOKENS - 2  # without the marks at both ends
    cut, longer, other = bge.embed(["river " * most, "river " * most + "stone " * 50, "river " * (most - 1) + "stone"])
    assert np.array_equal(cut, longer)
    assert not np.array_equal(cut, other)


def test_words_come_with_their_vectors(bge: BgeSmall) -> None:
    vectors, [words] = bge.embed_words(["green apples"])
    assert np.array_equal(vectors, bge.embed(["green apples"]))
    assert words is not None
    assert bits([words], 384)[1] == [2]


@pytest.mark.parametrize("name", [GRAPH, TOKENIZER])
def test_missing_and_damaged_files_are_named(bge_folder: Path, tmp_path: Path, name: str) -> None:
    (other,) = {GRAPH, TOKENIZER} - {name}
    (tmp_path / other).symlink_to(bge_folder / other)
    with pytest.raises(AssetError, match=f"has no {name}: run `oroi setup`"):
        BgeSmall(tmp_path)
    (tmp_path / name).write_bytes(b"no model")
    damaged: LocalModel = BgeSmall(tmp_path)
    with pytest.raises(AssetError, match=f"{name} .*run `oroi setup`"):
        damaged.embed(["Ana"])
