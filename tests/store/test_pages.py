"""Pages as rows: raw bodies, anchors, the change log, and who may see what."""

from pathlib import Path

import pytest

from shoal.model.document import Understood
from shoal.model.outcome import Outcome
from shoal.model.principal import OWNER, PUBLIC, Principal
from shoal.model.urls.rowkey import row_key
from shoal.store.pages import PageStore
from shoal.store.rows import VISITS_KEPT, What
from shoal.store.table import RocksTable
from tests.store.parts import HOUR, NOON, Desk, answer, document, finished, links_to, visit_to

REEF = "https://reef.example/"
CORAL = "https://reef.example/coral"
SHARK = "https://shark.example/"
ALICE = Principal(frozenset({"alice"}))


def body(desk: Desk, url: str, at: float | None = None) -> bytes | None:
    record = desk.store.raw(row_key(url), OWNER, at)
    return None if record is None else record.http_body


def anchors(desk: Desk, url: str, principal: Principal = OWNER) -> list[tuple[bytes, float, str]]:
    found = desk.store.anchors(row_key(url), principal)
    return [(source, when, anchor.text) for source, when, anchor in found]


# --- reading back ---------------------------------------------------------------------------


def test_all_of_a_page_is_read_back(desk: Desk) -> None:
    desk.keep(REEF, "Clownfish live here", links=[(CORAL, "corals")])
    row = row_key(REEF)
    page = desk.store.page(row, OWNER)
    assert page is not None
    assert (page.url, page.when, page.fetch.visit.status) == (REEF, NOON, 200)
    assert page.fetch.headers == [("content-type", "text/html")]
    assert desk.store.text(row, OWNER) == "Clownfish live here"
    record = desk.store.raw(row, OWNER)
    assert record is not None
    assert record.headers["warc-target-uri"] == REEF
    assert record.http_body == b"Clownfish live here"
    assert record.http_head.startswith(b"HTTP/1.1 200 Fine\r\nContent-Type: text/html\r\n")
    assert [(out.link.url, out.target) for out in desk.store.links(row, OWNER)] == [
        (CORAL, row_key(CORAL))
    ]


def test_a_page_that_is_not_there(desk: Desk) -> None:
    row = row_key(REEF)
    assert desk.store.page(row, OWNER) is None
    assert desk.store.text(row, OWNER) == ""
    assert desk.store.raw(row, OWNER) is None
    assert list(desk.store.history(row, OWNER)) == []
    assert desk.store.links(row, OWNER) == []
    assert anchors(desk, REEF) == []


def test_a_url_is_found_however_its_slash_is_spelled(desk: Desk) -> None:
    desk.keep("https://reef.example/fish/", "x")
    desk.keep("https://reef.example/crab?a=1", "y")
    assert desk.store.find("https://reef.example/fish") == row_key("https://reef.example/fish/")
    assert desk.store.find("https://reef.example/fish/") == row_key("https://reef.example/fish/")
    assert desk.store.find("https://reef.example/crab/?a=1") == row_key(
        "https://reef.example/crab?a=1"
    )
    assert desk.store.find(SHARK) == row_key(SHARK)


def test_versions_are_kept_by_policy(table: RocksTable, tmp_path: Path) -> None:
    desk = Desk(PageStore(table, tmp_path / "warc", versions=2), tmp_path / "warc")
    with desk.archive:
        for hours in range(4):
            desk.keep(REEF, f"hour {hours}", NOON + hours * HOUR)
        assert body(desk, REEF) == b"hour 3"
        assert body(desk, REEF, NOON + 2 * HOUR) == b"hour 2"
        assert body(desk, REEF, NOON + HOUR) is None
        assert desk.store.text(row_key(REEF), OWNER, NOON + 2 * HOUR) == "hour 2"
        assert desk.store.text(row_key(REEF), OWNER, NOON + HOUR) == ""


