"""How much memory the managed server takes, and how much there is."""

from __future__ import annotations

from pathlib import Path

import psutil

from oroi_graph.errors import ServerError

_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_HEAP = (16, 512, 2048)  # the part of the available memory that the heap takes by itself, its least and most, MB
_PAGE_CACHE = (8, 256, 8192)  # the same of the page cache, whose memory is taken only as pages are read
_BESIDE_HEAP = 160 << 20  # code, threads and buffers of the Java process
_CGROUP = Path("/sys/fs/cgroup")


def parse_size(text: str) -> int:
    """ "512m" → bytes; units k, m, g. Raises ServerError on anything else."""
    try:
        return int(text[:-1]) * _UNITS[text[-1:].lower()]
    except (ValueError, KeyError):
        raise ServerError(f"{text!r} is no size: write it like 512m or 2g") from None


def sizes(heap: str | None, page_cache: str | None, available: int) -> tuple[str, str]:
    """The heap and the page cache of a server. One that is not given is a part of what is available, in bytes: as long
    as the graph fits into the page cache, nothing is read from files again and again."""
    room = _mb(available)
    return heap or _part(room, *_HEAP), page_cache or _part(room, *_PAGE_CACHE)


def _part(room: int, divisor: int, least: int, most: int) -> str:
    return f"{min(max(room // divisor, least), most)}m"


def require_memory(heap: str, page_cache: str, available: int) -> None:
    """Raise ServerError, with the memory needed and what is available, in bytes, if the server could not start."""
    needed = parse_size(heap) + parse_size(page_cache) + _BESIDE_HEAP
    if needed > available:
        raise ServerError(
            f"too little memory: the server needs {_mb(needed)} MB, {_mb(available)} MB are available; "
            "end other programs or lower OROI_SERVER_HEAP (256m works) and OROI_SERVER_PAGE_CACHE"
        )


def available_memory(cgroup: Path = _CGROUP) -> int:
    """Bytes that a new process may take: what the machine has left, within the container's limit."""
    available = int(psutil.virtual_memory().available)
    left = _left_in_container(cgroup)
    return available if left is None else min(available, left)


def _left_in_container(cgroup: Path) -> int | None:
    try:
        limit = int((cgroup / "memory.max").read_text(encoding="ascii"))
        used = int((cgroup / "memory.current").read_text(encoding="ascii"))
        statistics = (cgroup / "memory.stat").read_text(encoding="ascii")
    except (OSError, ValueError):  # no container, or "max": no limit
        return None
    fields = dict(line.split() for line in statistics.splitlines())
    return max(0, limit - used + int(fields.get("inactive_file", 0)))  # file cache gives way


def _mb(size: int) -> int:
    return round(size / (1 << 20))
