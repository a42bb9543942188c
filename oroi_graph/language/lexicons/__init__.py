"""Word lists as data files: a file for each language, and one for each task (`orders`, `values`, …).

`tables` reads the files. `lexicon` makes of a language's file what the offline extractor must know of it, and
`by_language` has the lexicons of all languages. `pronouns` has the words by which a speaker means himself. `phrases`
tells of a pattern what can be looked up before it is tried.
"""
