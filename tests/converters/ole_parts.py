"""Short ways for the tests of old Office formats: a sample converted, and what was inside."""

from collections.abc import Callable
from pathlib import Path

from shoal.converters.context import Context, Converted
from shoal.model.page import Block, Page, Tag
from shoal.model.record import changed
from tests.converters.parts import context

SAMPLES = Path(__file__).parent / "samples"

Convert = Callable[[bytes, Context], list[Converted]]


def sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


def page_of(convert: Convert, body: bytes) -> Page:
    (first, *_) = convert(body, context())
    assert first.problem == ""
    return first.page


def inside_of(convert: Convert, body: bytes) -> dict[str, bytes]:
    """What a converter hands on as documents of their own, by name."""
    found: dict[str, bytes] = {}

    def inside(data: bytes, name: str, _declared: str = "") -> list[Converted]:
        found[name] = data
        return [Converted(Page(), name)]

    documents = convert(body, changed(context(), inside=inside))
    assert [each.name for each in documents[1:]] == list(found)
    return found


def texts(page: Page, kind: Tag) -> list[str]:
    return [block.text for block in page.blocks if block.kind is kind]


def block(page: Page, start: str) -> Block:
    return next(each for each in page.blocks if each.text.startswith(start))
