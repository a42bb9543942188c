"""docs/contract.md as a new user follows it: the commands of its example, typed into a shell as they stand there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from oroi_graph.storage import catalog
from oroi_graph.storage.store import Store

PAGE = Path(__file__).parents[2] / "docs" / "contract.md"
DONE = "=== done ==="
_ID = re.compile(r"\b([0-9a-f]{4})…")  # the beginning of an id or hash, as the page shows it
_PARTS = re.compile(rf"{_ID.pattern}|\d{{4}}-\d\d-\d\d(?:T[\d:]+Z)?|…")


class Typed(NamedTuple):
    """A command of the page and what the page says it prints, line by line."""

    command: str
    prints: tuple[str, ...]


def example() -> Iterator[Typed]:
    """The commands of the section "A worked example", in order."""
    section = PAGE.read_text("utf-8").split("\n## A worked example\n")[1].split("\n## ")[0]
    for block in re.findall(r"```console\n(.*?)```", section, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *rest = re.split(r"(?<!\\)\n", part, maxsplit=1)
            yield Typed(command, tuple("".join(rest).splitlines()))


class Reader:
    """Compares what was printed with the page. ids: the beginnings on the page, with what stood in their place."""

    def __init__(self) -> None:
        self.ids: dict[str, str] = {}

    def matches(self, expected: Sequence[str], printed: Sequence[str]) -> bool:
        """Whether the lines are those of the page; a line of "…" alone stands for any lines."""
        if not expected:
            return not printed
        if expected[0] == "…":
            return any(self.matches(expected[1:], printed[start:]) for start in range(len(printed) + 1))
        return bool(printed) and self._line(expected[0], printed[0]) and self.matches(expected[1:], printed[1:])

    def _line(self, expected: str, printed: str) -> bool:
        names: list[str] = []

        def part(found: re.Match[str]) -> str:
            if found[1]:
                names.append(found[1])
                return "([0-9a-f-]{36,64})"
            return r"\d{4}-\d\d-\d\d(?:T[\d:]+Z)?" if found[0] != "…" else ".+"

        places = [(one.start(), one.end(), part(one)) for one in _PARTS.finditer(expected)]
        pattern, last = "", 0
        for start, end, own in places:
            pattern, last = pattern + re.escape(expected[last:start]) + own, end
        found = re.fullmatch(pattern + re.escape(expected[last:]), printed)
        if found is None:
            return False
        return all(self.ids.setdefault(name, own) == own for name, own in zip(names, found.groups(), strict=True))


def test_the_example_of_the_page_is_what_happens(cli_environment: dict[str, str], store: Store, tmp_path: Path) -> None:
    name = f"harbour-{uuid.uuid4().hex[:8]}"
    folder = Path(sys.executable).parent
    environment = os.environ | cli_environment | {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PYTHONUNBUFFERED": "1",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }  # fmt: skip
    shell = subprocess.Popen(
        ["bash", "--norc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        cwd=tmp_path, env=environment,
    )  # fmt: skip
    assert shell.stdin is not None
    assert shell.stdout is not None
    reader, count = Reader(), 0
    try:
        for typed in example():
            command = re.sub(r"\bharbour\b", name, typed.command)
            for beginning, id in reader.ids.items():
                command = re.sub(rf"\b{beginning}\b", id[:8], command)
            shell.stdin.write(f"{command}\necho '{DONE}'\n")
            shell.stdin.flush()
            printed = [line.rstrip("\n") for line in iter(shell.stdout.readline, f"{DONE}\n") if line]
            expected = [re.sub(r"\bharbour\b", name, line) for line in typed.prints]
            assert reader.matches(expected, printed), (command, expected, printed)
            count += 1
        assert count >= 14
        assert len(set(reader.ids.values())) == len(reader.ids)
    finally:
        shell.communicate(timeout=60)
        catalog.delete(store, name)


def test_another_output_than_the_pages_is_seen() -> None:
    reader = Reader()
    assert reader.matches(["inserted: entry 3b6a… (place 1)"], [f"inserted: entry {'a' * 36} (place 1)"])
    assert not reader.matches(["3b6a… by claude"], [f"{'b' * 36} by claude"])  # another entry
    assert not reader.matches(["3b6a… by claude"], [f"{'a' * 36} by kimi"])
    assert not reader.matches(["one line"], ["one line", "another line"])
    assert not reader.matches(["one line"], [])
    assert reader.matches(["first", "…", "last"], ["first", "a", "b", "last"])
    assert not reader.matches(["first", "…", "last"], ["first", "a", "b"])
