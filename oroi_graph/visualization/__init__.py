"""A memory as a networkx graph, its layout, and the picture."""
