"""Entities: what mentions refer to, and what a stated fact does to those that hold.

A turn passes in this order: `mentions` reads an extraction (who "I" is, whose "my boss" is, which labels are values),
`linker` says which stored concepts each mention may be, `resolution` decides which one it is or that it is new, and
`fact_updates` what a new fact repeats, replaces or contests. `linker` also serves questions; `material` does the first
three steps for entries and notes, which state no facts. `label_numbers` tells labels with different numbers apart,
`known_words` a slip of the hand from another word. In sleep, `nearest_neighbors` (by vector) and `name_blocking` (by
letters) find labels worth comparing, and `label_similarity` says how alike two are.

Import these modules by name: some load numpy.
"""
