"""docs/evaluation.md and its plots, from the JSON of every measurement. No figure of the page is typed by hand.

    python benchmarks/evaluation_report.py --results docs/evaluation/results --out docs

The same results give the same page and, with the same matplotlib, the same plots. What was not measured is said to be
so. A file that is not of the run that its name says is refused.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import report_goals as goals
import report_prose as prose
import report_tables as tables
from report_inputs import INPUTS, Found, Input, read
from report_plots import draw

from oroi_graph.errors import InputError, OroiError
from oroi_graph.evaluation.results import write_text

Results = Mapping[str, Any]
PAGE, PLOTS = "evaluation.md", "evaluation"


def build(results: Path, out: Path) -> list[Path]:
    """Write the page and the plots; what was written. Plots of what is no longer measured are removed.

    Raises InputError for results that cannot be used, or where nothing can be written.
    """
    found = read(results)
    text = page(found)
    folder = out / PLOTS
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {folder}: {error.strerror or error}") from error
    for given in found.missing:
        (folder / f"{given.stem}.png").unlink(missing_ok=True)
    written = [out / PAGE]
    for given, measured in found.results.items():
        written.append(folder / f"{given.stem}.png")
        draw(given, measured, written[-1])
    write_text(out / PAGE, text)
    return written


def page(found: Found) -> str:
    """The page as Markdown."""
    parts = [prose.head(), "## What was measured\n", *_measured(found), "## Goals\n", goals.table(goals.rows(found))]
    parts += ["\n## Honest losses\n", *_losses(found)]
    for given, results in found.of("evaluation").items():
        parts += [f"## {given.title}\n", *_evaluation(given, results)]
    parts += ["## Time windows\n", *_windows(found)]
    parts += ["## Ablations\n", *_ablations(found), "## Latency and throughput\n", *_scale(found)]
    parts += ["## Methods\n", _methods(found), "## Limits\n", *_limits(found)]
    return "\n".join(parts).rstrip("\n") + "\n"


def _measured(found: Found) -> Iterator[str]:
    rows = []
    for given, results in found.results.items():
        if given.kind in ("evaluation", "ablation"):
            n, by = str(results["n"]), f"{results['embedder']}, seed {results['seed']}"
        elif given.kind in ("dates", "windows"):
            n, by = str(results["n"]), ", ".join([*filter(None, [results.get("embedder")]), f"seed {results['seed']}"])
        else:
            n, by = "", ""
        use = given.data.use if given.data else ""
        rows.append((given.title, use, given.after, f"`{given.file}`", f"`{given.command}`", n, by))
    yield prose.sets()
    yield tables.markdown(("measurement", "set", "after", "results", "command", "questions", "embedder"), rows, text=5)
    if found.missing:
        yield "\n**Not measured**: " + "; ".join(f"{given.title} (`{given.file}`)" for given in found.missing) + "."
    if found.unused:
        yield f"\nNot used, since they hold no results: {', '.join(f'`{name}`' for name in found.unused)}."
    yield ""


def _losses(found: Found) -> Iterator[str]:
    rows = [row for given, results in found.of("evaluation").items() for row in tables.losses(given.title, results)]
    yield prose.LOSSES
    yield tables.losses_table(rows) if rows else "None in what was measured."
    missed = [row for row in goals.rows(found) if row.reached is False]
    yield f"\nGoals missed: {len(missed)} of those that were measured" + (":\n" if missed else ".")
    for row in missed:
        said = ", ".join(part for part in (f"goal {row.aim}" if row.aim else "", row.measured) if part)
        yield f"- {row.where}: {row.what}{f' ({said})' if said else ''}"
    yield ""


def _evaluation(given: Input, results: Results) -> Iterator[str]:
    if given.data:
        yield f"{given.data.use.capitalize()} set. {given.data.why}\n"
    yield f"![{given.title}]({PLOTS}/{given.stem}.png)\n"
    if results.get("counts"):
        counted = ", ".join(f"{value} {name.replace('_', ' ')}" for name, value in results["counts"].items())
        yield f"Read: {counted}. n = {results['n']}.\n"
    yield tables.overall(results) + "\n"
    first = tables.headline(results)
    for metric in (first, *(other for other in tables.metrics(results) if other != first)):
        yield tables.by_group(results, metric) + "\n"
    if results["comparisons"]:
        yield tables.compared(results) + "\n"
        yield tables.compared_groups(results) + "\n"
    yield tables.costs(results) + "\n"


def _windows(found: Found) -> Iterator[str]:
    dates, dialogues = found.of("dates"), found.of("windows")
    if not dates and not dialogues:
        yield "Not measured.\n"
        return
    yield prose.WINDOWS
    for given, results in {**dates, **dialogues}.items():
        yield f"### {given.title}\n"
        if given.data:
            yield f"{given.data.use.capitalize()} set. {given.data.why}\n"
        yield f"![{given.title}]({PLOTS}/{given.stem}.png)\n"
        if given.kind == "dates":
            yield from (f"{told}\n" for told in (tables.dates(results), tables.kinds(results)) if told)
            yield tables.misses(results) + "\n"
        else:
            yield f"{results['dialogues']} dialogues. Chosen on the first two folds: {results['chosen']}.\n"
            yield f"{tables.windows(results)}\n\n{tables.windows(results, None)}\n"


def _ablations(found: Found) -> Iterator[str]:
    measured = found.of("ablation")
    if not measured:
        yield "Not measured.\n"
        return
    yield prose.ABLATIONS
    for given, results in measured.items():
        yield f"### {given.title}\n"
        yield f"![{given.title}]({PLOTS}/{given.stem}.png)\n"
        ours = tables.part(results, tables.OURS, None)
        yield (
            f"n = {results['n']}; the product as it is: "
            + ", ".join(
                f"{metric} {tables.share(ours[metric])} {tables.between(ours['intervals'].get(metric))}"
                for metric in tables.metrics(results)
            )
            + f"; {results['conditions'][tables.OURS]['context_tokens_mean']:.0f} tokens of a context.\n"
        )
        yield tables.ablation(results) + "\n"
        yield tables.ablation_by_group(results) + "\n"
        if by_depth := tables.ablation_by_depth(results):
            yield f"Of all questions, at every depth:\n\n{by_depth}\n"
        yield "Groups whose interval leaves out zero:\n"
        yield tables.ablation_sure(results) + "\n"
    unsure = ", ".join(f"`{name}`" for name in _idle(list(measured.values()))) or "none"
    yield (
        "Mechanisms of ours for which no interval above, of all questions at any depth or of a group, lies above zero: "
        f"{unsure}.\n"
    )


def _idle(measured: Sequence[Results]) -> list[str]:
    """The mechanisms of ours whose worth no measurement shows."""
    shown: dict[str, bool] = {}
    for results in measured:
        for row in results["comparisons"]:
            if results["ablations"][row["b"]]["origin"] == "ours":
                deeper = (depth[row["b"]] for depth in results.get("depths", {}).values())
                lows = [one["interval"][0] for one in (row, *row["groups"].values(), *deeper)]
                shown[row["b"]] = shown.get(row["b"], False) or max(lows) > 0
    return [name for name, seen in shown.items() if not seen]


def _scale(found: Found) -> Iterator[str]:
    for stem, table, said in (
        ("latency", tables.latency, prose.LATENCY),
        ("throughput", tables.throughput, prose.THROUGHPUT),
    ):
        results = found.get(stem)
        yield f"### {stem.capitalize()}\n"
        if results is None:
            yield "Not measured.\n"
        else:
            yield f"![{stem.capitalize()}]({PLOTS}/{stem}.png)\n\n{said}\n{table(results)}\n"


def _methods(found: Found) -> str:
    measured = list(found.of("evaluation").values())
    embedders = sorted({results["embedder"] for results in measured})
    seeds = sorted({results["seed"] for results in measured})
    return prose.methods(embedders, seeds)


def _limits(found: Found) -> Iterator[str]:
    yield prose.LIMITS
    small = []
    for given, results in found.of("evaluation").items():
        sizes = {
            group: tables.part(results, next(iter(results["conditions"])), group)["n"]
            for group in tables.groups(results)
        }
        few = ", ".join(f"{group}: {n}" for group, n in sizes.items() if n < _SMALL)
        small += [f"{given.title} ({few})"] if few else []
    if small:
        yield f"- **Small groups** (fewer than {_SMALL} questions), whose intervals are wide: {'; '.join(small)}."
    for given, results in found.of("evaluation").items():
        left_out = {
            name.replace("_", " "): value
            for name, value in results.get("counts", {}).items()
            if value and ("without" in name or "left_out" in name or "not_stored" in name)
        }
        if left_out:
            yield f"- **{given.title}** leaves out: {', '.join(f'{n} {name}' for name, n in left_out.items())}."
    if found.missing:
        yield f"- **Not measured**: {'; '.join(given.title for given in found.missing)}."


_SMALL = 50


def _help() -> str:
    lines = [
        "The results folder holds, as far as they were measured:",
        "",
        *(f"  {given.file:30} {given.command} --json" for given in INPUTS),
        "",
        "Other files of `oroi evaluate … --json` are taken under their own names. The corpora are written by",
        "benchmarks/scenarios.py; those of the final and the sealed seed stay outside the project.",
    ]
    return "\n".join(lines)


def main(given: Sequence[str] | None = None) -> int:
    """Write the page and the plots."""
    parser = argparse.ArgumentParser(
        description="Write docs/evaluation.md and its plots from the JSON of every measurement.",
        epilog=_help(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--results", type=Path, required=True, metavar="FOLDER", help="where the JSON files are")
    parser.add_argument("--out", type=Path, required=True, metavar="DOCS", help="where evaluation.md is written")
    arguments = parser.parse_args(given)
    for path in build(arguments.results, arguments.out):
        print(path)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OroiError as error:
        sys.exit(str(error))
