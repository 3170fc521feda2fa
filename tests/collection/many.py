"""One crawled collection, and the same rows as four tablets: what is asked of both must agree.

The web has a few of everything that crosses hosts: spellings, redirects, canonical pages, copies.
"""

import os
import pickle
import shutil
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from shoal.collection.tablets import LocalTablets
from shoal.frontier.state.rows import COUNTS_KEY, row_of_url_key, unpack_url
from shoal.layout.layout import Layout
from shoal.model.cell import NUL, stamp_of, stamped, value_of
from shoal.model.digest import stable_number
from shoal.model.record import pack, unpack
from shoal.model.urls.partition import PARTITION_KEY, Partition, tablet_of_row, tablet_of_site
from shoal.store.rows import OutLink
from shoal.store.table import RocksTable
from tests.crawl.run import crawl
from tests.world import Web, serve

TABLETS = 4
_NAMES = ("reef", "kelp", "cove", "dune", "tide", "surf", "gull", "crab")
HOSTS = [f"{name}.example" for name in _NAMES]
PAGES = 5
"""Of each host that link to any."""


@dataclass(frozen=True)
class Both:
    one: Path
    many: list[Layout]
    sites: list[str]


class FarTablets(LocalTablets):
    """As if they stood on other machines: what is asked and answered is carried there and back."""

    def ask(self, tablet: int, question: Any, *given: Any, **named: Any) -> Any:
        asked, its, by_name = _carried((question, given, named))
        return _carried(super().ask(tablet, asked, *its, **by_name))

    def ask_all(self, question: Any, *given: Any, **named: Any) -> list[Any]:
        return [self.ask(tablet, question, *given, **named) for tablet in range(self.count)]

    def ask_each(self, question: Any, given: Sequence[tuple[Any, ...]]) -> list[Any]:
        return [self.ask(tablet, question, *each) for tablet, each in enumerate(given)]


