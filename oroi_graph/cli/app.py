"""The command `oroi` itself: global options, the list of commands, and the one place where errors end."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from io import TextIOWrapper

import click

from oroi_graph import __version__
from oroi_graph.cli import episodes, evaluate, forgetting, look, memories, service, sleep, talk, transfer
from oroi_graph.cli.contract import contract
from oroi_graph.cli.interfaces import explore, key, mcp, serve
from oroi_graph.cli.output import emit_json
from oroi_graph.cli.session import INTERRUPTED, Session
from oroi_graph.cli.workspace import workspace
from oroi_graph.errors import LONGEST, OroiError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--uri", metavar="URI", help="A Neo4j to use instead of the local one (OROI_NEO4J_URI).")
@click.option("--user", metavar="NAME", help="Its user (OROI_NEO4J_USER).")
@click.option(
    "--password",
    metavar="WORD",
    help="Its password. OROI_NEO4J_PASSWORD is better: other users can read command lines.",
)
@click.option("--database", metavar="NAME", help="Its database (OROI_NEO4J_DATABASE).")
@click.version_option(__version__, prog_name="oroi", message="%(prog)s %(version)s")
@click.pass_context
def oroi(context: click.Context, uri: str | None, user: str | None, password: str | None, database: str | None) -> None:
    """Long-term memory for agents, kept as a living graph in Neo4j.

    Without configuration a local Neo4j is fetched, started and used; OROI_NEO4J_URI names another one.

    \b
    Example:
      oroi say diary "I live in Durango and my sister is called Leire." --speaker Ana
      oroi ask diary "What is my sister called?"
    """
    given = {"uri": uri, "user": user, "password": password, "database": database}
    context.obj = Session({name: value for name, value in given.items() if value is not None})


for command in (
    service.setup, talk.say, talk.ask, talk.profile, talk.chat, transfer.import_, look.show, sleep.consolidate,
    sleep.merges, forgetting.forget, forgetting.undo, forgetting.fact, contract, workspace, memories.memory,
    episodes.episode, memories.stats, memories.retry, memories.reembed, transfer.backup, transfer.restore, sleep.worker,
    evaluate.evaluate, look.cypher, look.windows, key, mcp, serve, explore, service.server, service.migrate,
    service.doctor,
):  # fmt: skip
    oroi.add_command(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `oroi` with these arguments (the process's own by default); its exit code.

    0 done, 1 an error of ours (one line on stderr), 2 wrong usage, 130 interrupted.
    """
    # What the driver has to say comes with our line; where nobody configures logging, Python would print it, too.
    logging.getLogger("neo4j").addHandler(logging.NullHandler())
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows its code instead of ending the command.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    given = sys.argv[1:] if arguments is None else arguments
    as_json = "--json" in given and "evaluate" not in given  # there it names a file
    try:
        code = oroi.main(args=arguments, prog_name="oroi", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "oroi"
        _say(f"{error.format_message().rstrip('.')}: see `{path} --help`", error, as_json)
        return 2
    except click.ClickException as error:
        _say(error.format_message(), error, as_json and not getattr(error, "told", False))
        return error.exit_code
    except OroiError as error:
        if _caused_by_interrupt(error):
            _say("interrupted")
            return INTERRUPTED
        _say(str(error), error, as_json)
        return 1
    except (click.Abort, KeyboardInterrupt):
        _say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stdout = None  # nothing is left to flush at exit
        return 1
    return code if isinstance(code, int) else 0


def _caused_by_interrupt(error: BaseException) -> bool:
    """Ctrl-C in the middle of a statement: the driver reports the connection that it had to give up."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, KeyboardInterrupt):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _say(message: str, error: Exception | None = None, as_json: bool = False) -> None:
    """One line on stderr, whatever the error's text looks like; for programs also an object on stdout."""
    line = " ".join(message.split())
    line = line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
    if as_json and error is not None:
        emit_json({"error": type(error).__name__, "message": line})
    click.echo(f"oroi: {line}", err=True)
