"""What does a mail say? Its head as a person sees it, its text, and its attachments as documents.

RFC 5322 and MIME: `.eml`, Maildir, news articles, Apple's `.emlx`. Who wrote to whom and when comes
first, since every mail program shows it; the title is the subject. Message-ID and what it answers
go into the metadata, so that threads can be told.
"""

import re

from shoal.converters.context import Context, Converted
from shoal.converters.mail.body import Body
from shoal.converters.mail.headers import Head, date
from shoal.converters.mail.mime import MimePart, parse
from shoal.converters.writer import Run, Writer

_SHOWN = ("From", "To", "Cc", "Newsgroups", "Date")
_THREAD = ("message-id", "in-reply-to", "references")
_EMLX = re.compile(rb"\s{0,10}(\d{1,12})[ \t]*\r?\n")


def convert(body: bytes, context: Context) -> list[Converted]:
    message = parse(body)
    writer = Writer(context.limits)
    _write_head(message.head, writer)
    content = Body(writer, context.limits)
    content.take(message)
    for attachment in content.attachments:
        writer.item(attachment.name)
    page = writer.page(message.head.text("subject") or content.title)
    page.author = message.head.text("from") or message.head.text("sender")
    page.published = _published(message.head)
    page.keywords = message.head.text("keywords")[: context.limits.value_chars]
    problem = content.problem or writer.problem
    result = [Converted(page, meta=_meta(message, context.limits.value_chars), problem=problem)]
    for attachment in content.attachments:
        found = context.inside(attachment.data, attachment.name, attachment.content_type)
        result.extend(found)
    return result


def convert_emlx(body: bytes, context: Context) -> list[Converted]:
    """Apple Mail: the message's length, the message, and a property list of flags."""
    length = _EMLX.match(body)
    if length is None:
        return convert(body, context)
    return convert(body[length.end() : length.end() + int(length[1])], context)


def _write_head(head: Head, writer: Writer) -> None:
    for label in _SHOWN:
        value = ", ".join(head.texts(label.lower()))
        if value:
            writer.paragraph([Run(f"{label}:", bold=True), Run(f" {value}")])


def _published(head: Head) -> str:
    """The Date; a mail without one came when it was received."""
    written = date(head.text("date"))
    if written:
        return written
    received = head.text("received") or head.text("delivery-date")
    return date(received.rpartition(";")[2].strip()) if received else ""


def _meta(message: MimePart, value_chars: int) -> list[tuple[str, str]]:
    values = [(name, message.head.text(name)[:value_chars]) for name in _THREAD]
    return [(name, value) for name, value in values if value]
