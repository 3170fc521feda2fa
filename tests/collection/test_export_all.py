"""What leaves a cluster is what leaves one collection, in one output or a file a tablet."""

import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from shoal.access.opening import open_collection
from shoal.analysis.graph_export import export_graph
from shoal.analysis.ranking import rank_pages
from shoal.collection import slices
from shoal.collection.collection import Collection
from shoal.collection.export.export import Export, Form, write, write_parts
from shoal.collection.tablets import LocalTablets
from shoal.errors import UsageError
from shoal.fleet.work import work_here
from shoal.model.principal import PUBLIC
from shoal.model.urls.partition import tablet_of_row
from shoal.model.urls.rowkey import row_key
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.collection.many import Both, FarTablets, copied

FORMS: list[Form] = ["urls", "jsonl", "warc", "cdxj"]


@pytest.fixture(scope="module")
def tablets(both: Both) -> Iterator[LocalTablets]:
    with FarTablets(both.many) as found:
        yield found


def of_one(both: Both, wanted: Export) -> bytes:
    out = io.BytesIO()
    with open_collection(both.one) as one:
        write(one.tablets, wanted, out)
    return out.getvalue()


def of_all(tablets: LocalTablets, wanted: Export) -> bytes:
    out = io.BytesIO()
    count = write(tablets, wanted, out)
    data = out.getvalue()
    if wanted.form == "warc":
        assert len(ids(data)) == len(set(ids(data)))  # none twice
    assert count == (records(data) if wanted.form == "warc" else data.count(b"\n"))
    return data


def records(data: bytes) -> int:
    return len(ids(data))


def ids(data: bytes) -> list[str]:
    return [
        record.rec_headers.get_header("WARC-Record-ID")
        for record in ArchiveIterator(io.BytesIO(data))
        if record.rec_type != "warcinfo"  # what the file is, before the first of them
    ]


def without_groups(lines: bytes) -> list[dict[str, object]]:
    """The tablets of these tests have no groups of near-duplicates, so no page stands for others
    there, and none of them gets their anchors."""
    found = [json.loads(line) for line in lines.splitlines()]
    for each in found:
        del each["duplicate_of"], each["anchors"]
    return found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("small", [False, True])
def test_one_output(
    both: Both,
    tablets: LocalTablets,
    form: Form,
    small: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if small:  # so that nothing depends on what one slice holds
        monkeypatch.setattr(slices, "SLICE_BYTES", 3000)
    for where in ("", both.sites[6]):
        one, many = of_one(both, Export(form, where)), of_all(tablets, Export(form, where))
        assert one
        if form == "jsonl":
            assert without_groups(many) == without_groups(one)
        else:
            assert many == one


def test_only_what_is_new(both: Both, tablets: LocalTablets) -> None:
    with open_collection(both.one) as one:
        times = sorted(page.stored.when for page in one.pages())
    middle = times[len(times) // 2]
    for form in ("jsonl", "warc", "cdxj"):
        wanted = Export(form, since=middle)
        one_has, all_have = of_one(both, wanted), of_all(tablets, wanted)
        everything = of_one(both, Export(form))
        assert 0 < len(one_has) <= len(everything)
        # An index knows whole seconds, and the crawl may have taken less than one.
        assert form == "cdxj" or len(one_has) < len(everything)
        if form == "jsonl":
            assert without_groups(all_have) == without_groups(one_has)
        else:
            assert all_have == one_has
    assert of_all(tablets, Export("urls", since=times[-1] + 60)) == b""


def test_urls_with_what_is_known_of_them(both: Both, tablets: LocalTablets) -> None:
    lines = [json.loads(line) for line in of_all(tablets, Export("urls", json=True)).splitlines()]
    with open_collection(both.one) as one:
        expected = [(url, row.state, row.visits) for url, row in one.urls()]
    assert [(each["url"], each["state"], each["visits"]) for each in lines] == expected


@pytest.mark.parametrize("form", FORMS)
def test_a_file_for_each_tablet(
    both: Both, tablets: LocalTablets, form: Form, tmp_path: Path
) -> None:
    counts = write_parts(tablets, Export(form), tmp_path / "parts")
    files = sorted((tmp_path / "parts").iterdir())
    assert [file.name.partition(".")[0] for file in files] == [
        f"part-{number:04d}" for number in range(len(both.many))
    ]
    data = [file.read_bytes() for file in files]
    if form == "warc":
        assert counts == [records(each) for each in data]
        # A revisit's file has the body that it refers to, also when its page is another tablet's.
        assert {name for each in data for name in ids(each)} == set(
            ids(of_all(tablets, Export(form)))
        )
        for each in data:
            assert len(ids(each)) == len(set(ids(each)))
    else:
        lines = {line for each in data for line in each.splitlines()}
        assert lines == set(of_all(tablets, Export(form)).splitlines())


def test_what_matches_nothing_leaves_no_file(tablets: LocalTablets, tmp_path: Path) -> None:
    wanted = Export("jsonl", "nobody.example")
    assert write_parts(tablets, wanted, tmp_path / "parts") == [0] * tablets.count
    assert list((tmp_path / "parts").iterdir()) == []
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="can't be written"):
        write_parts(tablets, wanted, tmp_path / "file")
    with pytest.raises(UsageError, match="no form of export"):
        write(tablets, Export("pdf"), io.BytesIO())  # type: ignore[arg-type]


def test_the_graph(both: Both, tmp_path: Path) -> None:
    with LocalTablets(copied(both.many, tmp_path)) as tablets:
        collection = Collection(tablets, graph_place=tmp_path / "place")
        with work_here(tablets) as work:
            rank_pages(collection, work)
        found = export_graph(tmp_path / "links.graphml", tmp_path / "place")
    written = (tmp_path / "links.graphml").read_text()
    assert written.count("<node ") == found.nodes > 50
    assert written.count("<edge ") == found.edges > 100


def test_pages_leave_without_the_names_of_those_one_may_not_read(
    both: Both, tmp_path: Path
) -> None:
    source = row_key(f"{both.sites[3]}/target")
    copies = copied(both.many, tmp_path)
    owner = copies[tablet_of_row(source, len(copies))]
    with RocksTable(owner.table) as table:
        store = PageStore(table, owner.warc)
        batch = store.batch()
        store.amend(batch, source, 1.0, ["ada"])
        store.commit(batch)
    with LocalTablets(copies, PUBLIC) as public, LocalTablets(copies) as all_of_it:
        assert b'"url":"http://dune.example/target"' in of_all(all_of_it, Export("jsonl"))
        lines = of_all(public, Export("jsonl"))
        anchors = [url for line in lines.splitlines() for url, _ in json.loads(line)["anchors"]]
        assert f"{both.sites[5]}/shared" in anchors
        assert f"{both.sites[3]}/target" not in anchors
        assert b"Where things move to" not in gzip.decompress(of_all(public, Export("warc")))
