"""Are the seams real? Each port has an implementation, a caller and a contract suite.

An implementation is a class with all methods of the port, taking what the port says they take. A
caller calls each method on something that is named as what is declared to be of the port
(`refresher: Refresher` makes `self._refresher.plan(…)` a call), or on what another call through a
port gave, outside of the implementations' own modules. A contract suite is a module in
tests/contract that imports the port; it, or a program of the tests that imports from it, names
every implementation, those in memory that other tests share included.

The checks are functions over any tree, so that each is also shown a tree with one planted fault.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from scripts.house import PROJECT, SOURCE, modules

TESTS = PROJECT / "tests"
SHARED = tuple(
    TESTS / name
    for name in ("cluster/memory.py", "frontier/remote_tablets.py", "converters/parts.py")
)
"""Implementations in memory, for the tests of more than one room."""
FOR_FILES_AND_MAIL = frozenset({"Scope.drops"})
"""What reading files and mailboxes will make use of, as the docstrings say: `drops` is asked
already, but nothing is dropped."""
SAYS_SO = "files and mailboxes will"

Function = ast.FunctionDef | ast.AsyncFunctionDef
Ports = Mapping[str, Mapping[str, Function]]
"""By the port's name and the method's."""


class Class(NamedTuple):
    file: Path
    name: str
    methods: Mapping[str, Function]
    attributes: frozenset[str]


def ports_of(source: Path) -> Ports:
    return {
        node.name: {each.name: each for each in node.body if isinstance(each, Function)}
        for node in _parsed(source / "ports.py").body
        if isinstance(node, ast.ClassDef) and "Protocol" in map(ast.unparse, node.bases)
    }


def _parsed(file: Path) -> ast.Module:
    return _tree(file.read_bytes())


@cache
def _tree(text: bytes) -> ast.Module:
    return ast.parse(text)


@cache
def _nodes(tree: ast.AST) -> list[ast.AST]:
    return list(ast.walk(tree))


def _words(annotation: ast.AST | None) -> set[str]:
    """The names in an annotation, quoted or not."""
    nodes = [] if annotation is None else list(ast.walk(annotation))
    quoted = [str(node.value) for node in nodes if isinstance(node, ast.Constant)]
    return {
        *(node.id for node in nodes if isinstance(node, ast.Name)),
        *re.findall(r"\w+", " ".join(quoted)),
    }


def _last_name(node: ast.AST) -> str:
    """Of `self._lamp` it is `lamp`."""
    if isinstance(node, ast.Attribute):
        return node.attr.lstrip("_")
    return node.id.lstrip("_") if isinstance(node, ast.Name) else ""


# --- implementations ------------------------------------------------------------------------------


def classes(files: Iterator[Path]) -> Iterator[Class]:
    for file in files:
        for node in _nodes(_parsed(file)):
            if isinstance(node, ast.ClassDef) and "Protocol" not in map(ast.unparse, node.bases):
                methods = {each.name: each for each in node.body if isinstance(each, Function)}
                stored = {
                    each.attr
                    for each in ast.walk(node)
                    if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
                }
                declared = {
                    ast.unparse(e.target) for e in node.body if isinstance(e, ast.AnnAssign)
                }
                yield Class(file, node.name, methods, frozenset(stored | declared))


def _is_property(method: Function) -> bool:
    return "property" in map(ast.unparse, method.decorator_list)


def _takes(method: Function) -> tuple[list[str], list[str]]:
    """What it is called with: what it must have, and what it may have."""
    names = [each.arg for each in method.args.args[1:]]
    must = names[: len(names) - len(method.args.defaults)]
    only_by_name = zip(method.args.kwonlyargs, method.args.kw_defaults, strict=True)
    return [*must, *(each.arg for each, default in only_by_name if default is None)], names


def implements(found: Class, port: Mapping[str, Function]) -> bool:
    for name, wanted in port.items():
        if _is_property(wanted):
            if name not in found.attributes and name not in found.methods:
                return False
            continue
        method = found.methods.get(name)
        if method is None or _takes(method)[1][: len(_takes(wanted)[1])] != _takes(wanted)[1]:
            return False
        if len(_takes(method)[0]) > len(_takes(wanted)[0]):
            return False
    return True


def implementations(ports: Ports, files: Iterator[Path]) -> dict[str, list[Class]]:
    found = list(classes(files))
    return {
        name: [each for each in found if implements(each, port)] for name, port in ports.items()
    }


# --- callers --------------------------------------------------------------------------------------


def _imported(tree: ast.Module) -> set[str]:
    return {
        alias.name
        for node in _nodes(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "shoal.ports"
        for alias in node.names
    }


def _declared(ports: Ports, trees: Mapping[Path, ast.Module]) -> dict[str, set[str]]:
    """For each port the names, without a leading underscore, of what is declared to be one."""
    names: dict[str, set[str]] = {port: set() for port in ports}
    for tree in trees.values():
        if not (imported := _imported(tree)):
            continue
        given = {
            method: _words(node.returns)
            for port in imported & ports.keys()
            for method, node in ports[port].items()
        }
        for node in _nodes(tree):
            name, said = "", set[str]()
            if isinstance(node, ast.arg):
                name, said = node.arg, _words(node.annotation) & imported
            elif isinstance(node, ast.AnnAssign):
                name, said = _last_name(node.target), _words(node.annotation) & imported
            elif isinstance(node, Function):
                name, said = node.name, _words(node.returns) & imported
            elif isinstance(node, ast.Assign):
                name, value = _last_name(node.targets[0]), node.value
                call = value.value if isinstance(value, ast.Await) else value
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                    said = given.get(call.func.attr, said)
            for port in said & ports.keys():
                names[port].add(name.lstrip("_"))
    return names


def uncalled(source: Path) -> set[str]:
    """The methods of ports, as `Port.method`, that nobody calls through the port."""
    ports = ports_of(source)
    trees = {file: _parsed(file) for file in modules(source) if file.name != "ports.py"}
    names = _declared(ports, trees)
    own = {
        port: {each.file for each in found}
        for port, found in implementations(ports, modules(source)).items()
    }
    called = {
        f"{port}.{node.attr}"
        for file, tree in trees.items()
        for node in _nodes(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
        for port in ports
        if node.attr in ports[port] and file not in own[port]
        if _last_name(node.value) in names[port]
    }
    return {f"{port}.{method}" for port in ports for method in ports[port]} - called


# --- suites ---------------------------------------------------------------------------------------


def suites(tests: Path) -> dict[str, list[Path]]:
    """The suites of each port in tests/contract, which import it; and who runs one elsewhere."""
    found: dict[str, list[Path]] = {}
    ports_in = {file: _imported(_parsed(file)) for file in (tests / "contract").glob("test_*.py")}
    users = {
        file: _parsed(file)
        for file in tests.rglob("*.py")
        if file not in ports_in and b"from tests.contract." in file.read_bytes()
    }
    for file, ports in ports_in.items():
        own = f"tests.contract.{file.stem}"
        borrow = [
            each
            for each, tree in users.items()
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and node.module == own
        ]
        for port in ports:
            found.setdefault(port, []).extend([file, *borrow])
    return found


def not_run(tests: Path, made: Mapping[str, list[Class]]) -> list[str]:
    """Ports without a suite, and implementations that no suite of their port names."""
    of_port = suites(tests)
    found = [f"{port} has no suite in tests/contract" for port in made if port not in of_port]
    for port, files in of_port.items():
        nodes = [node for file in files for node in _nodes(_parsed(file))]
        named = {node.id for node in nodes if isinstance(node, ast.Name)}
        found += [
            f"{each.name} is not among those that the suite of {port} runs on"
            for each in made.get(port, [])
            if each.name not in named
        ]
    return found


# --- the house ------------------------------------------------------------------------------------


@pytest.fixture(scope="module", autouse=True)
def _forgetting() -> Iterator[None]:
    """The trees of the whole project are large."""
    yield
    _nodes.cache_clear()
    _tree.cache_clear()


def test_each_port_has_an_implementation() -> None:
    found = implementations(ports_of(SOURCE), modules(SOURCE))
    assert len(found) > 10
    assert [port for port, made in found.items() if not made] == []


def test_each_method_of_a_port_has_a_caller() -> None:
    assert uncalled(SOURCE) == set()


@pytest.mark.parametrize("method", sorted(FOR_FILES_AND_MAIL))
def test_what_waits_for_files_and_mail_says_so(method: str) -> None:
    port, _, name = method.partition(".")
    says = ast.get_docstring(ports_of(SOURCE)[port][name]) or ""
    assert SAYS_SO in " ".join(says.split())


def test_each_port_has_a_suite_that_runs_on_every_implementation() -> None:
    files = iter([*modules(SOURCE), *SHARED])
    made = implementations(ports_of(SOURCE), files)
    assert {each.name for each in made["Table"]} >= {"RocksTable", "MemoryTable"}
    assert not_run(TESTS, made) == []


# --- each check finds a planted fault -------------------------------------------------------------

PORT = """
from typing import Protocol

