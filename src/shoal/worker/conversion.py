"""What came of a file? A document with its tags, and the documents that stood in it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from shoal.converters.rendition import as_html, as_markdown
from shoal.model.compression import unzstd
from shoal.model.document import Document
from shoal.model.page import Block
from shoal.model.record import to_builtins, unpack


@dataclass(frozen=True)
class Conversion:
    document: Document
    inside: list["Conversion"] = field(default_factory=list)
    """Messages of a mailbox, members of an archive, attachments; each named within this one."""

    @property
    def name(self) -> str:
        """Within the document that holds it; empty for a file's own."""
        return self.document.name.removeprefix("#")

    @property
    def title(self) -> str:
        """As the file says it; empty when it does not."""
        return self.document.title

    @property
    def media_type(self) -> str:
        """What it was read as."""
        return self.document.media_type

    @property
    def language(self) -> str:
        """The code of its language; empty when it is not known."""
        return self.document.language

    @property
    def problem(self) -> str:
        """Why there is no text, or what was cut; empty when all went well."""
        return self.document.problem

    @cached_property
    def text(self) -> str:
        return unzstd(self.document.text).decode() if self.document.text else ""

    @cached_property
    def blocks(self) -> list[Block]:
        packed = self.document.blocks
        return unpack(list[Block], unzstd(packed)) if packed else []

    @property
    def html(self) -> str:
        """Its blocks as clean HTML, with nothing that runs."""
        return as_html(self.blocks, self.title, self.language)

    @property
    def markdown(self) -> str:
        """Its blocks as Markdown."""
        return as_markdown(self.blocks)

    def as_dict(self) -> dict[str, object]:
        """Everything, for JSON; documents inside are not part of it."""
        document = self.document
        told = {
            "name": self.name,
            "media_type": self.media_type,
            "title": self.title,
            "author": document.author,
            "published": document.published,
            "modified": document.modified,
            "language": self.language,
            "description": document.description,
            "keywords": document.keywords,
            "canonical": document.canonical,
            "charset": document.charset,
            "charset_from": document.charset_from,
            "problem": self.problem,
        }
        known: dict[str, object] = {key: value for key, value in told.items() if value}
        known["text"] = self.text
        known["blocks"] = [block_as_dict(block) for block in self.blocks]
        return known

    def __repr__(self) -> str:
        return f"<Conversion {self.media_type} {self.title!r}, {len(self.text)} characters>"


def block_as_dict(block: Block) -> dict[str, object]:
    fields = zip(Block.__struct_fields__, to_builtins(block), strict=True)
    known = {key: value for key, value in fields if value or key == "text"}
    if block.score == 1:
        del known["score"]
    return known


def conversion_of(documents: Sequence[Document]) -> Conversion:
    own, *inside = documents
    return Conversion(own, [Conversion(each) for each in inside])


def unread_conversion(name: str, problem: str) -> Conversion:
    return Conversion(Document(title=name, problem=problem))
