"""Which parts of a page's tree are its content, by rules that were written, not learned?

Four passes over the tree. What names itself noise goes (element, role, class, hidden), unless so
much of the page's prose is in it that the name must be wrong. Lists of links go, but not those that
a page of little prose consists of: a listing's cards are its content. The smallest element that
holds most of what is left is the main part. Within it, what stands under "Related" and the like
goes. After Gupta et al., "DOM-based content extraction" (2003), and Readability; the code and the
numbers are our own. Each pass is linear in elements and texts, and nothing recurses.
"""

from collections.abc import Iterable
from html import unescape
from itertools import compress

from shoal.cleaners.tree import ROOT, Tree
from shoal.cleaners.vocabulary import FORUM_MARKS, LAST_HEADINGS, TagRole, tag_role

_PROSE_CHARS = 60
"""A block with so many characters outside links is prose."""
_NAMED_SHARE = 0.4
"""What holds more of the page's prose than this is no noise, whatever its name."""
_OUTSIDE_MAIN = 0.4
"""How much the share of what stands outside the page's `main` counts."""
_SPARSE_SHARE = 0.35
"""A page with less prose than this among its text is a listing rather than an article."""
_MENU_LINK_CHARS = 16
"""On a listing, links shorter than this on average are a menu."""
_LINKED_SHARE = 0.6
"""More of a list of links than this is within links."""
_MAIN_PART_SHARE = 0.8
_THREAD_SHARE = 0.95
"""A thread may open with a long post, and its short answers belong to it."""
_TAIL_SHARE = 0.25
"""What follows a heading like "Related" is dropped up to this share of the main part."""
_MIN_MAIN_CHARS = 300
_MIN_NOSCRIPT_PROSE = 200
"""Less is a wish that scripts be turned on."""
_MAX_TAG_CHARS = 2000

