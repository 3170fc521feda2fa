"""The same of files and mails as they are: a folder that was crawled, folders and mailboxes that
were added, with and without what Bob may not read; byte for byte, but for the times of visits."""

import os
import random
import re
import shutil
import tempfile
import time
import zipfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

import shoal
from shoal.access.opening import open_collection
from shoal.collection.collection import Collection
from shoal.collection.export.export import Export
from shoal.collection.search import finding
from shoal.errors import ShoalError, UsageError
from shoal.model.principal import Principal
from shoal.web.server.serve import make_app
from tests.contract.lessons import LEARNED
from tests.contract.test_collection import ASKED
from tests.contract.test_non_interference import _OF_ALL, _explained, _exported, _searched
from tests.web.little_web import Serving, client_of

# One worker: then it is no matter of luck which of two copies comes first, and stands for both.
ANN, BOB, READERS = 4001, 4002, 5002
WHO = Principal(frozenset({"local", f"u:{BOB}", f"g:{READERS}"}))
FAST: dict[str, object] = {
    "crawl.children": 1,
    "crawl.workers": 1,
    "crawl.scope": "host",
    "politeness.delay": 0.0,
    "files.share": 64.0,
    "index.follow": "yes",
}
_words = str.split
_COMMON = _words("the water is deep and fish are many in this sea of ours near a coast")
_WORDS = _words("kelp otter urchin coral tide wreck harbour captain rope storm compass monsoon")
_NAMED = ("Ann Smith of Google said so in London.", "Mr. Smith went to Norway with Mary Jones.")
_LONG_AGO = 1_600_000_000
_LATE = 1e9
_TIMES = re.compile(rb"20(?:2[4-9]|[3-9]\d)-\d\d-\d\dT[\d:.]+Z?|\b1[78]\d{8}(?:\d{3})?(?:\.\d+)?\b")
_ODD = ("limit", "page", "sort", "language", "site", "host", "type", "after", "before", "as")
_EDGES = ("", "0", "-1", "1", "7", "101", "1000000", "x", "fr", "ann", "file:", "2018-01-01")
_OTHERS = (
    *(
        "/urls",
        "/sites",
        "/freshness",
        "/log",
        "/store",
        "/runs",
        "/duplicates",
        "/graph",
        "/feeds",
    ),
    *(
        "/tree",
        "/crawl",
        "/failures",
        "/cluster",
        "/metrics",
        "/health",
        "/openapi",
        "/opensearch.xml",
    ),
    *("/", "/nothing", "/robots.txt", "/dashboard", "/sources", "/file", "/mail"),
)
_OF_THE_PLACE = {"is_running", "config"}


