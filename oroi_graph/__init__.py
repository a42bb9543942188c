"""Long-term memory for agents, kept as a living graph in Neo4j."""
