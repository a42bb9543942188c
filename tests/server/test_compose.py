"""The compose files: valid by the Compose Specification's own schema, and closed to other machines."""

from __future__ import annotations

import json
import re
from typing import Any

import click
import jsonschema
import pytest
import yaml
from locations import PROJECT as ROOT
from tables import table

from oroi_graph.cli.app import oroi
from oroi_graph.cli.sleep import worker
from oroi_graph.consolidation.schedule import CronSchedule
from oroi_graph.server.artifacts import read_lock
from oroi_graph.settings import VARIABLES, Settings

FILES = ("compose.yml", "compose.test.yml")


def load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker" / name).read_text(encoding="utf-8"))
    return loaded


@pytest.fixture(scope="module")
def schema() -> jsonschema.Draft7Validator:
    text = (ROOT / "tests" / "data" / "compose-spec.json").read_text(encoding="utf-8")
    return jsonschema.Draft7Validator(json.loads(text))


@pytest.mark.parametrize("name", FILES)
def test_follows_the_compose_specification(name: str, schema: jsonschema.Draft7Validator) -> None:
    assert [error.message for error in schema.iter_errors(load(name))] == []


def test_the_schema_refuses_what_it_should(schema: jsonschema.Draft7Validator) -> None:
    wrong = load("compose.yml")
    wrong["services"]["neo4j"]["port"] = wrong["services"]["neo4j"].pop("ports")
    assert not schema.is_valid(wrong)


@table("name", FILES)
def test_every_port_is_on_the_loopback_interface(name: str) -> None:
    ports = load(name)["services"]["neo4j"]["ports"]
    assert ports
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []


@table("name", FILES)
def test_same_version_as_the_managed_server(name: str) -> None:
    assert load(name)["services"]["neo4j"]["image"] == f"neo4j:{read_lock().version}-community"


def test_a_users_password_comes_from_the_environment() -> None:
    authentication = load("compose.yml")["services"]["neo4j"]["environment"]["NEO4J_AUTH"]
    assert authentication.startswith("neo4j/${OROI_NEO4J_PASSWORD:?")


def test_a_worker_is_there_for_whoever_asks_for_it() -> None:
    service = load("compose.yml")["services"]["worker"]
    assert service["profiles"] == ["worker"]
    assert "ports" not in service
    assert "container_name" not in service, "there may be several"
    assert (ROOT / "docker" / service["build"]["context"] / service["build"]["dockerfile"]).is_file()


def test_a_worker_is_given_settings_that_exist() -> None:
    given = load("compose.yml")["services"]["worker"]["environment"]
    known = {variable for variables in VARIABLES.values() for variable in variables}
    assert set(given) - {"TZ"} <= known
    settings = Settings.from_env({name: defaulted(text) for name, text in given.items()})
    assert (settings.embedder, settings.extractor, settings.uri) == ("e5-small", "offline", "bolt://neo4j:7687")
    assert settings.password == "set"


def test_the_workers_command_is_one_that_the_command_line_takes() -> None:
    arguments = [defaulted(text) for text in load("compose.yml")["services"]["worker"]["command"]]
    assert arguments[0] == "worker"
    # As a command of `oroi`: a command keeps the names of its help option from the first context that it is made in.
    worker.make_context("worker", arguments[1:], parent=click.Context(oroi, **oroi.context_settings))
    assert CronSchedule(arguments[arguments.index("--at") + 1])


def defaulted(text: str) -> str:
    """`text` as compose fills it in where nothing is set but what must be."""
    return re.sub(r"\$\{(\w+)(?::-([^}]*)|:\?[^}]*)\}", lambda m: "set" if m[2] is None else m[2], text)


def test_tests_keep_apart_from_a_users_server() -> None:
    users, tests = load("compose.yml"), load("compose.test.yml")
    assert users["name"] != tests["name"]
    assert "volumes" not in tests["services"]["neo4j"]
    assert "/data" in tests["services"]["neo4j"]["tmpfs"]
    assert "17687" in tests["services"]["neo4j"]["ports"][0]
