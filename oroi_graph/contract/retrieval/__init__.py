"""Reading entries: as they are, within a token budget, and as summaries for small context windows."""
