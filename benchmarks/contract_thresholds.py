"""Write the thresholds that ship with the package: those of the local embedding models.

    python benchmarks/contract_thresholds.py

Run it after `calibration.tsv` or a local model changed; a test fails until then.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from oroi_graph.connection import open_local_model
from oroi_graph.contract import calibration
from oroi_graph.contract.calibration import Calibration
from oroi_graph.settings import LOCAL_EMBEDDERS, Settings

SHIPPED = Path(calibration.__file__).parent / "reading" / "data" / "thresholds.toml"
HEAD = """\
# Thresholds of the local embedding models, by benchmarks/contract_thresholds.py: [equivalent, compatible] over all
# languages and for each; probe: the vector by which a model is known; pairs: what they were found from.
"""


def entry(name: str) -> str:
    """The lines of one model."""
    embedder = open_local_model(replace(Settings.from_env(), embedder=name))
    values = calibration.thresholds(calibration.cosines(embedder))
    found = Calibration(calibration.fingerprint(embedder), values, calibration.basis()).to_json()
    rows = [found["probe"][start : start + 16] for start in range(0, len(found["probe"]), 16)]
    lines = ["", "[[model]]", f'model = "{found["model"]}"', f'pairs = "{found["pairs"]}"', "probe = ["]
    lines += ["  " + ", ".join(f"{value:g}" for value in row) + "," for row in rows]
    lines += ["]", "[model.thresholds]"]
    lines += [f"{language} = [{a}, {b}]" for language, (a, b) in found["thresholds"].items()]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the file."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    SHIPPED.write_text(HEAD + "".join(entry(name) for name in LOCAL_EMBEDDERS), "utf-8")
    print(SHIPPED)


if __name__ == "__main__":
    main()
