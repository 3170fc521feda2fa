"""Which sentences are there to learn from? The marked corpora, in one form.

They do not agree on what a name is, and are brought to one view: people, places, organisations.
What is called otherwise (products, works, nationalities) is no name here. Who is addressed in a
tweet (`@ann`) is none either: on pages it is an address.
"""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

KINDS = ("person", "place", "org")
_KIND = {
    **dict.fromkeys(("PER", "person"), 0),
    **dict.fromkeys(("LOC", "location"), 1),
    **dict.fromkeys(("ORG", "corporation", "group"), 2),
}
Span = tuple[int, int, int]
"""Start, end and kind; places count characters of the sentence."""


@dataclass(frozen=True)
class Sentence:
    text: str
    spans: tuple[Span, ...]
    domain: str
    document: str = ""


def tweets(folder: Path) -> Iterator[Sentence]:
    for each in "abefgh":
        yield from _columns(folder / f"btc-{each}.conll.gz", "btc")


def emerging(folder: Path) -> Iterator[Sentence]:
    for part in ("train", "dev", "test"):
        yield from _columns(folder / f"wnut17-{part}.conll.gz", "wnut")


def encyclopedia(folder: Path) -> Iterator[Sentence]:
    yield from _columns(folder / "wikigold-odd.conll.gz", "wiki")


def web(folder: Path) -> Iterator[Sentence]:
    """The pages, mails and comments of EWT, each sentence as it was written."""
    yield from _numbered(folder / "uner-ewt-dev.iob2.gz")


def marked_file(file: Path) -> list[Sentence]:
    """Of either form."""
    is_numbered = any(line.startswith("# text = ") for line in _lines(file)[:50])
    return list(_numbered(file) if is_numbered else _columns(file, "web"))


def _numbered(file: Path) -> Iterator[Sentence]:
    document, text, rows = "", "", list[tuple[str, str]]()
    for line in [*_lines(file), ""]:
        if line.startswith("# newdoc id = "):
            document = line.removeprefix("# newdoc id = ")
        elif line.startswith("# text = "):
            text = line.removeprefix("# text = ")
        elif line and not line.startswith("# "):
            _, token, label, *_ = line.split("\t")
            rows.append((token, label))
        elif not line and rows:
            yield _sentence(text, rows, "web", document)
            rows = []


def _columns(file: Path, domain: str) -> Iterator[Sentence]:
    rows: list[tuple[str, str]] = []
    for line in [*_lines(file), ""]:
        parts = line.replace("\t", " ").rsplit(" ", 1)
        if len(parts) == 2 and parts[0].strip():
            rows.append((parts[0].strip(), parts[1]))
        elif rows:
            rows = list(_without_addresses(rows))
            yield _sentence(" ".join(token for token, _ in rows), rows, domain, "")
            rows = []


def _lines(file: Path) -> list[str]:
    data = file.read_bytes()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode().split("\n")


def _without_addresses(rows: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(rows):
        word, label = rows[at]
        if word == "@" and at + 1 < len(rows):
            yield word + rows[at + 1][0], "O"
            at += 2
            continue
        yield word, "O" if word.startswith("@") else label
        at += 1


def _sentence(text: str, rows: list[tuple[str, str]], domain: str, document: str) -> Sentence:
    spans: list[list[int]] = []
    at, before = 0, "O"
    for token, label in rows:
        start = text.index(token, at)
        at = start + len(token)
        kind = _KIND.get(label[2:], -1)
        begins = label[:1] == "B" or label[2:] != before[2:] or before == "O"
        if kind >= 0 and begins:
            spans.append([start, at, kind])
        elif kind >= 0:
            spans[-1][1] = at
        before = label
    return Sentence(text, tuple((start, end, kind) for start, end, kind in spans), domain, document)
