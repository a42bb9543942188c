"""Files are replaced as a whole or not at all."""

from __future__ import annotations

import os
import socket
import sys
import threading
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


@pytest.mark.skipif(sys.platform == "win32", reason="devices and pipes of POSIX")
class TestWhatIsNoRegularFile:
    def test_a_device_is_written_to(self, tmp_path: Path) -> None:
        files.replace(Path("/dev/null"), "gone")
        assert Path("/dev/null").is_char_device()
        full = Path("/dev/full")
        with pytest.raises(InputError, match=r"cannot write /dev/full: No space left"), files.refusing(full, "write"):
            files.replace(full, "x" * 100_000)
        assert Path("/dev/full").is_char_device()

    def test_a_pipe_is_written_to(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        read: list[str] = []
        reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
        reader.start()
        files.replace(pipe, "hello")
        reader.join(30)
        assert read == ["hello"]
        assert pipe.is_fifo()

    def test_a_link_to_a_pipe_without_a_path_is_written_to(self, tmp_path: Path) -> None:
        """As /dev/stdout and a shell's >(…) are."""
        outlet, inlet = os.pipe()
        (tmp_path / "link").symlink_to(f"/dev/fd/{inlet}")
        files.replace(tmp_path / "link", "hello")
        os.close(inlet)
        with os.fdopen(outlet) as read:
            assert read.read() == "hello"

    def test_a_folder_and_a_socket_are_refused(self, tmp_path: Path) -> None:
        address = tmp_path / "socket"
        with socket.socket(socket.AF_UNIX) as held:
            held.bind(str(address))
            for path in (tmp_path, address):
                with pytest.raises(OSError, match="not a file"):
                    files.replace(path, "x")
        assert address.is_socket()

    def test_a_link_stays_and_its_target_is_replaced(self, tmp_path: Path) -> None:
        target, link = tmp_path / "target", tmp_path / "link"
        target.write_text("old")
        link.symlink_to(target)
        files.replace(link, "new")
        assert link.is_symlink()
        assert target.read_text() == "new"


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
