"""Where on a page is its text? Document slope curves, and how well one finds content by them.

    python slope_curves.py PAGE.html …
    python slope_curves.py measure FOLDER

The first form draws each page: its tags, counted along its tokens. The second one takes every
NAME.html with a NAME.txt beside it that has the right content, and says how much of the content is
found (recall) and how much of what is found is content (precision): by the block that leaves most
tags outside, by a search for flat parts of the curve, and by taking everything.
"""

import re
import sys
from collections import Counter
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path

FONT = ["b", "big", "br", "code", "em", "font", "i", "s", "small", "span", "strong", "sub", "sup"]
HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
TABLES = ["table", "caption", "thead", "tbody", "tfoot", "tr", "td", "th"]
FORMATTING = frozenset(FONT + HEADINGS + TABLES)  # these count as text
WINDOW = 50  # tokens
COLUMNS, ROWS = 72, 14


class Tokens(HTMLParser):
    """A page as pairs (bit, word): 1 and nothing for a tag, 0 and the word for a word."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[int, str]] = []
        self._hidden = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._tag(tag)
        self._hidden = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._tag(tag)
        self._hidden = False

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.found += [(0, word) for word in re.findall(r"\w+", data)]

    def _tag(self, name: str) -> None:
        self.found.append((int(name not in FORMATTING), ""))


def best_block(bits: list[int]) -> tuple[int, int]:
    """i and j (excluded) with the most tags before i, words from i to j, and tags from j on.

    That is: the part of the page where words less tags are most, found in one pass.
    """
    best, best_gain, gain, i = (0, 0), 0, 0, 0
    for n, bit in enumerate(bits):
        if gain < 0:
            gain, i = 0, n
        gain += 1 - 2 * bit
        if gain > best_gain:
            best_gain, best = gain, (i, n + 1)
    return best


def flat_parts(bits: list[int]) -> list[bool]:
    """For each token, whether it is in a window with less than half of the page's share of tags."""
    curve = [0, *accumulate(bits)]
    width = min(WINDOW, max(1, len(bits) // 4))
    limit = curve[-1] * width / max(1, len(bits)) / 2
    flat = [False] * len(bits)
    for start in range(len(bits) - width + 1):
        if curve[start + width] - curve[start] < limit or not curve[-1]:
            flat[start : start + width] = [True] * width
    return flat


def draw(bits: list[int]) -> str:
    """The curve in stars; below it b where the best block is, and f where it is flat."""
    curve = [0, *accumulate(bits)]
    places = [column * len(bits) // (COLUMNS - 1) for column in range(COLUMNS)]
    heights = [curve[place] * (ROWS - 1) // max(1, curve[-1]) for place in places]
    rows = [
        "".join("*" if height == row else " " for height in heights).rstrip()
        for row in reversed(range(ROWS))
    ]
    i, j = best_block(bits)
    flat = [*flat_parts(bits), False]
    rows.append("".join("b" if i <= place < j else "-" for place in places))
    rows.append("".join("f" if flat[place] else "-" for place in places))
    return "\n".join([*rows, f"{len(bits):,} tokens, {curve[-1]:,} tags; i = {i:,}, j = {j - 1:,}"])


def quality(found: list[str], right: list[str]) -> tuple[float, float]:
    """Precision and recall, by words."""
    shared = sum((Counter(found) & Counter(right)).values())
    return shared / max(1, len(found)), shared / max(1, len(right))


def measure(folder: Path) -> str:
    sums = {"best block": [0.0, 0.0], "flat parts": [0.0, 0.0], "everything": [0.0, 0.0]}
    pages = [path for path in sorted(folder.glob("*.html")) if path.with_suffix(".txt").exists()]
    if not pages:
        raise ValueError(f"no page with its content beside it in {folder}")
    for path in pages:
        tokens = Tokens(path.read_text("utf-8", "replace")).found
        right = re.findall(r"\w+", path.with_suffix(".txt").read_text("utf-8", "replace"))
        bits = [bit for bit, _ in tokens]
        i, j = best_block(bits)
        flat = flat_parts(bits)
        kept = {
            "best block": tokens[i:j],
            "flat parts": [token for token, is_flat in zip(tokens, flat, strict=True) if is_flat],
            "everything": tokens,
        }
        for name, part in kept.items():
            precision, recall = quality([word for _, word in part if word], right)
            sums[name][0] += precision / len(pages)
            sums[name][1] += recall / len(pages)
    lines = [f"{len(pages)} pages     precision  recall"]
    lines += [f"{name:12} {means[0]:10.3f} {means[1]:7.3f}" for name, means in sums.items()]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    try:
        match arguments:
            case ["--help"]:
                print(__doc__.rstrip())
            case ["measure", folder]:
                print(measure(Path(folder)))
            case [_, *_]:
                for name in arguments:
                    tokens = Tokens(Path(name).read_text("utf-8", "replace")).found
                    print(name, draw([bit for bit, _ in tokens]), sep="\n")
            case _:
                raise ValueError("use: PAGE.html … | measure FOLDER")
    except (OSError, ValueError) as error:
        print(f"slope_curves: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