class Tree:
    """What everybody may read, what Bob may read as a reader; then also what only Ann may read."""

    def __init__(self, place: Path, seed: int, files: int) -> None:
        self.place, self._draw, self._files = place, random.Random(seed), files
        self.texts: list[str] = []
        self.paths: list[Path] = []
        for name in ("site", "docs"):
            (place / name / "below").mkdir(parents=True)
        for at in range(files):
            part = place / ("site" if at % 2 else "docs")
            self._page(part / f"p{at}.html", self._text(at), 0o640 if at % 5 == 0 else 0o644)
        self._archive(place / "site" / "p.zip", 0o644)
        self._archive(place / "docs" / "p.zip", 0o640)
        self.box(place / "box", "list", 8, 0o644)
        for name in ("reef", "wreck"):
            (place / "lessons" / name).mkdir(parents=True)
            said = _WORDS[:6] if name == "reef" else _WORDS[6:]
            for at in range(4):
                (place / "lessons" / name / f"{at}.txt").write_text(" ".join(said[at % 3 :] * 3))

    def hide(self) -> None:
        """Beside them, before them and behind them in every order."""
        draw = self._draw
        for name in ("site", "docs"):
            (self.place / name / "closed").mkdir(mode=0o700)
            os.chown(self.place / name / "closed", ANN, ANN)
        for at in range(2 * self._files):
            part = self.place / ("site" if at % 2 else "docs")
            folder = part / draw.choice(["", "below", "closed"])
            called = draw.choice(["a", "z", f"p{at}"])
            mode = 0o644 if folder.name == "closed" else draw.choice([0o600, 0o400])
            match at % 5:
                case 0:
                    text = draw.choice(self.texts)
                case 1:
                    text = draw.choice(self.texts) + " and one thing beside it"
                case 2:
                    text = f"zyzzyva{at % 4} quagga " + self._text(at)
                case 3:
                    text = "kelp otter water fish " * draw.randrange(3, 60)
                case _:
                    text = "le poisson nage dans la mer profonde et les bateaux rentrent au port"
            hub = draw.sample(self.paths[: self._files], 5) if at % 3 == 0 else []
            self._page(folder / f"{called}-secret{at}.html", text, mode, hub)
        self._archive(self.place / "site" / "a.zip", 0o600)
        self._archive(self.place / "docs" / "z.zip", 0o600)
        self.box(self.place / "ann", "ann", 12, 0o600)

    def box(self, path: Path, name: str, count: int, mode: int) -> None:
        said = []
        for at in range(count):
            thread = f"<thread{at % 3}@mail.example>"
            said.append(
                f"From {name}@mail.example Mon Jan  1 00:00:{at:02} 2024\n"
                f"From: {name}{at % 3} <{name}{at % 3}@mail.example>\nTo: bob@mail.example\n"
                f"Subject: {' '.join(self._draw.choices(_WORDS, k=2))}\n"
                f"Date: Mon, 1 Jan 2018 00:00:{at:02} +0000\nReferences: {thread}\n"
                f"Message-ID: <{name}{at}@mail.example>\n\n{self._text(at)}\n\n"
            )
        path.write_text("".join(said))
        _own(path, mode)

    def _text(self, at: int) -> str:
        words = self._draw.choices(_COMMON, k=20) + self._draw.choices(_WORDS, k=10 + at % 20)
        self._draw.shuffle(words)
        self.texts.append(" ".join([*words, ".", *_NAMED[: at % 3]]))
        return self.texts[-1] if at % 7 else self.texts[-2 % len(self.texts)]

    def _page(self, path: Path, text: str, mode: int, hub: list[Path] | None = None) -> None:
        linked = hub or self._draw.sample(self.paths, min(3, len(self.paths)))
        links = "".join(
            f'<a href="{each.as_uri()}">{self._draw.choice(_WORDS)}</a> ' for each in linked
        )
        title = " ".join(self._draw.choices(_WORDS, k=2))
        path.write_text(f"<title>{title}</title><h1>{title}</h1><p>{text}</p><p>{links}</p>")
        _own(path, mode)
        self.paths.append(path)

    def _archive(self, path: Path, mode: int) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            for at in range(3):
                archive.writestr(f"in{at}.txt", self._text(at + 1))
        _own(path, mode)
        self.paths += [path, *(Path(f"{path}#in{at}.txt") for at in range(3))]


def _own(path: Path, mode: int) -> None:
    path.chmod(mode)
    os.chown(path, ANN, READERS)
    os.utime(path, (_LONG_AGO, _LONG_AGO))


