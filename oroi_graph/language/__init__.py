"""What the package knows of languages.

Detection, normalisation, tokens, sentences, numbers, values, dates, relation classes, and facts written as sentences,
for English, Spanish and Portuguese. Nothing here knows the graph or the database.
"""
