"""What is one page of the suite, and what has to come out of it?"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from shoal.model.page import Tag


class Expect(StrEnum):
    CONTENT = "content"
    """The phrases that are wanted, and none of those that are not."""
    EMPTY = "empty"
    """There is nothing to read on it, and nothing is what comes out."""


@dataclass(frozen=True)
class PageCase:
    name: str
    keeps: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()
    headline: str = ""
    """The page's own heading, where it is not its name alone."""
    comments: tuple[str, ...] = ()
    """What readers wrote below: told as such, and not part of the text."""
    once: tuple[str, ...] = ()
    """Stands in the source several times and is wanted only once."""
    kinds: tuple[Tag, ...] = ()
    """Of blocks that have to be among those kept,"""
    links: tuple[str, ...] = ()
    """and where their links lead to."""
    expect: Expect = Expect.CONTENT
    maker: Callable[[], str] | None = None
    """For pages that are no file in pages/,"""
    grower: Callable[[int], str] | None = None
    """and for those that are as large as one likes,"""
    size: int = 0
    """which is this."""

    @staticmethod
    def directory() -> Path:
        return Path(__file__).parent / "pages"

    @property
    def is_file(self) -> bool:
        return self.maker is None and self.grower is None

    def html(self, part: int = 1) -> str:
        """The page, or one that is smaller by so much where size is all that it is about."""
        if self.grower is not None:
            return self.grower(self.size // part)
        if self.maker is not None:
            return self.maker()
        return (self.directory() / f"{self.name}.html").read_text(encoding="utf-8")
