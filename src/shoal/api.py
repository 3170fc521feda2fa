"""What can a Python program do with Shoal? The same as the command line, with the same words.

Plain functions, usable in a script, and in a notebook whose event loop is already running. What
only some of them need is imported when they are called.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

from shoal.model.principal import OWNER, Principal
from shoal.model.urls.partition import DEFAULT_TABLETS

if TYPE_CHECKING:
    import signal

    from shoal.access.indexing import Reindexed
    from shoal.analysis.classes import ClassCount, ClassShare, Trained
    from shoal.analysis.graph_export import Exported
    from shoal.analysis.graph_report import GraphReport
    from shoal.analysis.marking import Applied
    from shoal.analysis.near_duplicates import Compared, NearDuplicate, TextOrPage
    from shoal.analysis.order_report import OrderReport
    from shoal.analysis.page_links import PageLinks
    from shoal.analysis.ranking import Ranking
    from shoal.analysis.topic_report import TopicReport
    from shoal.analysis.trees import TreeLine, TreeReport
    from shoal.cleaners.curve import Curve
    from shoal.collection.collection import Collection
    from shoal.collection.page import Page
    from shoal.collection.report.duplicate_groups import DuplicateGroups, UrlLesson
    from shoal.collection.report.topics import Shown as ShownTopic
    from shoal.collection.report.topics import TopicLine
    from shoal.config import Config
    from shoal.control.controls import Collection as Controlled
    from shoal.control.feeds import Added, FeedLine
    from shoal.control.own_sources import Added as AddedSource
    from shoal.control.own_sources import Removed, SourceLine
    from shoal.control.site_map import SiteMap
    from shoal.control.topics import Taught
    from shoal.duplicates.learn.mirrors import Mirror
    from shoal.duplicates.methods.accuracy import Exercise
    from shoal.duplicates.methods.fingerprints import Decision, Fingerprinting
    from shoal.engine.revisit_settings import Selection
    from shoal.engine.running import Watch
    from shoal.engine.summary import Summary
    from shoal.files.cleaned import Cleaned
    from shoal.files.deduping import Deduped, Method
    from shoal.files.fingerprint_accuracy import FingerprintAccuracy
    from shoal.files.named_texts import NamedPair
    from shoal.fleet.coordinator import Watch as ClusterWatch
    from shoal.layout.classes import ClassReport
    from shoal.layout.cluster_file import ClusterFile
    from shoal.layout.cluster_status import ClusterStatus
    from shoal.maintenance.compact import Compacted
    from shoal.maintenance.naming import NamesMarked
    from shoal.maintenance.repair import Repaired
    from shoal.maintenance.verify_place import Verified
    from shoal.model.link import Link
    from shoal.model.listings.feed import Feed
    from shoal.model.plan import Plan
    from shoal.naming.names import Named
    from shoal.repartition.repartition import Moved
    from shoal.repartition.repartition import Progress as MoveProgress
    from shoal.worker.conversion import Conversion

Progress = Callable[[str, int, int], None]
"""Is told what is being done, for how many, and of how many (0: not known)."""
Counted = Callable[[int], None]
"""Is told how many were read."""
Told = Callable[[str], None]
"""Is told in a few words what is being done."""
_FEED_SECONDS = 120.0


def crawl(
    *seeds: str | Iterable[str],
    sitemaps: str | Iterable[str] = (),
    dir: str | Path | None = None,
    max_pages: int | None = None,
    max_depth: int | None = None,
    max_time: float | str | None = None,
    delay: float | None = None,
    scope: str | None = None,
    include: str | Iterable[str] = (),
    exclude: str | Iterable[str] = (),
    rules: str | Path | None = None,
    order: str | None = None,
    about: str | None = None,
    topic: str | None = None,
    weights: Mapping[str, float] | None = None,
    popularity: str | None = None,
    stop_when: int | None = None,
    value: float | None = None,
    keep: str | None = None,
    agent: str | None = None,
    contact: str | None = None,
    workers: int | None = None,
    forever: bool = False,
    settings: Mapping[str, object] | None = None,
    watch: "Watch | None" = None,
) -> "Summary":
    """Crawl into a collection, or go on with it. `settings` takes any setting by its dotted
    name; a seed is what `shoal crawl` takes, or a list of these. `sitemaps` are URLs of sitemaps,
    beside or in place of seeds. With `forever` it returns when it is stopped: by `max_time`, or by
    `shoal stop` from elsewhere."""
    from shoal.access.opening import settings_at
    from shoal.config.values import as_weights, described
    from shoal.engine.seeds import seeds_of, with_whole_paths
    from shoal.errors import UsageError
    from shoal.layout.layout import is_cluster_place, place_of
    from shoal.loop import run

    if not isinstance(forever, bool):
        raise UsageError(f"forever must be True or False, not {described(forever)}")
    place = place_of(dir)
    overrides: dict[str, object] = {
        "crawl.max_pages": max_pages,
        "crawl.max_depth": max_depth,
        "crawl.max_time": max_time,
        "politeness.delay": delay,
        "crawl.scope": scope,
        "crawl.include": tuple(_words("include", include)) or None,
        "crawl.exclude": tuple(_words("exclude", exclude)) or None,
        "crawl.rules": None if rules is None else str(rules),
        "crawl.order": order or ("importance" if topic else None),
        "crawl.about": about,
        "crawl.topic": topic,
        "crawl.weights": None if weights is None else as_weights(weights),
        "crawl.popularity": popularity,
        "crawl.stop_when": stop_when,
        "crawl.value": value,
        "crawl.keep": keep,
        "agent.agent": agent,
        "agent.contact": contact,
        "crawl.workers": workers,
        "crawl.forever": "yes" if forever else None,
        **(settings or {}),
    }
    config = settings_at(place, with_whole_paths(overrides), os.environ)
    words = [word for each in seeds for word in _words("a seed", each)]
    listed = _words("sitemaps", sitemaps)
    if is_cluster_place(place):
        from shoal.fleet.cluster_run import seeds_for

        return _run_cluster(place, config, seeds_for(place, words, config, listed))
    directory = Path(place)
    links = seeds_of(words, config, directory, listed)
    return run(_crawl(directory, config, links, watch))


async def _crawl(
    directory: Path,
    config: "Config",
    links: "list[Link]",
    watch: "Watch | None",
    selection: "Selection | None" = None,
) -> "Summary":
    from shoal.engine import preflight
    from shoal.engine.running import crawl_into

    await preflight.check(config, links, directory)
    return await crawl_into(directory, config, links, watch=watch, selection=selection)


def _run_cluster(
    place: str, config: "Config", links: "list[Link]", selection: "Selection | None" = None
) -> "Summary":
    """On this machine; `run_cluster` runs it on others."""
    from shoal.access.opening import open_collection
    from shoal.engine import preflight
    from shoal.fleet import cluster_run
    from shoal.loop import run

    run(preflight.check(config, links, Path(place)))
    began = time.monotonic()
    status = cluster_run.run_cluster(place, config, links, selection=selection)
    with open_collection(place) as collection:
        return cluster_run.summary_of(status, collection.status(), time.monotonic() - began)


def add(
    *paths: str | Path,
    dir: str | Path | None = None,
    settings: Mapping[str, object] | None = None,
) -> "AddedSource":
    """Read folders or files of one's own into a collection, and remember them as its sources; the
    same again reads what has changed since."""
    from shoal.fleet.own_sources import add_sources
    from shoal.layout.layout import place_of

    return add_sources(place_of(dir), paths, settings or {})


def add_mail(
    mailbox: str | Path,
    *,
    password_file: str | Path | None = None,
    owner: str = "",
    dir: str | Path | None = None,
    settings: Mapping[str, object] | None = None,
) -> "AddedSource":
    """Read an mbox file, a Maildir or an account (`imaps://user@host`) into a collection, and
    remember it as a source; the same again reads what has changed since."""
    from shoal.fleet.own_sources import add_mail as add
    from shoal.layout.layout import place_of

    return add(place_of(dir), mailbox, settings or {}, password_file=password_file, owner=owner)


def watch(
    dir: str | Path | None = None, settings: Mapping[str, object] | None = None
) -> "signal.Signals | None":
    """Follow the folders and mailboxes of a collection until this process is interrupted; returns
    by which signal. To be called in the main thread."""
    from shoal.fleet.own_sources import watch_sources
    from shoal.layout.layout import place_of

    return watch_sources(place_of(dir), settings or {})


def own_sources(dir: str | Path | None = None) -> "list[SourceLine]":
    """The folders and mailboxes of one's own that a collection reads."""
    from shoal.control.own_sources import sources_of
    from shoal.layout.layout import place_of

    return sources_of(place_of(dir))


