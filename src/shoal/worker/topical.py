"""Is the page that was read about a topic, and what do its links promise? Asked of each page in a
topical crawl, in the child that has its text.

The models stand in files that the crawl writes anew as it learns; a child reads one again when it
has changed. A link shows four things: how near its text is to the topic, the words around it, those
of its address, and the page that it stands on. What they mean together is for the crawl to learn
(engine/topical.py).
"""

from collections.abc import Sequence
from pathlib import Path

from shoal.errors import DamagedError
from shoal.focus.rules import Rules
from shoal.focus.weighing import words_around
from shoal.learn.topic import TopicModel, address_words, page_maker, page_parts
from shoal.model.document import Document, Fate
from shoal.model.link import NO_VOTE, Evidence, Link
from shoal.model.words.marks import TOPIC, Value, joined
from shoal.model.words.topic import MOST_TOPICS, ON_TOPIC, judged_part, link_said, page_said

_MOST_KNOWN = 20_000
_SUFFIX = ".model"


class TopicReader:
    """Judges pages by all topics of the collection, and links by the one that the crawl is for."""

    def __init__(self, folder: Path, name: str, rules: Rules, *, drops: bool) -> None:
        self._folder, self._name, self._drops = folder, name, drops
        self._rules = rules if rules.has_priorities else None
        self._models: dict[str, TopicModel] = {}
        self._stamps: dict[str, tuple[int, int]] = {}
        self._maker = page_maker()
        self._near: dict[str, float] = {}
        self._judged: list[dict[str, float]] = []

    def refresh(self) -> None:
        """Read what has changed since."""
        self._judged = []
        try:
            found = sorted(self._folder.glob(f"*{_SUFFIX}"))[:MOST_TOPICS]
            stamps = {}
            for path in found:
                stat = path.stat()
                stamps[path.name.removesuffix(_SUFFIX)] = (stat.st_mtime_ns, stat.st_ino)
        except OSError:
            return
        if stamps == self._stamps:
            return
        for name in set(self._models) - set(stamps):
            del self._models[name]
        for name, stamp in stamps.items():
            if self._stamps.get(name) != stamp:
                self._read(name)
        self._stamps = stamps

    def _read(self, name: str) -> None:
        try:
            self._models[name] = TopicModel.from_bytes(
                (self._folder / f"{name}{_SUFFIX}").read_bytes()
            )
        except (OSError, DamagedError):
            return  # the next one is written soon
        if name == self._name:
            self._near.clear()

    def weigh(self, title: str, text: str, links: Sequence[Link]) -> bytes:
        """Gives links their evidence; returns how near the page itself is."""
        features = self._maker.of(page_parts(title, judged_part(text)))
        judged = {name: model.chance(features) for name, model in self._models.items()}
        self._judged.append(judged)
        own = judged.get(self._name, 0.0)
        among = sum(not (link.excluded or link.rel & NO_VOTE) for link in links)
        wanted = [link for link in links if not link.excluded]
        model = self._models.get(self._name)
        said = [link_said(0.0, 0.0, 0.0, own)] * len(wanted)
        if model is not None:
            said = self._said(model, text, wanted, own)
        rules = self._rules
        for link, about in zip(wanted, said, strict=True):
            ruled = rules is not None and rules.priority(link.url) is not None
            link.evidence = Evidence(about, max(1, among), ruled)
        return page_said(own)

    def _said(self, model: TopicModel, text: str, links: Sequence[Link], own: float) -> list[bytes]:
        known, place = self._near, 0
        if len(known) > _MOST_KNOWN:
            known.clear()
        texts = []
        for link in links:
            around, place = words_around(text, link.text, place)
            texts.append((link.text, around, address_words(link.url)))
        new = list(dict.fromkeys(each for three in texts for each in three if each not in known))
        features = [self._maker.of({"text": each}) for each in new]
        known.update(zip(new, model.near_all(features), strict=True))
        return [
            link_said(known[anchor], known[around], known[address], own)
            for anchor, around, address in texts
        ]

    def mark(self, documents: Sequence[Document]) -> None:
        """What was found out about the documents of one visit; one off topic may be dropped."""
        for document, judged in zip(documents, self._judged, strict=False):
            on = [Value(name, chance) for name, chance in judged.items() if chance >= ON_TOPIC]
            document.marks = [*document.marks, (TOPIC, joined(sorted(on)))]
            own = judged.get(self._name)
            if self._drops and own is not None and own < ON_TOPIC and document.fate is Fate.WAITING:
                document.fate = Fate.DROPPED
                document.problem = f"off topic: {own:.2f} for {self._name}"
