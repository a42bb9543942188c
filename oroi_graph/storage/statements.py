"""The Cypher statements: one file each under cypher/, the only copy, loaded by name ("storage/stats").

A line "// As working_set/concepts:" stands for the statement of that name, as a subquery of another one.

The packaged folder (`oroi_graph/cypher` in a wheel) is read first, else the repository's.

A statement's parameters are sent in one map. The server keeps a plan for each combination of the types of parameters,
the orders of magnitude of their lists, and those of the lengths of their texts; of a map it sees only that it is one.
A statement of eight lists had dozens of plans, each of which took 100 to 400 ms to make (decision 1926).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from oroi_graph.errors import StoreError

# Vector search with a filter inside the index is Cypher 25; a database's default may still be 5.
_LANGUAGE = "CYPHER 25\n"

_PARAMETER = re.compile(r"\$(?=[a-z])")
_PART = re.compile(r"^ *// As (\S+):$", re.MULTILINE)  # a line in whose place another statement stands
_MAP = "given"


@cache
def folder() -> Path:
    """Where the statements are."""
    here = Path(__file__).parents[1]
    for candidate in (here / "cypher", here.parent / "cypher"):
        if (candidate / "migrations").is_dir():
            return candidate
    raise StoreError("the Cypher statements are missing from this installation: reinstall oroi-graph")


@cache
def load(name: str, prefix: str = "") -> str:
    """The statement called `verb/what_it_does`, ready to send with its `parameters`; `prefix` is EXPLAIN or PROFILE."""
    return _LANGUAGE + prefix + _PARAMETER.sub(f"${_MAP}.", _read(name))


def _read(name: str) -> str:
    """The text of a statement, with those that are parts of it."""
    try:
        text = (folder() / f"{name}.cypher").read_text(encoding="utf-8")
    except OSError as error:
        raise StoreError(f"no Cypher statement named {name!r} in this installation") from error
    return _PART.sub(lambda part: _read(part[1]), text)


class _Values(dict[str, object]):
    """The parameters of a statement. The driver writes them out for its log at each call, whether anybody keeps one or
    not: for those of a turn that took longer than packing them."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{{{', '.join(self)}}}"


def parameters(values: Mapping[str, object]) -> dict[str, object]:
    """What the driver has to send with a statement that was loaded."""
    return {_MAP: _Values(values)}


def values(sent: Mapping[str, Any]) -> dict[str, Any]:
    """The values by name of what `parameters` made."""
    return dict(sent[_MAP])


def names() -> list[str]:
    """Every statement but the migrations, sorted."""
    root = folder()
    found = (path.relative_to(root).with_suffix("").as_posix() for path in root.rglob("*.cypher"))
    return sorted(name for name in found if not name.startswith("migrations/"))


def language(text: str) -> str:
    """`text` marked with the Cypher version the statements are written in."""
    return _LANGUAGE + text