def remove_source(path: str | Path, dir: str | Path | None = None) -> "Removed":
    """Forget a folder or a mailbox, and what was read of it."""
    from shoal.fleet.own_sources import remove_source_at
    from shoal.layout.layout import place_of

    return remove_source_at(place_of(dir), path)


def refresh(
    site: str = "",
    *,
    dir: str | Path | None = None,
    older: float | str | None = None,
    changed_first: bool = False,
    max_time: float | str | None = None,
    settings: Mapping[str, object] | None = None,
    watch: "Watch | None" = None,
) -> "Summary":
    """Ask for stored pages again: all, or those of a part of the collection (a URL prefix, a host,
    a suffix) and those last visited so long ago or more: `older` in seconds, or '7d'."""
    from shoal.access.opening import is_there, settings_at
    from shoal.clock import SystemClock
    from shoal.engine.revisit_settings import for_refresh, selection_of
    from shoal.layout.layout import Layout, is_cluster_place, place_of
    from shoal.loop import run

    place = place_of(dir)
    if not is_there(place):
        Layout(Path(place)).must_exist()
    overrides: dict[str, object] = {"crawl.max_time": max_time, **(settings or {})}
    config = for_refresh(settings_at(place, overrides, os.environ))
    now = SystemClock().now()
    age = None if older is None else _seconds("older", older)
    chosen = selection_of(site, age, now, changed_first=changed_first)
    if is_cluster_place(place):
        return _run_cluster(place, config, [], chosen)
    return run(_crawl(Path(place), config, [], watch, chosen))


