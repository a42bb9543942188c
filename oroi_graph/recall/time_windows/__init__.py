"""Questions that speak of time: what was said in their windows, or happened in them, enters recall.

`scope` says which days count and how well a record fits them, `search` reads all that lies in them, `fitting` keeps
what fits once the records are selected, `conversations` asks a model which sessions are relevant (if there is one),
`digest` sums up a time that was asked for without a theme, `absence` finds what is nearest to an empty one, `wording`
has the phrases, and `time_match` the dates that texts tell.
"""
