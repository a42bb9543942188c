"""No text that may be sent keeps a process busy: each function reads it in a time that grows with its length alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "support" / "long_texts.py"


@pytest.mark.endurance
def test_every_shape_is_read_to_its_end() -> None:
    """Any text that takes more than its share of processor time ends the script; at length: `long_texts.py 200000`."""
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-500:]
    assert done.stdout.split()[-1] == "read_windows"
