"""What models cost is a statistic: work neither fails nor hides its own error because it could not be kept."""

from __future__ import annotations

import pytest

from oroi_graph.errors import StoreError
from oroi_graph.providers.openai.metering import Tally, metered, noted


def kept_nowhere(tally: Tally) -> None:
    raise StoreError("the database is gone")


def fails() -> None:
    noted("gpt-4o-mini", 10, 2)
    raise ZeroDivisionError


def test_work_whose_cost_cannot_be_kept_is_done(caplog: pytest.LogCaptureFixture) -> None:
    with metered(kept_nowhere):
        noted("gpt-4o-mini", 10, 2)
    assert "the database is gone" in caplog.text


def test_the_error_of_the_work_is_the_one_that_is_told() -> None:
    with pytest.raises(ZeroDivisionError), metered(kept_nowhere):
        fails()


def test_what_was_asked_before_a_failure_is_kept() -> None:
    kept: list[Tally] = []
    with pytest.raises(ZeroDivisionError), metered(kept.append), metered(kept_nowhere):
        fails()
    assert [(one.calls, one.input_tokens, one.output_tokens) for one in kept] == [(1, 10, 2)]
