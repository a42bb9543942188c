"""Word lists of each language that the offline extractor reads sentences with."""
