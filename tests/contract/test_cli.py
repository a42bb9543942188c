"""`oroi contract` as a user types it: outcomes end with 0, refused input with 2, and both are JSON on request."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest_cli import Ran

Oroi = Callable[..., Ran]


@pytest.fixture
def published(oroi: Oroi, mind: str, tmp_path: Path) -> dict[str, Any]:
    """A memory with a contract: file, key file, hash."""
    contract, key = tmp_path / "contract.json", tmp_path / "authority.pem"
    made = oroi("contract", "init", str(contract), "--json").json
    oroi("contract", "keygen", str(key))
    done = oroi("contract", "publish", mind, str(contract), "--key", str(key), "--json")
    assert done.code == 0, done
    assert done.json["schema_hash"] == made["schema_hash"]
    return {"memory": mind, "file": contract, "key": key, "hash": made["schema_hash"]}


def write(oroi: Oroi, published: dict[str, Any], author: str, key: str, value: str, *more: str) -> Ran:
    arguments = ("--author", author, "--type", "fact", "--key", key, "--value", value, "--confidence", "0.9")
    return oroi("contract", "write", published["memory"], *arguments, "--schema", published["hash"], *more)


def test_a_life_of_commands(oroi: Oroi, published: dict[str, Any], tmp_path: Path) -> None:
    memory = published["memory"]
    first = write(oroi, published, "claude", "project_status", "Phase 2 runs.", "--json")
    assert first.code == 0
    assert {"outcome", "entry", "generated", "conflicts", "suggestion"} <= first.json.keys()
    assert first.json["outcome"] == "inserted"
    second = write(oroi, published, "gemini", "project_status", "Phase 3 runs.", "--json").json
    assert second["outcome"] == "contradiction"
    assert [one["entry_type"] for one in second["generated"]] == ["conflict"]
    told = write(oroi, published, "gemini", "project_status", "Phase 3 runs.")
    assert told.out.startswith("equivalent: entry ")
    [dispute] = oroi("contract", "conflicts", memory, "--json").json
    assert "by claude: Phase 2 runs." in oroi("contract", "conflicts", memory).out
    settled = oroi(
        "contract", "settle", memory, dispute["id"], "--author", "kimi", "--keep", second["entry"]["id"], "--json"
    )
    assert settled.json["entry"]["field_value"] == "Phase 3 runs."
    assert oroi("contract", "conflicts", memory).err == "nothing is disputed\n"
    read = oroi("contract", "read", memory, "--key", "project_status", "--json").json
    assert [entry["ia_author"] for entry in read["entries"]] == ["kimi"]
    history = oroi("contract", "read", memory, "--history", "--json").json["entries"]
    assert len(history) == 4
    lines = oroi("contract", "read", memory, "--history").out.splitlines()
    assert lines[0].startswith(f"4 {history[0]['id']} ")
    assert (
        len(
            oroi("contract", "read", memory, "--history", "--at", first.json["entry"]["created_at"], "--json").json[
                "entries"
            ]
        )
        == 1
    )
    compressed = oroi("contract", "compress", memory, "--json").json
    assert compressed["entries"] == 1
    assert oroi("contract", "read", memory, "--level", "2", "--short", "--json").json["form"] == "short"
    kept = tmp_path / "kept.json"
    kept.write_text(oroi("contract", "checkpoint", memory, "--key", str(published["key"]), "--json").out)
    verified = oroi("contract", "verify", memory, "--checkpoint", str(kept), "--json")
    assert (verified.code, verified.json["valid"], verified.json["checkpoints"]) == (0, True, 2)
    drifts = oroi("contract", "drift", memory, "--key", "project_status", "--json").json
    assert (drifts["keys"][0]["drifted"], drifts["drifting"]) == (False, [])
    erased = oroi("contract", "erase", memory, first.json["entry"]["id"], "--by", "Ana", "--yes", "--json").json
    assert first.json["entry"]["id"] in erased["erased"]
    assert oroi("contract", "verify", memory, "--json").json["erased"] == len(erased["erased"])
    assert "kimi (fact, project_status)" in oroi("ask", memory, "Which phase runs?", "--kind", "entry").out


def test_only_a_side_of_the_dispute_is_kept(oroi: Oroi, published: dict[str, Any]) -> None:
    memory = published["memory"]
    other = write(oroi, published, "claude", "risk", "Fire in the server room.", "--json").json["entry"]["id"]
    write(oroi, published, "claude", "project_status", "Phase 2 runs.")
    write(oroi, published, "gemini", "project_status", "Phase 3 runs.")
    [dispute] = oroi("contract", "conflicts", memory, "--json").json
    for kept in (other, dispute["id"]):
        refused = oroi("contract", "settle", memory, dispute["id"], "--author", "kimi", "--keep", kept)
        assert (refused.code, len(refused.err.splitlines())) == (2, 1)
        assert f"entry {kept} is no side of this dispute" in refused.err
    assert [one["id"] for one in oroi("contract", "conflicts", memory, "--json").json] == [dispute["id"]]


def test_of_several_keys_those_drift_that_do_so_after_correction(
    oroi: Oroi, published: dict[str, Any], tmp_path: Path
) -> None:
    """One key on which two authors write about unlike things, and two on which they write about the same."""
    memory, file = published["memory"], tmp_path / "entries.jsonl"
    places = ("harbour", "archive", "library", "market", "station", "museum", "theatre")
    values = {
        "decision": ("The {} of the town was painted yellow.", "We buy {} shares on credit."),
        "risk": ("The {} is quiet.", "The {} is quiet."),
        "technology": ("A clock hangs in the {}.", "A clock hangs in the {}."),
    }
    rows = [
        {"ia_author": ("claude", "gemini")[i % 2], "field_key": key, "field_value": texts[i % 2].format(place)}
        for key, texts in values.items()
        for i, place in enumerate(places * 2 if key == "decision" else places)
    ]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    defaults = ("--type", "fact", "--confidence", "0.9", "--schema", published["hash"])
    assert oroi("contract", "write", memory, "--file", str(file), *defaults).code == 0
    found = oroi("contract", "drift", memory, "--json").json
    reports = {one["key"]: one for one in found["keys"]}
    assert {key for key, one in reports.items() if one["p"] is not None} == values.keys()
    assert found["drifting"] == ["decision"]
    assert oroi("contract", "drift", memory).err == "1 of 3 tested keys drift, corrected for their number\n"
    level = str(2 * reports["decision"]["key_p"])  # enough for the key alone, too little for one of three
    strict = oroi("contract", "drift", memory, "--level", level)
    assert "decision: drifts by itself, but not corrected for the number of keys (14 entries" in strict.out
    assert strict.err == "0 of 3 tested keys drift, corrected for their number\n"
    few = oroi("contract", "drift", memory, "--permutations", "99").err
    assert few.splitlines()[1] == "at this level, a key can drift from 119 permutations on"
    assert oroi("contract", "drift", memory, "--key", "decision", "--level", level).out.startswith("decision: drifts (")


def test_refused_input_ends_with_two(oroi: Oroi, published: dict[str, Any], tmp_path: Path) -> None:
    refused = write(oroi, published, "nobody", "risk", "Fire.", "--json")
    assert refused.code == 2
    assert [one["pointer"] for one in refused.json["problems"]] == ["/ia_author"]
    old = oroi("contract", "write", published["memory"], "--schema", "0" * 64, "--author", "claude", "--json")
    assert (old.code, old.json["expected"]) == (2, published["hash"])
    assert "/field_value" in {one["pointer"] for one in old.json["problems"]}
    assert (
        write(oroi, published, "claude", "gossip", "x").failed(2).startswith("oroi: the entry is refused: /field_key")
    )
    for arguments in (
        ("init", str(published["file"])),
        ("keygen", str(published["key"])),
        ("publish", published["memory"], str(published["key"]), "--key", str(published["key"])),
        ("publish", published["memory"], str(published["file"]), "--key", str(published["file"])),
        ("read", published["memory"], "--key", "gossip"),
        ("show", published["memory"], "9"),
        ("settle", published["memory"], "x", "--author", "kimi", "--value", "y"),
        ("erase", published["memory"], "x", "--yes"),
        ("write", published["memory"], "--file", str(tmp_path / "absent")),
    ):
        oroi("contract", *arguments).failed(2)
    oroi("contract", "read", "no-such-memory").failed(1)


def test_a_file_of_entries(oroi: Oroi, published: dict[str, Any], tmp_path: Path) -> None:
    lines = [
        json.dumps({"ia_author": "claude", "entry_type": "fact", "field_key": "risk", "field_value": f"Risk {word}.",
                    "confidence_score": 0.5})
        for word in ("fire", "flood", "fire")
    ]  # fmt: skip
    file = tmp_path / "entries.jsonl"
    file.write_text("\n".join([*lines, "nonsense", "[]"]))
    done = oroi("contract", "write", published["memory"], "--file", str(file), "--schema", published["hash"], "--json")
    told = [json.loads(line) for line in done.out.splitlines()]
    assert [one["outcome"] for one in told] == ["inserted", told[1]["outcome"], "equivalent", "refused", "refused"]
    assert [one["line"] for one in told] == [1, 2, 3, 4, 5]
    assert done.code == 2
    again = oroi(
        "contract", "write", published["memory"], "--file", "-", "--schema", published["hash"], stdin=lines[0].encode()
    )
    assert (again.code, again.out.split()[:2]) == (0, ["1:", "equivalent"])


def test_contracts_are_listed_shown_and_compared(oroi: Oroi, published: dict[str, Any]) -> None:
    memory, file = published["memory"], published["file"]
    write(oroi, published, "gemini", "risk", "Fire.")
    document = json.loads(file.read_text())
    document["properties"]["ia_author"]["enum"] = ["claude"]
    document["memory_contract"]["version"] = "2.0"
    file.write_text(json.dumps(document))
    found = oroi("contract", "diff", memory, "1", str(file), "--json").json
    assert (found["entries"], found["misfits"]) == (1, 1)
    alone = oroi("contract", "diff", memory, str(file)).out.splitlines()  # what may follow the one in force
    assert alone[0] == '/memory_contract/version: "1.0" → "2.0"'
    assert alone[-1] == f"  {found['unfit'][0]['id']}: /ia_author: must be one of claude"
    oroi("contract", "publish", memory, str(file), "--key", str(published["key"]))
    assert [one["version"] for one in oroi("contract", "list", memory, "--json").json] == ["1.0", "2.0"]
    assert oroi("contract", "show", memory, "--json").json["version"] == "2.0"
    assert "1 of 1 entries do not fit" in oroi("contract", "diff", memory).out
    assert "no longer" in oroi("contract", "diff", memory, "1").out


def test_authors_have_tokens(oroi: Oroi, published: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    memory = published["memory"]
    token = oroi("contract", "author", "add", memory, "claude").out.strip()
    assert write(oroi, published, "claude", "risk", "Fire.").code == 2
    monkeypatch.setenv("OROI_AUTHOR_TOKEN", token)
    assert write(oroi, published, "claude", "risk", "Fire.", "--json").json["entry"]["signature"]
    monkeypatch.delenv("OROI_AUTHOR_TOKEN")
    assert write(oroi, published, "claude", "risk", "Flood.", "--token", token).code == 0
    [listed] = oroi("contract", "author", "list", memory, "--json").json
    assert token not in json.dumps(listed)
    oroi("contract", "author", "revoke", memory, "claude")
    assert write(oroi, published, "claude", "risk", "Theft.", "--token", token).code == 2


def test_a_chain_that_is_not_as_written_ends_with_one(oroi: Oroi, published: dict[str, Any], store: Any) -> None:
    write(oroi, published, "claude", "risk", "Fire.")
    store.schema("MATCH (e:Entry {memory: $m}) SET e.text = 'Water.'", m=published["memory"])
    found = oroi("contract", "verify", published["memory"], "--json")
    assert (found.code, found.json["valid"]) == (1, False)
    assert "NOT AS WRITTEN" in oroi("contract", "verify", published["memory"]).out
