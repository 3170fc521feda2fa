"""How is one stored page shown? As a summary, or as one of its parts; as JSON, or for people."""

from shoal.cli.terminal import screen
from shoal.cli.terminal.wording import count, one_line, size
from shoal.collection.collection import Collection
from shoal.collection.export.lines import page_line, visit_lines
from shoal.collection.mail import MOST_OF_A_THREAD, Mail, is_mail
from shoal.collection.page import Page
from shoal.collection.report.marks_told import as_json, mark_facts
from shoal.collection.report.sitemap_metadata import metadata_facts
from shoal.errors import CollectionError, UsageError

_SHOWN_CHARACTERS = 600
_MAILS_SHOWN = 20
_OWN = ("file:", "mail:")


def show(collection: Collection, url: str, part: str, when: float | None, *, json: bool) -> None:
    match part:
        case "history":
            _history(collection, url, json=json)
        case "anchors":
            _pairs(collection.anchors(url), ("from", "text"), json=json)
        case "links":
            stored(collection, url, when)
            _pairs(collection.links(url), ("to", "text"), json=json)
        case "mail":
            _mail(collection, url, json=json)
        case "marks":
            _marks(stored(collection, url, when), json=json)
        case "html" | "markdown":
            _copy(stored(collection, url, when), part, json=json)
        case _:
            page = stored(collection, url, when)
            mail = collection.mail(page.url) if part == "summary" and is_mail(page) else None
            _page(page, part, mail, json=json)


def stored(collection: Collection, url: str, when: float | None = None) -> Page:
    page = collection.page(url, when)
    if page is not None:
        return page
    name = collection.canonical(url)
    if when is not None and (first := collection.page(url)) is not None:
        raise CollectionError(
            f"No copy of {name} is as old as that; the current one is of {first.fetched}."
        )
    raise CollectionError(f"{name} is not stored; `shoal explain {name}` says why.")


def _require_kept(page: Page, part: str) -> None:
    """An empty body and one that was not kept are two things; the setting `crawl.keep` decides."""
    if (
        part in ("raw", "html", "markdown")
        and page.stored.fetch.payload is None
        and page.document.decoded_bytes
        and not page.body
    ):
        if page.url.startswith(_OWN):
            raise CollectionError(
                f"{page.url} is not kept here, and can't be had where it stands as it was read; "
                "its text is: --text"
            )
        raise CollectionError(
            f"The body of {page.url} was not kept (see the setting crawl.keep), or was lost with "
            "its archive file and will be fetched again."
        )
    if part in ("text", "whole") and page.document.text_chars and not page.whole_text:
        raise CollectionError(f"The text of {page.url} was not kept (see the setting crawl.keep).")


def _text(url: str, text: str, *, json: bool) -> None:
    if json:
        screen.json({"url": url, "text": text})
    elif screen.is_terminal():
        screen.say(text)
    else:
        screen.data(text.encode() + b"\n")


def _page(page: Page, part: str, mail: Mail | None, *, json: bool) -> None:
    _require_kept(page, part)
    match part:
        case "raw" if json:
            screen.json({"url": page.url, "body": page.body})
        case "raw" if screen.is_terminal():
            screen.say(_readable(page))
        case "raw":
            screen.data(page.body)
        case "text" | "whole":
            _text(page.url, page.text if part == "text" else page.whole_text, json=json)
        case "headers" if json:
            screen.json({"url": page.url, "status": page.status, "headers": page.headers})
        case "headers":
            screen.say(f"status {page.status}")
            for name, value in page.headers:
                screen.say(f"{name}: {value}")
        case _ if json:
            screen.json(page_line(page))
        case _:
            _summary(page, mail)


def _marks(page: Page, *, json: bool) -> None:
    found = page.collection.marks(page.url)
    if json:
        screen.json({"url": page.url, "marks": as_json(found)})
        return
    for name, value in mark_facts(found):
        screen.say(f"{name:<12}{one_line(value, 300)}")
    if not found:
        screen.remark("It has no marks.")


def _copy(page: Page, part: str, *, json: bool) -> None:
    _require_kept(page, part)
    found = page.converted()
    if not found.blocks and found.problem:
        raise CollectionError(f"{page.url} can't be shown: {found.problem}")
    copy = found.html if part == "html" else found.markdown
    if json:
        screen.json({"url": page.url, part: copy})
    else:
        screen.data(copy.encode())


def _readable(page: Page) -> str:
    """A body on a terminal is text, without what the terminal would obey; or it is refused."""
    body = page.body
    if b"\x00" in body:
        kind = page.document.media_type or "data"
        raise UsageError(f"{page.url} is {kind}, no text for a terminal; send --raw into a file")
    try:
        return body.decode(page.document.charset or "utf-8", "replace")
    except LookupError:  # a label of the web that Python does not know
        return body.decode("utf-8", "replace")


