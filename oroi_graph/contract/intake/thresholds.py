"""The thresholds that entries are compared by: the contract's, else those of the embedding model.

What was found for a model that ships none is kept in the database, so that a process that writes once need not find it
again.
"""

from __future__ import annotations

from collections.abc import Sequence

from oroi_graph.contract.calibration import Calibration, calibrated
from oroi_graph.contract.comparison import Thresholds
from oroi_graph.errors import ProviderError
from oroi_graph.providers.protocols import Embedder
from oroi_graph.storage.store import Store

CAUTIOUS = Thresholds(equivalent=1.0, compatible=-1.0)  # vectors make nothing known, and nothing critical


class KeptCalibrations:
    """The calibrations of a database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of_model(self, model: str) -> Sequence[Calibration]:
        """Those of a model of this name."""
        return [
            Calibration.from_json(
                {
                    **row,
                    "thresholds": dict(
                        zip(row["languages"], zip(row["equivalent"], row["compatible"], strict=True), strict=True)
                    ),
                }
            )
            for row in self._store.rows("contract/calibrations", model=model)
        ]

    def keep(self, calibration: Calibration) -> None:
        """Keep one."""
        found = calibration.to_json()
        of = found.pop("thresholds")
        bounds = list(of.values())
        properties = {
            **found, "languages": list(of), "equivalent": [one[0] for one in bounds],
            "compatible": [one[1] for one in bounds],
        }  # fmt: skip
        self._store.write_rows("contract/keep_calibration", calibration=properties)


def thresholds_of(store: Store, embedder: Embedder) -> Thresholds:
    """Those of the embedding model; CAUTIOUS while it fails, so that no write is lost for want of thresholds."""
    try:
        return calibrated(embedder, KeptCalibrations(store))
    except ProviderError:
        return CAUTIOUS
