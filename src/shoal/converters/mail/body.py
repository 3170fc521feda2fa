"""Which parts of a mail does its reader see? The body, in order, and what is attached to it.

Of alternatives the HTML one is shown, since it keeps headings, bold and links; what only the plain
one says (some senders write two different texts) follows it. Pictures of a page are dropped,
signatures too; everything else that is not text is an attachment: a document of its own.
"""

import re
from itertools import islice
from typing import NamedTuple

from shoal.converters.html.blocks import write_blocks
from shoal.converters.limits import Limits
from shoal.converters.mail.headers import decode_text, read_head
from shoal.converters.mail.mime import MAX_DEPTH, MimePart, uuencoded
from shoal.converters.mail.signed import unwrap
from shoal.converters.mail.text import write_plain
from shoal.converters.mail.tnef import TNEF_TYPES, read_tnef
from shoal.converters.writer import Writer, text_of

_SIGNATURES = frozenset(
    {"application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature"}
)
_SEALED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_SHOWN = frozenset(
    {"text/plain", "text/html", "text/enriched", "text/richtext", "text/rfc822-headers"}
    | {"message/delivery-status", "message/disposition-notification", "message/feedback-report"}
)
_WORD = re.compile(r"\w+")
_ENRICHED_TAG = re.compile(r"<(?!<)/?[A-Za-z0-9-]{1,60}>")
_ENRICHED_PARAM = re.compile(r"<param>.{0,1000}?</param>", re.IGNORECASE | re.DOTALL)
_EXTENSIONS = {"message/rfc822": ".eml", "text/calendar": ".ics", "text/html": ".html"}


class Attachment(NamedTuple):
    name: str
    data: bytes
    content_type: str
    """As declared, with its charset."""


