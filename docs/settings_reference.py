"""Write docs/settings.md: every setting with its variable, meaning and default, from `oroi_graph.settings`.

python docs/settings_reference.py
"""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from pathlib import Path

from oroi_graph import settings

TARGET = Path(__file__).with_name("settings.md")
_HEAD = """# Settings

Made by `python docs/settings_reference.py` from `oroi_graph/settings.py`. An empty variable counts as unset. Each is a
field of `Settings`, too: `connect(settings=Settings(…))`.

| variable | meaning | default |
|---|---|---|
"""


def text() -> str:
    """The page."""
    source = Path(settings.__file__).read_text("utf-8")
    said = dict(re.findall(r"^    (\w+): [^#\n]+  # (.+)$", source, re.MULTILINE))
    rows = []
    for field in fields(settings.Settings):
        variables = ", ".join(f"`{variable}`" for variable in settings.VARIABLES[field.name])
        default = "–" if field.default is None else field.default
        default = ",".join(default) if isinstance(default, tuple) else default
        if field.default is MISSING:
            default = "the platform's folder"
        rows.append(f"| {variables} | {said[field.name].replace('|', 'or')} | {default} |")
    return _HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
