"""How is the house laid out? Every folder with its question, its modules and lines; and the imports
that go against the order, of which there are none.

    python -m scripts.house            prints it
    python -m scripts.house --write    and writes it into docs/architecture.md

A test holds the page to what this prints.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
SOURCE = PROJECT / "src" / "shoal"
PAGE = PROJECT / "docs" / "architecture.md"
OPENING = "<!-- house -->\n```\n"
CLOSING = "\n```\n<!-- /house -->"

GROUND = frozenset(
    {
        "body_memory",
        "errors",
        "clock",
        "closing",
        "config",
        "counters",
        "cycles",
        "faults",
        "loop",
        "plot",
    }
) | {"whole_file"}
ROOMS = frozenset(
    {"sources", "frontier", "fetch", "understand", "converters", "cleaners", "duplicates", "store"}
) | {"graph", "index", "search", "freshness", "focus", "learn", "naming", "cluster", "demo"}
BELOW_ROOMS = GROUND | {"model", "ports"}
PACKAGES = (
    *("layout", "worker", "collection", "files", "indexer", "access", "engine", "control"),
    *("fleet", "repartition", "analysis", "maintenance", "api"),
)
"""What puts the rooms together, from the bottom to the top: each may import all before it."""

MAY_IMPORT: dict[str, frozenset[str]] = {
    **dict.fromkeys(GROUND, frozenset({"errors"})),
    "model": GROUND,
    "ports": GROUND | {"model"},
    "core": BELOW_ROOMS,
    **dict.fromkeys(ROOMS, BELOW_ROOMS),
    **{
        package: ROOMS | BELOW_ROOMS | {"core"} | frozenset(PACKAGES[:place])
        for place, package in enumerate(PACKAGES)
    },
    "web": GROUND | {"model", "__init__"} | frozenset(PACKAGES),
    "cli": GROUND | {"model", "web", "demo", "__init__"} | frozenset(PACKAGES),
    "__init__": GROUND | {"model"} | frozenset(PACKAGES),
    "__main__": GROUND | {"cli"},
}
"""Which parts of the house a part may import; its own modules always."""


@dataclass(frozen=True)
class Import:
    """One imported module, by its full name, and where that stands."""

    path: Path
    line: int
    target: str

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"


def modules(source: Path) -> Iterator[Path]:
    yield from sorted(source.rglob("*.py"))


def part_of(path: Path) -> str:
    """The part of the house that a file (relative to the package) belongs to."""
    return path.parts[0].removesuffix(".py")


def imports(source: Path) -> Iterator[Import]:
    """Every import statement, inside functions and `if TYPE_CHECKING` too."""
    for file in modules(source):
        path = file.relative_to(source)
        package = ["shoal", *path.parent.parts]
        for node in _import_statements(file.read_bytes()):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield Import(path, node.lineno, alias.name)
            else:
                above = package[: len(package) + 1 - node.level] if node.level else []
                origin = ".".join([*above, *([node.module] if node.module else [])])
                # `from shoal import x` may name a module or something in __init__: look.
                for alias in node.names:
                    yield Import(path, node.lineno, _imported(source, origin, alias.name))


@cache
def _import_statements(text: bytes) -> list[ast.Import | ast.ImportFrom]:
    """Kept: a whole tree takes a second, and several questions are asked of the same one."""
    return [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)
    ]


def _imported(source: Path, origin: str, name: str) -> str:
    if origin != "shoal":
        return origin
    is_module = (source / f"{name}.py").exists() or (source / name).is_dir()
    return f"shoal.{name}" if is_module else "shoal"


def wrong_directions(source: Path) -> list[str]:
    found = []
    for each in imports(source):
        if each.target.split(".")[0] != "shoal":
            continue
        here = part_of(each.path)
        there = each.target.partition(".")[2].split(".")[0] or "__init__"
        if here not in MAY_IMPORT:
            found.append(f"{each.path}: '{here}' is no part of the house; see MAY_IMPORT")
        elif there != here and there not in MAY_IMPORT[here]:
            found.append(f"{each.place}: {here} must not import {each.target}")
    return found


def question_of(file: Path) -> str:
    """What a module or a package answers: the first paragraph of its docstring, up to the mark."""
    text = file.read_bytes() if file.exists() else b""
    says = (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")[0]
    asked, mark, _ = " ".join(says.split()).partition("?")
    return asked + mark


@dataclass(frozen=True)
class Folder:
    name: str
    modules: int
    lines: int
    question: str


def folders(source: Path) -> list[Folder]:
    """Every folder with modules in it, in the order of the names."""
    found = []
    for folder in sorted({file.parent for file in modules(source)}):
        files = [file for file in folder.glob("*.py") if file.name != "__init__.py"]
        lines = sum(len(file.read_bytes().splitlines()) for file in folder.glob("*.py"))
        name = "/".join(folder.relative_to(source.parent).parts) + "/"
        found.append(Folder(name, len(files), lines, question_of(folder / "__init__.py")))
    return found


def report(source: Path) -> str:
    """The whole house on one page."""
    rows = folders(source)
    width = max(len(each.name) for each in rows)
    lines = [f"{'folder':<{width}}  modules   lines  question"]
    lines += [
        f"{each.name:<{width}}  {each.modules:>7}  {each.lines:>6}  {each.question}".rstrip()
        for each in rows
    ]
    wrong = wrong_directions(source)
    lines += ["", f"imports against the order: {len(wrong) or 'none'}", *wrong]
    return "\n".join(lines)


def written(page: str, house: str) -> str:
    """The page with this house between its two marks."""
    before, _, rest = page.partition(OPENING)
    _, _, after = rest.partition(CLOSING)
    return f"{before}{OPENING}{house}{CLOSING}{after}"


if __name__ == "__main__":
    print(report(SOURCE))
    if sys.argv[1:] == ["--write"]:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(written(page, report(SOURCE)), encoding="utf-8")
