"""Which concepts are answers: the graph around the cues, searched in arrays without the database.

`working_set/neighbourhood` gives the graph. `search` sends one wave of activation per cue through it and has `paths`
find the best way from each cue to each concept; `evidence` decides by the paths which concepts the cues support
together, and how much of that each record mentions; `told` reads the paths for it.
"""