def _words(name: str, given: object) -> list[str]:
    """One string is one word, not its letters."""
    from shoal.errors import UsageError

    if isinstance(given, str):
        return [given]
    found = list(given) if isinstance(given, Iterable) else [given]
    words = [each for each in found if isinstance(each, str)]
    if len(words) < len(found):
        raise UsageError(f"{name} must be a string or a list of strings, not {given!r}")
    return words


def _seconds(name: str, given: object) -> float:
    from shoal.config.values import Setting, SettingKind, read_value

    found = read_value(Setting(name, SettingKind.SECONDS, default=None, help=""), given, name)
    return float(found) if isinstance(found, int | float) else 0.0


def open(  # noqa: A001 - shoal.open reads well
    dir: str | Path | None = None,
    principal: Principal | str = OWNER,
) -> "Controlled":
    """A collection, for reading, also while a crawl writes to it. A cluster is opened as if it
    were in one directory. `principal` is who reads it: the name of a user, who finds only what
    they may read; without it the owner, who reads everything."""
    from shoal.access.opening import opened
    from shoal.access.people import reader_named
    from shoal.control.controls import Collection as Controlled

    if isinstance(principal, str):
        principal = reader_named(principal, dir)
    return Controlled(*opened(dir, principal))


# --- a site, and what leaves ---------------------------------------------------------------


_MAP_SECONDS = 600.0


def map_site(
    site: str,
    dir: str | Path | None = None,
    max_seconds: float = _MAP_SECONDS,
) -> "SiteMap":
    """All URLs of a site that are known without fetching its pages."""
    from shoal.access.opening import settings_at
    from shoal.control.site_map import map_site as map_into
    from shoal.layout.layout import place_of

    place = place_of(dir)
    return map_into(site, place, settings_at(place, {}, os.environ), max_seconds)


def export_jsonl(
    collection: "Collection", out: BinaryIO, where: str = "", since: float | None = None
) -> int:
    """Stored pages as JSON lines. Returns how many."""
    from shoal.collection.export.export import Export, write

    return write(collection.tablets, Export("jsonl", where, since), out)


def export_warc(
    collection: "Collection", out: BinaryIO, where: str = "", since: float | None = None
) -> int:
    """The archived records of the stored pages, each once. Returns how many."""
    from shoal.collection.export.export import Export, write

    return write(collection.tablets, Export("warc", where, since), out)


def export_cdxj(
    collection: "Collection", out: BinaryIO, where: str = "", since: float | None = None
) -> int:
    """An index of the archive's own files. Returns how many lines."""
    from shoal.collection.export.export import Export, write

    return write(collection.tablets, Export("cdxj", where, since), out)


