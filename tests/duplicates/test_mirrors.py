"""Mirrors of whole sites: learned, no longer fetched, sampled, unlearned."""

import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from shoal.duplicates.learn.lessons import MOST_CANDIDATES, Evidence, Unlearned, is_sample
from shoal.duplicates.learn.mirrors import MIRROR, Mirror, Mirrors, Worth, alike, places_between
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.ports import Table
from shoal.store.table import RocksTable

GNU, COPY = "http://gnu.example", "http://mirror.example/pub/gnu"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[RocksTable]:
    with RocksTable(tmp_path / "table") as table:
        yield table


class Walk:
    """Asks for URLs in turn, as the frontier would. A page without a group is a 404."""

    def __init__(
        self, table: Table, group_of_url: Callable[[str], str | None], worth: Worth = alike
    ) -> None:
        self.table = table
        self.group_of_url = group_of_url
        self.mirrors = Mirrors(table, worth)
        self.queued: list[str] = []
        self.missing: set[bytes] = set()
        self.groups: dict[bytes, bytes] = {}
        self.members: dict[bytes, list[bytes]] = {}
        self.fetched: list[str] = []
        self.refused: dict[str, str] = {}
        self.unlearned: list[Unlearned] = []

    def is_known(self, row: bytes) -> bool:
        return row not in self.missing and (row in self.groups or row in self.waiting)

    def ask_all(self, urls: Iterable[str]) -> "Walk":
        self.queued += urls
        self.waiting = {row_key(url) for url in self.queued}
        while self.queued:
            url = self.queued.pop(0)
            reason = self.mirrors.refusal(row_key(url), self.is_known)
            self.waiting.discard(row_key(url))
            if reason:
                self.refused[url] = reason
            else:
                self.fetch(url)
        return self

    def fetch(self, url: str) -> None:
        row, shown = row_key(url), self.group_of_url(url)
        self.fetched.append(url)
        if shown is None:
            self.missing.add(row)
            gone = set(self.mirrors.counterparts(row))
            self.again(refused for refused in list(self.refused) if row_key(refused) in gone)
            return
        group, batch = shown.encode(), self.table.batch()
        members = self.members.setdefault(group, [])
        site = site_of_key(row)
        twins = [member for member in members if site_of_key(member) != site]
        found = self.mirrors.observe(batch, row, group, twins, self.groups.get)
        self.table.write(batch)
        self.groups[row] = group
        members.append(row)
        self.unlearned += found
        for lesson in found:
            said = list(self.refused.items())
            self.again(url for url, reason in said if reason.startswith(lesson.reason))

    def again(self, urls: Iterable[str]) -> None:
        for url in urls:
            del self.refused[url]
            self.queued.append(url)
            self.waiting.add(row_key(url))

    def learned(self) -> list[tuple[str, str]]:
        return [(pair.original, pair.mirror) for pair in self.mirrors.known() if pair.learned]

    def shown(self) -> set[str | None]:
        return {self.group_of_url(url) for url in self.fetched}


def paths(pages: int = 200) -> list[str]:
    return ["/", *(f"/docs/p{n}.html" for n in range(1, pages))]


def shuffled(urls: Iterable[str], seed: int = 7) -> list[str]:
    listed = list(urls)
    random.Random(seed).shuffle(listed)
    return listed


def on_both(one: str, other: str, pages: int = 200) -> tuple[dict[str, str], list[str]]:
    groups = {place + path: path for path in paths(pages) for place in (one, other)}
    return groups, shuffled(groups)


PAIRS = pytest.mark.parametrize(
    ("original", "mirror"),
    [
        (GNU, "http://gnu-mirror.example"),
        (GNU, COPY),
        ("http://old.example/~anna", "http://annas-new-home.example/site"),
        ("http://fish.example", "https://fish.example"),
        ("http://fish.example", "http://www.fish.example"),
        ("http://127.0.0.1:8001", "http://127.0.0.1:18002"),
    ],
)


@PAIRS
def test_a_mirror_is_learned_and_no_page_is_missed(
    table: RocksTable, original: str, mirror: str
) -> None:
    groups, urls = on_both(original, mirror)
    walk = Walk(table, groups.__getitem__).ask_all(urls)
    assert walk.learned() == [(f"{original}/", f"{mirror}/")]
    assert walk.shown() == set(paths())
    assert all(url.startswith(mirror) for url in walk.refused)
    # The page of the site itself is a section of its own, where nothing was seen yet.
    copies = [url for url in urls[150:] if url.startswith(f"{mirror}/docs")]
    assert {url for url in copies if url in walk.fetched} == {
        url for url in copies if is_sample(row_key(url))
    }
    url, reason = walk.refused.popitem()
    taken = original + url.removeprefix(mirror)
    assert reason == f"mirror: {mirror}/ mirrors {original}/, and {taken} is taken there"


