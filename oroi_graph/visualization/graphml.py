"""A memory as GraphML, for other programs."""

from __future__ import annotations

import io
import json
import os
import unicodedata
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from oroi_graph.errors import InputError
from oroi_graph.visualization.graph import Portrait


def write_graphml(graph: Portrait, path: str | os.PathLike[str]) -> Path:
    """Write every node and edge as GraphML; returns the path.

    None is left out and lists become JSON text, since GraphML has neither; characters that XML forbids are
    dropped. Raises InputError when the file can't be written.
    """
    plain: Portrait = nx.MultiDiGraph(**_scalars(graph.graph))
    plain.add_nodes_from((_xml(str(node)), _scalars(data)) for node, data in graph.nodes(data=True))
    plain.add_edges_from((_xml(str(a)), _xml(str(b)), _scalars(data)) for a, b, data in graph.edges(data=True))
    buffer = io.BytesIO()
    nx.write_graphml_xml(plain, buffer)
    file = Path(path)
    write(file, buffer.getvalue())
    return file


def _scalars(data: dict[Any, Any]) -> dict[str, Any]:
    return {str(key): _scalar(value) for key, value in data.items() if value is not None}


def _scalar(value: Any) -> bool | int | float | str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple | dict):
        value = json.dumps(value, ensure_ascii=False, default=str)
    return _xml(str(value))


def _xml(text: str) -> str:
    return "".join(c for c in text if c in "\t\n" or unicodedata.category(c) not in ("Cc", "Cs", "Cn"))


def write(file: Path, data: bytes) -> None:
    """Write a file. Raises InputError if it cannot be written."""
    try:
        file.write_bytes(data)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot write {file}: {reason}; choose another place") from error
