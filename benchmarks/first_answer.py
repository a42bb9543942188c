"""From a fresh wheel to the first answer of `oroi mcp`, by one line of a client's configuration.

    python benchmarks/first_answer.py

Builds the wheel, installs `WHEEL[mcp]` into a new environment in a temporary folder, and there lets the official MCP
client start the server that the configuration names, with the environment that it gives to servers and no more (home,
path). Data are new, so the first start makes a database. Told are the seconds until the client is connected, until
the first turn is kept and until the first question is answered: with nothing running (first), with the data there but
the database stopped (cold), and with the database running (warm).

Downloads (database, model) are not counted: they come from the cache of the settings, which `oroi setup` fills.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

PROJECT = Path(__file__).parents[1]
CONFIGURATION = {"mcpServers": {"memory": {"command": "oroi", "args": ["mcp", "diary"]}}}
DRIVE = """
import asyncio, json, sys, time
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

async def drive():
    server = StdioServerParameters(**json.loads(sys.argv[1]), env=json.loads(sys.argv[2]))
    began, told = time.perf_counter(), {}
    def mark(what):
        told[what] = round(time.perf_counter() - began, 2)
    async with Client(stdio_client(server)) as client:
        mark("connected_s")
        tools = (await client.list_tools()).tools
        mark("tools_s")
        said = {"text": "My sister Leire lives in Gernika.", "speaker": "Ana", "reply": "I see.", "id": sys.argv[3]}
        await client.call_tool("memory_say", said)
        mark("first_turn_s")
        asked = {"question": "Where does my sister live?", "speaker": "Ana"}
        answer = (await client.call_tool("memory_recall", asked)).content[0].text
        mark("first_answer_s")
        await client.call_tool("memory_recall", asked)
        mark("second_answer_s")
    assert "Gernika" in answer, answer
    return {"tools": len(tools), **told}

print(json.dumps(asyncio.run(drive())))
"""


def run(*command: str | Path, env: dict[str, str], cwd: Path) -> str:
    """What a command prints."""
    done = subprocess.run([str(one) for one in command], env=env, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command[:4]))} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def main() -> int:
    """Build, install, drive; print a line of JSON for each step."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    with tempfile.TemporaryDirectory(prefix="oroi-fresh-") as made:
        folder = Path(made)
        plain = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
        run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, PROJECT, env=plain, cwd=folder)
        [wheel] = folder.glob("*.whl")
        began = time.perf_counter()
        venv.create(folder / "venv", with_pip=True)
        scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        run(scripts / "python", "-m", "pip", "install", "-q", f"{wheel}[mcp]", env=plain, cwd=folder)
        told: dict[str, object] = {"wheel_kb": wheel.stat().st_size // 1000}
        told["install_s"] = round(time.perf_counter() - began, 1)
        size = sum(path.stat().st_size for path in (folder / "venv").rglob("*") if path.is_file())
        print(json.dumps(told | {"environment_mb": size // 1_000_000}), flush=True)
        # What the official client hands to a server by default, and where this measurement keeps its data.
        given = {name: os.environ[name] for name in ("HOME", "USER", "SHELL", "TERM") if name in os.environ}
        given["PATH"] = f"{scripts}{os.pathsep}{os.environ['PATH']}"
        given["OROI_DATA_DIR"] = str(folder / "data")
        server = CONFIGURATION["mcpServers"]["memory"]
        python, stop = scripts / "python", (scripts / "oroi", "server", "stop")
        for number, state in enumerate(("first", "cold", "warm")):
            if state == "cold":
                run(*stop, env=given, cwd=folder)
            named = json.dumps(server | {"command": str(scripts / "oroi")})
            found = run(python, "-c", DRIVE, named, json.dumps(given), f"t{number}", env=given, cwd=folder)
            print(json.dumps({"state": state, **json.loads(found)}), flush=True)
        run(*stop, env=given, cwd=folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
