"""Reading entries: as they are (`entries`), within a token budget (`levels`), and as summaries for small context
windows (`compression`).
"""
