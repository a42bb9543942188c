#!/usr/bin/env python3
# ruff: noqa: T201 - a command of its own
"""A scripted `qmd`: the commands that a workspace uses, over real files. Needs nothing but Python.

It reads how to behave from `behaviour.json` beside it and appends each call to `calls.jsonl` there.
"""

import json
import os
import re
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
INDEX = Path(os.environ["XDG_CACHE_HOME"]) / "qmd" / "index.json"


def words(text):
    """The words of a text."""
    return set(re.findall(r"\w+", text.casefold()))


def plain(file):
    """A path as the real tool writes it."""
    return "/".join(re.sub(r"[^\w.]+", "-", name.casefold()).strip("-") for name in file.split("/"))


def write(path, value):
    """Put a value into a JSON file that other calls may read meanwhile: never half of it."""
    draft = path.with_suffix(f".{os.getpid()}")
    draft.write_text(json.dumps(value))
    draft.replace(path)


def main(arguments):
    """One call; its exit code."""
    path = HERE / "behaviour.json"
    behaviour = json.loads(path.read_text()) if path.exists() else {}
    with (HERE / "calls.jsonl").open("a") as log:
        log.write(json.dumps({"arguments": arguments, "config": os.environ["XDG_CONFIG_HOME"]}) + "\n")
    command = arguments[0]
    told = behaviour.get(command, {})
    time.sleep(told.get("sleep", 0))
    if told.get("times", 1) and "fail" in told:
        told["times"] = told.get("times", 1_000_000) - 1
        write(path, behaviour)
        print(told["fail"], file=sys.stderr)
        return 1
    if "output" in told:
        print(told["output"])
        return 0
    index = json.loads(INDEX.read_text()) if INDEX.exists() else {"collections": {}, "files": {}}
    if command == "collection":
        return collection(arguments[1:], index)
    if command == "update":
        index["files"] = {
            name: {
                plain(str(file.relative_to(folder))): file.read_text(errors="replace")
                for file in sorted(Path(folder).glob(mask))
                if file.is_file()
            }
            for name, (folder, mask) in index["collections"].items()
        }
    elif command == "embed":
        index["embedded"] = True
    else:
        return search(arguments, index)
    write(INDEX, index)
    return 0


def collection(arguments, index):
    """`qmd collection add FOLDER --name NAME --mask PATTERN`, `qmd collection remove NAME`."""
    if arguments[0] == "add":
        name, mask = arguments[arguments.index("--name") + 1], arguments[arguments.index("--mask") + 1]
        if name in index["collections"]:
            print(f"Collection '{name}' already exists.", file=sys.stderr)
            return 1
        index["collections"][name] = [arguments[1], mask]
    elif index["collections"].pop(arguments[1], None) is None:
        print("Collection not found", file=sys.stderr)
        return 1
    INDEX.parent.mkdir(parents=True, exist_ok=True)
    write(INDEX, index)
    return 0


def search(arguments, index):
    """`qmd search QUERY --json -n COUNT -c COLLECTION`, `vsearch` and `query` alike."""
    wanted, name = words(arguments[1]), arguments[arguments.index("-c") + 1]
    found = []
    for file, text in index["files"].get(name, {}).items():
        lines = text.split("\n")
        best = max(range(len(lines)), key=lambda number: len(wanted & words(lines[number])))
        score = len(wanted & words(text)) / max(len(wanted), 1)
        if score:
            snippet = f"@@ -{best + 1},2 @@ ({best} before)\n" + "\n".join(lines[best : best + 2])
            entry = {"docid": "#1", "score": score, "file": f"qmd://{name}/{file}", "title": "", "snippet": snippet}
            found.append(entry)
    found.sort(key=lambda one: -one["score"])
    if not found:
        print("No results found.")
        return 0
    print("Searching...\n" + json.dumps(found[: int(arguments[arguments.index("-n") + 1])], indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