def test_the_last_visits_are_remembered_whatever_came_of_them(desk: Desk) -> None:
    row = row_key(REEF)
    desk.keep(REEF, "x")
    lost = answer(b"", NOON + HOUR, status=404, outcome=Outcome.MISSING)
    lost.note = "not there"
    desk.commit(visit_to(REEF), lost, Understood())
    moved = answer(
        b"", NOON + 2 * HOUR, status=301, headers=[("Location", "/c")], outcome=Outcome.REDIRECT
    )
    desk.commit(visit_to(REEF), moved, Understood(links=links_to((CORAL, ""))))
    history = list(desk.store.history(row, OWNER))
    assert [(when, v.outcome, v.status) for when, v in history] == [
        (NOON + 2 * HOUR, Outcome.REDIRECT, 301),
        (NOON + HOUR, Outcome.MISSING, 404),
        (NOON, Outcome.OK, 200),
    ]
    assert [v.location for _, v in history] == ["/c", "", ""]
    assert history[1][1].note == "not there"
    assert desk.store.text(row, OWNER) == "x"
    for number in range(VISITS_KEPT + 5):
        desk.commit(visit_to(REEF), answer(b"", NOON + (3 + number) * HOUR), Understood())
    assert len(list(desk.store.history(row, OWNER))) == VISITS_KEPT


# --- the body of a page that came again -----------------------------------------------------


def test_a_revisit_reads_the_earlier_records_body(desk: Desk) -> None:
    desk.keep(REEF, "the same", NOON)
    for hours in (1, 2):
        desk.keep(REEF, "the same", NOON + hours * HOUR, seen=("the same", NOON))
    page = desk.store.page(row_key(REEF), OWNER)
    assert page is not None
    assert page.when == NOON + 2 * HOUR
    assert page.fetch.visit.response != page.fetch.payload
    record = desk.store.raw(row_key(REEF), OWNER)
    assert record is not None
    assert record.headers["warc-type"] == "response"
    assert record.http_body == b"the same"


def test_a_body_that_came_back_after_another(desk: Desk) -> None:
    """A, then B, then A again: the second A is a response of its own, for only B was seen."""
    desk.keep(REEF, "A", NOON)
    desk.keep(REEF, "B", NOON + HOUR, seen=("A", NOON))
    desk.keep(REEF, "A", NOON + 2 * HOUR, seen=("B", NOON + HOUR))
    hours = (NOON, NOON + HOUR, NOON + 2 * HOUR)
    assert [body(desk, REEF, at) for at in hours] == [b"A", b"B", b"A"]


def test_a_revisit_beside_an_injected_newer_version(desk: Desk) -> None:
    desk.keep(REEF, "fetched", NOON)
    desk.keep(REEF, "injected", NOON + HOUR)
    desk.keep(REEF, "fetched", NOON + 2 * HOUR, seen=("fetched", NOON))
    assert body(desk, REEF) == b"fetched"


def test_a_page_that_was_removed_and_comes_back_unchanged_has_its_body(desk: Desk) -> None:
    """The frontier still knows the digest, so the archive holds only a revisit of it."""
    desk.keep(REEF, "first", NOON)
    desk.keep(REEF, "first", NOON + HOUR, seen=("first", NOON))
    desk.remove(REEF, NOON + 2 * HOUR)
    desk.keep(REEF, "first", NOON + 3 * HOUR, seen=("first", NOON))
    assert body(desk, REEF) == b"first"


def test_many_documents_of_a_revisit_share_the_earlier_body(desk: Desk) -> None:
    for when, seen in ((NOON, None), (NOON + HOUR, b"a box")):
        visit = visit_to(REEF, seen, NOON if seen else 0.0)
        # A part's digest is its own, not that of the box it came in.
        parts = [document("box", b"a box"), document("part", b"a part", "#1")]
        desk.commit(visit, answer(b"a box", when), Understood(documents=parts))
    for row in (row_key(REEF), row_key(REEF) + b"#1"):
        record = desk.store.raw(row, OWNER)
        assert record is not None
        assert record.http_body == b"a box"


# --- anchors --------------------------------------------------------------------------------


def test_anchor_text_stands_at_the_targets_row(desk: Desk) -> None:
    desk.keep(REEF, "x", links=[(SHARK, "big fish"), (CORAL, "corals")])
    desk.keep(CORAL, "y", NOON + 1, links=[(SHARK, "the shark")])
    assert anchors(desk, SHARK) == [
        (row_key(REEF), NOON, "big fish"),
        (row_key(CORAL), NOON + 1, "the shark"),
    ]
    assert anchors(desk, CORAL) == [(row_key(REEF), NOON, "corals")]
    assert [desk.store.in_links(row_key(SHARK), most) for most in (1, 9)] == [1, 2]


