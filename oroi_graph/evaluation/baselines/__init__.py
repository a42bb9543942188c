"""The conditions that an evaluation compares, and the memory of a case that all of them read.

`memory` builds one memory a case; `conditions` maps the name of each condition to its function (question → context and
ranking); `lexical` is BM25 and `pagerank` personalised PageRank over the same graph. Import from the modules.
"""
