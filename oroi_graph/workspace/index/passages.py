"""Markdown as text, and the passages of a note: its list items and paragraphs, each with a vector of its own.

A log of a day speaks of many things, and its vector of none of them; a passage speaks of one. The vectors of a note's
passages are kept with it, packed to a byte a dimension.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

MOST = 32  # passages of a note that have a vector
LEAST, LONGEST = 12, 600  # characters of a passage
WRAPPED = 60  # characters of a line that an editor may have wrapped

_WIDTH = 2  # bytes that say how many dimensions a passage has
_MARKUP = re.compile(
    r"<!--.*?-->|```.*?```|^\s*(?:[#>]+|[-*+]|\d+[.)]|\|)\s*(?:\[[ x]\])?|[*_`|]+", re.DOTALL | re.MULTILINE
)
_BLOCKS = re.compile(r"<!--.*?-->|```.*?```", re.DOTALL)
_HEAD = re.compile(r"\s*(?:[#>]+|[-*+]|\d+[.)]|\|)\s*(?:\[[ x]\]\s*)?")
_MARKS = re.compile(r"[*_`|]+")
_LINK = re.compile(r"!?\[([^\]]{0,200})\]\([^)]{0,2000}\)")
_LINE_ENDS = re.compile(r"(?<=[^\s.!?:;,])\s*\n")
_ENDS = re.compile(r"(?<=[.!?;:])\s+")


def prose(text: str) -> str:
    """The sentences of Markdown without its marks, so that words at the ends of lines stand apart."""
    return _LINE_ENDS.sub(". ", _LINK.sub(r"\1", _MARKUP.sub(" ", text))).strip()


def passages(text: str) -> list[str]:
    """The passages of Markdown without its marks, at most MOST, in order, repeats left out."""
    found: list[str] = []
    open_ = False  # whether the next line may go on with the last passage
    for line in _BLOCKS.sub(" ", text).split("\n"):
        head = _HEAD.match(line)
        said = " ".join(_MARKS.sub(" ", _LINK.sub(r"\1", line[head.end() if head else 0 :])).split())
        if open_ and said and head is None:
            found[-1] += f" {said}"
        elif said:
            found.append(said)
        open_ = len(line) >= WRAPPED and bool(said) and said[-1] not in ".!?:;"
    pieces = (piece for one in found for piece in _cut(one) if len(piece) >= LEAST)
    return list(dict.fromkeys(pieces))[:MOST]


def _cut(passage: str) -> Iterator[str]:
    """Pieces of at most LONGEST characters, at ends of sentences where there are any."""
    held = ""
    for sentence in _ENDS.split(passage):
        if held and len(held) + len(sentence) >= LONGEST:
            yield held
            held = ""
        held = f"{held} {sentence}" if held else sentence
        while len(held) > LONGEST:
            yield held[:LONGEST]
            held = held[LONGEST:]
    if held:
        yield held


def packed(vectors: NDArray[np.floating]) -> bytes | None:
    """(n, d) vectors as bytes, a byte a dimension of each; only their directions are kept. None if there are none."""
    if not len(vectors):
        return None
    largest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-9)
    rows: NDArray[np.int8] = np.rint(127 * vectors / largest).astype(np.int8)
    return int(vectors.shape[1]).to_bytes(_WIDTH, "big") + rows.tobytes()


def unpacked(notes: Sequence[bytes]) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """What `packed` packed of some notes: (n, d) unit vectors of all their passages, and (n,) whose each is.

    Raises ValueError where notes have vectors of different dimensions.
    """
    if not notes:
        return np.zeros((0, 0), dtype=np.float32), np.zeros(0, dtype=np.intp)
    (width,) = {int.from_bytes(note[:_WIDTH], "big") for note in notes}
    rows = np.frombuffer(b"".join(note[_WIDTH:] for note in notes), dtype=np.int8).reshape(-1, width)
    vectors = rows.astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return vectors, np.repeat(np.arange(len(notes)), [(len(note) - _WIDTH) // width for note in notes])
