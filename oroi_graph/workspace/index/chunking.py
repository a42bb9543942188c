"""Chunks of a text: whole lines up to a size, each beginning with the end of the one before. True line numbers.

A token counts as four characters. A line that is longer than a chunk is cut into pieces that all have its number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

CHARACTERS = 4  # of a token


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines `start` to `end` of a file, from 1, both included. text: of these lines, or a piece of one."""

    start: int
    end: int
    text: str


def chunks(lines: Sequence[str], tokens: int, overlap: int) -> list[Chunk]:
    """The chunks of a text that say anything. tokens: of a chunk at most; overlap: of what two of them share, about."""
    most, shared = tokens * CHARACTERS, overlap * CHARACTERS
    found: list[Chunk] = []
    held: list[tuple[int, str]] = []  # (line, piece)
    size = fresh = 0  # characters held; pieces held that are in no chunk yet
    for line, piece in _pieces(lines, most):
        if fresh and size + len(piece) + 1 > most:
            found.append(_chunk(held))
            held, size = _tail(held, min(shared, most - len(piece) - 1))
            fresh = 0
        held.append((line, piece))
        size += len(piece) + 1
        fresh += 1
    if fresh:
        found.append(_chunk(held))
    return [chunk for chunk in found if chunk.text.strip()]


def _pieces(lines: Sequence[str], most: int) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        for start in range(0, max(len(line), 1), most):
            yield number, line[start : start + most]


def _tail(held: Sequence[tuple[int, str]], room: int) -> tuple[list[tuple[int, str]], int]:
    """The last pieces that fit into `room` characters, and their size."""
    kept, size = 0, 0
    while kept < len(held) - 1 and size + len(held[-1 - kept][1]) + 1 <= room:
        size += len(held[-1 - kept][1]) + 1
        kept += 1
    return list(held[len(held) - kept :]), size


def _chunk(held: Sequence[tuple[int, str]]) -> Chunk:
    texts = [held[0][1]]
    for (before, _), (line, piece) in pairwise(held):
        texts.append(piece if line == before else f"\n{piece}")
    return Chunk(held[0][0], held[-1][0], "".join(texts))
