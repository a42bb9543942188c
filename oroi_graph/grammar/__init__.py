"""English and Spanish sentences read by rules: tokens, chunks, clauses (for the offline extractor)."""
