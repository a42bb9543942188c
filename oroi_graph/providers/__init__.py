"""Embedders, extractors, judges and summarizers: the models behind four small protocols (`protocols`).

`minilm`, `bge` and `e5` run local embedding models: `local` is what they share, `encoder_graph` builds the graphs of
two of them, and `e5_file` reads the weights of one. `openai` asks a service; `extractive` makes summaries without a
model. `recorded` replays a service's answers from a file, `scripted` gives fixed answers for tests. `cache` keeps the
vectors of recent texts, `word_vectors` packs those of single words. Each module imports its own heavy libraries, so
nothing is imported here.
"""
