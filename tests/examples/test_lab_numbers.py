"""Do the lab's exercises with numbers agree with Shoal, and with what is known otherwise?"""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.lab import crawl_arithmetic, overlap_size, simhash_accuracy, url_orders
from examples.lab.crawl_arithmetic import age, age_by_sum, age_by_trial, under_way
from examples.lab.overlap_size import estimate, of_samples
from examples.lab.simhash_accuracy import MOST_BITS, SIZES, cut, distance, simhash, words_of
from examples.lab.url_orders import ORDERS, Web, made_web
from shoal.duplicates.methods.accuracy import Exercise, accuracy
from shoal.duplicates.methods.simhash import simhash_of
from shoal.freshness.measures import expected_age, mean_age, mean_freshness
from shoal.graph.pagerank import pagerank
from shoal.model.plan import plan
from tests.graph.graphs import both_ways

Main = Callable[[list[str]], int]
numbers = st.floats(1, 1e9)
seconds = st.floats(0.001, 1_000)
days = st.floats(0.1, 1_000)


class TestCrawlArithmetic:
    def test_the_textbooks_numbers(self) -> None:
        assert under_way(1_000, 0.5) == 500
        assert under_way(1_000, 10) == 10_000
        assert round(age(1 / 7, 7), 2) == 2.58

    @given(numbers, st.floats(100, 1e6), seconds, seconds)
    def test_it_plans_as_shoal_does(
        self, bandwidth: float, page: float, latency: float, delay: float
    ) -> None:
        rate = crawl_arithmetic.pages_per_second(bandwidth, page)
        planned = plan(bandwidth, page, latency, delay)
        assert planned.pages_per_second == rate
        assert (under_way(rate, latency), under_way(rate, delay)) == (
            planned.connections,
            planned.hosts,
        )

    @given(days, days)
    def test_its_copies_are_as_fresh_and_old_as_shoals(self, change: float, since: float) -> None:
        rate = 1 / change
        assert age(rate, since) == pytest.approx(expected_age(rate, since), rel=1e-4)
        assert crawl_arithmetic.mean_freshness(rate, since) == pytest.approx(
            mean_freshness(rate, since), rel=1e-6
        )
        assert crawl_arithmetic.mean_age(rate, since) == pytest.approx(
            mean_age(rate, since), rel=1e-3
        )

    @pytest.mark.parametrize("since", [1, 7, 30])
    def test_the_formula_is_the_integral_and_what_happens(self, since: float) -> None:
        assert age_by_sum(1 / 7, since) == pytest.approx(age(1 / 7, since), rel=1e-5)
        assert age_by_trial(1 / 7, since) == pytest.approx(age(1 / 7, since), rel=0.05)

    def test_other_numbers(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert crawl_arithmetic.main(["--delay", "30", "--bandwidth", "1e6"]) == 0
        assert "× 30 s = 3,000 hosts" in capsys.readouterr().out  # the textbook's section 3.2.2


@st.composite
def webs(draw: st.DrawFn) -> Web:
    size = draw(st.integers(1, 12))
    links = st.lists(st.integers(0, size - 1), max_size=4)
    return [sorted({*draw(links)} - {page}) for page in range(size)]


def waiting(web: Web, fetched: list[int]) -> list[int]:
    """In the order of their first links."""
    found = dict.fromkeys(target for page in fetched for target in web[page])
    return [page for page in found if page not in fetched]


def links_to(web: Web, fetched: list[int], page: int) -> int:
    return sum(page in web[source] for source in fetched)


class TestUrlOrders:
    @given(webs())
    def test_every_order_fetches_what_can_be_found_once(self, web: Web) -> None:
        everything = sorted(url_orders.reached(web, 0))
        for order in ORDERS.values():
            fetched = list(order(web))
            assert sorted(fetched) == everything
            assert fetched[0] == 0
            for at in range(1, len(fetched)):
                assert fetched[at] in waiting(web, fetched[:at])

    @given(webs())
    def test_each_takes_the_page_it_says(self, web: Web) -> None:
        breadth, links = list(url_orders.breadth(web)), list(url_orders.by_back_links(web))
        for at in range(1, len(breadth)):
            assert breadth[at] == waiting(web, breadth[:at])[0]
            before = links[:at]
            counts = {page: links_to(web, before, page) for page in waiting(web, before)}
            assert links[at] == max(counts, key=counts.__getitem__)  # of equals the first
        depth = list(url_orders.depth(web))
        for at in range(1, len(depth)):
            assert depth[at] == waiting(web, depth[:at])[-1]

    def test_its_pagerank_is_shoals(self) -> None:
        web = made_web(400, seed=3)
        edges = {(page, target) for page, links in enumerate(web) for target in links}
        into, out = both_ways(edges, len(web))
        ours = np.array(url_orders.pagerank(web, turns=200))
        assert np.abs(ours - pagerank(into, out.degrees()).rank).sum() < 1e-8

    def test_pagerank_so_far_fetches_the_highest_first(self) -> None:
        web = made_web(100, seed=2)  # fifty times: two pages each
        fetched = list(url_orders.by_pagerank(web))
        for at in range(1, 90, 2):
            known = [links if page in fetched[:at] else [] for page, links in enumerate(web)]
            seen = [0, *dict.fromkeys(t for page in fetched[:at] for t in web[page] if t)]
            ranks = url_orders.pagerank(url_orders.only(known, seen), turns=200)
            best = max(ranks[seen.index(page)] for page in waiting(web, fetched[:at]))
            assert ranks[seen.index(fetched[at])] == pytest.approx(best, rel=0.02)

    def test_other_webs(self, capsys: pytest.CaptureFixture[str]) -> None:
        shown = []
        for seed in ("1", "2", "1"):
            assert url_orders.main(["100", seed]) == 0
            shown.append(capsys.readouterr().out)
        assert shown[0] == shown[2] != shown[1]


class TestOverlapSize:
    def test_a_count_of_animals(self) -> None:
        found = estimate(10, 15, 5)
        assert found.size == pytest.approx(11 * 16 / 6 - 1)
        assert found.deviation == pytest.approx(math.sqrt(11 * 16 * 5 * 10 / (36 * 7)))

    @given(st.integers(1, 60), st.data())
    def test_the_same_pages_are_all_pages(self, size: int, data: st.DataObject) -> None:
        """Where one sample is everything, the answer is exact and certain."""
        part = data.draw(st.sets(st.integers(1, size)))
        found = of_samples(range(1, size + 1), part)
        assert found.size == pytest.approx(size)
        assert found.deviation == 0

    def test_over_all_pairs_of_samples_it_is_right_in_the_mean(self) -> None:
        """Chapman's form has no bias where the two samples add up to all pages or more."""
        total = 7
        chances = {
            both: math.comb(4, both) * math.comb(3, 4 - both) / math.comb(total, 4)
            for both in range(1, 5)
        }
        assert sum(chances.values()) == pytest.approx(1)
        mean = sum(chance * estimate(4, 4, both).size for both, chance in chances.items())
        assert mean == pytest.approx(total)

    def test_two_lists(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for name, urls in (("a", range(60)), ("b", range(30, 130))):
            lines = "\n".join(f"http://reef.example/{number}" for number in urls)
            (tmp_path / name).write_text(lines)
        assert overlap_size.main([str(tmp_path / "a"), str(tmp_path / "b")]) == 0
        from_files = capsys.readouterr().out
        assert overlap_size.main(["60", "100", "30"]) == 0
        assert capsys.readouterr().out == from_files
        assert from_files.startswith("198 pages")


def hash_of(word: str, bits: int) -> bytes:
    """The lab's hash, as Shoal wants it."""
    places = f"{simhash_accuracy.hashed(word):0{MOST_BITS * 8}x}"[7::8]
    return int(places, 2).to_bytes(MOST_BITS // 8)[: bits // 8]


class TestSimhash:
    @given(st.lists(st.sampled_from(["reef", "ray", "crab", "fish", "sand", "eel"]), min_size=1))
    def test_its_fingerprints_are_shoals(self, text: list[str]) -> None:
        words = words_of(" ".join(text))
        for bits in SIZES:
            shoals = simhash_of(words, bits, hash_of)
            assert cut(simhash(words), bits) == int.from_bytes(shoals)

    def test_shoals_own_fingerprints_are_about_as_accurate(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Other hashes, other words aside, another program for the scores."""
        assert simhash_accuracy.main([]) == 0
        lines = capsys.readouterr().out.splitlines()
        best = [float(line.split()[4]) for line in lines if line.endswith("best for these texts")]
        texts, origins = simhash_accuracy.collection(seed=1)
        truth = [
            (i, j)
            for j, (original, share) in enumerate(origins)
            for i in range(j - len(simhash_accuracy.NEAR), j)
            if i >= 0
            and origins[i][0] == original
            and max(share, origins[i][1]) <= max(simhash_accuracy.NEAR)
        ]
        assert len(truth) == 600
        rows = accuracy(
            (" ".join(text.elements()) for text in texts), truth, Exercise(SIZES, (), values=())
        )
        shoals = [row.f1 for row in rows if row.cut == "best"]
        assert shoals == pytest.approx(best, abs=0.06)
        assert shoals == sorted(shoals)

    def test_duplicates_of_a_folder(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        text = " ".join(f"word{number % 90}" for number in range(400))
        for name, content in (("a", text), ("b", f"{text}\n"), ("c", text[:200]), ("empty", "")):
            (tmp_path / name).write_text(content)
        assert simhash_accuracy.main([str(tmp_path)]) == 0
        found, total = capsys.readouterr().out.splitlines()
        assert found.split()[0] == "0"
        assert str(tmp_path / "b") in found
        assert total == "1 near-duplicate pairs of 3 texts"

    def test_distance_counts_bits(self) -> None:
        assert distance(0b1100, 0b1010) == 2


WRONG: dict[Main, list[str]] = {
    crawl_arithmetic.main: ["--delay 0", "--page many", "--change nan", "x"],
    url_orders.main: ["0", "99", "1000000000", "x", "100 1 1"],
    overlap_size.main: ["a", "none none", "1 1 2", "1 1 -1", "1e3 1 1", f"{'9' * 400} 1 1"],
    simhash_accuracy.main: ["nowhere", "a b"],
}


@pytest.mark.parametrize(
    ("main", "arguments"),
    [(main, each.split()) for main, all_of in WRONG.items() for each in all_of],
)
def test_wrong_arguments_get_one_sentence(
    main: Main, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(arguments)
    except SystemExit as ended:  # argparse's way
        code = int(ended.code or 0)
    assert code == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert not said.out
