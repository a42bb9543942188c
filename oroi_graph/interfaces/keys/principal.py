"""Who asks: the memories that a key opens, and the rights it has in its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from oroi_graph.errors import InputError, NotPermittedError
from oroi_graph.language.normalize import check_memory_name

Right = Literal["read", "write", "forget", "administer"]

RIGHTS: tuple[Right, ...] = get_args(Right)


@dataclass(frozen=True, slots=True)
class Principal:
    """Whoever holds a key. memories: those it opens; the first is its own, the others are only read.

    rights: what it may do in its own memory; "read" is also the right to read the others. session: the key of the
    session that it is bound to, None for none. owner: whether it is whoever runs the command, no key of the graph.
    """

    key: str
    name: str
    memories: tuple[str, ...]
    rights: frozenset[Right]
    session: str | None = None
    owner: bool = False

    def own(self, right: Right) -> str:
        """The name of the principal's own memory, for something that takes `right`. Raises NotPermittedError."""
        if right not in self.rights:
            raise NotPermittedError(
                f"key {self.key} ({self.name}) may not {right}: `oroi key create` makes one that may"
            )
        if not self.memories:
            raise NotPermittedError(
                f"key {self.key} ({self.name}) opens no memory any more: what it opened was deleted"
            )
        return self.memories[0]

    def readable(self, names: Sequence[str] | None = None) -> tuple[str, ...]:
        """The memories to read: `names`, or all that the key opens.

        Raises NotPermittedError for one it does not open, whether that exists or not, and InputError for names that
        could mean all.
        """
        self.own("read")
        if names is None:
            return self.memories
        if isinstance(names, str) or not names:
            raise InputError("name the memories to read, at least one, or leave them out for all that the key opens")
        for name in names:
            if check_memory_name(name) not in self.memories:
                raise NotPermittedError(f"key {self.key} ({self.name}) opens no memory named {name!r}")
        return tuple(dict.fromkeys(names))


class Recogniser(Protocol):
    """Says who holds a key."""

    def recognise(self, text: str | None) -> Principal:
        """Whoever holds the key `text`. Raises KeyRefusedError."""


def checked_rights(rights: Iterable[str]) -> tuple[Right, ...]:
    """The rights in their order, each once. Raises InputError for none, or one that does not exist."""
    given = set(rights)
    unknown = sorted(given - set(RIGHTS))
    if unknown or not given:
        raise InputError(f"rights must be some of {', '.join(RIGHTS)}, got {', '.join(unknown) or 'none'}")
    return tuple(right for right in RIGHTS if right in given)
