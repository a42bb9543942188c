"""The files of a workspace: read within bounds, appended to, written as a whole, with a history that can be reverted.

`reading` gives lines of a note and what a session begins with, `writing` is the only place that changes notes,
`journal` keeps what was there before, `importing` takes notes of another folder over. Import these modules by name.
"""
