"""Fuzz the HTTP API by its own description: schemathesis makes requests, valid and invalid, and checks the answers.

    python benchmarks/http_fuzz.py --cases 20000 --json OUT.json

A memory of its own is made in the database of the settings, and deleted afterwards. Checked is everything that
schemathesis checks (server errors, status codes, content types, headers and bodies as described, keys that are ignored,
methods that are not there, invalid requests that are accepted), but for one thing: that every valid request is
accepted. A request may fit the description and still name what is not known, or a day that no calendar has.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
import uuid
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import CHECKS
from schemathesis.core.failures import Failure, FailureGroup

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from served import Served

from oroi_graph.connection import connect
from oroi_graph.interfaces.http import Limits, make_app
from oroi_graph.interfaces.keys import RIGHTS, KeyRegistry
from oroi_graph.memory import Graph

TOO_LARGE = 413
TIMEOUT = 60  # seconds: on a busy machine an export takes its time
NOT_CHECKED = ("positive_data_acceptance",)
LIFE = (
    "My sister Leire lives in Gernika.",
    "I work with Iker at the harbour.",
    "Leire has moved to Bilbao.",
    "My boss is called Maite.",
)


@dataclass
class Found:
    """What fuzzing gave. cases: requests that were checked. statuses: of their answers. failures: {what: example}."""

    cases: int = 0
    seconds: float = 0.0
    statuses: Counter[str] = field(default_factory=Counter)
    operations: Counter[str] = field(default_factory=Counter)
    failures: dict[str, str] = field(default_factory=dict)


def fuzz(url: str, key: str, each: int, number: int = 0, left_out: Sequence[str] = ()) -> Found:
    """Send about `each` requests to every operation at `url`. number: the seed. left_out: paths."""
    found = Found()
    began = time.monotonic()
    headers = {"Authorization": f"Bearer {key}"}
    schema = schemathesis.openapi.from_url(f"{url}/openapi.json")
    checks = [check for check in CHECKS.get_all() if check.__name__ not in NOT_CHECKED]
    for result in schema.get_all_operations():
        operation = result.ok()
        if operation.path in left_out:
            continue
        for mode in schemathesis.GenerationMode:
            _fuzz(operation, mode, (headers, checks, max(1, each // 2), number), found)
    found.seconds = round(time.monotonic() - began, 1)
    return found


def _fuzz(operation: object, mode: schemathesis.GenerationMode, how: tuple, found: Found) -> None:
    headers, checks, each, number = how

    @seed(number)
    @settings(
        max_examples=each,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def send(case: schemathesis.Case) -> None:
        response = case.call(headers=headers, timeout=TIMEOUT)
        found.cases += 1
        found.statuses[str(response.status_code)] += 1
        found.operations[operation.label] += 1
        try:
            case.validate_response(response, checks=checks, headers=headers)
        except (Failure, FailureGroup) as error:
            parts = error.exceptions if isinstance(error, FailureGroup) else [error]
            known = [parameter.name for parameter in operation.query]
            address, too_large = str(response.request.url), response.status_code == TOO_LARGE
            for one in (one for one in parts if not _as_valid(str(one), address, known, too_large)):
                found.failures.setdefault(f"{operation.label}: {one.title}", f"{one}\n{case.as_curl_command()}"[:2000])

    try:
        send()
    except Unsatisfiable:
        return  # it takes nothing that could be wrong
    except Exception as error:  # hypothesis or schemathesis itself: told, not hidden
        inner = "; ".join(repr(one) for one in getattr(error, "exceptions", ()))
        found.failures.setdefault(f"{operation.label}: {type(error).__name__}", f"{error} {inner}"[:2000])


def _as_valid(failure: str, address: str, known: Collection[str], too_large: bool) -> bool:
    """Whether an "invalid" request that was accepted was refused, or was valid as it was sent: with our key, which is
    always added; with a list of one text or an object in the address, which are texts there; or with a parameter of no
    value, which is not there.

    address: as sent. known: the operation's query parameters. too_large: it was answered by 413, which the check does
    not take for a refusal.
    """
    if "Schema-violating request accepted" not in failure:
        return False
    if too_large:
        return True
    wrong = [line.strip() for line in failure.splitlines() if line.lstrip().startswith("- ")]
    named = {name for name, _ in parse_qsl(urlsplit(address).query, keep_blank_values=True)}
    absent = named <= set(known)
    return all(
        "(was Authorization)" in line
        or "/properties/Authorization" in line
        or (
            "query:" in line
            and "/properties/" in line
            and re.split(r"[/ ]", line.split("/properties/")[1])[0] not in named
        )
        or ("query:" in line and ("became array" in line or "became object" in line))
        or ("query: violates `additionalProperties`" in line and absent)
        for line in wrong
    )


def serving(graph: Graph) -> Served:
    """The API on a port of this machine, without a limit of requests."""
    return Served(make_app(graph, Limits(a_minute=10**7)))


def main() -> int:
    """Fuzz, print what was found, and end with 1 if that is a failure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=20_000, help="requests in all, about")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="where the result is written")
    given_ = parser.parse_args()
    with connect() as graph:
        memory = graph.memory(f"fuzz-{uuid.uuid4().hex[:8]}")
        try:
            for text in LIFE:
                memory.perceive(text, speaker="Ana").close("I see.")
            keys = KeyRegistry(graph.store)
            made = keys.create("fuzz", [memory.name], RIGHTS)
            with serving(graph) as served:
                operations = len(list(schemathesis.openapi.from_url(f"{served.url}/openapi.json").get_all_operations()))
                found = fuzz(served.url, made.text, -(-given_.cases // operations), given_.seed)
            keys.revoke(made.key.id)
        finally:
            left = graph.delete(memory.name)
    report = vars(found) | {"left": left}
    text = json.dumps(report, indent=2, ensure_ascii=False)
    if given_.json:
        given_.json.write_text(text + "\n", encoding="utf-8")
    print(text)
    return 1 if found.failures or left else 0


if __name__ == "__main__":
    sys.exit(main())
