"""How does _scan.c become a module? Compiled while the package is built, if there is a compiler.

Without one Shoal is built all the same, and reads HTML with the Python form of it (scan.py), which
gives the same results and takes longer; `shoal doctor` says which of the two is used.
"""

import os
import shlex
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path("src/shoal/convert/_scan.c")


class NativeScanner(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        source = Path(self.root) / SOURCE
        target = source.with_name(f"_scan{sysconfig.get_config_var('EXT_SUFFIX')}")
        part = target.with_name(f"{target.name}.{os.getpid()}")  # two builds at once do not mix
        try:
            command = [*_compiler(), str(source), "-o", str(part)]
            subprocess.run(command, check=True)  # noqa: S603 - the command is ours
            part.replace(target)
        except (OSError, subprocess.CalledProcessError) as error:
            part.unlink(missing_ok=True)
            self.app.display_warning(f"{SOURCE} was not compiled; HTML is read slower: {error}")
            return
        build_data["artifacts"].append(f"/{target.relative_to(self.root).as_posix()}")
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def _compiler() -> list[str]:
    """The compiler that made this Python, or CC, with what makes a module of a source file."""
    link = shlex.split(sysconfig.get_config_var("LDSHARED") or "cc -shared")
    chosen = shlex.split(os.environ.get("CC", ""))
    flags = shlex.split(sysconfig.get_config_var("CCSHARED") or "-fPIC")
    return [*(chosen or link[:1]), *link[1:], *flags, "-O2", f"-I{sysconfig.get_path('include')}"]
