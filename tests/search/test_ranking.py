"""The order of candidates: each part moves it the way it should, and the parts add up."""

from array import array

import pytest

from shoal.model.candidate import Candidate, Candidates, Count, Term, Where
from shoal.model.record import changed
from shoal.search.feedback import likeness
from shoal.search.ranking import Ranked, Weights, freshness, idf, nearness, order, reasons, worths

NOW = 1_700_000_000.0
YEAR = 365 * 86_400.0
PLAIN = Weights(position=0.0, feedback=0.0, rank=0.0, fresh=0.0, home=0.0)
IN_TITLE = int(Where.TITLE | Where.CONTENT)
IN_CONTENT = int(Where.CONTENT)


def page(name: str, *counts: Count, length: int = 100, score: float = 1.0) -> Candidate:
    row = f"example,{name})443:https/a/b".encode()
    return Candidate(row, score, list(counts), length)


def among(*found: Candidate, terms: int = 1, documents: int = 1000) -> Candidates:
    asked = [Term(f"word{n}", [f"word{n}"], 10) for n in range(terms)]
    return Candidates(list(found), len(found), asked, documents, 100.0)


def names(ranked: list[Ranked]) -> list[str]:
    return [each.candidate.row.decode().partition(")")[0].partition(",")[2] for each in ranked]


def ordered(found: Candidates, weights: Weights = PLAIN, **ranks: float) -> list[str]:
    def rank_of(rows: object) -> list[float]:
        every = [each.row.decode().partition(")")[0].partition(",")[2] for each in found.found]
        return [ranks.get(name, 0.0) for name in every]

    return names(order(found, weights, rank_of, NOW))


def test_bm25_of_the_content() -> None:
    often, seldom = page("often", Count(5, 0, IN_CONTENT)), page("seldom", Count(1, 0, IN_CONTENT))
    long = page("long", Count(5, 0, IN_CONTENT), length=2000)
    assert ordered(among(seldom, long, often)) == ["often", "seldom", "long"]
    # By the formula: idf * (k1 + 1) tf / (tf + k1), for a page of mean length.
    found = among(often)
    [ranked] = order(found, PLAIN, lambda rows: [0.0] * len(rows), NOW)
    assert ranked.score == pytest.approx(idf(found.terms[0], 1000) * 3.0 * 5 / (5 + 2.0))


def test_a_word_in_the_title_or_in_links_adds_to_it() -> None:
    text = page("text", Count(3, 0, IN_CONTENT))
    titled = page("titled", Count(3, 0, IN_TITLE))
    linked = page("linked", Count(3, 7, IN_CONTENT | Where.ANCHOR))
    assert ordered(among(text, titled, linked)) == ["titled", "linked", "text"]
    assert ordered(among(text, linked), changed(PLAIN, anchor=0.0)) == ["linked", "text"]


def test_what_it_is_called_counts_most() -> None:
    text = page("text", Count(9, 0, IN_TITLE))
    called = page("called", Count(1, 1, int(Where.ANCHOR)))
    called.called = 2
    assert ordered(among(text, called)) == ["called", "text"]
    assert ordered(among(text, called), changed(PLAIN, anchor=0.0)) == ["text", "called"]


def test_rank_age_and_depth_are_gentle() -> None:
    same = [page(name, Count(3, 0, IN_CONTENT)) for name in ("a", "b")]
    assert ordered(among(*same), changed(PLAIN, rank=0.1), b=1.0) == ["b", "a"]
    better = page("better", Count(4, 0, IN_CONTENT))
    assert ordered(among(*same, better), changed(PLAIN, rank=0.1), b=1.0)[0] == "b"
    same[1].published = NOW
    same[0].published = NOW - 10 * YEAR
    assert ordered(among(*same), changed(PLAIN, fresh=0.1)) == ["b", "a"]
    home = page("z", Count(3, 0, IN_CONTENT))
    home.row = b"example,z)443:https/"
    assert ordered(among(same[0], home), changed(PLAIN, home=0.1)) == ["z", "a"]
    much_better = page("much", Count(30, 0, IN_TITLE))
    every = changed(PLAIN, rank=0.1, fresh=0.1, home=0.1)
    assert ordered(among(*same, home, much_better), every, a=1.0, b=1.0, z=1.0)[0] == "much"


