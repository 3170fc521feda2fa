"""What does a message that Outlook saved (.msg) say? The same as a mail, out of its properties.

[MS-OXMSG] and [MS-OXPROPS]. Who wrote to whom and when comes first, as in every mail program; the
body is the HTML one, the RTF one (which often wraps the HTML) or the plain one. Attachments, other
messages among them, are documents of their own.
"""

import struct
from datetime import datetime
from email.utils import format_datetime
from typing import NamedTuple

from shoal.converters.characters.charset import decode as detect
from shoal.converters.characters.codepages import decode
from shoal.converters.context import Context, Converted
from shoal.converters.html.blocks import write_blocks as write_html
from shoal.converters.mail.mail import give_fields
from shoal.converters.mail.text import write_plain
from shoal.converters.mail.tnef import unpack_rtf
from shoal.converters.markup.rtf import write_blocks as write_rtf
from shoal.converters.ole.msg_properties import PropertyBag
from shoal.converters.ole.ole import Compound
from shoal.converters.ole.pack import extract
from shoal.converters.ole.properties import properties
from shoal.converters.writer import Run, Writer
from shoal.model import mail_words

_SUBJECT, _CLASS, _SUBMITTED, _DELIVERED, _HEADERS = 0x0037, 0x001A, 0x0039, 0x0E06, 0x007D
_BODY, _HTML, _RTF = 0x1000, 0x1013, 0x1009
_SENDER = (0x0C1A, 0x0042), (0x5D01, 0x5D02, 0x0C1F, 0x0065)
_MESSAGE_ID, _IN_REPLY_TO, _REFERENCES = 0x1035, 0x1042, 0x1039
_RECIPIENTS, _ATTACHMENTS = "__recip_version1.0_#", "__attach_version1.0_#"
_ATTACHED, _HIDDEN = 0x3701, 0x7FFE
_SHOWN_LISTS = ((1, "To", 0x0E04), (2, "Cc", 0x0E03), (3, "Bcc", 0x0E02))
_CARD = (0x3001, 0x3A17, 0x3A16, 0x3A15, 0x3A08, 0x3A09, 0x3A1C, 0x3A24, 0x3A51)
_MODIFIED = 0x3008
_FAULTS = (struct.error, ValueError, IndexError, OverflowError)


class Attachment(NamedTuple):
    name: str
    data: bytes
    media_type: str
    hidden: bool


def convert(body: bytes, context: Context) -> list[Converted]:
    compound = Compound(body, context.limits)
    writer = Writer(context.limits)
    problem = ""
    attachments: list[Attachment] = []
    message = PropertyBag(compound)
    try:
        _write_head(compound, message, writer, context.limits.members)
        _write_body(message, writer, context)
        attachments = _attachments(compound, message.codec, context.limits.members)
    except _FAULTS as fault:
        problem = f"damaged: {fault}"
    for each in attachments:
        if not each.hidden:
            writer.item(each.name)
    if not writer.blocks and not compound.problem:
        problem = problem or "damaged: no message in it"
    page = writer.page(message.text(_SUBJECT) or properties(compound).title)
    page.author = _named(message.first_text(*_SENDER[0]), _address(message, *_SENDER[1]))
    page.published = message.time(_SUBMITTED) or message.time(_DELIVERED)
    page.modified = message.time(_MODIFIED)
    problem = problem or compound.problem or writer.problem
    documents = [Converted(page, meta=_thread(message, context), problem=problem)]
    for each in attachments:
        documents += context.inside(each.data, each.name, each.media_type)
    shown = any(not each.hidden for each in attachments)
    try:
        fields = _fields(compound, message, context.limits.members)
    except _FAULTS:
        fields = []
    give_fields(documents, fields, has_attachment=shown)
    return documents


def _fields(compound: Compound, message: PropertyBag, most: int) -> list[tuple[str, str]]:
    people = _people(compound, message, most)
    told = [
        ", ".join(people.get(kind, [])) or message.text(shown) for kind, _, shown in _SHOWN_LISTS
    ]
    ids = (message.text(number) for number in (_MESSAGE_ID, _IN_REPLY_TO, _REFERENCES))
    values = (
        (mail_words.FROM, _named(message.first_text(*_SENDER[0]), _address(message, *_SENDER[1]))),
        (mail_words.TO, ", ".join(filter(None, told))),
        (mail_words.THREAD, mail_words.thread_of(*ids)),
        (mail_words.MESSAGE_ID, message.text(_MESSAGE_ID)),
    )
    return [(name, value[: mail_words.MAX_VALUE_CHARS]) for name, value in values if value]


