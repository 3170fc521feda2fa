"""Why was this URL taken, or not? Its whole story, in the order in which it happened.

How it was discovered → the rule that admits or refuses it → the robots line → the visits →
redirect, canonical → what was taken from it → indexed or not, next due. Each line is a sentence
that a person can act on.
"""

import time
from collections.abc import Iterator

from shoal.clock import iso
from shoal.collection.questions import sketch_of
from shoal.collection.report.explain_changes import history_lines
from shoal.collection.report.explain_own import own_story
from shoal.collection.report.judging import Judgement, in_words, judgements
from shoal.collection.report.marks_told import computed_lines
from shoal.collection.report.signals_of_use import signal_lines
from shoal.collection.report.sitemap_metadata import metadata_lines
from shoal.collection.view import Page, TabletView
from shoal.duplicates.near.sketch import resemblance
from shoal.focus.rules import load_rules
from shoal.focus.scope import CrawlScope
from shoal.frontier.schedule.credit import behind_in_words
from shoal.frontier.sources.robots_cache import refusal
from shoal.frontier.state.rows import BY_ANSWER, REVISIT, Robots, UrlRow
from shoal.frontier.state.view import SiteView
from shoal.frontier.state.worth import sites_of
from shoal.layout.crawl_row import scope_settings
from shoal.layout.duplicates import duplicates
from shoal.layout.index_state import fate_of
from shoal.layout.order import importance_of
from shoal.layout.ranks import Ranks
from shoal.model.change_history import Change
from shoal.model.document import Fate
from shoal.model.link import LinkSource
from shoal.model.outcome import Outcome, State
from shoal.model.record import Struct
from shoal.model.robots.patterns import path_of
from shoal.model.urls.rowkey import site_of_key, url_of
from shoal.model.urls.url import canonical
from shoal.model.visit import Visit, VisitKind
from shoal.store.rows import VisitRow

_FOUND = {
    LinkSource.SEED: "It is a seed",
    LinkSource.SUBMIT: "A person submitted it",
    LinkSource.INJECT: "It was brought in without a fetch",
    LinkSource.GUESS: "Sitemaps usually stand there, and the site's robots.txt names none",
}
_THROUGH = {
    LinkSource.REDIRECT: "a redirect of",
    LinkSource.NAMED_FEED: "a feed that a person named,",
    LinkSource.REQUISITE: "what a page needs to look as it did, named by",
}
_HTML = ("text/html", "application/xhtml+xml")
_NEEDS_SCRIPTS = (
    "It makes its text by scripts, which are not run; look for its feed or its sitemap, or save it "
    "in a browser and crawl the file."
)
_NEEDS_LOGIN = (
    "The server wants a login, and none is sent; save the page in a browser and crawl the file, or "
    "leave it out (--exclude)."
)
_SOURCE = "It is a {}: what it names was taken, and it is no page."
_NEEDED = "It is a picture, style or script of a page: it is archived, and it is no page."


class Line(Struct):
    topic: str
    says: str


class Explanation(Struct):
    url: str
    verdict: str
    """The answer in one sentence."""
    lines: list[Line]
    topics: list[Judgement] = []
    """What each topic says of it, if it is stored."""


