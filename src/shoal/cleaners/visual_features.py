"""What does one see of a text, and around it? Numbers for each text of a drawn page.

Only what a page shows: place, size, type, colours, share of links, what stands near and what
repeats; and the landmarks it declares (`nav`, `main`, `footer` and their roles). No words are read,
so one set of weights serves every language.
"""

import math
from collections import Counter
from dataclasses import dataclass

from shoal.cleaners.visual_tree import Block, main_font, walk
from shoal.model.rendered import Box, Rendered

_LANDMARKS = {
    "nav": "nav", "navigation": "nav", "menu": "nav", "menubar": "nav",
    "footer": "footer", "contentinfo": "footer",
    "header": "header", "banner": "header",
    "aside": "aside", "complementary": "aside",
    "main": "main", "article": "article",
    "form": "form", "search": "form", "dialog": "dialog", "alertdialog": "dialog",
}  # fmt: skip
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


@dataclass(slots=True)
class _PageView:
    """What a text is compared with."""

    width: float
    height: float
    font_size: float
    colour: int
    title_top: float
    """Where the largest heading stands."""
    column: tuple[float, float]
    """Where most prose begins and ends, from left to right."""
    prose_share: float
    """How much of the page's text is prose."""
    shapes: Counter[tuple[str, float, float, int]]
    chars: int


def features(rendered: Rendered, root: Block) -> list[tuple[Block, dict[str, float]]]:
    """Each text of the page in reading order, and what is seen of it."""
    blocks = list(walk(root))
    leaves = [block for block in blocks if not block.children]
    regions = _regions(blocks, root.chars)
    view = _view(rendered, root, leaves)
    marks = _landmarks(rendered.boxes)
    found = []
    before = 0
    for at, leaf in enumerate(leaves):
        near = leaves[max(0, at - 3) : at] + leaves[at + 1 : at + 4]
        seen = _of_itself(leaf, view) | _of_surroundings(leaf, near, view)
        seen["region_links"] = regions[id(leaf)].link_share
        seen["text_before"] = before / (view.chars or 1)
        seen["early"] = float(before < view.chars * 0.03)
        seen["late"] = float(before > view.chars * 0.95)
        seen["bias"] = 1.0
        before += leaf.chars
        for name in marks[leaf.box.number]:
            seen[f"in_{name}"] = 1.0
        found.append((leaf, seen))
    return found


def _of_itself(leaf: Block, view: _PageView) -> dict[str, float]:
    box = leaf.box
    tag = box.tag if box.tag in {"p", "li", "td", "pre", "a"} else ""
    ratio = box.font_size / (view.font_size or 16.0)
    left, right = view.column
    beside = float(box.x >= right - 2 or box.x + box.width <= left + 2)
    above_title = float(box.y + box.height < view.title_top - 2)
    seen = {
        "length": math.log(1 + box.chars),
        "short": float(box.chars < 25),
        "long": float(box.chars > 150),
        "links": leaf.link_share,
        "prose": min(1.0, 30 * box.marks / (box.chars or 1)) * float(box.chars > 40),
        "larger": float(ratio > 1.1),
        "smaller": float(ratio < 0.9),
        "bold": float(box.font_weight >= 600),
        "other_colour": float(box.colour != view.colour),
        "heading": float(box.tag in _HEADINGS),
        "title": float(box.tag == "h1"),
        "fixed": float(box.fixed),
        "narrow": float(box.width < view.width * 0.3),
        "beside_prose": beside * view.prose_share * leaf.link_share,
        "height": min(1.0, box.y / (view.height or 1.0)),
        "above_title": above_title,
        "repeated": math.log(view.shapes[_shape(box)]),
        "repeated_links": math.log(view.shapes[_shape(box)]) * leaf.link_share,
        "far_down": float(box.y > view.height * 0.9),
    }
    if tag:
        seen[f"is_{tag}"] = 1.0
    return seen


def _of_surroundings(leaf: Block, near: list[Block], view: _PageView) -> dict[str, float]:
    chars = sum(block.chars for block in near)
    links = sum(block.link_chars for block in near)
    seen = {
        "near_length": math.log(1 + chars / (len(near) or 1)),
        "near_links": links / (chars or 1),
    }
    above: Block | None = leaf.parent
    for level in ("parent", "grandparent"):
        if above is None:
            break
        seen[f"{level}_share"] = above.chars / (view.chars or 1)
        above = above.parent
    return seen


def _regions(blocks: list[Block], chars: int) -> dict[int, Block]:
    """For each block, the smallest around it (or itself) that holds a tenth of the text."""
    regions: dict[int, Block] = {}
    for block in blocks:
        large = block.parent is None or block.chars >= 0.1 * chars
        regions[id(block)] = block if large else regions[id(block.parent)]
    return regions


def _shape(box: Box) -> tuple[str, float, float, int]:
    return box.tag, box.width, box.font_size, box.font_weight


def _view(rendered: Rendered, root: Block, leaves: list[Block]) -> _PageView:
    size, colour = main_font(rendered.boxes)
    headings = [leaf.box for leaf in leaves if leaf.box.tag == "h1" and leaf.chars > 2]
    title = max(headings, key=lambda box: (box.font_size, -box.y), default=None)
    columns: Counter[tuple[float, float]] = Counter()
    for leaf in leaves:
        columns[leaf.left, leaf.right] += (leaf.chars - leaf.link_chars) * (leaf.chars > 80)
    column = max(columns, key=lambda sides: (columns[sides], sides))
    return _PageView(
        width=rendered.width,
        height=rendered.height,
        font_size=size,
        colour=colour,
        title_top=title.y if title else 0.0,
        column=column,
        prose_share=columns[column] / (root.chars or 1),
        shapes=Counter(_shape(leaf.box) for leaf in leaves),
        chars=root.chars,
    )


def _landmarks(boxes: list[Box]) -> list[frozenset[str]]:
    """For each box, the landmarks it stands in."""
    found: list[frozenset[str]] = []
    for box in boxes:
        around = found[box.parent] if 0 <= box.parent < len(found) else frozenset()
        name = _LANDMARKS.get(box.role) or _LANDMARKS.get(box.tag)
        found.append(around | {name} if name and name not in around else around)
    return found
