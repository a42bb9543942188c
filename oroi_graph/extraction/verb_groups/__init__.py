"""Verb groups of a sentence: auxiliaries, negation and tense around one main verb."""
