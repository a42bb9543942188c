"""Search in notes: candidates by vector and by words, ranked, cut to snippets.

`ranking` computes, `candidates` asks the graph, `snippets` makes what is shown. Import these modules by name.
"""
