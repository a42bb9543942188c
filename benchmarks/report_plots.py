"""Plots of results, as PNG: the same bytes for the same results (no date, no version, no settings of the user's)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import report_tables as tables
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator, StrMethodFormatter
from report_inputs import Input

Results = Mapping[str, Any]

# The product stands out; the baselines are told apart by tone.
COLOURS: Mapping[str, str] = {
    "none": "#d9d9d9",
    "hybrid": "#9ecae1",
    "hybrid-z": "#4292c6",
    "facts": "#c7b9de",
    "rerank": "#8c7bb5",
    "pagerank": "#74a86f",
    "oroi": "#d1495b",
}
ORIGINS: Mapping[str, str] = {"source": "#4292c6", "ours": "#d1495b", "parameter": "#9a9a9a"}
_OTHERS = ("#e6a23c", "#5b5b5b", "#b07d48", "#2f8f8f")
_DPI = 110


def draw(given: Input, results: Results, path: Path) -> None:
    """The plot of one input. Not to be called from several threads at once."""
    draws: Mapping[str, Callable[[Input, Results], Figure]] = {
        "evaluation": _evaluation,
        "ablation": _ablation,
        "dates": _dates,
        "windows": _dialogues,
        "latency": _latency,
        "throughput": _throughput,
    }
    with (
        style.context("default"),
        mpl.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}),
    ):
        figure = draws[given.kind](given, results)
        FigureCanvasAgg(figure)
        figure.savefig(path, format="png", metadata={"Software": None})


def _evaluation(given: Input, results: Results) -> Figure:
    """Bars of the headline metric by group; where there are several metrics, these too, above."""
    metric, several = tables.headline(results), len(tables.metrics(results)) > 1
    figure = _figure(10, 7 if several else 3.8)
    axes = figure.subplots(2, 1) if several else [figure.subplots()]
    names = list(results["conditions"])
    if several:
        shown = tables.metrics(results)
        _bars(axes[0], shown, names, lambda name, one: (tables.part(results, name, None), one))
        axes[0].set_title(f"{given.title} (n = {results['n']})")
    axis = axes[-1]
    found = {group: tables.part(results, names[0], group)["n"] for group in tables.groups(results)}
    labels = [f"{_label(group)}\n(n = {n})" for group, n in found.items()]
    if not several:  # the whole has no figure of its own elsewhere
        found[tables.ALL], labels = results["n"], [*labels, f"{tables.ALL}\n(n = {results['n']})"]
    places = dict(zip(labels, found, strict=True))
    _bars(
        axis,
        labels,
        names,
        lambda name, label: (
            tables.part(results, name, None if places[label] == tables.ALL else places[label]),
            metric,
        ),
    )
    axis.set_title(f"{metric} by group" if several else f"{given.title}: {metric}")
    handles, written = axis.get_legend_handles_labels()
    figure.legend(handles, written, loc="outside lower center", ncols=len(names), frameon=False)
    return figure


def _dates(given: Input, results: Results) -> Figure:
    """Bars of each metric by language."""
    figure = _figure(10, 3.8)
    axis = figure.subplots()
    parts = {**results["languages"], tables.ALL: results["overall"]}

    def figure_of(name: str, metric: str) -> tuple[Any, str]:
        one = parts[name][metric]
        return {metric: one["value"] or 0.0, "intervals": {metric: one["interval"]}}, metric

    _bars(axis, tables.DATES, list(parts), figure_of)
    axis.set_title(f"{given.title} (n = {results['n']})")
    figure.legend(*axis.get_legend_handles_labels(), loc="outside lower center", ncols=len(parts), frameon=False)
    return figure


def _dialogues(given: Input, results: Results) -> Figure:
    """Bars of what is found and what the filter keeps of the test fold, by condition."""
    shown, names = ("f", "g", "found", "filtered"), list(results["conditions"])
    figure = _figure(10, 3.8)
    axis = figure.subplots()

    def figure_of(metric: str, name: str) -> tuple[Any, str]:
        return {metric: results["conditions"][name]["groups"]["test"].get(metric, 0.0), "intervals": {}}, metric

    _bars(axis, names, shown, figure_of)
    axis.set_xticks(range(len(names)), names, rotation=40, ha="right")
    axis.set_title(f"{given.title}, test fold")
    figure.legend(*axis.get_legend_handles_labels(), loc="outside lower center", ncols=len(shown), frameon=False)
    return figure


def _label(group: str) -> str:
    """LoCoMo's categories are numbers: say of what."""
    return f"categor{'ies' if '-' in group else 'y'} {group}" if re.fullmatch(r"[\d-]+", group) else group


