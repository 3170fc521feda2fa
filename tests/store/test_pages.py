"""Pages as rows: raw bodies, anchors, the change log, and who may see what."""

from pathlib import Path

import pytest

from shoal.model.document import Understood
from shoal.model.messages import Linked
from shoal.model.outcome import Outcome
from shoal.model.principal import OWNER, PUBLIC, Principal
from shoal.model.urls.rowkey import row_key
from shoal.store.pages import PageStore
from shoal.store.rows import VISITS_KEPT, What
from shoal.store.table import RocksTable
from tests.frontier.remote_tablets import Away
from tests.store.parts import HOUR, NOON, Desk, answer, document, finished, links_to, visit_to

REEF = "https://reef.example/"
CORAL = "https://reef.example/coral"
SHARK = "https://shark.example/"
ALICE = Principal(frozenset({"alice"}))


def body(source_schedule: Desk, url: str, at: float | None = None) -> bytes | None:
    record = source_schedule.store.raw(row_key(url), OWNER, at)
    return None if record is None else record.http_body


def anchors(
    source_schedule: Desk, url: str, principal: Principal = OWNER
) -> list[tuple[bytes, float, str]]:
    found = source_schedule.store.anchors(row_key(url), principal)
    return [(source, when, anchor.text) for source, when, anchor in found]


# --- reading back ---------------------------------------------------------------------------


def test_all_of_a_page_is_read_back(source_schedule: Desk) -> None:
    source_schedule.keep(REEF, "Clownfish live here", links=[(CORAL, "corals")])
    row = row_key(REEF)
    page = source_schedule.store.page(row, OWNER)
    assert page is not None
    assert (page.url, page.when, page.fetch.visit.status) == (REEF, NOON, 200)
    assert page.fetch.headers == [("content-type", "text/html")]
    assert source_schedule.store.text(row, OWNER) == "Clownfish live here"
    record = source_schedule.store.raw(row, OWNER)
    assert record is not None
    assert record.headers["warc-target-uri"] == REEF
    assert record.http_body == b"Clownfish live here"
    assert record.http_head.startswith(b"HTTP/1.1 200 Fine\r\nContent-Type: text/html\r\n")
    assert [(out.link.url, out.target) for out in source_schedule.store.links(row, OWNER)] == [
        (CORAL, row_key(CORAL))
    ]


def test_a_page_that_is_not_there(source_schedule: Desk) -> None:
    row = row_key(REEF)
    assert source_schedule.store.page(row, OWNER) is None
    assert source_schedule.store.text(row, OWNER) == ""
    assert source_schedule.store.raw(row, OWNER) is None
    assert list(source_schedule.store.history(row, OWNER)) == []
    assert source_schedule.store.links(row, OWNER) == []
    assert anchors(source_schedule, REEF) == []


def test_a_url_is_found_however_its_slash_is_spelled(source_schedule: Desk) -> None:
    source_schedule.keep("https://reef.example/fish/", "x")
    source_schedule.keep("https://reef.example/crab?a=1", "y")
    assert source_schedule.store.find("https://reef.example/fish") == row_key(
        "https://reef.example/fish/"
    )
    assert source_schedule.store.find("https://reef.example/fish/") == row_key(
        "https://reef.example/fish/"
    )
    assert source_schedule.store.find("https://reef.example/crab/?a=1") == row_key(
        "https://reef.example/crab?a=1"
    )
    assert source_schedule.store.find(SHARK) == row_key(SHARK)


def test_versions_are_kept_by_policy(table: RocksTable, tmp_path: Path) -> None:
    source_schedule = Desk(PageStore(table, tmp_path / "warc", versions=2), tmp_path / "warc")
    with source_schedule.archive:
        for hours in range(4):
            source_schedule.keep(REEF, f"hour {hours}", NOON + hours * HOUR)
        assert body(source_schedule, REEF) == b"hour 3"
        assert body(source_schedule, REEF, NOON + 2 * HOUR) == b"hour 2"
        assert body(source_schedule, REEF, NOON + HOUR) is None
        assert source_schedule.store.text(row_key(REEF), OWNER, NOON + 2 * HOUR) == "hour 2"
        assert source_schedule.store.text(row_key(REEF), OWNER, NOON + HOUR) == ""


