"""Chunks of Markdown: sizes, overlap, true lines; what notes say of themselves; hostile content."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from tables import table

from oroi_graph.workspace.files.reading import lines_of, text_of
from oroi_graph.workspace.index.chunking import chunks
from oroi_graph.workspace.index.marks import Marks, of_file, of_note


def test_chunks_have_the_size_and_share_lines() -> None:
    lines = [f"line {number:04d} " + "x" * 29 for number in range(400)]  # 40 characters with its end, 10 tokens
    found = chunks(lines, 400, 80)
    assert all(1200 < len(chunk.text) <= 1600 for chunk in found[:-1])
    assert [(one.start, one.end) for one in found[:3]] == [(1, 40), (33, 72), (65, 104)]
    assert found[-1].end == 400


def test_a_short_text_is_one_chunk_and_an_empty_one_none() -> None:
    assert [(c.start, c.end, c.text) for c in chunks(["# A", "", "b"], 400, 80)] == [(1, 3, "# A\n\nb")]
    assert chunks(["", "  ", ""], 400, 80) == []
    assert chunks([], 400, 80) == []


def test_a_line_of_ten_megabytes_is_cut_into_pieces_of_its_number() -> None:
    found = chunks(["a", "b" * 10_000_000, "c"], 400, 80)
    assert len(found) == 6252
    assert {(one.start, one.end) for one in found[1:-1]} == {(2, 2)}
    assert (found[0].start, found[-1].end) == (1, 3)


TEXT = st.text(st.characters(codec="utf-8"), max_size=60)


@settings(max_examples=150, deadline=None)
@given(st.lists(TEXT, max_size=40), st.integers(1, 12), st.integers(0, 11))
def test_lines_are_true_and_nothing_is_lost(texts: list[str], tokens: int, overlap: int) -> None:
    lines = lines_of("\n".join(texts))
    found = chunks(lines, tokens, min(overlap, tokens - 1))
    for chunk in found:
        assert len(chunk.text) <= tokens * 4
        assert chunk.text in "\n".join(lines[chunk.start - 1 : chunk.end])
    covered = {number for chunk in found for number in range(chunk.start, chunk.end + 1)}
    assert covered >= {number for number, line in enumerate(lines, 1) if line.strip()}


@table(
    "lines, marks",
    [
        (["---", "importance: 8", "triggers: [wifi, 'router password']", "---"], Marks(8, ("wifi", "router password"))),
        (["---", "provenance: Untrusted", "title: x", "---"], Marks(None, (), "untrusted")),
        (["---", "importance: 11", "importance: -3", "importance: 0", "---"], Marks()),
        (["---", "importance: 8"], Marks()),
        (["importance: 8"], Marks()),
        ([], Marks()),
        (["---", "a: &a [*a, *a]", "b: &b [*a, *a, *b]", "importance: 99999999999", "---"], Marks()),
        (["---", *["x: y"] * 100_000, "---"], Marks()),
        (["---", "importance: ٨", "---"], Marks()),
    ],
    lambda value: repr(value)[:80],
)
def test_what_the_head_of_a_file_says(lines: list[str], marks: Marks) -> None:
    assert of_file(lines) == marks


def test_what_a_note_says_counts_over_its_file_and_the_least_trust_counts() -> None:
    file = Marks(3, ("garden",), "owner")
    text = "x <!-- importance: 9; trigger: wifi password --> y <!--provenance: agent--> <!-- provenance: untrusted -->"
    assert of_note(text, file) == Marks(9, ("garden", "wifi password"), "untrusted")
    assert of_note("nothing <!-- a comment -->", file) == file


def test_a_thousand_hostile_files_become_notes_or_nothing() -> None:
    rng = random.Random(23)
    pieces = [b"\0", b"\xff\xfe", b"\r", b"\n", b"---\n", b"#" * 50, b"importance: 7\n", b"<!--", b"-->", b"\xf0\x9f",
              "\u202e".encode(), b"a: &a [*a]\n", b"[x](", b"```", b"|" * 40, b" " * 100, b"x" * 5000,
              b"\xed\xa0\x80"]  # fmt: skip
    for _ in range(1000):
        content = b"".join(rng.choices(pieces, k=rng.randint(0, 40)))
        lines = lines_of(text_of(content))
        assert len(lines) in (content.count(b"\n"), content.count(b"\n") + 1)
        head = of_file(lines)
        for chunk in chunks(lines, 400, 80):
            of_note(chunk.text, head)
            assert "\0" not in chunk.text
            chunk.text.encode()
    headings = lines_of("\n".join(f"{'#' * (n % 9)} heading {n}" for n in range(10_000)))
    assert chunks(headings, 400, 80)[-1].end == 10_000
