"""hatch_build.py: each source in C becomes a module, and one that doesn't takes no other with it.

A stand-in for the compiler writes down what it was asked for and fails for the sources it is told.
"""

import sysconfig
from pathlib import Path
from typing import Any

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from hatch_build import SOURCES, NativeModules

STAND_IN = """#!/bin/sh
echo "$*" >>{log}
case "$*" in *"${{FAILING:-none of them}}"*) exit 1 ;; esac
while [ "$1" != -o ]; do shift; done
echo module >"$2"
"""
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


PROJECT = Path(__file__).resolve().parent.parent


class App:
    def __init__(self) -> None:
        self.warnings: list[str] = []

    def display_warning(self, message: str) -> None:
        self.warnings.append(message)


class Build:
    """One run of the hook in a project of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.data: dict[str, Any] = {"artifacts": [], "pure_python": True, "infer_tag": False}
        self.app = App()

    def run(self) -> None:
        for source in SOURCES:
            (self.root / source).parent.mkdir(parents=True, exist_ok=True)
        hook = NativeModules(str(self.root), {}, None, None, "", "wheel", self.app)  # type: ignore[arg-type]
        hook.initialize("standard", self.data)

    def files(self) -> set[str]:
        return {f"/{each.relative_to(self.root)}" for each in self.root.rglob("*_*.*")}


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    compiler = tmp_path / "cc"
    compiler.write_text(STAND_IN.format(log=tmp_path / "log"))
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    return Build(tmp_path / "project")


def module(source: Path) -> str:
    return f"/{source.with_name(source.stem)}{SUFFIX}"


def test_every_source_becomes_a_module_beside_it(build: Build, tmp_path: Path) -> None:
    build.run()
    assert build.data["artifacts"] == [module(source) for source in SOURCES]
    assert build.files() == set(build.data["artifacts"])
    assert (build.data["pure_python"], build.data["infer_tag"]) == (False, True)
    assert build.app.warnings == []
    calls = (tmp_path / "log").read_text().splitlines()
    assert len(calls) == len(SOURCES)
    for call, source in zip(calls, SOURCES, strict=True):
        assert f"{build.root / source} -o " in call
        assert call.endswith(" -lm"), "libraries come after what needs them"


@pytest.mark.parametrize("failing", SOURCES, ids=str)
def test_one_that_fails_is_told_and_takes_no_other_with_it(
    build: Build, failing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAILING", failing.name)
    build.run()
    assert build.data["artifacts"] == [module(each) for each in SOURCES if each != failing]
    assert build.files() == set(build.data["artifacts"])
    [warning] = build.app.warnings
    assert warning.startswith(f"{failing} was not compiled; {SOURCES[failing]}: ")


def test_without_a_compiler_the_package_is_built_all_the_same(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    build.run()
    assert build.data == {"artifacts": [], "pure_python": True, "infer_tag": False}
    assert len(build.app.warnings) == len(SOURCES)


def test_what_is_no_python_is_in_the_wheel_and_all_that_is_compiled_in_the_sdist() -> None:
    source = PROJECT / "src"
    others = {
        str(path.relative_to(source))
        for ending in ("bin", "js", "typed")
        for path in (source / "shoal").rglob(f"*.{ending}")
    }
    assert {"shoal/fetch/boxes.js", "shoal/converters/characters/charset.bin"} <= others
    wheel = {each.distribution_path for each in WheelBuilder(str(PROJECT)).recurse_included_files()}
    assert others <= wheel
    compiled = {str(path.relative_to(PROJECT)) for path in source.rglob("*.[ch]")} | {
        "hatch_build.py"
    }
    sdist = {each.relative_path for each in SdistBuilder(str(PROJECT)).recurse_included_files()}
    assert compiled <= sdist
