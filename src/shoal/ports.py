"""Which seams exist? Every part that the core loop or another room may be given, as a small
Protocol.

`core.py` knows only these. The package `engine` chooses the parts. Anything with the right methods
will do; the suites in tests/contract run against every implementation.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from shoal.model.change_history import Change, ChangeHistory
from shoal.model.content import Content
from shoal.model.document import Document, Reassigned, Understood
from shoal.model.link import Link, LinkSource
from shoal.model.listings.listing import ListedUrl
from shoal.model.mail_words import Fields
from shoal.model.messages import Item
from shoal.model.source import SourceRow
from shoal.model.source_change import SourceChange, Taken
from shoal.model.verdict import Finished, Verdict
from shoal.model.visit import Fetched, Visit


class Batch(Protocol):
    """Writes that become visible together or not at all."""

    def put(self, family: str, key: bytes, value: bytes) -> None: ...
    def put_many(self, family: str, pairs: Iterable[tuple[bytes, bytes]]) -> None: ...
    def delete(self, family: str, key: bytes) -> None: ...


class Table(Protocol):
    """An ordered map of bytes to bytes per column family, with atomic batches (BigTable's
    tablet)."""

    def get(self, family: str, key: bytes) -> bytes | None: ...
    def get_many(self, family: str, keys: Sequence[bytes]) -> list[bytes | None]: ...
    def scan(
        self, family: str, start: bytes, end: bytes | None = None
    ) -> Iterator[tuple[bytes, bytes]]:
        """Pairs with start <= key < end in key order, as of now."""
        ...

    def batch(self) -> Batch: ...
    def write(self, batch: Batch) -> None:
        """Apply a batch: a kill after this loses nothing of it."""
        ...

    def sync(self) -> None:
        """Everything written before is on disk: power loss after this loses nothing of it."""
        ...


class Cleaner(Protocol):
    """Which parts of a page are its content, and which its frame?"""

    def content(self, html: str) -> Content: ...


class Lease(Protocol):
    """A site that is ours alone until released."""

    def next_url(self) -> Visit: ...
    def refusal(self, visit: Visit) -> str:
        """Why this URL may not be asked (robots, scope, limits); empty when it may."""
        ...


class Frontier(Protocol):
    """Which site, which URL, when? At most one request to a host is in flight."""

    async def next_site(self) -> Lease | None:
        """A site whose turn it is, or None: nothing is ready now, which is not 'finished'."""
        ...

    def done(self) -> bool:
        """Nothing in flight, and nothing becomes ready within the frontier's patience."""
        ...

    def release(self, lease: Lease, fetched: Fetched) -> None:
        """The response has ended: the host's wait starts."""
        ...

    def finish(
        self,
        batch: Batch,
        visit: Visit,
        fetched: Fetched,
        understood: Understood,
        verdict: Verdict,
    ) -> Finished:
        """Acknowledge the visit in its batch: state, retry or next due date, new URLs."""
        ...

    def halt(self) -> None:
        """Lease nothing from now on; what is in flight may finish."""
        ...

    def give_back(self, visit: Visit) -> None:
        """The visit was cancelled: it is due again, as if never taken."""
        ...

    def add(self, links: Iterable[Link], depth: int = 1) -> int:
        """URLs from a source. Returns how many were new. Durable on return."""
        ...

    def raise_url(self, row: bytes, priority: float) -> bool:
        """Fetch a known URL sooner (new back-links, a person's wish)."""
        ...


class Fetcher(Protocol):
    """How do bytes arrive, for one scheme? Faults of the world come back as an Outcome."""

    async def fetch(self, visit: Visit) -> Fetched: ...
    async def close(self) -> None: ...


class Understander(Protocol):
    """What do the bytes say? In a child process; a page that kills it costs only itself."""

    async def understand(self, visit: Visit, fetched: Fetched) -> Understood: ...


class Duplicates(Protocol):
    """Have we seen this? Asked before a page is read, and again in its commit."""

    def recognize(self, visit: Visit, fetched: Fetched) -> None:
        """Tell the visit of a body that is archived already under another URL."""
        ...

    def judge(
        self, batch: Batch, visit: Visit, fetched: Fetched, understood: Understood
    ) -> Verdict:
        """Tell what is a duplicate; remember what is not, in the visit's batch."""
        ...

    def withdraw(self, batch: Batch, row: bytes) -> list[Reassigned]:
        """A page goes without a visit, or other people may read it from now on: it stands for no
        other page. Returns whose place changes with it."""
        ...


class Store(Protocol):
    """Where is it kept?"""

    def batch(self) -> Batch: ...
    def keep(
        self,
        batch: Batch,
        visit: Visit,
        fetched: Fetched,
        understood: Understood,
        finished: Finished,
    ) -> None:
        """The visit's rows, anchors at the targets' rows, and the change log, into the batch."""
        ...

    def commit(self, batch: Batch) -> None: ...
    def remove(self, batch: Batch, row: bytes, when: float) -> None:
        """A document went without a visit: its row says so, and followers are told."""
        ...

    def amend(  # noqa: PLR0913 - all that may change without a visit
        self,
        batch: Batch,
        row: bytes,
        when: float,
        readers: Sequence[str],
        fields: Fields = (),
        place: Reassigned | None = None,
    ) -> None:
        """A document changed without a visit: who may read it, and so its place among duplicates
        (engine/sharing.py), and what its source says of it."""
        ...