@PAIRS
def test_a_page_knows_its_counterparts(table: RocksTable, original: str, mirror: str) -> None:
    groups, urls = on_both(original, mirror)
    mirrors = Walk(table, groups.__getitem__).ask_all(urls).mirrors
    assert mirrors.counterparts(row_key(f"{original}/docs/x?y=1")) == [
        row_key(f"{mirror}/docs/x?y=1")
    ]
    assert mirrors.counterparts(row_key(f"{mirror}/docs/x")) == []
    assert mirrors.counterparts(row_key("http://other.example/docs/x")) == []


def test_the_one_that_is_worth_more_is_the_original(table: RocksTable) -> None:
    best = site_of_key(row_key("http://much-longer-name.example/"))
    groups, urls = on_both("http://short.example", "http://much-longer-name.example")
    walk = Walk(table, groups.__getitem__, lambda site: (float(site == best), 0.0)).ask_all(urls)
    assert walk.learned() == [("http://much-longer-name.example/", "http://short.example/")]


def test_a_page_that_the_original_does_not_have(table: RocksTable) -> None:
    """Learned first; then pages that only the mirror has, or that the original lost."""
    groups: dict[str, str | None] = dict(on_both(GNU, COPY)[0])
    lost = [f"/docs/lost{n}.html" for n in range(40)]
    groups |= {f"{GNU}{path}": None for path in lost} | {f"{COPY}{path}": path for path in lost}
    own = [f"/docs/own{n}.html" for n in range(40)]
    groups |= {f"{COPY}{path}": path for path in own}
    walk = Walk(table, groups.__getitem__).ask_all(
        shuffled(place + path for place in (GNU, COPY) for path in paths())
    )
    assert walk.learned()
    # The mirror's page comes first and is refused; then the original turns out to be a 404.
    walk.ask_all([f"{COPY}{path}" for path in lost + own] + [f"{GNU}{path}" for path in lost])
    assert {path for path in lost + own if path not in walk.shown()} == set()


def test_two_sites_of_one_software(table: RocksTable) -> None:
    """The same help pages at the same paths, and all else distinct: nothing is refused."""
    urls = [
        f"{site}{path}"
        for site in ("http://a.example", "http://b.example")
        for path in [*(f"/help/{n}" for n in range(10)), *(f"/wiki/{n}" for n in range(100))]
    ]

    def group(url: str) -> str:
        return url.partition(".example")[2] if "/help/" in url else url

    for seed in range(3):
        walk = Walk(table, group).ask_all(shuffled(urls, seed))
        assert walk.refused == {}


def test_a_part_that_differs_is_not_refused(table: RocksTable) -> None:
    """A copy of the manual is known to be one; what the sites say for themselves is fetched."""
    manual = [f"/manual/{n}" for n in range(100)]
    news = [f"/news/{n}" for n in range(100)]

    def group(url: str) -> str:
        return url.partition(".example")[2] if "/manual/" in url else url

    sites = ("http://a.example", "http://b.example")
    walk = Walk(table, group).ask_all(shuffled(site + path for site in sites for path in manual))
    assert walk.learned()
    before = set(walk.refused)
    walk.ask_all(shuffled(site + path for site in sites for path in news))
    assert set(walk.refused) <= before
    assert walk.shown() >= {site + path for site in sites for path in news}


@pytest.mark.parametrize("seed", range(3))
def test_an_accident_in_sixteen_is_borne(table: RocksTable, seed: int) -> None:
    groups, urls = on_both(GNU, COPY, 300)
    chance = random.Random(seed)
    for url in list(groups):
        if chance.random() < 0.01:
            groups[url] = url  # not yet copied
    walk = Walk(table, groups.__getitem__).ask_all(urls)
    assert len(walk.refused) > 50


def test_twelve_of_eight_groups_and_one_in_sixteen_against() -> None:
    eight, seven, noisy = Evidence(), Evidence(), Evidence()
    for n in range(64):
        eight.add(MIRROR, b"%d" % (n % 8), True, "")
        assert eight.learned is (n >= 11)
        seven.add(MIRROR, b"%d" % (n % 7), True, "")
        assert not seven.learned
        noisy.add(MIRROR, b"%d" % n, n % 16 != 3, "")
        assert noisy.learned is (n >= 11)


def test_a_mirror_that_goes_its_own_way(table: RocksTable) -> None:
    is_mirror = True

    def group(url: str) -> str:
        return url if not is_mirror else url.removeprefix(GNU).removeprefix(COPY)

    first = [place + path for place in (GNU, COPY) for path in paths()]
    walk = Walk(table, group).ask_all(shuffled(first))
    assert walk.refused
    is_mirror = False
    later = [f"{place}/docs/new{n}" for n in range(600) for place in (GNU, COPY)]
    walk.ask_all(later)
    assert [(lesson.site, lesson.rule) for lesson in walk.unlearned] == [
        (site_of_key(row_key(COPY)), f"{COPY}/ mirrors {GNU}/")
    ]
    compared = [url for url in walk.fetched if url.startswith(f"{COPY}/docs/new")]
    at = compared.index(next(url for url in compared if not is_sample(row_key(url))))
    assert at <= 40  # samples before it was unlearned
    assert walk.refused == {}
    assert set(later) <= set(walk.fetched)


