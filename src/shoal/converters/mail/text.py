"""How does a plain mail read? As paragraphs and quotations, not as lines of 72 characters.

Flowed text (RFC 3676) is joined as its author wrote it; in other text a run of full lines is one
paragraph and a run of short ones (an address, verse, code) keeps its line breaks. Lines that
begin with `>` quote another mail. An address of a page is a link, as every mail program shows it.
"""

import re
from collections.abc import Iterable, Iterator

from shoal.converters.writer import Run, Writer
from shoal.model.page import Tag

_BLANK_LINES = re.compile(r"\n{3,}")
_QUOTED = re.compile(r"(?:>[ \t]?){1,50}(?!From )")
_URL = re.compile(r"https?://[^\s<>\"'`|\\^{}]{3,2000}", re.IGNORECASE)
_ENDS_SENTENCE = ".,;:!?)]"
_BULLET = re.compile(r"[ \t]{0,8}(?:[-*\u2022\u00b7])[ \t]+(?=\S)")
_RULE = re.compile(r"[-_=*~#+ .]{2,}")
_BLOCK_LINES = 5_000
_FULL_LINE_CHARS = 50
"""A line that was broken because it was full; shorter ones were meant to end there."""


def write_plain(
    text: str, writer: Writer, *, flowed: bool = False, delete_space: bool = False
) -> None:
    """`flowed` and `delete_space` are the parameters `format=flowed` and `delsp=yes`."""
    text = _BLANK_LINES.sub("\n\n", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = _lines(text)
    joined = _unflowed(lines, delete_space) if flowed else map(_quote_of, lines)
    block: list[str] = []
    quoting = False
    for depth, line in joined:
        if bool(depth) != quoting or not line.strip() or len(block) >= _BLOCK_LINES:
            _write(block, quoting, flowed, writer)
            block, quoting = [], bool(depth)
        if line.strip():
            block.append(line)
        if writer.full:
            return
    _write(block, quoting, flowed, writer)


def _lines(text: str) -> Iterator[str]:
    """One at a time: a list of millions of short ones takes more memory than their text."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def _quote_of(line: str) -> tuple[int, str]:
    """How often it is quoted, and what."""
    match = _QUOTED.match(line) if line.startswith(">") else None
    if match is None:
        return 0, line.rstrip()
    return match[0].count(">"), line[match.end() :].rstrip()


def _unflowed(lines: Iterable[str], delete_space: bool) -> Iterator[tuple[int, str]]:
    pieces: list[str] = []
    depth = 0
    for raw in lines:
        quote = re.match(r">*", raw)
        level = quote.end() if quote else 0
        line = raw[level:].removeprefix(" ")
        if pieces and level != depth:  # a paragraph never goes on in another depth
            yield depth, "".join(pieces)
            pieces = []
        depth = level
        if line.endswith(" ") and line != "-- ":
            pieces.append(line[:-1] if delete_space else line)
        else:
            yield depth, "".join([*pieces, line])
            pieces = []
    if pieces:
        yield depth, "".join(pieces)


def _write(block: list[str], quoting: bool, flowed: bool, writer: Writer) -> None:
    block = [line for line in block if not _RULE.fullmatch(line.strip())]
    if not block:
        return
    if quoting:
        writer.other(Tag.QUOTE, _linked(" ".join(block)))
    elif all(map(_BULLET.match, block)):
        for line in block:
            writer.item(_linked(_BULLET.sub("", line, count=1)))
    elif flowed or _is_wrapped(block):
        paragraphs = block if flowed else [" ".join(block)]
        for paragraph in paragraphs:
            writer.paragraph(_linked(paragraph))
    else:
        writer.preformatted("\n".join(block))


def _is_wrapped(block: list[str]) -> bool:
    """All lines but the last are full, more or less."""
    short = sum(len(line) < _FULL_LINE_CHARS for line in block[:-1])
    return short * 4 <= len(block) - 1


def _linked(text: str) -> list[Run]:
    runs: list[Run] = []
    position = 0
    for match in _URL.finditer(text):
        url = match[0].rstrip(_ENDS_SENTENCE)
        runs.append(Run(text[position : match.start()]))
        runs.append(Run(url, href=url))
        position = match.start() + len(url)
    runs.append(Run(text[position:]))
    return runs
