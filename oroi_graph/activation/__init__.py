"""The fast dynamics of a memory: the numerical kernel, surprise, and the end of a turn."""