_PAGE = frozenset({"html", "body", "main"})
_ARTICLES = frozenset({"main", "article"})
_INLINE = frozenset({"span", "time", "data", "label", "picture", "slot"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_PARAGRAPHS = _HEADINGS | {"p", "pre", "blockquote", "li", "dd", "dt", "span", "figure", "code"}
_NEVER = frozenset({
    "svg", "select", "option", "datalist", "textarea", "head", "title", "template",
    "dialog", "noframes", "script", "style",
})  # fmt: skip
_NOISE = frozenset({
    "nav", "aside", "footer", "menu", "frameset", "iframe", "object", "audio", "video", "canvas",
    "map", "search", "label",
})  # fmt: skip
_LIMITS = {
    **dict.fromkeys(_NOISE, _NAMED_SHARE),
    "form": 0.2,  # whole pages and whole threads stand in a form
    "noscript": 0.5,  # script shells and some forums keep the page here
}
_VERDICT_LIMITS = {
    TagRole.HIDDEN: _NAMED_SHARE,
    TagRole.NOISE: _NAMED_SHARE,
    TagRole.PLEA: 0.8,
}


def content(html: str) -> list[tuple[int, int]]:
    """The ranges of a page's source that are its content: ascending, disjoint, maybe none."""
    page = _Page(html)
    page.drop_named()
    page.drop_lists_of_links()
    root = page.main_part()
    page.drop_tails(root)
    return page.ranges(root)


class _Page:
    """The tree of a page, what each element measures, and what has been dropped."""

    def __init__(self, html: str) -> None:
        self.html = html
        self.tree = tree = Tree(html)
        count = len(tree)
        self.dropped = bytearray(count)
        self.roles = self._roles()
        self.chars, self.linked, self.links = [0] * count, [0] * count, [0] * count
        """Characters of all text in an element, those of it in links, and runs of linked text."""
        self.own_chars, self.own_linked = [0] * count, [0] * count
        """Those of a block's own text, that of inline elements in it included."""
        self._measure_texts()
        self.own_prose = [
            chars if chars - linked >= _PROSE_CHARS and linked < chars / 2 else 0
            for chars, linked in zip(self.own_chars, self.own_linked, strict=True)
        ]
        self.prose = self.own_prose.copy()
        for sums in (self.chars, self.linked, self.links, self.prose):
            self._sum_up(sums)
        self.sparse = self.keeps_talk = False
        self.mass: list[float] = []
        # A page of a few words has no prose to go by.
        self.weights = self.prose if self.prose[ROOT] >= 3 * _PROSE_CHARS else self.chars

    def _roles(self) -> list[TagRole]:
        html, known = self.html, {"": TagRole.PLAIN}
        roles = []
        for name, start, end in zip(
            self.tree.names, self.tree.starts, self.tree.tag_ends, strict=True
        ):
            # Tags repeat within a page, so each is judged once.
            tag = (
                html[start : min(end, start + _MAX_TAG_CHARS)]
                if end - start > len(name) + 3
                else ""
            )
            if tag not in known:
                known[tag] = tag_role(tag)
            roles.append(known[tag])
        return roles

    def _measure_texts(self) -> None:
        tree, html = self.tree, self.html
        self.blocks = blocks = list(range(len(tree)))
        for number, name in enumerate(tree.names):
            if name in _INLINE:
                blocks[number] = blocks[tree.parents[number]]
        for start, end, holder, linked in tree.texts:
            text = html[start:end].strip()
            size = len(text)
            if not text.isascii():
                # A character of Chinese, Japanese or Korean says as much as two letters.
                size += sum(character >= "\u2e80" for character in text)
            block = blocks[holder]
            self.chars[holder] += size
            self.own_chars[block] += size
            if linked:
                self.linked[holder] += size
                self.links[holder] += 1
                self.own_linked[block] += size

    def _sum_up(self, sums: list[int]) -> None:
        """Add to each element what is within it."""
        parents = self.tree.parents
        for number in range(len(sums) - 1, 0, -1):
            sums[parents[number]] += sums[number]

    def _drop(self, number: int) -> None:
        after = self.tree.afters[number]
        self.dropped[number:after] = b"\1" * (after - number)

    def drop_named(self) -> None:
        """Drop what names itself noise."""
        names, afters = self.tree.names, self.tree.afters
        near_main = self._near_main()
        in_article = self._within(number for number, name in enumerate(names) if name in _ARTICLES)
        self.keeps_talk = keeps_talk = self._is_forum()
        number, count, total = 1, len(names), self.weights[ROOT] or 1
        while number < count:
            share = self.weights[number] / total
            if near_main and not near_main[number]:
                share *= _OUTSIDE_MAIN
            kind = self.roles[number]
            if not self.chars[number] or names[number] in _PAGE:
                noise = False
            elif names[number] == "header":
                noise = not in_article[number] and share < _NAMED_SHARE
            elif kind == TagRole.TALK:
                noise = not keeps_talk
            else:
                noise = self._is_noise(number, names[number], share)
            if noise:
                self._drop(number)
            number = afters[number] if noise else number + 1

    def _is_noise(self, number: int, name: str, share: float) -> bool:
        if name in _NEVER:
            return True
        prose, chars = self.prose[number], self.chars[number]
        if name == "button":
            # The questions of a list of answers that opens at a click are buttons.
            return not prose and self.tree.names[self.tree.parents[number]] not in _HEADINGS
        if name == "noscript" and prose < _MIN_NOSCRIPT_PROSE:
            return True
        kind = self.roles[number]
        if share < max(_LIMITS.get(name, 0), _VERDICT_LIMITS.get(kind, 0)):
            return True
        return kind == TagRole.WEAK and prose < 0.3 * chars and chars < 0.2 * self.chars[ROOT]

    def _near_main(self) -> bytearray:
        """Marks what is in the page's main elements or around them; empty if there are none."""
        tree, chars = self.tree, self.chars
        mains = [
            number
            for number, name in enumerate(tree.names)
            if (name == "main" or self.roles[number] == TagRole.MAIN)
            and chars[number] >= max(_MIN_MAIN_CHARS, 0.15 * chars[ROOT])
        ]
        if not mains:
            return bytearray()
        near = self._within(mains)
        for main in mains:
            around = tree.parents[main]
            while around > ROOT and not near[around]:
                near[around] = 1
                around = tree.parents[around]
        return near

    def _within(self, numbers: Iterable[int]) -> bytearray:
        """Marks these elements, which ascend, and all that is in them."""
        marks, done = bytearray(len(self.tree)), 0
        for number in numbers:
            if number >= done:
                done = self.tree.afters[number]
                marks[number:done] = b"\1" * (done - number)
        return marks

    def _is_forum(self) -> bool:
        """Comments are the content, by the page's own word or because they are most of it."""
        lowered = self.html.lower()
        if any(mark in lowered for mark in FORUM_MARKS):
            return True
        talk = self._within(
            number
            for number, kind in enumerate(self.roles)
            if kind == TagRole.TALK and self.tree.names[number] not in _PAGE
        )
        return sum(compress(self.own_prose, talk)) > self.prose[ROOT] / 2

    def drop_lists_of_links(self) -> None:
        """Drop menus, clouds of tags, related pages; on a listing only what is surely a menu."""
        kept = bytes(not gone for gone in self.dropped)
        left = sum(compress(self.own_chars, kept))
        self.sparse = sum(compress(self.own_prose, kept)) < _SPARSE_SHARE * left
        number, count = 1, len(self.tree)
        while number < count:
            if self.dropped[number]:
                number = self.tree.afters[number]
            elif self._is_list_of_links(number, left):
                self._drop(number)
            else:
                number += 1

    def _is_list_of_links(self, number: int, left: int) -> bool:
        links, chars = self.links[number], self.chars[number]
        if (
            links < 2
            or self.linked[number] <= _LINKED_SHARE * chars
            or self.prose[number] >= 0.2 * chars
            or self.tree.names[number] in _PAGE
        ):
            return False
        if self.sparse:
            return chars < _MENU_LINK_CHARS * links and chars < left / 2
        return chars < 25 * links or chars < 0.3 * left

    def main_part(self) -> int:
        """The smallest element that holds most of what is left."""
        tree, dropped = self.tree, self.dropped
        self.mass = mass = [0.0] * len(tree)
        for number in range(len(tree) - 1, -1, -1):
            if dropped[number]:
                continue
            chars = self.own_chars[number]
            if self.sparse or self.keeps_talk:
                mass[number] += chars
            else:
                short = min(chars - self.own_linked[number], _PROSE_CHARS)
                mass[number] += self.own_prose[number] + 0.2 * short
            if number:
                mass[tree.parents[number]] += mass[number]
        # Document order: an element that holds enough comes after those around it that do.
        enough = (_THREAD_SHARE if self.keeps_talk else _MAIN_PART_SHARE) * mass[ROOT]
        if not enough:
            return ROOT
        found = max(number for number, each in enumerate(mass) if each >= enough)
        while tree.names[found] in _PARAGRAPHS:
            found = tree.parents[found]
        return found

    def drop_tails(self, root: int) -> None:
        """Drop what stands under headings such as "Related articles"."""
        tree = self.tree
        headings: dict[int, list[str]] = {}
        firsts = [len(self.html)] * len(tree)
        for start, end, holder, _ in tree.texts:
            firsts[holder] = min(firsts[holder], start)
            block = self.blocks[holder]
            if tree.names[block] in _HEADINGS and root < block < tree.afters[root]:
                headings.setdefault(block, []).append(self.html[start:end])
        for number in range(len(tree) - 1, 0, -1):
            parent = tree.parents[number]
            firsts[parent] = min(firsts[parent], firsts[number])
        limit = _TAIL_SHARE * self.mass[root]
        for heading, texts in headings.items():
            text = " ".join(unescape("".join(texts)[:200]).split())
            if not self.dropped[heading] and LAST_HEADINGS.match(text):
                self._drop_tail(heading, root, limit, firsts)

    def _drop_tail(self, heading: int, root: int, limit: float, firsts: list[int]) -> None:
        """The section that the heading opens, or what follows it up to a heading of its level."""
        tree, mass = self.tree, self.mass
        top, parent = heading, tree.parents[heading]
        while parent > root and mass[parent] < limit and firsts[parent] >= firsts[heading]:
            top, parent = parent, tree.parents[parent]
        if top != heading:
            self._drop(top)
            return
        tail, weight, level = [], 0.0, tree.names[heading]
        number = heading
        while number < tree.afters[parent] and weight < limit:
            if (
                number != heading
                and tree.names[number] in _HEADINGS
                and tree.names[number] <= level
            ):
                break
            tail.append(number)
            weight += mass[number]
            number = tree.afters[number]
        if weight < limit:
            for number in tail:
                self._drop(number)

    def ranges(self, root: int) -> list[tuple[int, int]]:
        """Runs of text with nothing dropped in between, with the tags of what is wholly in it."""
        tree, after = self.tree, self.tree.afters[root]
        texts, found = tree.texts, list[tuple[int, int]]()
        before, begin, last = 0, -1, ROOT
        for start, end, holder, _ in [*texts, (len(self.html), len(self.html), -1, False)]:
            if root <= holder < after and not self.dropped[holder]:
                if begin < 0:
                    begin = self._open_from(start, holder, root, before)
                last = holder
            elif begin >= 0:
                found.append((begin, self._close_by(before, last, root, start)))
                begin = -1
            before = end
        return found

    def _open_from(self, start: int, holder: int, root: int, not_before: int) -> int:
        while holder > root and self.tree.starts[holder] >= not_before:
            start, holder = self.tree.starts[holder], self.tree.parents[holder]
        return start

    def _close_by(self, end: int, holder: int, root: int, not_after: int) -> int:
        while holder > root and end <= self.tree.ends[holder] <= not_after:
            end, holder = self.tree.ends[holder], self.tree.parents[holder]
        return end
