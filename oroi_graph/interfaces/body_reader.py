"""The body of a request as a whole, up to a size and within a time: a client that floods or hangs holds nothing."""

from __future__ import annotations

from dataclasses import dataclass

import anyio
from starlette.types import Message, Receive, Scope


class BodyError(Exception):
    """A body that cannot be taken. status: of the answer; kind: one word for programs. Its text is for people."""

    def __init__(self, status: int, kind: str, said: str) -> None:
        super().__init__(said)
        self.status, self.kind = status, kind


class DisconnectedError(Exception):
    """The client went away before its body was complete."""


@dataclass(frozen=True, slots=True)
class BodyReader:
    """largest: bytes of a body. patience: seconds for a body to arrive."""

    largest: int
    patience: float

    async def whole(self, scope: Scope, receive: Receive) -> bytes:
        """The body. Raises BodyError, after which the connection is to be closed, and DisconnectedError."""
        declared = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if declared.isdigit() and int(declared) > self.largest:
            raise self._too_large()
        parts: list[bytes] = []
        size = 0
        with anyio.move_on_after(self.patience):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise DisconnectedError
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > self.largest:
                    raise self._too_large()
                if not message.get("more_body", False):
                    return b"".join(parts)
        raise BodyError(408, "too-slow", f"the body did not arrive within {self.patience:g} seconds")

    def _too_large(self) -> BodyError:
        return BodyError(413, "too-large", f"the body is larger than {self.largest} bytes: send less at once")


def replaying(body: bytes, receive: Receive) -> Receive:
    """Gives a body that was read already, then what comes: that the client goes."""
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
