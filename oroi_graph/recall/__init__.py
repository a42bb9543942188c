"""From a question to a brief: cues, one wave of activation per cue, features and rank of records, selection, text.

Reading changes nothing.
"""
