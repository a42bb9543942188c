"""Who may write as whom, and for which contract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from oroi_graph.contract.chain.signing import key_of_token, token_hash
from oroi_graph.contract.document import Document
from oroi_graph.contract.entry import Submission, refused


def authorised(
    given: Submission, token: str | None, enrolled: Sequence[Any] | None, document: Document
) -> Ed25519PrivateKey | None:
    """The key that signs the entry, None for an author without a token. enrolled: [hash, public key, whether revoked].

    Raises EntryRefusedError for whoever does not prove to be the author.
    """
    author = given.ia_author
    if enrolled is None:
        if token is not None:
            raise refused("/ia_author", f"a token was given, but {author!r} has none: it is another author's")
        if document.needs_token:
            raise refused("/ia_author", f"{author!r} has no token yet: `oroi contract author add MEMORY {author}`")
        return None
    known, _, revoked = enrolled
    if revoked:
        raise refused("/ia_author", f"{author!r} was revoked")
    if token is None:
        raise refused("/ia_author", f"{author!r} must show its token: give it as OROI_AUTHOR_TOKEN")
    if token_hash(token) != known:
        raise refused("/ia_author", f"this is not the token of {author!r}")
    return key_of_token(token)


def check_hash(given: Submission, expected: str | None) -> None:
    """Refuse an entry that was made for another contract than the one in force."""
    if expected is None:
        raise refused(
            "/schema_hash", "no contract was published yet: `oroi contract publish MEMORY FILE --key KEYFILE`"
        )
    if given.schema_hash != expected:
        raise refused("/schema_hash", f"is not that of the contract in force: expected {expected}", expected)
