"""`shoal.duplicate_groups` and its like: what a crawl has grouped, and what is found anew."""

import os
import re
import shutil
import time
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from pathlib import Path
from random import Random

import pytest

import shoal
from shoal.analysis.duplicates import _as_in_a_crawl
from shoal.collection.collection import Collection
from shoal.config import Dedupe
from shoal.duplicates.methods.accuracy import Exercise
from shoal.duplicates.near.sketch import fingerprint, resemblance, sketch
from shoal.files.deduping import Comparison
from shoal.files.fingerprint_accuracy import named_accuracy, read_texts, read_truth
from shoal.files.named_texts import NamedPair, NamedTexts
from shoal.layout.layout import Layout
from shoal.model.principal import OWNER, PUBLIC
from shoal.model.urls.rowkey import row_key
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.crawl.run import crawl
from tests.world import RobotsMix, Web, serve

TALES = 12
SVG = "{http://www.w3.org/2000/svg}"


def tale(seed: int, words: int = 160) -> list[str]:
    random = Random(seed)
    return ["".join(random.choices("abcdefghijklmnop", k=6)) for _ in range(words)]


def edited(words: list[str], every: int) -> list[str]:
    return [f"new{at}" if at % every == every - 1 else word for at, word in enumerate(words)]


def page(words: list[str]) -> str:
    return f"<main><p>{' '.join(words)}.</p></main>"


@dataclass(frozen=True)
class Reef:
    """A little web: tales that each have a second address, a copy of the first, its words in
    another order."""

    directory: Path
    site: str

    def url(self, path: str) -> str:
        return f"{self.site}{path}"


@pytest.fixture(scope="module")
def reef(tmp_path_factory: pytest.TempPathFactory) -> Reef:
    directory = tmp_path_factory.mktemp("reef") / "corpus"
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    shuffled = tale(1)
    Random(0).shuffle(shuffled)
    pages = {"/copy": edited(tale(0), 30), "/shuffled": shuffled, "/short": tale(99, 8)}
    for number in range(TALES):
        pages[f"/tales/{number}"] = pages[f"/tales/{number}?view=1"] = tale(number)
    with serve(Web(seed=6, hosts=1, pages=1, robots=robots)) as web:
        for path, words in pages.items():
            web.put(0, path, page(words))
        links = "".join(f"<a href='{path}'>{path}</a> " for path in pages)
        start = web.put(0, "/start", links)
        crawl(directory, [start], {"politeness.delay": 0.01, "crawl.scope": "host"})
    return Reef(directory, start.removesuffix("/start"))


@pytest.fixture
def corpus(reef: Reef) -> Iterator[Collection]:
    with shoal.open(reef.directory) as found:
        yield found


def test_groups_come_largest_first_with_how_alike_they_are(reef: Reef, corpus: Collection) -> None:
    found = shoal.duplicate_groups(corpus)
    listed = list(found)
    assert len(found) == len(listed)
    assert found.pages == sum(group.pages for group in listed)
    assert [group.pages for group in listed] == sorted(
        (group.pages for group in listed), reverse=True
    )
    largest = listed[0]
    urls = {largest.page, *(member.url for member in largest.members)}
    assert urls == {reef.url(path) for path in ("/tales/0", "/tales/0?view=1", "/copy")}
    alike = {member.url: member.resemblance for member in largest.members}
    expected = resemblance(sketch(" ".join(tale(0))), sketch(" ".join(edited(tale(0), 30))))
    assert 0.6 < expected < 1
    assert expected == pytest.approx(min(alike.values()), abs=0.02)
    assert list(alike.values()) == sorted(alike.values(), reverse=True)


def test_of_a_great_group_only_some_are_named(corpus: Collection) -> None:
    largest = next(iter(shoal.duplicate_groups(corpus, most_members=1)))
    assert (largest.pages, len(largest.members)) == (3, 1)


