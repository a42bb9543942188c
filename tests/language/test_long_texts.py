"""No text that may be sent keeps a process busy: each function reads it in a time that grows with its length alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "support" / "long_texts.py"
# Seconds. All takes some twenty on an idle machine; one shape read in the square of its length takes more alone.
PATIENCE = 150


def test_every_shape_is_read_to_its_end() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout.split()[-1] == "read_windows"
