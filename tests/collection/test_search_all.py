"""A search over all tablets: what one index that holds everything would answer."""

import pickle
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.search_scores import load, mean, scores
from shoal.access.indexing import reindex
from shoal.access.opening import open_collection
from shoal.collection.collection import Collection
from shoal.collection.search import search_questions as questions
from shoal.collection.search.results import Results
from shoal.collection.tablets import LocalTablets
from shoal.errors import CollectionError, UsageError
from shoal.frontier.state.rows import COUNTS_KEY
from shoal.index.index_directory import start
from shoal.layout.layout import Layout
from shoal.model.compression import zstd
from shoal.model.document import Document, Fate, Understood
from shoal.model.link import Link
from shoal.model.outcome import Outcome
from shoal.model.principal import OWNER, PUBLIC, Principal
from shoal.model.record import pack
from shoal.model.urls.rowkey import row_key, site_key
from shoal.model.urls.url import site_of
from shoal.model.visit import Fetched, Visit
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.collection.many import divided
from tests.store.parts import finished

NOON = 1_700_000_000.0
TABLETS = 4
HOSTS = 12
PAGES = 300
_WORDS = (
    *("reef", "coral", "kelp", "otter", "urchin", "tide", "wave", "current", "shark"),
    *("whale", "plankton", "lagoon", "atoll", "anemone", "clownfish", "seagrass", "manatee"),
    *("sponge", "barnacle", "octopus", "squid", "cuttlefish", "dolphin", "seal", "penguin"),
)


class Page:
    def __init__(self, url: str, title: str, text: str, **more: Any) -> None:
        self.url = url
        self.title = title
        self.text = text
        self.links: dict[str, str] = more.pop("links", {})
        self.more = more


def fill(directory: Path, pages: Sequence[Page]) -> None:
    layout = Layout(directory)
    layout.create("")
    with RocksTable(layout.table) as table:
        store = PageStore(table, layout.warc)
        for number, page in enumerate(pages):
            document = Document(
                title=page.title,
                text=zstd(page.text.encode()),
                text_chars=len(page.text),
                media_type="text/html",
                language="en",
                fate=Fate.WAITING,
            )
            for name, value in page.more.items():
                setattr(document, name, value)
            out = [Link(to, row_key(to), said) for to, said in page.links.items()]
            visit = Visit(page.url, row_key(page.url), site_key(site_of(page.url)), is_first=True)
            batch = store.batch()
            fetched = Fetched(Outcome.OK, status=200, ended=NOON + 60 * number)
            understood = Understood([document], out)
            targets = [link.row for link in out]
            store.keep(batch, visit, fetched, understood, finished(understood, targets))
            store.commit(batch)
        batch = table.batch()
        batch.put("site", COUNTS_KEY, pack({}))  # `divided` looks for them
        table.write(batch)


def url(host: int, number: int) -> str:
    return f"http://host{host}.example/{number}"


def made() -> list[Page]:
    """Hosts speak of different things, at different lengths, so that no tablet is like the
    whole."""
    chance = random.Random(5)
    pages = []
    for number in range(PAGES):
        host = number % HOSTS
        liked = [_WORDS[(3 * host + each) % len(_WORDS)] for each in range(5)]
        words = chance.choices([*_WORDS, *liked * 4, "the", "of"], k=chance.randrange(8, 30))
        words *= 1 + 2 * (host % 4)
        chance.shuffle(words)
        to = chance.randrange(PAGES)
        links = {url(to % HOSTS, to): " ".join(chance.choices(_WORDS, k=2))}
        title = " ".join(dict.fromkeys(chance.choices(_WORDS, k=3)))
        pages.append(Page(url(host, number), title, " ".join(words), links=links))
    german = "Die Haie und die Wale leben in den Meeren; Korallen wachsen langsam am Riff. "
    pages += [
        Page(url(host, 900 + host), "Haie", german * (1 + host % 3), language="de")
        for host in range(0, HOSTS, 2)
    ]
    pages.append(Page(url(3, 950), "東京大学", "東京大学は東京都にある。", language="ja"))
    pages.append(Page(url(5, 951), "東京", "京都と東京。", language="ja"))
    pages.append(Page(url(7, 960), "Secret", "A secret reef of corals.", readers=["ann"]))
    return pages