# --- what is stored, looked at as a whole ---------------------------------------------------


def rank(
    dir: str | Path | None = None,
    personal: Sequence[str] = (),
    top: int = 20,
    told: Progress | None = None,
    site: str = "",
    address: str = "",
    unfetched: bool = False,
) -> "Ranking":
    """Compute PageRank of all pages and sites, and let searches and crawls use it.

    With `personal` URLs whoever starts again does so there, and what is near those pages gets more.
    The next `rank` without them is for all pages alike again. With a `site`, by any of its URLs,
    only pages of that site are named; with `unfetched` also those that were never fetched. The
    pages of a cluster are ranked by tasks of the Ray that it runs on, or of the one at `address`
    (`local`: started here for it); else by this process.
    """
    from shoal.analysis import ranking

    return ranking.rank(dir, personal, top, told, site, address, unfetched)


def train_classes(
    tree: str | Path,
    dir: str | Path | None = None,
    accept: float = 0.5,
    told: Counted | None = None,
) -> "Trained":
    """Learn classes from a folder of folders of files, or from a file with lines of a class, a tab
    and a URL; then mark all stored pages with theirs, and new ones as they come."""
    from shoal.analysis import classes

    return classes.train(tree, dir, accept, told)


def apply_classes(dir: str | Path | None = None, told: Counted | None = None) -> "Applied":
    """Mark the stored pages with their classes once more."""
    from shoal.analysis import classes

    return classes.apply(dir, told)


def remove_classes(dir: str | Path | None = None, told: Counted | None = None) -> "Applied":
    """Forget what was learned, and take the classes of all pages back."""
    from shoal.analysis import classes

    return classes.remove(dir, told)


def class_report(dir: str | Path | None = None) -> "ClassReport":
    """How good the classes are, by examples that were held out."""
    from shoal.analysis import classes

    return classes.report(dir)


def class_tree(dir: str | Path | None = None) -> "list[ClassCount]":
    """All classes and what stands above them, with how many pages each has."""
    from shoal.analysis import classes

    with open(dir) as collection:
        return classes.tree(collection)


def page_classes(url: str, dir: str | Path | None = None, most: int = 3) -> "list[ClassShare]":
    """The likeliest classes of a stored page, with the words that decided."""
    from shoal.analysis import classes

    with open(dir) as collection:
        return classes.of_page(collection, url, most)


def make_tree(
    dir: str | Path | None = None,
    leaves: int = 0,
    depth: int = 3,
    anew: bool = False,
    own: bool = False,
    told: Counted | None = None,
) -> "TreeReport":
    """Make a hierarchy of the documents that everyone may read (`own`: of all), with at most so
    many leaves, and put all pages in their places. Made again it keeps its parts and takes in what
    is new, until there is half as much again, or it is to be made `anew`."""
    from shoal.analysis import trees

    return trees.make(dir, leaves, depth, anew=anew, own=own, told=told)


def tree(dir: str | Path | None = None, below: str = "") -> "list[TreeLine]":
    """The parts of the hierarchy that was made, or those below one, with their pages."""
    from shoal.analysis import trees

    with open(dir) as collection:
        return trees.lines(collection, below)


def remove_tree(dir: str | Path | None = None, told: Counted | None = None) -> "Applied":
    """Forget the hierarchy that was made, and take the pages out of it."""
    from shoal.analysis import trees

    return trees.remove(dir, told)


def links(url: str, dir: str | Path | None = None, at_most: int = 1000) -> "PageLinks":
    """The links of a page both ways, with the ranks of the pages at their other ends."""
    from shoal.analysis import page_links

    return page_links.links(url, dir, at_most)


def link_graph(dir: str | Path | None = None, told: Progress | None = None) -> "GraphReport":
    """The parts of the web that was gathered, its distances, and the laws that it follows."""
    from shoal.analysis import graph_report

    return graph_report.link_graph(dir, told)


def order_report(
    dir: str | Path | None = None, top: int | None = None, told: Progress | None = None
) -> "OrderReport":
    """How early the `top` most important pages came (one in twenty), beside other orders replayed
    on the same links."""
    from shoal.analysis import order_report as report

    return report.order_report(dir, top, told)


