"""Sleep: near-duplicates merge, coincidences are promoted, strength grows and decays, old episodes get summaries."""
