"""Into which blocks does a page fall, as one sees it? A tree of blocks, from boxes and separators.

After VIPS (Cai, Yu, Wen and Ma, 2003): a block is split where the eye sees a separator (a gap, a
line, a change of background or of type, a step to another column), the strongest first. So blocks
that the source writes in one row, as `<h2><p><p><h2><p>`, become groups of their own, and boxes
that only wrap one other vanish. Leaves are the texts; a leaf belongs to exactly one box.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from shoal.model.rendered import Box, Rendered, Side

_GROUPING_DEPTH = 4
_FAINT = 0.15
"""A row of blocks whose separators are all weaker is left as it is."""
_TALL_PIXELS = 200.0
"""Blocks side by side that are both taller are columns; others are cells of a row."""


@dataclass(slots=True, eq=False)
class Block:
    box: Box
    """Of a group, the box around it."""
    top: float
    left: float
    right: float
    bottom: float
    chars: int = 0
    link_chars: int = 0
    leaves: int = 0
    separator: float = 0.0
    """How strongly it is set off from the block before it, from 0 to 1."""
    children: list["Block"] = field(default_factory=list)
    parent: "Block | None" = None

    @property
    def link_share(self) -> float:
        return self.link_chars / (self.chars or 1)


def block_tree(rendered: Rendered) -> Block | None:
    """The whole page as one block; None if it shows no text."""
    inside: dict[int, list[Block]] = {}
    main_size = main_font(rendered.boxes)[0]
    for box in reversed(rendered.boxes):
        children = inside.pop(box.number, [])
        children.reverse()
        if not box.shown:
            continue
        if box.chars:
            children.insert(0, _leaf(box))
        block = _around(box, children, main_size)
        if block is not None:
            inside.setdefault(box.parent, []).append(block)
    top = inside.get(-1, [])
    if not top:
        return None
    for block in walk(top[0]):
        for child in block.children:
            child.parent = block
    return top[0]


def walk(block: Block) -> Iterator[Block]:
    """A block and all below it, in reading order."""
    waiting = [block]
    while waiting:
        here = waiting.pop()
        yield here
        waiting.extend(reversed(here.children))


def main_font(boxes: list[Box]) -> tuple[float, int]:
    """Size and colour of the type that most of the page's text outside links is set in."""
    amounts: Counter[tuple[float, int]] = Counter()
    for box in boxes:
        if box.shown and box.chars:
            amounts[box.font_size, box.colour] += box.chars - box.link_chars
    return max(amounts, key=lambda font: (amounts[font], font), default=(16.0, 0))


def _leaf(box: Box) -> Block:
    block = _placed(box)
    block.chars, block.link_chars, block.leaves = box.chars, box.link_chars, 1
    return block


def _placed(box: Box) -> Block:
    return Block(box, box.y, box.x, box.x + box.width, box.y + box.height)


def _around(box: Box, children: list[Block], main_size: float) -> Block | None:
    """The block of a box; its only child in its place; None if there is nothing to see."""
    if box.tag == "hr" or not children:
        return _placed(box) if box.tag == "hr" else None
    texts = [child for child in children if child.leaves]
    if not texts:
        return None
    before: Block | None = None
    line = 0.0
    for child in children:
        if not child.leaves:
            line = 0.4
            continue
        if before is not None:
            child.separator = min(1.0, _strength(before, child, main_size) + line)
        before, line = child, 0.0
    if len(texts) == 1:
        texts[0].separator = 0.0
        return texts[0]
    block = _placed(box)
    _adopt(block, _grouped(box, texts, _GROUPING_DEPTH))
    return block


def _adopt(block: Block, children: list[Block]) -> None:
    block.children = children
    block.chars = sum(child.chars for child in children)
    block.link_chars = sum(child.link_chars for child in children)
    block.leaves = sum(child.leaves for child in children)


def _strength(before: Block, after: Block, main_size: float) -> float:
    """What the eye sees between two neighbours."""
    one, other = before.box, after.box
    strength = 0.0
    beside = after.top < before.bottom - 2 and (
        after.left >= before.right - 2 or after.right <= before.left + 2
    )
    if beside:
        shorter = min(before.bottom - before.top, after.bottom - after.top)
        strength += 0.5 if shorter > _TALL_PIXELS else 0.0
    else:
        gap = max(0.0, after.top - before.bottom)
        strength += 0.5 * min(1.0, gap / (4 * max(main_size, 8.0)))
    if one.borders & Side.BOTTOM or other.borders & Side.TOP:
        strength += 0.2
    if one.background != other.background:
        strength += 0.3
    if other.font_size > one.font_size + 1 > 1:
        strength += 0.2  # a heading begins something
    return strength


def _grouped(box: Box, row: list[Block], depth: int) -> list[Block]:
    """The row cut at its strongest separators; what stays together becomes one block."""
    strongest = max((block.separator for block in row[1:]), default=0.0)
    if len(row) < 3 or strongest < _FAINT or depth == 0:
        return row
    groups: list[list[Block]] = [[row[0]]]
    for block in row[1:]:
        if block.separator >= strongest * 0.6:
            groups.append([block])
        else:
            groups[-1].append(block)
    if len(groups) == len(row) or len(groups) == 1:
        return row
    return [_group(box, group, depth) for group in groups]


def _group(box: Box, group: list[Block], depth: int) -> Block:
    if len(group) == 1:
        return group[0]
    block = Block(
        box,
        min(each.top for each in group),
        min(each.left for each in group),
        max(each.right for each in group),
        max(each.bottom for each in group),
        separator=group[0].separator,
    )
    group[0].separator = 0.0
    _adopt(block, _grouped(box, group, depth - 1))
    return block
