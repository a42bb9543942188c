"""The rules of the house that a linter does not know: who imports whom, who reads the environment, what is public."""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from locations import PROJECT, script
from tables import table

import oroi_graph
from oroi_graph.storage import statements

ROOT = Path(oroi_graph.__file__).parent

# From the ground up: a module imports from its own room and from rooms above it in this list. Rooms on one line know
# nothing of each other, but for the modules of the top folder.
ORDER = (
    "model recall_options errors settings files",
    "redaction",
    "options",
    "language",
    "storage server",
    "providers",
    "extraction windows working_set",
    "activation entities",
    "recall",
    "forgetting",
    "perception consolidation contract workspace",
    "connection diagnosis memory ogm worker __init__",
    "transfer visualization",
    "evaluation",
    "interfaces",
    "cli __main__",
)
RANKS = {room: rank for rank, rooms in enumerate(ORDER) for room in rooms.split()}
MODULES_A_ROOM = 12

KERNELS = {"activation.kernel", "activation.surprise"}
BELOW_KERNELS = {"model", "options", "settings", "errors"}

# Who may name the driver at all, and who may open one: the store, neomodel's, and the probe of a server that starts.
DRIVER = {"storage.store", "ogm", "server.managed"}
DRIVER_TYPES = DRIVER | {"transfer.archive", "transfer.archive_format", "transfer.archive_schema", "cli.look"}

# Nobody else reads settings from the environment; these hand theirs on to the processes they start.
READS_ENVIRONMENT = {"settings"}
HANDS_ENVIRONMENT_ON = {"server.fetch", "server.process", "workspace.qmd.process"}


@cache
def modules() -> dict[str, Path]:
    """The file of every module of the package by its dotted name below it."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts if len(parts) == 1 else [part for part in parts if part != "__init__"])] = path
    return found


@cache
def trees() -> dict[str, ast.Module]:
    """Every module, parsed."""
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in modules().items()}


def ours(tree: ast.AST) -> set[str]:
    """The modules of the package that a tree imports, wherever in it, types only included."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.removeprefix("oroi_graph.") for alias in node.names if _is_ours(alias.name)}
        elif isinstance(node, ast.ImportFrom) and _is_ours(node.module or ""):
            assert node.level == 0, "imports name the whole path"
            base = (node.module or "").removeprefix("oroi_graph").removeprefix(".")
            for alias in node.names:
                full = f"{base}.{alias.name}".strip(".")
                found.add(full if full in trees() else base or "__init__")
    return found


def foreign(tree: ast.AST) -> set[str]:
    """The top-level packages of others that a tree imports."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found - {"oroi_graph"}


def _is_ours(module: str) -> bool:
    return module == "oroi_graph" or module.startswith("oroi_graph.")


def room(name: str) -> str:
    """The folder that a module is in, or the name of a module of the top folder."""
    return name.split(".")[0]


def rank(name: str) -> int:
    return RANKS[room(name)]


def test_rooms_import_downwards() -> None:
    upwards = [
        (name, other)
        for name, tree in trees().items()
        for other in ours(tree)
        if room(other) != room(name)
        and (rank(other) > rank(name) or (rank(other) == rank(name) and not {"." in name, "." in other} <= {False}))
    ]
    assert upwards == []


def test_the_order_names_every_room() -> None:
    assert set(RANKS) == {room(name) for name in trees()}


def test_a_room_has_at_most_twelve_modules_and_says_what_happens_there() -> None:
    for folder in {path.parent for path in ROOT.rglob("*.py")}:
        modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        assert len(modules) <= MODULES_A_ROOM, folder
        assert (folder / "__init__.py").is_file(), folder
        said = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
        rooms = [path.parent for path in folder.glob("*/__init__.py")]
        names = {path.stem for path in [*modules, *rooms] if path.stem != "__main__"}
        assert {name for name in names if not re.search(rf"`{name}\b", said)} == set(), folder


def test_statements_belong_to_rooms() -> None:
    """Each folder of statements has the name of a room, but for what people read and what migrations run."""
    folders = {path.name for path in statements.folder().iterdir() if path.is_dir()}
    assert folders - {"explore", "migrations"} <= set(RANKS)


def test_no_module_imports_itself_in_a_circle() -> None:
    list(TopologicalSorter({name: ours(tree) - {name} for name, tree in trees().items()}).static_order())


@table("name", sorted(KERNELS))
def test_kernels_know_numbers_only(name: str) -> None:
    assert ours(trees()[name]) <= BELOW_KERNELS
    assert foreign(trees()[name]) <= {"__future__", "collections", "dataclasses", "math", "numpy", "typing"}


@table("name", modules())
def test_only_the_store_owns_a_driver(name: str) -> None:
    tree = trees()[name]
    assert name in DRIVER_TYPES or not foreign(tree) & {"neo4j", "neomodel"}
    assert name in DRIVER or not _names(tree) & {"GraphDatabase", "AsyncGraphDatabase"}


@table("name", modules())
def test_only_settings_read_the_environment(name: str) -> None:
    used = _names(trees()[name]) & {"environ", "environb", "getenv", "getenvb"}
    assert not used or name in READS_ENVIRONMENT | HANDS_ENVIRONMENT_ON


@table("name", modules())
def test_it_says_what_it_is(name: str) -> None:
    assert (ast.get_docstring(trees()[name]) or "").strip()


def test_the_rules_see_what_they_forbid() -> None:
    tree = ast.parse(
        "from oroi_graph import memory\nimport neo4j.time\ndef f():\n    import os\n    os.environ.get('X')"
    )
    assert ours(tree) == {"memory"}
    assert foreign(tree) == {"neo4j", "os"}
    assert "environ" in _names(tree)
    assert rank("memory") > rank("storage.store")


def test_exports_are_sorted_and_there() -> None:
    assert list(oroi_graph.__all__) == sorted(oroi_graph.__all__)
    assert len(set(oroi_graph.__all__)) == len(oroi_graph.__all__)
    assert all(getattr(oroi_graph, name).__doc__ for name in oroi_graph.__all__)


def test_every_fault_of_the_mutants_can_still_be_put_in() -> None:
    """`tests/mutants.py` is run rarely: what it replaces must not move away from it meanwhile."""
    found = {
        mutant.name: (PROJECT / mutant.file).read_text(encoding="utf-8").count(mutant.old)
        for mutant in script(PROJECT / "tests" / "mutants.py").MUTANTS
    }
    assert set(found.values()) == {1}, found


def _names(tree: ast.AST) -> set[str]:
    """Every name and attribute that a tree uses."""
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return found | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
