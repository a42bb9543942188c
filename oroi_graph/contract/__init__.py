"""The memory contract: entries that several agents share, checked against a published schema and compared on write.

`pipeline` is what callers use. `document` checks contracts and submissions, `references` what a contract refers to,
`registry` publishes and enrols. A submission becomes an `entry`: `intake` decides about it and appends it, `chain`
proves what was written, `retrieval` reads within budgets.
`comparison` says what two values of one key are to each other, from what `reading` reads of each, `conflicts` and
`aspects`; `calibration` finds the thresholds of an embedding model, `drift` tests whether a key's meaning moves,
`clusters` and `digest` make the summaries of compression. Import these modules by name.
"""
