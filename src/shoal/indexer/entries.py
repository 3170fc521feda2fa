"""What is a stored page found by? Its entry for the index, made out of the table.

None for what is not to be found: gone, moved, noindex, duplicates, without text. The same function
says what the index should hold and what it is compared with, so the two can't drift apart.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import islice

from shoal.frontier.state.rows import UrlRow
from shoal.frontier.state.view import FrontierView
from shoal.layout.duplicates import groups
from shoal.model.compression import unzstd
from shoal.model.content import KEPT
from shoal.model.document import Document, Fate
from shoal.model.entry import Entry
from shoal.model.link import Anchor, Rel
from shoal.model.mail_words import marks_of as mail_marks_of
from shoal.model.outcome import State
from shoal.model.principal import OWNER
from shoal.model.urls.rowkey import holder_of, url_of
from shoal.model.urls.url import site_of
from shoal.model.words.marks import COMPUTED, facet_values, marks_of
from shoal.ports import Table
from shoal.store.pages import PageStore, StoredPage

_TO_INDEX = (Fate.WAITING, Fate.INDEXED)
_THERE = (State.FETCHED, State.UNCHANGED, State.QUEUED, State.FAILED)
"""A page that is due again, or did not answer this time, is still the page that we have."""
_NOT_OURS = int(Rel.NOFOLLOW | Rel.UGC | Rel.SPONSORED)
_MOST_ANCHORS = 2_000
"""Of one page, that are looked at; the first by their sources' rows."""
_MOST_TEXTS = 64
"""Different ones that are indexed: those that most sites use."""
_MOST_COPIES = 100
"""Near-duplicates whose anchors are credited to the page that stands for them."""
_MOST_MARKS = 64
_DATE_CHARS = 64
_JUST_NOW_SECONDS = 3600.0


class Entries:
    def __init__(self, table: Table, store: PageStore) -> None:
        self._store = store
        self._frontier = FrontierView(table)
        self._groups = groups(table, store)

    def of(self, row: bytes) -> Entry | None:
        """The entry of a row, or None when the index must not hold it."""
        page, known = self._store.whole(row, OWNER), self._frontier.url(holder_of(row))
        if page is None or not _is_to_index(page.document, known):
            return None
        document, url = page.document, url_of(row)
        content, rest = _text(document)
        marks = dict(islice(self._store.marks(row, OWNER).items(), _MOST_MARKS))
        return Entry(
            row=row,
            url=url,
            site=site_of(url).host_label,
            title=document.title,
            headings=document.headings,
            bold=document.bold,
            content=content,
            rest=rest,
            anchors=self._anchors(row, document.readers),
            language=document.language,
            media_type=document.media_type,
            source="" if known is None else str(known.source),
            marks=[
                *(mark for name, value in marks.items() for mark in marks_of(name, value)),
                *mail_marks_of(document.fields),
            ],
            readers=document.readers,
            fetched=page.when,
            published=unix(document.published) or unix(document.modified) or _last_modified(page),
            is_member=bool(document.name),
            facets=[
                (name, value)
                for name in COMPUTED
                if name in marks
                for value in facet_values(name, marks[name])
            ],
        )

    def was_visited_before(self, row: bytes) -> bool:
        return sum(1 for _ in islice(self._store.history(holder_of(row), OWNER), 2)) > 1

    def stands_for(self, row: bytes) -> bytes:
        """The row that is found in place of this one."""
        return self._groups.representative_of(row) or row

    def _anchors(self, row: bytes, readers: Sequence[str]) -> list[tuple[str, int]]:
        """What other pages call it, each text with the number of sites that do, the most first.
        Nobody finds a page by what only others may read of it."""
        sources: dict[str, set[bytes]] = {}
        for each in (row, *self._copies(row)):
            said = self._store.said_of(each)
            known = (who for who in said if _may_be_known(who[1], readers))
            for source, anchor in islice(known, _MOST_ANCHORS):
                if anchor.text and not anchor.rel & _NOT_OURS:
                    site = source.partition(b"/")[0]
                    for text in anchor.texts:
                        sources.setdefault(text, set()).add(site)
        most = sorted(sources.items(), key=lambda each: (-len(each[1]), each[0]))
        return [(text, len(sites)) for text, sites in most[:_MOST_TEXTS]]

    def _copies(self, row: bytes) -> Iterable[bytes]:
        group = self._groups.group_of(row)
        if group is None:
            return ()
        return islice((each for each in self._groups.members(group) if each != row), _MOST_COPIES)


def _may_be_known(anchor: Anchor, readers: Sequence[str]) -> bool:
    """Whether all who may read a page may read one that links to it."""
    who = anchor.readers
    return not who or (bool(readers) and {*readers} <= {*who})


def _is_to_index(document: Document, known: UrlRow | None) -> bool:
    if document.fate not in _TO_INDEX or document.rules.noindex or not document.text_chars:
        return False
    return known is None or known.state in _THERE or known.is_kept


def _text(document: Document) -> tuple[str, str]:
    """The content, and what stands around it; all of it where nothing is content."""
    text = unzstd(document.text).decode() if document.text else ""
    if not document.line_scores:
        return text, ""
    kept: list[str] = []
    rest: list[str] = []
    for line, shade in zip(text.split("\n"), document.line_scores, strict=False):
        (kept if shade >= KEPT else rest).append(line)
    return ("\n".join(kept), "\n".join(rest)) if kept else (text, "")


def _last_modified(page: StoredPage) -> float:
    """As the server says, unless it only says that it made the page just now."""
    sent = next((value for name, value in page.fetch.headers if name == "last-modified"), "")
    try:
        when = parsedate_to_datetime(sent[:_DATE_CHARS]).timestamp() if sent else 0.0
    except (ValueError, OverflowError):
        return 0.0
    return when if 0 < when < page.when - _JUST_NOW_SECONDS else 0.0


def unix(iso: str) -> float:
    """Seconds of a date as pages write it; 0 when it is none, or before the web's own time."""
    try:
        when = datetime.fromisoformat(iso.strip()) if iso else None
    except ValueError:
        return 0.0
    if when is None:
        return 0.0
    return max(0.0, (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())
