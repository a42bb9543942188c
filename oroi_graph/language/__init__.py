"""What the package knows of languages: English, Spanish and Portuguese. Nothing here knows the graph or the database.

A text comes in through `parsed_text`: its language (`detection`), stems (`stemming`) and values, each found once.
`sentences` and `tokens` divide texts, `normalize` makes keys and ids. `numbers` and `dates` are read inside texts, and
`values` writes amounts and dates in one canonical form. `relations` says which relation phrases say the same. On the
way out, `verbalize` writes facts as sentences and `quoting` quotes remembered text for a model. All of them read words
from `lexicons` (data files, one a language) and verb forms from `verbs`.
"""
