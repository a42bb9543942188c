"""Answers by language models: asked (`answering`), graded (`expected`, `answered`), recorded and replayed.

`models` opens the providers that extract, answer and judge; `recording` writes every call to a transcript and answers
from it when a run is replayed. Import from the modules.
"""
