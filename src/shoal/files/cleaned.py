"""What is left of a page when its frame is gone? Its content, in every form."""

import re
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from shoal.converters.rendition import as_html, as_markdown
from shoal.model.content import content_text
from shoal.model.page import Block, Tag
from shoal.worker.conversion import Conversion, block_as_dict

_CONTENT = 0.5
_WORD = re.compile(r"\w+")


class Found(NamedTuple):
    title: str
    text: str
    """All of it."""
    shades: bytes
    """How likely each line of the text is content; empty: all is."""
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
        """The content as clean HTML, under the heading of the page."""
        return as_html(self._with_heading(), self.title, self.language)

    @property
    def markdown(self) -> str:
        """The same as Markdown."""
        return as_markdown(self._with_heading())

    def _with_heading(self) -> list[Block]:
        """What is kept, below the page's own heading: in the plain text the title is apart."""
        title = set(_WORD.findall(self.title.lower()))
        for block in self.blocks if self.kept else ():
            words = _WORD.findall(block.text.lower())
            if block.kind is Tag.HEADING and block.level == 1 and words:
                is_own = 2 * sum(word in title for word in words) >= len(words)
                is_missing = block.score < _CONTENT
                return [block, *self.kept] if is_own and is_missing else self.kept
        return self.kept

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
    told = Found(found.title, found.text, document.line_scores, document.cleaned_by)
    return Cleaned(told, lambda: found.blocks, document.language, found.problem)