class Worlds:
    def __init__(self, place: Path, seed: int, files: int) -> None:
        """Both are called alike, since pages say the name."""
        tree = Tree(place / "files", seed, files)
        self.without, self.everything = place / "one" / "corpus", place / "two" / "corpus"
        self._build(tree, self.without)
        tree.hide()
        self._build(tree, self.everything, tree.place / "ann")
        self.urls = [f"file://{path}" for path in tree.paths]
        self.urls += [f"{(tree.place / part).as_uri()}/" for part in ("site", "site/closed")]
        with open_collection(self.everything) as collection:
            self.urls += [url for url, _ in collection.urls() if url.startswith("mail:")]
        self.words = [*_WORDS, *_COMMON[:8], "zyzzyva1", "quagga", "poisson", "secret3", "in1"]

    def _build(self, tree: Tree, place: Path, *boxes: Path) -> None:
        """Classes and a topic are learned before folders are added; no tree, of such documents
        alone: it would show all of them by words."""
        shoal.crawl(f"{(tree.place / 'site').as_uri()}/", dir=place, settings=FAST)
        shoal.train_classes(tree.place / "lessons", place, accept=0.3)
        shoal.make_topic("sea", folders=sorted((tree.place / "lessons").iterdir()), dir=place)
        with pytest.raises(UsageError, match="no document with text that everyone may read"):
            shoal.make_tree(place)
        shoal.add(tree.place / "docs", dir=place, settings=FAST)
        for box in (tree.place / "box", *boxes):
            shoal.add_mail(box, dir=place, settings=FAST)
        shoal.update_index(place)
        shoal.rank(place, top=0)

    def queries(self, draw: random.Random) -> Iterator[str]:
        def word() -> str:
            return draw.choice(self.words)

        while True:
            yield draw.choice(
                [
                    word(),
                    f"{word()} {word()}",
                    f'"{word()} {word()}"',
                    f"{word()} OR {word()} -{word()}",
                    f"intitle:{word()}",
                    f"inurl:{draw.choice(['p1', 'secret', 'closed', 'below', 'zip'])}",
                    f"related:{draw.choice(self.urls)}",
                    f"link:{draw.choice(self.urls)}",
                    f"from:{draw.choice(['ann', 'list', 'ann1', 'mail.example'])}",
                    f"subject:{word()} before:2019-01-01",
                    f"thread:thread{draw.randrange(3)}@mail.example",
                    f"folder:{draw.choice(['ann', 'box'])}",
                    f"lang:{draw.choice(['en', 'fr'])}",
                    f"filetype:{draw.choice(['html', 'txt', 'zip'])} {word()}",
                    f"class:{draw.choice(['reef', 'wreck'])} {word()}",
                    f"topic:sea OR {draw.choice(['person:smith', 'place:norway', 'org:google'])}",
                    f"mark:{draw.choice(['class', 'tree', 'topic', 'person'])}",
                    word()[:2],
                ]
            )


@pytest.fixture(scope="module")
def make_worlds() -> Iterator[Any]:
    if os.getuid():
        pytest.skip("only root can give files away")
    places: list[Path] = []

    def make(seed: int, files: int) -> Worlds:
        place = Path(tempfile.mkdtemp(prefix="shoal-worlds-"))
        place.chmod(0o755)
        places.append(place)
        return Worlds(place.resolve(), seed, files)

    still = SimpleNamespace(time=lambda: _LONG_AGO + _LATE, perf_counter=time.perf_counter)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finding, "time", still)
        yield make
    for place in places:
        shutil.rmtree(place)


@pytest.fixture(scope="module")
def worlds(make_worlds: Any) -> Worlds:
    made: Worlds = make_worlds(22, 14)
    return made


def test_bob_is_told_the_same(worlds: Worlds) -> None:
    _compare(worlds, 120)
    _compare_servers(worlds, 120)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "files"), [(1, 10), (2, 40), (3, 120), (4, 60)])
def test_other_seeds_and_sizes(make_worlds: Any, seed: int, files: int) -> None:
    worlds = make_worlds(seed, files)
    _compare(worlds, 800)
    _compare_servers(worlds, 800)


@pytest.mark.slow
def test_tablets_of_a_cluster(make_worlds: Any) -> None:
    worlds: Worlds = make_worlds(5, 40)
    for name in ("without", "everything"):
        place = getattr(worlds, name)
        cluster = place.with_name("corpus-of-many")
        shoal.split(place, cluster, 3)
        shoal.update_index(cluster)
        shoal.rank(cluster, top=0)
        setattr(worlds, name, cluster)
    _compare(worlds, 300)
    _compare_servers(worlds, 300)


