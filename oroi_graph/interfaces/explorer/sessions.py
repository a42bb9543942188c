"""Who may use the page: whoever has the link that the terminal printed, once; afterwards, whoever has its keys.

Other users of the machine can reach a port of it, so the address alone opens nothing. The link carries a code in its
fragment, which browsers do not send; the page trades it for keys, one for each memory, and the code is used up. Keys
are kept by the page for its tab and by this process, nowhere else.

What a session of a graph's key may do is asked at every request, since that key may be revoked, expire, or lose a
memory while a page is open.
"""

from __future__ import annotations

import hashlib
import html
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from oroi_graph.errors import KeyRefusedError, NotPermittedError
from oroi_graph.interfaces.keys import RIGHTS, KeyRegistry, Principal

MOST = 100_000  # keys of one process, so that a page that is opened again and again cannot fill it


@dataclass(frozen=True, slots=True)
class LocalKey:
    """A key of the page for one memory."""

    memory: str
    key: str
    principal: Principal


class Sessions:
    """The codes and keys of one process. Safe to share among threads.

    registry: recognises keys made by `oroi key create`, too. principals: who the page is in each of its memories, asked
    for each new session and, unless that is whoever runs the command, for each request; raises KeyRefusedError once a
    key is refused. renewed: called with the next code when one was used.
    """

    def __init__(
        self,
        registry: KeyRegistry,
        principals: Callable[[], Sequence[Principal]],
        renewed: Callable[[str], None] | None = None,
    ) -> None:
        self._registry, self._principals, self._renewed = registry, principals, renewed
        self._lock = threading.Lock()
        self._code = secrets.token_urlsafe(24)
        self._keys: dict[str, Principal] = {}

    @property
    def code(self) -> str:
        """The code that opens the next session."""
        return self._code

    def redeem(self, code: str) -> list[LocalKey]:
        """Trade a code for keys, once. Raises KeyRefusedError; if `principals` raises, the code stays good."""
        with self._lock:
            if not secrets.compare_digest(_hash(code), _hash(self._code)):
                raise KeyRefusedError("this link was used, or is another one's: the terminal shows a new link")
            made = [LocalKey(one.memories[0], f"local_{secrets.token_urlsafe(32)}", one) for one in self._principals()]
            self._code = secrets.token_urlsafe(24)
            for one in made[: MOST - len(self._keys)]:
                self._keys[_hash(one.key)] = one.principal
        if self._renewed is not None:
            self._renewed(self._code)
        return made

    def recognise(self, text: str | None) -> Principal:
        """Whoever holds a key of a session, or of the graph.

        Raises KeyRefusedError, and NotPermittedError for a session in a memory that its key opens no longer.
        """
        found = self._keys.get(_hash(text)) if text else None
        if found is not None:
            return found if found.owner else self._now(found)
        if text and text.startswith("local_"):
            raise KeyRefusedError("this session ended: open the link that the terminal shows")
        return self._registry.recognise(text)

    def _now(self, opened: Principal) -> Principal:
        """The principal of a session as it is by now."""
        memory = opened.memories[0]
        for one in self._principals():
            if one.memories[0] == memory:
                return one
        raise NotPermittedError(f"key {opened.key} ({opened.name}) opens no memory named {memory!r} any more")


def local_principals(names: Sequence[str]) -> list[Principal]:
    """Whoever runs the command: with all rights in each of these memories, and the others to read beside it."""
    return [
        Principal(
            "local",
            "explorer on this machine",
            (name, *(other for other in names if other != name)),
            frozenset(RIGHTS),
            owner=True,
        )
        for name in names
    ]


def of_key(principal: Principal) -> list[Principal]:
    """A key of the graph as the page has it: its own memory with its rights, the others to read alone.

    Raises KeyRefusedError for a key that opens no memory any more.
    """
    if not principal.memories:
        raise KeyRefusedError(f"key {principal.key} opens no memory any more: what it opened was deleted")
    return [
        principal,
        *(
            replace(principal, memories=(name, *(one for one in principal.memories if one != name)),
                    rights=principal.rights & {"read"})
            for name in principal.memories[1:]
        ),
    ]  # fmt: skip


def opening_page(url: str) -> str:
    """A page that sends a browser on to `url`: commands that start browsers can be read by other users, files not."""
    address = html.escape(url, quote=True)
    return (
        '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
        f'<meta http-equiv="refresh" content="0; url={address}"><title>oroi</title><a href="{address}">oroi</a>\n'
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
