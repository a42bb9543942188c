"""Consolidation ("sleep"): what happens to a memory between conversations.

One run (`pipeline.consolidate`) merges near-duplicate concepts, turns recurrent coincidences into associations, lets
strength grow and decay, prunes what stayed weak, and replaces old episodes by summaries. The steps share a
`run_context`. Merging: `candidate_pairs` finds pairs, `deduplicate` decides, `merge` joins two; undoing: `split_plan`,
with `split_associations`. `strength` promotes, strengthens, decays and prunes, `summarize` makes gists. Users list,
make and undo merges through `unmerge`. `schedule` says when a run is due.

Nothing is imported here, so that reading one constant loads neither the scheduler nor the providers. Other rooms import
from `pipeline` (consolidate, SleepReport), `unmerge` (Merge, merges, undo, unite) and `schedule` (Schedule,
CronSchedule).
"""
