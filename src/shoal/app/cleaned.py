"""What is left of a page when its frame is gone? Its content, in every form."""

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from shoal.app.conversion import Conversion, block_as_dict
from shoal.convert.rendition import as_html, as_markdown
from shoal.model.content import content_text
from shoal.model.page import Block

_CONTENT = 0.5


class Found(NamedTuple):
    title: str
    text: str
    """All of it,"""
    shades: bytes
    """and how likely each line is content; empty: all is."""
    method: str
    """What told content from its frame: `dom` where the model could not. Empty for what has no
    frame: a PDF, a mail."""


class Cleaned:
    """A page, and what of it is content. Text and title are there at once; blocks, HTML and
    Markdown are made when they are first asked for."""

    def __init__(
        self, found: Found, blocks: Callable[[], list[Block]], language: str = "", problem: str = ""
    ) -> None:
        self.title, self.whole_text, self._shades, self.method = found
        self.text = content_text(self.whole_text, self._shades)
        self.language = language
        self.problem = problem
        self._read_blocks = blocks

    @cached_property
    def blocks(self) -> list[Block]:
        """All of the page, in reading order, each with its score."""
        return self._read_blocks()

    @cached_property
    def kept(self) -> list[Block]:
        """The blocks that are content."""
        return [block for block in self.blocks if block.score >= _CONTENT]

    @property
    def html(self) -> str:
        return as_html(self.kept, self.title, self.language)

    @property
    def markdown(self) -> str:
        return as_markdown(self.kept)

    @property
    def share(self) -> float:
        """How much of the page's text is content, from 0 to 1."""
        return len(self.text) / len(self.whole_text) if self.whole_text else 0.0

    def as_dict(self) -> dict[str, object]:
        """Everything, for JSON: all blocks, with their scores."""
        return {
            "title": self.title,
            "method": self.method,
            "share": round(self.share, 3),
            "language": self.language,
            "problem": self.problem,
            "text": self.text,
            "blocks": [{**block_as_dict(block), "score": block.score} for block in self.blocks],
        }

    def __repr__(self) -> str:
        return f"<Cleaned {self.title!r}, {len(self.text)} of {len(self.whole_text)} characters>"


def cleaned_of(found: Conversion) -> Cleaned:
    document = found.document
    told = Found(found.title, found.text, document.shades, document.cleaned_by)
    return Cleaned(told, lambda: found.blocks, document.language, found.problem)