def test_the_last_visits_are_remembered_whatever_came_of_them(source_schedule: Desk) -> None:
    row = row_key(REEF)
    source_schedule.keep(REEF, "x")
    lost = answer(b"", NOON + HOUR, status=404, outcome=Outcome.MISSING)
    lost.note = "not there"
    source_schedule.commit(visit_to(REEF), lost, Understood())
    moved = answer(
        b"", NOON + 2 * HOUR, status=301, headers=[("Location", "/c")], outcome=Outcome.REDIRECT
    )
    source_schedule.commit(visit_to(REEF), moved, Understood(links=links_to((CORAL, ""))))
    history = list(source_schedule.store.history(row, OWNER))
    assert [(when, v.outcome, v.status) for when, v in history] == [
        (NOON + 2 * HOUR, Outcome.REDIRECT, 301),
        (NOON + HOUR, Outcome.MISSING, 404),
        (NOON, Outcome.OK, 200),
    ]
    assert [v.location for _, v in history] == ["/c", "", ""]
    assert history[1][1].note == "not there"
    assert source_schedule.store.text(row, OWNER) == "x"
    for number in range(VISITS_KEPT + 5):
        source_schedule.commit(
            visit_to(REEF), answer(b"", NOON + (3 + number) * HOUR), Understood()
        )
    assert len(list(source_schedule.store.history(row, OWNER))) == VISITS_KEPT


# --- the body of a page that came again -----------------------------------------------------


def test_a_revisit_reads_the_earlier_records_body(source_schedule: Desk) -> None:
    source_schedule.keep(REEF, "the same", NOON)
    for hours in (1, 2):
        source_schedule.keep(REEF, "the same", NOON + hours * HOUR, seen=("the same", NOON))
    page = source_schedule.store.page(row_key(REEF), OWNER)
    assert page is not None
    assert page.when == NOON + 2 * HOUR
    assert page.fetch.visit.response != page.fetch.payload
    record = source_schedule.store.raw(row_key(REEF), OWNER)
    assert record is not None
    assert record.headers["warc-type"] == "response"
    assert record.http_body == b"the same"


def test_a_body_that_came_back_after_another(source_schedule: Desk) -> None:
    """A, then B, then A again: the second A is a response of its own, for only B was seen."""
    source_schedule.keep(REEF, "A", NOON)
    source_schedule.keep(REEF, "B", NOON + HOUR, seen=("A", NOON))
    source_schedule.keep(REEF, "A", NOON + 2 * HOUR, seen=("B", NOON + HOUR))
    hours = (NOON, NOON + HOUR, NOON + 2 * HOUR)
    assert [body(source_schedule, REEF, at) for at in hours] == [b"A", b"B", b"A"]


def test_a_revisit_beside_an_injected_newer_version(source_schedule: Desk) -> None:
    source_schedule.keep(REEF, "fetched", NOON)
    source_schedule.keep(REEF, "injected", NOON + HOUR)
    source_schedule.keep(REEF, "fetched", NOON + 2 * HOUR, seen=("fetched", NOON))
    assert body(source_schedule, REEF) == b"fetched"


def test_a_page_that_was_removed_and_comes_back_unchanged_has_its_body(
    source_schedule: Desk,
) -> None:
    """The frontier still knows the digest, so the archive holds only a revisit of it."""
    source_schedule.keep(REEF, "first", NOON)
    source_schedule.keep(REEF, "first", NOON + HOUR, seen=("first", NOON))
    source_schedule.remove(REEF, NOON + 2 * HOUR)
    source_schedule.keep(REEF, "first", NOON + 3 * HOUR, seen=("first", NOON))
    assert body(source_schedule, REEF) == b"first"


