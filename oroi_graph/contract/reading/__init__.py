"""What a value of a contract says, read so that two of them can be compared.

`words` loads the word lists, `text` makes spelling and signs alike, `amounts` reads numbers, dates, times and
identifiers, `clauses` the words around them: names, negations, and words that exclude others. `alignment` says what two
clauses share.
"""
