"""Who reads the formats of programs that are gone? LibreOffice, where it is installed.

It runs as a process of its own for one file, with a profile of its own in a folder that is deleted
afterwards, and writes OpenDocument, which we read. It is slow (seconds) and large, so it gets only
what nothing else here reads.
"""

import shutil
from pathlib import Path

from shoal.converters import programs
from shoal.converters.context import Context, Converted
from shoal.converters.odf.odf import convert as read_opendocument
from shoal.model.page import Page
from shoal.model.record import changed

_SECONDS = 25
_MOST_WORDS = 1_000_000
"""Of what it says on its way, in bytes; nobody reads it."""
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
    with programs.folder() as folder:
        made = _made(soffice, folder, body, Path(context.name).suffix[1:10].lower())
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
    try:
        programs.run(
            programs.Order(command, str(folder), _SECONDS, _MOST_WORDS, programs.MOST_MEMORY)
        )
        return (folder / f"file.{target}").read_bytes()
    except OSError:  # it can't be started, or made nothing
        return b""
