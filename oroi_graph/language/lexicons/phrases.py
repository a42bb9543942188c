"""What patterns of words tell before they are tried, as looking words up is quicker: all that they match, if that is
only so much, or what stands in all of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SPECIAL = frozenset("\\.^$*+{}()?]")
# A sign that is escaped, a set of letters, how often what is before it stands there, or any one sign.
_PIECE = re.compile(r"\\.|\[\^?\]?[^]]*\]|\{[\d,]*\}|.", re.DOTALL)


def spelled_out(pattern: str) -> frozenset[str]:
    """Every text that a pattern matches as a whole.

    It may have alternatives, groups "(?:…)", sets of letters "[oa]", and "?" after what may be missing. Raises
    ValueError for a pattern with anything else, which may match any number of texts.
    """
    texts, end = _alternatives(pattern, 0)
    if end < len(pattern):
        raise ValueError(f"{pattern!r} closes a group that was not opened, at {end}")
    return frozenset(texts)


def in_every_match(pattern: str) -> str:
    """The longest run of letters outside the groups of a pattern, in every text that it matches; "" if none is."""
    runs, depth = [""], 0
    for piece in _PIECE.findall(pattern):
        if piece in "()":
            depth += 1 if piece == "(" else -1
            runs.append("")
        elif depth:
            continue
        elif piece == "|":
            return ""
        elif piece[0] in "?*+{":  # the letter before it may be missing
            runs[-1:] = [runs[-1][:-1], ""]
        elif len(piece) > 1 or piece in "^$.":
            runs.append("")
        else:
            runs[-1] += piece
    return max(runs, key=len)


@dataclass(frozen=True, slots=True)
class Sought:
    """A pattern of what is looked for in texts, most of which have none of it.

    needed: runs of letters, case-folded: every text in which the pattern is found has one of them.
    """

    pattern: re.Pattern[str]
    needed: tuple[str, ...]

    @classmethod
    def words(cls, pattern: str) -> Sought:
        """What a pattern finds as whole words, in any case."""
        needed = sorted({in_every_match(one.casefold()) for one in _alternatives_of(pattern)}, key=len)
        shortest = [one for i, one in enumerate(needed) if not any(other in one for other in needed[:i])]
        return cls(re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), tuple(shortest))

    def is_in(self, text: str) -> bool:
        """Whether the text has any of it."""
        low = text.casefold()
        for letters in self.needed:
            if letters in low:
                return self.pattern.search(text) is not None
        return False


def _alternatives_of(pattern: str) -> list[str]:
    """The alternatives of a pattern outside its groups."""
    found, depth = [""], 0
    for piece in _PIECE.findall(pattern):
        depth += (piece == "(") - (piece == ")")
        if piece == "|" and not depth:
            found.append("")
        else:
            found[-1] += piece
    return found


def _alternatives(pattern: str, at: int) -> tuple[set[str], int]:
    """What the alternatives from `at` on match, and where they end."""
    texts, at = _sequence(pattern, at)
    while pattern.startswith("|", at):
        more, at = _sequence(pattern, at + 1)
        texts |= more
    return texts, at


def _sequence(pattern: str, at: int) -> tuple[set[str], int]:
    texts = {""}
    while at < len(pattern) and pattern[at] not in "|)":
        items, at = _item(pattern, at)
        if pattern.startswith("?", at):
            items, at = {*items, ""}, at + 1
        texts = {text + item for text in texts for item in items}
    return texts, at


def _item(pattern: str, at: int) -> tuple[set[str], int]:
    if pattern.startswith("(?:", at):
        texts, end = _alternatives(pattern, at + 3)
        return texts, end + 1
    if pattern[at] == "[":
        end = pattern.index("]", at)
        return set(pattern[at + 1 : end]), end + 1
    if pattern[at] in _SPECIAL:
        raise ValueError(f"{pattern!r} cannot be spelled out: {pattern[at]!r} at {at}")
    return {pattern[at]}, at + 1
