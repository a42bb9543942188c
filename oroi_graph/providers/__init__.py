"""Embedders, extractors, judges and summarizers: the models behind four small protocols (`protocols`).

`minilm` and `bge` run local embedding models (`local` is what they share) and `openai` asks a service; `extractive`
makes summaries without a model.
`recorded` replays a service's answers from a file, `scripted` gives fixed answers for tests. `cache` keeps the vectors
of recent texts, `word_vectors` packs those of single words. Each module imports its own heavy libraries, so nothing is
imported here.
"""
