"""A web of several topics: who writes of one links mostly to its own kind, and a few lists know
many pages of it.

Each topic has words of its own beside those of all. From the home page a crawl comes to every topic
by a few steps, so that breadth first brings as much of each. Some pages of a topic are only reached
through pages of others, and some only from lists.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from tests.crawl.own_site import OwnSite, own_site

_VOWELS, _CONSONANTS = "aeiou", "bcdfgklmnprstvwz"
_KINDS = 8
_LINKS = 7
_OWN_SHARE = 0.75
_WORDS = 120


class TopicalWeb:
    """Pages `/KIND/NUMBER`, lists `/list/NUMBER`, and `/`."""

    def __init__(self, seed: int, pages: int) -> None:
        self._random = Random(seed)
        self._common = [self._word() for _ in range(150)]
        self.kinds = [self._word() for _ in range(_KINDS)]
        self._own = {kind: [kind, *(self._word() for _ in range(60))] for kind in self.kinds}
        count = pages // _KINDS
        self._names = {kind: [f"/{kind}/{n}" for n in range(count)] for kind in self.kinds}
        self.pages = dict(self._written())

    def of(self, kind: str) -> set[str]:
        return set(self._names[kind])

    def own_words(self, kind: str) -> list[str]:
        return self._own[kind]

    def _word(self) -> str:
        draw = self._random.choice
        return "".join(draw(_CONSONANTS) + draw(_VOWELS) for _ in range(3))

    def _written(self) -> Iterator[tuple[str, str]]:
        yield "/", self._page("home", self.kinds, [self._names[kind][0] for kind in self.kinds])
        for kind, names in self._names.items():
            for place, name in enumerate(names):
                others = [self._random.choice(self.kinds) for _ in range(_LINKS)]
                to = [
                    self._random.choice(self._names[kind])
                    if self._random.random() < _OWN_SHARE
                    else self._random.choice(self._names[other])
                    for other in others
                ]
                if place % 10 == 0:
                    to.append(f"/list/{self._random.randrange(_KINDS)}")
                yield name, self._page(name, [kind], to)
        for number, kind in enumerate(self.kinds):
            known = self._random.sample(self._names[kind], min(15, len(self._names[kind])))
            yield f"/list/{number}", self._page("list", [kind], known)

    def _page(self, title: str, kinds: list[str], to: list[str]) -> str:
        links = "".join(f"<li>{self._line(name)}" for name in to)
        own = [word for kind in kinds for word in self._own[kind]]
        text = [
            self._random.choice(own if self._random.random() < 0.3 else self._common)
            for _ in range(_WORDS)
        ]
        body = f"<main><p>{' '.join(text)}</p></main><ul>{links}</ul>"
        return f"<title>{title.strip('/').replace('/', ' ')}</title>{body}"

    def _line(self, name: str) -> str:
        """A link: what it is called has one word of its topic, or none."""
        kind = name.split("/")[1]
        words = self._own.get(kind, self._common)
        called = self._random.choice(words if self._random.random() < 0.5 else self._common)
        return f"{self._random.choice(self._common)} <a href='{name}'>{called}</a>"


@contextmanager
def topical_site(seed: int = 3, pages: int = 480) -> Iterator[tuple[TopicalWeb, OwnSite]]:
    web = TopicalWeb(seed, pages)
    with own_site() as site:
        for path, body in web.pages.items():
            site.put(path, body)
        yield web, site
