"""Each kind of page and each oddity: the right content by default, and no method that raises."""

import re
from collections import Counter
from html import unescape

import pytest

from shoal.files.cleaned import Cleaned
from shoal.files.content import content
from shoal.model.page import Tag
from tests.cleaners.page_case import Expect, PageCase
from tests.cleaners.page_suite import KNOWN, SUITE

URL = "https://site.example/page"
METHODS = ("model", "dom", "slope", "window")
TAG = re.compile(r"<[^>]*>")
MARKDOWN_LINK = re.compile(r"(?<!\\)\]\([^)]*\)")
NO_LETTER = re.compile(r"[\W_]+")


def one_line(text: str) -> str:
    return " ".join(text.split())


def letters(text: str) -> str:
    return NO_LETTER.sub("", text)


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def name_of(case: PageCase) -> str:
    return case.name


def by_default() -> list[object]:
    """What is known to fail is expected to, and says so on the day when it no longer does."""
    return [
        pytest.param(
            case,
            id=case.name,
            marks=pytest.mark.xfail(reason=KNOWN[case.name]) if case.name in KNOWN else (),
        )
        for case in SUITE
    ]


def comment_words(cleaned: Cleaned) -> str:
    return one_line("\n".join(block.text for block in cleaned.blocks if block.is_comment))


@pytest.mark.parametrize("case", by_default())
def test_the_right_content(case: PageCase) -> None:
    html = case.html()
    cleaned = content(html, URL)
    alts = [block.text for block in cleaned.kept if block.kind is Tag.CAPTION]
    text = one_line("\n".join([cleaned.text, *alts]))
    assert bool(cleaned.title) == ("<title>" in html.lower())
    if case.expect is Expect.EMPTY:
        assert text == ""
        return
    assert [phrase for phrase in case.keeps if phrase not in text] == []
    assert [phrase for phrase in (*case.drops, *case.comments) if phrase in text] == []
    assert [phrase for phrase in case.once if text.count(phrase) != 1] == []
    comments = comment_words(cleaned)
    assert [phrase for phrase in case.comments if phrase not in comments] == []
    assert set(case.kinds) <= {block.kind for block in cleaned.kept}
    assert set(case.links) <= {to for block in cleaned.kept for _, _, to in block.links}


@pytest.mark.parametrize("case", [each for each in SUITE if each.headline], ids=name_of)
def test_the_headline_is_not_lost(case: PageCase) -> None:
    """It may be among the blocks that are not kept: most of those who judged pages did not count
    it in."""
    cleaned = content(case.html(), URL)
    headings = [block.text for block in cleaned.blocks if block.kind is Tag.HEADING]
    assert case.headline in one_line(f"{cleaned.title} {headings} {cleaned.text}")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.name, marks=pytest.mark.slow if case.size else ())
        for case in SUITE
    ],
)
def test_every_method_gives_the_same_answer_in_every_form(case: PageCase, method: str) -> None:
    html = case.html(part=10)
    cleaned = content(html, URL, method)
    assert cleaned.method in (method, "dom")
    assert all(0 <= block.score <= 1 for block in cleaned.blocks)
    assert [block for block in cleaned.blocks if block.score >= 0.5] == cleaned.kept
    assert 0 <= cleaned.share <= 1
    assert_forms_agree(cleaned)
    again = content(html, URL, method)
    assert (again.title, again.method, again.text) == (
        cleaned.title,
        cleaned.method,
        cleaned.text,
    )
    assert again.blocks == cleaned.blocks


def assert_forms_agree(cleaned: Cleaned) -> None:
    """The blocks that are kept stand in every other form, in their order."""
    kept = Counter(words("\n".join(f"{block.marker} {block.text}" for block in cleaned.kept)))
    told = Counter(words(cleaned.text))
    # A text goes by lines and has no alt texts; a table is one block, and kept or not as a whole.
    assert (kept & told).total() >= 0.8 * told.total()
    assert_in_order(cleaned, TAG.sub("", cleaned.html.partition("<body>")[2]))
    assert_in_order(cleaned, MARKDOWN_LINK.sub("", cleaned.markdown))


def assert_in_order(cleaned: Cleaned, form: str) -> None:
    found, place = letters(unescape(form)), 0
    for block in cleaned.kept:
        wanted = letters(block.text)
        place = found.find(wanted, place)
        assert place >= 0, block
        place += len(wanted)


def test_the_suite_is_whole() -> None:
    """Every page has its expectation, no name stands twice, and nothing dropped is a misprint."""
    names = Counter(case.name for case in SUITE)
    assert max(names.values()) == 1
    assert len(names) >= 50
    files = {path.stem for path in PageCase.directory().glob("*.html")}
    assert files == {case.name for case in SUITE if case.is_file}
    for case in SUITE:
        html = case.html(part=100)
        source = one_line(unescape(re.sub(r"</?(?:b|i|em|span|code|a)\b[^>]*>", "", html)))
        missing = [each for each in (*case.drops, *case.comments, *case.once) if each not in source]
        assert missing == [], case.name
