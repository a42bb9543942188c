"""The protocol of redactors, and how values on their way in are redacted and counted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Protocol, TypeVar

from oroi_graph.errors import InputError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without what must not be kept. counts: how often each kind was taken out, such as {"email": 1}."""

    text: str
    counts: Mapping[str, int] = field(default_factory=dict)


class Redactor(Protocol):
    """Takes out of a text what must not be kept.

    It must find nothing in what it returned (a text may pass twice), and keep line ends, by which notes are cited.
    """

    def __call__(self, text: str, /) -> Redacted:
        """The text without it, and counts of what was taken out."""


class Redaction:
    """The texts of one call on their way in. redactor: None lets everything pass. Not safe to share among threads."""

    def __init__(self, redactor: Redactor | None) -> None:
        self._redactor = redactor
        self.counts: dict[str, int] = {}

    def text(self, text: str) -> str:
        """A text as it may be kept. Raises InputError if the redactor returns something else than `Redacted`."""
        if self._redactor is None:
            return text
        found = self._redactor(text)
        if not isinstance(found, Redacted):
            raise InputError(f"the redactor returned {type(found).__name__}: it must return oroi_graph.Redacted")
        for kind, count in found.counts.items():
            self.counts[kind] = self.counts.get(kind, 0) + count
        return found.text

    def value(self, value: T, named: Collection[str] | None = None) -> T:
        """A value with every text in it as it may be kept: texts, lists, mappings' values, frozen dataclasses.

        named: of mappings, only what stands under these names or deeper in lists under them; None: all.
        """
        return value if self._redactor is None else self._inside(value, named, True)

    def _inside(self, value: Any, named: Collection[str] | None, kept: bool) -> Any:
        """kept: whether a text that is found here is one of those that are redacted."""
        if isinstance(value, str):
            return self.text(value) if kept else value
        if isinstance(value, Mapping):
            return {key: self._inside(one, named, named is None or key in named) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self._inside(one, named, kept) for one in value)
        if is_dataclass(value) and not isinstance(value, type):
            parts = {one.name: getattr(value, one.name) for one in fields(value)}
            return replace(value, **{name: self._inside(part, named, kept) for name, part in parts.items()})
        return value


def redacted_lines(lines: Sequence[str], redactor: Redactor | None) -> list[str]:
    """The lines of a file as they may be kept, as many as there were.

    They are redacted together (a private key has many). If the redactor loses line ends, each is redacted alone.
    """
    if redactor is None:
        return list(lines)
    found = Redaction(redactor).text("\n".join(lines)).split("\n")
    return found if len(found) == len(lines) else [Redaction(redactor).text(line) for line in lines]


def as_list(counts: Mapping[str, int]) -> list[str] | None:
    """Counts as a record keeps them: "kind count"; None for none."""
    return [f"{kind} {count}" for kind, count in sorted(counts.items())] or None


def as_counts(lists: Iterable[Iterable[str] | None]) -> dict[str, int]:
    """The sum of what records keep (`as_list`)."""
    found: dict[str, int] = {}
    for one in (one for kept in lists for one in kept or ()):
        kind, _, count = one.rpartition(" ")
        found[kind] = found.get(kind, 0) + int(count)
    return found


def said(counts: Mapping[str, int]) -> str:
    """Counts for people: "2 email, 1 phone"."""
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
