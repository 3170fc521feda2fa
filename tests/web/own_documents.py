"""A folder and a mailbox of one's own, and their collection: some of it is for everyone here, some
for its owner alone."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import shoal
from shoal.model.principal import Principal

STRANGER = Principal(frozenset({"u:4711", "g:4711", "local"}))
SETTINGS = {"crawl.children": 1, "files.share": 64.0, "index.follow": "yes"}
_PAGE = "<title>A page</title><p>Dugong grass</p><script>alert(1)</script>"
_PART = "--part\nContent-Type: {}\n{}\n{}\n"


class Own(NamedTuple):
    place: Path
    folder: Path
    maildir: Path

    def url(self, name: str) -> str:
        return (self.folder / name).as_uri()


@contextmanager
def own_documents() -> Iterator[Own]:
    """Not where tests keep their files: there nobody else can enter."""
    root = Path(tempfile.mkdtemp()).resolve()
    try:
        root.chmod(0o755)
        yield _made(root)
    finally:
        shutil.rmtree(root)


def _made(root: Path) -> Own:
    own = Own(root / "corpus", root / "Documents", root / "Maildir")
    _write(own.folder / "open.txt", "Clownfish live in anemones", 0o644)
    _write(own.folder / "secret.txt", "Walrus on the beach", 0o600)
    _write(own.folder / "page.html", _PAGE, 0o644)
    _write(own.folder / "notes.log", "Nothing to see", 0o644)
    _write(own.folder / ".shoalignore", "*.log\n", 0o644)
    for folder in ("new", "cur", "tmp"):
        (own.maildir / folder).mkdir(parents=True)
    _mail(own, "1", "Reefs", "ann", "09:00:00 +0000", mode=0o644)
    _mail(own, "2", "Re: Reefs", "bob", "11:30:00 +0200", mode=0o600, attached="private.txt")
    _mail(own, "3", "Re: Reefs", "ann", "10:00:00 +0000", mode=0o644, attached="chart.txt")
    shoal.add(own.folder, dir=own.place, settings=SETTINGS)
    shoal.add_mail(own.maildir, dir=own.place, settings=SETTINGS)
    return own


def _mail(
    own: Own, number: str, subject: str, sender: str, at: str, *, mode: int, attached: str = ""
) -> None:
    said = [
        f"From: {sender} <{sender}@mail.example>",
        "To: list@mail.example",
        "Cc: Cecil <cecil@mail.example>",
        f"Subject: {subject}",
        f"Date: Tue, 14 Nov 2023 {at}",
        f"Message-ID: <{number}@mail.example>",
        "" if number == "1" else "References: <1@mail.example>",
        "MIME-Version: 1.0",
        "Content-Type: multipart/mixed; boundary=part",
    ]
    body = _PART.format(
        "text/html", "", f"<p>Mail {number} of <b>corals</b></p><script>x()</script>"
    )
    if attached:
        disposition = f'Content-Disposition: attachment; filename="{attached}"\n'
        body += _PART.format("text/plain", disposition, f"Attached to {number}")
    text = "\n".join(filter(None, said)) + f"\n\n{body}--part--\n"
    _write(own.maildir / "cur" / f"{number}.host:2,S", text, mode)


def _write(path: Path, text: str, mode: int) -> None:
    path.parent.mkdir(exist_ok=True)
    path.parent.chmod(0o755)
    path.write_text(text)
    path.chmod(mode)
    os.utime(path, (1_700_000_000, 1_700_000_000))
