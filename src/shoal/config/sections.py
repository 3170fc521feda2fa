"""Which settings exist? Each section of shoal.toml as a frozen dataclass.

A field's type, range and help text are all that the file reader, the environment, `config show` and
docs/settings.md know about a setting: to add one is to add a line here. Durations are seconds,
sizes bytes. The defaults are what a stranger's server should meet: slow, and saying who we are.
"""

import os
import re
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeVar

from shoal.config.values import SettingKind, Shape, is_address, is_host, weights_in

VERSION = "0.1.0"

Seconds = Annotated[float, SettingKind.SECONDS]
Bytes = Annotated[int, SettingKind.BYTES]
Texts = Annotated[tuple[str, ...], SettingKind.TEXTS]
Patterns = Annotated[tuple[str, ...], SettingKind.PATTERNS]

HEADER_TEXT = Shape(
    lambda text: text.isascii() and text.isprintable(), "printable ASCII, as it is sent in a header"
)
TOKEN = Shape(
    lambda text: re.fullmatch("[A-Za-z_-]+", text) is not None,
    "a product token of letters, '-' and '_', as robots.txt names crawlers (RFC 9309)",
)
PROXY = Shape(
    lambda text: re.fullmatch(r"(https?|socks[45][ah]?)://[!-~]+", text) is not None,
    "a URL such as 'http://host:3128' or 'socks5://host:1080'",
)
ADDRESS = Shape(is_address, "an IP address with or without a port, such as '127.0.0.1:8080'")
HOST = Shape(is_host, "a host name in lower-case ASCII, such as 'www.example.org'")

WEIGHTS = Shape(
    lambda text: weights_in(text) is not None,
    "parts and their weights, such as 'content=1,popularity=2,location=0.5'",
)

T = TypeVar("T")


def _setting(
    default: T, about: str, low: float = 0, high: float = float("inf"), shape: Shape | None = None
) -> T:
    return field(
        default=default, metadata={"help": about, "low": low, "high": high, "shape": shape}
    )


@dataclass(frozen=True, slots=True)
class Crawl:
    seeds: Texts = _setting((), "URLs that a crawl starts from.")
    max_pages: int | None = _setting(None, "Stop after this many pages were fetched.", low=1)
    max_depth: int | None = _setting(
        None, "Fetch no page deeper than this; a seed has depth 1, its links depth 2.", low=1
    )
    max_time: Seconds | None = _setting(None, "Stop after this long.")
    max_bytes: Bytes | None = _setting(None, "Stop after this much was received.", low=1)
    min_free_disk: Bytes = _setting(512_000_000, "Stop when the disk has less room than this left.")
    scope: Literal["host", "domain", "prefix", "any"] = _setting(
        "host", "Which links are followed: same host, same registered domain, below the seed, all."
    )
    include: Patterns = _setting((), "If given, only URLs that match one of these are fetched.")
    exclude: Patterns = _setting((), "URLs that match one of these are not fetched.")
    rules: str = _setting("", "A rules file, or the name of a ready one, such as wikipedia.")
    order: Literal["breadth", "depth", "priority", "importance"] = _setting(
        "breadth",
        "Which URL is next: the oldest, the newest, the best by its address, the most valuable.",
    )
    weights: str = _setting(
        "content=1,popularity=1,location=0.2",
        "What makes a value, by importance: how much content, popularity and location count.",
        shape=WEIGHTS,
    )
    about: str = _setting("", "Words that content is compared with, by importance.")
    topic: str = _setting("", "The topic that content is compared with, by importance.")
    off_topic: Literal["keep", "drop"] = _setting(
        "keep", "Whether pages off the topic are kept out of the index."
    )
    explore: float = _setting(
        0.1, "Share of fetches that go where little is known, for a topic.", 0, 1
    )
    popularity: Literal["shares", "links", "rank"] = _setting(
        "shares",
        "What makes a page popular: links, each the less the more its page has; links; PageRank.",
    )
    stop_when: int | None = _setting(
        None, "Stop when so many pages of at least `value` were fetched.", 1
    )
    value: float = _setting(0.5, "From which value on a page counts for `stop_when`.", 0, 1)
    workers: int = _setting(64, "Requests in flight at once, over all hosts.", 1, 10_000)
    children: int = _setting(
        0, "Processes that read pages; 0 means one per core but one, at least one.", 0, 1024
    )
    forever: Literal["no", "yes"] = _setting(
        "no", "Whether the crawl goes on without end: new pages, and stored ones again."
    )
    patience: Seconds = _setting(
        600.0, "A crawl with nothing ready waits this long for back-offs to end before it finishes."
    )
    keep: Literal["raw", "text", "none"] = _setting(
        "raw", "What is kept of a page: the raw response and its text, the text alone, neither."
    )
    versions: int = _setting(3, "How many versions of a page stay.", 1, 10_000)

    @property
    def child_count(self) -> int:
        return self.children or max(1, (os.cpu_count() or 2) - 1)


