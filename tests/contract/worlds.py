"""Worlds that differ only by documents that someone may not read; and everything they may ask.

A world is a collection whose documents are injected, read by real children, judged, kept and
indexed. The same public ones come in the same order and at the same times; between them come
private ones: copies of public pages, pages nearly like them, hubs, words that nobody else has,
words that everybody has, another language, pages that public ones link to, the same page with a
slash. Mails of everybody stand in the same threads, some with something attached.
"""

import asyncio
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import shoal
from shoal.access.indexing import update_index
from shoal.analysis.ranking import rank
from shoal.config import load
from shoal.core import Crawl
from shoal.engine.engine import Engine
from shoal.engine.sharing import Sharing
from shoal.model.access import ENTER, READ, check_of, readers_of
from shoal.model.link import LinkSource
from shoal.model.outcome import Outcome
from shoal.model.principal import PUBLIC, Principal
from shoal.model.source_change import Shared
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.visit import Fetched, Keep, Visit, VisitKind
from tests.contract.lessons import CLASSES, CRAWL_FOR_IT, TOPIC, parts_of, teach

NOON = 1_700_000_000.0
SETTINGS = {"crawl.children": 1, "index.follow": "no"}
HOSTS = ("reef.example", "kelp.example", "dive.example", "boats.example")
_words = str.split
_COMMON = _words("the water is deep and the fish are many in this sea of ours near a coast")
_WORDS = _words(
    "coral anemone otter urchin kelp lagoon current tide wreck diver mask regulator plankton "
    "whale dolphin harbour lighthouse captain rope anchor storm compass chart island monsoon "
    "salmon tuna herring squid octopus barnacle mussel oyster pearl shipyard keel rudder sail "
    "mast galley"
)
_FRENCH = _words(
    "le poisson nage dans la mer profonde et les bateaux rentrent au port avec la marée du "
    "matin pendant que les pêcheurs chantent une vieille chanson sur le quai de la ville"
)
_GERMAN = _words(
    "die Fische schwimmen in der tiefen See und die Boote fahren am Morgen in den Hafen"
)
_SAID = (
    "Ann Smith of Google said in London that the water was cold.",
    "Mr. Smith went to New York City with Robert Miller.",
    "The University of Oslo asked Mary Jones to come to Norway.",
)
"""People, places and organisations."""
_JAPANESE = "海水魚島波船港鯨珊瑚礁潮風"
"""Any two that stand beside each other are a word; who looks for one finds all that begin so."""

BOB = Principal(frozenset({"u:1000", "g:100", "g:200", "local", "r:divers"}))
WHO = {"anyone": PUBLIC, "bob": BOB}

_ANNS = [
    ["u:1001"],
    ["r:staff"],
    ["mail:ann"],
    ["u:1001", "r:staff"],
    ["*"],
    readers_of([check_of(1001, 300, 0o640, b"", READ), check_of(1001, 300, 0o750, b"", ENTER)]),
    readers_of([check_of(1000, 100, 0o044, b"", READ)]),  # others may, but its owner may not
]
_BOBS = [
    ["u:1000"],
    ["r:staff", "r:divers"],
    ["local"],
    readers_of([check_of(1001, 100, 0o640, b"", READ)]),
    readers_of([check_of(1001, 300, 0o644, b"", READ), check_of(0, 0, 0o711, b"", ENTER)]),
]


class Injected(NamedTuple):
    url: str
    html: str
    readers: tuple[str, ...] = ()
    when: float = NOON
    media_type: str = "text/html; charset=utf-8"


