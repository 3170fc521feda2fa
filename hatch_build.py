"""How do the sources in C become modules? Compiled while the package is built, if possible.

Without a compiler Shoal is built all the same, and so it is when one of them does not compile. HTML
is then scanned and near-duplicates are found in Python, which gives the same and takes longer; the
model of content (_content.c) has no Python form, and content is found by DOM filters (`dom`); names
(_names.c) are not found at all.
`shoal doctor` says what is used.
"""

import os
import shlex
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = {
    Path("src/shoal/converters/html/_scan.c"): "HTML is read slower",
    Path("src/shoal/converters/html/_references.c"): "character references are decoded slower",
    Path("src/shoal/cleaners/_content.c"): "content is found by tags, less well",
    Path("src/shoal/duplicates/near/_prints.c"): "near-duplicates are found slower",
    Path("src/shoal/duplicates/methods/_simhash.c"): "simhashes are made slower",
    Path("src/shoal/duplicates/pairs/_pairs.c"): "all pairs of near-duplicates are found slower",
    Path("src/shoal/index/_stems.c"): "documents are indexed slower",
    Path("src/shoal/naming/_names.c"): "people, places and organisations are not marked",
    Path("src/shoal/learn/_learn.c"): "models learn slower",
}
"""Each with what comes of it when it is not compiled."""
SHARED = Path("src/shoal/native")
"""The headers that modules of several packages include."""


class NativeModules(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        for source, loss in SOURCES.items():
            try:
                target = _compiled(Path(self.root), source)
            except (OSError, subprocess.CalledProcessError) as error:
                self.app.display_warning(f"{source} was not compiled; {loss}: {error}")
                continue
            build_data["artifacts"].append(f"/{target.relative_to(self.root).as_posix()}")
            build_data["pure_python"] = False
            build_data["infer_tag"] = True


def _compiled(root: Path, source: Path) -> Path:
    """The module beside its source."""
    target = root / source.with_name(f"{source.stem}{sysconfig.get_config_var('EXT_SUFFIX')}")
    part = target.with_name(f"{target.name}.{os.getpid()}")  # two builds at once do not mix
    try:
        compile_module(root, source, part)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return target


def compile_module(root: Path, source: Path, target: Path, flags: Sequence[str] = ()) -> None:
    places = [f"-I{sysconfig.get_path('include')}", f"-I{root / SHARED}"]
    command = [*_compiler(), *places, *flags, str(root / source), "-o", str(target), "-lm"]
    subprocess.run(command, check=True)  # noqa: S603 - the command is ours


def _compiler() -> list[str]:
    """The compiler that made this Python, or CC, with what makes a module of a source file."""
    link = shlex.split(sysconfig.get_config_var("LDSHARED") or "cc -shared")
    chosen = shlex.split(os.environ.get("CC", ""))
    flags = shlex.split(sysconfig.get_config_var("CCSHARED") or "-fPIC")
    return [*(chosen or link[:1]), *link[1:], *flags, "-O2"]