@dataclass(frozen=True, slots=True)
class Politeness:
    delay: Seconds = _setting(
        3.0, "Wait at a host from the end of one response to the next request."
    )
    delay_factor: float = _setting(
        5.0, "Wait at least this many times as long as the host's last response took."
    )
    slow_site_cap: Seconds = _setting(60.0, "The wait that delay_factor asks for is at most this.")
    crawl_delay_cap: Seconds = _setting(120.0, "A Crawl-delay in robots.txt is obeyed up to this.")
    address_share: int = _setting(
        30,
        "An address that serves many hosts may be asked this many times as often as one host.",
        1,
    )
    backoff_base: Seconds = _setting(
        10.0, "The first wait after a 429, 503, timeout or lost connection."
    )
    backoff_cap: Seconds = _setting(3600.0, "The doubling of that wait ends here.")
    retry_after_cap: Seconds = _setting(86400.0, "A server's Retry-After is obeyed up to this.")
    robots: Literal["obey"] = _setting("obey", "robots.txt is obeyed; there is no other way.")
    tdmrep: Literal["no", "yes"] = _setting(
        "no", "Whether a site's /.well-known/tdmrep.json is asked for behind its robots.txt."
    )
    rate: float = _setting(
        100.0, "Wanted pages per second; decides how many sites are held ready.", 0.001
    )


@dataclass(frozen=True, slots=True)
class Frontier:
    levels: int = _setting(8, "Front queues, from most to least valuable.", 2, 64)
    bias: float = _setting(
        2.0, "Each level is drawn from this many times as often as the next one.", 1, 1000
    )
    quantum: int = _setting(32, "Visits before a site makes room for one that waits.", 1)
    seen_cache: int = _setting(200_000, "Recently seen URLs kept in memory.", 1)
    site_cache: int = _setting(50_000, "Site records kept in memory.", 1)
    credit: float = _setting(
        200.0, "Pages that a seed's domain may have before it waits behind others.", 1
    )


@dataclass(frozen=True, slots=True)
class Agent:
    name: str = _setting(
        "Shoal", "The crawler's name; robots.txt rules for it are obeyed.", shape=TOKEN
    )
    contact: str = _setting(
        "", "A URL or mail address where whoever runs a site can reach you.", shape=HEADER_TEXT
    )
    agent: str = _setting("", "The whole User-Agent, in place of the usual one.", shape=HEADER_TEXT)

    def user_agent(self) -> str:
        contact = f"; +{self.contact}" if self.contact else ""
        return self.agent or f"Mozilla/5.0 (compatible; {self.name}/{VERSION}{contact})"

    @property
    def product_token(self) -> str:
        """The name that robots.txt groups are matched with. RFC 9309, 2.2.1: it should be a part of
        the User-Agent that is sent, so a User-Agent of one's own brings its own token."""
        if not self.agent or self.name.lower() in self.agent.lower():
            return self.name
        product = re.search(r"compatible; ([A-Za-z_-]+)|^(?!Mozilla/)([A-Za-z_-]+)", self.agent)
        return (product[1] or product[2]) if product else self.name


@dataclass(frozen=True, slots=True)
class Fetch:
    connect_timeout: Seconds = _setting(15.0, "For name, connection and TLS together.", 0.01)
    idle_timeout: Seconds = _setting(30.0, "A server may be silent this long.", 0.01)
    total_timeout: Seconds = _setting(300.0, "A whole response may take this long.", 0.01)
    max_body: Bytes = _setting(20_000_000, "A longer body is cut here, and marked as cut.", 1)
    body_memory: Bytes = _setting(
        256_000_000, "For bodies that arrive or wait for a reader; full: they wait.", 1_000_000
    )
    max_headers: Bytes = _setting(
        300_000, "Longer headers are an error; libcurl's own limit is 300 KiB.", 1_000, 307_200
    )
    proxy: str = _setting("", "Send all requests through this proxy.", shape=PROXY)
    insecure_hosts: Texts = _setting((), "Hosts whose TLS certificate isn't verified.", shape=HOST)
    accept_language: str = _setting("", "Sent as Accept-Language if given.", shape=HEADER_TEXT)
    nameservers: Texts = _setting((), "DNS servers, in place of the system's.", shape=ADDRESS)
    allow_private: Literal["no", "yes"] = _setting(
        "no", "Whether public pages may lead to private addresses (127.x, 10.x, …)."
    )


