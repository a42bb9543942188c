"""The offline token counter against a real vocabulary: it must not promise more room than there is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from locations import DATA
from tables import table
from tokenizers import Tokenizer

from oroi_graph.language.tokens import count_tokens


@table(
    ("text", "tokens"),
    [
        ("", 0),
        ("  \n", 0),
        ("word", 1),
        ("words", 2),
        ("Ana lives in Valencia.", 7),
        ("a, b", 3),
        ("…", 1),
        ("12345", 2),
    ],
)
def test_the_documented_rule(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@given(st.text(max_size=60), st.text(max_size=60))
def test_texts_apart_cost_what_they_cost_together(a: str, b: str) -> None:
    assert count_tokens(f"{a}\n{b}") == count_tokens(a) + count_tokens(b)


@pytest.mark.parametrize("language", ["en", "es"])
def test_it_is_an_upper_estimate_of_ordinary_prose(minilm_folder: Path, language: str) -> None:
    """Compared with the word pieces of the default embedding model: an English vocabulary."""
    tokenizer = Tokenizer.from_file(str(minilm_folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    scenarios = [json.loads(line) for line in (DATA / "scenarios.jsonl").read_text(encoding="utf-8").splitlines()]
    texts = [turn["text"] for s in scenarios if s["language"] == language for turn in s["turns"]]
    pieces = sum(len(tokenizer.encode(text, add_special_tokens=False).ids) for text in texts)
    counted = sum(count_tokens(text) for text in texts)
    print(f"{language}: counted {counted}, word pieces {pieces}, {counted / pieces:.2f}")  # noqa: T201
    assert len(texts) > 50
    assert counted >= (pieces if language == "en" else 6 / 7 * pieces)
