"""Extractions read from a file, so that a run can be repeated without its model; and their recorder.

A line is a JSON object: an extraction with `key`, `text`, or both. `key` names the turn in its
context; a later line of the same key replaces an earlier one.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from pathlib import Path
from typing import Any

from oroi_graph.errors import ExtractionError, InputError, ProviderError
from oroi_graph.model import SCHEMA_VERSION, Extraction, Utterance, canonical_json
from oroi_graph.providers.protocols import Extractor

_SHOWN = 80  # characters of a text in an error
_NAMED = 5  # bad lines named in an error


def recording_key(turn: Utterance, window: Sequence[Utterance]) -> str:
    """64 hexadecimal digits: the SHA-256 of the canonical JSON of turn, window and schema version.

    One moment is one key, whatever time zone it is written in.
    """
    context = {**_identity(turn), "window": [_identity(past) for past in window], "schema_version": SCHEMA_VERSION}
    return hashlib.sha256(canonical_json(context).encode("utf-8", "surrogatepass")).hexdigest()


class RecordedExtractor:
    """The extractions of a JSONL file, by key, else by text; safe to share among threads.

    Raises InputError when the file cannot be read or has malformed lines, which are named by number.
    """

    name = "recorded"

    def __init__(self, path: Path) -> None:
        self._path = Path(path)
        self._by_key: dict[str, Extraction] = {}
        self._by_text: dict[str, set[Extraction]] = {}
        texts: dict[str, str] = {}
        for key, text, extraction in _read(self._path):
            if key is not None:
                self._by_key[key] = extraction
                if text is not None:
                    texts[key] = text
            elif text is not None:
                self._by_text.setdefault(text, set()).add(extraction)
        for key, text in texts.items():
            self._by_text.setdefault(text, set()).add(self._by_key[key])

    def __repr__(self) -> str:
        return f"RecordedExtractor({str(self._path)!r})"

    def extract(self, turn: Utterance, window: Sequence[Utterance]) -> Extraction:
        """What was recorded for this turn after this window, else for its text alone.

        Raises ExtractionError when nothing was, or when the text alone was recorded with different answers.
        """
        found = self._by_key.get(recording_key(turn, window))
        if found is not None:
            return found
        candidates = self._by_text.get(turn.text, set())
        if not candidates:
            raise ExtractionError(f"{self._path} has no recording of {turn.text[:_SHOWN]!r}: record it")
        if len(candidates) > 1:
            raise ExtractionError(
                f"{self._path} has {len(candidates)} different recordings of {turn.text[:_SHOWN]!r}, "
                "and none with this turn's window, speaker and time: record it with its key"
            )
        return next(iter(candidates))


class Recorder:
    """An extractor that hands on what `extractor` answers and appends it to a file.

    Failures are not recorded. One process writes one file; threads may share it. Raises InputError when
    `path` cannot be written.
    """

    def __init__(self, extractor: Extractor, path: Path) -> None:
        self._extractor, self.name = extractor, extractor.name
        self._path = Path(path)
        self._lock = threading.Lock()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab+") as file:
                if file.tell():
                    file.seek(-1, 2)
                    torn = file.read(1) != b"\n"
                    # A line torn by a crash must not swallow the next one.
                    file.write(b"\n" if torn else b"")
        except OSError as error:
            raise InputError(f"cannot write {self._path} ({error.strerror}): choose another file") from error

    def extract(self, turn: Utterance, window: Sequence[Utterance]) -> Extraction:
        """What the extractor behind answers. Raises what it raises, and ProviderError on a full disk."""
        extraction = self._extractor.extract(turn, window)
        line = {"key": recording_key(turn, window), "text": turn.text, **extraction.to_json()}
        with self._lock:
            append_line(self._path, line)
        return extraction


def recorded_lines(path: Path) -> list[bytes]:
    """The lines of a recording, the last one without its end where it is torn. Raises InputError."""
    try:
        return path.read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(f"cannot read recordings from {path} ({error.strerror}): check the path") from error


def append_line(path: Path, line: Mapping[str, object]) -> None:
    """Append one JSON line to a recording. Raises ProviderError on a full disk."""
    try:
        with path.open("ab") as file:
            file.write(canonical_json(line).encode("utf-8", "replace") + b"\n")
    except OSError as error:
        raise ProviderError(f"cannot record to {path} ({error.strerror}): free some space") from error


def _identity(turn: Utterance) -> dict[str, str | None]:
    at = turn.at.astimezone(UTC) if turn.at and turn.at.tzinfo else turn.at
    return {"text": turn.text, "speaker": turn.speaker, "at": at.isoformat() if at else None}


def _read(path: Path) -> Iterator[tuple[str | None, str | None, Extraction]]:
    bad: list[str] = []
    for number, line in enumerate(recorded_lines(path), 1):
        if not line.strip():
            continue
        try:
            yield _recording(json.loads(line.decode("utf-8")))
        except RecursionError:
            bad.append(f"line {number}: its values are nested too deeply")
        except (ValueError, ExtractionError) as error:
            bad.append(f"line {number}: {error}")
    if bad:
        more = f"; and {len(bad) - _NAMED} more" if len(bad) > _NAMED else ""
        raise InputError(f"{path} has lines that are no recording: {'; '.join(bad[:_NAMED])}{more}")


def _recording(data: Any) -> tuple[str | None, str | None, Extraction]:
    extraction = Extraction.from_json(data)
    named: Mapping[str, Any] = data
    key, text = named.get("key"), named.get("text")
    if not isinstance(key, str | None) or not isinstance(text, str | None):
        raise ExtractionError("key and text must be text")
    if key is None and text is None:
        raise ExtractionError("it needs key or text")
    return key, text, extraction
