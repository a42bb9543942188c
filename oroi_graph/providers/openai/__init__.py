"""What is asked of a service with OpenAI's HTTP interface: embeddings, extraction, verdicts, summaries."""
