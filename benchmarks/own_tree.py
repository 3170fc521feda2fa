"""Which files and mails does a person have? A tree made of real ones, the same for the same data.

Stories as text, encyclopedia and other pages as HTML, articles as Markdown, source files of this
machine's Python, the documents of other formats in SHOAL_DATA/tika-sample, and a Maildir of all the
messages in SHOAL_DATA/mail.
"""

import gzip
import json
import mailbox
import os
import sysconfig
import tarfile
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

_PER_FOLDER = 100
_LARGEST_SOURCE_BYTES = 200_000
_PACKED_MAIL = ("notmuch-corpora", "mikel-mail", "sisimai-even", "usrp-users-maildir")
_NO_MAIL = ("README", "LICENSE", "COPYING")


class Tree(NamedTuple):
    files: Path
    mail: Path
    """A Maildir."""


def data_directory() -> Path:
    found = Path(os.environ.get("SHOAL_DATA", "../shared/data"))
    if not (found / "mail").is_dir():
        raise SystemExit("SHOAL_DATA names no directory with the data that this needs")
    return found


def build(to: Path, stories: int, pages: int, articles: int, sources: int) -> Tree:
    """At most so many of each kind, and all there is of other formats and of mail."""
    data, files = data_directory(), to / "files"
    reuters, wikipedia = "classes/reuters-train.jsonl.gz", "classes/wikipedia-linux.jsonl.gz"
    web = data / "wcxb-dev/pages.jsonl.gz"
    for number, each in enumerate(islice(_lines(data / reuters), stories)):
        text = f"{each['title']}\n\n{each['dateline'] or ''}\n{each['body']}\n"
        _write(files / "stories", number, "txt", text.encode())
    for number, each in enumerate(islice(_lines(data / wikipedia), pages)):
        _write(files / "encyclopedia", number, "html", each["html"].encode())
    for number, each in enumerate(islice(_lines(web), pages)):
        _write(files / "pages", number, "html", each["html"].encode())
    for number, each in enumerate(islice(_lines(web), articles)):
        _write(files / "articles", number, "md", f"# {each['title']}\n\n{each['gold']}\n".encode())
    for number, source in enumerate(islice(_sources(), sources)):
        _write(files / "source", number, "py", source.read_bytes())
    other = files / "other"
    other.mkdir(parents=True)
    for document in sorted((data / "tika-sample" / "files").iterdir()):
        (other / document.name).write_bytes(document.read_bytes())
    return Tree(files, _maildir(data / "mail", to / "mail"))


def _lines(packed: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(packed) as lines:
        yield from map(json.loads, lines)


def _write(folder: Path, number: int, ending: str, body: bytes) -> None:
    path = folder / f"{number // _PER_FOLDER:03}" / f"{number:05}.{ending}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)


def _sources() -> Iterator[Path]:
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*/*.py")):
        if "site-packages" not in path.parts and path.stat().st_size < _LARGEST_SOURCE_BYTES:
            yield path


def _maildir(data: Path, to: Path) -> Path:
    for name in ("cur", "new", "tmp"):
        (to / name).mkdir(parents=True)
    for number, message in enumerate(_messages(data)):
        (to / "cur" / f"{1_600_000_000 + number}.{number}.example:2,S").write_bytes(message)
    return to


def _messages(data: Path) -> Iterator[bytes]:
    for name in _PACKED_MAIL:
        with tarfile.open(data / f"{name}.tar.gz") as tar:
            for member in sorted(tar.getmembers(), key=lambda each: each.name):
                file = tar.extractfile(member) if member.isfile() else None
                if file is not None and Path(member.name).name not in _NO_MAIL:
                    yield file.read()
    with tempfile.NamedTemporaryFile(suffix=".mbox") as unpacked:
        unpacked.write(gzip.decompress((data / "usrp-users.mbox.gz").read_bytes()))
        unpacked.flush()
        box = mailbox.mbox(unpacked.name, create=False)
        yield from (box.get_bytes(key) for key in box.iterkeys())
        box.close()
