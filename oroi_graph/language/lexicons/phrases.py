"""Patterns that match only so many texts, spelled out: looking a phrase up is quicker than trying patterns on it."""

from __future__ import annotations

_SPECIAL = frozenset("\\.^$*+{}()?]")


def spelled_out(pattern: str) -> frozenset[str]:
    """Every text that a pattern matches as a whole.

    It may have alternatives, groups "(?:…)", sets of letters "[oa]", and "?" after what may be missing. Raises
    ValueError for a pattern with anything else, which may match any number of texts.
    """
    texts, end = _alternatives(pattern, 0)
    if end < len(pattern):
        raise ValueError(f"{pattern!r} closes a group that was not opened, at {end}")
    return frozenset(texts)


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
