"""doctor: what works here, and what to do about the rest."""

from __future__ import annotations

import click

from oroi_graph.cli.session import Session, emit, emit_json, json_option

_SIGNS = {"ok": "ok    ", "later": "later ", "failed": "FAILED"}


@click.command()
@json_option
@click.pass_context
def doctor(context: click.Context, as_json: bool) -> None:
    """Check that all is in place.

    Looks at Python, packages, disk, files, model, server and schema, and says what to do. Changes nothing. Exits
    with 1 if anything failed.

    \b
    Example:
      oroi doctor
    """
    from oroi_graph.diagnosis import diagnose

    session: Session = context.obj
    checks = []
    for check in diagnose(session.settings):
        checks.append(check)
        if not as_json:
            advice = f" → {check.advice}" if check.advice else ""
            emit(f"{_SIGNS[check.state]}  {check.name}: {check.found}{advice}")
    if as_json:
        emit_json([check.to_json() for check in checks])
    if any(check.state == "failed" for check in checks):
        context.exit(1)