def mails(
    draw: random.Random, count: int, readers: Sequence[list[str]], name: str
) -> list[Injected]:
    """In few threads, each of which has mails of all worlds; some claim to begin one."""
    found = []
    for at in range(count):
        thread = f"<thread{draw.randrange(4)}@mail.example>"
        said = [
            f"From: {name}{at % 3} <{name}{at % 3}@mail.example>",
            f"To: bob@mail.example, {draw.choice(_WORDS)}@mail.example",
            f"Cc: {draw.choice(_WORDS)} <ann@mail.example>",
            f"Subject: {_name(draw)}",
            f"Date: Tue, 14 Nov 2023 {draw.randrange(24):02}:{at % 60:02}:00 +0{at % 9}00",
            f"Message-ID: <{name}{at}@mail.example>",
            f"References: {thread}" if at else f"Message-ID: {thread}",
            "MIME-Version: 1.0",
            "Content-Type: multipart/mixed; boundary=part",
        ]
        parts = ["--part", "Content-Type: text/plain; charset=utf-8", "", _text(draw)]
        for number in range(at % 3):
            disposition = f'attachment; filename="{name}{at}-{number}.txt"'
            parts += ["--part", "Content-Type: text/plain; charset=utf-8"]
            parts += [f"Content-Disposition: {disposition}", "", _text(draw)]
        body = "\r\n".join([*said, "", *parts, "--part--", ""])
        url, when = f"mail://{name}/{at}", NOON + 41.0 * at
        may_read = tuple(draw.choice(readers)) if readers else ()
        found.append(Injected(url, body, may_read, when, "message/rfc822"))
    return found


def public_documents(draw: random.Random, count: int) -> list[Injected]:
    urls = [f"http://{HOSTS[at % len(HOSTS)]}/p{at}" for at in range(count)]
    texts = [_text(draw) for _ in urls]
    for at in range(7, count, 7):
        texts[at] = texts[at - 3] + (" and a word more" if at % 2 else "")
    found = []
    for at, (url, text) in enumerate(zip(urls, texts, strict=True)):
        links = [(draw.choice(urls), _name(draw)) for _ in range(draw.randrange(5))]
        if not at % 5:
            links.append((f"http://{draw.choice(HOSTS)}/secret{at}", "what lies there"))
        found.append(Injected(url, _html(_name(draw), text, links), when=NOON + 60.0 * at))
    return found


def private_documents(
    draw: random.Random,
    public: Sequence[Injected],
    count: int,
    readers: Sequence[list[str]],
    name: str,
) -> list[Injected]:
    kinds: list[Callable[[int], tuple[str, str]]] = [
        lambda at: (f"http://{draw.choice(HOSTS)}/{name}-copy{at}", draw.choice(public).html),
        lambda at: (
            f"http://{draw.choice(HOSTS)}/{name}-near{at}",
            draw.choice(public).html.replace("</p>", " and one thing beside it</p>"),
        ),
        lambda at: (
            f"http://{name}{at % 3}.example/hub{at}",
            _html(
                "Hub",
                _text(draw),
                [(each.url, _name(draw)) for each in draw.sample(list(public), 9)],
            ),
        ),
        lambda at: (
            f"file:///home/{name}/rare{at}.html",
            _html(f"Zyzzyva {name}", f"zyzzyva{at % 4} quagga " + _text(draw)),
        ),
        lambda at: (
            f"http://{draw.choice(HOSTS)}/{name}-common{at}",
            _html("The water", "coral kelp otter water fish " * draw.randrange(3, 60) + str(at)),
        ),
        lambda at: (
            f"http://{name}.example/fr{at}",
            _html("Poisson", " ".join(draw.choices(_FRENCH, k=60)), language="fr"),
        ),
        lambda at: (
            f"http://{draw.choice(HOSTS)}/secret{5 * draw.randrange(len(public) // 5 + 1)}",
            _html(_name(draw), _text(draw)),
        ),
        lambda at: (
            draw.choice(public).url + "/",
            _html(_name(draw), _text(draw) + f" {name}{at}"),
        ),
        lambda at: (
            draw.choice(public).url.replace("http:", "https:"),
            _html(_name(draw), _text(draw) + f" {name}{at}"),
        ),
    ]
    found = []
    for at in range(count):
        url, html = kinds[at % len(kinds)](at)
        found.append(Injected(url, html, tuple(draw.choice(readers)), NOON + 37.0 * at))
    return [each for at, each in enumerate(found) if each.url not in {e.url for e in found[:at]}]


class Worlds(NamedTuple):
    public: Path
    bobs: Path
    """With what Bob may read."""
    everything: Path
    words: list[str]
    urls: list[str]
    parts: list[str]
    """Of the tree."""

    def without(self, who: str) -> Path:
        return self.public if who == "anyone" else self.bobs


