"""Who else indexes one's own files and mail? Shoal, Recoll and notmuch, each as commands.

Recoll and notmuch are programs of their own (Debian: recollcmd, notmuch) and no part of the
project. Each keeps its index in a directory of its own, and reads with the settings it comes with.
"""

import os
import shutil
import sys
from pathlib import Path
from typing import NamedTuple


class Indexer(NamedTuple):
    name: str
    look: list[str]
    """Reads what is new: everything the first time, what has changed when it is run again."""
    watch: list[str]
    """Follows changes until it is ended; empty when there is no such thing."""
    index: Path
    """All that it keeps."""
    variables: dict[str, str]


def shoal_of(work: Path, source: Path, *, is_mail: bool = False) -> Indexer:
    index = work / "shoal"
    shoal, settings = [sys.executable, "-P", "-m", "shoal"], ["--set", "files.share=64"]
    what = ["mail", "add"] if is_mail else ["add"]
    look = [*shoal, *what, str(source), "--dir", str(index), "--quiet", *settings]
    watch = [*shoal, "watch", "--dir", str(index), "--quiet"]
    return Indexer("Shoal", look, watch, index, dict(os.environ))


def recoll_of(work: Path, source: Path) -> Indexer | None:
    """None where it is not installed."""
    program = shutil.which("recollindex")
    if program is None:
        return None
    index = work / "recoll"
    index.mkdir(parents=True, exist_ok=True)
    (index / "recoll.conf").write_text(f"topdirs = {source}\nmonitortopdirs = {source}\n")
    command = [program, "-c", str(index)]
    variables = {**os.environ, "RECOLL_CONFDIR": str(index), "LC_ALL": "C.UTF-8"}
    # -m follows changes, -D stays in the foreground, -x asks for no display.
    return Indexer("Recoll", command, [*command, "-m", "-D", "-x"], index, variables)


def notmuch_of(work: Path, mail: Path) -> Indexer | None:
    """None where it is not installed. It follows nothing by itself."""
    program = shutil.which("notmuch")
    if program is None:
        return None
    index, config = work / "notmuch", work / "notmuch-config"
    index.mkdir(parents=True, exist_ok=True)
    config.write_text(
        f"[database]\npath={index}\nmail_root={mail}\n[new]\ntags=new\n"
        "[user]\nname=Ann\nprimary_email=ann@example.org\n[maildir]\nsynchronize_flags=false\n"
    )
    variables = {**os.environ, "NOTMUCH_CONFIG": str(config), "LC_ALL": "C.UTF-8"}
    return Indexer("notmuch", [program, "new", "--quiet"], [], index, variables)


def bytes_on_disk(directory: Path) -> int:
    """What the files hold, without what is only reserved for them."""
    return sum(each.stat().st_size for each in directory.rglob("*") if each.is_file())
