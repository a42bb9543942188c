"""The numbers of recall: each says what it is, and none leaves its range unnoticed."""

from __future__ import annotations

import json

import pytest

from oroi_graph.errors import SettingsError
from oroi_graph.options import Options
from oroi_graph.recall_options import Ranking, Search, Selection

GROUPS = (Search(), Ranking(), Selection())


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: type(group).__name__)
def test_each_number_says_what_it_is(group: Search | Ranking | Selection) -> None:
    told = json.loads(json.dumps(group.to_json()))
    assert set(told) == set(type(group).__dataclass_fields__)
    assert all(one["what"] and one["unit"] and one["origin"] and len(one["range"]) == 2 for one in told.values())


@pytest.mark.parametrize(
    ("kind", "changed", "message"),
    [
        (Search, {"relation_share": 1.5}, "relation_share must be from 0 to 1, got 1.5"),
        (Search, {"fan_out": (24, -1, 5, 0)}, "fan_out must be from 0 to inf, got -1"),
        (Ranking, {"first_stage": {"meaning": 11.0}}, "first_stage must be from -10 to 10, got 11.0"),
        (Selection, {"related": float("nan")}, "related must be from -1 to 1, got nan"),
    ],
)
def test_a_number_outside_its_range_is_refused(kind: type, changed: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        kind(**changed)


def test_options_of_equal_numbers_are_equal() -> None:
    assert Options() == Options()
    assert Options(selection=Selection(facts=3)) != Options()
