"""Groups of near-duplicates: who joins, who leads, who takes over, and books that agree."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from shoal.duplicates.near.groups import Groups, Newcomer, Settled, Worth, readers_digest
from shoal.duplicates.near.near import MOST_GROUPS, NearIndex
from shoal.duplicates.near.near_audit import audit_groups
from shoal.duplicates.near.sketch import fingerprint, resemblance, sketch
from shoal.model.document import Fate, Reassigned
from shoal.model.urls.rowkey import row_key, url_of
from shoal.store.table import RocksTable

CUT = 0.6


class Shelf:
    """Groups on a real table, each settled in a batch of its own."""

    def __init__(self, table: RocksTable) -> None:
        self.table = table
        self.index = NearIndex(table)
        self.worths: dict[bytes, Worth] = {}
        self.groups = Groups(self.index, self.worths.get, self.canonical)

    def canonical(self, row: bytes) -> str:
        return self.worths[row].canonical if row in self.worths else ""

    def put(
        self,
        url: str,
        text: str,
        *,
        readers: list[str] | None = None,
        twin: str = "",
        worth: Worth | None = None,
    ) -> Settled:
        row = row_key(url)
        given = worth or Worth(url)
        page = Newcomer(
            row,
            fingerprint(text),
            readers_digest(readers or []),
            row_key(twin) if twin else None,
            lambda: given,
        )
        self.index.begin()
        batch = self.table.batch()
        settled = self.groups.settle(batch, page, lambda _core: CUT)
        self.table.write(batch)
        self.worths[row] = given
        return settled

    def leave(self, url: str) -> list[Reassigned]:
        self.index.begin()
        batch = self.table.batch()
        reassigned = self.groups.leave(batch, row_key(url))
        self.table.write(batch)
        self.worths.pop(row_key(url), None)
        return reassigned

    def lead(self, url: str) -> str:
        lead = self.groups.representative_of(row_key(url))
        return "" if lead is None else url_of(lead)

    def faults(self) -> list[str]:
        return list(audit_groups(self.table))


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    with RocksTable(tmp_path / "table") as table:
        yield Shelf(table)


def story(seed: int, words: int = 120) -> list[str]:
    draw = Random(seed)
    return [f"w{draw.randrange(5000)}" for _ in range(words)]


def edited(words: list[str], changes: int, seed: int = 0) -> str:
    draw, copy = Random(seed), list(words)
    for place in draw.sample(range(len(copy)), changes):
        copy[place] = f"new{draw.randrange(10_000)}"
    return " ".join(copy)


A, B, C, D = (f"http://h.example/{name}" for name in "abcd")


def test_a_copy_with_some_words_changed_joins_and_another_text_does_not(shelf: Shelf) -> None:
    words = story(1)
    first = shelf.put(A, " ".join(words))
    near = shelf.put(B, edited(words, 4))
    other = shelf.put(C, " ".join(story(2)))
    assert near.group_id == first.group_id != other.group_id
    assert CUT < near.resemblance < 1
    assert (shelf.lead(A), shelf.lead(B), shelf.lead(C)) == (A, A, C)
    assert {url_of(row) for row in shelf.groups.members(first.group_id)} == {A, B}
    assert shelf.faults() == []


def test_groups_do_not_drift_from_copy_to_copy(shelf: Shelf) -> None:
    """Each step is near the last one, and the last one is not near the first."""
    words, last = story(3), ""
    for step in range(12):
        words[step * 8 : step * 8 + 8] = [f"s{step}x{each}" for each in range(8)]
        last = f"http://h.example/{step}"
        shelf.put(last, " ".join(words))
    assert shelf.lead(last) != "http://h.example/0"
    assert shelf.faults() == []


def test_only_pages_that_the_same_people_may_read_are_grouped(shelf: Shelf) -> None:
    text = " ".join(story(4))
    shelf.put(A, text)
    shelf.put(B, text, readers=["ann"])
    shelf.put(C, text, readers=["ann"])
    shelf.put(D, text, twin=B)
    assert (shelf.lead(A), shelf.lead(B), shelf.lead(C), shelf.lead(D)) == (A, B, B, A)


@pytest.mark.parametrize(
    ("first", "second", "leads"),
    [
        (Worth(A), Worth(B, canonical=B), B),
        (Worth(A, canonical=B), Worth(B), B),
        (Worth(A, canonical=A), Worth(B, canonical=A), A),
        (Worth(A), Worth(B, canonical=A, in_links=60), A),
        (Worth(A, in_links=2), Worth(B, in_links=9), B),
        (Worth(A, in_links=4), Worth(B, in_links=9), A),
        (Worth(A, published="2026-05-01"), Worth(B, published="2026-04-01"), B),
        (Worth(A, published="2026-05-01"), Worth(B), A),
        (Worth(A, found=5.0), Worth(B, found=4.0), B),
        (Worth(A), Worth(B), A),
    ],
)
def test_who_leads(shelf: Shelf, first: Worth, second: Worth, leads: str) -> None:
    text = " ".join(story(5))
    shelf.put(A, text, worth=first)
    settled = shelf.put(B, text, worth=second)
    assert shelf.lead(A) == shelf.lead(B) == leads
    expected = [Reassigned(row_key(A), Fate.DUPLICATE, B)] if leads == B else []
    assert settled.reassigned == expected


def test_a_lead_that_goes_is_replaced_by_the_best_that_is_left(shelf: Shelf) -> None:
    words = story(6)
    shelf.put(A, " ".join(words))
    shelf.put(B, edited(words, 2, 1), worth=Worth(B, in_links=1))
    shelf.put(C, edited(words, 2, 2), worth=Worth(C, in_links=9, canonical=A))
    assert shelf.lead(C) == A
    assert shelf.leave(A) == [Reassigned(row_key(C), Fate.WAITING, "")]
    assert (shelf.lead(A), shelf.lead(B), shelf.lead(C)) == ("", C, C)
    assert shelf.faults() == []
    # The core went with it: others are compared with the new lead.
    assert shelf.put(D, edited(words, 2, 3)).representative == row_key(C)
    assert shelf.leave(C) != []
    assert shelf.leave(B) == [] or shelf.lead(D) == D
    assert shelf.leave(D) == []
    assert shelf.faults() == []
    assert list(shelf.table.scan("print", b"")) == []


def test_a_page_that_says_something_else_leaves_its_group(shelf: Shelf) -> None:
    words = story(7)
    shelf.put(A, " ".join(words))
    shelf.put(B, edited(words, 3))
    settled = shelf.put(A, " ".join(story(8)))
    assert settled.reassigned == [Reassigned(row_key(B), Fate.WAITING, "")]
    assert (shelf.lead(A), shelf.lead(B)) == (A, B)
    assert shelf.put(A, " ".join(words)).group_id == shelf.groups.group_of(row_key(B))
    assert shelf.faults() == []


def test_the_same_text_again_changes_nothing(shelf: Shelf) -> None:
    text = " ".join(story(9))
    shelf.put(A, text)
    shelf.put(B, text)
    before = list(shelf.table.scan("print", b""))
    assert shelf.put(B, text).reassigned == shelf.put(A, text).reassigned == []
    assert list(shelf.table.scan("print", b"")) == before


def test_very_short_texts_are_grouped_only_by_their_bytes(shelf: Shelf) -> None:
    text = "Page not found on this server."
    shelf.put(A, text)
    assert shelf.lead(B) == ""
    shelf.put(B, text)
    assert shelf.lead(B) == B
    shelf.put(C, text, twin=A)
    assert shelf.lead(C) == A
    assert shelf.faults() == []


def test_a_template_that_many_pages_share_hides_no_copy(shelf: Shelf) -> None:
    """Its marks become common and are not followed; the copy is found by its own words."""
    template = story(10, 100)
    for page in range(4 * MOST_GROUPS):
        content = story(1000 + page, 100)
        settled = shelf.put(f"http://h.example/{page}", " ".join(template + content))
        assert settled.representative == row_key(f"http://h.example/{page}"), page
    for page in range(4 * MOST_GROUPS):
        content = story(1000 + page, 100)
        text = edited(template + content, 5, page)
        original = " ".join(template + content)
        assert resemblance(sketch(text), sketch(original)) > CUT
        assert shelf.put(f"http://m.example/{page}", text).representative == row_key(
            f"http://h.example/{page}"
        )
    lists = [value for key, value in shelf.table.scan("print", b"mark\0", b"mark\1")]
    assert max(map(len, lists)) == 8 * MOST_GROUPS
    assert shelf.faults() == []


@pytest.mark.parametrize("seed", range(6))
def test_any_order_of_coming_and_going_leaves_the_books_right(shelf: Shelf, seed: int) -> None:
    draw = Random(seed)
    stories = [story(each, 60) for each in range(4)]
    alive: dict[str, str] = {}
    for step in range(150):
        url = f"http://h{draw.randrange(3)}.example/{draw.randrange(25)}"
        if url in alive and draw.random() < 0.4:
            shelf.leave(url)
            del alive[url]
        else:
            text = edited(draw.choice(stories), draw.randrange(4), step)
            worth = Worth(url, in_links=draw.randrange(12))
            shelf.put(url, text, worth=worth, readers=["x"] * draw.randrange(2))
            alive[url] = text
        if step % 10 == 0:
            assert shelf.faults() == [], step
    for url in alive:
        lead = shelf.lead(url)
        assert lead in alive
        assert shelf.lead(lead) == lead
    for url in list(alive):
        shelf.leave(url)
    assert list(shelf.table.scan("print", b"")) == []


def test_damage_is_found(shelf: Shelf) -> None:
    words = story(11)
    group_id = shelf.put(A, " ".join(words)).group_id
    shelf.put(B, edited(words, 2))
    entries = list(shelf.table.scan("print", b""))
    assert shelf.faults() == []
    for key, value in entries:
        batch = shelf.table.batch()
        batch.delete("print", key)
        shelf.table.write(batch)
        assert shelf.faults() != [], key
        batch = shelf.table.batch()
        batch.put("print", key, value)
        shelf.table.write(batch)
    assert group_id
    assert shelf.faults() == []


def test_copies_that_come_before_their_original_are_joined_by_it(shelf: Shelf) -> None:
    """Each has another twentieth of the words changed: near the original, not near each other."""
    words = story(12, 200)
    copies = [f"http://h{number}.example/" for number in range(4)]
    for number, url in enumerate(copies):
        text = list(words)
        for place in range(number * 4, 200, 18):
            text[place] = f"new{number}x{place}"
        shelf.put(url, " ".join(text), worth=Worth(url, found=2.0 + number))
    apart = {shelf.lead(url) for url in copies}
    assert len(apart) > 1
    settled = shelf.put(A, " ".join(words), worth=Worth(A, found=1.0))
    assert {shelf.lead(url) for url in copies} == {A}
    assert {each.row for each in settled.reassigned} >= {row_key(url) for url in apart}
    assert all(each.fate is Fate.DUPLICATE for each in settled.reassigned)
    assert shelf.faults() == []
    for url in [*copies, A]:
        shelf.leave(url)
        assert shelf.faults() == []
    assert list(shelf.table.scan("print", b"")) == []


def test_who_founded_a_group_and_left_it_may_come_back(shelf: Shelf) -> None:
    words = story(13)
    shelf.put(A, " ".join(words))
    shelf.put(B, edited(words, 5, 1))
    shelf.put(C, edited(words, 5, 2))
    shelf.leave(A)
    shelf.put(B, " ".join(story(14)))
    assert shelf.lead(C) == C
    assert shelf.put(A, " ".join(words)).group_id == shelf.groups.group_of(row_key(C))
    assert shelf.faults() == []


def test_the_page_that_others_name_as_canonical_leads(shelf: Shelf) -> None:
    """Also when who names it comes after it, and neither of them leads."""
    text = " ".join(story(15))
    shelf.put(A, text)
    shelf.put(C, text)
    assert shelf.lead(C) == A
    settled = shelf.put(B, text, worth=Worth(B, canonical=C))
    assert settled.reassigned == [
        Reassigned(row_key(A), Fate.DUPLICATE, C),
        Reassigned(row_key(C), Fate.WAITING, ""),
    ]
    assert {shelf.lead(url) for url in (A, B, C)} == {C}
    shelf.put(D, text, worth=Worth(D, canonical=D))
    assert shelf.lead(D) == C  # one vote each is no reason to change it
    shelf.put(D + "2", text, worth=Worth(D + "2", canonical=D))
    assert shelf.lead(A) == D
    assert shelf.faults() == []
