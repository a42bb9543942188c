"""What accounts of Neo4j Community can and cannot do, as docs/operating.md says."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from oroi_graph.errors import CredentialsError, StoreError
from oroi_graph.memory import Graph
from oroi_graph.storage.store import Store


@pytest.fixture
def account(store: Store, store_settings: Any) -> Iterator[tuple[str, str]]:
    """A user of the database's own; deleted afterwards."""
    if store_settings.password in (None, ""):
        pytest.skip("the database has no accounts")
    name, password = f"oroi{uuid.uuid4().hex[:8]}", secrets.token_urlsafe(16)
    with Store(store_settings.uri, store_settings.user, store_settings.password, "system") as system:
        system.schema(f"CREATE USER {name} SET PASSWORD $password CHANGE NOT REQUIRED", password=password)
        yield name, password
        system.schema(f"DROP USER {name}")


def test_a_user_of_its_own_is_enough_for_everything(
    account: tuple[str, str], store_settings: Any, graph: Graph
) -> None:
    with Store(store_settings.uri, *account, store_settings.database) as own:
        opened = Graph(own, graph.embedder, graph.extractor)
        memory = opened.memory(f"test-{uuid.uuid4().hex[:12]}")
        memory.perceive("My sister Leire lives in Gernika.", speaker="Ana").close()
        assert "Gernika" in memory.recall("Where does my sister live?", speaker="Ana").brief.text
        assert opened.delete(memory.name) == 0
        with pytest.raises(StoreError, match=r"(?i)writ"):
            own.explore("CREATE (:Nothing)")  # what people ask is asked in read access mode


def test_the_password_can_be_changed_alone(account: tuple[str, str], store_settings: Any) -> None:
    name, password = account
    with Store(store_settings.uri, store_settings.user, store_settings.password, "system") as system:
        system.schema(f"ALTER USER {name} SET PASSWORD $password CHANGE NOT REQUIRED", password=password + "x")
    with Store(store_settings.uri, name, password, store_settings.database) as old, pytest.raises(CredentialsError):
        old.verify()


def test_community_has_no_roles(account: tuple[str, str], store_settings: Any) -> None:
    with (
        Store(store_settings.uri, store_settings.user, store_settings.password, "system") as system,
        pytest.raises(StoreError, match=r"(?i)unsupported|community|enterprise"),
    ):
        system.schema("CREATE ROLE reader")