def explain(collection: TabletView, asked: str, roots: list[str]) -> Explanation:
    if not collection.principal.everything:
        return _explain_what_is_read(collection, asked)
    row = collection.row(asked)
    own = own_story(collection, url_of(row))
    if own is not None:
        lines = [Line(topic, says) for topic, says in own.lines]
        return Explanation(url_of(row), own.verdict, [*lines, *_content(collection, asked)])
    # Of a document inside another one the mark is a part of its name; of a page it is none.
    is_inside = row != collection.row(collection.canonical(asked))
    url = asked if is_inside else collection.canonical(asked)
    known = collection.frontier.url(row)
    stored_url = url_of(row)
    lines = []
    if stored_url != asked:
        lines.append(Line("address", f"It stands for {stored_url}."))
    container = url_of(collection.row(url.partition("#")[0])) if is_inside else ""
    within = f"Inside {container}, which is asked for in its place" if container else ""
    lines.append(Line("discovered", _discovered(known, within)))
    lines.append(Line("scope", _scope(collection, stored_url, roots, known)))
    site = collection.frontier.site(site_of_key(row))
    lines.append(Line("robots", _robots(collection, row, stored_url, site)))
    history = collection.history(url)
    lines += [Line("visit", _visit(when, visit)) for when, visit in history]
    lines += _content(collection, url)
    if known is not None and known.category == Outcome.UNAUTHORIZED:
        lines.append(Line("login", _NEEDS_LOGIN))
    if known is not None:
        lines += [Line("changes", each) for each in history_lines(known)]
    lines += [Line("sitemap", each) for each in metadata_lines(collection.told(url))]
    judged = judgements(collection, row)
    lines += [Line("topic", in_words(each)) for each in judged]
    lines += [Line("value", each) for each in _value(collection, row, known)]
    lines.append(Line("next", _next(known, site)))
    refused = _refused_target(collection, known, history, roots)
    reason = "" if known is None else fate_of(known.reason, row, collection.holds)
    verdict = _verdict(known, reason, history)
    return Explanation(stored_url, _sentence(verdict + refused), lines, judged)


def _explain_what_is_read(collection: TabletView, asked: str) -> Explanation:
    """For one who may not read everything: of a page that they may read its visits and its content;
    of any other what is told of one that nobody has seen. Who named it, and when its turn is, is of
    all pages."""
    url = collection.canonical(asked)
    row = collection.row(url)
    stored_url = url_of(row)
    lines = [Line("address", f"It stands for {stored_url}.")] if stored_url != asked else []
    if collection.page(url) is None:
        lines.append(Line("discovered", _discovered(None)))
        return Explanation(stored_url, _verdict(None, "", []), lines)
    known, history = collection.frontier.url(row), collection.history(url)
    lines += [Line("visit", _visit(when, visit)) for when, visit in history]
    lines += _content(collection, url)
    lines += [Line("sitemap", each) for each in metadata_lines(collection.told(url))]
    judged = judgements(collection, row)
    lines += [Line("topic", in_words(each)) for each in judged]
    reason = "" if known is None else fate_of(known.reason, row, collection.holds)
    verdict = _verdict(known, reason, history) if known is not None else "It is stored."
    return Explanation(stored_url, _sentence(verdict), lines, judged)


def _sentence(text: str) -> str:
    """With one full stop, also when a note of others brought its own."""
    return text.rstrip(".") + "."


def _refused_target(
    collection: TabletView,
    known: UrlRow | None,
    history: list[tuple[float, VisitRow]],
    roots: list[str],
) -> str:
    """A redirect out of the scope ends there; who asks about the page wants to know."""
    if known is None or known.state is not State.REDIRECT or not history:
        return ""
    target = canonical(history[0][1].location)
    if target is None:
        return ""
    found = collection.frontier.url(collection.store.find(target))
    if found is None:
        reason = _scope_of(collection, roots).refuses(target)
    else:
        reason = found.reason if found.state is State.EXCLUDED else ""
    return f", which was not taken: {reason}" if reason else ""


def _verdict(known: UrlRow | None, reason: str, history: list[tuple[float, VisitRow]]) -> str:
    if known is None:
        return "It has never been seen: no page that was read links to it."
    match known.state:
        case State.QUEUED:
            return (
                "It waits to be fetched." if known.tries == 0 else "It failed and is tried again."
            )
        case State.FETCHED if reason == Fate.INDEXED:
            return "It was fetched and is stored, and it is in the index."
        case State.FETCHED:
            return "It was fetched and is stored" + (f": {reason}." if reason else ".")
        case State.UNCHANGED:
            return "It is stored, and was unchanged at the last visit."
        case State.REDIRECT:
            where = history[0][1].location if history else ""
            return f"It redirects to {where}"
        case State.GONE:
            why = f"status {known.status}" if known.status else reason
            return "It is gone." if why in ("", "0") else f"It is gone ({why})."
        case State.SOURCE:
            return _NEEDED if known.kind is VisitKind.REQUISITE else _SOURCE.format(known.kind)
        case State.EXCLUDED:
            return f"It was not taken: {reason}."
    return f"It could not be fetched: {reason}."