def test_a_ring_of_mirrors_keeps_one(table: RocksTable) -> None:
    """What sites are worth changes while they are compared, and still one is the original."""
    ranks = "abc"

    def worth(site: bytes) -> tuple[float, ...]:
        return (ranks.index(chr(site[len("example,")])),)

    walk = Walk(table, lambda url: url.partition(".example")[2], worth)
    for path in paths(60):
        walk.ask_all([f"http://a.example{path}", f"http://b.example{path}"])
    assert walk.learned() == [("http://b.example/", "http://a.example/")]
    ranks = "bca"  # c before b, and a before c
    for path in paths(60):
        walk.fetch(f"http://c.example{path}")
    pairs = walk.learned()
    assert len(pairs) == 3
    mirrors = {mirror for _, mirror in pairs}
    assert len(mirrors) == 2  # so that one of three is nobody's mirror


@pytest.mark.parametrize(
    ("a", "b", "places"),
    [
        ("http://a.example/x", "http://b.example/x", ("http://a.example", "http://b.example")),
        ("http://a.example/", "http://b.example/", ("http://a.example", "http://b.example")),
        (f"{COPY}/x/", f"{GNU}/x/", (GNU, COPY)),
        (f"{COPY}/x?y=/1", f"{GNU}/x?y=/1", (GNU, COPY)),
        ("http://a.example/x", "http://b.example/y", None),
        ("http://a.example/x?y", "http://b.example/x?z", None),
        ("http://a.example/x/", "http://b.example/", None),
        ("http://a.example/ax", "http://b.example/x", None),
        ("http://a.example/1/2/3/4/5/x", "http://b.example/x", None),
        ("http://a.example/" + "y" * 300 + "/x", "http://b.example/x", None),
        ("http://a.example/a/x", "http://a.example/b/x", None),
    ],
)
def test_what_two_rows_suggest(a: str, b: str, places: tuple[str, str] | None) -> None:
    expected = None if places is None else tuple(sorted(_place(url) for url in places))
    assert places_between(row_key(a), row_key(b)) == expected
    assert places_between(row_key(b), row_key(a)) == expected


def _place(url: str) -> bytes:
    return row_key(f"{url}/")[:-1]


def test_hostile_rows_are_looked_at_in_part() -> None:
    deep = "/a" * 100_000
    found = places_between(row_key(f"http://a.example{deep}"), row_key(f"http://b.example{deep}"))
    assert found == (_place("http://a.example"), _place("http://b.example"))
    slashes = "/" * 100_000
    one, other = row_key(f"http://a.example{slashes}x"), row_key(f"http://b.example{slashes}")
    assert places_between(one, other) is None


def test_few_candidates_are_kept(table: RocksTable) -> None:
    """A licence that stands on every site crowds no real mirror out."""
    groups, urls = on_both(GNU, COPY)
    licences = [f"http://site{n}.example/a{n}/licence" for n in range(100)]
    groups |= dict.fromkeys([*licences, f"{GNU}/licence", f"{COPY}/licence"], "licence")
    walk = Walk(table, groups.__getitem__)
    walk.ask_all([*urls[:200], f"{GNU}/licence", *licences[:50]])
    for n in range(50):
        walk.fetch(f"{GNU}/licence")
        walk.fetch(licences[50 + n])
    (real,) = [pair for pair in walk.mirrors.known() if pair.learned]
    assert (real.original, real.mirror) == (f"{GNU}/", f"{COPY}/")
    assert real.compared >= 12
    per_site: dict[str, int] = {}
    for pair in walk.mirrors.known():
        for url in (pair.original, pair.mirror):
            host = url.split("/")[2]
            per_site[host] = per_site.get(host, 0) + 1
    assert max(per_site.values()) <= MOST_CANDIDATES


def test_what_was_learned_survives(tmp_path: Path) -> None:
    groups, urls = on_both(GNU, COPY)
    with RocksTable(tmp_path / "table") as table:
        walk = Walk(table, groups.__getitem__).ask_all(urls[:200])
        before = list(walk.mirrors.known())
        assert [pair.learned for pair in before] == [True]
        assert isinstance(before[0], Mirror)
        assert before[0].compared == before[0].same >= 12
    with RocksTable(tmp_path / "table") as table:
        again = Walk(table, groups.__getitem__)
        assert list(again.mirrors.known()) == before
        url = next(url for url in urls if url.startswith(COPY) and not is_sample(row_key(url)))
        assert again.mirrors.refusal(row_key(url), lambda _: True)
        assert not again.mirrors.refusal(row_key(url), lambda _: False)


def test_sites_without_copies_leave_nothing(table: RocksTable) -> None:
    Walk(table, lambda url: url).ask_all(f"http://{n % 9}.example/p{n}" for n in range(100))
    assert list(table.scan("print", b"")) == []