def test_many_documents_of_a_revisit_share_the_earlier_body(source_schedule: Desk) -> None:
    for when, seen in ((NOON, None), (NOON + HOUR, b"a box")):
        visit = visit_to(REEF, seen, NOON if seen else 0.0)
        # A part's digest is its own, not that of the box it came in.
        parts = [document("box", b"a box"), document("part", b"a part", "#1")]
        source_schedule.commit(visit, answer(b"a box", when), Understood(documents=parts))
    for row in (row_key(REEF), row_key(REEF) + b"#1"):
        record = source_schedule.store.raw(row, OWNER)
        assert record is not None
        assert record.http_body == b"a box"


# --- anchors --------------------------------------------------------------------------------


def test_anchor_text_stands_at_the_targets_row(source_schedule: Desk) -> None:
    source_schedule.keep(REEF, "x", links=[(SHARK, "big fish"), (CORAL, "corals")])
    source_schedule.keep(CORAL, "y", NOON + 1, links=[(SHARK, "the shark")])
    assert anchors(source_schedule, SHARK) == [
        (row_key(REEF), NOON, "big fish"),
        (row_key(CORAL), NOON + 1, "the shark"),
    ]
    assert anchors(source_schedule, CORAL) == [(row_key(REEF), NOON, "corals")]
    assert [
        source_schedule.store.linking.public_in_links(row_key(SHARK), most) for most in (1, 9)
    ] == [1, 2]


def test_what_a_page_says_of_others_is_for_its_readers(
    source_schedule: Desk, table: RocksTable, tmp_path: Path
) -> None:
    source_schedule.keep(REEF, "x", links=[(SHARK, "big fish")], readers=["ann"])
    source_schedule.keep(CORAL, "y", links=[(SHARK, "the shark")])
    in_links = source_schedule.store.linking.public_in_links
    assert in_links(row_key(SHARK), 9) == 1
    away = Away(b"example,elsewhere")
    store = PageStore(table, tmp_path, remote=away)
    batch, visit = store.batch(), visit_to(CORAL)
    links = links_to((SHARK, "the shark"), ("https://elsewhere.example/", "away"))
    store.linking.keep(batch, visit, links, [row_key(SHARK), b""], NOON + 1)
    store.commit(batch)
    for row, readers in ((row_key(REEF), []), (row_key(CORAL), ["bob"])):
        batch = store.batch()
        store.amend(batch, row, NOON + HOUR, readers)
        store.commit(batch)
    (said,) = [anchor for _, anchor in store.said_of(row_key(SHARK)) if anchor.readers]
    assert (said.text, said.readers) == ("the shark", ["bob"])
    assert in_links(row_key(SHARK), 9) == 1
    (told,) = [item for item in away.sent if isinstance(item, Linked)]
    assert ([link.text for link in told.links], told.readers) == (["away"], ["bob"])


def test_a_link_that_is_no_longer_there_takes_its_anchor_along(source_schedule: Desk) -> None:
    source_schedule.keep(CORAL, "y", links=[(SHARK, "the shark")])
    source_schedule.keep(REEF, "one", NOON, links=[(SHARK, "big fish"), (CORAL, "corals")])
    source_schedule.keep(REEF, "two", NOON + HOUR, links=[(CORAL, "reefs")], seen=("one", NOON))
    assert anchors(source_schedule, SHARK) == [(row_key(CORAL), NOON, "the shark")]
    assert anchors(source_schedule, CORAL) == [(row_key(REEF), NOON + HOUR, "reefs")]
    assert source_schedule.store.linking.public_in_links(row_key(CORAL), 9) == 1, (
        "older versions do not count"
    )


def test_a_redirect_that_became_a_page_takes_its_anchor_along(source_schedule: Desk) -> None:
    """A redirect has no body, so nothing was 'seen' when the page comes."""
    moved = answer(b"", status=301, outcome=Outcome.REDIRECT)
    source_schedule.commit(visit_to(REEF), moved, Understood(links=links_to((SHARK, ""))))
    assert [source for source, _, _ in anchors(source_schedule, SHARK)] == [row_key(REEF)]
    source_schedule.keep(REEF, "a page now", NOON + HOUR, links=[(CORAL, "corals")])
    assert anchors(source_schedule, SHARK) == []
    assert len(anchors(source_schedule, CORAL)) == 1