def export_graph(
    file: str | Path, dir: str | Path | None = None, told: Progress | None = None
) -> "Exported":
    """Write the graph of the last `rank`; the file's ending says how: .graphml or .parquet."""
    from shoal.analysis import graph_export

    return graph_export.export_graph(file, dir, told)


def duplicate_groups(collection: "Collection", most_members: int = 1000) -> "DuplicateGroups":
    """The groups of near-duplicates, as they were stored while crawling, the largest first."""
    from shoal.collection.report import duplicate_groups as report

    return report.duplicate_groups(collection, most_members)


def mirrors(collection: "Collection") -> "Iterator[Mirror]":
    """Sites, or parts of them, that are the same as others: suspected or learned."""
    from shoal.collection.report import duplicate_groups as report

    return report.mirrors(collection)


def url_lessons(collection: "Collection") -> "Iterator[UrlLesson]":
    """Which URLs of a site lead to what is there already: suspected or learned."""
    from shoal.collection.report import duplicate_groups as report

    return report.url_lessons(collection)


def duplicate_pairs(
    collection: "Collection",
    where: str = "",
    *,
    method: "Method" = "default",
    resemblance: float | None = None,
    bits: int = 64,
    differing: int | None = None,
    progress: Progress | None = None,
    address: str = "",
) -> "Iterator[NamedPair]":
    """All pairs of near-duplicates among the stored pages, found again from their texts, by
    `method`, `resemblance`, `bits` and `differing` as `dedupe` has them. Each exact copy is named
    once, beside the first of its copies; of a large group not every pair is. Those of a cluster are
    compared by tasks of the Ray that it runs on, or of the one at `address` (`local`: started here
    for it); else by this process."""
    from shoal.analysis.duplicates import search
    from shoal.files.deduping import Comparison

    by = Comparison(method, resemblance, bits, differing)
    return search(collection, by, where, progress, address).pairs()


def duplicate_clusters(
    collection: "Collection",
    where: str = "",
    *,
    method: "Method" = "default",
    resemblance: float | None = None,
    bits: int = 64,
    differing: int | None = None,
    progress: Progress | None = None,
    address: str = "",
) -> Iterator[list[str]]:
    """The same as groups of URLs, largest first; each in the order of the rows."""
    from shoal.analysis.duplicates import search
    from shoal.files.deduping import Comparison

    by = Comparison(method, resemblance, bits, differing)
    return search(collection, by, where, progress, address).clusters()


def near_duplicates(
    collection: "Collection",
    of: "TextOrPage",
    *,
    scan: bool = False,
    at_most: int = 20,
    progress: Counted | None = None,
) -> "list[NearDuplicate]":
    """The stored pages that are nearest to a page (also by its URL), a file or a text, best first:
    by resemblance, with `scan` by cosine."""
    from shoal.analysis import near_duplicates as near

    return near.near_duplicates(collection, of, scan=scan, at_most=at_most, progress=progress)


def regroup(dir: str | Path | None = None, tell: Callable[[str], None] | None = None) -> int:
    """Rebuild the groups from the stored texts. Returns how many pages are duplicates."""
    from shoal.analysis import duplicates

    return duplicates.regroup(dir, tell)


def update_index(dir: str | Path | None = None, told: Counted | None = None) -> int:
    """Take in what was stored since; how many documents were looked at. A crawl, `shoal search` and
    `shoal serve` do so by themselves, and so do the tablets of a cluster that runs."""
    from shoal.access import indexing

    return indexing.update_index(dir, told)


def reindex(dir: str | Path | None = None, told: Counted | None = None) -> "Reindexed":
    """Rebuild the index from the table. `told` is handed how many documents were read."""
    from shoal.access import indexing

    return indexing.reindex(dir, told)


def mark_entities(dir: str | Path | None = None, told: Counted | None = None) -> "NamesMarked":
    """Mark whom stored pages name: people, places and organisations. A crawl does so by itself;
    this is for what was stored before, or with `understand.entities = "no"`. Not while a crawl
    runs. `told` is handed how many documents were looked at."""
    from shoal.access.opening import settings_at
    from shoal.layout.layout import place_of
    from shoal.maintenance import naming

    place = place_of(dir)
    return naming.mark_names(place, settings_at(place, {}, os.environ), told or (lambda _: None))