@dataclass(frozen=True, slots=True)
class Url:
    strip: Texts = _setting((), "Query parameters to drop, beside the built-in list of trackers.")
    keep: Texts = _setting((), "Query parameters that are never dropped.")
    max_length: int = _setting(4096, "A longer URL isn't followed.", 100, 1_000_000)
    max_segments: int = _setting(32, "A URL with a deeper path isn't followed.", 1, 10_000)
    max_parameters: int = _setting(24, "A URL with more parameters isn't followed.", 1, 10_000)


@dataclass(frozen=True, slots=True)
class Archive:
    max_file: Bytes = _setting(1_000_000_000, "A WARC file that reaches this is closed.", 1_000)
    requisites: Literal["no", "yes"] = _setting(
        "no", "Whether pictures, styles and scripts of stored pages are fetched and archived, too."
    )
    max_requisites: int = _setting(
        200, "So many of one page, with those that its style sheets name.", 1, 10_000
    )
    max_requisite: Bytes = _setting(10_000_000, "A longer one is cut here.", 1)


@dataclass(frozen=True, slots=True)
class Understand:
    timeout: Seconds = _setting(60.0, "Reading one page may take this long.", 0.01)
    memory: Bytes = _setting(1_500_000_000, "Memory of one reading process.", 64_000_000)
    max_decoded: Bytes = _setting(50_000_000, "A body is decompressed up to this.", 1_000)
    max_links: int = _setting(10_000, "Links taken from one page.", 1)
    content: Literal["model", "dom", "slope", "window", "none"] = _setting(
        "model", "How a page's content is told from its frame; none: all of it is content."
    )
    entities: Literal["yes", "no"] = _setting(
        "yes",
        "Whether people, places and organisations that a page names are marked, where content is "
        "told from its frame.",
    )


@dataclass(frozen=True, slots=True)
class Index:
    follow: Literal["yes", "no"] = _setting(
        "yes", "Whether pages are indexed while a crawl runs; otherwise by the next search."
    )
    memory: Bytes = _setting(
        512_000_000, "Memory of the process that writes the index beside a crawl.", 256_000_000
    )


@dataclass(frozen=True, slots=True)
class Refresh:
    policy: Literal["age", "freshness", "uniform", "proportional"] = _setting(
        "age", "What revisits are for: low age by importance, many fresh pages, all alike, by rate."
    )
    budget: float | None = _setting(None, "Revisits a day, of all pages together.", 0.001)
    per_page: float = _setting(
        1.0, "Without a budget: revisits a day for each stored page, on average.", 0.001
    )
    share: float = _setting(
        0.5, "The share of the crawl that revisits may have while new pages wait.", 0.01, 1
    )
    shortest: Seconds = _setting(300.0, "No page is asked again sooner than this.", 0.1)
    longest: Seconds = _setting(
        7_776_000.0,
        "Nor does it wait longer (90 days), or than 12 mean intervals if that is more.",
        1,
    )
    minor: Literal["yes", "no"] = _setting(
        "yes", "Whether small changes of the content count as changes."
    )
    keep_missing: Seconds = _setting(
        604_800.0, "A page that answers 404 stays in the index this long; 410 none."
    )
    head: Literal["yes", "no"] = _setting(
        "yes", "Whether HEAD is asked first where a site ignores conditions and HEAD is honest."
    )


@dataclass(frozen=True, slots=True)
class Sitemaps:
    use: Literal["listed", "guess", "no"] = _setting(
        "guess",
        "Sitemaps that robots.txt names are read; guess: where it names none, /sitemap.xml and the "
        "like are looked for, once each.",
    )
    max_urls: int = _setting(1_000_000, "URLs taken from the sitemaps of one site.", 1)
    max_depth: int = _setting(2, "An index may name an index so often.", 0, 10)


@dataclass(frozen=True, slots=True)
class Feeds:
    follow: Literal["yes", "no"] = _setting(
        "yes", "Whether feeds that pages announce are polled by a crawl that goes on for ever."
    )
    shortest: Seconds = _setting(300.0, "No feed is asked sooner than this, whatever it says.", 0.1)
    longest: Seconds = _setting(86_400.0, "No feed waits longer than this.", 1)
    items: Literal["whole", "page"] = _setting(
        "whole", "Whether an item with its whole article is taken as it is, or its page fetched."
    )
    scope: Literal["any", "scope"] = _setting(
        "any", "Whether feeds added by hand bring items from anywhere, or within the scope only."
    )
    callback: str = _setting(
        "", "Where hubs reach `shoal serve`, such as https://me.example.org/; without it: polling."
    )


