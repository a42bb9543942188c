"""Models behind small protocols (`protocols`): embedders, extractors, judges, summarizers, filters, rerankers.

`minilm`, `bge` and `e5` run local embedding models (`local` is what they share, `encoder_graph` makes graphs of weights
and `onnx_writer` writes them). `openai` and `remote` ask services; `extractive` makes summaries without a model.
`recorded` replays a service's answers from a file, `scripted` gives fixed answers for tests. `cache` keeps the vectors
of recent texts, `word_vectors` packs those of single words. Each module imports its own heavy libraries, so nothing is
imported here.
"""