def test_a_removed_page_takes_its_anchors_along_and_leaves_those_to_it(
    source_schedule: Desk,
) -> None:
    source_schedule.keep(REEF, "x", links=[(SHARK, "big fish"), (CORAL, "corals")])
    source_schedule.keep(CORAL, "y", links=[(REEF, "home")])
    source_schedule.remove(REEF, NOON + HOUR)
    assert anchors(source_schedule, SHARK) == []
    assert anchors(source_schedule, CORAL) == []
    assert source_schedule.store.links(row_key(REEF), OWNER) == []
    assert [text for _, _, text in anchors(source_schedule, REEF)] == ["home"]
    (when, visit), *_ = source_schedule.store.history(row_key(REEF), OWNER)
    assert (when, visit.outcome) == (NOON + HOUR, Outcome.GONE)


def test_a_version_out_of_the_past_does_not_change_todays_links(source_schedule: Desk) -> None:
    source_schedule.keep(REEF, "today", NOON, links=[(SHARK, "big fish")])
    source_schedule.keep(REEF, "yesterday", NOON - 24 * HOUR, links=[(CORAL, "corals")])
    assert [text for _, _, text in anchors(source_schedule, SHARK)] == ["big fish"]
    assert anchors(source_schedule, CORAL) == []
    assert [out.link.url for out in source_schedule.store.links(row_key(REEF), OWNER)] == [SHARK]


def test_a_link_owned_elsewhere_is_known_but_has_no_anchor(source_schedule: Desk) -> None:
    batch = source_schedule.store.batch()
    understood = Understood(documents=[document("x", b"x")], links=links_to((SHARK, "far")))
    source_schedule.store.keep(
        batch, visit_to(REEF), answer(), understood, finished(understood, [b""])
    )
    source_schedule.store.commit(batch)
    assert [out.target for out in source_schedule.store.links(row_key(REEF), OWNER)] == [b""]
    assert anchors(source_schedule, SHARK) == []
    source_schedule.remove(REEF, NOON + 1)
    assert source_schedule.store.page(row_key(REEF), OWNER) is None


def test_an_unchanged_answer_leaves_links_and_anchors(source_schedule: Desk) -> None:
    source_schedule.keep(REEF, "x", links=[(SHARK, "big fish")])
    unchanged = answer(b"", NOON + HOUR, status=304, outcome=Outcome.UNCHANGED)
    source_schedule.commit(visit_to(REEF, b"x", NOON), unchanged, Understood())
    assert len(anchors(source_schedule, SHARK)) == 1
    assert len(source_schedule.store.links(row_key(REEF), OWNER)) == 1
    assert body(source_schedule, REEF) == b"x"


# --- who may see what -----------------------------------------------------------------------


@pytest.mark.parametrize("closed_by", ["its first fetch", "a later fetch", "amending"])
def test_a_closed_page_is_nowhere_for_the_public(source_schedule: Desk, closed_by: str) -> None:
    links = [(SHARK, "secret shark")]
    first_readers = ["alice"] if closed_by == "its first fetch" else []
    source_schedule.keep(REEF, "v1", NOON, links=links, readers=first_readers)
    later_readers = [] if closed_by == "amending" else ["alice"]
    source_schedule.keep(
        REEF, "v2", NOON + HOUR, links=links, readers=later_readers, seen=("v1", NOON)
    )
    if closed_by == "amending":
        source_schedule.amend(REEF, NOON + 2 * HOUR, ["alice"])
    source_schedule.keep(CORAL, "open", links=[(SHARK, "open shark"), (REEF, "a door")])
    store, row = source_schedule.store, row_key(REEF)
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
    assert [text for _, _, text in anchors(source_schedule, SHARK, PUBLIC)] == ["open shark"]
    assert len(anchors(source_schedule, SHARK, ALICE)) == 2
    assert [page.url for page in store.stream(b"", None, PUBLIC)] == [CORAL]
    assert [page.url for page in store.stream(b"", None, ALICE)] == [REEF, CORAL]