def _compare(worlds: Worlds, times: int) -> None:
    draw = random.Random(times)
    with (
        open_collection(worlds.without, WHO) as without,
        open_collection(worlds.everything, WHO) as with_it,
    ):
        both = (without, with_it)
        found_something = 0
        for text in islice(worlds.queries(draw), times):
            given = {
                "limit": draw.choice([1, 10, 100]),
                "page": draw.choice([1, 1, 2]),
                "site_limit": draw.choice([0, 2]),
                "explain": draw.random() < 0.5,
                "facets": draw.random() < 0.5,
            }
            expected, found = (_told(_searched, each, text, given) for each in both)
            assert found == expected, (text, given)
            found_something += b'"url"' in expected
        assert found_something > times / 4
        for url in worlds.urls:
            expected, found = (_told(_explained, each, url) for each in both)
            assert found == expected, url
        asked = ASKED | LEARNED
        for name in sorted({*asked} - _OF_THE_PLACE):
            for urls in [worlds.urls] if name in _OF_ALL else [[url] for url in worlds.urls]:
                expected, found = (_told(_asked, each, asked[name], urls) for each in both)
                assert found == expected, (name, urls)
        forms: tuple[Any, ...] = ("urls", "jsonl", "cdxj", "warc")
        for form in forms:
            for json in (False, True):
                wanted = Export(form, json=json)
                expected, found = (_told(_exported, each, wanted) for each in both)
                assert found == expected, wanted


def _asked(collection: Collection, ask: Any, urls: list[str]) -> bytes:
    return repr(ask(collection, urls)).encode()


def _told(ask: Any, *given: Any) -> bytes:
    try:
        found: bytes = ask(*given)
    except ShoalError as error:
        found = f"{type(error).__name__}: {error}".encode()
    return _TIMES.sub(b"TIME", found)


def _compare_servers(worlds: Worlds, times: int) -> None:
    serving = [
        Serving(make_app(place, principal=WHO)) for place in (worlds.without, worlds.everything)
    ]
    draw = random.Random(times)
    asked = worlds.queries(draw)
    try:
        with client_of(serving[0].address) as without, client_of(serving[1].address) as with_it:
            for _ in range(times):
                url, other = draw.choice(worlds.urls), draw.choice(worlds.urls)
                twin = draw.choice([".json", ""])
                path, given = draw.choice(
                    [
                        ("/search", {"q": next(asked), "explain": "1", "limit": "50"}),
                        ("/search", {"q": next(asked), "page": str(draw.randrange(4))}),
                        ("/page", {"url": url}),
                        ("/copy", {"url": url}),
                        ("/copy/raw", {"url": url}),
                        ("/difference", {"url": url, "other": other}),
                        ("/open", {"url": url}),
                        ("/search", {"q": next(asked), draw.choice(_ODD): draw.choice(_EDGES)}),
                        (draw.choice(_OTHERS), {"url": url, "where": url}),
                    ]
                )
                expected, found = (
                    _answer(client, path + twin, given) for client in (without, with_it)
                )
                assert found == expected, (path + twin, given)
    finally:
        for each in serving:
            each.close()


def _answer(client: httpx.Client, path: str, given: dict[str, str]) -> tuple[Any, ...]:
    """With all headers; lengths follow from bodies, in which times are of any length."""
    answer = client.get(path, params=given)
    body = _TIMES.sub(b"TIME", answer.content)
    body = re.sub(rb'"seconds":[0-9.e-]+|\d+(?:\.\d+)? ms|nonce[-=]"?[\w-]+', b"", body)
    told = {
        name: value
        for name, value in answer.headers.items()
        if name not in ("date", "content-length", "set-cookie", "content-security-policy")
    }
    return answer.status_code, told, body.replace(str(client.base_url).encode(), b"")
