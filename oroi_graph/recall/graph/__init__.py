"""The graph around the cues of a question, without the database: which concepts are answers.

`search` sends one wave of activation per cue through what was fetched, `paths` finds the best way from each cue to each
concept, and `evidence` decides by both which concepts the cues support together.
"""
