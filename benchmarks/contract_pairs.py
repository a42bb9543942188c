"""How well two values of one key of a contract are compared: confusion tables, contradictions found, cosines.

    python benchmarks/contract_pairs.py --json OUT                   # the development part
    python benchmarks/contract_pairs.py --part sealed --json OUT     # measured once by 2026-11-22, development since
    python benchmarks/contract_pairs.py --part third --json OUT      # other themes: measured once, development since
    python benchmarks/contract_pairs.py --part fourth --json OUT     # other themes again: for a last measurement only

The pairs are those of labels/contract_pairs*.jsonl. Each condition is a set of thresholds: `calibrated` (those of the
embedding model), `source` (0.88 and 0.20 for every model and language) and `none` (no vectors at all). `--embedder`
chooses the model: `scripted` embeds by letter sequences, a model on another scale.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from oroi_graph.connection import open_local_model
from oroi_graph.contract.calibration import calibrated
from oroi_graph.contract.comparison import FieldRule, Thresholds, compare
from oroi_graph.providers.protocols import Embedder
from oroi_graph.providers.scripted import ScriptedEmbedder
from oroi_graph.settings import LOCAL_EMBEDDERS, Settings

LABELS = Path(__file__).parent / "labels"
PAIRS = LABELS / "contract_pairs.jsonl"
FILES = (PAIRS, LABELS / "contract_pairs_third.jsonl", LABELS / "contract_pairs_fourth.jsonl")
PARTS = ("development", "sealed", "third", "fourth")
RELATIONS = ("equivalent", "compatible", "critical", "contradiction")
LANGUAGES = ("en", "es", "pt")
QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
FOUND, FALSE = 0.90, 0.05  # the goals


class Judged(NamedTuple):
    """A labelled pair, what it was taken for, and why."""

    pair: Mapping[str, str]
    relation: str
    reason: str
    cosine: float | None


def read(part: str) -> list[dict[str, str]]:
    """The pairs of one part."""
    rows = [json.loads(line) for path in FILES for line in path.read_text("utf-8").splitlines()]
    return [row for row in rows if row["part"] == part]


def judge(pairs: Sequence[Mapping[str, str]], cosines: Sequence[float | None], thresholds: Thresholds) -> list[Judged]:
    """Compare each pair."""
    found = []
    for pair, cosine in zip(pairs, cosines, strict=True):
        field = FieldRule(key=pair["key"], single_valued=pair["single_valued"])  # type: ignore[arg-type]
        result = compare(pair["new"], pair["old"], field=field, cosine=cosine, thresholds=thresholds)
        found.append(Judged(pair, result.relation, result.reason, cosine))
    return found


def wilson(hits: int, of: int) -> list[float]:
    """The 95 % interval of a share (Wilson 1927)."""
    if not of:
        return [0.0, 1.0]
    z, share = 1.959964, hits / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z / (1 + z * z / of) * (share * (1 - share) / of + z * z / (4 * of * of)) ** 0.5
    return [round(middle - half, 3), round(middle + half, 3)]


def summary(judged: Sequence[Judged]) -> dict[str, object]:
    """Contradictions found, false alarms, and the confusion table (label → what it was taken for)."""
    table = Counter((j.pair["relation"], j.relation) for j in judged)
    labelled = Counter(j.pair["relation"] for j in judged)
    hits = table["contradiction", "contradiction"]
    alarms = sum(n for (label, taken), n in table.items() if taken == "contradiction" != label)
    others = len(judged) - labelled["contradiction"]
    taken = [j for j in judged if j.relation == "equivalent"]
    lost = sum(j.pair["relation"] != "equivalent" for j in taken)
    return {
        "n": len(judged),
        "right": round(sum(j.pair["relation"] == j.relation for j in judged) / max(1, len(judged)), 3),
        "contradictions_found": round(hits / max(1, labelled["contradiction"]), 3),
        "contradictions_found_interval": wilson(hits, labelled["contradiction"]),
        "false_alarms": round(alarms / max(1, others), 3),
        "false_alarms_interval": wilson(alarms, others),
        "values_wrongly_taken_as_known": f"{lost} of {len(taken)}",
        "confusion": {label: {to: table[label, to] for to in RELATIONS} for label in RELATIONS},
    }


def report(pairs: Sequence[Mapping[str, str]], embedder: Embedder) -> tuple[dict[str, object], list[Judged]]:
    """Everything that is measured, and the judged pairs under calibrated thresholds."""
    vectors = [embedder.embed([pair[side] for pair in pairs]) for side in ("new", "old")]
    cosines = [float(c) for c in np.einsum("ij,ij->i", *vectors)]
    fitted = calibrated(embedder)
    conditions = {
        "calibrated": judge(pairs, cosines, fitted),
        "source": judge(pairs, cosines, Thresholds()),
        "none": judge(pairs, [None] * len(pairs), Thresholds()),
    }
    kinds = sorted({pair["kind"] for pair in pairs if pair["relation"] == "contradiction"})
    best = conditions["calibrated"]
    result: dict[str, object] = {
        "embedder": embedder.model,
        "thresholds": {name: [t.equivalent, t.compatible] for name, t in {"all": fitted, **fitted.languages}.items()},
        "conditions": {name: summary(judged) for name, judged in conditions.items()},
        "languages": {
            name: {language: summary([j for j in judged if j.pair["language"] == language]) for language in LANGUAGES}
            for name, judged in conditions.items()
        },
        "found_by_kind": {
            kind: f"{sum(j.relation == 'contradiction' for j in of_kind)} of {len(of_kind)}"
            for kind in kinds
            if (of_kind := [j for j in best if j.pair["kind"] == kind and j.pair["relation"] == "contradiction"])
        },
        "cosines": {
            language: {relation: _quantiles(best, language, relation) for relation in RELATIONS}
            for language in LANGUAGES
        },
    }
    return result, best


def _quantiles(judged: Sequence[Judged], language: str, relation: str) -> dict[str, float]:
    pairs = [j for j in judged if (j.pair["language"], j.pair["relation"]) == (language, relation)]
    values = [j.cosine for j in pairs if j.cosine is not None]
    return {f"{q:g}": round(float(np.quantile(values, q)), 3) for q in QUANTILES} if values else {}


def main() -> int:
    """Measure, print, write; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="where the figures go")
    parser.add_argument("--part", choices=PARTS, default=PARTS[0], help="which pairs (default: development)")
    parser.add_argument("--embedder", choices=(*LOCAL_EMBEDDERS, "scripted"), default="minilm")
    parser.add_argument("--wrong", action="store_true", help="print the pairs that were taken for something else")
    args = parser.parse_args()
    embedder: Embedder = ScriptedEmbedder(512)
    if args.embedder != "scripted":
        embedder = open_local_model(replace(Settings.from_env(), embedder=args.embedder))
    result, judged = report(read(args.part), embedder)
    result = {"part": args.part, **result}
    text = json.dumps(result, indent=1, ensure_ascii=False)
    if args.json:
        args.json.write_text(f"{text}\n", "utf-8")
    print(text)
    if args.wrong:
        for j in judged:
            if j.relation != j.pair["relation"]:
                print(f"{j.pair['id']}: {j.relation} ({j.reason}), {j.cosine:.2f}: {j.pair['new']} | {j.pair['old']}")
    best = summary(judged)
    return int(float(str(best["contradictions_found"])) < FOUND or float(str(best["false_alarms"])) > FALSE)


if __name__ == "__main__":
    sys.exit(main())
