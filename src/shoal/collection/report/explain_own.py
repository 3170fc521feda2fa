"""Why is a file or a mail of one's own found, or not? Which source it is of, when it was read and
for whom, or when it went, or what leaves it out.

For the owner, who may know what there is. The disk is asked, and no file is opened.
"""

import os
from dataclasses import dataclass, field

from shoal.clock import iso
from shoal.collection import own_mail
from shoal.collection.page import Page
from shoal.collection.view import TabletView
from shoal.layout.following import read_following
from shoal.layout.index_state import fate_of
from shoal.layout.sources import disk_settings, rows
from shoal.model.document import Fate
from shoal.model.link import LinkSource
from shoal.model.mail_words import FOLDER
from shoal.model.outcome import Outcome
from shoal.model.source import FOLDER as FOLDER_KIND
from shoal.model.source import SourceRow, shown
from shoal.model.urls.file_url import path_of_file_url
from shoal.model.urls.rowkey import holder_of
from shoal.sources.disk.left_out import why_left_out
from shoal.sources.disk.listing import TOO_LARGE

_REMOVED = "removed without a visit"
"""The note of what went with its source."""


@dataclass
class OwnStory:
    verdict: str
    lines: list[tuple[str, str]] = field(default_factory=list)
    """Topic, and what there is to say."""


def own_story(view: TabletView, url: str) -> OwnStory | None:
    """None: no source has to do with it."""
    if not url.startswith(("file:///", "mail://")):
        return None
    source = _source_of(view, url)
    page = view.page(url)
    if page is not None and _is_brought(view, url):
        return _kept(view, page, source)
    if page is None and (went := _went(view, url)):
        return _gone(view, url, source, went)
    if page is None and source is not None and view.frontier.url(view.row(url)) is None:
        verdict = _not_read(view, url, source)
        return OwnStory(verdict, [("source", _of(view, source))])
    return None


def _is_brought(view: TabletView, url: str) -> bool:
    """By a source; a crawl takes files, too."""
    known = view.frontier.url(holder_of(view.row(url)))
    return url.startswith("mail://") or (known is not None and known.source is LinkSource.INJECT)


def _kept(view: TabletView, page: Page, source: SourceRow | None) -> OwnStory:
    document = page.document
    fate = fate_of(document.fate, page.stored.row, view.holds)
    lines = [("source", _of(view, source)), ("read", f"{iso(page.stored.when)}, as text alone.")]
    readers = page.document.readers
    lines.append(("readers", f"{', '.join(readers)}." if readers else "Everyone."))
    folders = [value for name, value in page.document.fields if name == FOLDER]
    if folders:
        lines.append(("folders", f"{', '.join(sorted(folders))}."))
    match fate:
        case Fate.INDEXED:
            return OwnStory("It was read from where it stands, and it is found.", lines)
        case Fate.WAITING:
            return OwnStory("It was read from where it stands, and waits for the index.", lines)
        case Fate.EMPTY:
            return OwnStory("It is not found: it has no text.", lines)
        case Fate.DUPLICATE:
            return OwnStory("It is not found: what it is a duplicate of is.", lines)
        case _:
            why = document.problem.rstrip(".") or fate or "it is not there any more"
            return OwnStory(f"It is not found: {why}.", lines)


def _gone(view: TabletView, url: str, source: SourceRow | None, went: float) -> OwnStory:
    lines = [("source", _of(view, source)), ("gone", f"{iso(went)}: taken out of the collection.")]
    read = [when for when, visit in view.history(url) if visit.outcome is Outcome.OK]
    if read:
        lines.append(("read", f"Last on {iso(read[0])}."))
    if source is None:
        verdict = f"It was of a source that was forgotten; it went on {iso(went)}."
    elif why := _why_not(view, url, source):
        verdict = f"It was read once, and went on {iso(went)}: {why}."
    else:
        where = "its mailbox" if url.startswith("mail:") else "its folder"
        verdict = f"It went on {iso(went)}: it was deleted or moved, and is not in {where} now."
    return OwnStory(verdict, lines)


def _not_read(view: TabletView, url: str, source: SourceRow) -> str:
    if source.kind != FOLDER_KIND:
        return "No such mail was read from its mailbox."
    why = _why_not(view, url, source)
    if why:
        return f"It was not read: {why}."
    if closed := _closed_above(path_of_file_url(url)):
        return f"It was not read: you may not read the folder {shown(closed)}."
    if not os.path.lexists(path_of_file_url(url)):
        return "There is no such file in this folder."
    if not os.access(path_of_file_url(url), os.R_OK):
        return "It was not read: it may not be read."
    return "It was not read yet: it is by the next look at its source."


def _why_not(view: TabletView, url: str, source: SourceRow) -> str:
    """What leaves it out now; empty where nothing does, or it is not there."""
    if source.kind != FOLDER_KIND:
        return ""
    path = path_of_file_url(url)
    found = why_left_out(source.name, disk_settings(view.config, view.layout), path)
    if found is None:
        return ""
    reason = found.reason
    if reason == TOO_LARGE:
        reason += f", {view.config.files.max_size:,} bytes"
    what = "it" if found.path == path else f"the folder {shown(found.path)}"
    by = f" {found.pattern}" if found.pattern else ""
    return f"{what} is left out: {reason}{by}"


def _closed_above(path: bytes) -> bytes:
    """The first folder on the way to it that who asks may not enter; empty: there is none."""
    parts = path.split(b"/")[:-1]
    ways = (b"/".join(parts[:number]) or b"/" for number in range(1, len(parts) + 1))
    closed = (way for way in ways if os.path.isdir(way) and not os.access(way, os.X_OK))  # noqa: PTH112 - bytes
    return next(closed, b"")


def _of(view: TabletView, source: SourceRow | None) -> str:
    if source is None:
        return "None that is read now."
    following = read_following(view.layout)
    name = shown(source.name)
    followed = following is not None and any(each.name == name for each in following.sources)
    kind = "the folder" if source.kind == FOLDER_KIND else "the mailbox"
    says = f"It is of {kind} {name}, added {iso(source.added)}"
    problem = f"; {source.problem.rstrip('.')}" if source.problem else ""
    return f"{says}, {'followed now' if followed else 'not followed now'}{problem}."


def _source_of(view: TabletView, url: str) -> SourceRow | None:
    """The nearest one."""
    if url.startswith("mail://"):
        return next(own_mail.sources_of(view.table, own_mail.account_in(url)), None)
    path = path_of_file_url(url)
    above = (each for each in rows(view.table) if each.kind == FOLDER_KIND)
    held = [each for each in above if (path + b"/").startswith(each.name.rstrip(b"/") + b"/")]
    return max(held, key=lambda each: len(each.name), default=None)


def _went(view: TabletView, url: str) -> float:
    """When its source told that it is gone; 0: it did not."""
    history = view.history(url)
    return history[0][0] if history and history[0][1].note == _REMOVED else 0.0
