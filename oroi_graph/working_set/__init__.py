"""The working set of a memory: its graph as arrays in the process, used only after its stamp was compared with the
database's.

`snapshot` is one state, loaded in a few statements and brought up to date by what changes touched (`storage/changes`);
its columns are in `tables`, `adjacency` and `vectors`, its texts are searched by `words`. `kept` holds the sets of a
process and proves each fresh before it is read. `entry`, `neighbourhood` and `candidates` answer what recall asks of
it, `lit` and `context` what a turn asks. `transactions` are transactions beside a set, `rows` what a writer adds to it.
Import these modules by name: they load numpy.
"""
