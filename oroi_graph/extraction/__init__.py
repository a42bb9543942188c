"""The offline extractor: sentences of English, Spanish and Portuguese to concepts and relations, by rules.

tokenizer → named entities → chunker → clauses → statements.
"""
