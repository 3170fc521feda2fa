"""How are the sources in C compiled otherwise than for use? With more flags, in another place.

`compile.py FLAG…` compiles each and keeps nothing: for warnings. `compile.py --into PLACE FLAG…`
puts the modules where they would stand in a project at that place.
"""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from hatch_build import SOURCES, compile_module  # noqa: E402 - found by the line above


def main(arguments: list[str]) -> int:
    into = None
    if arguments[:1] == ["--into"]:
        into, arguments = Path(arguments[1]), arguments[2:]
    failed = 0
    for source in SOURCES:
        target = Path(os.devnull)
        if into is not None:
            target = into / source.with_name(source.stem + sysconfig.get_config_var("EXT_SUFFIX"))
            target.parent.mkdir(parents=True, exist_ok=True)
        try:
            compile_module(ROOT, source, target, arguments)
        except subprocess.CalledProcessError:  # the compiler has said why
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
