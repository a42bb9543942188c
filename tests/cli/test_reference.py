"""docs/cli.md is what the commands say, and every command shows an example and has --json."""

from __future__ import annotations

import click
from locations import PROJECT, script

from oroi_graph.cli.app import oroi

DOCS = PROJECT / "docs"


def test_the_reference_is_what_the_commands_say() -> None:
    # Spaces apart, which the versions of click lay out differently.
    written = (DOCS / "cli.md").read_text(encoding="utf-8").split()
    assert written == script(DOCS / "cli_reference.py").page().split(), "run `make docs`"


def test_the_table_of_settings_is_what_the_settings_are() -> None:
    written = (DOCS / "settings.md").read_text(encoding="utf-8")
    assert written == script(DOCS / "settings_reference.py").text(), "run `make docs`"


def test_every_command_shows_an_example_and_has_json() -> None:
    seen = 0
    for path, text in script(DOCS / "cli_reference.py").helps(oroi, "oroi"):
        seen += 1
        assert "Example:" in text, path
        assert "\n    oroi " in text or "\n    OROI_" in text, path
        command: click.Command = oroi
        for name in path.split()[1:]:
            assert isinstance(command, click.Group)
            command = command.commands[name]
        if not isinstance(command, click.Group):
            assert "--json" in text, path
    assert seen > 20
