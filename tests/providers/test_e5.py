"""multilingual-e5-small: its graph against a second, obvious forward pass; questions and passages; damaged files."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from oroi_graph.errors import AssetError
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.providers.e5 import FORK_AT, MAX_TOKENS, WEIGHTS, E5File, E5Small, read_adapters
from oroi_graph.providers.graphs import encoder
from oroi_graph.providers.graphs.encoder import FourBits
from oroi_graph.providers.local import COMMON, LocalModel, shipped_centre
from oroi_graph.providers.protocols import for_questions
from oroi_graph.providers.word_vectors import bits, fit_of, read_bits

SENTENCES = ["", "Ana", "¿Dónde guardó Inês las llaves?", "鍵はどこですか 🔑"]


@pytest.fixture(scope="module")
def e5(e5_folder: Path) -> E5Small:
    return E5Small(e5_folder)


def obvious_pass(
    file: E5File, tokens: list[int], adapters: Mapping[str, NDArray[Any]] | None = None
) -> NDArray[np.float64]:
    """BERT's forward pass of one text in float64, straight from its description: (tokens, width) last states.

    adapters: what is added to matrices, as products.
    """
    weights: Mapping[str, NDArray[Any] | FourBits] = file.tensors()

    def number(name: str) -> NDArray[np.float64]:
        found = weights[name]
        whole = found.numbers(np.arange(found.shape[0])) if isinstance(found, FourBits) else found
        return np.asarray(whole, dtype=np.float64)

    def linear(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        matrix = number(name + ".weight").T
        if adapters and name + ".down" in adapters:
            matrix = matrix + adapters[name + ".down"].astype(np.float64) @ adapters[name + ".up"].astype(np.float64)
        found: NDArray[np.float64] = x @ matrix + number(name + ".bias")
        return found

    def norm(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        centred = x - x.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
        found: NDArray[np.float64] = scaled * number(name + ".weight") + number(name + ".bias")
        return found

    state = norm(file.embedded(np.array([tokens]))[0].astype(np.float64), "embeddings.LayerNorm")
    for layer in range(file.layers):
        at = f"encoder.layer.{layer}."
        heads = []
        query, key, value = (linear(state, f"{at}attention.self.{name}") for name in ("query", "key", "value"))
        for head in range(12):
            part = slice(32 * head, 32 * head + 32)
            scores = query[:, part] @ key[:, part].T / math.sqrt(32)
            odds = np.exp(scores - scores.max(axis=1, keepdims=True))
            heads.append(odds / odds.sum(axis=1, keepdims=True) @ value[:, part])
        attended = linear(np.concatenate(heads, axis=1), at + "attention.output.dense")
        state = norm(state + attended, at + "attention.output.LayerNorm")
        wide = linear(state, at + "intermediate.dense")
        gelu = wide * 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        state = norm(state + linear(gelu, at + "output.dense"), at + "output.LayerNorm")
    return state


def unit(states: NDArray[np.float64]) -> NDArray[np.float64]:
    """The vector of a text from the states of its tokens."""
    mean = states.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean))


def test_the_vectors_are_those_of_an_obvious_forward_pass(e5_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the same graph, multiplied in float32."""
    monkeypatch.setattr(encoder, "ACCURACY", 1)
    e5 = E5Small(e5_folder)
    tokenizer, _ = e5._load()
    centre = shipped_centre(e5.model)
    assert centre is not None
    vectors = e5.embed(SENTENCES).astype(np.float64)
    for text, vector in zip(SENTENCES, vectors, strict=True):
        expected = unit(obvious_pass(E5File(e5_folder / WEIGHTS), tokenizer.encode(f"passage: {text}").ids))
        expected -= COMMON * centre.text
        assert float(expected @ vector) >= 0.99999 * float(np.linalg.norm(expected))


