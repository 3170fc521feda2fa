"""The shape of the house: which way imports point, who may import a library, how long a file gets.

Imports point one way: cli → web → api → maintenance → analysis → repartition → fleet → control →
engine → access → indexer → files → collection → worker → layout → {rooms, core} → ports → model →
ground, as in docs/architecture.md. Imports inside functions count too, so no cycle can hide.
The checks are functions over any source tree, so that each is also shown a
tree with one planted fault and must find it.
"""

import ast
import importlib.metadata
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

import shoal
from scripts.house import (
    PAGE,
    PROJECT,
    SOURCE,
    folders,
    imports,
    modules,
    part_of,
    report,
    written,
    wrong_directions,
)

VAGUE_NAMES = frozenset({"utils", "util", "helpers", "helper", "common", "base", "manager"})
PROJECT_EXTRAS = frozenset({"bench", "dev", "training"})
"""Extras for work on the project, of which src/shoal imports nothing; the others are for users."""
ROOMS_OF_LIBRARY = {
    "tantivy": {"index"},
    "rocksdict": {"store"},
    "numpy": {"graph", "freshness", "learn"},
    "starlette": {"web"},
    "ray": {"cluster"},
}
"""Libraries that are the ground of a room: there any module may import them."""
MAX_LINES = 400
"""Of a module, but for the list of all public functions."""
MAX_LOOP_LINES = 60
MAX_MODULES = 25
"""In a folder; families of formats have a file for each format."""


def library_users(source: Path) -> dict[str, set[Path]]:
    """Each third-party library, and the modules that import it."""
    users: dict[str, set[Path]] = defaultdict(set)
    for each in imports(source):
        library = each.target.split(".")[0]
        if library != "shoal" and library not in sys.stdlib_module_names:
            users[library].add(each.path)
    return dict(users)


def shared_libraries(source: Path) -> list[str]:
    return [
        f"{library} is imported by {', '.join(sorted(map(str, paths)))}: keep it to one module"
        for library, paths in sorted(library_users(source).items())
        if len(paths) > 1
        and not {part_of(path) for path in paths} <= ROOMS_OF_LIBRARY.get(library, set())
    ]


def long_modules(source: Path) -> list[str]:
    lengths = {file: len(file.read_bytes().splitlines()) for file in modules(source)}
    return [
        f"{file.name}: {lines} lines"
        for file, lines in lengths.items()
        if lines > MAX_LINES and file != source / "api.py"
    ]


def crowded_folders(source: Path) -> list[str]:
    return [
        f"{folder.name}: {folder.modules} modules"
        for folder in folders(source)
        if folder.modules > MAX_MODULES and "converters" not in folder.name.split("/")
    ]


def public_packages(source: Path, public: Iterable[str]) -> list[str]:
    """Public names that a package or a module of the top folder has too."""
    parts = {part_of(file.relative_to(source)) for file in modules(source)}
    return sorted(parts & set(public))


def vague_names(source: Path) -> list[str]:
    paths = [file.relative_to(source) for file in modules(source)]
    return [
        str(path)
        for path in paths
        if VAGUE_NAMES & {part.removesuffix(".py").strip("_") for part in path.parts}
    ]


def long_loops(source: Path) -> list[str]:
    """Functions of the core loop that no longer fit one screen."""
    tree = ast.parse((source / "core.py").read_bytes())
    return [
        f"core.py: {node.name} has {node.end_lineno - node.lineno + 1} lines"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > MAX_LOOP_LINES
    ]


def test_imports_point_one_way() -> None:
    assert list(imports(SOURCE)), "no import found: is the source where this test looks?"
    assert wrong_directions(SOURCE) == []


def test_the_page_shows_the_house_as_it_is() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == written(page, report(SOURCE)), "run: python -m scripts.house --write"


def test_every_folder_asks_a_question() -> None:
    assert [each.name for each in folders(SOURCE)[1:] if not each.question.endswith("?")] == []


def test_each_library_is_imported_in_one_module() -> None:
    assert shared_libraries(SOURCE) == []


def test_what_knows_ray_is_named_after_it() -> None:
    users = library_users(SOURCE)["ray"]
    assert users
    assert all(path.stem.startswith("ray") for path in users)


def declared(project: Path) -> set[str]:
    """The distributions that an installation brings: for the main job, and by users' extras."""
    asked = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = list(asked["dependencies"])
    for extra, more in asked["optional-dependencies"].items():
        lines += [] if extra in PROJECT_EXTRAS else more
    return {re.split(r"[<>=!~;\[ ]", line)[0] for line in lines}


def used(source: Path) -> set[str]:
    """The distributions that are imported; an uninstalled one by the module's name."""
    distributions = importlib.metadata.packages_distributions()
    return {
        re.sub(r"[-_.]+", "-", distributions.get(library, [library])[0]).lower()
        for library in library_users(source)
    }


def test_what_is_imported_is_what_is_declared() -> None:
    """What isn't declared is missing on a fresh machine; what isn't imported is dead weight."""
    assert used(SOURCE) == declared(PROJECT)


def test_an_import_counts_as_declared_only_by_what_users_install(tmp_path: Path) -> None:
    toml = """[project]
        dependencies = ["ada-url>=4,<5", "uvloop; sys_platform != 'win32'"]
        [project.optional-dependencies]
        dev = ["pytest"]
        js = ["playwright[x]>=1"]"""
    (tmp_path / "pyproject.toml").write_text(toml, encoding="utf-8")
    plant(tmp_path, "fetch/x.py", "import ada_url, uvloop\nimport playwright.async_api, pytest\n")
    assert declared(tmp_path) == {"ada-url", "uvloop", "playwright"}
    assert used(tmp_path) - declared(tmp_path) == {"pytest"}