def test_nobody_learns_of_groups_that_they_may_not_read(reef: Reef, tmp_path: Path) -> None:
    directory = tmp_path / "corpus"
    shutil.copytree(reef.directory, directory)
    with shoal.open(directory) as corpus:
        before = list(shoal.duplicate_groups(corpus))
    layout = Layout(directory)
    secret = before[0]
    with RocksTable(layout.table) as table:
        store = PageStore(table, layout.warc)
        for url in (secret.page, *(member.url for member in secret.members)):
            batch = table.batch()
            store.amend(batch, row_key(url), time.time(), ["anna"])
            table.write(batch)
    with shoal.open(directory, PUBLIC) as corpus:
        found = shoal.duplicate_groups(corpus)
        assert len(found) == len(before) - 1
        assert secret.page not in {group.page for group in found}
        assert shoal.near_duplicates(corpus, " ".join(tale(0))) == []
    with shoal.open(directory, OWNER) as corpus:
        assert len(shoal.duplicate_groups(corpus)) == len(before)


def test_what_is_near_a_page(reef: Reef, corpus: Collection) -> None:
    asked = corpus.page(reef.url("/copy"))
    assert asked is not None
    found = shoal.near_duplicates(corpus, asked)
    assert {each.url for each in found} == {reef.url("/tales/0"), reef.url("/tales/0?view=1")}
    for each in found:
        assert each.is_near
        assert 0.6 < each.resemblance < each.containment < 1
        assert 0.9 < each.cosine < 1


def test_what_is_near_a_text_and_a_file(reef: Reef, corpus: Collection, tmp_path: Path) -> None:
    half = tale(3)[:80]
    (by_text, *_) = shoal.near_duplicates(corpus, " ".join(half), at_most=1)
    assert by_text.url.startswith(reef.url("/tales/3"))
    assert by_text.containment == pytest.approx(1, abs=0.02)
    assert by_text.resemblance == pytest.approx(0.5, abs=0.1)
    assert not by_text.is_near
    file = tmp_path / "half.html"
    file.write_text(page(half))
    assert shoal.near_duplicates(corpus, file, at_most=1) == [by_text]
    assert shoal.near_duplicates(corpus, "Nobody has ever said this before.") == []


def test_a_scan_finds_the_same_words_in_another_order(reef: Reef, corpus: Collection) -> None:
    asked = corpus.page(reef.url("/shuffled"))
    assert asked is not None
    assert shoal.near_duplicates(corpus, asked) == []
    told: list[int] = []
    found = shoal.near_duplicates(corpus, asked, scan=True, at_most=3, progress=told.append)
    assert found[0].url.startswith(reef.url("/tales/1"))
    assert found[0].cosine == pytest.approx(1)
    assert not found[0].is_near
    assert [each.cosine for each in found] == sorted((e.cosine for e in found), reverse=True)
    assert told == list(range(1, len(list(corpus.pages())) + 1))
    assert reef.url("/shuffled") not in {each.url for each in found}


def test_what_is_short_is_near_only_the_very_same(reef: Reef, corpus: Collection) -> None:
    said = f"{' '.join(tale(99, 8))}.\n"
    (same, *_) = shoal.near_duplicates(corpus, said, scan=True, at_most=1)
    assert (same.url, same.resemblance, same.is_near) == (reef.url("/short"), 1.0, True)
    for longer in (f"{said} ray", said.replace(".", " ray.")):
        (near, *_) = shoal.near_duplicates(corpus, longer, scan=True, at_most=1)
        assert (near.url, near.is_near) == (reef.url("/short"), False)
        assert near.resemblance > corpus.config.dedupe.resemblance


def test_what_shares_next_to_nothing_is_not_listed(reef: Reef, corpus: Collection) -> None:
    words = tale(3)
    runs = (" ".join(words[at : at + 3]) for at in range(len(words) - 2))
    shared = min(runs, key=lambda run: fingerprint(run).minhashes)  # the first of the page's marks
    found = shoal.near_duplicates(corpus, shared)
    assert {each.url for each in found} == {
        reef.url(path) for path in ("/tales/3", "/tales/3?view=1")
    }
    assert all(0.005 <= each.resemblance < 0.01 for each in found)
    beside = f"{shared} {' '.join(tale(98, 500))}"
    assert fingerprint(shared).minhashes in fingerprint(beside).minhashes
    assert shoal.near_duplicates(corpus, beside) == []


