"""Ed25519 keys of authorities and authors (RFC 8032): made, kept in files, used.

Public keys and signatures are hexadecimal text. An author's token is the seed of its key, so whoever holds the token
can sign, and the database keeps only the token's hash and the public key.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from oroi_graph.contract.chain.hashing import sha256
from oroi_graph.errors import InputError

_PREFIX = "oroi-author-"
_SEED = 32  # bytes


def make_key_file(path: Path) -> str:
    """Write a new private key to `path` (PEM, readable by its owner only); its public key.

    Raises InputError if the file exists or cannot be written.
    """
    key = Ed25519PrivateKey.generate()
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(text)
    except FileExistsError as error:
        raise InputError(f"{path} exists: a key is never overwritten; name another file") from error
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
    return public_key(key)


def read_key_file(path: Path) -> Ed25519PrivateKey:
    """The private key in a file of `make_key_file`. Raises InputError."""
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, TypeError) as error:
        raise InputError(f"{path} holds no private key: `oroi contract keygen FILE` makes one") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError(f"{path} holds a key of another kind: an Ed25519 key is needed")
    return key


def new_token() -> tuple[str, str]:
    """A new author's token, 256 random bits as text, and the public key that belongs to it."""
    seed = secrets.token_bytes(_SEED)
    text = base64.urlsafe_b64encode(seed).decode().rstrip("=")
    return _PREFIX + text, public_key(Ed25519PrivateKey.from_private_bytes(seed))


def key_of_token(token: str) -> Ed25519PrivateKey | None:
    """The key of a token; None if that is no token of ours."""
    if not token.startswith(_PREFIX):
        return None
    try:
        seed = base64.b64decode(token.removeprefix(_PREFIX) + "=", altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    return Ed25519PrivateKey.from_private_bytes(seed) if len(seed) == _SEED else None


def token_hash(token: str) -> str:
    """What the database keeps of a token. It is no password that could be guessed, so one hash is enough."""
    return sha256(token)


def public_key(key: Ed25519PrivateKey) -> str:
    """The public half of a key."""
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


def sign(key: Ed25519PrivateKey, text: str) -> str:
    """The signature of a text (as UTF-8)."""
    return key.sign(text.encode()).hex()


def signed_by(public: str, signature: str | None, text: str) -> bool:
    """Whether `signature` is that of `text` by the owner of the public key; False for what is no key or signature."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature or ""), text.encode())
    except (InvalidSignature, ValueError, TypeError):
        return False
    return True