def _write_head(compound: Compound, message: PropertyBag, writer: Writer, most: int) -> None:
    sender = _named(message.first_text(*_SENDER[0]), _address(message, *_SENDER[1]))
    _line("From", sender, writer)
    people = _people(compound, message, most)
    for kind, label, shown in _SHOWN_LISTS:
        _line(label, ", ".join(people.get(kind, [])) or message.text(shown), writer)
    _line("Date", _written_date(message), writer)
    if message.text(_CLASS).upper().startswith("IPM.CONTACT"):
        for number in _CARD:
            writer.paragraph(message.text(number))


def _people(compound: Compound, message: PropertyBag, most: int) -> dict[int, list[str]]:
    """Those whom it was sent to, by the kind of list that they are in."""
    people: dict[int, list[str]] = {}
    for storage in _storages(compound, _RECIPIENTS)[:most]:
        person = PropertyBag(compound, storage, message.codec)
        name = person.first_text(0x3001, 0x5FF6)
        people.setdefault(person.number(0x0C15), []).append(
            _named(name, _address(person, 0x39FE, 0x3003))
        )
    return people


def _line(label: str, value: str, writer: Writer) -> None:
    if value:
        writer.paragraph([Run(f"{label}:", bold=True), Run(f" {value}")])


def _address(bag: PropertyBag, *numbers: int) -> str:
    """An internet address; Exchange's own ones mean nothing to people."""
    texts = (bag.text(number).strip() for number in numbers)
    return next((text for text in texts if "@" in text and not text.startswith("/")), "")


def _named(name: str, address: str) -> str:
    name = name.strip().strip("'")
    if not name or name == address:
        return address
    return f"{name} <{address}>" if address else name


def _written_date(message: PropertyBag) -> str:
    for line in message.text(_HEADERS).splitlines()[:500]:
        if line.lower().startswith("date:"):
            return line[5:].strip()
    moment = message.time(_SUBMITTED) or message.time(_DELIVERED)
    return format_datetime(datetime.fromisoformat(moment)) if moment else ""


def _write_body(message: PropertyBag, writer: Writer, context: Context) -> None:
    html = message.data(_HTML) or message.narrow(_HTML)
    text = _html_text(html, message.html_codec) if html else message.text(_HTML)
    if text.strip():
        before = len(writer.blocks)
        write_html(text, writer)
        if len(writer.blocks) > before:
            return
    plain = message.text(_BODY)
    packed = unpack_rtf(message.data(_RTF))
    if packed and not (plain.strip() and b"\\fromtext" in packed[:1000]):
        before = len(writer.blocks)
        write_rtf(packed, writer, context)
        if len(writer.blocks) > before:
            return
    write_plain(plain, writer)


def _html_text(html: bytes, codec: str) -> str:
    return decode(html, codec) if codec else detect(html, "").text


def _storages(compound: Compound, start: str) -> list[str]:
    return sorted(name for name in compound.storages if name.startswith(start) and "/" not in name)


def _attachments(compound: Compound, codec: str, most: int) -> list[Attachment]:
    found: list[Attachment] = []
    for storage in _storages(compound, _ATTACHMENTS)[:most]:
        bag = PropertyBag(compound, storage, codec)
        name = bag.first_text(0x3707, 0x3704, 0x3001)
        data, inner = bag.data(_ATTACHED), bag.storage(_ATTACHED)
        if inner:
            data = extract(compound, inner)
            name = name or PropertyBag(compound, inner, codec).text(_SUBJECT)
            name = name if name.lower().endswith(".msg") else f"{name or 'message'}.msg"
        hidden = bool(bag.number(_HIDDEN))
        if data:
            found.append(Attachment(name, data, bag.text(0x370E), hidden))
    return found


def _thread(message: PropertyBag, context: Context) -> list[tuple[str, str]]:
    most = context.limits.value_chars
    values = [
        ("message-id", message.text(_MESSAGE_ID)[:most]),
        ("in-reply-to", message.text(_IN_REPLY_TO)[:most]),
        ("references", message.text(_REFERENCES)[:most]),
    ]
    return [(name, value) for name, value in values if value]
