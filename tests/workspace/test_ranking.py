"""The formula of ranking: the two worked examples of the layout's inventor, and each step by itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from tables import table

from oroi_graph.workspace.config import QueryConfig
from oroi_graph.workspace.search.ranking import Asked, Hit, age, faded, merged, ranked, text_score, weighed

TODAY = date(2026, 2, 10)
NOW = datetime(2026, 2, 10, 12, tzinfo=UTC).timestamp()


def hit(path: str, text: str, score: float, **more: object) -> Hit:
    return replace(Hit(path, path, 1, 1, text, "memory", NOW, score=score), **more)  # type: ignore[arg-type]


NETWORK = [
    hit("memory/2026-02-10.md", "Configuré router Omada, establecí VLAN 10 para dispositivos IoT", 0.92),
    hit("memory/2026-02-08.md", "Configuré router Omada, moví IoT a VLAN 10", 0.89),
    hit("memory/network.md", "Router: Omada ER605, AdGuard: 192.168.10.2, VLAN 10: IoT", 0.85),
    hit("memory/2026-02-05.md", "Configuré DNS AdGuard en 192.168.10.2", 0.78),
]
ROD = [
    hit("memory/2025-09-15.md", "Rod trabaja Lun-Vie, standup a las 10am, pairing a las 2pm", 0.91),
    hit("memory/2026-02-10.md", "Rod tiene standup a las 14:15, 1:1 con Zeb a las 14:45", 0.82),
    hit("memory/2026-02-03.md", "Rod comenzó nuevo equipo, standup movido a 14:15", 0.80),
]
HOME, SCHEDULE = "configuración de red doméstica", "¿cuál es el horario de trabajo de Rod?"


def shown(hits: list[Hit], query: str, **config: object) -> list[tuple[str, float]]:
    found = ranked(hits, Asked(query, NOW, TODAY), QueryConfig(**config))  # type: ignore[arg-type]
    return [(one.path.removeprefix("memory/"), round(one.score, 2)) for one in found]


def test_example_of_the_home_network_without_diversity() -> None:
    assert shown(NETWORK, HOME, max_results=3) == [
        ("2026-02-10.md", 0.92),
        ("2026-02-08.md", 0.89),
        ("network.md", 0.85),
    ]


def test_example_of_the_home_network_with_diversity() -> None:
    found = shown(NETWORK, HOME, max_results=3, mmr=True)
    assert found == [("2026-02-10.md", 0.92), ("network.md", 0.85), ("2026-02-05.md", 0.78)]


def test_example_of_rods_schedule_without_fading() -> None:
    assert shown(ROD, SCHEDULE) == [("2025-09-15.md", 0.91), ("2026-02-10.md", 0.82), ("2026-02-03.md", 0.80)]


def test_example_of_rods_schedule_with_fading() -> None:
    found = shown(ROD, SCHEDULE, decay=True)
    assert found == [("2026-02-10.md", 0.82), ("2026-02-03.md", 0.68), ("2025-09-15.md", 0.03)]


@table("days, share", [(0, 1.0), (7, 0.84), (30, 0.5), (90, 0.125), (180, 0.016)])
def test_half_of_a_score_is_left_after_the_half_life(days: float, share: float) -> None:
    assert faded(1.0, days, 30) == pytest.approx(share, abs=0.011 if days == 7 else 0.0004)


def test_balance_of_diversity() -> None:
    assert [path for path, _ in shown(NETWORK, HOME, max_results=2, mmr=True, mmr_lambda=1.0)] == [
        "2026-02-10.md", "2026-02-08.md"
    ]  # fmt: skip
    assert [path for path, _ in shown(NETWORK, HOME, max_results=2, mmr=True, mmr_lambda=0.0)] == [
        "2026-02-10.md", "2026-02-05.md"
    ]  # fmt: skip


@table(
    "path, modified, days",
    [
        ("memory/2026-01-11.md", NOW, 30),
        ("memory/2026-02-11.md", NOW, 0),  # tomorrow: never below 0
        ("MEMORY.md", 0.0, 0),
        ("memory/projects.md", 0.0, 0),
        ("extra/docs/2026-01-11.md", NOW - 86_400, 1),
        ("sessions/a.jsonl", NOW - 2 * 86_400, 2),
    ],
)
def test_age_is_by_name_or_by_change(path: str, modified: float, days: float) -> None:
    assert age(hit(path, "x", 1.0, modified=modified), NOW, TODAY) == days


@table("place, score", [(0, 1.0), (1, 0.5), (2, 1 / 3), (-4, 1.0), (23, 1 / 24)])
def test_score_of_words_is_by_place(place: float, score: float) -> None:
    assert text_score(place) == pytest.approx(score)


@table(
    "near, worded, weights, scores",
    [
        ({"a": 0.8, "b": 0.4}, ["b", "c"], (0.7, 0.3), {"a": 0.56, "b": 0.58, "c": 0.15}),
        ({"a": 0.8}, ["a"], (7, 3), {"a": 0.86}),  # weights are shares
        ({"a": 0.8}, ["a"], (0, 0), {"a": 0.9}),
        (None, ["b", "c"], (0.7, 0.3), {"b": 1.0, "c": 0.5}),  # words alone
        ({"a": 0.8}, None, (0.7, 0.3), {"a": 0.8}),  # vectors alone
        (None, None, (0.7, 0.3), {}),
    ],
)
def test_scores_are_merged(
    near: dict[str, float] | None, worded: list[str] | None, weights: tuple[float, float], scores: dict[str, float]
) -> None:
    config = QueryConfig(vector_weight=weights[0], text_weight=weights[1])
    assert merged(near, worded, config) == pytest.approx(scores)


def test_what_notes_say_of_themselves_weighs() -> None:
    plain = hit("memory/a.md", "x", 0.5)
    assert weighed(plain, "q").score == 0.5
    assert weighed(replace(plain, importance=10), "q").score == pytest.approx(0.625)
    assert weighed(replace(plain, importance=1), "q").score == pytest.approx(0.4)
    asked = replace(plain, triggers=("WiFi password",))
    assert weighed(asked, "what is the wifi password?").score == pytest.approx(0.8)
    assert weighed(asked, "what is wifi?").score == 0.5
    assert weighed(replace(asked, provenance="untrusted"), "the wifi password").score == 0.25


def test_what_is_below_the_least_score_is_left_out() -> None:
    assert [score for _, score in shown(ROD, SCHEDULE, min_score=0.81)] == [0.91, 0.82]
    assert shown([], HOME, mmr=True) == []
