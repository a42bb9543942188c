"""Nothing outside of a workspace is read, whatever path is asked for."""

from __future__ import annotations

import os
import random
import threading
from pathlib import Path

import pytest
from tables import table

from oroi_graph.errors import InputError
from oroi_graph.workspace.files.reading import get
from oroi_graph.workspace.layout import Layout

SECRET = "the secret outside"

REFUSED = [
    "", ".", "..", "/", "~", "/etc/passwd", "~/x.md", "../secret.md", "memory/../../secret.md", "memory/../MEMORY.md",
    "memory/./a.md", "memory//a.md", "memory/", "memory", "./MEMORY.md", "memory/a.md/", "memory\\a.md", "C:\\x.md",
    "C:x.md", "\\\\host\\x.md", "MEMORY.md\0", "memory/a.md\0.txt", "memory/\u202egpj.md", "memory/\u200b.md",
    "memory/\u2024\u2024/x.md", "memory/\u2025/x.md", "memory/\uff0e\uff0e/x.md", "memory\uff0fa.md", "\uff2dEMORY.md",
    "memory/\u2025\uff0fx.md", "memory/\n.md", "memory/\x1b[2J.md", "memory/\ud800.md", "memory/\ue000.md",
    "memory/.hidden.md", "memory/.git/config.md", ".oroi/history/x.md", "memory/a.txt", "memory/a", "memory/a.md.bak",
    "memory/a.MD", "notes.md", "memory.md", "Memory/a.md", "sessions/a.jsonl", "sessions/a.md", "extra/x.md",
    "extra/docs/../x.md", "qmd/x/y.md", "%2e%2e/secret.md", "file:///etc/passwd", "memory/" + "a" * 300 + ".md",
    "memory/" + "a/" * 600 + "b.md", "memory/. ./x.md", "memory/.. /x.md", "memory/.../x.md",
]  # fmt: skip


@pytest.fixture
def guarded(tmp_path: Path) -> Layout:
    """A workspace, with a secret outside of it."""
    (tmp_path / "secret.md").write_text(SECRET)
    root = tmp_path / "workspace"
    (root / "memory").mkdir(parents=True)
    (root / "docs").mkdir()
    for path in ("MEMORY.md", "memory/a.md", "docs/in.md", "notes.md", "memory/a.txt"):
        (root / path).write_text("of the workspace\n")
    return Layout.of(root, ("docs",))


@table("path", REFUSED, ascii)
def test_it_is_refused_in_one_line(path: str, guarded: Layout) -> None:
    with pytest.raises(InputError) as refusal:
        get(guarded, path)
    assert str(refusal.value).isprintable()
    assert SECRET not in str(refusal.value)


@table("value", [None, 7, b"MEMORY.md", ["MEMORY.md"]])
def test_what_is_no_text_is_refused(value: object, guarded: Layout) -> None:
    with pytest.raises(InputError):
        get(guarded, value)  # type: ignore[arg-type]


@table("path", ["MEMORY.md", "memory/a.md", "extra/docs/in.md"])
def test_notes_are_read(path: str, guarded: Layout) -> None:
    assert get(guarded, path).text == "of the workspace"


def test_a_thousand_hostile_paths_read_nothing_outside(guarded: Layout) -> None:
    pieces = [
        "..", ".", "memory", "MEMORY.md", "secret.md", "a.md", "\uff0e\uff0e", "\u2025", "~", "\0", "extra", "docs",
        "%2e%2e", "\u202e", " ", "", "link", "link.md", "etc", "passwd", "\\", "\u2215", "C:", ".oroi", "a.txt",
    ]  # fmt: skip
    (guarded.root / "memory/link.md").symlink_to(guarded.root.parent / "secret.md")
    (guarded.root / "memory/link").symlink_to(guarded.root.parent)
    rng = random.Random(23)
    for _ in range(1000):
        path = rng.choice(["/", "\\", "//", "\uff0f"]).join(rng.choices(pieces, k=rng.randint(1, 5)))
        told = ""
        try:
            assert get(guarded, path).text == "of the workspace"
        except InputError as refusal:
            told = str(refusal)
        assert told.isprintable()


@table("path", ["memory/link.md", "memory/link/secret.md", "extra/docs/link.md", "memory/loop/x.md", "memory/pipe.md",
                "memory/folder.md"])  # fmt: skip
def test_links_and_what_is_no_file_are_refused(path: str, tmp_path: Path) -> None:
    root = tmp_path / "w"
    for folder in ("memory/folder.md", "docs"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (tmp_path / "secret.md").write_text(SECRET)
    links = {
        "memory/link.md": "secret.md",
        "docs/link.md": "secret.md",
        "memory/link": ".",
        "memory/loop": "w/memory/loop",
    }
    for link, target in links.items():
        if not (root / link).is_symlink():
            (root / link).symlink_to(tmp_path / target)
    if not (root / "memory/pipe.md").exists():
        os.mkfifo(root / "memory/pipe.md")
    with pytest.raises(InputError):
        get(Layout.of(root, ("docs",)), path)


def test_a_link_that_takes_the_place_of_a_folder_meanwhile_is_not_followed(guarded: Layout) -> None:
    outside = guarded.root.parent / "outside"
    outside.mkdir()
    (outside / "a.md").write_text(SECRET)
    inner, kept = guarded.root / "memory/in", guarded.root / "memory/kept"
    inner.mkdir()
    (inner / "a.md").write_text("of the workspace\n")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            inner.rename(kept)
            inner.symlink_to(outside)
            inner.unlink()
            kept.rename(inner)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        for _ in range(2000):
            try:
                assert get(guarded, "memory/in/a.md").text == "of the workspace"
            except InputError:
                continue
    finally:
        stop.set()
        swapping.join()
