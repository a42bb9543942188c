"""Write docs/cli.md: the help of every command, as `oroi` prints it. Run it by `make docs`; a test compares."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from oroi_graph.cli.app import oroi

PAGE = Path(__file__).resolve().parent / "cli.md"
WIDTH = 100
HEAD = """# The command line

Written by `make docs` from the commands' own help: change it there.

Every command takes `--json` for programs, prints errors as one line on stderr and exits with 0 (done), 1 (an error),
2 (wrong usage) or 130 (interrupted). Settings come from the environment (`OROI_…`), or from the options of `oroi`
itself, which stand before the command.

The shell completes commands and options once it is told to, in `~/.bashrc`, `~/.zshrc` or fish's
`~/.config/fish/completions/oroi.fish`:

```
eval "$(_OROI_COMPLETE=bash_source oroi)"     # bash 4.4 or later
eval "$(_OROI_COMPLETE=zsh_source oroi)"      # zsh
_OROI_COMPLETE=fish_source oroi | source      # fish
```
"""


def page() -> str:
    """The whole page."""
    sections = [f"\n## {path}\n\n```\n{text.rstrip()}\n```\n" for path, text in helps(oroi, "oroi")]
    return HEAD + "".join(sections)


def helps(command: click.Command, name: str, above: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """(path, help) of a command and all below it."""
    settings = command.context_settings | {"terminal_width": WIDTH, "max_content_width": WIDTH}
    context = click.Context(command, info_name=name, parent=above, **settings)
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if found is not None:
                yield from helps(found, below, context)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE.name} is written\n")