def test_a_link_that_is_no_longer_there_takes_its_anchor_along(desk: Desk) -> None:
    desk.keep(CORAL, "y", links=[(SHARK, "the shark")])
    desk.keep(REEF, "one", NOON, links=[(SHARK, "big fish"), (CORAL, "corals")])
    desk.keep(REEF, "two", NOON + HOUR, links=[(CORAL, "reefs")], seen=("one", NOON))
    assert anchors(desk, SHARK) == [(row_key(CORAL), NOON, "the shark")]
    assert anchors(desk, CORAL) == [(row_key(REEF), NOON + HOUR, "reefs")]
    assert desk.store.in_links(row_key(CORAL), 9) == 1, "older versions do not count"


def test_a_redirect_that_became_a_page_takes_its_anchor_along(desk: Desk) -> None:
    """A redirect has no body, so nothing was 'seen' when the page comes."""
    moved = answer(b"", status=301, outcome=Outcome.REDIRECT)
    desk.commit(visit_to(REEF), moved, Understood(links=links_to((SHARK, ""))))
    assert [source for source, _, _ in anchors(desk, SHARK)] == [row_key(REEF)]
    desk.keep(REEF, "a page now", NOON + HOUR, links=[(CORAL, "corals")])
    assert anchors(desk, SHARK) == []
    assert len(anchors(desk, CORAL)) == 1


def test_a_removed_page_takes_its_anchors_along_and_leaves_those_to_it(desk: Desk) -> None:
    desk.keep(REEF, "x", links=[(SHARK, "big fish"), (CORAL, "corals")])
    desk.keep(CORAL, "y", links=[(REEF, "home")])
    desk.remove(REEF, NOON + HOUR)
    assert anchors(desk, SHARK) == []
    assert anchors(desk, CORAL) == []
    assert desk.store.links(row_key(REEF), OWNER) == []
    assert [text for _, _, text in anchors(desk, REEF)] == ["home"]
    (when, visit), *_ = desk.store.history(row_key(REEF), OWNER)
    assert (when, visit.outcome) == (NOON + HOUR, Outcome.GONE)


def test_a_version_out_of_the_past_does_not_change_todays_links(desk: Desk) -> None:
    desk.keep(REEF, "today", NOON, links=[(SHARK, "big fish")])
    desk.keep(REEF, "yesterday", NOON - 24 * HOUR, links=[(CORAL, "corals")])
    assert [text for _, _, text in anchors(desk, SHARK)] == ["big fish"]
    assert anchors(desk, CORAL) == []
    assert [out.link.url for out in desk.store.links(row_key(REEF), OWNER)] == [SHARK]


def test_a_link_owned_elsewhere_is_known_but_has_no_anchor(desk: Desk) -> None:
    batch = desk.store.batch()
    understood = Understood(documents=[document("x", b"x")], links=links_to((SHARK, "far")))
    desk.store.keep(batch, visit_to(REEF), answer(), understood, finished(understood, [b""]))
    desk.store.commit(batch)
    assert [out.target for out in desk.store.links(row_key(REEF), OWNER)] == [b""]
    assert anchors(desk, SHARK) == []
    desk.remove(REEF, NOON + 1)
    assert desk.store.page(row_key(REEF), OWNER) is None


def test_an_unchanged_answer_leaves_links_and_anchors(desk: Desk) -> None:
    desk.keep(REEF, "x", links=[(SHARK, "big fish")])
    unchanged = answer(b"", NOON + HOUR, status=304, outcome=Outcome.UNCHANGED)
    desk.commit(visit_to(REEF, b"x", NOON), unchanged, Understood())
    assert len(anchors(desk, SHARK)) == 1
    assert len(desk.store.links(row_key(REEF), OWNER)) == 1
    assert body(desk, REEF) == b"x"


# --- who may see what -----------------------------------------------------------------------


