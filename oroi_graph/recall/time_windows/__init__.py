"""Questions that speak of time: what was said in their windows, or happened in them, enters recall.

`scope` says which days count and how well a record fits them, by the dates that texts tell (`time_match`). `search`
reads all that lies in the windows. A question with a theme goes on through the usual recall, after which `fitting`
keeps what fits. A question about a time alone goes to `time_alone`, which has the facts of that time and a `digest` of
what was said. If nothing was said then, `absence` finds what is nearest. At last `conversations` lets a model keep the
relevant sessions, if one is set. `wording` has the phrases with which a brief tells all this.
"""