def entities(text: str, language: str = "en") -> "list[Named]":
    """Every place of a text where a person, a place or an organisation is named: `start`, `end`,
    `kind`, `name` and `confidence`. Empty for a language that has no model."""
    from shoal.naming import names

    return names.named_in(text, language)


# --- keeping it -----------------------------------------------------------------------------


def verify(dir: str | Path | None = None, tell: Told | None = None) -> "Verified":
    """Check that rows, queue, counts, links, archive and index agree: `ok`, `findings`, and how
    many of what were `checked`."""
    from shoal.layout.layout import place_of
    from shoal.maintenance import verify_place

    return verify_place.verify(place_of(dir), tell or _silent)


def repair(
    dir: str | Path | None = None, *, from_archive: bool = False, tell: Told | None = None
) -> "Repaired":
    """Mend what `verify` finds, as far as it can be, and say what was done. With `from_archive` the
    table is made anew in any case, from what reads and the archive. Not while a crawl runs."""
    from shoal.layout.layout import place_of
    from shoal.maintenance import repair as mending

    return mending.repair(place_of(dir), tell or _silent, from_archive=from_archive)


def compact(
    dir: str | Path | None = None, *, everything: bool = False, tell: Told | None = None
) -> "Compacted":
    """Make room: drop old versions and what only they needed. With `everything` (`--all`) every
    archive file is rewritten that has a record nobody needs. Not while a crawl runs."""
    from shoal.access.opening import settings_at
    from shoal.layout.layout import place_of
    from shoal.maintenance import compact as compacting

    place = place_of(dir)
    share = 0.0 if everything else compacting.DEAD_SHARE
    return compacting.compact(place, settings_at(place, {}, os.environ), share, tell or _silent)


def stop(dir: str | Path | None = None, max_seconds: float = 0.0) -> bool:
    """Ask the running crawl to end well, and wait so long for it. Returns whether it has ended."""
    from shoal.control import commands
    from shoal.layout.layout import place_of

    return commands.stop(place_of(dir), max_seconds)


# --- feeds ----------------------------------------------------------------------------------


def feeds(dir: str | Path | None = None) -> "list[FeedLine]":
    """Every feed that is polled: when it was asked, and will be."""
    from shoal.access.opening import open_collection
    from shoal.control import feeds as polled

    with open_collection(dir) as collection:
        return polled.feeds_of(collection)


def add_feeds(*feeds: str, dir: str | Path | None = None) -> "Added":
    """Poll these from now on: URLs, or files with lists of feeds in OPML. The directory may be
    new."""
    from shoal.control import feeds as polled
    from shoal.layout.layout import place_of

    return polled.add_feeds(place_of(dir), feeds)


def remove_feeds(*feeds: str, dir: str | Path | None = None) -> "Added":
    """Poll these no more, even if pages announce them; what they brought stays."""
    from shoal.control import feeds as polled
    from shoal.layout.layout import place_of

    return polled.remove_feeds(place_of(dir), feeds)


def feeds_opml(dir: str | Path | None = None) -> str:
    """All feeds as a list in OPML, for other readers."""
    from shoal.access.opening import open_collection
    from shoal.control import feeds as polled

    with open_collection(dir) as collection:
        return polled.opml_of(collection)


def show_feed(
    feed: str | Path,
    dir: str | Path | None = None,
    max_seconds: float = _FEED_SECONDS,
    settings: Mapping[str, object] | None = None,
) -> "Feed":
    """What a feed says: itself, and its items. A URL is asked for as politely as by a crawl,
    robots.txt first; it may also be a file."""
    from shoal.access.opening import settings_at
    from shoal.control import feeds as polled
    from shoal.layout.layout import place_of

    if isinstance(feed, Path) or ("://" not in feed and Path(feed).is_file()):
        return polled.view_file(Path(feed))
    place = place_of(dir)
    config = settings_at(place, settings or {}, os.environ)
    return polled.view_url(feed, place, config, max_seconds)


def make_topic(
    name: str,
    *,
    words: str = "",
    pages: Iterable[str] = (),
    folders: Sequence[str | Path] = (),
    dir: str | Path | None = None,
) -> "Taught":
    """A topic of words, of pages, or of two folders of files: what is on it, and what is not."""
    from shoal.control import topics
    from shoal.layout.layout import place_of
    from shoal.worker.converting import Converter

    given = topics.Examples(words, list(pages), folders)
    with Converter() as converter:

        def title_and_text(path: Path) -> tuple[str, str]:
            read = converter.convert(path)
            return read.title, read.text

        return topics.make(place_of(dir), name, given, title_and_text)


