"""Adapters: the façade as agent frameworks expect memory. One module for each framework, each an optional extra.

`langgraph` (a store), `langchain` (a retriever and a vector store), `openai_agents` (a session), `pydantic_ai` (a
capability), `llamaindex` (a chat memory), `adk` (a memory service), `crewai` (a storage), `agent_framework` (a context
provider). `talk` is what those of conversations share.
"""