def test_all_pairs_are_those_that_resemble_each_other(corpus: Collection) -> None:
    stored = {each.url: sketch(each.text) for each in corpus.pages()}
    expected = {
        frozenset((a, b))
        for a, b in combinations(stored, 2)
        if resemblance(stored[a], stored[b]) >= corpus.config.dedupe.resemblance
        and len(stored[a]) > 60
    }
    pairs = list(shoal.duplicate_pairs(corpus))
    clusters = list(shoal.duplicate_clusters(corpus))
    together = {frozenset(pair) for group in clusters for pair in combinations(group, 2)}
    # Of pages with one sketch only the first is paired with others.
    assert {frozenset((pair.a, pair.b)) for pair in pairs} <= expected == together
    assert [len(group) for group in clusters] == sorted(map(len, clusters), reverse=True)


def test_pages_of_one_site_must_be_more_alike_than_others() -> None:
    settings = Dedupe(resemblance=0.7, resemblance_across=0.6)
    same_site, across = (
        NamedPair("http://a.example:8080/x", f"http://{host}/y", 0.65)
        for host in ("a.example:8080", "a.example")
    )
    assert not _as_in_a_crawl(settings, same_site)
    assert _as_in_a_crawl(settings, across)

    texts = [("one", " ".join(tale(0))), ("two", " ".join(tale(0))), ("far", " ".join(tale(0)))]

    def admits(pair: NamedPair) -> bool:
        return "far" not in pair

    assert list(NamedTexts(texts, Comparison(), None, admits).clusters()) == [["one", "two"]]
    assert len(list(NamedTexts(texts, Comparison(), None, admits).pairs())) == 1


@pytest.mark.parametrize("method", ["simhash", "fingerprints"])
def test_other_methods_find_the_second_addresses(
    reef: Reef, corpus: Collection, method: str
) -> None:
    clusters = list(shoal.duplicate_clusters(corpus, method=method))  # type: ignore[arg-type]
    found = {frozenset(group) for group in clusters}
    assert frozenset(reef.url(path) for path in ("/tales/5", "/tales/5?view=1")) in found


def test_a_part_of_urls_that_says_nothing_is_told(reef: Reef, corpus: Collection) -> None:
    [lesson] = [each for each in shoal.url_lessons(corpus) if "'view'" in each.says]
    assert lesson.site == reef.url("/")
    assert lesson.learned
    assert lesson.compared >= lesson.same >= 8
    assert list(shoal.mirrors(corpus)) == []


def test_groups_can_be_made_anew(reef: Reef, tmp_path: Path) -> None:
    directory = tmp_path / "corpus"
    shutil.copytree(reef.directory, directory)
    told: list[str] = []
    duplicates = shoal.regroup(directory, told.append)
    with shoal.open(reef.directory) as old, shoal.open(directory) as new:
        before, after = (
            {frozenset({group.page, *(m.url for m in group.members)}) for group in groups}
            for groups in (shoal.duplicate_groups(old), shoal.duplicate_groups(new))
        )
    assert before == after
    assert duplicates == sum(len(group) - 1 for group in after)


def test_two_texts_side_by_side() -> None:
    a, b = tale(0), edited(tale(0), 40)
    found = shoal.compare(" ".join(a), " ".join(b[:-40]))
    assert found.a_in_b < found.b_in_a
    assert found.resemblance == pytest.approx(0.65, abs=0.1)
    assert {piece.kind for piece in found.difference.pieces} == {"same", "only_a", "only_b"}
    assert shoal.compare("One and the same.", "One and the same.").difference.share_changed == 0
    for nothing in ("", " \n", "…"):
        found = shoal.compare(nothing, nothing)
        assert (found.resemblance, found.a_in_b, found.b_in_a, found.cosine) == (1, 1, 1, 1)
    assert shoal.compare("", "Not a word of it.").resemblance == 0


