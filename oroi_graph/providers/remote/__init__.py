"""Embedders behind services: whom to ask, services with an interface of their own, and batch jobs for many texts.

`choice` opens the embedder that a configuration names, or the first one that can be used. `gemini` and `voyage` embed
(`embedder` is what they share): `service` sends JSON and tries again, `vectors` makes unit vectors of what is answered.
`jobs` waits for batch jobs of a service and remembers them; `openai_jobs` and `gemini_jobs` are the services that have
some.
"""
