"""What does a page show of the worth of what it links to? Its child adds it to each link.

Only in a crawl by importance: how many links the page has, whether a rule speaks of the target, and
how near the words at the link are to what is looked for. The words around a link are found by its
text in the text of the page, from one link to the next, for links stand in the order of the page.
"""

from collections.abc import Sequence

from shoal.focus.rules import Rules
from shoal.model.link import NO_VOTE, Evidence, Link
from shoal.ports import ContentScorer

_AROUND_CHARS = 70
"""On either side: about ten words."""


class Weigher:
    def __init__(self, rules: Rules, scorer: ContentScorer | None) -> None:
        """Without a scorer nothing is looked for."""
        self._rules = rules if rules.has_priorities else None
        self._scorer = scorer

    def weigh(self, title: str, text: str, links: Sequence[Link]) -> bytes:
        """Gives links their evidence; returns how near the page itself is."""
        scorer, rules = self._scorer, self._rules
        among = sum(not (link.excluded or link.rel & NO_VOTE) for link in links)
        page = b"" if scorer is None else scorer.page(title, text)
        place = 0
        for link in links:
            if link.excluded:
                continue
            about = b""
            if scorer is not None:
                around, place = words_around(text, link.text, place)
                about = scorer.link(link.text, around, link.url, page)
            ruled = rules is not None and rules.priority(link.url) is not None
            link.evidence = Evidence(about, max(1, among), ruled)
        return page


def words_around(text: str, anchor: str, place: int) -> tuple[str, int]:
    """The words on both sides of a link, and where it ends."""
    if not anchor:
        return "", place
    found = text.find(anchor, place)
    if found < 0:
        found = text.find(anchor)
    if found < 0:
        return "", place
    end = found + len(anchor)
    before = text[max(0, found - _AROUND_CHARS) : found]
    return f"{before} {text[end : end + _AROUND_CHARS]}", end
