"""forget, undo and fact as a new user tries them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from conftest_cli import Ran, cli_environment, mind, oroi

from oroi_graph.storage.store import Store

__all__ = ["cli_environment", "mind", "oroi"]

Oroi = Callable[..., Ran]


@pytest.fixture
def diary(oroi: Oroi, mind: str) -> str:
    """Two turns of Ana's, with replies."""
    assert oroi("say", mind, "My boss is Koldo.", "--speaker", "Ana", "--reply", "Koldo, I see.").code == 0
    assert oroi("say", mind, "I live in Gernika.", "--speaker", "Ana", "--reply", "Noted.").code == 0
    return mind


def words(store: Store, name: str) -> list[str]:
    return [
        row[0]
        for row in store.explore("MATCH (r:Record {memory: $m}) RETURN r.text ORDER BY r.turn, r.role DESC", m=name)[1]
    ]


def test_forget_shows_asks_and_proves(oroi: Oroi, diary: str, store: Store) -> None:
    shown = oroi("forget", diary, "Koldo", "--dry-run")
    assert shown.code == 0
    assert shown.out.startswith("to forget: 2 concepts, 3 associations, 2 records")
    assert "  Ana's boss is Koldo." in shown.out
    assert "Ana: My boss is Koldo." in shown.out
    assert oroi("forget", diary, "Koldo").failed(2) == (
        "oroi: nobody can be asked here: add --yes to forget: see `oroi forget --help`\n"
    )
    assert len(words(store, diary)) == 4
    done = oroi("forget", diary, "Koldo", "--yes")
    assert done.out == (
        f"forgotten: 2 concepts, 3 associations, 2 records\n{diary} was searched for it: 0 places are left\n"
    )
    assert words(store, diary) == ["I live in Gernika.", "Noted."]
    again = oroi("forget", diary, "Koldo", "--yes")
    assert (again.code, again.out, again.err) == (0, "", "nothing to forget: nothing is known of 'Koldo'\n")


def test_a_wish_that_cannot_be_obeyed_is_answered(oroi: Oroi, diary: str) -> None:
    said = oroi("say", diary, "Forget Koldoo.")
    assert said.out == f"{diary} turn 3: nothing was forgotten: nothing is known of 'Koldoo'; perhaps you mean Koldo\n"
    told = oroi("say", diary, "Forget my dentist.", "--json").json
    assert told["refused"].startswith("nothing was forgotten: nothing is known of 'my dentist'")
    assert told["concepts"] == []