class Carried(LocalTablets):
    """Questions and answers go through bytes, as they do between machines."""

    def __init__(self, places: Sequence[Layout], principal: Principal = OWNER) -> None:
        super().__init__(places, principal)
        self.put: list[str] = []
        self.between: Callable[[str], None] = lambda _name: None

    def ask(self, tablet: int, question: Any, *given: Any, **named: Any) -> Any:
        question, given, named = pickle.loads(pickle.dumps((question, given, named)))  # noqa: S301
        answer = question(self.view(tablet), *given, **named)
        return pickle.loads(pickle.dumps(answer))  # noqa: S301

    def ask_all(self, question: Any, *given: Any, **named: Any) -> list[Any]:
        answers = [self.ask(tablet, question, *given, **named) for tablet in range(self.count)]
        self._was_put(question)
        return answers

    def ask_each(self, question: Any, given: Sequence[tuple[Any, ...]]) -> list[Any]:
        answers = [self.ask(tablet, question, *each) for tablet, each in enumerate(given)]
        self._was_put(question)
        return answers

    def _was_put(self, question: Any) -> None:
        self.put.append(question.__name__)
        self.between(question.__name__)


class Places:
    def __init__(self, folder: Path, pages: Sequence[Page], tablets: int) -> None:
        self.one = folder / "one"
        fill(self.one, pages)
        self.many = divided(self.one, folder / "many", tablets)
        for each in (self.one, *(layout.directory for layout in self.many)):
            reindex(each)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    return Places(tmp_path_factory.mktemp("searched"), made(), TABLETS)


@pytest.fixture(scope="module")
def one(places: Places) -> Iterator[Collection]:
    with open_collection(places.one) as collection:
        yield collection


@pytest.fixture(scope="module")
def tablets(places: Places) -> Iterator[Carried]:
    with Carried(places.many) as tablets:
        yield tablets


@pytest.fixture(scope="module")
def every(tablets: Carried) -> Collection:
    return Collection(tablets)


def urls(found: Results) -> list[str]:
    return [each.url for each in found]


def assert_same(ours: Results, theirs: Results) -> None:
    assert urls(ours) == urls(theirs)
    assert (ours.text, ours.notes, ours.total) == (theirs.text, theirs.notes, theirs.total)
    assert (ours.page, ours.has_more, ours.behind) == (theirs.page, theirs.has_more, theirs.behind)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.score == pytest.approx(other.score, rel=0.01)
        assert (mine.snippet, mine.title, mine.site) == (other.snippet, other.title, other.site)
        assert (mine.fetched, mine.published) == (other.fetched, other.published)
        # The last of the candidates may be another where many are nearly alike.
        assert mine.more_from_site == pytest.approx(other.more_from_site, abs=1)
    assert {name: sorted(values) for name, values in ours.facets.items()} == {
        name: sorted(values) for name, values in theirs.facets.items()
    }


QUERIES = [
    "reef",
    "coral otter",
    "reef kelp shark the plankton",
    "which whale eats plankton in a lagoon of the atoll?",
    "+reef -kelp",
    "intitle:reef coral",
    "inanchor:whale",
    "haie korallen",
    "lang:de reef haie",
    "京",
    "東京都",
    "the of",
    "host3",
    "nothing-of-the-sort",
    "",
    "site:host3.example reef",
    "site:host3.example",
    "reef (whale OR squid) -site:host1.example",
    f"link:{url(0, 0)}",
    f"related:{url(2, 2)}",
    "related:http://elsewhere.example/",
    "link:mailto:x",
    "mark:none=here",
    '"great white reef"',
]


@pytest.mark.parametrize("query", QUERIES)
def test_it_answers_as_one_index(one: Collection, every: Collection, query: str) -> None:
    assert_same(every.search(query, facets=True), one.search(query, facets=True))


def test_phrases(one: Collection, every: Collection) -> None:
    chance = random.Random(1)
    found = 0
    for number in chance.sample(range(PAGES), 12):
        words = made()[number].text.split()
        at = chance.randrange(len(words) - 1)
        ours, theirs = (each.search(f'"{" ".join(words[at : at + 2])}"') for each in (every, one))
        assert (ours.total, ours.notes) == (theirs.total, theirs.notes)
        assert set(urls(ours)[:3]) <= set(urls(theirs))
        found += ours.total
    assert found > 12


def test_pages_of_results(one: Collection, every: Collection) -> None:
    for page in (2, 5, 40):
        ours, theirs = (each.search("reef coral", page=page, limit=7) for each in (every, one))
        assert (len(ours), ours.has_more) == (len(theirs), theirs.has_more)
    seen = [each for page in range(1, 60) for each in urls(every.search("reef", page=page))]
    assert len(seen) == len(set(seen)) == every.search("reef").total


