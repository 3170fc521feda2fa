"""The house as a stranger finds it: nothing of one machine, its papers there, its locks whole."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from shoal.config import VERSION

PROJECT = Path(__file__).resolve().parent.parent
MACHINE_PATH = re.compile(r"/(root|work|home/[a-z]\w*|Users/[A-Za-z]\w*)/")
PIN = re.compile(r"([a-z0-9-]+)==([\w.]+)( ; [\w\"'!=<>. ]+)?(\s+# via .*)?")


def project_files() -> list[Path]:
    """What a clone would hold: tracked files, and new ones that are not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT,
        capture_output=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout, so it is not known which files are the project's")
    paths = (PROJECT / name for name in listed.stdout.decode().split("\0") if name)
    return [path for path in paths if path.is_file()]


def machine_paths(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if MACHINE_PATH.search(line)]


def test_no_path_of_one_machine() -> None:
    found = {}
    for path in project_files():
        data = path.read_bytes()
        if b"\0" not in data and (lines := machine_paths(data.decode("utf-8", "replace"))):
            found[str(path.relative_to(PROJECT))] = lines
    assert found == {}


@pytest.mark.parametrize("directory", ["root", "work", "home/anna", "Users/Anna"])
def test_a_planted_path_is_found(directory: str) -> None:
    assert machine_paths(f"fine\nopen('/{directory}/x')\n") == [f"open('/{directory}/x')"]


@pytest.mark.parametrize(
    "name",
    [
        *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "NOTICE"),
        *("docs/architecture.md", "docs/settings.md"),
    ],
)
def test_the_papers_are_there(name: str) -> None:
    assert (PROJECT / name).read_text(encoding="utf-8").strip()


def test_the_changelog_knows_this_version() -> None:
    assert VERSION in (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_licence_is_apache_2() -> None:
    text = (PROJECT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text


@pytest.mark.parametrize("name", ["shoal", "check", ".ci/run"])
def test_the_commands_can_be_run(name: str) -> None:
    path = PROJECT / name
    assert path.stat().st_mode & 0o111 == 0o111
    assert subprocess.run(["bash", "-n", path], check=False).returncode == 0


def pins(name: str) -> dict[str, str]:
    """A lock file's pins; a line of any other form (an index, a host, a path) fails."""
    found = {}
    for line in (PROJECT / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            assert "://" not in line
            continue
        pin = PIN.fullmatch(line)
        assert pin, f"{name}: {line!r} is no pin"
        found[pin[1]] = pin[2]
    return found


def as_numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def test_the_locks_pin_what_the_project_asks_for() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    runtime, development = pins("requirements.lock"), pins("requirements-dev.lock")
    wanted = {
        "requirements.lock": (runtime, project["dependencies"]),
        "requirements-dev.lock": (development, project["optional-dependencies"]["dev"]),
    }
    for name, (pinned, lines) in wanted.items():
        for line in lines:
            library, bounds = re.fullmatch(r"([a-z0-9-]+)([^;]*)(?:;.*)?", line).groups()  # type: ignore[union-attr]
            assert library in pinned, f"{name} lacks {library}: run the command at its top"
            version = as_numbers(pinned[library])
            for relation, bound in re.findall(r"(>=|<)([0-9.]+)", bounds):
                assert (version >= as_numbers(bound)) is (relation == ">="), f"{name}: {line}"
    assert runtime.items() <= development.items()