def _discovered(known: UrlRow | None, within: str = "") -> str:
    if known is None:
        return "Never: no seed, link, redirect or submission has named it."
    when = iso(known.found_ms / 1000)
    if within or known.source in _FOUND:
        how = within or _FOUND[known.source]
    else:
        kind = _THROUGH.get(known.source, f"a {known.source} on")
        how = (
            f"Through {kind} {url_of(known.found_from)}"
            if known.found_from
            else f"As a {known.source}"
        )
    return f"{how}, {when}, at depth {known.depth}."


def _scope_of(collection: TabletView, roots: list[str]) -> CrawlScope:
    config = collection.config
    rules = load_rules(config.crawl.rules) if config.crawl.rules else ""
    return CrawlScope(scope_settings(config, rules, roots, time.time()))


def _scope(collection: TabletView, url: str, roots: list[str], known: UrlRow | None) -> str:
    if known is not None and known.state is State.EXCLUDED and known.category not in BY_ANSWER:
        return _sentence(f"Refused: {known.reason}")
    if known is not None:
        return "Admitted."
    refused = _scope_of(collection, roots).refuses(url)
    refused = refused or _learned(collection, url)
    return f"It would be refused: {refused}." if refused else "It would be admitted."


def _learned(collection: TabletView, url: str) -> str:
    """Why it would say nothing new, by what its site has taught."""
    row = collection.row(url)
    judge = duplicates(collection.table, collection.store, collection.config.dedupe)
    return judge.learned(Visit(url, row, site_of_key(row), is_first=True))


def _robots(collection: TabletView, row: bytes, url: str, site: SiteView | None) -> str:
    if not url.startswith(("http://", "https://")):
        return "Not asked for: robots.txt is for http and https."
    if site is None or site.row.robots is Robots.UNKNOWN:
        return "The site's robots.txt has not been asked for yet."
    if site.row.robots is Robots.UNREACHABLE:
        return "The site's robots.txt can't be had, so nothing is asked until it can."
    robots = collection.frontier.robots(site_of_key(row))
    if robots is None or site.row.robots is Robots.NONE:
        return "The site has no robots.txt: everything is allowed."
    refused = refusal(robots.rules, url)
    when = iso(robots.requested_ms / 1000)
    if refused:
        return f"Forbidden by {refused.removeprefix('robots: ')}, read {when}."
    verdict = robots.rules.verdict(path_of(url))
    by = f" by line {verdict.line} ({verdict.pattern})" if verdict.line else ""
    return f"Allowed{by}, read {when}."


def _visit(when: float, visit: VisitRow) -> str:
    says = f"{iso(when)}: {visit.outcome}"
    if visit.status:
        says += f", status {visit.status}"
    says += f", {visit.seconds:.2f} s from {visit.address}" if visit.address else ""
    if visit.outcome is Outcome.REDIRECT:
        says += f", to {visit.location}"
    if visit.cut:
        says += ", cut at the size limit"
    if visit.change is not Change.UNKNOWN:
        says += f", {visit.change} change" if visit.change is not Change.NONE else ", no change"
    return says + (f" ({visit.note.rstrip('.')})." if visit.note else ".")