def _carried(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own


def copied(layouts: Sequence[Layout], into: Path) -> list[Layout]:
    """Copies of tablets, to be changed."""
    copies = [Layout(into / layout.directory.name) for layout in layouts]
    for layout, copy in zip(layouts, copies, strict=True):
        shutil.copytree(layout.directory, copy.directory)
    return copies


def crawled(directory: Path) -> list[str]:
    """Crawl a little web; the URLs of its hosts."""
    sites = [f"http://{host}" for host in HOSTS]
    with serve(Web(seed=9, hosts=1, pages=1)) as world:
        pages = dict(_pages(sites))
        for (host, path), body in pages.items():
            world.put(HOSTS[host], path, body)
        for host, path, to in ((1, "/dir", "/dir/"), (2, "/moved", f"{sites[3]}/target")):
            world.put(HOSTS[host], path, status=301, headers={"Location": to})
        named = "".join(f"<a href='{sites[host]}{path}'>{path}</a> " for host, path in pages)
        world.put(HOSTS[0], "/", f"{named}<a href='{sites[2]}/moved'>moved</a>")
        address = f"{world.web.host_name(0)}:{world.port}"
        at = {f"resolve.{host}": address for host in HOSTS}
        crawl(directory, [f"{sites[0]}/"], {"politeness.delay": 0.01, **at})
    return sites


def _pages(sites: list[str]) -> list[tuple[tuple[int, str], str]]:
    away = "".join(f"<a href='{site}/shared'>shared</a>" for site in sites[3:6])
    found = [
        ((1, "/slash/"), "<p>A page that others name without its slash.</p>"),
        ((1, "/dir/"), "<p>A directory, to which its name redirects.</p>"),
        ((3, "/target"), f"<p>Where things move to.</p><a href='{sites[1]}/slash/'>slash</a>"),
        ((4, "/canon"), f"<link rel=canonical href='{sites[5]}/shared'><a href='/shared'>x</a>"),
        ((5, "/spam"), f"<p>Buy.</p><a rel=nofollow href='{sites[6]}/shared'>spam</a>"),
    ]
    found += [((host, "/copy"), f"<p>{_tale(90)}</p>{away}") for host in (6, 7)]
    found += [((6, f"/copy/{number}"), f"<p>{_tale(80)}</p>{away}") for number in (1, 2)]
    random = Random(1)
    for host in range(len(HOSTS)):
        for number in range(PAGES):
            to = [(random.choice(sites), random.randrange(PAGES)) for _ in range(6)]
            links = "".join(f"<a href='{site}/page/{n}'>page {n}</a> " for site, n in to)
            found.append(((host, f"/page/{number}"), f"<p>Page {number} of {host}.</p>{links}"))
        other = sites[(host + 3) % len(HOSTS)]
        names = (f"{sites[1]}/slash", f"{sites[1]}/dir", f"{other}/shared", f"{other}/nowhere")
        anchors = "".join(f"<a href='{link}'>from {host}</a> " for link in names)
        found.append(((host, "/shared"), f"<main><p>{_tale(host)}</p></main>{anchors}"))
    return found


def _tale(host: int) -> str:
    """Of two hosts each nearly the same."""
    random = Random(host // 2)
    words = ["".join(random.choices("abcdefghijklmnop", k=6)) for _ in range(150)]
    words[-1] = f"host{host}"
    return " ".join(words)


def divided(source: Path, into: Path, tablets: int = TABLETS) -> list[Layout]:
    """The rows of a collection as so many tablets: each has its own, and the whole archive."""
    whole = Layout(source)
    layouts = [Layout(into / f"{number:03d}") for number in range(tablets)]
    for layout in layouts:
        layout.create("")
        shutil.copy(whole.settings, layout.settings)
        for file in whole.warc.iterdir():
            os.link(file, layout.warc / file.name)
    with RocksTable(whole.table, reader=True) as table:
        rows: list[list[tuple[str, bytes, bytes]]] = [[] for _ in layouts]
        for family in ("page", "text", "link", "mark", "anchor"):
            for key, value in table.scan(family, b"\x01"):
                row = key.partition(NUL)[0]
                number = tablet_of_row(row, tablets)
                kept = _at_home(value, number, tablets) if family == "link" else value
                rows[number].append((family, key, kept))
        for number, found in enumerate(_sites(table, tablets)):
            rows[number] += found
    for layout, own in zip(layouts, rows, strict=True):
        with RocksTable(layout.table) as table:
            batch = table.batch()
            for family, key, value in own:
                batch.put(family, key, value)
            table.write(batch)
    return layouts


def _at_home(stored: bytes, number: int, tablets: int) -> bytes:
    links = unpack(list[OutLink], value_of(stored))
    for link in links:
        if link.target and tablet_of_row(link.target, tablets) != number:
            link.target = b""
    return stamped(stamp_of(stored), pack(links))


def _sites(table: RocksTable, tablets: int) -> list[list[tuple[str, bytes, bytes]]]:
    """Of the family `site`: the sites and hosts with their owners, and counts of the own rows."""
    rows: list[list[tuple[str, bytes, bytes]]] = [[] for _ in range(tablets)]
    for key, value in table.scan("site", b"\x00"):
        name, _, kind = key.partition(NUL)
        if key.startswith(NUL):
            if key != COUNTS_KEY:
                for each in rows:
                    each.append(("site", key, value))
        elif kind == b"host":
            rows[stable_number(name) % tablets].append(("site", key, value))
        elif kind != b"credit":
            rows[tablet_of_site(name, tablets)].append(("site", key, value))
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for key, value in table.scan("page", b"\x01"):
        row = row_of_url_key(key)
        if row is not None:
            counts[tablet_of_row(row, tablets)][unpack_url(value).counted_as] += 1
    stored = unpack(dict[str, int], table.get("site", COUNTS_KEY) or b"")
    totals = {name: count for name, count in stored.items() if name.startswith("total/")}
    counts[0].update(totals)
    for number in range(tablets):
        rows[number].append(("site", COUNTS_KEY, pack(dict(counts[number]))))
        rows[number].append(("site", PARTITION_KEY, pack(Partition(number, tablets))))
    return rows
