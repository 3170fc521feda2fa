"""Help: there for every command and option, quick, and the same as docs/commands.md."""

import re
import subprocess
import sys

import pytest

from shoal.cli.main import _register_commands
from shoal.cli.options import command_names, parse_and_run
from tests.cli.command import PROJECT, Shoal

_register_commands()
COMMANDS = command_names()
PAGE = (PROJECT / "docs" / "commands.md").read_text(encoding="utf-8")
HEAVY = ("rocksdict", "pycurl", "aiodns", "msgspec", "asyncio", "rich")


def test_all_commands_are_there() -> None:
    wanted = (
        "crawl plan map status urls explain show export search serve rank links graph convert "
        "formats clean slope dups hosts pause resume slow exclude include retry submit stop mark "
        "demo doctor checksum compact reindex verify repair sitemap refresh freshness simulate "
        "add watch entities"
    )
    below = {
        "config": ("show", "path"),
        "shadow": ("status", "apply", "discard"),
        "order": ("report",),
        "feed": ("add", "remove", "list", "opml", "show"),
        "topic": ("make", "yes", "no", "unsay", "list", "show", "remove", "report"),
        "user": ("add", "remove", "list"),
        "classes": ("train", "apply", "show", "report", "remove"),
        "tree": ("make", "show", "remove"),
        "sources": ("remove",),
        "mail": ("add",),
        "cluster": (
            *("create", "start", "status", "drain", "rebalance", "stop", "split", "merge"),
        ),
    }
    groups = {f"{group} {name}" for group, names in below.items() for name in names}
    assert set(COMMANDS) == {*wanted.split(), *groups}


def test_shoal_alone_gives_an_overview(shoal: Shoal) -> None:
    done = shoal.ok()
    assert "shoal crawl https://example.org/" in done.text
    assert len(done.lines) < 15


def test_the_version(shoal: Shoal) -> None:
    assert re.fullmatch(r"shoal \d+\.\d+\.\d+\n", shoal.ok("--version").text)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_has_help_and_is_documented(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert parse_and_run([*command.split(), "--help"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"Usage: shoal {command}")
    section = re.search(rf"^## {command}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert section, f"docs/commands.md has no section '## {command}'"
    options = re.findall(r"^  (?:-\w, )?(--[a-z-]+)(?:,? \S+)?(.*)$", text, re.MULTILINE)
    for option, about in options:
        assert about.strip() or _next_line(text, option), f"{command} {option} has no help"
        if option not in ("--help", "--dir", "--json"):
            assert f"`{option}" in section[1], f"docs/commands.md: {command} lacks {option}"


def _next_line(text: str, option: str) -> str:
    lines = text.splitlines()
    number = next(i for i, line in enumerate(lines) if f"{option} " in f"{line} ")
    return lines[number + 1].strip() if number + 1 < len(lines) else ""


def test_the_page_documents_nothing_that_is_not_there() -> None:
    headings = re.findall(r"^## ([a-z ]+)$", PAGE, re.MULTILINE)
    assert headings == COMMANDS


def test_no_summary_of_a_command_is_cut(shoal: Shoal) -> None:
    assert "..." not in shoal.ok("--help").text.partition("Commands:")[2]


def test_the_function_keeps_its_name_whatever_is_imported_first() -> None:
    """The package loads lazily, and its core loop stands in a module of the same name."""
    program = "import shoal; shoal.open; import shoal.engine.engine; print(callable(shoal.crawl))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(PROJECT / "src")},
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"True\n"


def test_help_loads_nothing_that_only_a_crawl_needs() -> None:
    program = (
        "import sys; sys.argv = ['shoal', '--help']\n"
        "from shoal.cli.main import run\n"
        "try: run()\n"
        f"except SystemExit: print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(PROJECT / "src")},
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"
