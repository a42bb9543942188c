"""English, Spanish and Portuguese sentences read by rules: tokens, chunks, clauses (for the offline extractor)."""
