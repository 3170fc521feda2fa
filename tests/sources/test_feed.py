"""R1: feeds of every dialect as one value; items by guid as given; what is whole, and what is
not."""

from collections.abc import Sequence

import pytest

from shoal.model.listings.feed import Enclosure, Feed, Item
from shoal.sources.feed import item_key, item_keys, links_of_header, read_feed
from shoal.sources.feed_text import MAX_BYTES
from shoal.sources.feed_xml import MAX_ITEMS

URL = "https://example.org/blog/feed.xml"
NAMESPACES = (
    'xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    'xmlns:sy="http://purl.org/rss/1.0/modules/syndication/" '
    'xmlns:media="http://search.yahoo.com/mrss/"'
)
LONG = "<p>" + "Many words are here, and none is missing. " * 20 + "</p>"


def rss(items: str = "", channel: str = "") -> bytes:
    head = f'<?xml version="1.0"?><rss version="2.0" {NAMESPACES}><channel><title>T</title>'
    return f"{head}{channel}{items}</channel></rss>".encode()


def read(items: str, url: str = URL) -> list[Item]:
    feed = read_feed(rss(items), url)
    assert feed.problem == ""
    return feed.items


def only(items: Sequence[Item]) -> Item:
    assert len(items) == 1
    return items[0]


def test_rss() -> None:
    channel = (
        "<link>https://example.org/</link><language>en-GB</language><ttl>90</ttl>"
        '<atom:link rel="hub" href="https://hub.example/"/>'
        '<atom:link rel="self" href="/blog/feed.xml"/>'
        "<skipHours><hour>3</hour><hour>24</hour><hour>99</hour></skipHours>"
        "<skipDays><day>Sunday</day><day>Monday</day><day>Someday</day></skipDays>"
    )
    item = (
        "<item><title>One &amp;amp; two</title><link>/1</link>"
        "<guid isPermaLink='false'> 1:a </guid>"
        "<pubDate>Mon, 16 Nov 2026 10:00:00 +0100</pubDate><dc:creator>Anna</dc:creator>"
        '<description>&lt;a href="x"&gt;more&lt;/a&gt;</description>'
        '<enclosure url="a.mp3" type="audio/mpeg" length="12"/></item>'
    )
    assert read_feed(rss(item, channel), URL) == Feed(
        form="rss20",
        title="T",
        url="https://example.org/",
        self_url=URL,
        hubs=["https://hub.example/"],
        language="en-GB",
        ttl_seconds=5400,
        skip_hours=[0, 3],
        skip_days=[0, 6],
        items=[
            Item(
                guid="1:a",
                url="https://example.org/1",
                title="One & two",
                published="2026-11-16T09:00:00Z",
                author="Anna",
                summary='<a href="https://example.org/blog/x">more</a>',
                content='<a href="https://example.org/blog/x">more</a>',
                enclosures=[Enclosure("https://example.org/blog/a.mp3", "audio/mpeg", 12)],
                language="en-GB",
            )
        ],
    )


def test_atom() -> None:
    text = f"""<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de" xml:base="https://b.org/x/">
        <title type="html">A &lt;b&gt;title&lt;/b&gt;</title><link rel="self" href="feed"/>
        <link rel="hub" href="https://hub.example/"/><link href="./"/>
        <entry><id>tag:b.org,2026:1</id><title>1 &lt; 2</title><link href="one"/>
          <published>2026-11-16T10:00:00.5+01:00</published><updated>2026-11-17</updated>
          <author><name>Bo</name></author><summary>a &lt; b</summary>
          <content type="xhtml" xml:base="deep/"><div xmlns="http://www.w3.org/1999/xhtml">
          <a href="y">y</a>{LONG}</div></content>
          <link rel="enclosure" href="z.ogg" type="audio/ogg" length="x"/></entry></feed>"""
    feed = read_feed(text.encode(), URL)
    assert (feed.form, feed.title, feed.language) == ("atom10", "A title", "de")
    assert (feed.url, feed.self_url) == ("https://b.org/x/", "https://b.org/x/feed")
    item = only(feed.items)
    assert (item.guid, item.url) == ("tag:b.org,2026:1", "https://b.org/x/one")
    assert (item.published, item.updated) == ("2026-11-16T09:00:00Z", "2026-11-17T00:00:00Z")
    assert (item.title, item.summary, item.author) == ("1 < 2", "a &lt; b", "Bo")
    assert '<a href="https://b.org/x/deep/y">' in item.content
    assert item.enclosures == [Enclosure("https://b.org/x/z.ogg", "audio/ogg", 0)]
    assert item.is_whole


