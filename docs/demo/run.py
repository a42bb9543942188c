"""The demo: fetch, start, import a conversation, ask it questions, draw the memory, stop.

Everything it makes is under .demo/, so a memory of yours is never touched; what it fetches is kept in the cache
folder that `oroi` uses. Run it by `make demo`.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parents[1] / ".demo"
MEMORY = "demo"


def main() -> int:
    """Run the demo; 0 if every step worked. Briefs that are not as expected are shown and counted."""
    # Only the local server and the local providers, whatever the user's own settings say.
    for name in [name for name in os.environ if name.startswith("OROI_") and name not in KEPT]:
        del os.environ[name]
    os.environ["OROI_DATA_DIR"] = str(FOLDER / "data")
    FOLDER.mkdir(exist_ok=True)
    began = time.perf_counter()
    try:
        oroi("setup")
        oroi("import", str(HERE / "conversation.jsonl"), MEMORY)
        right, asked = questions()
        oroi("show", MEMORY, "--output", str(FOLDER / "memory.png"))
        oroi("stats", MEMORY)
    finally:
        oroi("server", "stop")
    say(f"{right} of {asked} briefs hold what was asked for; {time.perf_counter() - began:.0f} s in all.")
    say(f"The picture is {(FOLDER / 'memory.png').relative_to(HERE.parents[1])}; `make clean` removes all of it.")
    return 0


# Where to fetch from and how much memory to take is the machine's business.
KEPT = {"OROI_CACHE_DIR", "OROI_MAVEN_URL", "OROI_SERVER_HEAP", "OROI_SERVER_PAGE_CACHE"}


def say(line: str = "") -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def oroi(*arguments: str) -> None:
    """One command, shown as a person would type it."""
    from oroi_graph.cli import main as command

    say(f"\n$ oroi {' '.join(arguments)}")
    code = command(arguments)
    if code:
        raise SystemExit(code)


def questions() -> tuple[int, int]:
    """Ask all questions; how many briefs were right, and how many there are."""
    from oroi_graph import Settings, connect

    asked: list[dict[str, Any]] = json.loads((HERE / "questions.json").read_text(encoding="utf-8"))
    right = 0
    with connect(settings=replace(Settings.from_env(), uri=None)) as graph:
        memory = graph.memory(MEMORY, create=False)
        for question in asked:
            say(f"\n{question['kind']}: {question['question']}")
            brief = memory.recall(question["question"], speaker=question.get("speaker", "Ana")).brief
            say("\n".join(f"    {line}" for line in brief.text.splitlines()) or "    (nothing relevant is remembered)")
            good, verdict = judge(brief.text, question["expect"], question["forbidden"])
            right += good
            say(f"  {'✓' if good else '✗'} {verdict}")
    return right, len(asked)


def judge(brief: str, expected: Sequence[str], forbidden: Sequence[str]) -> tuple[bool, str]:
    """Whether the brief holds every expected word and no forbidden one; "expected" of nothing is silence."""
    missing = [word for word in expected if not holds(brief, word)]
    wrong = [word for word in forbidden if holds(brief, word)]
    if missing or wrong:
        parts = [f"lacks {', '.join(missing)}"] if missing else []
        return False, "; ".join([*parts, f"has {', '.join(wrong)}"] if wrong else parts)
    if not expected and brief:
        return False, "silence was expected"
    return True, f"expected: {', '.join(expected) or 'silence'}"


def holds(brief: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", brief, re.IGNORECASE) is not None


if __name__ == "__main__":
    sys.exit(main())
