"""Scenarios of the seven phenomena, in English and Spanish, with gold extractions: generated from templates.

    python benchmarks/scenarios.py --seed dev --out benchmarks/corpora     # the four files of a seed
    python benchmarks/scenarios.py --check benchmarks/corpora/scenarios-dev.jsonl

A seed gives the same files byte for byte: `scenarios-SEED.jsonl` (32 of each phenomenon), `long-SEED.jsonl` (16 with
more than a thousand turns before the question), `past-SEED.jsonl` (32 about what was true before) and `hubs-SEED.jsonl`
(64 in which what lies on the way to the answer is associated with many others, too). `dev` and numbers draw from one
half of the words and from the templates in common. `final` and `sealed` draw from the other half and from the held-out
templates, too. `final` guided choices and is a development set now; `sealed` is for one last measurement, never for
tuning (corpora/README.md).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from scenario_hubs import with_hub
from scenario_notation import templates
from scenario_script import LONG_REPLIED, Conversation, act_out, act_out_long

PHENOMENA = ("recurrence", "updating", "multi-session", "multi-hop", "three-hop", "convergence", "distractors")
HOPPING = ("multi-hop", "three-hop")  # phenomena in which something lies on the way to the answer
FINAL = "final"
HELD_OUT = (FINAL, "sealed")  # seeds that draw from the other half of the words and from the held-out templates, too
LANGUAGES = ("en", "es")
EACH = 32  # scenarios of one phenomenon, half of them in each language
LONG_EACH = {"updating": 4}  # long scenarios of one phenomenon; two of any other
LONG_TURNS = 1000


def scenarios(seed: str) -> list[dict[str, Any]]:
    """7 × 32 scenarios."""
    return list(chain.from_iterable(_phenomenon(phenomenon, seed, EACH) for phenomenon in PHENOMENA))


def past(seed: str) -> list[dict[str, Any]]:
    """32 scenarios about what was true before."""
    return _phenomenon("past", seed, EACH)


def long(seed: str) -> list[dict[str, Any]]:
    """16 scenarios with more than a thousand turns of other talk."""

    def told(conversation: Conversation, name: str) -> dict[str, Any]:
        conversation.replied = LONG_REPLIED
        return act_out_long(conversation, f"long-{name}", LONG_TURNS)

    return list(chain.from_iterable(_phenomenon(p, f"long-{seed}", LONG_EACH.get(p, 2), told) for p in PHENOMENA))


def hubs(seed: str) -> list[dict[str, Any]]:
    """2 × 32 scenarios over a hub."""
    hopping = chain.from_iterable(_phenomenon(phenomenon, seed, EACH) for phenomenon in HOPPING)
    return [with_hub(scenario, seed, final=seed.endswith(HELD_OUT)) for scenario in hopping]


KINDS: dict[str, Callable[[str], list[dict[str, Any]]]] = {
    "scenarios": scenarios,
    "long": long,
    "past": past,
    "hubs": hubs,
}


def _phenomenon(
    phenomenon: str, seed: str, count: int, told: Callable[[Conversation, str], dict[str, Any]] = act_out
) -> list[dict[str, Any]]:
    """`count` scenarios, the languages in turn; the templates of a language one after the other, in an order drawn."""
    final = seed.endswith(HELD_OUT)
    found = []
    for i in range(count):
        language, nth = LANGUAGES[i % 2], i // 2
        known = [t for t in templates(phenomenon) if t.language == language and (final or not t.held_out)]
        known = [t for t in known if not (t.at_once and told is not act_out)]
        random.Random(f"{seed}/{phenomenon}/{language}").shuffle(known)
        rng = random.Random(f"{seed}/{phenomenon}/{i}")
        conversation = Conversation(known[nth % len(known)], rng, final, nth // len(known))
        found.append(told(conversation, f"{phenomenon}-{i + 1:02}"))
    return found


def lines(found: Sequence[dict[str, Any]]) -> str:
    """Scenarios as the text of a file, one a line."""
    return "".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n" for one in found)


def write(seed: str, folder: Path) -> list[Path]:
    """Write the files of a seed; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for kind, make in KINDS.items():
        path = folder / f"{kind}-{seed}.jsonl"
        path.write_text(lines(make(seed)), encoding="utf-8", newline="\n")
        written.append(path)
    return written


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files of a seed, or check one; 1 when a checked file is not valid."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", default="dev", help="dev, final, sealed or a number")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/corpora"), help="folder of the files")
    parser.add_argument("--check", type=Path, metavar="FILE", help="is this file valid? prints its figures")
    options = parser.parse_args(arguments)
    if options.check is not None:
        from scenario_validity import report

        return report(options.check)
    if options.seed not in ("dev", *HELD_OUT) and not options.seed.isdigit():
        parser.error("--seed must be dev, final, sealed or a number")
    for path in write(options.seed, options.out):
        print(path, f"{path.stat().st_size / 1e6:.2f} MB", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
