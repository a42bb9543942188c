"""Search in notes: candidates by vector and by words, ranked, cut to snippets.

`ranking` computes, `candidates` asks the graph, `associative` the memory's recall; `snippets` makes what is shown,
`results` what is given back. Import these modules by name.
"""