def _content(collection: TabletView, url: str) -> list[Line]:
    page = collection.page(url)
    if page is None:
        return []
    document = page.document
    lines = [
        Line(
            "content",
            f"{document.media_type or 'nothing'}, {document.decoded_bytes:,} bytes, "
            f"{document.text_chars:,} characters of text"
            + (
                f", charset {document.charset} (by {document.charset_from})"
                if document.charset
                else ""
            )
            + (f"; {document.problem}" if document.problem else "")
            + ".",
        )
    ]
    if document.cleaned_by and document.text_chars:
        share = document.content_chars / document.text_chars
        kind = f" It calls itself {document.page_type}." if document.page_type else ""
        by = document.cleaned_by
        says = f"{share:.0%} of the text is content, the rest its frame (by {by}).{kind}"
        lines.append(Line("kept", says))
    if page.fate == Fate.EMPTY and document.media_type in _HTML and _has_scripts(page):
        lines.append(Line("scripts", _NEEDS_SCRIPTS))
    if document.canonical and document.canonical != page.url:
        lines.append(
            Line("canonical", f"The page names {document.canonical} as its canonical address.")
        )
    lines += [Line(topic, says) for topic, says in signal_lines(page)]
    lines += [Line(topic, f"{says}.") for topic, says in computed_lines(collection.marks(url))]
    lines += _duplicates(collection, page)
    fate = page.fate
    if fate not in tuple(Fate):
        return [*lines, Line("index", "It is not in the index: the page is not there any more.")]
    indexed: dict[str, str] = {
        Fate.INDEXED: "It is in the index.",
        Fate.WAITING: "It waits for the index.",
        Fate.NOINDEX: "It is not indexed: the page says noindex.",
        Fate.EMPTY: "It is not indexed: it has no text.",
        Fate.UNCONVERTIBLE: _sentence(f"It is not indexed: {document.problem}"),
        Fate.DROPPED: _sentence(f"It is not indexed: {document.problem}"),
        Fate.DUPLICATE: "It is not indexed: what it is a duplicate of is.",
        Fate.SOURCE: "It is not indexed: it names pages, and is none.",
    }
    lines.append(Line("index", indexed[fate]))
    return lines


def _has_scripts(page: Page) -> bool:
    return b"<script" in page.body.lower()


def _duplicates(collection: TabletView, page: Page) -> list[Line]:
    says = []
    if representative := page.duplicate_of:
        other = collection.page(representative)
        same = other is not None and other.document.body_digest == page.document.body_digest
        ours, theirs = sketch_of(collection, page.url), sketch_of(collection, representative)
        alike = resemblance(ours, theirs) if ours and theirs else 0.0
        how = " (the same bytes)" if same else f" ({alike:.0%} alike)" if alike else ""
        says.append(f"It is a duplicate of {representative}{how}.")
    if page.document.same_text_as:
        says.append(f"It has the same text as {page.document.same_text_as}, in another body.")
    others = [] if page.duplicate_of else collection.duplicates(page.url)
    if others:
        pages = "page that says" if len(others) == 1 else "pages that say"
        says.append(
            f"It stands for {len(others):,} other {pages} nearly the same, such as {others[0]}."
        )
    return [Line("duplicate", each) for each in says]


def _value(collection: TabletView, row: bytes, known: UrlRow | None) -> Iterator[str]:
    """In a crawl by importance."""
    wanted = importance_of(collection.config)
    if wanted is None or known is None or known.worth is None:
        return
    if known.worth.ruled:
        yield f"{known.worth.location:.3f}, as the rules say."
        return
    rank = Ranks(collection.layout.directory).rank_of([row])[0]
    parts = collection.frontier.parts(row, known, wanted, rank)
    if parts is None:
        return
    said = [("popularity", parts.popularity, wanted.popularity)]
    if wanted.words:
        said.insert(0, ("content", parts.content, wanted.content))
    said.append(("location", parts.location, wanted.location))
    made = ", ".join(f"{name} {value:.3f} × {weight:g}" for name, value, weight in said if weight)
    sites = sites_of(known.worth)
    links = f"links from {sites:,} {'site' if sites == 1 else 'sites'}" if sites else "no link yet"
    was = "" if known.waiting else "; when it was fetched it was " + f"{known.priority:.3f}"
    yield f"{parts.value:.3f} = ({made}) / the sum of the weights, by {links}{was}."


def _next(known: UrlRow | None, site: SiteView | None) -> str:
    if known is None or not known.waiting:
        return "No visit is planned."
    clock = site.clock if site is not None else None
    if clock is not None and clock.paused:
        return "It waits: its host is paused (shoal resume HOST)."
    ready_ms = max(known.due_ms, clock.next_ms if clock is not None else 0)
    why = f"; the host was slowed down: {clock.note}" if clock is not None and clock.note else ""
    due = f"from {iso(ready_ms / 1000)}" if ready_ms else "now"
    behind = behind_in_words(site.credit) if site is not None else ""
    how = "as a revisit" if known.level >= REVISIT else f"at level {known.level}"
    return _sentence(f"It is due {due}, {how}{why}{behind and '; '}{behind}")
