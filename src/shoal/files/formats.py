"""What can be read on this machine, and by what? The table of formats, and what is missing."""

import shutil
from importlib.metadata import entry_points

from shoal.converters import libreoffice
from shoal.converters.formats import Format, all_formats
from shoal.converters.registry import GROUP
from shoal.model.record import Struct
from shoal.worker import outlook

_LIBREOFFICE = "LibreOffice"
_INSTALL = "Install LibreOffice (the Debian package libreoffice-writer-nogui, for example)."


class Readable(Struct):
    id: str
    name: str
    media_type: str
    extensions: str
    engine: str
    missing: str = ""
    """What to do so that it can be read here; empty when it can."""


def readable() -> list[Readable]:
    added = {point.name.lower(): point.value for point in entry_points(group=GROUP)}
    known = {media_type for each in all_formats() for media_type in (each.media_type, *each.also)}
    rows = [_row(each, added.get(each.media_type, "")) for each in all_formats()]
    rows += [
        Readable(media_type, "", media_type, "", value)
        for media_type, value in sorted(added.items())
        if media_type not in known
    ]
    return rows


def _row(each: Format, added: str) -> Readable:
    endings = [ending for ending in each.extensions if not ending.startswith("/")]
    shown = " ".join(f".{ending}" for ending in endings[:12]) + (" …" if len(endings) > 12 else "")
    needs_office = each.engine == _LIBREOFFICE and not libreoffice.program() and not added
    missing = _INSTALL if needs_office else ""
    return Readable(each.id, each.name, each.media_type, shown, added or each.engine, missing)


def programs() -> dict[str, str]:
    """Programs that read more, and where they are; empty where they are not installed."""
    return {
        "LibreOffice": libreoffice.program(),
        "tesseract": shutil.which("tesseract") or "",
        "bsdtar": shutil.which("bsdtar") or "",
        "readpst": outlook.program(),
    }
