"""Extraction: what a turn states, found by rules without a model or network.

`offline` is the door: its `OfflineExtractor` runs the others. `directives` first takes orders to the memory out of the
text. `tokenizer` makes tokens, `named_entities` joins those of a name, and `chunking` makes phrases. The clause reader
(`clauses`) reads the phrases of each sentence from left to right. Its parts share one `TurnState` (`clause_state`): who
the subject is (`subjects`), whose things are (`possession`), which relations hold (`statements`), when (`temporal`),
and what they replace (`replacements`). At last, `confidence` says how sure each relation is. Extractors that ask a
model are in `providers`.
"""

from oroi_graph.extraction.offline import OfflineExtractor

__all__ = ["OfflineExtractor"]