def test_where_only_filters_are_given_the_newest_come_first(
    one: Collection, every: Collection
) -> None:
    for query in ("after:2020", "lang:en", "-lang:en"):
        ours = every.search(query, limit=20)
        assert_same(ours, one.search(query, limit=20))
    dates = [each.fetched for each in every.search("lang:en", limit=30, site_limit=0)]
    assert dates == sorted(dates, reverse=True)
    assert len(dates) == 30


def test_words_are_weighed_by_the_whole(one: Collection, every: Collection) -> None:
    ours, theirs = (each.search("reef kelp", explain=True) for each in (every, one))
    assert_same(ours, theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.explanation is not None
        assert other.explanation is not None
        assert sum(part.value for part in mine.explanation) == pytest.approx(mine.score)
        assert [part.says for part in mine.explanation] == [part.says for part in other.explanation]


def test_nobody_finds_what_they_may_not_read(places: Places) -> None:
    for principal, total in ((PUBLIC, 0), (Principal(frozenset({"ann"})), 1)):
        with (
            Carried(places.many, principal) as tablets,
            open_collection(places.one, principal) as one,
        ):
            every = Collection(tablets)
            assert every.search("secret").total == total
            assert (
                every.search(f"related:{url(7, 960)}").total
                == one.search(f"related:{url(7, 960)}").total
            )
            for query in ("reef secret", "coral", "site:host7.example"):
                assert_same(every.search(query, facets=True), one.search(query, facets=True))


def test_a_commit_between_two_questions(places: Places, one: Collection) -> None:
    with Carried(places.many) as tablets:

        def opened_anew(name: str) -> None:
            if name == "best_hits" and tablets.put.count(name) == 1:
                tablets.view(1).searcher = None

        tablets.between = opened_anew
        found = Collection(tablets).search("reef kelp")
        assert tablets.put.count("best_hits") == 2
        assert_same(found, one.search("reef kelp"))


def test_no_question_is_put_twice_without_need(tablets: Carried, every: Collection) -> None:
    every.search("warm up")
    tablets.put.clear()
    every.search("reef kelp")
    wanted = (questions.word_statistics, questions.best_hits, questions.details, questions.shown)
    assert tablets.put == [each.__name__ for each in wanted]


def test_tablets_without_an_index(tmp_path: Path) -> None:
    layouts = [Layout(tmp_path / str(number)) for number in range(2)]
    for layout in layouts:
        fill(layout.directory, [])
    with Carried(layouts) as tablets:
        every = Collection(tablets)
        with pytest.raises(CollectionError, match="No tablet has a full-text index"):
            every.search("reef")
        layouts[0].index.mkdir(exist_ok=True)
        start(layouts[0].index)
        found = every.search("reef", facets=True)
        assert (found.total, found.results) == (0, [])
        assert found.notes == ["1 of 2 tablets have no full-text index yet"]


def test_what_makes_no_sense_is_refused(every: Collection) -> None:
    with pytest.raises(UsageError, match="limit must be from 1 to 100"):
        every.search("reef", limit=0)
    with pytest.raises(UsageError, match="must be a string"):
        every.search(7)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["adi", "cisi", "cranfield"])
def test_judged_collections(shoal_data: Path, tmp_path: Path, name: str) -> None:
    """Eight tablets are as good as one index, on real texts."""
    folder = shoal_data / "ir" / name
    if not folder.is_dir():
        pytest.skip(f"no ir/{name} under SHOAL_DATA")
    judged = load(folder)
    pages = [
        Page(f"http://h{number % 64}.{name}.test/{each}", "", text)
        for number, (each, text) in enumerate(judged.documents)
    ]
    places = Places(tmp_path, pages, 8)
    answers: list[tuple[list[str], list[str]]] = []
    with open_collection(places.one) as one, LocalTablets(places.many) as tablets:
        every = Collection(tablets)
        for _, text in judged.queries:
            both = [each.search(text, site_limit=0) for each in (one, every)]
            assert both[0].total == both[1].total
            names = [[each.rpartition("/")[2] for each in urls(found)] for found in both]
            answers.append((names[0], names[1]))
    of_one, of_many = (scores(judged, list(each)) for each in zip(*answers, strict=True))
    assert mean(of_many) == pytest.approx(mean(of_one), abs=0.005)