class Scope(Protocol):
    """Is it wanted? Before the fetch by its URL, after understanding by what it says."""

    def refuses(self, url: str) -> str:
        """The rule that refuses a URL, in words; empty when it is wanted."""
        ...

    def drops(self, document: Document) -> str:
        """Why an understood document is not kept; empty when it is. The reader asks; the scope of
        a crawl drops nothing, and those of files and mailboxes will."""
        ...


class Prioritizer(Protocol):
    """What is it worth to fetch? 0 to 1; 1 is a person's wish and is next at its site."""

    def priority(self, url: str, source: LinkSource, anchor_text: str) -> float: ...


class ContentScorer(Protocol):
    """How near are words to what is looked for? A byte for each part of it, 0 to 255."""

    def page(self, title: str, text: str) -> bytes: ...

    def link(self, anchor: str, around: str, url: str, page: bytes) -> bytes:
        """Of what a link leads to, by what is known before it is fetched; `page`: what was said of
        the page that it stands on."""
        ...


class Refresher(Protocol):
    """How does a page change, and when to look again?"""

    def learn(
        self,
        visit: Visit,
        fetched: Fetched,
        understood: Understood,
        resemblance: float,
        history: ChangeHistory | None,
    ) -> tuple[ChangeHistory, Change]:
        """What is known after a visit that found the page, and whether it changed; `resemblance`
        says how much of it is as before."""
        ...

    def plan(self, batch: Batch, row: bytes, history: ChangeHistory, now: float) -> float | None:
        """When to look again. None: not in this crawl."""
        ...

    def forget(self, batch: Batch, history: ChangeHistory) -> None:
        """The page is given up: nothing is planned for it from then on."""
        ...


class SourceSchedule(Protocol):
    """What does a sitemap or a feed come to? Asked in its visit's commit."""

    def take(
        self, batch: Batch, visit: Visit, fetched: Fetched, understood: Understood, now: float
    ) -> tuple[Sequence[ListedUrl], float | None]:
        """Of what it names that which is to be offered, and when to ask again. None: not in this
        crawl."""
        ...

    def adopt(self, batch: Batch, row: bytes, document: Document, now: float) -> float | None:
        """When to ask for what was fetched as a page, if it is a feed to be polled from now on.
        None: it is a page."""
        ...

    def is_wanted(self, row: bytes) -> bool:
        """Whether a source is still to be asked for: a person may have removed a feed."""
        ...


class DocumentSource(Protocol):
    """What does a place hold that is one's own, and what has become of it: a folder, a mailbox?

    It compares what is there with its inventory. All but `note` may block, and runs in a thread.
    """

    def watch(self) -> None:
        """Be told of changes from now on, where that is possible; what changed before is found by
        looking at everything."""
        ...

    def wait(self, seconds: float) -> bool:
        """Whether there is something to look at, within this time."""
        ...

    def changes(self, everything: bool) -> Iterator[Sequence[SourceChange]]:
        """What is otherwise than the inventory says: of everything, or of what stirred since.
        Changes of one list have nothing to do with each other. All of them have been taken in
        before the next list is asked for."""
        ...

    def open(self, taken: Taken) -> Fetched | None:
        """The bytes, as if they had been fetched; with another outcome than OK it may no longer be
        read. None: it has gone, or is being changed, which a later look will find."""
        ...

    def note(self, batch: Batch, change: SourceChange) -> None:
        """Remember that a change was taken in, in the batch of what it led to."""
        ...

    def row(self) -> SourceRow:
        """How it stands, for people."""
        ...

    def close(self) -> None: ...


class RemoteTablets(Protocol):
    """The other tablets of a cluster. What concerns them leaves in the batch at hand."""

    def owns(self, site: bytes) -> bool:
        """Whether a site (by its key) is this tablet's own."""
        ...

    def send(self, batch: Batch, site: bytes, item: Item) -> None:
        """To the tablet that has the site."""
        ...


LinksOf = Callable[[bytes], Sequence[Link]]
"""The stored out-links of a row, for lowering depths when a shorter path is found."""

Task = Callable[..., Sequence[Any]]
"""A pure function at the top of a module: what it is given is all that it knows, so it can be run
anywhere, and again."""


class Executor(Protocol):
    """Who does work that can be divided: this process, or tasks on many machines.

    What a task returns stays where it was made; what stands for it (a *held* value) is given to
    other tasks, which get the value itself, or fetched.
    """

    @property
    def capacity_bytes(self) -> int:
        """So much one task may be given, all in all."""
        ...

    @property
    def at_once(self) -> int:
        """So many tasks run side by side."""
        ...

    def each(
        self,
        task: Task,
        given: Iterable[Sequence[Any]],
        returns: int = 1,
        machines: Sequence[str] = (),
    ) -> list[list[Any]]:
        """Run a task for each of the given, side by side; it returns so many values, each of which
        is held. Held values among the given must be arguments of their own. `machines`: where each
        is to run, if that matters."""
        ...

    def fetch(self, ref: Any) -> Any: ...