def test_removing_a_closed_page_does_not_open_its_history(source_schedule: Desk) -> None:
    source_schedule.keep(REEF, "secret", readers=["alice"])
    source_schedule.remove(REEF, NOON + HOUR)
    assert list(source_schedule.store.history(row_key(REEF), PUBLIC)) == []
    assert len(list(source_schedule.store.history(row_key(REEF), OWNER))) == 2


# --- the change log -------------------------------------------------------------------------


def test_the_log_tells_what_changed_in_order(source_schedule: Desk) -> None:
    source_schedule.keep(REEF, "x", NOON)
    source_schedule.keep(CORAL, "y", NOON + 1)
    source_schedule.amend(CORAL, NOON + 2, ["alice"])
    source_schedule.remove(REEF, NOON + 3)
    lost = answer(b"", NOON + 4, status=404, outcome=Outcome.MISSING)
    source_schedule.commit(visit_to(SHARK), lost, Understood())
    found = list(source_schedule.store.log.after(0))
    assert [(change.row, change.what, change.when) for _, change in found] == [
        (row_key(REEF), What.WRITTEN, NOON),
        (row_key(CORAL), What.WRITTEN, NOON + 1),
        (row_key(CORAL), What.SHARED, NOON + 2),
        (row_key(REEF), What.REMOVED, NOON + 3),
    ]
    numbers = [number for number, _ in found]
    assert numbers == sorted(set(numbers))
    assert list(source_schedule.store.log.after(numbers[1])) == found[2:]
    assert list(source_schedule.store.log.after(numbers[-1])) == []


def test_the_log_tells_what_is_no_longer_there(source_schedule: Desk) -> None:
    source_schedule.keep(REEF, "x", NOON)
    gone = answer(b"", NOON + 1, status=410, outcome=Outcome.GONE)
    source_schedule.commit(visit_to(REEF), gone, Understood())
    (_, last) = list(source_schedule.store.log.after(1))[-1]
    assert (last.row, last.what) == (row_key(REEF), What.AMENDED)


def test_the_log_goes_on_over_restarts(tmp_path: Path) -> None:
    seen: list[int] = []
    for life in range(3):
        with RocksTable(tmp_path / "table") as table:
            source_schedule = Desk(PageStore(table, tmp_path / "warc"), tmp_path / "warc")
            with source_schedule.archive:
                for each in range(3):
                    source_schedule.keep(f"{REEF}{life}{each}", "x")
            new = [number for number, _ in source_schedule.store.log.after(seen[-1] if seen else 0)]
            assert len(new) == 3
            seen += new
    assert seen == sorted(set(seen))
    with RocksTable(tmp_path / "table") as table:
        rows = [change.row for _, change in PageStore(table, tmp_path / "warc").log.after(0)]
    assert rows == [row_key(f"{REEF}{life}{each}") for life in range(3) for each in range(3)]


def test_the_log_goes_on_though_its_followers_cut_it(table: RocksTable, tmp_path: Path) -> None:
    """What was followed may be deleted; the numbers do not begin again."""
    source_schedule = Desk(PageStore(table, tmp_path / "warc"), tmp_path / "warc")
    with source_schedule.archive:
        source_schedule.keep(REEF, "x")
    (last, _), *_ = source_schedule.store.log.after(0)
    batch = table.batch()
    for key, _ in list(table.scan("change", b"")):
        batch.delete("change", key)
    table.write(batch)
    again = Desk(PageStore(table, tmp_path / "warc"), tmp_path / "warc")
    with again.archive:
        again.keep(REEF, "y", NOON + 1)
    assert [number for number, _ in again.store.log.after(last)] == [last + 1]
