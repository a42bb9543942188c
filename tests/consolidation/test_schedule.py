"""Cron expressions as crontab reads them, the last night before now, and how long a worker rests."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from tables import table

from oroi_graph.consolidation.schedule import NIGHTLY, CronSchedule, Schedule, wait
from oroi_graph.errors import SettingsError

MADRID = ZoneInfo("Europe/Madrid")
SUNDAY = datetime(2026, 3, 29, 12, tzinfo=MADRID)  # summer time began this morning: 02:00 became 03:00


@table(
    ("expression", "latest"),
    [
        ("0 3 * * *", "2026-03-29T03:00:00+02:00"),
        ("30 12 * * *", "2026-03-28T12:30:00+01:00"),
        ("0 12 * * *", "2026-03-29T12:00:00+02:00"),
        ("* * * * *", "2026-03-29T12:00:00+02:00"),
        ("*/7 3-4 1 * *", "2026-03-01T04:56:00+01:00"),
        ("0 0 1 1 *", "2026-01-01T00:00:00+01:00"),
        ("0 0 29 2 *", "2024-02-29T00:00:00+01:00"),
        # Days of the week by crontab's numbers, 0 and 7 are Sunday.
        ("0 3 * * 0", "2026-03-29T03:00:00+02:00"),
        ("0 3 * * 7", "2026-03-29T03:00:00+02:00"),
        ("0 3 * * 1", "2026-03-23T03:00:00+01:00"),
        ("0 3 * * 1-5", "2026-03-27T03:00:00+01:00"),
        ("0 3 * * 5-7", "2026-03-29T03:00:00+02:00"),
        ("0 3 * * 1-5/2", "2026-03-27T03:00:00+01:00"),
        ("0 13 * * */2", "2026-03-28T13:00:00+01:00"),
        ("0 3 * * mon,3", "2026-03-25T03:00:00+01:00"),
        ("0 3 * jan sat", "2026-01-31T03:00:00+01:00"),
    ],
)
def test_the_latest_night(expression: str, latest: str) -> None:
    found = CronSchedule(expression, MADRID).latest(SUNDAY)
    assert found is not None
    assert found.isoformat() == latest


def test_now_may_be_told_in_another_zone() -> None:
    assert CronSchedule("0 3 * * *", MADRID).latest(datetime(2026, 6, 1, 0, 59, tzinfo=UTC)) == datetime(
        2026, 5, 31, 3, tzinfo=MADRID
    )


@table(
    "expression",
    ["", "x", "0 3 * *", "0 3 * * * *", "60 3 * * *", "0 3 * * 8", "0 3 * * 5-2", "a b c d e"],
)
def test_what_is_no_cron_expression(expression: str) -> None:
    with pytest.raises(SettingsError, match="cron expression") as refused:
        CronSchedule(expression)
    assert "\n" not in str(refused.value)


@table("expression", ["0 0 31 2 *", "0 0 31 4,6 *"])
def test_a_night_that_never_comes_is_refused(expression: str) -> None:
    with pytest.raises(SettingsError, match="unusable cron expression"):
        CronSchedule(expression)


@table(
    "bad",
    [{"poll": 0}, {"poll": -1}, {"poll": float("nan")}, {"poll": float("inf")}, {"idle": -1}, {"idle": float("nan")},
     {"grown": 0}, {"night": None}],
)  # fmt: skip
def test_a_schedule_that_makes_no_sense(bad: dict[str, float]) -> None:
    with pytest.raises(SettingsError):
        Schedule(**bad)  # type: ignore[arg-type]


def test_by_default_it_is_at_night() -> None:
    assert Schedule().night is not None
    assert Schedule().night.expression == NIGHTLY  # type: ignore[union-attr]


def test_a_worker_rests_until_the_next_look_or_the_night() -> None:
    assert Schedule(night=None, idle=1, poll=90).rest() == 90
    assert 0 < Schedule(night=CronSchedule("* * * * *"), poll=3600).rest() <= 60
    assert Schedule(night=CronSchedule("* * * * *"), poll=0.1).rest() <= 0.1


@table(
    ("now", "next_"),
    [
        ("2026-03-28T02:59:30+01:00", "2026-03-28T03:00:00+01:00"),
        ("2026-03-28T03:00:00+01:00", "2026-03-29T03:00:00+02:00"),
        ("2026-03-28T12:00:00+00:00", "2026-03-29T03:00:00+02:00"),
    ],
)
def test_the_next_night(now: str, next_: str) -> None:
    assert CronSchedule("0 3 * * *", MADRID).next(datetime.fromisoformat(now)).isoformat() == next_


PATIENCE = 30.0  # seconds after which a test gives up waiting


def waiting(stop: threading.Event, seconds: float) -> threading.Thread:
    """A thread that waits."""
    thread = threading.Thread(target=wait, args=(stop, seconds), daemon=True)
    thread.start()
    return thread


def test_waiting_ends_when_it_has_been_long_enough_and_no_sooner() -> None:
    began = time.monotonic()
    thread = waiting(threading.Event(), 0.5)
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert time.monotonic() - began >= 0.5


def test_waiting_ends_when_asked_to_stop_and_no_sooner() -> None:
    stop = threading.Event()
    thread = waiting(stop, 2 * PATIENCE)
    thread.join(0.5)
    assert thread.is_alive()
    stop.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()
