"""WARC files as others read them: warcio, fastwarc, and `warcio check`."""

import io
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from warcio.archiveiterator import ArchiveIterator

with warnings.catch_warnings():
    # The library warns of its own older classes when it is imported.
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc.warc import ArchiveIterator as FastIterator

__all__ = ["FastIterator", "Seen", "by_fastwarc", "by_warcio", "check"]


def check(*paths: Path) -> str:
    """`warcio check`: the format and every digest. What it complains of is its output."""
    program = "from warcio.cli import main; main()"
    ran = subprocess.run(
        [sys.executable, "-c", program, "check", "-v", *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "digest pass" in ran.stdout, "nothing was checked"
    complaint = [line for line in ran.stdout.splitlines() if "fail" in line.lower()]
    return "\n".join(complaint) + ran.stderr if complaint or ran.returncode else ""


class Seen(NamedTuple):
    """A record as some reader sees it."""

    kind: str
    url: str | None
    offset: int
    http: list[tuple[str, str]] | None
    payload: bytes


def by_warcio(path: Path) -> list[Seen]:
    found = []
    with path.open("rb") as file:
        records: Any = ArchiveIterator(file)
        for record in records:
            http = record.http_headers
            payload = record.raw_stream.read()
            found.append(
                Seen(
                    record.rec_type,
                    record.rec_headers.get_header("WARC-Target-URI"),
                    records.get_record_offset(),
                    None if http is None else [(name, value) for name, value in http.headers],
                    payload,
                )
            )
    return found


def by_fastwarc(path: Path) -> list[Seen]:
    found = []
    for record in FastIterator(io.BytesIO(path.read_bytes()), max_header_len=1 << 20):
        found.append(
            Seen(
                str(record.record_type),
                record.headers.get("WARC-Target-URI"),
                record.stream_pos,
                list(record.http_headers) if record.is_http else None,
                record.reader.read(),
            )
        )
    return found
