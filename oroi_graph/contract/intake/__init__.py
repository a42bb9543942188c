"""The way of an entry into a memory: checked, embedded, compared with its key's current entries, and appended.

`rights` says who may write, `standing` keeps the current entries of a key, `thresholds` are what entries are compared
by, `decision` says what an entry is to them and what is generated, `rows` makes what is stored, `transaction` does it
under the key's lock.
"""
