"""Who reads the formats of programs that are gone? LibreOffice, where it is installed.

It runs as a process of its own for one file, with a profile of its own in a folder that is deleted
afterwards, and writes OpenDocument, which we read. It is slow (seconds) and large, so it gets only
what nothing else here reads.
"""

import os
import resource
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from shoal.converters.context import Context, Converted
from shoal.converters.odf.odf import convert as read_opendocument
from shoal.model.page import Page
from shoal.model.record import changed

_SECONDS = 25
_MEMORY_BYTES = 4_000_000_000
"""Of address space: more than a reader of files gets."""
_PROGRAMS = ("soffice", "libreoffice")
_TARGETS = {"uos": "ods", "uop": "odp", "cdr": "odg", "pmd": "odg", "pm6": "odg", "p65": "odg"}
"""What a file becomes, by the ending of its name; all others are texts."""


def program() -> str:
    """Where LibreOffice is; empty when it is not installed."""
    return next((path for name in _PROGRAMS if (path := shutil.which(name))), "")


def convert(body: bytes, context: Context) -> list[Converted]:
    soffice = program()
    if not soffice:
        return [Converted(Page(), problem="needs LibreOffice, which is not installed")]
    with tempfile.TemporaryDirectory(prefix="shoal-office-") as folder:
        made = _made(soffice, Path(folder), body, Path(context.name).suffix[1:10].lower())
    if not made:
        return [Converted(Page(), problem="LibreOffice can't read it")]
    kind = "application/vnd.oasis.opendocument.text"
    return read_opendocument(made, changed(context, media_type=kind))


def _made(soffice: str, folder: Path, body: bytes, ending: str) -> bytes:
    """The file as OpenDocument; empty when it can't be read."""
    target = _TARGETS.get(ending, "odt")
    source = folder / f"file.{ending}"
    source.write_bytes(body)
    command = [soffice, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless"]
    command += ["--norestore", "--convert-to", target, "--outdir", str(folder), str(source)]
    process = subprocess.Popen(  # noqa: S603 - a program of the machine, no shell
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=_give_memory,  # noqa: PLW1509 - a reader of files has one thread
    )
    try:
        process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return b""
    made = folder / f"file.{target}"
    return made.read_bytes() if made.is_file() else b""


def _give_memory() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    soft = _MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(_MEMORY_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
