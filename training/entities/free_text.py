"""Which texts show how words are used, without anyone having marked them? Pages of SHOAL_DATA.

The content of the pages of wcxb-dev (CC-BY 4.0) and of Wikipedia (CC BY-SA).
"""

import gzip
import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from shoal import clean

_MOST_WORKERS = 2


def free_text(data: Path, work: Path) -> Path:
    """A file of all of it, made once."""
    target = work / "free.txt"
    if not target.exists():
        part = target.with_suffix(".part")
        with part.open("w") as out:
            for text in _texts(data):
                out.write(text.strip() + "\n")
        part.replace(target)
    return target


def _texts(data: Path) -> Iterator[str]:
    with gzip.open(data / "wcxb-dev" / "pages.jsonl.gz", "rt") as lines:
        for line in lines:
            yield json.loads(line)["gold"]
    with (
        gzip.open(data / "classes" / "wikipedia-linux.jsonl.gz", "rt") as lines,
        ProcessPoolExecutor(_MOST_WORKERS) as pool,
    ):
        yield from pool.map(_content, lines, chunksize=8)


def _content(line: str) -> str:
    return clean(json.loads(line)["html"]).text
