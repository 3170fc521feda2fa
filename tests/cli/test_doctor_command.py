"""`shoal doctor`: well on a machine that can crawl, and an exact fix for what it can't."""

import re
import resource
import sys
import tomllib
from pathlib import Path

import pytest

from shoal.cleaners import cleaners
from shoal.maintenance import doctor
from shoal.understand.cage import landlock
from tests.cli.command import PROJECT, Shoal

# No name server outside is asked by a test: this one refuses.
NO_DNS = '[fetch]\nnameservers = ["127.0.0.1:9"]\n'
PROGRAMS = {"LibreOffice", "tesseract", "bsdtar", "readpst", "Chromium"}


def settings(shoal: Shoal, text: str) -> None:
    (shoal.directory / "corpus").mkdir(exist_ok=True)
    (shoal.directory / "corpus" / "shoal.toml").write_text(text)


def test_a_machine_that_can_crawl_is_well(shoal: Shoal) -> None:
    settings(shoal, NO_DNS)
    found = shoal.ok("doctor", "--json").json
    checks = {each["name"]: each for each in found["checks"]}
    assert found["ok"] is True
    absent = {name for name, each in checks.items() if not each["ok"]}
    assert absent <= {"dns", "open files", *PROGRAMS}
    assert checks["dns"]["ok"] is False
    assert "nameservers" in checks["dns"]["fix"]
    assert re.search(r"libcurl/\d", checks["libcurl"]["says"])
    assert checks["msgspec"]["says"][0].isdigit()
    shown = shoal.ok("doctor").text
    assert "The main job can run." in shown
    assert "beware  dns" in shown
    assert [each.name for each in (shoal.directory / "corpus").iterdir()] == ["shoal.toml"]


def test_a_disk_without_room_is_an_illness(shoal: Shoal) -> None:
    settings(shoal, NO_DNS + '[crawl]\nmin_free_disk = "900000TB"\n')
    done = shoal("doctor")
    assert done.code == 1
    assert "MISSING disk" in done.text
    assert "fix: make room, or lower --min-free-disk" in done.text


def test_a_directory_that_cannot_be_is_an_illness(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    check = doctor._writable(tmp_path / "file" / "corpus")
    assert not check.ok
    assert "--dir" in check.fix
    assert not doctor.is_well([check])


def test_a_library_that_is_missing_has_an_exact_fix() -> None:
    found = doctor._library("no-such-library", "no_such_library")
    assert (found.ok, found.says) == (False, "is not installed")
    assert found.fix.endswith("-m pip install no-such-library")


def test_the_libraries_are_those_that_the_project_declares() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.split(r"[<>=!~;\[ ]", line)[0] for line in project["dependencies"]}
    assert set(doctor.LIBRARIES) == declared


def test_what_draws_pages_is_only_a_pity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright.async_api", None)
    monkeypatch.setenv("SHOAL_CHROMIUM", "no-such-program")
    library, browser = doctor._rendering()
    assert not library.ok
    assert library.fix.endswith("-m pip install 'shoal[js]'")
    assert (browser.ok, browser.says) == (
        False,
        "SHOAL_CHROMIUM names no program (no-such-program): pages can't be drawn",
    )
    assert doctor.is_well([library, browser])
    monkeypatch.delenv("SHOAL_CHROMIUM")
    monkeypatch.setenv("PATH", "")
    assert doctor._rendering()[1].says == "is not installed: pages can't be drawn"


def test_the_browser_that_draws_pages_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = tmp_path / "chromium"
    browser.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SHOAL_CHROMIUM", raising=False)
    found = doctor._rendering()[1]
    assert (found.name, found.ok, found.says) == ("Chromium", True, str(browser))


def test_what_was_not_compiled_is_only_a_pity(monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor._content_model().ok is (cleaners.native is not None)
    monkeypatch.setattr(cleaners, "native", None)
    check = doctor._content_model()
    assert (check.name, check.ok) == ("content model", False)
    assert check.says == "not compiled: content is found by tags, less well"
    assert "C compiler" in check.fix
    assert doctor.is_well([check])


@pytest.mark.parametrize(
    ("limits", "ok", "fix"),
    [
        ((1024, 1024), False, "raise the hard limit of open files to 1128"),
        ((1024, 4096), True, ""),  # the table raises the first of them
        ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), True, ""),
    ],
)
def test_open_files_are_counted_as_a_crawl_may_have_them(
    limits: tuple[int, int], ok: bool, fix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: limits)
    check = doctor._file_descriptors(workers=64)
    assert check.ok is ok
    assert ok or check.fix == fix


def test_few_file_descriptors_are_only_a_pity() -> None:
    check = doctor._file_descriptors(workers=10**12)
    assert not check.ok
    assert not check.needed
    assert doctor.is_well([check])


def test_what_keeps_readers_in_is_told() -> None:
    check = doctor._cage()
    assert not check.needed
    assert check.ok == bool(landlock.version())
    if check.ok:
        assert "system calls are filtered; files are guarded" in check.says


def test_a_machine_without_a_cage_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    check = doctor._cage()
    assert not check.ok
    assert check.says.startswith("system calls are not filtered; files are not guarded")
    assert "Linux 5.13" in check.fix