def _summary(page: Page, mail: Mail | None) -> None:
    document, collection = page.document, page.collection
    links, linking = (
        {url for url, _ in pairs}
        for pairs in (collection.links(page.url), collection.anchors(page.url))
    )
    versions = sum(1 for _, visit in collection.history(page.url) if visit.status)
    facts = {
        "title": document.title,
        "fetched": f"{page.fetched}, status {page.status} ({count(versions, 'visit')} remembered)",
        "content": f"{document.media_type or 'unknown'}, {size(document.decoded_bytes)}"
        + (f", {document.charset} (by {document.charset_from})" if document.charset else ""),
        "language": document.language
        + (" (detected)" if document.language_from == "detector" else ""),
        "author": document.author,
        "published": document.published,
        "description": document.description,
        "canonical": document.canonical if document.canonical != page.url else "",
        "fate": ": ".join(filter(None, (page.fate, document.problem))),
        "duplicate": f"duplicate of {page.duplicate_of}" if page.duplicate_of else "",
        "stands for": _others(page),
        "same text": f"as {document.same_text_as}" if document.same_text_as else "",
        "links": f"{len(links):,} on it, {count(len(linking), 'page links', 'pages link')} here",
    }
    screen.say(page.url, strong=True)
    for name, value in facts.items():
        if value:
            screen.say(f"  {name:<12}{one_line(value, 300)}")
    for name, value in metadata_facts(page.told):
        screen.say(f"  {name:<12}{one_line(value, 300)}")
    _mail_lines(mail)
    beginning = one_line(page.text, _SHOWN_CHARACTERS)
    if beginning:
        screen.say()
        screen.say(beginning)


def _mail(collection: Collection, url: str, *, json: bool) -> None:
    found = collection.mail(url)
    if found is None:
        stored(collection, url)
        raise UsageError(f"{collection.canonical(url)} is no mail")
    if json:
        screen.json(found)
        return
    screen.say(found.subject or found.url, strong=True)
    _mail_lines(found, MOST_OF_A_THREAD)


def _mail_lines(mail: Mail | None, mails_shown: int = _MAILS_SHOWN) -> None:
    if mail is None:
        return
    facts = {
        "from": mail.sender,
        "to": mail.to,
        "cc": mail.cc,
        "date": mail.date,
        "folders": ", ".join(mail.folders),
        "message-id": mail.message_id,
    }
    for name, value in facts.items():
        if value:
            screen.say(f"  {name:<12}{one_line(value, 300)}")
    for each in mail.attachments:
        kind = each.media_type or "unknown"
        screen.say(f"  {'attached':<12}{one_line(each.name, 200)} ({kind})")
        screen.say(f"  {'':<12}{each.url}")
    if len(mail.thread) < 2:
        return
    more = " and more" if mail.has_more else ""
    screen.say(f"  {'thread':<12}{count(len(mail.thread), 'mail')}{more}, the oldest first:")
    for line in mail.thread[:mails_shown]:
        mark = "→" if line.url == mail.url else " "
        said = f"{line.date[:16]:<16}  {one_line(line.sender, 40)}: {one_line(line.subject, 80)}"
        screen.say(f"  {'':<10}{mark} {said}")
        screen.say(f"  {'':<12}{line.url}")
    if len(mail.thread) > mails_shown:
        screen.say(f"  {'':<12}… {len(mail.thread) - mails_shown:,} more: --mail")


def _history(collection: Collection, url: str, *, json: bool) -> None:
    lines = visit_lines(collection, url)
    if not lines:
        name = collection.canonical(url)
        raise CollectionError(f"{name} was never visited; `shoal explain {name}` says why.")
    if json:
        screen.json(lines)
        return
    screen.table(
        ["when", "outcome", "status", "change", "seconds", "address", "note"],
        (
            [
                line.when,
                line.outcome,
                str(line.status or ""),
                line.change,
                f"{line.seconds:.2f}",
                line.address,
                line.location or line.note or ("cut at the size limit" if line.cut else ""),
            ]
            for line in lines
        ),
        numbers=["status", "seconds"],
    )


def _pairs(pairs: list[tuple[str, str]], names: tuple[str, str], *, json: bool) -> None:
    if json:
        screen.json([dict(zip(names, pair, strict=True)) for pair in pairs])
    else:
        screen.stream(f"{address}\t{one_line(text)}\n".encode() for address, text in pairs)


def _others(page: Page) -> str:
    others = [] if page.duplicate_of else page.collection.duplicates(page.url)
    pages = count(len(others), "page that says", "pages that say")
    return f"{pages} nearly the same, such as {others[0]}" if others else ""