def build_worlds(folder: Path, seed: int, public: int, private: int) -> Worlds:
    """The last has `private` documents that neither may read, and half as many for Bob."""
    draw = random.Random(seed)
    documents = public_documents(draw, public)
    bobs = private_documents(draw, documents, private // 2, _BOBS, "bob")
    taken = {each.url for each in bobs}
    anns = [
        each
        for each in private_documents(draw, documents, private, _ANNS, "ann")
        if each.url not in taken
    ]
    draw_mails = random.Random(seed + 1)
    documents += mails(draw_mails, public // 5, [], "list")
    bobs += mails(draw_mails, private // 8, _BOBS, "bob")
    anns += mails(draw_mails, private // 4, _ANNS, "ann")
    with_bobs = _mixed(draw, documents, bobs)
    everything = _mixed(draw, with_bobs, anns)
    until = documents[public * 2 // 3].url
    for name, portions, each in (
        ("public", 1, documents),
        ("bobs", 2, with_bobs),
        ("all", 3, everything),
    ):
        build(folder / name, each, portions, until)
    urls = [each.url for each in (*documents, *bobs, *anns)]
    urls += [f"http://{HOSTS[0]}/never{at}" for at in range(5)]
    urls += [f"http://{host}/secret{at}" for host in HOSTS for at in range(0, public, 5)]
    words = [
        *_WORDS,
        *_COMMON[:8],
        *_GERMAN[:5],
        *_FRENCH[:8],
        *_JAPANESE,
        "海水",
        "鯨島",
        "zyzzyva",
        "zyzzyva1",
        "quagga",
    ]
    places = (folder / "public", folder / "bobs", folder / "all")
    return Worlds(*places, words, list(dict.fromkeys(urls)), parts_of(folder / "public"))


def _mixed(draw: random.Random, one: Sequence[Injected], two: Sequence[Injected]) -> list[Injected]:
    """Each in its own order; the first and the last are of the second."""
    places = sorted(draw.choices(range(len(one) + 1), k=len(two)))
    places[:2], places[-2:] = [0, 0], [len(one)] * 2
    mixed = list(one)
    for place, each in reversed(list(zip(places, two, strict=True))):
        mixed.insert(place, each)
    return mixed


def build(
    directory: Path, documents: Sequence[Injected], portions: int = 1, until: str = ""
) -> None:
    """Indexed in portions, so that segments are others. Classes, a tree and a topic are learned
    when the document `until` is there."""
    learned = 0
    if until:
        learned = 1 + [each.url for each in documents].index(until)
        _add(directory, documents[:learned], portions, {})
        known = documents[:learned]
        public = [(each.url, each.html) for each in known if not each.readers]
        teach(directory, public, [each.url for each in known if each.readers])
    _add(directory, documents[learned:], portions, CRAWL_FOR_IT if until else {})
    rank(directory, top=0)


def _add(
    directory: Path, documents: Sequence[Injected], portions: int, settings: dict[str, str]
) -> None:
    bounds = [len(documents) * at // portions for at in range(portions + 1)]
    for start, end in pairwise(bounds):
        asyncio.run(_inject(directory, documents[start:end], settings))
        update_index(directory)


def clustered(place: Path, tablets: int = 3) -> Path:
    """The same in many tablets."""
    cluster = place.with_name(f"{place.name}-cluster")
    shoal.split(place, cluster, tablets)
    update_index(cluster)
    rank(cluster, top=0)
    return cluster


async def _inject(directory: Path, documents: Sequence[Injected], settings: dict[str, str]) -> None:
    engine = Engine(directory, load(directory, SETTINGS | settings, {}))
    try:
        engine.start([])
        crawl = engine.crawl()
        for document in documents:
            await inject(crawl, document)
    finally:
        await engine.close()


async def inject(crawl: Crawl, document: Injected) -> None:
    row = row_key(document.url)
    visit = Visit(
        document.url,
        row,
        site_of_key(row),
        VisitKind.INJECTED,
        keep=Keep.RAW,
        source=LinkSource.SUBMIT,
        is_first=True,
    )
    fetched = Fetched(
        Outcome.OK,
        200,
        started=document.when,
        ended=document.when,
        headers=[("content-type", document.media_type)],
        head=f"HTTP/1.1 200 OK\r\nContent-Type: {document.media_type}\r\n\r\n".encode(),
        body=document.html.encode(),
    )
    understood = await crawl._understand(visit, fetched)
    for each in understood.documents:
        each.readers = list(document.readers)
    crawl.commit(visit, fetched, understood)


async def share(directory: Path, urls: Sequence[str], readers: Sequence[str]) -> None:
    """Let others read these documents from now on."""
    engine = Engine(directory, load(directory, SETTINGS, {}))
    try:
        sharing = Sharing(engine._prints, engine._frontier, engine._store)
        for url in urls:
            batch = engine._store.batch()
            sharing.share(batch, row_key(url), Shared(url, readers=tuple(readers)), NOON + 1e6)
            engine._store.commit(batch)
    finally:
        await engine.close()


def queries(draw: random.Random, worlds: Worlds) -> Iterator[str]:
    """In the query language, without end."""

    def word() -> str:
        return draw.choice(worlds.words)

    forms: list[Callable[[], str]] = [
        word,
        lambda: f"{word()} {word()}",
        lambda: f"{word()} {word()} {word()} {word()}",
        lambda: f'"{word()} {word()}"',
        lambda: f"{word()} -{word()}",
        lambda: f"{word()} OR {word()}",
        lambda: f"+{word()} {word()}",
        lambda: f"site:{draw.choice(HOSTS)} {word()}",
        lambda: f"site:{draw.choice(['example', 'ann.example', *HOSTS])}",
        lambda: f"intitle:{word()}",
        lambda: f"inurl:{draw.choice(['p1', 'secret', 'ann', 'hub'])}",
        lambda: f"lang:{draw.choice(['en', 'fr', 'de'])} {word()}",
        lambda: f"lang:{draw.choice(['en', 'fr', 'de'])}",
        lambda: f"related:{draw.choice(worlds.urls)}",
        lambda: f"link:{draw.choice(worlds.urls)}",
        lambda: f"{word()[:1]}",
        lambda: f"{word()} after:2023-11-14 before:2023-11-15",
        lambda: "filetype:html",
        lambda: f"thread:thread{draw.randrange(4)}@mail.example",
        lambda: f"from:{draw.choice(['ann', 'bob', 'list'])}{draw.randrange(3)} {word()}",
        lambda: "has:attachment",
        lambda: f"class:{draw.choice([*CLASSES, 'sea', 'none'])} {word()}",
        lambda: f"class:{draw.choice([*CLASSES, 'sea'])}",
        lambda: f"tree:{draw.choice(worlds.parts)}",
        lambda: f"topic:{TOPIC}",
        lambda: f"person:{draw.choice(['smith', 'jones', 'miller'])}",
        lambda: f"place:{draw.choice(['london', 'norway'])} OR org:google",
        lambda: f"mark:{draw.choice(['class', 'tree', 'topic', 'person'])}",
        lambda: f"what is the {word()} of the {word()} in the {word()}",
    ]
    while True:
        yield draw.choice(forms)()


def _text(draw: random.Random) -> str:
    if draw.random() < 0.1:
        return " ".join(draw.choices(_GERMAN, k=50))
    if draw.random() < 0.1:
        return "".join(draw.choices(_JAPANESE, k=80))
    words = draw.choices(_COMMON, k=30) + draw.choices(_WORDS, k=draw.randrange(10, 60))
    draw.shuffle(words)
    return " ".join([*words, ".", *draw.choices(_SAID, k=draw.randrange(3))])


def _name(draw: random.Random) -> str:
    return " ".join(draw.choices(_WORDS, k=2)).capitalize()


def _html(title: str, text: str, links: Sequence[tuple[str, str]] = (), language: str = "") -> str:
    lang = f' lang="{language}"' if language else ""
    said = "".join(f'<li><a href="{url}">{name}</a></li>' for url, name in links)
    head = f"<!doctype html><html{lang}><head><title>{title}</title></head>"
    return f"{head}<body><h1>{title}</h1><p>{text}</p><ul>{said}</ul></body></html>"