def teach_topic(
    name: str,
    pages: Iterable[str],
    answer: "Literal['yes', 'no', 'unsaid']",
    dir: str | Path | None = None,
) -> "Taught":
    """Say of pages that they are about a topic, or not, or take back what was said; a crawl that
    runs learns from it at once. An empty name means the only topic."""
    from shoal.control import topics
    from shoal.layout.layout import place_of

    return topics.teach(place_of(dir), name, list(pages), answer)


def topics(dir: str | Path | None = None) -> "list[TopicLine]":
    """Every topic, and how much was said of it."""
    from shoal.access.opening import open_collection
    from shoal.collection.report.topics import topic_lines

    with open_collection(dir) as collection:
        return topic_lines(collection)


def show_topic(name: str, dir: str | Path | None = None) -> "ShownTopic":
    """What a topic is made of, and the words that speak for it."""
    from shoal.access.opening import open_collection
    from shoal.collection.report.topics import shown_topic

    with open_collection(dir) as collection:
        return shown_topic(collection, name)


def topic_report(
    name: str, dir: str | Path | None = None, truth: Iterable[str] | None = None
) -> "TopicReport":
    """How much of what was fetched is on a topic, and how soon, against breadth first on the same
    links; its domains and hubs. `truth`: URLs by which recall is told."""
    from shoal.analysis import topic_report as reporting

    return reporting.topic_report(name, dir, truth)


def remove_topic(name: str, dir: str | Path | None = None) -> bool:
    """Forget a topic with all that was said and learned of it. Whether a crawl runs, and is
    told."""
    from shoal.control import topics
    from shoal.layout.layout import place_of

    return topics.remove(place_of(dir), name)


def _silent(_: str) -> None:
    """Nobody wants to be told."""


# --- files, texts and numbers, without a crawl ----------------------------------------------


def convert(
    source: "str | Path | bytes", *, name: str = "", media_type: str = "", url: str = ""
) -> "Conversion":
    """Read one file. `name` and `media_type` are hints for bytes whose format does not show; `url`
    is what relative links in it are resolved by."""
    from shoal.worker import converting

    return converting.convert(source, name=name, media_type=media_type, url=url)


def clean(
    html: "str | bytes | Path | Page", url: str | None = None, *, method: str = "model"
) -> "Cleaned":
    """A page's content without its frame: `html` is its source, a file of it, or a stored page.
    `url` is what its links are resolved by. Any format will do: what has no frame is content."""
    from shoal.files import cleaning

    return cleaning.clean(html, url, method=method)


def slope(html: str, method: Literal["slope", "window"] = "slope") -> "Curve":
    """The curve of a page and its content: the best block, or every section of low slope."""
    from shoal.cleaners import curve

    return curve.slope(html, method)


def compare(a: "TextOrPage", b: "TextOrPage") -> "Compared":
    """How alike two texts are, and where they differ. Two that say the very same are alike in full,
    also when they say nothing."""
    from shoal.analysis import near_duplicates as near

    return near.compare(a, b)


def dedupe(
    texts: Iterable[str],
    *,
    method: "Method" = "default",
    resemblance: float | None = None,
    bits: int = 64,
    differing: int | None = None,
    n: int | None = None,
    fingerprinting: "Fingerprinting | None" = None,
    decision: "Decision | None" = None,
    progress: Progress | None = None,
) -> "Deduped":
    """Find the texts that say nearly the same, by `method`: default, simhash or fingerprints.

    `resemblance` is the least share of their runs of `n` words that two texts have (default: .65 of
    runs of three; fingerprints: .5 of runs of five); simhashes have `bits` bits, of which at most
    `differing` differ. `fingerprinting` says which runs are kept (all, 0 mod p, by their first
    letters, by winnowing), `decision` what makes them near (a count, resemblance, containment)."""
    from shoal.files import deduping

    by = deduping.Comparison(method, resemblance, bits, differing, n, fingerprinting, decision)
    return deduping.dedupe(texts, by, progress)