def test_no_module_is_too_long() -> None:
    assert long_modules(SOURCE) == []


def test_no_folder_has_too_many_modules() -> None:
    assert crowded_folders(SOURCE) == []


def test_every_public_function_stands_in_the_one_file() -> None:
    defined = {
        node.name
        for node in ast.parse((SOURCE / "api.py").read_bytes()).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }
    functions = {name for name in shoal.__all__ if name[0].islower()}
    assert defined == functions


def test_no_public_name_is_a_package_too() -> None:
    assert public_packages(SOURCE, shoal.__all__) == []
    assert public_packages(SOURCE, ["open", "converters"]) == ["converters"]


def test_no_module_has_a_vague_name() -> None:
    assert vague_names(SOURCE) == []


def test_the_core_loop_fits_one_screen() -> None:
    assert long_loops(SOURCE) == []


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small house without a fault."""
    plant(tmp_path, "__init__.py", "from shoal.engine import build")
    plant(tmp_path, "__main__.py", "from shoal.cli.main import run")
    plant(tmp_path, "engine/x.py", "from shoal.fetch.http import a\nfrom shoal import core\n")
    plant(tmp_path, "fleet/x.py", "def f():\n    from shoal.engine.x import a\n")
    plant(tmp_path, "core.py", "from shoal.ports import Store\nfrom shoal.model import url\n")
    plant(tmp_path, "errors.py", "import re\n")
    plant(
        tmp_path, "config/__init__.py", "from shoal.config.values import a\nimport shoal.errors\n"
    )
    plant(tmp_path, "config/values.py", "from shoal.errors import E\n")
    plant(tmp_path, "ports.py", "from shoal.model.urls.url import Url\n")
    plant(tmp_path, "model/urls/url.py", "import ada_url\nfrom shoal.model import link\n")
    plant(tmp_path, "fetch/http.py", "import pycurl\nfrom . import dns\nfrom shoal import ports\n")
    plant(tmp_path, "graph/x.py", "import numpy\n")
    plant(tmp_path, "graph/y.py", "import numpy\n")
    plant(
        tmp_path,
        "cli/main.py",
        "import shoal\nfrom shoal.demo import site\nfrom ..engine import x\n",
    )
    return tmp_path


def plant(tree: Path, name: str, text: str) -> None:
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text(text, encoding="utf-8")


def faults(tree: Path) -> list[str]:
    checks = (wrong_directions, shared_libraries, long_modules, crowded_folders, vague_names)
    return [fault for check in (*checks, long_loops) for fault in check(tree)]


def test_a_house_without_a_fault_passes(tree: Path) -> None:
    assert faults(tree) == []


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "fetch/x.py",
            "from shoal.store import t",
            "fetch/x.py:1: fetch must not import shoal.store",
        ),
        ("fetch/x.py", "from ..store import t", "fetch/x.py:1: fetch must not import shoal.store"),
        ("fetch/x.py", "from .. import store", "must not import shoal"),
        ("fetch/x.py", "import shoal.engine", "fetch must not import shoal.engine"),
        ("layout/x.py", "def f():\n    import shoal.engine", "layout must not import shoal.engine"),
        ("engine/x.py", "from shoal.fleet import y", "engine must not import shoal.fleet"),
        ("fetch/x.py", "import shoal", "fetch must not import shoal"),
        ("fetch/x.py", "def f():\n    import shoal.cli", "x.py:2: fetch must not import shoal.cli"),
        ("core.py", "from shoal.fetch import http", "core must not import shoal.fetch"),
        ("ports.py", "from shoal.core import loop", "ports must not import shoal.core"),
        ("model/x.py", "from shoal.ports import Store", "model must not import shoal.ports"),
        ("errors.py", "from shoal.clock import now", "errors must not import shoal.clock"),
        ("counters.py", "from shoal import clock", "counters must not import shoal"),
        ("cli/x.py", "from shoal.fetch import http", "cli must not import shoal.fetch"),
        ("cli/x.py", "from shoal.ports import Store", "cli must not import shoal.ports"),
        ("web/x.py", "from shoal.cli import main", "web must not import shoal.cli"),
        ("web/x.py", "from shoal.demo import site", "web must not import shoal.demo"),
        ("__main__.py", "from shoal.fetch import http", "__main__ must not import shoal.fetch"),
        ("attic/x.py", "import shoal.errors", "'attic' is no part of the house"),
        (
            "fetch/x.py",
            "from pycurl import Curl",
            "pycurl is imported by fetch/http.py, fetch/x.py",
        ),
        (
            "store/x.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import ada_url.sub\n",
            "ada_url is imported by model/urls/url.py, store/x.py",
        ),
        (
            "store/x.py",
            "import numpy\nfrom shoal.store import y",
            "numpy is imported by graph/x.py, graph/y.py, store/x.py",
        ),
        ("store/x.py", "a = 1\n" * 401, "x.py: 401 lines"),
        ("store/utils.py", "", "store/utils.py"),
        ("store/common/x.py", "", "store/common/x.py"),
        ("core.py", "async def loop():\n" + "    a = 1\n" * 60, "core.py: loop has 61 lines"),
    ],
)
def test_a_planted_fault_is_found(tree: Path, name: str, text: str, said: str) -> None:
    plant(tree, name, text)
    found = faults(tree)
    assert len(found) == 1
    assert said in found[0]
