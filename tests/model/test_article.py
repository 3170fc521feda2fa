"""An item of a feed as the page that it would be, read by the reader of pages."""

from html.parser import HTMLParser

import pytest

from shoal.model.listings.article import article_html
from shoal.model.listings.feed import Item


class Tags(HTMLParser):
    """The start tags of a page with their attributes, and its title."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._open = ""
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._open = tag

    def handle_data(self, data: str) -> None:
        self.texts[self._open] = self.texts.get(self._open, "") + data

    def metas(self) -> dict[str | None, str | None]:
        return {each.get("name"): each.get("content") for tag, each in self.found if tag == "meta"}


def test_all_that_an_item_tells_is_there() -> None:
    item = Item(
        title="Tides & sands",
        author="Anna",
        published="2026-11-01T00:00:00Z",
        updated="2026-11-02T00:00:00Z",
        language="de",
        content="<p>Sand <b>wandert</b>.</p>",
    )
    tags = Tags(article_html(item))
    assert tags.texts["title"] == "Tides & sands"
    assert tags.found[0] == ("html", {"lang": "de"})
    metas = tags.metas()
    assert metas["author"] == "Anna"
    assert metas["article:published_time"] == item.published
    assert metas["article:modified_time"] == item.updated
    assert b"<p>Sand <b>wandert</b>.</p>" in article_html(item)


def test_its_license_is_one_of_the_page() -> None:
    tags = Tags(article_html(Item(license='https://a.test/by?a&b"')))
    assert ("link", {"rel": "license", "href": 'https://a.test/by?a&b"'}) in tags.found


def test_a_summary_stands_in_and_nothing_is_made_up() -> None:
    page = article_html(Item(summary="Short."))
    assert b"Short." in page
    tags = Tags(page)
    assert set(tags.metas()) == {None}
    assert tags.found[0] == ("html", {})


@pytest.mark.parametrize("hostile", ['"><script>x</script>', "</title><script>", "' onload='x"])
def test_what_a_feed_says_of_itself_stays_text(hostile: str) -> None:
    item = Item(title=hostile, author=hostile, published=hostile, language=hostile)
    tags = Tags(article_html(item))
    assert {tag for tag, _ in tags.found} <= {
        "html", "head", "meta", "title", "body", "article", "h1",
    }  # fmt: skip
    assert tags.found[0] == ("html", {"lang": hostile})


def test_halves_of_characters_do_not_raise() -> None:
    assert article_html(Item(title="\ud83d", content="\udc00")).decode()