class Body:
    """Walks the parts, writes the text and collects what is attached."""

    def __init__(self, writer: Writer, limits: Limits) -> None:
        self._writer = writer
        self._limits = limits
        self._start = len(writer.blocks)
        self._parts = 0
        self._unpacked = 0
        self.attachments: list[Attachment] = []
        self.title = ""
        """What a page in the mail calls itself: a title for mails without a subject."""
        self.problem = ""

    def take(self, part: MimePart, depth: int = 0) -> None:
        self._parts += 1
        if depth > MAX_DEPTH:
            self._say("its parts are nested too deep")
        elif self._parts > self._limits.members:
            self._say(f"more than {self._limits.members} parts")
        elif part.is_multipart:
            self._multipart(part, depth)
        elif part.kind in _SEALED:
            self._sealed(part, depth)
        elif part.kind in _SIGNATURES:
            return
        elif part.kind in _SHOWN and not part.is_attachment and not self._is_file(part):
            self._show(part)
        else:
            self._attach(part)

    def _multipart(self, part: MimePart, depth: int) -> None:
        children = part.parts()
        kind = part.kind.partition("/")[2]
        if not children:  # no boundary anywhere: at least its text is shown
            self._plain(part)
        elif kind == "alternative":
            self._alternative(children, depth)
        elif kind == "related":
            self._related(part, children, depth)
        elif kind == "encrypted":
            self._say("encrypted")
        else:
            for child in children:
                self.take(child, depth + 1)

    def _alternative(self, children: list[MimePart], depth: int) -> None:
        """Every child goes to a scratch writer; the richest stays, and what it leaves out."""
        plain: list[MimePart] = []
        best: MimePart | None = None
        for child in children:
            if child.kind == "text/plain" and not child.is_attachment:
                plain.append(child)
            elif child.kind in ("text/html", "multipart/related", "multipart/mixed") or (
                best is None and (child.kind in _SHOWN or child.is_multipart)
            ):
                if best is not None:
                    plain.append(best)
                best = child
            else:  # an invitation, a vCard
                self._attach(child)
        first_block = len(self._writer.blocks)
        if best is not None:
            self.take(best, depth + 1)
        said = text_of(self._writer.blocks[first_block:])
        for each in plain:
            if not said.strip():
                self.take(each, depth + 1)
                said = text_of(self._writer.blocks[first_block:])
            elif each.kind == "text/plain":
                self._add_unsaid(each.text(), said)

    def _add_unsaid(self, plain: str, said: str) -> None:
        known = set(map(str.lower, _WORD.findall(said)))
        wanted: list[str] = []
        for line in re.sub(r"<?https?://\S+|\[(?:image|cid):[^\]]*\]", " ", plain).splitlines():
            words = [word.lower() for word in _WORD.findall(line)]
            unknown = sum(word not in known for word in words)
            if unknown >= 2 and unknown * 4 >= len(words):
                wanted.append(line)
        if wanted:
            write_plain("\n".join(wanted), self._writer)

    def _related(self, part: MimePart, children: list[MimePart], depth: int) -> None:
        start = part.params.get("start", "").strip("<> ")
        root = next(
            (child for child in children if start and _content_id(child) == start), children[0]
        )
        self.take(root, depth + 1)
        for child in children:
            shown_in_page = child.kind.startswith("image/") or child.kind == "text/css"
            if child is not root and (child.is_attachment or not shown_in_page):
                self.take(child, depth + 1)

    def _sealed(self, part: MimePart, depth: int) -> None:
        opened = unwrap(part.body())
        if opened.content:
            self.take(MimePart(opened.content), depth + 1)
        self._say(opened.problem)

    def _is_file(self, part: MimePart) -> bool:
        """A named text that is not the mail's first: somebody put it there as a file."""
        return bool(part.filename) and self._has_text

    @property
    def _has_text(self) -> bool:
        """Whether anything stands below the mail's head yet."""
        return len(self._writer.blocks) > self._start

    def _show(self, part: MimePart) -> None:
        if part.kind == "text/html":
            title = write_blocks(part.text(), self._writer)
            self.title = self.title or title
        elif part.kind in ("text/enriched", "text/richtext"):
            text = _ENRICHED_TAG.sub("", _ENRICHED_PARAM.sub("", part.text()))
            write_plain(text.replace("<<", "<"), self._writer)
        elif part.kind == "text/plain":
            self._plain(part)
        else:
            self._writer.preformatted(part.text())

    def _plain(self, part: MimePart) -> None:
        data = part.body()
        kept: list[bytes] = []
        position = 0
        for name, content, (start, end) in islice(uuencoded(data), self._limits.members):
            kept.append(data[position:start])
            position = end
            self._add(Attachment(name, content, ""))
        text = decode_text(b"".join([*kept, data[position:]]), part.params.get("charset", ""))
        if "-----BEGIN PGP MESSAGE-----" in text[:2000]:
            self._say("encrypted")
        if len(text) > self._limits.text_chars:
            text = text[: self._limits.text_chars]
            self._say(f"text cut at {self._limits.text_chars} characters")
        flowed = part.params.get("format", "").lower() == "flowed"
        delete_space = part.params.get("delsp", "").lower() == "yes"
        write_plain(text, self._writer, flowed=flowed, delete_space=delete_space)

    def _attach(self, part: MimePart) -> None:
        if part.kind in TNEF_TYPES or part.filename.lower() == "winmail.dat":
            self._winmail(part.body())
            return
        data = part.body()
        if data:
            name = part.filename or self._made_name(part, data)
            charset = part.params.get("charset", "")
            declared = f"{part.kind}; charset={charset}" if charset else part.kind
            self._add(Attachment(name, data, declared))

    def _winmail(self, data: bytes) -> None:
        letter = read_tnef(data)
        if not self._has_text and letter.html:
            write_blocks(letter.html, self._writer)
        elif not self._has_text and letter.text:
            write_plain(letter.text, self._writer)
        elif not self._has_text and letter.rtf:
            self._add(Attachment("message.rtf", letter.rtf, "application/rtf"))
        for name, content in letter.attachments:
            self._add(Attachment(name, content, ""))
        self._say(letter.problem)

    def _made_name(self, part: MimePart, data: bytes) -> str:
        described = part.head.text("content-description")
        if part.kind == "message/rfc822":
            described = read_head(data).text("subject") or described
        extension = _EXTENSIONS.get(part.kind, "")
        return (described[:100] or f"part-{self._parts}") + extension

    def _add(self, attachment: Attachment) -> None:
        self._unpacked += len(attachment.data)
        if self._unpacked > self._limits.unpacked_bytes:
            self._say(f"attachments beyond {self._limits.unpacked_bytes} bytes are left out")
        elif len(self.attachments) >= self._limits.members:
            self._say(f"more than {self._limits.members} attachments")
        else:
            self.attachments.append(attachment)

    def _say(self, problem: str) -> None:
        self.problem = self.problem or problem


def _content_id(part: MimePart) -> str:
    return part.head.text("content-id").strip("<> ")
