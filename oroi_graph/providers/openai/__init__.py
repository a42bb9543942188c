"""What is asked of a service with OpenAI's HTTP interface.

`service` sends requests, tries them again and checks the form of the answers. `models` has the embedder, the extractor
and the chat model, `judge` decides whether two concepts are one, `summarizer` shortens old episodes, `relevance`
chooses sessions and `reranker` records; `choices` reads what such a model chose. `metering` counts tokens and cost.
"""
