"""Files are replaced as a whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from oroi_graph import files
from oroi_graph.errors import InputError


@pytest.mark.parametrize("content", ["one\ntwo – three\n", b"\x00\xff\r\n", ""])
def test_a_file_is_replaced(tmp_path: Path, content: str | bytes) -> None:
    path = tmp_path / "file"
    path.write_text("what was there")
    files.replace(path, content)
    assert path.read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert list(tmp_path.iterdir()) == [path]


def test_a_private_file_is_its_owners_only(tmp_path: Path) -> None:
    path = tmp_path / "file"
    files.replace(path, "secret", private=True)
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_fails_half_way_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("what was there")

    def interrupted() -> None:
        with files.replacing(path) as file:
            file.write("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "what was there"
    assert list(tmp_path.iterdir()) == [path]


def test_an_unwritable_path_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "file"
    with pytest.raises(InputError, match=rf"^cannot write {path}: No such file"), files.refusing(path, "write"):
        files.replace(path, "text")
