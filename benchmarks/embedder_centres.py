"""Write what the vectors of local embedding models have in common: `oroi_graph/providers/centres.json`.

    python benchmarks/embedder_centres.py

The means are those of the statements of `calibration.tsv`, a third in each language. all-MiniLM-L6-v2 has none: its
vectors are spread, and thresholds are stated in its cosines. Run it after a model changed; a test fails until then.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from oroi_graph.connection import open_local_model
from oroi_graph.contract.calibration import pairs
from oroi_graph.providers import local
from oroi_graph.settings import Settings

SHIPPED = Path(local.__file__).with_name("centres.json")
CENTRED = ("bge-small", "e5-small")


def main() -> None:
    """Write the file."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    statements = list(dict.fromkeys(text for pair in pairs() for text in (pair.first, pair.second)))
    models = [open_local_model(replace(Settings.from_env(), embedder=name)) for name in CENTRED]
    found = {model.model: model.centre_of(statements).to_json() for model in models}
    SHIPPED.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(SHIPPED)


if __name__ == "__main__":
    main()
