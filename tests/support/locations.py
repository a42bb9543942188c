"""Where the suite finds things: the project, its test data, scripts that tests start, and measuring data beside it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

SUPPORT = Path(__file__).resolve().parent
DATA = SUPPORT.parent / "data"
PROJECT = SUPPORT.parents[1]
SHARED = PROJECT.parent / "shared" / "data"


def script(path: Path) -> ModuleType:
    """A file of Python outside the path, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # where dataclasses look up their annotations
    spec.loader.exec_module(module)
    return module