def test_the_second_reading_is_that_of_an_obvious_forward_pass_with_adapters(
    e5_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the same graph, multiplied in float32; a sign may differ where a number is hardly other than 0."""
    monkeypatch.setattr(encoder, "ACCURACY", 1)
    e5, file, adapters = E5Small(e5_folder), E5File(e5_folder / WEIGHTS), read_adapters()
    tokenizer, _ = e5._load()
    centre = shipped_centre(e5.model)
    assert centre is not None
    assert {name.split(".")[2] for name in adapters} == {str(layer) for layer in range(FORK_AT, file.layers)}
    for embedder, text in ((e5, "Deixei as chaves na gaveta da cozinha."), (e5.questions, "Onde estão as chaves?")):
        _, [words] = embedder.embed_words([text])
        assert words is not None
        [first, _], [second, _] = bits([words], e5.dimensions), read_bits([words], e5.dimensions)
        lead = len(tokenizer.encode(embedder.lead.rstrip()).ids) - 1
        tokens = tokenizer.encode(embedder.lead + text).ids
        for found, adapted in ((first.view(np.uint8), None), (second, adapters)):
            expected = obvious_pass(file, tokens, adapted)[lead:-1] - COMMON * centre.words
            differing = np.unpackbits(found, axis=1).astype(bool) != (expected > 0)
            assert differing.mean() < 0.001
            assert np.abs(expected[differing]).max(initial=0.0) < 0.01
        assert 0.05 < (np.unpackbits(first.view(np.uint8)) != np.unpackbits(second)).mean() < 0.6


def test_words_are_read_twice(e5: E5Small) -> None:
    for embedder in (e5, e5.questions, CachedEmbedder(e5)):
        assert {words and fit_of(words) for words in embedder.embed_words(SENTENCES)[1]} == {e5.fit}


def test_another_fit_of_the_second_reading_has_another_number(e5: E5Small, e5_folder: Path) -> None:
    adapters = read_adapters()
    [name, *_] = adapters
    same, other = (E5Small(e5_folder, adapters=each) for each in (adapters, {**adapters, name: -adapters[name]}))
    assert same.fit == e5.fit == e5.questions.fit
    assert other.fit != e5.fit


def test_states_in_eight_bits_turn_vectors_by_hardly_more_than_a_degree(
    e5: E5Small, e5_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = e5.embed(SENTENCES)  # a model is opened by its first use
    monkeypatch.setattr(encoder, "ACCURACY", 1)
    cosines = (vectors * E5Small(e5_folder).embed(SENTENCES)).sum(axis=1)
    assert (cosines >= 0.998).all()
    assert (cosines < 0.999999).any(), "they are not multiplied in float32"


def test_numbers_of_a_block_are_in_halves_and_leave_in_pairs() -> None:
    block = np.zeros((1, 1), dtype=[("scale", "<f2"), ("halves", "u1", 16)])
    block["scale"] = 0.5
    block["halves"][0, 0] = [low | ((15 - low) << 4) for low in range(16)]
    matrix = FourBits(block)
    assert matrix.shape == (1, 32)
    assert matrix.numbers(np.array([0]))[0].tolist() == [
        *((low - 8) / 2 for low in range(16)),
        *((7 - low) / 2 for low in range(16)),
    ]
    assert matrix.in_pairs()[0, 0, :2].tolist() == [0 | 1 << 4, 2 | 3 << 4]


def test_pieces_of_words_and_their_normal_form(e5: E5Small) -> None:
    tokenizer, _ = e5._load()
    assert tokenizer.encode("Dónde está?").tokens == ["<s>", "▁Dó", "nde", "▁está", "?", "</s>"]
    for other, usual in (("Do\u0301nde", "Dónde"), ("ﬁn\u200bque", "fin que"), ("a  b\tc\x07", "a b c"), ("½", "1⁄2")):
        assert tokenizer.encode(other).ids == tokenizer.encode(usual).ids


def test_questions_are_read_as_questions(e5: E5Small) -> None:
    question, answer, other = (
        "Onde é que a Inês guardou as chaves?",
        "Deixei-as na gaveta da cozinha, disse a Inês.",
        "A Inês canta no coro aos domingos.",
    )
    asking = for_questions(e5)
    assert asking is not e5
    assert asking is for_questions(e5)
    assert for_questions(asking) is asking
    [asked], [stored] = asking.embed([question]), e5.embed([question])
    assert 0.5 < float(asked @ stored) < 0.999
    answers, others = e5.embed([answer, other])
    assert float(asked @ answers) > float(asked @ others)


def test_a_cache_keeps_questions_apart(e5: E5Small) -> None:
    cached = CachedEmbedder(e5, size=4)
    for _ in range(2):
        assert np.array_equal(cached.embed(["Ana"]), e5.embed(["Ana"]))
        assert np.array_equal(for_questions(cached).embed(["Ana"]), for_questions(e5).embed(["Ana"]))
    assert (cached.usage.hits, cached.usage.misses) == (2, 2)
    cached.clear()
    for_questions(cached).embed(["Ana"])
    assert cached.usage.misses == 3


def test_only_the_first_512_tokens_count(e5: E5Small) -> None:
    tokenizer, _ = e5._load()
    most = MAX_TOKENS - len(tokenizer.encode(e5.lead.rstrip()).ids)
    cut, longer, other = e5.embed(["pan " * most, "pan " * most + "sol " * 50, "pan " * (most - 1) + "sol"])
    assert np.array_equal(cut, longer)
    assert not np.array_equal(cut, other)


def test_words_come_without_what_leads_them(e5: E5Small) -> None:
    for embedder in (e5, e5.questions):
        vectors, [words] = embedder.embed_words(["manzanas verdes"])
        assert np.array_equal(vectors, embedder.embed(["manzanas verdes"]))
        assert words is not None
        tokenizer, _ = e5._load()
        assert bits([words], e5.dimensions)[1] == [len(tokenizer.encode("manzanas verdes").ids) - 2]


def test_missing_and_damaged_files_are_named(e5_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(AssetError, match=f"has no {WEIGHTS}: run `oroi setup`"):
        E5Small(tmp_path)
    for content in (b"no model", b"", (e5_folder / WEIGHTS).read_bytes()[:5_000_000]):
        (tmp_path / WEIGHTS).write_bytes(content)
        damaged: LocalModel = E5Small(tmp_path)
        with pytest.raises(AssetError, match=f"{WEIGHTS} .*run `oroi setup`"):
            damaged.embed(["Ana"])
