"""A memory as a networkx graph (`graph.portrait`), a picture (`draw.draw`), and GraphML (`graphml.write_graphml`).

Nothing is imported here, because all three need libraries of the extra `pictures`. `layout` computes where boxes, lines
and labels go, `canvas` draws them. For the explorer: `snapshot` (the graph now or as it was, one concept) and `trace`
(how activation spread).
"""