def test_names_are_not_taken_for_texts(
    reef: Reef, corpus: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = reef.url("/copy")
    stored = corpus.page(url)
    assert stored is not None
    assert shoal.near_duplicates(corpus, url) == shoal.near_duplicates(corpus, stored)
    with pytest.raises(shoal.UsageError, match="/unheard-of is not stored"):
        shoal.near_duplicates(corpus, reef.url("/unheard-of"))
    (tmp_path / "kelp.txt").write_text(" ".join(tale(0)))
    monkeypatch.chdir(tmp_path)
    for name in (url, "kelp.txt", str(tmp_path / "kelp.txt")):
        with pytest.raises(shoal.UsageError, match="pass a Path, a Page or a text"):
            shoal.compare("A text.", name)
    assert shoal.compare(f"See {url} there.", "kelp").resemblance == 0
    with pytest.raises(shoal.UsageError, match="has no text"):
        shoal.near_duplicates(corpus, "")
    unknown = corpus.page(reef.url("/unheard-of"))
    with pytest.raises(shoal.UsageError, match="None can't be compared"):
        shoal.compare("A text.", unknown)  # type: ignore[arg-type]  # the mistake
    with pytest.raises(shoal.UsageError, match="None can't be compared"):
        shoal.near_duplicates(corpus, unknown)  # type: ignore[arg-type]  # the mistake
    with pytest.raises(shoal.UsageError, match="not bytes"):
        shoal.compare("A text.", b"Another.")  # type: ignore[arg-type]  # the mistake


# --- folders --------------------------------------------------------------------------------


def test_files_of_a_folder_are_read_and_grouped(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "z.txt").write_text(" ".join(tale(0)))
    (tmp_path / "below" / "b.html").write_text(page(edited(tale(0), 30)))
    (tmp_path / "other.txt").write_text(" ".join(tale(2)))
    (tmp_path / "nothing.bin").write_bytes(bytes(range(256)))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("inside.txt", " ".join(tale(0)))
    (tmp_path / "link.txt").symlink_to(tmp_path / "z.txt")
    skipped: list[str] = []
    [group] = shoal.file_clusters(tmp_path, skipped=lambda name, _why: skipped.append(name))
    names = ("z.txt", "below/b.html", "a.zip: inside.txt")  # what is within another comes last
    assert group == [f"{tmp_path}/{name}" for name in names]
    assert f"{tmp_path}/nothing.bin" in skipped


def test_a_file_name_that_is_no_text_can_be_shown(tmp_path: Path) -> None:
    for name in (b"caf\xe9.txt", b"plain.txt"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text(" ".join(tale(0)))
    [group] = shoal.file_clusters(tmp_path)
    assert group == [f"{tmp_path}/caf\ufffd.txt", f"{tmp_path}/plain.txt"]


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(shoal.UsageError, match="is no folder"):
        shoal.file_clusters(tmp_path / "none")
    with pytest.raises(shoal.UsageError, match="no method is called"):
        shoal.file_clusters(tmp_path, method="magic")  # type: ignore[arg-type]  # the mistake
    assert list(shoal.file_clusters(tmp_path)) == []


def test_texts_are_read_once_and_not_kept() -> None:
    most_held, held = 0, 0

    class Text(str):
        __slots__ = ()

        def __del__(self) -> None:
            nonlocal held
            held -= 1

    def texts() -> Iterator[tuple[str, str]]:
        nonlocal held, most_held
        for number in range(50):
            held += 1
            most_held = max(most_held, held)
            yield f"né {number}", Text(" ".join(tale(number // 2)))

    told: list[tuple[str, int, int]] = []
    search = NamedTexts(texts(), Comparison(), lambda *said: told.append(said))
    groups = list(search.clusters())
    assert groups == [[f"né {number}", f"né {number + 1}"] for number in range(0, 50, 2)]
    assert search.number == 50
    assert most_held <= 3
    assert ("reading", 50, 0) in told


# --- accuracy -------------------------------------------------------------------------------


@pytest.fixture
def lines(tmp_path: Path) -> tuple[Path, Path]:
    texts, truth = tmp_path / "texts.jsonl", tmp_path / "truth.json"
    rows = [f'{{"id": "t{n}", "text": "{" ".join(tale(n))}"}}' for n in range(30)]
    rows += [f'{{"id": {n}, "text": "{" ".join(edited(tale(n), 50))}", "x": 1}}' for n in range(10)]
    texts.write_text("\n".join(rows) + "\n\n")
    pairs = ", ".join(f'["t{n}", {n}]' for n in range(10))
    truth.write_text(f'{{"pairs": [{pairs}, ["t1", "unheard of"]]}}')
    return texts, truth


def test_accuracy_by_size_with_a_known_truth(lines: tuple[Path, Path]) -> None:
    found = named_accuracy(read_texts(lines[0]), read_truth(lines[1]))
    assert (found.texts, found.truth) == (40, "10 pairs that are given")
    assert found.unknown_ids == 1
    whole = [row for row in found.rows if (row.setting, row.cut) == ("0 mod 1", "default")]
    assert [row.f1 for row in whole] == [1.0]
    by_shingles = named_accuracy(read_texts(lines[0]))
    assert by_shingles.rows == found.rows


def test_a_truth_by_places_is_about_the_texts() -> None:
    texts = [" ".join(tale(n // 2)) for n in range(6)]
    exercise = Exercise(bits=(64,), p=(1,), values=(16,))
    truth = ((n + 1, n) for n in (0, 2, 4, 0))
    found = shoal.fingerprint_accuracy(texts, truth, exercise)
    assert found.truth == "3 pairs that are given"
    assert {row.f1 for row in found.rows} == {1.0}
    for wrong in ((0, 6), (0, 99), (-1, 0), (2, 2)):
        with pytest.raises(shoal.UsageError, match="the truth"):
            shoal.fingerprint_accuracy(texts, [(0, 1), wrong], exercise)
    of_four = replace(exercise, most_texts=4)
    found = shoal.fingerprint_accuracy(texts, [(0, 1), (4, 5)], of_four)
    assert (found.texts, found.truth) == (4, "1 pair that is given")  # the rest is not sampled


def test_the_plot_shows_every_point(lines: tuple[Path, Path]) -> None:
    found = named_accuracy(read_texts(lines[0]), read_truth(lines[1]))
    for columns in (0, 60, 100, 1000):
        drawn = found.text(columns, ascii_only=True)
        assert drawn.isascii()
        assert max(map(len, drawn.splitlines())) < max(columns, 46)
    assert re.search("[\u2801-\u28ff]", found.text())
    root = ET.fromstring(found.svg)  # noqa: S314 - our own
    curves = [
        [tuple(map(float, point.split(","))) for point in (each.get("points") or "").split()]
        for each in root.iter(f"{SVG}polyline")
    ]
    assert sorted(map(len, curves)) == [4, 4, 5, 5, 7, 7]
    default = next(c for c in curves if len(c) == 7)
    assert default == sorted(default)
    steps = [b[0] - a[0] for a, b in pairwise(default)]
    assert max(steps) < 2 * min(steps)  # each doubles the bytes: the axis is logarithmic
    assert {round(y) for _, y in default} >= {60}  # F1 = 1 stands at the top
    assert found.png.startswith(b"\x89PNG")


def test_a_sample_that_can_not_be_judged_is_refused(lines: tuple[Path, Path]) -> None:
    texts, truth = lines
    with pytest.raises(shoal.UsageError, match="two texts are needed"):
        shoal.fingerprint_accuracy(["alone"])
    with pytest.raises(shoal.UsageError, match="same id"):
        named_accuracy([("a", "x"), ("a", "y")], [("a", "a")])
    with pytest.raises(shoal.UsageError, match="names no pair"):
        named_accuracy([("a", "x"), ("b", "y")], [("c", "d")])
    with pytest.raises(shoal.UsageError, match=r"line 1 of .* is none with id and text"):
        list(read_texts(truth))
    with pytest.raises(shoal.UsageError, match="is no list of pairs"):
        read_truth(texts)
    with pytest.raises(shoal.UsageError, match="can't be read"):
        list(read_texts(texts.parent))