@dataclass(frozen=True, slots=True)
class Files:
    readers: Literal["file", "everyone"] = _setting(
        "file",
        "Who may read what a crawl takes from `file:` URLs: whoever may read the `file`, or "
        "`everyone`, for pages that are meant to be shown.",
    )
    hidden: Literal["no", "yes"] = _setting(
        "no", "Whether files and folders whose names begin with a dot are read."
    )
    ignore: Texts = _setting(
        (
            *(".git/", ".hg/", ".svn/", "CVS/", "node_modules/", "__pycache__/", "lost+found/"),
            *(".cache/", ".Trash*/", "*~", "*.swp", "*.tmp", "*.part", "*.crdownload", "*.lock"),
        ),
        "Patterns as in a .gitignore of what is left out of all folders; a file .shoalignore says "
        "it for its own.",
    )
    mounts: Literal["no", "yes"] = _setting(
        "no", "Whether other file systems that are mounted within a folder are read, too."
    )
    max_size: Bytes = _setting(50_000_000, "Larger files are left out.", 1, 1_000_000_000)
    share: float = _setting(
        0.25, "No more of one core than this is used to read folders, all in all.", 0.01, 64
    )
    follow: Literal["yes", "no"] = _setting(
        "yes", "Whether `serve`, and a crawl without end, follow the sources as `watch` does."
    )
    sweep: Seconds = _setting(
        21_600.0, "Everything is looked at again after this long, in case that a change was missed."
    )
    poll: Seconds = _setting(
        60.0, "Folders that do not tell of changes (NFS, SMB, FUSE) are looked at so often.", 0.1
    )
    max_watches: int | None = _setting(
        None, "Folders watched at once; without it nearly as many as the system allows."
    )


@dataclass(frozen=True, slots=True)
class Search:
    k1: float = _setting(2.0, "How slowly repeating a word stops to count (BM25).", 0, 100)
    b: float = _setting(0.75, "How much of a page's length is held against it (BM25).", 0, 1)
    title: float = _setting(1.5, "What a word adds that stands in the title, too;", 0, 100)
    headings: float = _setting(0.6, "in a heading;", 0, 100)
    bold: float = _setting(0.2, "in bold;", 0, 100)
    url: float = _setting(0.4, "in the URL;", 0, 100)
    rest: float = _setting(0.05, "in menus and footers;", 0, 100)
    anchor: float = _setting(1.0, "in links to the page. 0: links are not looked at.", 0, 100)
    position: float = _setting(0.3, "The share of the index's own score, for phrases.", 0, 100)
    name: float = _setting(1.0, "The share of being called exactly so.", 0, 100)
    feedback: float = _setting(0.5, "The share of likeness to the best, for questions.", 0, 100)
    rank: float = _setting(0.1, "The share of PageRank.", 0, 100)
    fresh: float = _setting(0.03, "The share of a page's youth.", 0, 100)
    home: float = _setting(0.05, "The share of nearness to the site's root.", 0, 100)
    count_opened: Literal["yes", "no"] = _setting(
        "yes", "Whether results that are opened are counted, in the collection's own directory."
    )


@dataclass(frozen=True, slots=True)
class Access:
    roles: Texts = _setting(
        (), "Who has which role, such as 'staff: ann bob @wheel'; behind an @ stands a group."
    )
    proxy_header: str = _setting(
        "", "The header in which a proxy names who asks `serve`, such as X-Remote-User."
    )
    proxy_addresses: Texts = _setting(
        ("127.0.0.1", "::1"), "The addresses of that proxy; the header is believed of no other."
    )


@dataclass(frozen=True, slots=True)
class Dedupe:
    near: Literal["yes", "no"] = _setting(
        "yes", "Whether pages that say nearly the same are grouped, and one of them is indexed."
    )
    resemblance: float = _setting(
        0.65, "The share of their runs of three words that near-duplicates of a site have.", 0.3, 1
    )
    resemblance_across: float = _setting(0.6, "The same, for pages of different sites.", 0.3, 1)
    learn: Literal["yes", "no"] = _setting(
        "yes", "Whether URLs are left out that by experience lead to duplicates, and mirrors."
    )
