"""The command line as tests run it: in this process for most, as a process of its own where that matters."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from shared_assets import ASSET_CACHE

from oroi_graph.cli import main
from oroi_graph.server.fetch import ensure_minilm
from oroi_graph.storage import catalog
from oroi_graph.storage.store import Store


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its standard output as JSON."""
        return json.loads(self.out)

    def failed(self, code: int = 1) -> str:
        """The one line of a failure."""
        assert self.code == code, self
        assert self.out == "", self
        assert self.err.startswith("oroi: "), self
        assert self.err.count("\n") == 1, self
        return self.err


@pytest.fixture
def cli_environment(store_settings: Any, store: Store, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a user whose settings are the suite's database and its local model, the fastest one."""
    for name in [*os.environ]:
        if name.startswith(("OROI_", "OPENAI_")) and not name.startswith("OROI_TEST_"):
            monkeypatch.delenv(name)
    ensure_minilm(ASSET_CACHE)
    given = {
        "OROI_NEO4J_URI": store_settings.uri,
        "OROI_NEO4J_USER": store_settings.user,
        "OROI_NEO4J_PASSWORD": store_settings.password,
        "OROI_CACHE_DIR": str(ASSET_CACHE),
        "OROI_EMBEDDER": "minilm",
    }
    if store_settings.database:
        given["OROI_NEO4J_DATABASE"] = store_settings.database
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return given


@pytest.fixture
def oroi(
    cli_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    """Run a command here: `oroi("say", name, "text", stdin=b"…")`."""

    def run(*arguments: str, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capsys.readouterr()
        code = main(arguments)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def spawn(cli_environment: dict[str, str]) -> Callable[..., subprocess.Popen[bytes]]:
    """Start a command as a process of its own."""

    def start(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        return subprocess.Popen([sys.executable, "-m", "oroi_graph", *arguments], **pipes)

    return start


@pytest.fixture
def mind(store: Store) -> Iterator[str]:
    """The name of a memory of this test's own, deleted afterwards if it was made."""
    name = f"cli-{uuid.uuid4().hex[:10]}"
    yield name
    if catalog.remaining(store, name):
        assert catalog.delete(store, name) == 0
