"""What does a mail say of itself, what is attached to it, and which mails are of its thread?

All of it for who asks: attachments and mails that they may not read are not there, and a folder is
named to whoever may read the mail in it. The thread is looked up in the index; a mail that waits
for it is in no thread yet but its own.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from shoal.collection import questions as asked
from shoal.collection.page import Page
from shoal.errors import CollectionError
from shoal.model import mail_words
from shoal.model.record import Struct
from shoal.model.urls.file_url import shown_name

if TYPE_CHECKING:
    from shoal.collection.collection import Collection

MOST_OF_A_THREAD = 300
MOST_ATTACHMENTS = 200
_AT_ONCE = 100
MEDIA_TYPES = ("message/rfc822", "application/vnd.ms-outlook")


class Attachment(Struct):
    url: str
    name: str
    media_type: str


class ThreadLine(Struct):
    """One mail of a thread."""

    url: str
    subject: str
    sender: str
    date: str


class Mail(Struct):
    """A mail, as who asks may see it."""

    url: str
    subject: str
    sender: str
    to: str
    """With the names of its groups and newsgroups."""
    cc: str
    date: str
    """ISO 8601; when it was written, or else received."""
    message_id: str
    folders: list[str]
    """Or labels, in which it stands."""
    attachments: list[Attachment]
    thread: list[ThreadLine]
    """All mails of its thread, itself among them, the oldest first."""
    has_more: bool = False
    """Whether the thread is longer than is shown."""


def is_mail(page: Page) -> bool:
    """What is attached to a mail has its fields, and is none."""
    has_fields = any(name == mail_words.FROM for name, _ in page.document.fields)
    return has_fields and page.document.media_type in MEDIA_TYPES


def mail_of(collection: "Collection", url: str) -> Mail | None:
    """None: there is no such mail, for who asks."""
    page = collection.page(url)
    if page is None or not is_mail(page):
        return None
    said = dict(page.document.fields)
    cc = said.get(mail_words.CC, "")
    lines, has_more = _thread(collection, page, said.get(mail_words.THREAD, ""))
    return Mail(
        url=page.url,
        subject=page.title,
        sender=said.get(mail_words.FROM, ""),
        to=_without(said.get(mail_words.TO, ""), cc),
        cc=cc,
        date=page.document.published,
        message_id=said.get(mail_words.MESSAGE_ID, ""),
        folders=collection.ask(page.url, asked.mail_folders),
        attachments=list(_attachments(collection, page)),
        thread=lines,
        has_more=has_more,
    )


def _without(to: str, cc: str) -> str:
    """All addressees stand together, so that they are found by one word."""
    if not cc or cc not in to:
        return to
    before, _, after = to.partition(cc)
    return ", ".join(filter(None, (before.rstrip(", "), after.lstrip(", "))))


def _attachments(collection: "Collection", mail: Page) -> Iterator[Attachment]:
    for each in collection.ask(mail.url, asked.inside, MOST_ATTACHMENTS):
        page = Page(collection, each.stored)
        document = page.document
        name = shown_name(page.url) or document.title
        yield Attachment(page.url, name, document.media_type)


def _thread(collection: "Collection", mail: Page, thread: str) -> tuple[list[ThreadLine], bool]:
    found: dict[str, ThreadLine] = {mail.url: _line(mail)}
    has_more = False
    for page in _found(collection, thread):
        if len(found) >= MOST_OF_A_THREAD:
            has_more = True
            break
        found.setdefault(page.url, _line(page))
    return sorted(found.values(), key=lambda each: (_moment(each.date), each.url)), has_more


def _found(collection: "Collection", thread: str) -> Iterator[Page]:
    if not thread or '"' in thread:  # which can't be said in a query
        return
    number, has_more = 0, True
    while has_more and number * _AT_ONCE <= MOST_OF_A_THREAD:
        number += 1
        try:
            query = f'thread:"{thread}"'
            results = collection.search(query, limit=_AT_ONCE, page=number, site_limit=0)
        except CollectionError:  # there is no index yet
            return
        for result in results:
            page = collection.page(result.url) if result.media_type in MEDIA_TYPES else None
            if page is not None and is_mail(page):
                yield page
        has_more = results.has_more


def _moment(date: str) -> float:
    """Each mail names the time of day where it was written."""
    try:
        return datetime.fromisoformat(date).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def _line(page: Page) -> ThreadLine:
    sender = next((value for name, value in page.document.fields if name == mail_words.FROM), "")
    return ThreadLine(page.url, page.title, sender, page.document.published)
