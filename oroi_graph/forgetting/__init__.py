"""Forgetting on request: deletion of named concepts, facts and episodes, undo of turns, and edits of single facts.

A request is parsed (`request`), looked up (`plan`: what would be deleted) and carried out (`delete`: with an audit
line, and a check that nothing is left). `consent` says whether a request in conversation is surely meant. `undo_turn`
restores the memory as it was before a turn. `fact_edits` lists, corrects and deletes facts by id. `concept_lookup` and
`episode_search` find what a request names; `scrub` removes what was forgotten from the disk.

Nothing is imported here, because parsing a request loads the extractor. Other rooms import from `delete` (forget,
forgettable, finish, obey, DeletionResult), `plan` (DeletionPlan), `undo_turn` (undo, UndoResult) and `fact_edits`.
"""
