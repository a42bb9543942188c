"""Keys: what they open, what they allow, and when they stop to."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest_cli import Ran

from oroi_graph.errors import InputError, KeyRefusedError, MemoryNotFoundError, NotPermittedError
from oroi_graph.interfaces.keys import KeyRegistry
from oroi_graph.memory import Graph, Memory
from oroi_graph.storage.store import Store


def test_a_key_is_who_it_was_made_for(keys: KeyRegistry, memory: Memory, other: Memory) -> None:
    made = keys.create("claude", [memory.name, other.name, memory.name], ["forget", "read"])
    found = keys.recognise(made.text)
    assert (found.key, found.name) == (made.key.id, "claude")
    assert found.memories == (memory.name, other.name)
    assert found.rights == {"read", "forget"}
    assert found.own("forget") == memory.name
    with pytest.raises(NotPermittedError, match="may not write"):
        found.own("write")


def test_the_secret_is_kept_nowhere(keys: KeyRegistry, memory: Memory, store: Store) -> None:
    made = keys.create("claude", [memory.name])
    [[kept]] = store.explore("MATCH (k:Key {id: $id}) RETURN properties(k)", id=made.key.id)[1]
    assert made.text not in repr(kept)
    assert made.text.split("_", 2)[2] not in repr(kept)  # the secret, which may hold "_" itself
    assert len(kept["hash"]) == 64
    assert made.text not in repr(made.key)


def test_use_is_noted_and_does_not_change_the_memory(keys: KeyRegistry, memory: Memory, store: Store) -> None:
    def stamp() -> object:
        return store.explore("MATCH (m:Memory {name: $m}) RETURN m.stamp", m=memory.name)[1]

    before = stamp()
    made = keys.create("claude", [memory.name])
    assert made.key.last_used_at is None
    keys.recognise(made.text)
    [listed] = keys.list(memory.name)
    assert listed.last_used_at is not None
    keys.recognise(made.text)
    assert keys.list(memory.name)[0].last_used_at == listed.last_used_at, "noted once a minute"
    assert stamp() == before


@pytest.mark.parametrize("text", [None, "", "*", "oroi_", "Bearer x", "oroi_000000000000_" + "a" * 43, "a" * 10_000])
def test_other_texts_are_no_key(keys: KeyRegistry, text: str | None) -> None:
    with pytest.raises(KeyRefusedError):
        keys.recognise(text)


def test_one_letter_off_is_no_key(keys: KeyRegistry, memory: Memory) -> None:
    text = keys.create("claude", [memory.name]).text
    for wrong in (text[:-1], text + "a", text[:-1] + ("A" if text[-1] != "A" else "B"), text.upper(), f" {text}"):
        with pytest.raises(KeyRefusedError, match="no such key"):
            keys.recognise(wrong)


def test_revoked_and_expired_keys_say_so(keys: KeyRegistry, memory: Memory, store: Store) -> None:
    short, revoked = keys.create("a", [memory.name], days=1), keys.create("b", [memory.name])
    keys.recognise(short.text)
    store.schema("MATCH (k:Key {id: $id}) SET k.expires_at = datetime() - duration('P1D')", id=short.key.id)
    with pytest.raises(KeyRefusedError, match="expired on"):
        keys.recognise(short.text)
    first = keys.revoke(revoked.key.id)
    assert keys.revoke(revoked.key.id) == first
    with pytest.raises(KeyRefusedError, match="was revoked on"):
        keys.recognise(revoked.text)
    assert {one.id: one.state for one in keys.list(memory.name)} == {
        short.key.id: "expired", revoked.key.id: "revoked"
    }  # fmt: skip
    with pytest.raises(InputError, match="no key has the id"):
        keys.revoke("nothing")


def test_a_memory_made_again_is_not_opened(keys: KeyRegistry, graph: Graph, memory: Memory, other: Memory) -> None:
    both, alone = keys.create("a", [memory.name, other.name]), keys.create("b", [other.name])
    graph.delete(other.name)
    graph.memory(other.name)
    assert keys.recognise(both.text).memories == (memory.name,)
    found = keys.recognise(alone.text)
    assert found.memories == ()
    with pytest.raises(NotPermittedError, match="opens no memory any more"):
        found.own("read")
    assert other.name not in [name for key in keys.list() for name in key.memories]


def test_an_own_memory_that_is_gone_gives_no_rights_in_another(
    keys: KeyRegistry, graph: Graph, memory: Memory, other: Memory
) -> None:
    """The second memory, which was only to be read, never becomes the one that is written."""
    made = keys.create("a", [other.name, memory.name], ["read", "write", "forget"])
    graph.delete(other.name)
    found = keys.recognise(made.text)
    with pytest.raises(NotPermittedError, match="opens no memory any more"):
        found.own("write")


def test_what_no_key_can_open_is_refused(keys: KeyRegistry, memory: Memory) -> None:
    for bad in ([], "everything", ["*"], [""], [None], [memory.name, "*"]):
        with pytest.raises(InputError):
            keys.create("a", bad)  # type: ignore[arg-type]
    with pytest.raises(MemoryNotFoundError, match="test-none-such"):
        keys.create("a", [memory.name, "test-none-such"])
    for rights in ([], ["read", "fly"], [""]):
        with pytest.raises(InputError, match="rights must be some of"):
            keys.create("a", [memory.name], rights)
    for days in (0, -1, float("nan"), float("inf")):
        with pytest.raises(InputError, match="a key lasts"):
            keys.create("a", [memory.name], days=days)
    assert keys.list(memory.name) == []


def test_names_to_read_are_among_those_that_are_opened(keys: KeyRegistry, memory: Memory, other: Memory) -> None:
    found = keys.recognise(keys.create("a", [memory.name, other.name], ["read"]).text)
    assert found.readable() == (memory.name, other.name)
    assert found.readable([other.name, other.name]) == (other.name,)
    for bad in ([], "", "abc", ["*"], [""], [None]):
        with pytest.raises(InputError):
            found.readable(bad)  # type: ignore[arg-type]
    with pytest.raises(NotPermittedError, match="opens no memory named"):
        found.readable([memory.name, "diary"])


def test_the_command_makes_lists_and_revokes(oroi: Callable[..., Ran], memory: Memory, keys: KeyRegistry) -> None:
    done = oroi("key", "create", "claude", memory.name, "--rights", "read, write", "--days", "2")
    text = done.out.strip()
    assert done.code == 0
    assert "not shown again" in done.err
    assert keys.recognise(text).memories == (memory.name,)
    [listed] = oroi("key", "list", "--memory", memory.name, "--json").json
    assert (listed["name"], listed["rights"], listed["state"]) == ("claude", ["read", "write"], "active")
    assert text not in oroi("key", "list").out
    assert oroi("key", "revoke", listed["id"]).code == 0
    assert "revoked" in oroi("key", "list", "--memory", memory.name).out
    assert "no memory named" in oroi("key", "create", "claude", "test-none-such").failed()
    assert "rights must be" in oroi("key", "create", "claude", memory.name, "--rights", "all").failed()
    assert "bad memory name" in oroi("key", "create", "claude", "*").failed()
