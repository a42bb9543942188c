"""Consolidation ("sleep"): what happens to a memory between conversations.

One run (`pipeline.consolidate`) merges near-duplicate concepts, turns recurrent coincidences into associations, lets
strength grow and decay, prunes what stayed weak, and replaces old episodes by summaries. Users list, make and undo
merges through `unmerge`. `schedule` says when a run is due.

Nothing is imported here, so that reading one constant loads neither the scheduler nor the providers. Other rooms import
from `pipeline` (consolidate, SleepReport), `unmerge` (Merge, merges, undo, unite) and `schedule` (Schedule,
CronSchedule).
"""
