"""Which blocks of a drawn page are its content? Method `visual`.

Every text is judged by what one sees of it and around it (visual_features.py). The judgements are
then settled over the tree of blocks (visual_tree.py): a block goes with the block around it unless
its texts say otherwise strongly enough, and the stronger the separator that sets it off, the more
easily. That is the cheapest labelling of a tree with a price on each change, found in two passes.
What isn't shown is never content.
"""

import math
import re
from collections.abc import Mapping

from shoal.cleaners.tokens import HtmlTokenKind, tokens
from shoal.cleaners.visual_features import features
from shoal.cleaners.visual_tree import Block, block_tree, walk
from shoal.cleaners.visual_weights import WEIGHTS
from shoal.model.rendered import BOX_ATTRIBUTE, Rendered

_CHANGE_PRICE = 4.0
_SEPARATOR_DISCOUNT = 0.5
_CUTS = (1.0, 0.5, 0.0, -0.5, -1.0, -1.5, -2.0, -2.5, -3.0)
_NUMBER = re.compile(rf' {BOX_ATTRIBUTE}="([0-9]{{1,7}})">\Z')
_VOID = frozenset(
    {"area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input"}
    | {"keygen", "link", "meta", "param", "source", "track", "wbr"}
)
Range = tuple[int, int]


def content(rendered: Rendered) -> list[Range]:
    """Where in `rendered.html` the content stands; empty when nothing drawn looks like any."""
    return ranges(rendered, choice(rendered, WEIGHTS))


def choice(rendered: Rendered, weights: Mapping[str, float]) -> set[int]:
    """The numbers of the boxes whose own text is content."""
    root = block_tree(rendered)
    if root is None:
        return set()
    judged = [
        (leaf, sum(weights.get(name, 0.0) * value for name, value in seen.items()))
        for leaf, seen in features(rendered, root)
    ]
    return _best(root, judged)


def _best(root: Block, judged: list[tuple[Block, float]]) -> set[int]:
    """The choice with the best F1 to be expected, over several prices of admission.

    A page of links or of short texts is all doubt: what is likelier than the rest of it is taken
    there, where a page with an article gives only what is likely in itself.
    """
    chances = {leaf.box.number: (1 / (1 + math.exp(-odds)), leaf.chars) for leaf, odds in judged}
    wanted = sum(chance * chars for chance, chars in chances.values())
    best, best_score = set[int](), 0.0
    for cut in _CUTS:
        # Longer texts have more to say.
        worth = {id(leaf): (odds - cut) * math.sqrt(leaf.chars) for leaf, odds in judged}
        chosen = _settled(root, worth)
        right = sum(chances[number][0] * chances[number][1] for number in chosen)
        score = 2 * right / (sum(chances[number][1] for number in chosen) + wanted)
        if score > best_score:
            best, best_score = chosen, score
    return best


def _settled(root: Block, worth: dict[int, float]) -> set[int]:
    """The choice that is worth most, each change between a block and the one around it paid."""
    order = list(walk(root))
    gains: dict[int, tuple[float, float]] = {}
    """Of a block as noise and as content, with all that is below it."""
    for block in reversed(order):
        if not block.children:
            gains[id(block)] = (0.0, worth[id(block)])
            continue
        noise = content = 0.0
        for child in block.children:
            as_noise, as_content = gains[id(child)]
            price = _price(child)
            noise += max(as_noise, as_content - price)
            content += max(as_content, as_noise - price)
        gains[id(block)] = (noise, content)
    is_content = {id(root): gains[id(root)][1] > gains[id(root)][0]}
    for block in order:
        mine = is_content[id(block)]
        for child in block.children:
            stay, change = gains[id(child)][mine], gains[id(child)][not mine] - _price(child)
            is_content[id(child)] = mine if stay >= change else not mine
    return {block.box.number for block in order if not block.children and is_content[id(block)]}


def _price(child: Block) -> float:
    return _CHANGE_PRICE * (1 - _SEPARATOR_DISCOUNT * child.separator)


def ranges(rendered: Rendered, chosen: set[int]) -> list[Range]:
    """The own text of the chosen boxes; boxes without anything unchosen as a whole."""
    spans = box_spans(rendered.html)
    whole = _whole(rendered, chosen)
    found: list[Range] = []
    position, open_boxes = 0, list[tuple[int, bool]]()
    events = sorted(
        [(start, 1, number) for number, (start, _) in spans.items()]
        + [(end, 0, number) for number, (_, end) in spans.items()]
    )
    taken = False
    for place, _, number in events:
        if taken and place > position:
            found.append((position, place))
        position = place
        if open_boxes and open_boxes[-1][0] == number:
            open_boxes.pop()
        else:
            open_boxes.append((number, number in chosen or number in whole))
        taken = bool(open_boxes) and open_boxes[-1][1]
    return _joined(found)


def _whole(rendered: Rendered, chosen: set[int]) -> set[int]:
    """Boxes with text below them that is content, and none that is not."""
    boxes = rendered.boxes
    texts = [0] * len(boxes)
    taken = [0] * len(boxes)
    for box in reversed(boxes):
        if not box.shown:
            continue
        texts[box.number] += box.chars > 0
        taken[box.number] += box.number in chosen
        if box.parent >= 0:
            texts[box.parent] += texts[box.number]
            taken[box.parent] += taken[box.number]
    return {box.number for box in boxes if 0 < texts[box.number] == taken[box.number]}


def box_spans(html: str) -> dict[int, Range]:
    """Where each numbered element begins and ends; the browser wrote it, so all tags are there."""
    spans: dict[int, Range] = {}
    waiting: list[tuple[str, int, int]] = []
    for token in tokens(html):
        if token.kind is HtmlTokenKind.START and token.name not in _VOID:
            match = _NUMBER.search(html, max(token.start, token.end - 40), token.end)
            waiting.append((token.name, int(match[1]) if match else -1, token.start))
        elif token.kind is HtmlTokenKind.END and waiting and waiting[-1][0] == token.name:
            _, number, start = waiting.pop()
            if number >= 0:
                spans[number] = start, token.end
    return spans


def _joined(found: list[Range]) -> list[Range]:
    joined: list[Range] = []
    for start, end in found:
        if joined and joined[-1][1] == start:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    return joined
