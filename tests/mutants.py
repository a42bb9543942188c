"""Ten faults, each put into one central function of a copy of the project: the named tests must fail on every one.

`python tests/mutants.py` prints a line a fault and ends with status 1 if the tests let one pass. It is no part of the
suite, because it runs parts of it eleven times.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
COPIED = ("oroi_graph", "cypher", "tests", "benchmarks", "docs", "docker")
FAILED = 1  # pytest's exit status where tests ran and some failed


@dataclass(frozen=True)
class Mutant:
    """One fault: in `file`, `old` (which occurs there once) becomes `new`; `tests` must notice."""

    name: str
    file: str
    old: str
    new: str
    tests: str

    def put_into(self, folder: Path) -> None:
        """Write it into a copy of the project."""
        path = folder / self.file
        text = path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise SystemExit(f"{self.name}: {self.old!r} is {text.count(self.old)} times in {self.file}, not once")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")


MUTANTS = (
    Mutant(
        "kernel: the way back counts less in a concept's whole",
        "oroi_graph/activation/kernel.py",
        "np.bincount(tails, weights, n) + np.bincount(heads, weights, n)",
        "np.bincount(tails, weights, n) + reverse * np.bincount(heads, weights, n)",
        "tests/activation/test_kernel.py",
    ),
    Mutant(
        "settle: what was not perceived may rise above what was",
        "oroi_graph/activation/kernel.py",
        "allowed = np.maximum(before, least)",
        "allowed = np.maximum(before, 2 * least)",
        "tests/activation/test_kernel.py",
    ),
    Mutant(
        "decay: forgets faster",
        "oroi_graph/activation/kernel.py",
        '_floats(activation, "activation") * factor',
        '_floats(activation, "activation") * factor**2',
        "tests/activation/test_kernel.py",
    ),
    Mutant(
        "resolution: meaning alone decides that two labels are one concept",
        "oroi_graph/entities/resolution.py",
        'if like is not None and like.grade == "automatic":',
        'if candidate["score"] >= 0.90:',
        "tests/perception/test_pipeline.py",
    ),
    Mutant(
        "fact updates: what is replaced stays current",
        "oroi_graph/entities/fact_updates.py",
        "closed = tuple(dict.fromkeys([*opposite, *replaced]))",
        "closed = tuple(dict.fromkeys(opposite))",
        "tests/entities/test_fact_updates.py",
    ),
    Mutant(
        "ranking: a record that only asks is preferred",
        "oroi_graph/recall_options.py",
        "asks=-0.6, assistant=-0.25",
        "asks=0.6, assistant=-0.25",
        "tests/recall/test_ranker.py",
    ),
    Mutant(
        "selection: whatever shares a word of the question speaks",
        "oroi_graph/recall_options.py",
        '0.20, "of the nearest record, from which',
        '-1.0, "of the nearest record, from which',
        "tests/recall/test_pipeline.py",
    ),
    Mutant(
        "quoting: remembered marks reach the brief",
        "oroi_graph/language/quoting.py",
        "visible.translate(_REPLACED)",
        "visible",
        "tests/recall/test_brief_safety.py",
    ),
    Mutant(
        "lease: a holder that was replaced goes on writing",
        "cypher/storage/hold.cypher",
        "m.lease_fence = $fence AND m.lease_owner = $owner",
        "m.lease_owner = $owner",
        "tests/storage/test_lease.py",
    ),
    Mutant(
        "undoing a merge: later merges that stand on it stay",
        "oroi_graph/consolidation/unmerge.py",
        'if row["later"]:',
        'if row["later"] and not later:',
        "tests/consolidation/test_merge.py",
    ),
)


def main() -> int:
    """Try every mutant; how many survived."""
    with tempfile.TemporaryDirectory(prefix="oroi-mutants-") as folder:
        pristine = Path(folder) / "pristine"
        for name in COPIED:
            shutil.copytree(PROJECT / name, pristine / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(PROJECT / "pyproject.toml", pristine)
        wanted = sorted({mutant.tests for mutant in MUTANTS})
        if _pytest(pristine, *wanted).returncode:
            raise SystemExit(f"these must pass before faults are put in: {' '.join(wanted)}")
        survived = 0
        for mutant in MUTANTS:
            copy = Path(folder) / "mutant"
            shutil.copytree(pristine, copy)
            mutant.put_into(copy)
            ran = _pytest(copy, mutant.tests)
            shutil.rmtree(copy)
            survived += ran.returncode != FAILED
            verdict = "died" if ran.returncode == FAILED else f"SURVIVED (status {ran.returncode})"
            seen = next((line for line in ran.stdout.splitlines() if line.startswith(("FAILED", "SUBFAILED"))), "")
            print(f"{verdict:9} {mutant.name}: {seen[:160]}", flush=True)  # noqa: T201
    return survived


def _pytest(folder: Path, *tests: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
    command += ["--override-ini=addopts=--import-mode=importlib"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(bool(main()))
