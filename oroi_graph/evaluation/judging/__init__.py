"""Answers of a chat model to the questions of a data set, and verdicts on them; recorded, so that runs repeat."""
