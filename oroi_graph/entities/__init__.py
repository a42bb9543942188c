"""What mentions refer to, and what a stated fact does to those that hold.

`mentions` reads an extraction: who "I" is, whose "my boss" is, which labels are values. `linker` finds the stored
concepts that a mention may be, for turns and questions; `resolution` decides which one it is or that it is new.
`label_numbers` tells labels with different numbers apart. `fact_updates` decides what a new fact repeats, replaces or
contests. `label_similarity`, `name_blocking` and `nearest_neighbors` serve the search for duplicates in sleep. Import
these modules by name: the last one loads numpy.
"""
