"""A whole crawl, replayed by others: what the server served is what every reader gets back.

The little web is crawled by the real engine; its WARC files are then read by warcio and fastwarc
alone, and held against the collection and against the server itself.
"""

import gzip
import http.client
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from warcio.archiveiterator import ArchiveIterator

from shoal.access.opening import open_collection
from shoal.collection.collection import Collection
from shoal.collection.export import export
from shoal.collection.export.export import Export
from shoal.demo import DemoWeb, serve
from shoal.errors import UsageError
from shoal.model.principal import OWNER, PUBLIC
from shoal.store.archive import files
from tests.crawl.run import crawl
from tests.store.readers import by_fastwarc, check
from tests.views import view_of

LEAST_PAGES = 40


class Crawled(NamedTuple):
    web: DemoWeb
    directory: Path


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    directory = tmp_path_factory.mktemp("replay") / "reef"
    with serve() as web:
        settings: dict[str, object] = {
            **{f"resolve.{host}": address for host, address in web.resolve.items()},
            "politeness.delay": 0.01,
            "crawl.scope": "any",
        }
        summary = crawl(directory, web.seeds, settings)
        assert summary.status.fetched >= LEAST_PAGES
        yield Crawled(web, directory)


@pytest.fixture
def collection(crawled: Crawled) -> Iterator[Collection]:
    with open_collection(crawled.directory) as opened:
        yield opened


def served(web: DemoWeb, url: str) -> bytes:
    """What the server gives to a client that has nothing to do with ours."""
    parts = urlsplit(url)
    address, _, port = web.resolve[parts.hostname or ""].rpartition(":")
    connection = http.client.HTTPConnection(address, int(port), timeout=60)
    try:
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        connection.request("GET", target, headers={"Host": parts.hostname or ""})
        return connection.getresponse().read()
    finally:
        connection.close()


def replayed(paths: Iterable[Path]) -> dict[str, bytes]:
    """The body of every answer in the archive, by URL, as warcio decodes it. A revisit is looked up
    as WARC 1.1 has it: by the URL and the date that it refers to, and by the digest."""
    bodies: dict[str, bytes] = {}
    first: dict[tuple[str, str, str], bytes] = {}
    revisits: dict[str, tuple[str, str, str]] = {}
    for path in paths:
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                header = record.rec_headers.get_header
                url, digest = header("WARC-Target-URI"), header("WARC-Payload-Digest")
                if record.rec_type == "response":
                    bodies[url] = record.content_stream().read()
                    first[url, header("WARC-Date"), digest] = bodies[url]
                elif record.rec_type == "revisit":
                    date = header("WARC-Refers-To-Date")
                    revisits[url] = header("WARC-Refers-To-Target-URI"), date, digest
    return bodies | {url: first[reference] for url, reference in revisits.items()}


def test_the_archive_passes_the_check(crawled: Crawled) -> None:
    assert check(*files(crawled.directory / "warc")) == ""


def test_every_page_is_what_the_server_serves_and_what_others_replay(
    crawled: Crawled, collection: Collection
) -> None:
    bodies = replayed(files(crawled.directory / "warc"))
    pages = list(collection.pages())
    assert len(pages) >= LEAST_PAGES
    for page in pages:
        again = collection.page(page.url)
        assert again is not None
        assert again.body == bodies[page.url] == served(crawled.web, page.url), page.url
    assert sum(len(page.body) for page in pages) > 10_000


def test_most_bodies_travelled_packed_and_are_stored_as_sent(
    crawled: Crawled, collection: Collection
) -> None:
    packed = 0
    for page in collection.pages():
        record = view_of(collection).store.raw(page.stored.row, OWNER)
        assert record is not None
        if b"Content-Encoding: gzip" in record.http_head:
            packed += 1
            assert gzip.decompress(record.http_body) == page.body
    assert packed >= LEAST_PAGES // 2


def test_both_readers_see_the_same_records_at_the_same_places(crawled: Crawled) -> None:
    for path in files(crawled.directory / "warc"):
        seen = by_fastwarc(path)
        with path.open("rb") as file:
            records = ArchiveIterator(file)
            kinds = [(record.rec_type, records.get_record_offset()) for record in records]
        assert kinds == [(each.kind, each.offset) for each in seen]


def cdxj(collection: Collection, where: str = "", since: float | None = None) -> list[str]:
    out = io.BytesIO()
    count = export.write(collection.tablets, Export("cdxj", where, since), out)
    lines = out.getvalue().decode().splitlines()
    assert len(lines) == count
    assert lines == sorted(lines)
    return lines


def test_the_cdxj_leads_to_every_page(crawled: Crawled, collection: Collection) -> None:
    lines = cdxj(collection)
    told = [json.loads(line.split(" ", 2)[2]) for line in lines]
    assert {each["url"] for each in told} == set(replayed(files(crawled.directory / "warc")))
    by_url = {each["url"]: each for each in told}
    for page in collection.pages():
        spot = page.stored.fetch.visit.response
        assert spot is not None
        each = by_url[page.url]
        assert (each["filename"], int(each["offset"]), int(each["length"])) == (
            spot.file,
            spot.offset,
            spot.length,
        )
        assert each["digest"] == page.document.body_digest


def test_the_cdxj_of_a_part(collection: Collection) -> None:
    everything = cdxj(collection)
    part = cdxj(collection, "reef.example")
    assert 0 < len(part) < len(everything)
    assert part == [line for line in everything if line.startswith("example,reef")]
    page = next(collection.pages())
    assert cdxj(collection, page.url) != []
    newest = max(page.stored.when for page in collection.pages())
    assert cdxj(collection, since=newest + 60) == []
    assert cdxj(collection, since=newest - 3600) == everything


def test_the_cdxj_is_for_the_owner_alone(crawled: Crawled) -> None:
    """Where a record stands tells of those before it."""
    with (
        open_collection(crawled.directory, PUBLIC) as public,
        pytest.raises(UsageError, match="Only the owner"),
    ):
        cdxj(public)


@pytest.mark.parametrize("where", ["", "reef.example", "http://mirror.reef.example/"])
def test_an_exported_warc_file_replays_by_itself(
    collection: Collection, tmp_path: Path, where: str
) -> None:
    """Whichever of a page and its copy comes first, or alone."""
    path = tmp_path / "export.warc.gz"
    with path.open("wb") as out:
        count = export.write(collection.tablets, Export("warc", where), out)
    assert check(path) == ""
    info, *records = by_fastwarc(path)
    assert (str(info.kind), b"format: WARC File Format 1.1" in info.payload) == ("warcinfo", True)
    assert len(records) == count
    with path.open("rb") as file:
        ids = [r.rec_headers.get_header("WARC-Record-ID") for r in ArchiveIterator(file)]
    assert len(set(ids)) == 1 + count
    bodies = replayed([path])
    pages = list(collection.pages(where))
    assert {page.url for page in pages} <= set(bodies)
    assert all(bodies[page.url] == page.body for page in pages)


def test_an_export_as_json_lines_has_every_page(collection: Collection) -> None:
    out = io.BytesIO()
    count = export.write(collection.tablets, Export("jsonl"), out)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert len(lines) == count
    for line, page in zip(lines, collection.pages(), strict=True):
        assert (line["url"], line["title"], line["text"]) == (page.url, page.title, page.text)
        assert line["body_digest"] == page.document.body_digest
        said = page.document.author, page.document.published
        assert (line["author"], line["published"]) == said
