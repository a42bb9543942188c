"""Word lists, written as text."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def word_list(text: str) -> list[str]:
    """The words of a text, in order."""
    return text.split()
