"""Results as Markdown tables: shares in per cent with their intervals, differences in points; no figure of our own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

Results = Mapping[str, Any]

DATES = ("exact", "contains", "none_right", "overlap")
WINDOWS = ("f", "g", "found", "candidates", "filtered", "kept", "rouge_l_recall", "bertscore_precision")
OURS = "oroi"
ALL = "all"
# Metrics of which less is better, or that are neither: no baseline is above the product by them.
LOWER = frozenset({"stale", "marked", "empty"})


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]], text: int = 1) -> str:
    """A table; its first columns, as many as are `text`, to the left, the others to the right."""
    lines = [columns, ["---" if i < text else "---:" for i in range(len(columns))], *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)


def share(value: float) -> str:
    """0.7312 → 73.1"""
    return f"{100 * value:.1f}"


def points(value: float) -> str:
    """-0.052 → -5.2"""
    return f"{100 * value + 0.0:+.1f}"


def between(interval: Sequence[float] | None) -> str:
    """An interval of shares."""
    return f"[{share(interval[0])}, {share(interval[1])}]" if interval is not None else ""


def apart(interval: Sequence[float]) -> str:
    """An interval of differences."""
    return f"[{points(interval[0])}, {points(interval[1])}]"


def headline(results: Results) -> str:
    """The metric that conditions are compared by."""
    compared = [row["metric"] for row in results["comparisons"] if "metric" in row]
    return str(compared[0] if compared else next(iter(_first(results)["metrics"])))


def metrics(results: Results) -> tuple[str, ...]:
    """Every metric, in the order of the file."""
    return tuple(_first(results)["metrics"])


def groups(results: Results) -> tuple[str, ...]:
    """Every group, in the order of the file."""
    return tuple(_first(results)["groups"])


def part(results: Results, condition: str, group: str | None) -> Mapping[str, Any]:
    """{metric: value, "n": …, "intervals": …} of a condition, over a group or over all."""
    found = results["conditions"][condition]
    if group is not None:
        of_group: Mapping[str, Any] = found["groups"][group]
        return of_group
    return {**found["metrics"], "n": results["n"], "intervals": found.get("intervals", {})}


def overall(results: Results) -> str:
    """Every metric of every condition with its interval."""
    rows = [
        (name, *(_figure(part(results, name, None), metric) for metric in metrics(results)))
        for name in results["conditions"]
    ]
    return markdown(("condition", *metrics(results)), rows)


def by_group(results: Results, metric: str) -> str:
    """One metric of every condition, by group; the headline metric with its intervals."""
    conditions = list(results["conditions"])
    told = _figure if metric == headline(results) else lambda found, metric: share(found[metric])
    counted = [group for group in groups(results) if metric in part(results, conditions[0], group)]
    rows = [
        (
            group,
            str(part(results, conditions[0], group)["n"]),
            *(told(part(results, name, group), metric) for name in conditions),
        )
        for group in counted
    ]
    return markdown((metric, "n", *conditions), rows)


def compared(results: Results) -> str:
    """The product against each other condition, question by question."""
    rows = [
        (
            f"{row['a']} : {row['b']}",
            str(row["wins"]),
            str(row["losses"]),
            _p(row["p"]),
            points(row["difference"]),
            apart(row["interval"]),
        )
        for row in results["comparisons"]
    ]
    return markdown((headline(results), "wins", "losses", "p", "difference", "95 %"), rows)


def compared_groups(results: Results) -> str:
    """The same differences by group, each with its interval."""
    rows = [
        (group, *(_difference(one) for one in of_group))
        for group in groups(results)
        if len(of_group := [row["groups"][group] for row in results["comparisons"] if group in row.get("groups", {})])
        == len(results["comparisons"])
    ]
    return markdown(("difference", *(f"{row['a']} : {row['b']}" for row in results["comparisons"])), rows)


def costs(results: Results) -> str:
    """Tokens of a context and milliseconds of an answer."""
    rows = []
    for name, found in results["conditions"].items():
        took = results.get("timings", {}).get(name, {}).get("read_ms", {})
        times = [f"{took[q]:.1f}" if q in took else "" for q in ("p50", "p95")]
        rows.append((name, f"{found['context_tokens_mean']:.0f}", *times))
    return markdown(("condition", "tokens of a context, mean", "ms of an answer, p50", "p95"), rows)


def earned(results: Results) -> list[Mapping[str, Any]]:
    """The comparisons of an ablation, what earns most first."""
    return sorted(results["comparisons"], key=lambda row: (-row["difference"], row["b"]))


def ablation(results: Results) -> str:
    """What each mechanism earns."""
    rows = []
    for row in earned(results):
        told = results["ablations"][row["b"]]
        rows.append(
            (
                f"`{row['b']}`: {told['what']}",
                told["origin"],
                points(row["difference"]),
                apart(row["interval"]),
                _p(row["p"]),
                str(row["wins"]),
                str(row["losses"]),
                f"{results['conditions'][row['b']]['context_tokens_mean']:.0f}",
            )
        )
    columns = ("without", "whose", f"earns ({headline(results)})", "95 %", "p", "wins", "losses", "tokens")
    return markdown(columns, rows, text=2)


def ablation_by_group(results: Results) -> str:
    """The same by group, each with its interval."""
    rows = [(f"`{row['b']}`", *(_difference(one) for one in row["groups"].values())) for row in earned(results)]
    return markdown(("without", *groups(results)), rows)


def ablation_by_depth(results: Results) -> str:
    """What each mechanism earns of recall@k at every k that was compared; empty where that is one."""
    measured = {headline(results): {row["b"]: row for row in results["comparisons"]}, **results.get("depths", {})}
    depths = [metric for metric in metrics(results) if metric in measured]
    if len(depths) == 1:
        return ""
    rows = [
        (f"`{row['b']}`", *(_difference(measured[metric][row["b"]]) for metric in depths)) for row in earned(results)
    ]
    return markdown(("without", *depths), rows)


def ablation_sure(results: Results) -> str:
    """The groups in which a mechanism makes a difference that is not by chance alone, with their intervals."""
    rows = [
        (f"`{row['b']}`", group, points(one["difference"]), apart(one["interval"]), _p(one["p"]))
        for row in earned(results)
        for group, one in row["groups"].items()
        if one["interval"][0] > 0 or one["interval"][1] < 0
    ]
    return markdown(("without", "group", "earns", "95 %", "p"), rows, text=2) if rows else "None."


def dates(results: Results) -> str:
    """How the times of questions were read, by language."""
    rows = [
        (name, str(one["n"]), str(one["n_without"]), *(_sure(one[metric]) for metric in DATES))
        for name, one in {**results["languages"], ALL: results["overall"]}.items()
    ]
    return markdown(("language", "n", "without a time", *DATES), rows)


def kinds(results: Results) -> str:
    """What became of each kind of time; empty where the kinds are not known."""
    found = results["kinds"]
    columns = list(next(iter(found.values()), ()))
    rows = [(kind, *(str(one[column]) for column in columns)) for kind, one in found.items()]
    return markdown(("kind", *columns), rows) if rows else ""


def misses(results: Results, most: int = 10) -> str:
    """The worst misses."""
    rows = [
        (one["question"], one["today"], _days(one["expected"][0]), _days(one["read"]), f"{one['overlap']:.2f}")
        for one in results["misses"][:most]
    ]
    return markdown(("worst misses", "asked on", "right", "read", "overlap"), rows, text=4) if rows else "No misses."


def _days(windows: Sequence[Mapping[str, str]]) -> str:
    return ", ".join(w["start"] if w["start"] == w["end"] else f"{w['start']} to {w['end']}" for w in windows) or "none"


def _sure(one: Mapping[str, Any]) -> str:
    return "" if one["value"] is None else f"{share(one['value'])} {between(one['interval'])}"


def windows(results: Results, fold: str | None = "test") -> str:
    """Every condition of the protocol of windows, over a fold, or over all questions."""
    rows = []
    for name, found in results["conditions"].items():
        told = found["metrics"] if fold is None else found["groups"][fold]
        cells = [f"{told[metric]:.2f}" if metric in told else "" for metric in WINDOWS]
        rows.append((f"**{name}**" if name == results["chosen"] else name, *cells))
    return markdown(("test fold" if fold else "all questions", *WINDOWS), rows)


def latency(results: Results) -> str:
    """Every operation at every size, beside its floor."""
    rows = [
        (
            size,
            operation,
            *(f"{row[kind][q]:.1f}" for kind in ("operation_ms", "floor_ms") for q in ("p50", "p95")),
            f"{row['ratio']:.2f}",
            str(row["statements"]["max"]),
            str(row["n"]),
        )
        for size, operation, row in operations(results)
    ]
    columns = ("concepts", "operation", "p50 (ms)", "p95", "floor p50", "floor p95", "ratio", "statements", "n")
    return markdown(columns, rows, text=2)


def operations(results: Results) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """(size, operation, its figures) of a latency measurement."""
    for size, found in results["sizes"].items():
        for operation, row in found.items():
            if isinstance(row, Mapping) and "operation_ms" in row:
                yield size, operation, row


def throughput(results: Results) -> str:
    """Every combination of agents, memories and processes."""
    rows = [
        (
            row["memories"],
            str(row["agents"]),
            str(row["processes"]),
            f"{row['turns_per_s']:.1f}",
            *(f"{row['turn_ms'][q]:.1f}" for q in ("p50", "p95")),
        )
        for row in results["rows"]
    ]
    return markdown(("memories", "agents", "processes", "turns/s", "turn p50 (ms)", "p95"), rows)


def losses(title: str, results: Results) -> list[tuple[str, ...]]:
    """Every metric and group in which the product is below a baseline, with the figures and how sure they are.

    The headline metric is compared question by question; of the others the two intervals are given.
    """
    if OURS not in results["conditions"]:
        return []
    rows = []
    paired = {row["b"]: row for row in results["comparisons"] if row["a"] == OURS}
    for other in results["conditions"]:
        whole = part(results, OURS, None), part(results, other, None)
        for group in (None, *groups(results)) if other != OURS else ():
            ours, theirs = part(results, OURS, group), part(results, other, group)
            if group is not None and (ours, theirs) == whole:
                continue  # the overall group by its name
            for metric in metrics(results):
                if metric in LOWER or metric not in ours or not ours[metric] < theirs[metric]:
                    continue
                row = paired.get(other)
                found = row if group is None or row is None else row.get("groups", {}).get(group)
                difference = ours[metric] - theirs[metric]
                if row is not None and found is not None and metric == row.get("metric"):
                    difference = found["difference"]
                    sure = f"{apart(found['interval'])}, p = {_p(found['p'])}"
                else:
                    mine, its = (between(one.get("intervals", {}).get(metric)) for one in (ours, theirs))
                    sure = f"ours {mine}, theirs {its}"
                figures = (share(ours[metric]), share(theirs[metric]), points(difference))
                rows.append((title, group or ALL, str(ours["n"]), metric, other, *figures, sure))
    return rows


def losses_table(rows: Sequence[tuple[str, ...]]) -> str:
    """The rows of `losses`."""
    columns = ("measurement", "group", "n", "metric", "below", "oroi", "it", "difference", "95 %")
    return markdown(columns, rows, text=2)


def _figure(found: Mapping[str, Any], metric: str) -> str:
    return f"{share(found[metric])} {between(found['intervals'].get(metric))}".strip()


def _difference(found: Mapping[str, Any]) -> str:
    return f"{points(found['difference'])} {apart(found['interval'])}"


def _p(p: float) -> str:
    return f"{p:.2g}"


def _first(results: Results) -> Mapping[str, Any]:
    first: Mapping[str, Any] = next(iter(results["conditions"].values()))
    return first
