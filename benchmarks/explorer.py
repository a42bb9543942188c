"""Frames a second of the explorer's graph in a real browser, while the view moves all the time.

The page is the product's own; its graph is made up: concepts that join by preferential attachment, some of them active.
Headless Chromium draws WebGL in software where the machine has no graphics card: the renderer is part of what is told.

    python benchmarks/explorer.py --concepts 5000 --associations 10000
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import psutil
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from browser import open_browser
from served import Served

from oroi_graph.interfaces.explorer.server import PAGE

MOVES = """
async (seconds) => {
  const { sigma } = globalThis.oroi.scene;
  const camera = sigma.getCamera();
  const intervals = [];
  let last = performance.now();
  const end = last + 1000 * seconds;
  while (last < end) {
    const turn = (2 * Math.PI * (end - last)) / 4000;
    camera.setState({ x: 0.5 + 0.1 * Math.cos(turn), y: 0.5 + 0.1 * Math.sin(turn), ratio: RATIO });
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    intervals.push(now - last);
    last = now;
  }
  return intervals;
}
"""
RENDERER = """
() => {
  const gl = document.createElement('canvas').getContext('webgl2');
  const named = gl?.getExtension('WEBGL_debug_renderer_info');
  return gl ? gl.getParameter(named ? named.UNMASKED_RENDERER_WEBGL : gl.RENDERER) : 'none';
}
"""


def made_graph(concepts: int, associations: int, seed: int = 1) -> dict[str, Any]:
    """A graph as `/v1/graph` gives it."""
    chance = random.Random(seed)
    ends, links = [0], []
    for number in range(1, concepts):
        links.append((number, chance.choice(ends)))
        ends += links[-1]
    links += [(chance.choice(ends), chance.choice(ends)) for _ in range(associations - len(links))]
    nodes = [
        {"id": f"c{i}", "label": f"concept {i}", "kind": "concept", "aliases": [], "first_turn": 1, "last_turn": 1,
         "activation": chance.random() if chance.random() < 0.05 else 0.0, "strength": chance.random() ** 3,
         "mentions": 1 + int(chance.paretovariate(1.2))}
        for i in range(concepts)
    ]  # fmt: skip
    edges = [
        {"id": f"a{i}", "source": f"c{s}", "target": f"c{t}", "relation": "knows", "weight": 1 + chance.random(),
         "negated": False, "current": chance.random() > 0.1, "contested": False, "implied": False, "when": None,
         "first_turn": 1, "superseded_turn": None}
        for i, (s, t) in enumerate(links)
    ]  # fmt: skip
    found = {"memory": "made up", "turn": None, "turns": 1, "total": concepts}
    return {**found, "concepts": nodes, "associations": edges}


def application(graph: dict[str, Any], memory: str = "made up") -> Starlette:
    """The product's page over the graph."""
    answers = {
        "/session": {"keys": [{"memory": memory, "key": "k"}]},
        "/v1/memory": {"memory": memory, "memories": [memory], "rights": [], "stats": {}},
        "/v1/graph": graph,
    }

    async def answer(request: Request) -> Response:
        return JSONResponse(answers[request.url.path])

    routes = [Route(path, answer, methods=["GET", "POST"]) for path in answers]
    return Starlette(routes=[*routes, Mount("/", StaticFiles(directory=PAGE, html=True))])


def processor_time() -> dict[str, float]:
    """Seconds of processor time of the browser's processes so far: of its page, and of what draws.

    A machine that does other work gives fewer frames; what a frame costs it shows all the same.
    """
    spent = {"page": 0.0, "drawing": 0.0}
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            given, times = " ".join(process.cmdline()), process.cpu_times()
            kind = "page" if "--type=renderer" in given else "drawing" if "--type=gpu-process" in given else None
            if kind is not None:
                spent[kind] += times.user + times.system
    return spent


def main() -> None:
    """Measure, and print a line of JSON for each view."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--concepts", type=int, default=5000)
    parser.add_argument("--associations", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=6.0)
    given = parser.parse_args()
    with Served(application(made_graph(given.concepts, given.associations))) as served, open_browser() as browser:
        page = browser.new_page(viewport={"width": 1360, "height": 850})
        page.set_default_timeout(300_000)
        began = time.perf_counter()
        page.goto(f"{served.url}/#code=x")
        page.wait_for_function("globalThis.oroi?.scene.graph.order > 0")
        shown = time.perf_counter() - began
        page.wait_for_selector("body[data-arranged]", state="attached")
        told = {
            "renderer": page.evaluate(RENDERER), "concepts": given.concepts, "associations": given.associations,
            "shown_s": round(shown, 2), "arranged_s": round(time.perf_counter() - began, 2),
        }  # fmt: skip
        print(json.dumps(told))
        for view, ratio in (("all of it", 1.05), ("a part, with names", 0.25)):
            before = processor_time()
            intervals = sorted(page.evaluate(MOVES.replace("RATIO", str(ratio)), given.seconds))
            frames = len(intervals)
            slow = intervals[int(0.95 * frames)]
            rate = 1000 * frames / sum(intervals)
            used = {kind: round(1000 * (spent - before[kind]) / frames, 1) for kind, spent in processor_time().items()}
            measured = {"frames": frames, "frames_per_s": round(rate, 1), "slowest_5_percent_ms": round(slow, 1)}
            print(json.dumps({"view": view, **measured, "processor_ms_a_frame": used}))


if __name__ == "__main__":
    main()
