"""Readers of data sets: a file becomes a `Dataset` of cases with turns and questions.

`scenarios`, `locomo` and `musique` read one format each; `dataset` has the types. Import from the modules.
"""
