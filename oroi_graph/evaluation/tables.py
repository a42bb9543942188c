"""Results as tables for people: titles, columns and rows of text; whoever prints them aligns them."""

from __future__ import annotations

from dataclasses import dataclass

from oroi_graph.evaluation.results import Results
from oroi_graph.evaluation.statistics import Interval

_ALL = "all"


@dataclass(frozen=True, slots=True)
class Table:
    """One table."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables(results: Results) -> list[Table]:
    """What there is to see, within 120 columns: metrics, groups, comparisons."""
    found = [_groups(results), _costs(results)]
    if len(results.dataset.metrics) > 1:
        found.insert(0, _metrics(results))
    if results.comparisons:
        found.append(_comparisons(results))
    return found


def _metrics(results: Results) -> Table:
    over = results.dataset.overall
    conditions = results.conditions
    rows = [
        (metric, *(_share(found.overall.metrics[metric]) for found in conditions.values()))
        for metric in results.dataset.metrics
    ]
    return Table(f"{results.dataset.name}{f', groups {over}' if over else ''}", ("metric", *conditions), tuple(rows))


def _groups(results: Results) -> Table:
    metric, conditions = results.dataset.headline, results.conditions
    names = list(next(iter(conditions.values())).groups)
    rows = []
    for name in names:
        parts = [found.groups[name] for found in conditions.values()]
        rows.append((name, str(parts[0].n), *(_share(part.metrics[metric]) for part in parts)))
    if results.dataset.overall is None:
        whole = [found.overall for found in conditions.values()]
        rows.append((_ALL, str(whole[0].n), *(_share(part.metrics[metric]) for part in whole)))
        rows.append(("  95 %", "", *(_between(part.intervals[metric]) for part in whole)))
    return Table(metric, ("group", "n", *conditions), tuple(rows))


def _costs(results: Results) -> Table:
    conditions = results.conditions
    rows = [("tokens of a context", *(f"{found.tokens:.0f}" for found in conditions.values()))]
    rows += [
        (f"ms of an answer, {name}", *(f"{results.timings[condition][name]:.1f}" for condition in conditions))
        for name in ("p50", "p95")
    ]
    return Table("costs", ("mean", *conditions), tuple(rows))


def _comparisons(results: Results) -> Table:
    rows = []
    for c in results.comparisons:
        found, (low, high) = c.overall, c.overall.interval
        sure = (f"{found.p:.2g}", f"{100 * found.difference:+.1f}", f"{100 * low:+.1f} … {100 * high:+.1f}")
        rows.append((f"{c.a} : {c.b}", str(found.wins), str(found.losses), *sure))
    columns = ("compared", "wins", "losses", "p", "difference", "95 %")
    return Table(f"{results.dataset.headline}, question by question (difference in points)", columns, tuple(rows))


def _share(value: float) -> str:
    return f"{100 * value:.1f}"


def _between(interval: Interval) -> str:
    return f"{100 * interval[0]:.0f}-{100 * interval[1]:.0f}"
