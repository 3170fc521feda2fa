"""What does a page look like? Its boxes as a browser laid them out, and the document they stand in.

A box is a block-level element, or an element that is not shown. Inline elements have no box: their
text counts to the block around them. A box is found again in `html` by its number, which stands
there as the attribute `data-shoal-box`, the last of its start tag.
"""

from enum import IntFlag

from shoal.model.record import Struct

BOX_ATTRIBUTE = "data-shoal-box"


class Side(IntFlag):
    """Where a border is drawn."""

    NONE = 0
    TOP = 1
    RIGHT = 2
    BOTTOM = 4
    LEFT = 8


class Box(Struct, array_like=True):
    number: int
    """In document order, from 0 on without gaps."""
    parent: int
    """The number of the box around it; -1 for the outermost."""
    tag: str
    x: float
    y: float
    width: float
    height: float
    """In CSS pixels, from the top left corner of the page."""
    shown: bool = True
    """False: nobody sees it, and what is inside it has no boxes."""
    fixed: bool = False
    """It stays in its place of the window while the page is scrolled."""
    chars: int = 0
    """Of its own text (not that of boxes inside it), white space left out."""
    link_chars: int = 0
    """How many of its characters are links or buttons."""
    font_size: float = 0.0
    """Of the larger part of its own text, in CSS pixels."""
    font_weight: int = 400
    colour: int = 0
    """Of the larger part of its own text, as 0xRRGGBB."""
    background: int = -1
    """As 0xRRGGBB; -1: that of the box around it shows through."""
    borders: int = 0
    """See `Side`."""
    picture_area: float = 0.0
    """Of its own pictures and films, in square CSS pixels."""
    marks: int = 0
    """Commas, full stops and their like in its own text: prose has them, labels do not."""
    role: str = ""
    """What the page says it is for: the attribute `role`, in lower case."""


class Rendered(Struct):
    html: str
    """The document when it was looked at, with numbers; the given source if nothing was drawn."""
    width: float
    height: float
    """Of the whole page, not of the window."""
    boxes: list[Box] = []
    problem: str = ""
    """Why there are no boxes, or not all of them; empty when all went well."""
