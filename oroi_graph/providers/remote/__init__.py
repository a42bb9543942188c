"""Embedders behind services: whom to ask, services with an interface of their own, and batch jobs for many texts.

`service` sends JSON and tries again, `gemini` and `voyage` embed with it; `jobs` waits for batch jobs of a service and
remembers them, `openai_jobs` and `gemini_jobs` are the services that have some. `choice` opens the embedder that a
configuration names, or the first one that can be used. `vectors` makes unit vectors of what services answer.
"""
