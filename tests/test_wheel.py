"""The wheel alone, in an environment where nothing else of the project is: it imports, has its statements, and runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from locations import PROJECT

from oroi_graph import __version__
from oroi_graph.storage import migrations, statements

SHIPPED = ("pyproject.toml", "README.md", "LICENSE", "oroi_graph", "cypher")

LOADS = """
import json, pathlib, oroi_graph
from oroi_graph.storage import migrations, statements
print(json.dumps({
    "at": oroi_graph.__file__,
    "folder": str(statements.folder()),
    "version": oroi_graph.__version__,
    "public": [getattr(oroi_graph, name).__name__ for name in oroi_graph.__all__],
    "statements": {name: statements.load(name) for name in statements.names()},
    "migrations": [migration.checksum for migration in migrations.shipped()],
}))
"""


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints; its errors are the test's."""
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy: a build leaves nothing in the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in SHIPPED:
        source = PROJECT / name
        if source.is_dir():
            shutil.copytree(source, folder / "project" / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (folder / "project").mkdir(exist_ok=True)
            shutil.copy(source, folder / "project" / name)
    run(
        sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index",
        "--wheel-dir", folder, folder / "project", cwd=folder,
    )  # fmt: skip
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts folder of a new environment with the wheel; its dependencies are those of this one."""
    home = tmp_path_factory.mktemp("installed")
    venv.create(home, with_pip=False)
    found = home / ("Scripts" if os.name == "nt" else "bin")
    into = [sys.executable, "-m", "pip", "--python", found / "python", "install", "--quiet"]
    run(*into, "--no-deps", "--no-index", wheel, cwd=home)
    script = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(run(found / "python", "-Ic", script, cwd=home).strip())
    here = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    # A path added by a .pth file comes last, and the .pth files in it (an editable install's) are not read.
    (site / "dependencies.pth").write_text("\n".join(sorted(here)))
    return found


def test_it_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"oroi_graph", f"oroi_graph-{__version__}.dist-info"}
    assert {"oroi_graph/py.typed", "oroi_graph/__init__.pyi", "oroi_graph/server/neo4j.lock.json"} <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if "__pycache__" in name or "/tests/" in name]
    kept = {path.relative_to(PROJECT / "cypher").as_posix() for path in (PROJECT / "cypher").rglob("*.cypher")}
    assert {name.removeprefix("oroi_graph/cypher/") for name in names if name.endswith(".cypher")} == kept
    page = PROJECT / "oroi_graph" / "interfaces" / "explorer" / "page"
    assert {path.relative_to(PROJECT).as_posix() for path in page.rglob("*") if path.is_file()} <= set(names)
    assert any(name.endswith("licenses/oroi_graph/interfaces/explorer/page/vendor/LICENSES.txt") for name in names)


def test_it_imports_and_loads_every_statement(scripts: Path, tmp_path: Path) -> None:
    found = json.loads(run(scripts / "python", "-Ic", LOADS, cwd=tmp_path))
    home = str(scripts.parent)
    assert found["at"].startswith(home)
    assert found["folder"].startswith(home)
    assert found["version"] == __version__
    assert found["public"]
    assert found["statements"] == {name: statements.load(name) for name in statements.names()}
    assert found["migrations"] == [migration.checksum for migration in migrations.shipped()]


def test_its_command_runs(scripts: Path, tmp_path: Path) -> None:
    text = run(scripts / "oroi", "--help", cwd=tmp_path)
    assert "Usage: oroi" in text
    assert {"setup", "ask", "say", "memory"} <= set(text.split())
    assert run(scripts / "python", "-Im", "oroi_graph", "--help", cwd=tmp_path).startswith("Usage:")
    assert list(tmp_path.iterdir()) == []
