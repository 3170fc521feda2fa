"""What does a child process do with a page? Read it, then archive it, then answer.

The archive is written unbuffered before the answer, so no row can point at bytes that died with the
process. A page that kills its reader is sent to another child to be archived only.
"""

import contextlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from shoal import faults
from shoal.cleaners.cleaners import cleaner_for
from shoal.converters import libreoffice, programs
from shoal.converters.archive import program as bsdtar
from shoal.converters.links import LinkMaker
from shoal.converters.media import ocr
from shoal.converters.reader import Reader, ReaderSettings, Weigh
from shoal.converters.requisite_links import RequisiteLinks
from shoal.duplicates.near.sketch import fingerprint
from shoal.focus.likeness import QueryLikeness
from shoal.focus.priority import FixedPriority, PrioritySettings
from shoal.focus.rules import parse_rules
from shoal.focus.scope import CrawlScope, anywhere, for_requisites
from shoal.focus.weighing import Weigher
from shoal.graph.scores import NewestRanks
from shoal.model.document import Understood
from shoal.model.link import LinkSource
from shoal.model.outcome import Outcome
from shoal.model.record import changed, unpack
from shoal.model.urls.params import ParamRules
from shoal.model.visit import Fetched, Keep, Visit, VisitKind
from shoal.naming.names import marker
from shoal.store.archive import ArchiveWriter
from shoal.understand.cage.cage import Places
from shoal.understand.memory import give_memory_back
from shoal.worker import listings, starter
from shoal.worker.child_config import ChildConfig
from shoal.worker.page_marks import PageMarks

if TYPE_CHECKING:
    from shoal.worker.topical import TopicReader

_BIG_BYTES = 4_000_000
"""Decoded: the tree of such a page takes so much memory that it is given back at once."""
_MANY_LISTED = 10_000
"""So does a sitemap with so many entries."""


class Worker:
    def __init__(self, config: ChildConfig) -> None:
        by_rank = config.graph_directory and config.priority.order == "priority"
        self._ranks = NewestRanks(Path(config.graph_directory)) if by_rank else None
        self._topics = _topics(config)
        settings = ReaderSettings(
            scope=CrawlScope(config.scope),
            prioritizer=FixedPriority(config.priority, self._ranks.page if self._ranks else None),
            product_token=config.product_token,
            params=ParamRules.from_names(config.strip, config.keep),
            limits=config.limits,
            keep_blocks=config.blocks,
            ocr=config.ocr,
            cleaner=None if config.content == "none" else cleaner_for(config.content),
            prints=fingerprint if config.prints else None,
            names=marker() if config.names else None,
            requisites=_requisites(config),
            weigh=_weigh(config.priority) if self._topics is None else self._topics.weigh,
        )
        self._anywhere = anywhere(config.scope) if config.feeds_anywhere else None
        self._limits = config.limits
        self._reader = Reader(settings)
        self._links = LinkMaker(settings.scope, settings.prioritizer, settings.params)
        self._archive = ArchiveWriter(
            Path(config.warc_directory), config.warc_max_bytes, config.software
        )
        self._marks = (
            PageMarks(Path(config.classes_directory)) if config.classes_directory else None
        )
        self.places = _places(config)
        if self._marks is not None:
            self.places.reads.append(self._marks.folder)
            _make_folder(self._marks.folder)

    def __call__(self, visit: Visit, fetched: Fetched, archive_only: bool) -> Understood:
        if self._ranks is not None:
            self._ranks.refresh()
        understood = Understood() if archive_only else self._read(visit, fetched)
        if visit.keep is Keep.NONE:
            for document in understood.documents:
                document.text = b""
        if archive_only:
            visit.seen_digest = ""  # whether it is the same is for a reader to say: kept whole
        if visit.keep is Keep.RAW:
            digest = understood.documents[0].body_digest if understood.documents else ""
            response, request = self._archive.write(visit, fetched, digest)
            understood = changed(understood, response=response, request=request)
            faults.point("archive.written")
        decoded_bytes = max((each.decoded_bytes for each in understood.documents), default=0)
        if decoded_bytes > _BIG_BYTES or len(understood.listed) > _MANY_LISTED:
            give_memory_back()
        return understood

    def _read(self, visit: Visit, fetched: Fetched) -> Understood:
        has_moved = fetched.outcome is Outcome.REDIRECT
        if visit.kind in listings.KINDS and not has_moved:
            found = listings.name(visit, fetched, self._links, self._limits)
        else:
            if self._topics is not None:
                self._topics.refresh()
            found = self._reader.read(visit, fetched)
            if self._topics is not None:
                self._topics.mark(found.documents)
            if self._marks is not None:
                self._marks.add_to(found.documents, visit.url)
        if visit.source is LinkSource.NAMED_FEED and (has_moved or visit.kind is VisitKind.FEED):
            self._take_from_anywhere(found)
        return found

    def _take_from_anywhere(self, found: Understood) -> None:
        """What a feed that a person named leads to is wanted wherever it is; other rules hold."""
        for link in (*found.links, *(each.link for each in found.listed)):
            link.source = LinkSource.NAMED_FEED
            if link.excluded and self._anywhere is not None:
                link.excluded = self._anywhere.refuses(link.url)

    def close(self) -> None:
        self._archive.close()


def _requisites(config: ChildConfig) -> RequisiteLinks | None:
    if not config.requisites:
        return None
    scope, priority = for_requisites(config.scope), FixedPriority(config.priority)
    params = ParamRules.from_names(config.strip, config.keep)
    return RequisiteLinks(LinkMaker(scope, priority, params), config.requisites)


def _weigh(settings: PrioritySettings) -> Weigh | None:
    if settings.order != "importance":
        return None
    scorer = QueryLikeness(settings.words) if settings.words else None
    return Weigher(parse_rules(settings.rules), scorer).weigh


def _topics(config: ChildConfig) -> "TopicReader | None":
    order = config.priority
    if not order.topic:
        return None
    from shoal.worker.topical import TopicReader  # noqa: PLC0415 - numpy

    rules = parse_rules(order.rules)
    return TopicReader(Path(config.topics_directory), order.topic, rules, drops=order.drops)


def _places(config: ChildConfig) -> Places:
    """The folders are made now: what is not there can't be opened to a process later."""
    places = Places()
    if config.warc_directory:
        places.appends.append(Path(config.warc_directory))
    if config.graph_directory and config.priority.order == "priority":
        places.reads.append(Path(config.graph_directory))
    if config.priority.topic:
        places.reads.append(Path(config.topics_directory))
    for folder in (*places.appends, *places.reads):
        _make_folder(folder)
    wanted = (libreoffice.program(), shutil.which(bsdtar.PROGRAM))
    allowed = [*wanted, shutil.which(ocr.PROGRAM) if config.ocr else None]
    if any(allowed) and not programs.is_used():
        places.own.append(starter.start([path for path in allowed if path]))
    return places


def _make_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # who writes there says it better
        folder.mkdir(parents=True, exist_ok=True)


def make(config: bytes) -> Worker:
    return Worker(unpack(ChildConfig, config))