def _bars(
    axis: Axes, labels: Sequence[str], names: Sequence[str], figure_of: Callable[[str, str], tuple[Any, str]]
) -> None:
    """A group of bars for each label, one bar a condition, with intervals."""
    width = 0.84 / len(names)
    for k, name in enumerate(names):
        found = [figure_of(name, label) for label in labels]
        values = [100 * part[metric] for part, metric in found]
        ends = [part["intervals"].get(metric, (part[metric], part[metric])) for part, metric in found]
        reach = [
            [max(value - 100 * low, 0.0) for value, (low, _) in zip(values, ends, strict=True)],
            [max(100 * high - value, 0.0) for value, (_, high) in zip(values, ends, strict=True)],
        ]
        at = [i - 0.42 + (k + 0.5) * width for i in range(len(labels))]
        colour = COLOURS.get(name, _OTHERS[k % len(_OTHERS)])
        lines = {"elinewidth": 0.8, "ecolor": "#444444", "capsize": 1.5}
        axis.bar(at, values, width * 0.92, color=colour, label=name, yerr=reach, error_kw=lines)
    axis.set_xticks(range(len(labels)), labels)
    axis.set(ylim=(0, 103), ylabel="%", xlim=(-0.55, len(labels) - 0.45))
    axis.grid(axis="y", alpha=0.3)
    axis.set_axisbelow(True)


def _ablation(given: Input, results: Results) -> Figure:
    """What each mechanism earns, with intervals, the most on top."""
    rows = tables.earned(results)
    figure = _figure(9, 1.6 + 0.24 * len(rows))
    axis = figure.subplots()
    for i, row in enumerate(rows):
        value, (low, high) = 100 * row["difference"], (100 * end for end in row["interval"])
        colour = ORIGINS[results["ablations"][row["b"]]["origin"]]
        reach = [[max(value - low, 0.0)], [max(high - value, 0.0)]]
        axis.errorbar([value], [i], xerr=reach, fmt="o", color=colour, capsize=2, markersize=4)
    for origin, colour in ORIGINS.items():
        axis.plot(
            [], [], "o", color=colour, label={"source": "the source's", "ours": "added by us"}.get(origin, origin)
        )
    axis.axvline(0, color="#444444", linewidth=0.8)
    axis.set_yticks(range(len(rows)), [row["b"] for row in rows])
    axis.invert_yaxis()
    axis.grid(axis="x", alpha=0.3)
    axis.set(
        title=f"{given.title} (n = {results['n']})", xlabel=f"points of {tables.headline(results)} lost without it"
    )
    axis.legend(frameon=False, loc="lower right")
    return figure


def _latency(given: Input, results: Results) -> Figure:
    """p50, p95 and the floor by size; sizes of several memories ("1000x100") are in the table only."""
    figure = _figure(10, 3.6)
    found: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
    for size, operation, row in tables.operations(results):
        if size.isdecimal():
            found.setdefault(operation, []).append((int(size), row))
    axes = figure.subplots(1, max(len(found), 1), sharey=True, squeeze=False)[0]
    for axis, (operation, rows) in zip(axes, found.items(), strict=False):
        rows.sort(key=lambda sized: sized[0])
        sizes = [size for size, _ in rows]
        for kind, q, line, colour, label in (
            ("operation_ms", "p50", "-", COLOURS["oroi"], "p50"),
            ("operation_ms", "p95", "--", COLOURS["oroi"], "p95"),
            ("floor_ms", "p50", "-", "#777777", "bare statements, p50"),
        ):
            axis.plot(sizes, [row[kind][q] for _, row in rows], line, marker=".", color=colour, label=label)
        axis.set_xscale("log")
        axis.set_xticks(sizes)
        axis.xaxis.set_minor_locator(NullLocator())
        axis.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        axis.set(title=operation, xlabel="concepts")
        axis.grid(alpha=0.3)
    axes[0].set(ylabel="ms", ylim=(0, None))  # at last: a limit ends the scaling to what all panels show
    axes[0].legend(frameon=False)
    return figure


def _throughput(given: Input, results: Results) -> Figure:
    """Turns a second by number of agents; a panel for memories of their own, and one for a shared one."""
    figure = _figure(9, 3.6)
    modes = list(dict.fromkeys(row["memories"] for row in results["rows"]))
    axes = figure.subplots(1, max(len(modes), 1), sharey=True, squeeze=False)[0]
    tones = ("#9ecae1", COLOURS["oroi"], *_OTHERS)
    titles = {"distinct": "each agent its own memory", "one": "all agents one memory"}
    for axis, mode in zip(axes, modes, strict=False):
        rows = [row for row in results["rows"] if row["memories"] == mode]
        agents = sorted({row["agents"] for row in rows})
        processes = sorted({row["processes"] for row in rows})
        width = 0.84 / len(processes)
        for k, count in enumerate(processes):
            own = {row["agents"]: row["turns_per_s"] for row in rows if row["processes"] == count}
            at = [agents.index(a) - 0.42 + (k + 0.5) * width for a in own]
            label = f"{count} process{'es' if count > 1 else ''}"
            bars = axis.bar(at, list(own.values()), width * 0.92, color=tones[k % len(tones)], label=label)
            axis.bar_label(bars, fmt="%.0f", fontsize=8)
        axis.set_xticks(range(len(agents)), [str(a) for a in agents])
        axis.set(title=titles.get(mode, mode), xlabel="agents")
        axis.grid(axis="y", alpha=0.3)
        axis.set_axisbelow(True)
        axis.margins(y=0.12)
    axes[0].set_ylabel("turns a second")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    return figure


def _figure(width: float, height: float) -> Figure:
    return Figure(figsize=(width, height), dpi=_DPI, layout="constrained")