def test_rdf() -> None:
    body = f"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" {NAMESPACES}
        xmlns="http://purl.org/rss/1.0/"><channel rdf:about="x"><title>T</title>
        <sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency></channel>
        <item rdf:about="https://a.org/1"><title>One</title><link>https://a.org/1</link>
        <dc:date>2026-11-16T10:00Z</dc:date></item></rdf:RDF>""".encode()
    feed = read_feed(body, URL)
    assert (feed.form, feed.ttl_seconds) == ("rss10", 21_600)
    item = only(feed.items)
    assert (item.guid, item.url, item.updated) == (
        "https://a.org/1",
        "https://a.org/1",
        "2026-11-16T10:00:00Z",
    )


def test_json() -> None:
    body = rb"""{"version": "https://jsonfeed.org/version/1.1", "title": "T", "language": "en",
        "home_page_url": "https://a.org/", "feed_url": "/feed.json",
        "hubs": [{"type": "WebSub", "url": "https://hub.example/"}, 7],
        "items": [{"id": 7, "url": "/1", "title": "One", "content_html": "<img src='x.png'>",
          "summary": "a < b", "date_published": "2026-11-16T10:00:00+01:00",
          "authors": [{"name": "A"}, {"name": "B"}, 3], "attachments":
          [{"url": "a.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 5}, {"url": 4}]},
          "no item", {"id": "https://a.org/2", "content_text": "1 < 2 \ud800"}]}"""
    feed = read_feed(body, "https://a.org/feed.json")
    assert (feed.form, feed.self_url) == ("json11", "https://a.org/feed.json")
    assert feed.hubs == ["https://hub.example/"]
    first, second = feed.items
    assert first == Item(
        guid="7",
        url="https://a.org/1",
        title="One",
        published="2026-11-16T09:00:00Z",
        author="A, B",
        summary="a &lt; b",
        content='<img src="https://a.org/x.png">',
        enclosures=[Enclosure("https://a.org/a.mp3", "audio/mpeg", 5)],
        language="en",
    )
    assert (second.url, second.is_whole) == ("https://a.org/2", True)
    assert second.content.startswith("1 &lt; 2")
    second.content.encode()


@pytest.mark.parametrize("cut", range(3))
def test_of_a_json_feed_that_was_cut_each_whole_item_is_read(cut: int) -> None:
    body = b'{"version": "https://jsonfeed.org/version/1", "title": "T\\u00e9", "items": ['
    body += b", ".join(b'{"id": "%d", "title": "t"}' % number for number in range(3)) + b"]}"
    at = [i for i in range(len(body)) if body.startswith(b'{"id"', i)][cut] + 12
    feed = read_feed(body[:at], URL)
    assert (feed.form, feed.title) == ("json10", "Té")
    assert [item.guid for item in feed.items] == [str(number) for number in range(cut)]
    assert "damaged" in feed.problem


@pytest.mark.parametrize(
    "guid",
    ["http://EXAMPLE.org/%7Ebob", "https://example.org/a?utm_source=x#y", "12345", "Ü b", "a/b"],
)
@pytest.mark.parametrize("attribute", ["", " isPermaLink='true'", " isPermaLink='false'"])
def test_a_guid_is_kept_as_given(guid: str, attribute: str) -> None:
    item = only(read(f"<item><guid{attribute}>{guid}</guid><link>/x</link></item>"))
    assert (item.guid, item.url) == (guid, "https://example.org/x")


@pytest.mark.parametrize(
    ("item", "url"),
    [
        ("<guid>https://a.org/1</guid>", "https://a.org/1"),
        ("<guid isPermaLink='true'>/1</guid>", "https://example.org/1"),
        ("<guid isPermaLink='false'>https://a.org/1</guid>", ""),
        ("<guid>12345</guid>", ""),
        ("<guid>tag:a.org,2026:1</guid>", ""),
        ("<link>javascript:alert(1)</link>", ""),
        ("<link>file:///etc/passwd</link>", ""),
        ("<link>https://a.org/2</link><guid>https://a.org/1</guid>", "https://a.org/2"),
        ("<guid>https://a.org/1</guid><link>https://a.org/2</link>", "https://a.org/2"),
        ("<link> https://a.org/with spaces </link>", "https://a.org/with spaces"),
        (f"<link>https://a.org/{'x' * 5000}</link>", ""),
    ],
)
def test_where_an_items_page_is(item: str, url: str) -> None:
    assert only(read(f"<item>{item}<title>t</title></item>")).url == url


def test_a_local_feed_may_name_local_files() -> None:
    item = only(read("<item><link>post.html</link></item>", "file:///srv/feed.xml"))
    assert item.url == "file:///srv/post.html"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ('<?xml version="1.0" encoding="utf-8"?>{}'.format, "text/xml"),
        ("\ufeff{}".format, "application/rss+xml; charset=iso-8859-1"),
        ("{}".format, "text/xml; charset=us-ascii"),
    ],
)
def test_utf_8_is_recognised(body: object, content_type: str) -> None:
    assert callable(body)
    text = body("<rss version='2.0'><channel><title>Zoë – déjà</title></channel></rss>")
    assert read_feed(text.encode(), URL, content_type).title == "Zoë – déjà"


@pytest.mark.parametrize(
    ("charset", "content_type"),
    [
        ("iso-8859-1", ""),
        ("windows-1251", ""),
        ("utf-16", ""),
        ("utf-16-le", ""),
        ("shift_jis", ""),
        ("iso-2022-jp", ""),
        ("gb2312", ""),
        ("koi8-r", "text/xml; charset=koi8-r"),
    ],
)
def test_charsets(charset: str, content_type: str) -> None:
    title = {"iso-8859-1": "Zoë", "shift_jis": "日本語", "iso-2022-jp": "日本語", "gb2312": "中文"}
    wanted = title.get(charset, "Привет")
    declared = "" if content_type else f'<?xml version="1.0" encoding="{charset}"?>'
    text = f"{declared}<rss version='2.0'><channel><title>{wanted}</title></channel></rss>"
    feed = read_feed(text.encode(charset), URL, content_type)
    assert (feed.title, feed.problem) == (wanted, "")


@pytest.mark.parametrize("charset", ["punycode", "idna", "unicode_escape", "zlib", "nonsense"])
def test_a_charset_that_is_none_is_not_believed(charset: str) -> None:
    text = f'<?xml version="1.0" encoding="{charset}"?><rss><channel><title>a\\u0041'
    assert read_feed(text.encode() + b"\xe9</title></channel></rss>", URL).title == "a\\u0041é"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\0\0\0",
        b"<html><body><item>x</item></body></html>",
        b"<!DOCTYPE html><html><head><title>x</title></head></html>",
        b"plain words",
        b'{"items": []}',
        b"{",
        b"[1]",
        b"%PDF-1.4",
        b"<" * 1000,
        b"<?xml",
        b"<!DOCTYPE rss [",
        b"<!--",
    ],
)
def test_what_is_no_feed(body: bytes) -> None:
    feed = read_feed(body, URL)
    assert (feed.form, feed.items, feed.problem) == ("", [], "it is no feed")


def test_a_broken_feed_is_read_as_far_as_it_can_be() -> None:
    body = (
        b"<rss version=2.0><channel><title>A & B</title><item><title>One</title><link>/1</link>"
        b"<description>&nbsp;caf\xe9 &undefined; <b>x</description></item>"
        b"<item><title>&#99999999999;Two</title><link>/2</link><guid>g2</item>"
    )
    feed = read_feed(body, URL)
    assert feed.problem.startswith("not well-formed: ")
    assert feed.title == "A & B"
    assert [item.url for item in feed.items] == ["https://example.org/1", "https://example.org/2"]
    assert "caf" in feed.items[0].content


def test_entities_are_known_and_harmless() -> None:
    head = '<!DOCTYPE rss [<!ENTITY nb "&#160;"><!ENTITY who "Anna"><!ENTITY a "&who;&who;">]>'
    feed = read_feed(f"{head}<rss><channel><title>&who;</title></channel></rss>".encode(), URL)
    assert (feed.title, feed.problem) == ("Anna", "")
    bomb = f'<!DOCTYPE rss [<!ENTITY a "{"x" * 60}">]><rss><channel><title>{"&a;" * 50_000}'
    assert len(read_feed(bomb.encode(), URL).title) <= 1000
    outside = '<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss><channel><title>&x;'
    assert "root" not in read_feed(outside.encode(), URL).title


def test_sizes_are_bounded() -> None:
    many = read_feed(rss("<item/>" * (MAX_ITEMS + 1)), URL)
    assert (len(many.items), many.problem) == (
        MAX_ITEMS,
        "more than 5,000 items; the rest is left out",
    )
    long = read_feed(
        rss(
            f"<item><title>{'t' * 5000}</title><guid>{'g' * 9000}</guid>"
            f"<author>{'a.' * 9000}@x.org</author>"
            f"<description>{'d' * 1_100_000}</description></item>"
        ),
        URL,
    )
    item = only(long.items)
    sizes = [len(text) for text in (item.title, item.guid, item.author, item.summary)]
    assert sizes == [1000, 4000, 300, 1_000_000]


def test_a_body_without_end_is_cut() -> None:
    feed = read_feed(rss("<item><guid>1</guid></item>").ljust(MAX_BYTES + 1), URL)
    assert (feed.problem, len(feed.items)) == ("cut at 10 MiB", 1)


@pytest.mark.parametrize(
    "piece",
    [
        "<a ",
        '<a b="',
        "<",
        "&",
        "<a>",
        "<!",
        "<source><title>x</title>",
        "<a xml:base='x/'>",
        "<a/",
    ],
)
def test_hostile_pieces_end_soon(piece: str) -> None:
    """Few of each piece; the author's name alone would take the library seconds."""
    feed = read_feed(rss(piece * 300, "<author>" + "a." * 20_000 + "</author>"), URL)
    assert feed.form == "rss20"


@pytest.mark.parametrize(
    "body",
    [
        " \n" * 200_000 + "<rss/>",
        "<?xml " + "encoding='' " * 50_000 + "?><rss/>",
        "<!DOCTYPE [>" * 50_000 + "<rss/>",
        "<rss><item " + " ".join(f"a{n}='x'" for n in range(30_000)) + "/></rss>",
        "<rss><item>"
        + "".join(f"<category>{n}</category>" for n in range(2_000))
        + "</item></rss>",
        "<rss>" + "".join(f"<y{n}:x xmlns:y{n}='u{n}'/>" for n in range(1_000)) + "</rss>",
    ],
)
def test_what_took_quadratic_time_is_bounded(body: str) -> None:
    """Without their bounds the first four take from half a minute to hours: the test would not
    end. The last two are too small to show more than that they are read."""
    assert read_feed(body.encode(), URL).form == "rss"


@pytest.mark.parametrize(
    ("item", "is_whole"),
    [
        (f"<content:encoded><![CDATA[{LONG}]]></content:encoded>", True),
        (f"<content:encoded><![CDATA[{LONG}…]]></content:encoded>", False),
        (
            f"<content:encoded><![CDATA[{LONG} <a href='/1'>Read more</a>]]></content:encoded>",
            False,
        ),
        (f"<content:encoded><![CDATA[{LONG}<p>[&#8230;]</p>]]></content:encoded>", False),
        (
            (
                f"<content:encoded><![CDATA[{LONG} [...] <p>The post <a href='/1'>t</a> "
                "appeared first on <a href='/'>T</a>.</p>]]></content:encoded>"
            ),
            False,
        ),
        (
            (
                f"<content:encoded><![CDATA[{LONG}<p>The post t appeared first on T.</p>]]>"
                "</content:encoded>"
            ),
            True,
        ),
        ("<content:encoded>Too little to be sure.</content:encoded>", False),
        (f"<description><![CDATA[{LONG}]]></description>", False),
        (f"<description><![CDATA[{LONG * 3}]]></description>", True),
        (f"<description><![CDATA[{LONG * 3} Weiterlesen]]></description>", False),
        ("", False),
    ],
)
def test_what_is_taken_for_a_whole_article(item: str, is_whole: bool) -> None:
    assert only(read(f"<item><title>t</title>{item}</item>")).is_whole is is_whole


def test_a_note_without_a_title_is_whole() -> None:
    note = "<item><content:encoded>Good morning!</content:encoded></item>"
    assert only(read(note)).is_whole


def test_texts_of_one_length_are_teasers() -> None:
    def items(lengths: Sequence[int]) -> str:
        return "".join(
            f"<item><title>t</title><content:encoded>{'word ' * (n // 5)}.</content:encoded></item>"
            for n in lengths
        )

    assert not any(item.is_whole for item in read(items([500, 490, 480, 500, 495])))
    assert all(item.is_whole for item in read(items([500, 990, 480, 500, 495])))
    assert all(item.is_whole for item in read(items([500, 490])))


def test_media_and_the_address_before_a_proxy() -> None:
    item = only(
        read(
            '<item xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0">'
            "<link>https://proxy.example/~r/1</link>"
            "<feedburner:origLink>https://a.org/1</feedburner:origLink>"
            '<media:content url="https://a.org/1.mp4" type="video/mp4" fileSize="9"/>'
            '<media:content url="https://a.org/1.mp4"/><media:content url="data:x"/></item>'
        )
    )
    assert item.url == "https://a.org/1"
    assert item.enclosures == [Enclosure("https://a.org/1.mp4", "video/mp4", 9)]


def test_a_description_that_outgrows_the_content_is_no_whole_article() -> None:
    item = only(
        read(
            f"<item><title>t</title><description><![CDATA[{LONG}]]></description>"
            "<content:encoded>Little</content:encoded></item>"
        )
    )
    assert (item.content, item.is_whole) == (LONG, False)


def test_keys() -> None:
    every = [
        Item(guid="a", url="https://x.org/1"),
        Item(guid="A", url="https://x.org/1"),
        Item(url="a"),
        Item(title="a"),
        Item(title="a", published="2026-11-16T09:00:00Z"),
        Item(content="a"),
        Item(),
    ]
    keys = [item_key(item) for item in every]
    assert len(set(keys)) == len(every)
    assert {len(key) for key in keys} == {8}
    assert item_keys(every) == keys
    again = Item(guid="a", url="https://x.org/moved", title="Corrected", content="Longer")
    assert item_key(again) == keys[0]


def test_a_guid_that_all_items_share_names_none() -> None:
    items = [Item(guid="https://x.org/", url=f"https://x.org/{n}") for n in range(3)]
    assert len(set(item_keys(items))) == 3
    assert item_keys([*items, Item(guid="b")])[-1] == item_key(Item(guid="b"))


@pytest.mark.parametrize(
    ("values", "hubs", "self_url"),
    [
        (['<https://hub.example/>; rel="hub"'], ["https://hub.example/"], ""),
        (
            ['<https://h/>; rel=hub, </feed>; rel="self"', "<https://h2/>;type=x; REL='hub' hub"],
            ["https://h/"],
            "https://example.org/feed",
        ),
        (['<https://h/>; rel="self hub"'], ["https://h/"], "https://h/"),
        (['<https://h/>; rel="next"', "nonsense", "<", "<>", ""], [], ""),
        (["<javascript:x>; rel=hub", "<https://h/>"], [], ""),
        (["<https://h/>; rel=hub, " * 1000], ["https://h/"], ""),
        (["<" * 50_000], [], ""),
    ],
)
def test_links_of_the_header(values: list[str], hubs: list[str], self_url: str) -> None:
    assert links_of_header(values, URL) == (hubs, self_url)


def test_hubs_are_few() -> None:
    values = [f"<https://h{n}/>; rel=hub" for n in range(50)]
    assert len(links_of_header(values)[0]) == 10


@pytest.mark.parametrize(
    "body",
    [
        """<feed xmlns="http://www.w3.org/2005/Atom"><link rel="license" href="https://a.test/by"/>
        <entry><id>1</id></entry><entry><id>2</id><link rel="license" href="https://a.test/0"/>
        </entry><entry><id>3</id><link rel="license" href="javascript:x"/></entry></feed>""",
        """<rss version="2.0" xmlns:cc="http://backend.userland.com/creativeCommonsRssModule">
        <channel><cc:license>https://a.test/by</cc:license><item><guid>1</guid></item><item>
        <guid>2</guid><cc:license>https://a.test/0</cc:license></item><item><guid>3</guid>
        <cc:license>nowhere</cc:license></item></channel></rss>""",
    ],
)
def test_the_license_of_an_item_or_else_of_its_feed(body: str) -> None:
    feed = read_feed(body.encode(), "https://a.test/feed", "application/xml")
    found = [item.license for item in feed.items]
    assert found == ["https://a.test/by", "https://a.test/0", "https://a.test/by"]
