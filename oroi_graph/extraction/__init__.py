"""Extraction: what a turn states, found by rules without a model or network.

A text becomes tokens (`tokenizer`), names (`named_entities`) and phrases (`chunking`). The clause reader (`clauses`)
reads the phrases of each sentence from left to right. Its parts are functions that share one `TurnState`
(`clause_state`): who the subject is (`subjects`), whose things are (`possession`), which relations hold
(`statements`), when (`temporal`), and what they replace (`replacements`). `directives` finds orders to the memory.
`OfflineExtractor` puts these together; extractors that ask a model are in `providers`.
"""

from oroi_graph.extraction.offline import OfflineExtractor

__all__ = ["OfflineExtractor"]
