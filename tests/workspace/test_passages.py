"""Passages of notes, and the ranking that weighs them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from conftest_workspace import QUIET
from tables import table

from oroi_graph import Graph
from oroi_graph.workspace.index.passages import LONGEST, MOST, packed, passages, unpacked
from oroi_graph.workspace.search.associative import best_passages

NOON = datetime(2026, 2, 10, 12, tzinfo=UTC)
DAYS = ("Quiet day: mail, bills and an early night.", "Ran five kilometres before breakfast.")


@table(
    "text, expected",
    [
        (
            "# 2026-02-10\n\n- Bought *fresh* bread.\n- [x] Called the [vet](https://vet.example).\n",
            ["Bought fresh bread.", "Called the vet."],
        ),
        ("no\n\nyes\n", []),  # too short to say anything
        ("<!-- importance: 9 -->\nThe roof leaks.\n```\nls -la /home/ana\n```\n", ["The roof leaks."]),
        ("| tool | where it is |\n| drill | in the cellar |\n", ["tool where it is", "drill in the cellar"]),
        (
            "The boiler was serviced by the man whom the landlord had sent\non Tuesday. He left the invoice\n",
            ["The boiler was serviced by the man whom the landlord had sent on Tuesday. He left the invoice"],
        ),
        ("A line that ends.\nAnother line here.\nA line that ends.\n", ["A line that ends.", "Another line here."]),
    ],
)
def test_a_passage_is_an_item_or_a_paragraph(text: str, expected: list[str]) -> None:
    assert passages(text) == expected


def test_long_paragraphs_are_cut_at_ends_of_sentences_and_notes_have_a_limit() -> None:
    cut = passages("This sentence has some words. " * 60)
    assert max(map(len, cut)) <= LONGEST
    assert all(one.endswith("words.") for one in cut)
    assert [len(one) for one in passages("".join(map(str, range(500))))] == [600, 600, 190]
    assert len(passages("\n".join(f"This is line number {i}." for i in range(90)))) == MOST


def test_packed_passages_keep_their_directions() -> None:
    rng = np.random.default_rng(3)
    vectors = rng.standard_normal((5, 384))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    kept = [packed(vectors[:2]), packed(vectors[2:])]
    assert packed(vectors[:0]) is None
    found, owners = unpacked([one for one in kept if one is not None])
    assert owners.tolist() == [0, 0, 1, 1, 1]
    np.testing.assert_allclose((found * vectors).sum(axis=1), 1.0, atol=1e-3)
    assert unpacked([])[1].tolist() == []


def test_what_stands_in_many_notes_counts_less_than_what_stands_in_one() -> None:
    """Twenty notes have a passage at cosine 0.6 to the question; that of the last one, at 0.55, is like no other."""
    rng = np.random.default_rng(5)
    asked, common, own = np.linalg.qr(rng.standard_normal((16, 3)))[0].T.astype(np.float32)
    routine = 0.6 * asked + 0.8 * common
    rare = 0.55 * asked + np.sqrt(1 - 0.55**2) * own
    vectors = np.stack([*[routine] * 20, rare]).astype(np.float32)
    scores = best_passages(vectors, np.arange(21), asked, 22)
    assert int(np.argmax(scores)) == 20
    assert scores[21] == scores.min(), "a note without passages"


def test_one_line_of_a_long_log_is_found_among_days_of_routine(graph: Graph, tmp_path: Path) -> None:
    """A line, and another one through the name that both have."""
    (tmp_path / "memory").mkdir()
    for day in range(1, 29):
        lines = [f"- {text}" for text in DAYS * 3]
        if day == 9:
            lines.insert(3, "- The landlord pays for the new boiler, not we.")
        if day in (12, 20):
            lines.insert(2, "- Okafor is my dentist." if day == 12 else "- Okafor has moved his practice to Leith.")
        (tmp_path / f"memory/2026-01-{day:02}.md").write_text("\n".join(lines) + "\n")
    name = f"passages-{tmp_path.name}"
    workspace = graph.workspace(name, tmp_path, config=QUIET)
    try:
        workspace.sync()
        found = workspace.search("Who has to cover the costs of heating repairs?", profile="associative", at=NOON)
        assert found.hits[0].path == "memory/2026-01-09.md"
        assert 0 < found.hits[-1].score < found.hits[0].score < 1
        best = found.hits[0].score
        assert len(workspace.search("heating repairs", profile="associative", min_score=1.0, at=NOON).hits) == 0
        assert len(workspace.search("heating repairs", profile="associative", max_results=2, at=NOON).hits) == 2
        where = workspace.search("Where is my dentist now?", profile="associative", max_results=2, at=NOON)
        assert {hit.path for hit in where.hits} == {"memory/2026-01-12.md", "memory/2026-01-20.md"}
        again = workspace.search("Who has to cover the costs of heating repairs?", profile="associative", at=NOON)
        assert again.hits[0].score == best
    finally:
        assert graph.delete(name) == 0
