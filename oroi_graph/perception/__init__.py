"""A turn becomes part of the graph: extraction, mentions, resolution, and one write transaction."""
