"""A turn becomes part of the graph: extraction, mentions, resolution, and one write transaction.

`pipeline` is the door: `cleaned`, `extract` and `prepare` call the models and touch no database, `open_turn` writes.
`turn` has the values that pass between the steps. The transaction resolves mentions (`resolve_mentions`), decides facts
(`decide_facts`), builds rows (`turn_rows`, `turn_associations`, `association_rows`) and writes them
(`turn_transaction`). `recent_turns` reads what the extractor sees before a turn, `reextract` repeats what failed.
"""
