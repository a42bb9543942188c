"""Data sets of the evaluation, whatever file they come from: cases (one memory each) and their questions."""
