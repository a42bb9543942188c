"""Scenarios: short conversations with probes, one a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from oroi_graph.errors import InputError
from oroi_graph.evaluation.datasets.dataset import Case, Dataset, Question, read_objects, text_of
from oroi_graph.model import Extraction
from oroi_graph.transfer.conversation_file import Scripted, read_lines

GOLD = "gold"


def read_scenarios(path: Path, extraction: str = GOLD, limit: int | None = None) -> Dataset:
    """The scenarios of a file, every line checked; `limit`: only the first so many.

    extraction: "gold" perceives what the turns' own extractions state (a turn without one states nothing); any other
    name leaves that to the graph's extractor. Raises InputError that names the first bad line.
    """
    cases: list[Case] = []
    names: dict[str, str] = {}
    for where, data in read_objects(path):
        case = _scenario(data, where, gold=extraction == GOLD)
        if case.name in names:
            raise InputError(f"{where}: the id {case.name!r} was used at {names[case.name]} already")
        names[case.name] = where
        cases.append(case)
    cases = cases[:limit]
    groups = tuple(dict.fromkeys(group for case in cases for q in case.questions for group in q.groups))
    return Dataset(
        name="scenarios",
        cases=tuple(cases),
        headline="recall_at_context",
        groups=groups,
        counts={"scenarios": len(cases), "turns": sum(len(case.turns) for case in cases)},
        setting={"extraction": extraction},
    )


def _scenario(data: Mapping[str, Any], where: str, *, gold: bool) -> Case:
    name, phenomenon = text_of(data, "id", where), text_of(data, "phenomenon", where)
    probes = _list(data, "probes", where)
    return Case(
        name=name,
        turns=_turns(_list(data, "turns", where), where, gold=gold),
        questions=tuple(
            _probe(probe, f"{name}/{i}", phenomenon, f"{where} (probe {i})") for i, probe in enumerate(probes, start=1)
        ),
        language=data.get("language") if isinstance(data.get("language"), str) else None,
    )


def _turns(turns: list[Any], where: str, *, gold: bool) -> tuple[Scripted, ...]:
    """The turns, read as any file of turns is."""
    read = read_lines("\n".join(json.dumps(turn) for turn in turns), "turn")
    if read.problems:
        problem = read.problems[0]
        raise InputError(f"{where} (turn {problem.where.removeprefix('line ')}): {problem.reason}")
    if not gold:
        return tuple(replace(scripted, extraction=None) for scripted in read.turns)
    return tuple(
        scripted if scripted.extraction or scripted.turn.role != "user" else replace(scripted, extraction=Extraction())
        for scripted in read.turns
    )


def _probe(data: Any, id: str, phenomenon: str, where: str) -> Question:
    if not isinstance(data, Mapping):
        raise InputError(f"{where}: expected a JSON object, got {type(data).__name__}")
    required, forbidden = _alternatives(data, "required", where), _alternatives(data, "forbidden", where)
    if not required and not forbidden:
        raise InputError(f"{where}: 'required' or 'forbidden' must name something, else every context is right")
    budget = data.get("budget")
    if budget is not None and (not isinstance(budget, int) or isinstance(budget, bool) or budget < 1):
        raise InputError(f"{where}: 'budget' must be a whole number of tokens, at least 1, got {budget!r}"[:300])
    group = text_of(data, "phenomenon", where) if "phenomenon" in data else phenomenon
    return Question(id, text_of(data, "question", where), (group,), budget, required, forbidden)


def _alternatives(data: Mapping[str, Any], key: str, where: str) -> tuple[tuple[str, ...], ...]:
    value = data.get(key, [])
    usable = isinstance(value, list) and all(
        isinstance(some, list) and some and all(isinstance(word, str) and word.strip() for word in some)
        for some in value
    )
    if not usable:
        raise InputError(f"{where}: {key!r} must be a list of lists of text, got {value!r}"[:300])
    return tuple(tuple(some) for some in value)


def _list(data: Mapping[str, Any], key: str, where: str) -> list[Any]:
    value = data.get(key)
    if not isinstance(value, list) or not value:
        raise InputError(f"{where}: {key!r} must be a list with at least one item")
    return value