@pytest.mark.parametrize("closed_by", ["its first fetch", "a later fetch", "amending"])
def test_a_closed_page_is_nowhere_for_the_public(desk: Desk, closed_by: str) -> None:
    links = [(SHARK, "secret shark")]
    first_readers = ["alice"] if closed_by == "its first fetch" else []
    desk.keep(REEF, "v1", NOON, links=links, readers=first_readers)
    later_readers = [] if closed_by == "amending" else ["alice"]
    desk.keep(REEF, "v2", NOON + HOUR, links=links, readers=later_readers, seen=("v1", NOON))
    if closed_by == "amending":
        desk.amend(REEF, NOON + 2 * HOUR, ["alice"])
    desk.keep(CORAL, "open", links=[(SHARK, "open shark"), (REEF, "a door")])
    store, row = desk.store, row_key(REEF)
    for at in (None, NOON, NOON + HOUR):
        assert store.page(row, PUBLIC, at) is None
        assert store.read(row, PUBLIC, at) is None
        assert store.text(row, PUBLIC, at) == ""
        assert store.raw(row, PUBLIC, at) is None
        assert store.page(row, ALICE, at) is not None
        assert store.text(row, ALICE, at) != ""
        assert store.raw(row, ALICE, at) is not None
    assert list(store.history(row, PUBLIC)) == []
    assert len(list(store.history(row, ALICE))) == 2
    assert store.links(row, PUBLIC) == []
    assert len(store.links(row, ALICE)) == 1
    assert [text for _, _, text in anchors(desk, SHARK, PUBLIC)] == ["open shark"]
    assert len(anchors(desk, SHARK, ALICE)) == 2
    assert [page.url for page in store.stream(b"", None, PUBLIC)] == [CORAL]
    assert [page.url for page in store.stream(b"", None, ALICE)] == [REEF, CORAL]


def test_removing_a_closed_page_does_not_open_its_history(desk: Desk) -> None:
    desk.keep(REEF, "secret", readers=["alice"])
    desk.remove(REEF, NOON + HOUR)
    assert list(desk.store.history(row_key(REEF), PUBLIC)) == []
    assert len(list(desk.store.history(row_key(REEF), OWNER))) == 2


# --- the change log -------------------------------------------------------------------------


def test_the_log_tells_what_changed_in_order(desk: Desk) -> None:
    desk.keep(REEF, "x", NOON)
    desk.keep(CORAL, "y", NOON + 1)
    desk.amend(CORAL, NOON + 2, ["alice"])
    desk.remove(REEF, NOON + 3)
    lost = answer(b"", NOON + 4, status=404, outcome=Outcome.MISSING)
    desk.commit(visit_to(SHARK), lost, Understood())
    found = list(desk.store.log.after(0))
    assert [(change.row, change.what, change.when) for _, change in found] == [
        (row_key(REEF), What.WRITTEN, NOON),
        (row_key(CORAL), What.WRITTEN, NOON + 1),
        (row_key(CORAL), What.SHARED, NOON + 2),
        (row_key(REEF), What.REMOVED, NOON + 3),
    ]
    numbers = [number for number, _ in found]
    assert numbers == sorted(set(numbers))
    assert list(desk.store.log.after(numbers[1])) == found[2:]
    assert list(desk.store.log.after(numbers[-1])) == []


def test_the_log_tells_what_is_no_longer_there(desk: Desk) -> None:
    desk.keep(REEF, "x", NOON)
    gone = answer(b"", NOON + 1, status=410, outcome=Outcome.GONE)
    desk.commit(visit_to(REEF), gone, Understood())
    (_, last) = list(desk.store.log.after(1))[-1]
    assert (last.row, last.what) == (row_key(REEF), What.AMENDED)


def test_the_log_goes_on_over_restarts(tmp_path: Path) -> None:
    seen: list[int] = []
    for life in range(3):
        with RocksTable(tmp_path / "table") as table:
            desk = Desk(PageStore(table, tmp_path / "warc"), tmp_path / "warc")
            with desk.archive:
                for each in range(3):
                    desk.keep(f"{REEF}{life}{each}", "x")
            new = [number for number, _ in desk.store.log.after(seen[-1] if seen else 0)]
            assert len(new) == 3
            seen += new
    assert seen == sorted(set(seen))
    with RocksTable(tmp_path / "table") as table:
        rows = [change.row for _, change in PageStore(table, tmp_path / "warc").log.after(0)]
    assert rows == [row_key(f"{REEF}{life}{each}") for life in range(3) for each in range(3)]


def test_the_log_goes_on_though_its_followers_cut_it(table: RocksTable, tmp_path: Path) -> None:
    """What was followed may be deleted; the numbers do not begin again."""
    desk = Desk(PageStore(table, tmp_path / "warc"), tmp_path / "warc")
    with desk.archive:
        desk.keep(REEF, "x")
    (last, _), *_ = desk.store.log.after(0)
    batch = table.batch()
    for key, _ in list(table.scan("change", b"")):
        batch.delete("change", key)
    table.write(batch)
    again = Desk(PageStore(table, tmp_path / "warc"), tmp_path / "warc")
    with again.archive:
        again.keep(REEF, "y", NOON + 1)
    assert [number for number, _ in again.store.log.after(last)] == [last + 1]
