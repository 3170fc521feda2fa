"""What lies in a mailbox file? Its messages, each a document of its own.

The mbox formats (RFC 4155 and its elders): a line `From …` begins a message, and lines of the text
that begin so are quoted with `>`, or are not; what counts is told by model/from_line.py.
"""

import re

from shoal.converters.context import Context, Converted
from shoal.converters.mail.headers import read_head
from shoal.converters.writer import Writer
from shoal.model.from_line import begins_mail

_FROM = re.compile(rb"^From [^\r\n]*\r?\n", re.MULTILINE)
_MAX_MESSAGES = 100_000
"""Those that are counted; read are fewer."""
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)


def convert(body: bytes, context: Context) -> list[Converted]:
    spans = _messages(body)
    most = context.limits.members
    writer = Writer(context.limits)
    messages: list[Converted] = []
    for number, (start, end) in enumerate(spans[:most], start=1):
        raw = body[start:end]
        writer.item(read_head(raw).text("subject") or f"Message {number}")
        unquoted = _QUOTED_FROM.sub(rb"\1", raw)
        messages.extend(context.inside(unquoted, f"{number}.eml", "message/rfc822"))
    left_out = max(0, len(spans) - most)
    noun = "message" if left_out == 1 else "messages"
    problem = f"{left_out:,} {noun} left out: too many" if left_out else writer.problem
    return [Converted(writer.page(context.name), problem=problem), *messages]


def _messages(body: bytes) -> list[tuple[int, int]]:
    """From and up to where each message stands, without its From line."""
    starts: list[int] = []
    ends: list[int] = []
    for match in _FROM.finditer(body):
        before = body[max(0, match.start() - 4) : match.start()]
        is_apart = match.start() == 0 or before.endswith((b"\n\n", b"\n\r\n"))
        if begins_mail(body, match.start(), match.end(), is_apart=is_apart):
            starts.append(match.end())
            ends.append(match.start())
        if len(starts) >= _MAX_MESSAGES:
            break
    if not starts:
        return [(0, len(body))]
    return list(zip(starts, [*ends[1:], len(body)], strict=True))
