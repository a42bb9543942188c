"""Runs the tool: arguments as they are, never by a shell; bounded in time and output; in a home of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from oroi_graph.errors import OroiError

MOST = 4_000_000  # characters of output that are read
_SHOWN = 300  # characters of what the tool says of a failure


class SidecarError(OroiError):
    """The sidecar failed; the graph's index answers in its place. detail: what the tool said."""

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


def run(command: str, arguments: Sequence[str], home: Path, timeout: float) -> str:
    """What the tool writes to its output. home: where it keeps its configuration and index; timeout: seconds.

    Raises SidecarError if it is missing, fails, takes too long or says too much.
    """
    variables = os.environ | {
        "XDG_CONFIG_HOME": str(home / "xdg-config"), "XDG_CACHE_HOME": str(home / "xdg-cache"),
        "QMD_CONFIG_DIR": str(home / "xdg-config"), "NO_COLOR": "1",
    }  # fmt: skip
    shown = f"{command} {arguments[0]}"
    try:
        for folder in (home / "xdg-config", home / "xdg-cache"):
            folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(  # noqa: S603 - the command is its owner's configuration
            [os.path.expanduser(command), *arguments], env=variables, timeout=timeout, capture_output=True,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise SidecarError(f"{shown} did not answer within {timeout:g} s") from error
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise SidecarError(f"{command} cannot be run ({said}): install QMD, or set memory.qmd.command") from error
    output = done.stdout.decode("utf-8", "replace")
    if done.returncode != 0:
        detail = f"{done.stderr.decode('utf-8', 'replace')}\n{output}"
        said = " ".join(detail.split())[:_SHOWN] or "it said nothing"
        raise SidecarError(f"{shown} failed ({done.returncode}): {said}", detail)
    if len(output) > MOST:
        raise SidecarError(f"{shown} wrote {len(output):,} characters, the most is {MOST:,}")
    return output
