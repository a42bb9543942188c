"""Which year a date without one is of: ahead beside the future and plans, behind beside the past, else the nearest."""

from __future__ import annotations

import re
from datetime import datetime

import pytest
from locations import DATA

from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.language.dates import resolve_date
from oroi_graph.model import Utterance

LINES = [
    [part.strip() for part in line.split("|")]
    for line in (DATA / "date_directions.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
EXTRACTOR = OfflineExtractor()
_ISO = re.compile(r"\d{4}-\d\d(-\d\d)?")


def read(language: str, at: datetime, text: str) -> set[str]:
    """Every date that an extraction holds, as ISO text."""
    found = EXTRACTOR.extract(Utterance(text, "Ana", "user", at), ())
    labels = [
        *(one.label for one in found.concepts if one.kind == "value"),
        *(end for one in found.relations for end in (one.source, one.target)),
        *(one.when for one in found.relations if one.when),
    ]
    dates = (label if _ISO.fullmatch(label) else resolve_date(label, language, at) for label in labels)
    return {date for date in dates if date is not None}


def test_there_are_enough_lines() -> None:
    assert len(LINES) >= 60
    assert {line[0] for line in LINES} == {"en", "es", "pt"}


@pytest.mark.parametrize(("language", "said", "date", "text"), LINES, ids=[line[-1] for line in LINES])
def test_the_date_that_is_meant(language: str, said: str, date: str, text: str) -> None:
    assert read(language, datetime.fromisoformat(f"{said}T12:00"), text) == {date}