class Lamp(Protocol):
    @property
    def watts(self) -> int: ...
    def light(self, room: str, minutes: int = 1) -> None: ...
"""
OIL = """
class Oil:
    def __init__(self):
        self.watts = 3
    def light(self, room, minutes=1, wick=None):
        pass
"""
KEEPER = """
from shoal.ports import Lamp

class Keeper:
    def __init__(self, lamp: Lamp | None) -> None:
        self._lamp = lamp
"""
USER = """
class User:
    def at_night(self):
        if self._lamp.watts > 1:
            self._lamp.light("hall")
"""
SUITE = """
from oil import Oil
from shoal.ports import Lamp

def test_it():
    Oil().light("hall")
"""


def plant(root: Path, **files: str) -> Path:
    for name, text in {"ports": PORT, "oil": OIL, "keeper": KEEPER, "user": USER, **files}.items():
        (root / f"{name}.py").write_text(text)
    return root


def lamps(root: Path) -> list[str]:
    return [each.name for each in implementations(ports_of(root), modules(root))["Lamp"]]


def test_a_whole_port_passes(tmp_path: Path) -> None:
    plant(tmp_path)
    (tmp_path / "contract").mkdir()
    (tmp_path / "contract" / "test_lamp.py").write_text(SUITE)
    assert lamps(tmp_path) == ["Oil"]
    assert uncalled(tmp_path) == set()
    assert not_run(tmp_path, implementations(ports_of(tmp_path), modules(tmp_path))) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def light(", "def lit("),
        ("room, minutes=1, wick=None", "room"),
        ("room, minutes=1, wick=None", "hall, minutes=1"),
        ("room, minutes=1, wick=None", "room, minutes"),
        ("wick=None", "*, wick"),
        ("self.watts = 3", "pass"),
    ],
)
def test_a_class_that_lacks_something_is_no_implementation(
    tmp_path: Path, old: str, new: str
) -> None:
    assert old in OIL
    assert lamps(plant(tmp_path, oil=OIL.replace(old, new))) == []


@pytest.mark.parametrize(
    ("part", "old", "new", "found"),
    [
        ("user", 'self._lamp.light("hall")', "pass", {"Lamp.light"}),
        ("user", 'self._lamp.light("hall")', 'self._torch.light("hall")', {"Lamp.light"}),
        ("user", "self._lamp.watts", "self._lamp.volts", {"Lamp.watts"}),
        ("keeper", "from shoal.ports", "from shoal.shop", {"Lamp.light", "Lamp.watts"}),
        ("keeper", "lamp: Lamp | None", "lamp: object", {"Lamp.light", "Lamp.watts"}),
    ],
)
def test_a_method_without_a_caller_is_found(
    tmp_path: Path, part: str, old: str, new: str, found: set[str]
) -> None:
    text = {"user": USER, "keeper": KEEPER}[part]
    assert old in text
    assert uncalled(plant(tmp_path, **{part: text.replace(old, new)})) == found


def test_an_implementation_does_not_call_itself(tmp_path: Path) -> None:
    plant(tmp_path, oil=OIL + USER, user="")
    assert uncalled(tmp_path) == {"Lamp.light", "Lamp.watts"}


def test_a_port_without_a_suite_and_a_class_that_it_leaves_out_are_found(tmp_path: Path) -> None:
    plant(tmp_path, gas=OIL.replace("Oil", "Gas"))
    made = implementations(ports_of(tmp_path), modules(tmp_path))
    assert not_run(tmp_path, made) == ["Lamp has no suite in tests/contract"]
    (tmp_path / "contract").mkdir()
    (tmp_path / "contract" / "test_lamp.py").write_text(SUITE)
    left_out = "Gas is not among those that the suite of Lamp runs on"
    assert not_run(tmp_path, made) == [left_out]
    (tmp_path / "gas_works.py").write_text("from tests.contract.test_lamp import x\nx(Gas)\n")
    assert not_run(tmp_path, made) == []