def test_forget_as_json(oroi: Oroi, diary: str) -> None:
    found = oroi("forget", diary, "donde vivo", "--dry-run", "--json").json
    assert [fact["target"] for fact in found["facts"]] == ["Gernika"]
    done = oroi("forget", diary, "where I live", "--yes", "--json").json
    assert (done["memory"], done["counts"]["associations"], done["remains"]) == (diary, 1, 0)
    assert oroi("forget", diary, "where I live", "--json").json["counts"]["records"] == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Ana", "nothing to forget: who speaks is not forgotten by a name: `oroi memory delete"),
        ("that", "nothing to forget: it names nothing: `oroi undo`"),
        ("Koldoo", "did you mean: Koldo"),
        ("", "nothing to forget: nothing is known of ''"),
    ],
)
def test_forget_what_cannot_be(oroi: Oroi, diary: str, store: Store, text: str, told: str) -> None:
    ran = oroi("forget", diary, text, "--yes")
    assert (ran.code, ran.out) == (0, "")
    assert told in ran.err
    assert len(words(store, diary)) == 4


COMMANDS = [
    ("forget", "{}", "Koldo"),
    ("undo", "{}"),
    ("fact", "list", "{}", "Ana"),
    ("fact", "edit", "{}", "x", "--target", "y"),
    ("fact", "delete", "{}", "x"),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_memory_that_is_not_there(oroi: Oroi, mind: str, command: tuple[str, ...]) -> None:
    words = [word.format(mind) for word in command]
    yes = [] if words[:2] in (["fact", "list"], ["fact", "edit"]) else ["--yes"]
    assert f"no memory named '{mind}'" in oroi(*words, *yes).failed()
    assert "bad memory name" in oroi(*[word.format("a/b") for word in command], *yes).failed()


def test_said_in_conversation(oroi: Oroi, diary: str) -> None:
    said = oroi("say", diary, "Olvida que vivo en Gernika.", "--speaker", "Ana")
    assert said.out.startswith(f"{diary} turn 3: forgotten as asked (concepts 1, associations 1, records 2)")
    assert oroi("ask", diary, "Where do I live?").out == ""


def test_undo(oroi: Oroi, diary: str, store: Store) -> None:
    assert "add --yes to undo" in oroi("undo", diary).failed(2)
    done = oroi("undo", diary, "--yes")
    assert done.out.startswith(f"{diary}: took back turn 2 (2 records, 1 concepts, 1 associations")
    assert words(store, diary) == ["My boss is Koldo.", "Koldo, I see."]
    assert oroi("undo", diary, "--yes", "--json").json["turn"] == 1
    assert "nothing to undo" in oroi("undo", diary, "--yes").failed()


def test_facts(oroi: Oroi, diary: str) -> None:
    (fact,) = oroi("fact", "list", diary, "Gernika", "--json").json
    listed = oroi("fact", "list", diary, "my boss")
    assert "Ana's boss is Koldo." in listed.out
    assert "Ana's boss is Koldo." in oroi("fact", "list", diary).out
    assert "bad time 'x'" in oroi("fact", "edit", diary, fact["id"], "--when", "x").failed()
    assert "nothing to change" in oroi("fact", "edit", diary, fact["id"]).failed()
    edited = oroi("fact", "edit", diary, fact["id"], "--target", "Getxo", "--when", "2026-03", "--json").json
    assert edited["sentence"] == "Since March 2026 Ana lives in Getxo."
    assert "Getxo" in oroi("ask", diary, "Where do I live?").out
    assert "holds no longer" in oroi("fact", "edit", diary, fact["id"], "--target", "Bilbao").failed()
    assert "add --yes to delete" in oroi("fact", "delete", diary, edited["id"]).failed(2)
    assert (
        oroi("fact", "delete", diary, edited["id"][:8], "--yes").out
        == "deleted: Since March 2026 Ana lives in Getxo.\n"
    )
    assert "has no fact" in oroi("fact", "delete", diary, edited["id"], "--yes").failed()
    assert oroi("fact", "list", diary, "Getxo").err == "no fact is known of Getxo\n"


def test_killed_half_way_it_is_finished_by_the_next_command(oroi: Oroi, diary: str, store: Store) -> None:
    """A forgetting that was marked and then lost its process."""
    program = (
        "import os, sys\n"
        "from oroi_graph.forgetting import delete as forget\n"
        "from oroi_graph.forgetting.request import parse_request\n"
        "from oroi_graph.options import Dynamics\n"
        "from oroi_graph.settings import Settings\n"
        "from oroi_graph.connection import open_store\n"
        "store = open_store(Settings.from_env())\n"
        "die = lambda done, total, label: os._exit(9)\n"
        "forget.forget(store, sys.argv[1], parse_request('Koldo', 'Ana'), Dynamics(), small=1, progress=die)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program, diary], capture_output=True, timeout=120, check=False)
    assert ran.returncode == 9, ran.stderr
    state = "MATCH (f:Forgetting {memory: $m}) RETURN f.state"
    assert store.explore(state, m=diary)[1] == [["running"]]
    assert len(words(store, diary)) == 3
    assert oroi("forget", diary, "Koldo", "--dry-run").code == 0
    assert store.explore(state, m=diary)[1] == [["running"]]
    again = oroi("forget", diary, "something else", "--yes")
    assert again.err.startswith("what an earlier, interrupted request was to forget is gone now\nnothing to forget")
    assert words(store, diary) == ["I live in Gernika.", "Noted."]
    assert store.explore(state, m=diary)[1] == [["done"]]


def test_json_of_what_was_obeyed(oroi: Oroi, diary: str) -> None:
    told: dict[str, Any] = json.loads(oroi("say", diary, "Forget Koldo.", "--speaker", "Ana", "--json").out)
    assert told["forgotten"]["counts"]["records"] == 2
    assert told["forgotten"]["remains"] == 0
