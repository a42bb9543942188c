"""Tables of cases: one test for all rows where a row needs no fixture of its own, every failing row reported."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]


def table(names: str | Sequence[str], rows: Iterable[Any], ids: Callable[[Any], str] = repr) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, but the rows are subtests of one test: they share its fixtures.

    ids: makes a row's name in reports from its values. Tables may be stacked: then all combinations are tried.
    """
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cases = [(row,) if len(columns) == 1 else tuple(row) for row in rows]

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        given = [p for name, p in signature.parameters.items() if name not in columns]
        stacked = any(p.name == "subtests" for p in given)

        def all_rows(subtests: pytest.Subtests, **fixtures: Any) -> None:
            assert cases, "a table without rows tests nothing"
            if stacked:
                fixtures["subtests"] = subtests
            for case in cases:
                with subtests.test(", ".join(map(ids, case))):
                    test(**dict(zip(columns, case, strict=True)), **fixtures)

        all_rows.__name__, all_rows.__doc__, all_rows.__module__ = test.__name__, test.__doc__, test.__module__
        all_rows.__qualname__ = test.__qualname__
        wanted = [inspect.Parameter("subtests", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
        wanted += [p for p in given if p.name != "subtests"]
        all_rows.__signature__ = signature.replace(parameters=wanted)  # type: ignore[attr-defined]
        return all_rows

    return decorate
