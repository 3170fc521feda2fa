"""What does a CSV or TSV file say? One table.

There is no telling the dialect but by looking (RFC 4180 is only one of them): the delimiter is the
one that cuts the first lines most evenly. Quotes are taken as csv takes them, and where that
fails, a line is cut at its delimiters.
"""

import csv
import io
import itertools
from collections.abc import Iterator

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted, decoded
from shoal.converters.writer import Writer

_DELIMITERS = (",", "\t", ";", "|", ":", "^", "~")
_SEEN_CHARS = 65_536
_SEEN_LINES = 60


def convert(body: bytes, context: Context) -> list[Converted]:
    source = decode(body, context.charset)
    text = source.text.lstrip("\ufeff").replace("\0", "")
    writer = Writer(context.limits)
    delimiter, text = _declared(text)
    if not delimiter:
        delimiter = delimiter_of(text, _preferred(context))
    rows = _rows(text, delimiter)
    first = list(itertools.islice(rows, 20))
    writer.table(itertools.chain(first, rows), header_rows=1 if _has_header(first) else 0)
    page = writer.page()
    return decoded(page, source, writer.problem)


def _declared(text: str) -> tuple[str, str]:
    """Excel's own first line: `sep=;`."""
    line = text[:20].partition("\n")[0]
    if line.lower().startswith("sep=") and len(line.rstrip("\r")) == 5:
        return line[4], text[len(line) + 1 :]
    return "", text


def _preferred(context: Context) -> str:
    is_tab = (
        context.name.lower().endswith((".tsv", ".tab")) or "tab-separated" in context.media_type
    )
    return "\t" if is_tab else ","


def delimiter_of(text: str, preferred: str = ",") -> str:
    """Looked for outside quotes. Empty when the lines are not cut by anything."""
    lines = [line for line in text[:_SEEN_CHARS].splitlines()[:_SEEN_LINES] if line.strip()]
    if text[_SEEN_CHARS:] and len(lines) > 1:
        lines.pop()  # cut off
    best, best_score = "", 0.0
    for delimiter in _DELIMITERS:
        counts = [_outside_quotes(line).count(delimiter) for line in lines]
        most = max(set(counts), key=counts.count, default=0)
        if not most:
            continue
        score = counts.count(most) / len(counts) + min(most, 10) / 100
        score += 0.2 * (delimiter == preferred) - 0.3 * (delimiter in ":^~")
        if score > best_score:
            best, best_score = delimiter, score
    return best if best_score > 0.3 else (preferred if preferred in text[:_SEEN_CHARS] else "")


def _outside_quotes(line: str) -> str:
    return "".join(line.split('"')[::2])


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    if not delimiter:
        yield from ([line] for line in text.splitlines())
        return
    done = 0
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        for row in reader:
            done = reader.line_num
            yield row
    except csv.Error:  # a quote that never ends
        lines = io.StringIO(text)
        for line in itertools.islice(lines, done, None):
            yield line.rstrip("\r\n").split(delimiter)


def _has_header(rows: list[list[str]]) -> bool:
    """Names stand over columns: all there, all different, none a number, and shorter than prose."""
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    head = [cell.strip() for cell in rows[0]]
    named = [cell for cell in head if cell]
    return (
        len(named) >= len(head) - 1
        and len(set(named)) == len(named)
        and not any(_is_number(cell) or len(cell) > 80 for cell in named)
    )


def _is_number(cell: str) -> bool:
    return not cell.strip("0123456789.,-+/:% €$£eE") and any(map(str.isdecimal, cell))