def test_a_draw_is_settled_the_same_way_each_time() -> None:
    same = [page(name, Count(3, 0, IN_CONTENT)) for name in ("b", "a", "c")]
    assert ordered(among(*same)) == ordered(among(*reversed(same))) == ["a", "b", "c"]


def test_the_parts_add_up_and_are_told() -> None:
    titled = page("titled", Count(3, 2, IN_TITLE | Where.ANCHOR), score=7.0)
    titled.published, titled.called, titled.is_titled = NOW - YEAR, 1, True
    found = among(titled, page("other", Count(1, 0, IN_CONTENT)))
    [best, _] = order(found, Weights(), lambda rows: [0.5] * len(rows), NOW)
    told = reasons(best, found, Weights())
    assert sum(each.value for each in told) == pytest.approx(best.score)
    says = {each.name: each.says for each in told}
    assert "3 times in the content, in the title" in says["word0"]
    assert says["name"] == "called exactly so by 1 site and its own title"
    assert {"position", "rank", "fresh", "home"} <= says.keys()


def test_stop_words_of_a_question_are_worth_half() -> None:
    found = among(terms=4)
    before = worths(found)
    found.terms[0].is_stop = True
    assert worths(found) == [before[0] / 2, *before[1:]]
    few = among(terms=2)
    few.terms[0].is_stop = True
    assert all(worths(few))


def test_no_candidates_and_odd_counts() -> None:
    assert ordered(among()) == []
    empty = page("empty", Count(0, 0, 0), length=0, score=0.0)
    assert ordered(among(empty), Weights()) == ["empty"]
    nothing = Candidates([empty], 1, [Term("w", [], 0)], 0, 0.0)
    assert ordered(nothing, Weights()) == ["empty"]


def test_freshness_and_nearness() -> None:
    assert freshness(NOW, NOW) == 1.0
    assert freshness(NOW - YEAR, NOW) == pytest.approx(0.5)
    assert freshness(NOW + YEAR, NOW) == 1.0  # a date in the future is no merit
    assert freshness(0.0, NOW) == 0.25
    assert nearness(b"example,a)443:https/") == 1.0
    assert nearness(b"example,a)443:https/x") == 0.5
    assert nearness(b"example,a)443:https/x/y?q=1") == 0.25
    assert nearness(b"file:/home/x") == 0.0


def with_stems(name: str, stems: list[int], content: int) -> Candidate:
    found = page(name, *[Count(content, 0, IN_CONTENT)] * 5)
    found.stems, found.stem_counts = array("I", stems).tobytes(), bytes([2] * len(stems))
    return found


def test_feedback_prefers_what_is_like_the_best() -> None:
    """Seven share stems with the best; eight others do not, and have the same words."""
    kin = [with_stems(f"kin{n}", [1, 2, 3, 100 + n], 9 - n) for n in range(7)]
    strangers = [with_stems(f"other{n}", [50, 51, 200 + n], 2) for n in range(8)]
    found = among(*kin, *strangers, terms=5)
    texts = [sum(count.content for count in each.counts) + 0.0 for each in found.found]
    alike = likeness(found, texts, Weights())
    assert max(alike) == 1.0
    assert min(alike[:7]) > max(alike[7:])


def test_feedback_is_for_questions() -> None:
    kin = [with_stems(f"kin{n}", [1, 2, 3], 9 - n) for n in range(9)]
    assert set(likeness(among(*kin, terms=2), [1.0] * 9, Weights())) == {0.0}
    question = among(*kin, terms=5)
    [first, *_] = order(question, Weights(), lambda rows: [0.0] * len(rows), NOW)
    assert first.feedback > 0.0
    kin[3].is_titled = True
    [first, *_] = order(question, Weights(), lambda rows: [0.0] * len(rows), NOW)
    assert first.feedback == 0.0  # some page is called so: that one is meant
