"""Adapters whose frameworks bring no suite: exact history, briefs before the model, turns after it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from oroi_graph.memory import Graph, Memory


def test_pydantic_ai(memory: Memory) -> None:
    pytest.importorskip("pydantic_ai", reason="pip install 'oroi-graph[pydantic-ai]'")
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from oroi_graph.interfaces.adapters.pydantic_ai import OroiMemory

    seen: list[str] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(str(messages[-1].parts[-1].content))  # type: ignore[union-attr]
        return ModelResponse(parts=[TextPart("I see.")])

    agent = Agent(FunctionModel(answer), capabilities=[OroiMemory(memory, speaker="Ana")])
    agent.run_sync("My sister Leire lives in Gernika.")
    result = agent.run_sync("Where does my sister live?")
    assert seen[0] == "My sister Leire lives in Gernika."
    assert "Gernika" in seen[1]
    assert "Gernika" not in str(result.all_messages()[0].parts[0].content)  # type: ignore[union-attr]
    assert [episode.text for episode in memory.timeline()].count("I see.") == 2


def test_llamaindex(memory: Memory) -> None:
    """Ours and LlamaIndex's buffer keep the same history."""
    pytest.importorskip("llama_index.core", reason="pip install 'oroi-graph[llama-index]'")
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.memory import ChatMemoryBuffer

    from oroi_graph.interfaces.adapters.llamaindex import OroiMemory

    told = ChatMessage(role=MessageRole.USER, content="My sister Leire lives in Gernika.")
    reply = ChatMessage(role=MessageRole.ASSISTANT, content="A fine town.", additional_kwargs={"tool_calls": []})
    ours = OroiMemory.from_defaults(memory=memory, session="one", speaker="Ana")
    theirs = ChatMemoryBuffer.from_defaults(token_limit=1000, tokenizer_fn=str.split)
    for kept in (ours, theirs):
        assert kept.get_all() == kept.get() == []
        kept.put(told)
        asyncio.run(kept.aput(reply))
        assert kept.get_all() == [told, reply]
        kept.set([told])
        assert kept.get_all() == [told]
        kept.reset()
        assert kept.get_all() == []
    later = OroiMemory(memory=memory, session="two", speaker="Ana")
    asked = ChatMessage(role=MessageRole.USER, content="Where does my sister live?")
    later.put(asked)
    brief, question = later.get()
    assert (brief.role, question) == (MessageRole.SYSTEM, asked)
    assert "Gernika" in str(brief.content)
    assert later.get_all() == [asked]


def test_google_adk(graph: Graph) -> None:
    """Ours and ADK's in-memory service: what is added once or twice is found, another user finds nothing."""
    pytest.importorskip("google.adk.memory", reason="pip install 'oroi-graph[google-adk]'")
    from google.adk.events.event import Event
    from google.adk.memory import InMemoryMemoryService
    from google.adk.sessions.session import Session
    from google.genai import types

    from oroi_graph.interfaces.adapters.adk import OroiMemoryService, memory_name

    def event(id: str, author: str, text: str) -> Event:
        role = "user" if author == "user" else "model"
        return Event(id=id, author=author, content=types.Content(role=role, parts=[types.Part(text=text)]))

    events = [event("e1", "user", "My sister Leire lives in Gernika."), event("e2", "guide", "Gernika is lovely.")]

    async def use(service: Any) -> tuple[set[str], set[str], set[str]]:
        talk = Session(id="s", app_name="app", user_id="ana", events=events)
        await service.add_session_to_memory(talk)
        await service.add_session_to_memory(talk)
        await service.add_events_to_memory(app_name="app", user_id="ana", events=events, session_id="s")
        who = {"app_name": "app", "user_id": "ana"}

        async def found(**asked: str) -> set[str]:
            answer = await service.search_memory(query="Gernika sister", **asked)
            return {one.content.parts[0].text for one in answer.memories if one.author != "memory"}

        first, nobody = await found(**who), await found(app_name="app", user_id="iker")
        await service.delete_memory(**who, memory_id="e2")
        await service.add_session_to_memory(talk)
        return first, nobody, await found(**who)

    names = [memory_name("app", "ana"), memory_name("app", "iker")]
    try:
        expected = asyncio.run(use(InMemoryMemoryService()))
        assert asyncio.run(use(OroiMemoryService(graph))) == expected
        assert expected == ({one.content.parts[0].text for one in events}, set(), {"My sister Leire lives in Gernika."})
    finally:
        for name in names:
            graph.delete(name)
    assert memory_name("a-b", "c") != memory_name("a", "b-c")


def test_crewai(memory: Memory) -> None:
    """CrewAI's memory over our storage, with our embedder and no language model."""
    pytest.importorskip("crewai.memory", reason="pip install 'oroi-graph[crewai]'")
    from crewai.memory.storage.backend import StorageBackend
    from crewai.memory.types import MemoryRecord

    from oroi_graph.interfaces.adapters.crewai import OroiStorage, embedder

    storage, embed = OroiStorage(memory), embedder(memory)
    assert isinstance(storage, StorageBackend)
    texts = {"/crew/a": "The boat lies in Bermeo.", "/crew/b": "The baker opens at seven.", "/crewed": "Nothing."}
    records = [
        MemoryRecord(content=text, scope=scope, categories=[scope[-1]], metadata={"n": n}, embedding=embed([text])[0])
        for n, (scope, text) in enumerate(texts.items())
    ]
    storage.save(records)
    assert storage.get_record(records[0].id) == records[0]
    [(best, score), *_] = storage.search(embed(["Where is the boat?"])[0], scope_prefix="/crew", limit=2)
    assert (best.content, 0.3 < score <= 1) == (texts["/crew/a"], True)
    assert storage.search(embed(["boat"])[0], metadata_filter={"n": 1})[0][0] == records[1]
    assert (storage.count(), storage.count("/crew"), storage.list_scopes("/crew")) == (3, 2, ["/crew/a", "/crew/b"])
    assert storage.list_categories("/crew") == {"a": 1, "b": 1}
    assert storage.get_scope_info("/crew").record_count == 2
    assert "Bermeo" in memory.recall("Where does the boat lie?").brief.text
    storage.update(records[0].model_copy(update={"content": "The boat lies in Lekeitio."}))
    assert "Bermeo" not in " ".join(episode.text for episode in memory.timeline())
    assert storage.delete(record_ids=[records[0].id]) == 1
    storage.reset()
    assert (storage.count(), memory.timeline()) == (0, [])


def test_agent_framework(memory: Memory) -> None:
    """The provider's two moments, as the framework calls them."""
    pytest.importorskip("agent_framework", reason="pip install 'oroi-graph[agent-framework]'")
    from agent_framework import AgentResponse, AgentSession, Message, SessionContext

    from oroi_graph.interfaces.adapters.agent_framework import OroiContextProvider

    provider = OroiContextProvider(memory, speaker="Ana")

    async def run(text: str) -> list[str]:
        context = SessionContext(session_id="s", input_messages=[Message("user", [text])])
        how: dict[str, Any] = {"agent": None, "session": AgentSession(session_id="s"), "context": context, "state": {}}
        await provider.before_run(**how)
        context._response = AgentResponse(messages=[Message("assistant", ["I see."])])
        await provider.after_run(**how)
        return [message.text for message in context.get_messages()]

    assert asyncio.run(run("My sister Leire lives in Gernika.")) == []
    [brief] = asyncio.run(run("Where does my sister live?"))
    assert "Gernika" in brief
    assert [episode.text for episode in memory.timeline()].count("I see.") == 2
