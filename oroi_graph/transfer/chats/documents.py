"""What an import reads: a file, a ZIP archive as services send it, or standard input, as named texts."""

from __future__ import annotations

import io
import re
import sys
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from oroi_graph.errors import InputError
from oroi_graph.files import refusing

STDIN = "-"
LARGEST = 2_000_000_000  # bytes that are read as a whole
# What exports put into their archives; the second form where one file became too large.
_MEMBER = re.compile(r"(?:.*/)?(?:conversations(?:-\d+)?\.json|_chat\.txt|[^/]*whatsapp[^/]*\.txt)", re.IGNORECASE)
_PLAIN = re.compile(r"(?:.*/)?[^/._][^/]*\.(?:jsonl?|ndjson|txt|md|markdown)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Document:
    """One text and what it is called in messages."""

    name: str
    text: str


def documents(path: Path) -> list[Document]:
    """The texts of a file; "-" is standard input. Raises InputError for what cannot be read or is not UTF-8."""
    if str(path) == STDIN:
        raw = sys.stdin.buffer.read(LARGEST + 1)
        return _of_bytes("stdin", raw)
    with refusing(path, "read"), path.open("rb") as file:
        raw = file.read(LARGEST + 1)
    return _of_bytes(path.name, raw)


def _of_bytes(name: str, raw: bytes) -> list[Document]:
    if len(raw) > LARGEST:
        raise InputError(f"{name} is larger than {LARGEST:,} bytes: split it")
    if raw.startswith(b"PK\x03\x04"):
        return _unpacked(name, raw)
    return [Document(name, _decoded(name, raw))]


def _unpacked(name: str, raw: bytes) -> list[Document]:
    """The conversations of an archive. Names of its members are never used as paths."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            members = [one for one in archive.infolist() if _MEMBER.fullmatch(one.filename)]
            members = members or [one for one in archive.infolist() if _PLAIN.fullmatch(one.filename)]
            if sum(one.file_size for one in members) > LARGEST:
                raise InputError(f"{name} holds more than {LARGEST:,} bytes: unpack and split it")
            found = [(one.filename, archive.read(one)) for one in sorted(members, key=lambda one: one.filename)]
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise InputError(f"{name} is no usable ZIP archive ({error}): unpack it and import what is inside") from error
    if not found:
        raise InputError(f"{name} holds no conversation (conversations.json, a chat's .txt): import the file itself")
    return [Document(member.rpartition("/")[2], _decoded(f"{name}:{member}", text)) for member, text in found]


def _decoded(name: str, raw: bytes) -> str:
    encoding = "utf-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name} is not UTF-8 text (line {line}): save it as UTF-8") from error
