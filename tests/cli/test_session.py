"""What commands share that is not seen in what they print."""

from __future__ import annotations

import gc
from contextlib import suppress

import pytest
from conftest_cli import cli_environment

from oroi_graph.cli.session import SELDOM, Session, seldom_collected

__all__ = ["cli_environment"]  # a fixture


def test_the_collector_is_given_back_as_it_was() -> None:
    before = gc.get_threshold()
    with suppress(ValueError), seldom_collected():
        assert gc.get_threshold() == (SELDOM, *before[1:])
        assert gc.get_freeze_count() > 0
        raise ValueError
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


@pytest.mark.usefixtures("cli_environment")
def test_a_command_that_serves_has_its_memories_seldom_looked_at() -> None:
    with Session().graph():
        assert gc.get_freeze_count() == 0
    with Session().lasting_graph() as graph:
        assert gc.get_freeze_count() > 0
        assert isinstance(graph.memories(), list)
