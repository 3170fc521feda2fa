"""What does a mail say? Its head as a person sees it, its text, and its attachments as documents.

RFC 5322 and MIME: `.eml`, Maildir, news articles, Apple's `.emlx`. Who wrote to whom and when comes
first, since every mail program shows it; the title is the subject. Message-ID and what it answers
go into the metadata, so that threads can be told. What mails are searched by stands in the fields
of the mail and of all that is attached to it.
"""

import re

from shoal.converters.context import Context, Converted
from shoal.converters.mail.body import Body
from shoal.converters.mail.headers import Head, date
from shoal.converters.mail.mime import MimePart, parse
from shoal.converters.writer import Run, Writer
from shoal.model import mail_words

_SHOWN = ("From", "To", "Cc", "Newsgroups", "Date")
_THREAD = ("message-id", "in-reply-to", "references")
_TO = ("to", "cc", "bcc", "newsgroups")
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
    give_fields(result, _fields(message.head), has_attachment=bool(content.attachments))
    return result


def give_fields(
    documents: list[Converted], fields: list[tuple[str, str]], *, has_attachment: bool
) -> None:
    """To a mail, and to what is attached to it; a mail in a mail has its own."""
    for each in documents:
        each.fields = each.fields or fields
    if has_attachment:
        documents[0].fields = [*fields, (mail_words.HAS, mail_words.ATTACHMENT)]


def _fields(head: Head) -> list[tuple[str, str]]:
    to = ", ".join(value for name in _TO for value in head.texts(name))
    ids = (head.text(name) for name in _THREAD)
    values = (
        (mail_words.FROM, head.text("from") or head.text("sender")),
        (mail_words.TO, to),
        (mail_words.CC, ", ".join(head.texts("cc"))),
        (mail_words.THREAD, mail_words.thread_of(*ids)),
        (mail_words.MESSAGE_ID, head.text("message-id")),
    )
    return [(name, value[: mail_words.MAX_VALUE_CHARS]) for name, value in values if value]


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