def file_clusters(
    folder: str | Path,
    *,
    method: "Method" = "default",
    resemblance: float | None = None,
    bits: int = 64,
    differing: int | None = None,
    progress: Progress | None = None,
    skipped: Callable[[str, str], None] | None = None,
) -> Iterator[list[str]]:
    """Groups of files that say nearly the same, largest first, by `method`, `resemblance`, `bits`
    and `differing` as `dedupe` has them. A document within a file is named behind a colon, and
    stands behind the files of its group."""
    from shoal.files.deduping import Comparison
    from shoal.files.file_duplicates import file_texts
    from shoal.files.named_texts import NamedTexts

    by = Comparison(method, resemblance, bits, differing)
    return NamedTexts(file_texts(Path(folder), skipped), by, progress).clusters()


def fingerprint_accuracy(
    texts: Iterable[str],
    truth: Iterable[tuple[int, int]] | None = None,
    exercise: "Exercise | None" = None,
) -> "FingerprintAccuracy":
    """How well fingerprints find near-duplicates among the first 2,500 texts. `truth` are pairs of
    near-duplicates by their places, from 0 on; without it those count whose runs of three words
    resemble each other by half."""
    from shoal.files import fingerprint_accuracy as accuracy

    return accuracy.fingerprint_accuracy(texts, truth, exercise)


def plan(
    bandwidth_bytes_per_second: float,
    page_bytes: float,
    latency_seconds: float,
    delay_seconds: float,
) -> "Plan":
    """What it takes to fill a line: 10 MB/s, 10 KB, 500 ms and 10 s need 500 connections and
    10,000 hosts (a KB is 1,000 bytes)."""
    from shoal.model import plan as planning

    return planning.plan(bandwidth_bytes_per_second, page_bytes, latency_seconds, delay_seconds)


# --- clusters ------------------------------------------------------------------------------


def create_cluster(place: str | Path, tablets: int = DEFAULT_TABLETS) -> "ClusterFile":
    """Make an empty cluster: in a directory that all machines share, or at s3://bucket/prefix."""
    from shoal.layout import cluster_file

    return cluster_file.create(str(place), tablets)


def run_cluster(
    place: str | Path,
    *seeds: str | Iterable[str],
    address: str = "",
    nodes: int = 1,
    lease: float = 15.0,
    checkpoint: float = 60.0,
    work: str | Path = "",
    settings: Mapping[str, object] | None = None,
    watch: "ClusterWatch | None" = None,
) -> "ClusterStatus":
    """Crawl with a cluster until nothing is left to do, or go on with it: at the `address` of a
    running Ray cluster, else on this machine. `settings` takes any setting by its dotted name."""
    from shoal.engine import preflight
    from shoal.engine.seeds import with_whole_paths
    from shoal.fleet import cluster_run
    from shoal.layout import cluster_file
    from shoal.loop import run

    where = str(place)
    cluster_file.read(where)
    config = cluster_file.config_of(where, with_whole_paths(settings or {}), dict(os.environ))
    words = [word for each in seeds for word in ([each] if isinstance(each, str) else each)]
    links = cluster_run.seeds_for(where, words, config)
    run(preflight.check(config, links, Path(where)))
    how = cluster_run.Running(address, nodes, lease, checkpoint, str(work))
    return cluster_run.run_cluster(where, config, links, how, watch=watch)


def cluster_status(place: str | Path) -> "ClusterStatus":
    """How a cluster stands: its machines and tablets, what is on its way, what has moved."""
    from shoal.layout.cluster_status import status_at

    return status_at(str(place))


def stop_cluster(place: str | Path) -> None:
    """Ask a running cluster to end well."""
    from shoal.control.cluster_commands import StopAll, post
    from shoal.layout.cluster_status import running_status

    running_status(str(place))
    post(str(place), StopAll())


def split(
    dir: str | Path,
    place: str | Path,
    tablets: int = DEFAULT_TABLETS,
    told: "MoveProgress | None" = None,
) -> "Moved":
    """Make a cluster out of a collection at rest, which stays as it is."""
    from shoal.repartition import split_and_merge

    return split_and_merge.split(Path(dir), str(place), tablets, told)


def merge(
    place: str | Path,
    dir: str | Path,
    told: "MoveProgress | None" = None,
) -> "Moved":
    """Make one collection, in a new directory, out of a cluster at rest, which stays as it is."""
    from shoal.repartition import split_and_merge

    return split_and_merge.merge(str(place), Path(dir), told)
