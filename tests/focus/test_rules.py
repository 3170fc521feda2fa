"""W6: the rules file. Every condition, the order of lines, and what is said about a bad line."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.errors import UsageError
from shoal.focus.rules import MAX_RULES_BYTES, load_rules, parse_rules
from shoal.model.urls.url import canonical

DOCS = Path(__file__).resolve().parents[2] / "docs" / "rules.md"


def denied(rules: str, *urls: str) -> list[str]:
    parsed = parse_rules(rules)
    return [url for url in urls if parsed.refuses(url)]


@pytest.mark.parametrize(
    ("rule", "matching", "others"),
    [
        (
            "host www.example.org Other.EXAMPLE",
            ["https://www.example.org/", "http://www.example.org:81/x", "ftp://other.example/"],
            ["https://example.org/", "https://a.www.example.org/", "file:///www.example.org"],
        ),
        ("host example.org:81", ["http://example.org:81/"], ["http://example.org/"]),
        ("host example.org:443", ["https://example.org/"], ["https://www.example.org/"]),
        ("host Bücher.example", ["http://xn--bcher-kva.example/"], ["http://bucher.example/"]),
        ("host [::1] 127.0.0.1", ["http://[::1]:80/", "http://127.0.0.1/"], ["http://127.0.0.2/"]),
        (
            "domain example.org edu",
            ["https://example.org/", "https://a.b.example.org:81/", "https://cs.uni.edu/"],
            ["https://notexample.org/", "https://edu.example.net/", "https://example.org.net/"],
        ),
        ("domain *.example.org .net", ["https://example.org/", "https://a.net/"], []),
        (
            "directory /docs/old /ä",
            [
                "https://x.org/docs/old/",
                "https://y.org/docs/old/a/b?c",
                "https://x.org/docs/old",
                "file:///docs/old/x",
                "https://x.org/%C3%A4/1",
            ],
            ["https://x.org/docs/", "https://x.org/docs/older/", "https://x.org/a/docs/old/"],
        ),
        ("directory /", ["https://x.org/", "https://x.org/a?b=c"], []),
        ("scheme http FTP:", ["http://x.org/", "ftp://x.org/"], ["https://x.org/"]),
        (
            "extension pdf .ZIP *.gz",
            ["https://x.org/a.PDF?x=1", "https://x.org/a.b.zip", "https://x.org/a.tar.gz"],
            ["https://x.org/pdf", "https://x.org/a.pdf/", "https://x.org/?a.pdf"],
        ),
        (
            r"regex [?&]print=(1|yes) ?#?",
            ["https://x.org/?print=1", "https://x.org/a?b&print=yes"],
            ["https://x.org/print=1"],
        ),
    ],
)
def test_each_condition(rule: str, matching: list[str], others: list[str]) -> None:
    assert denied(f"deny {rule}", *matching, *others) == matching
    assert denied(f"allow {rule}\ndefault deny", *matching, *others) == others
    valued = parse_rules(f"priority 0.8 {rule}")
    assert [valued.priority(url) for url in matching] == [0.8] * len(matching)
    assert [valued.priority(url) for url in others] == [None] * len(others)


def test_the_first_match_wins() -> None:
    rules = "deny host a.org\nallow domain a.org\n\n# rest\ndeny scheme http\nallow host a.org\n"
    urls = ["http://a.org/", "http://b.a.org/", "http://c.org/", "https://c.org/"]
    assert denied(rules, *urls) == ["http://a.org/", "http://c.org/"]


def test_neighbours_of_one_kind_keep_their_own_line() -> None:
    rules = parse_rules("deny host a.org\n  deny\thost  b.org c.org \r\ndeny host a.org\n")
    assert rules.refuses("http://a.org/") == "rules: line 1 denies it (deny host a.org)"
    assert rules.refuses("http://c.org/").startswith("rules: line 2 denies it (deny\thost")
    assert rules.refuses("http://d.org/") == ""


def test_a_default_may_stand_anywhere() -> None:
    rules = parse_rules("default deny\nallow host a.org")
    assert rules.refuses("http://a.org/") == ""
    assert rules.refuses("http://b.org/") == "rules: line 1 denies it (default deny)"
    assert parse_rules("default allow").refuses("http://b.org/") == ""
    assert parse_rules("").refuses("http://b.org/") == ""


def test_the_depth_is_a_limit_of_the_crawl() -> None:
    assert parse_rules("deny host a.org").max_depth is None
    rules = parse_rules("deny depth > 7\nallow host a.org\ndeny depth >3\n")
    assert rules.max_depth == 3
    assert rules.refuses("https://b.org/") == ""


def test_the_first_priority_wins() -> None:
    rules = parse_rules(
        "priority 0.9 regex /news/\npriority .25 host a.org\npriority 0 scheme http"
    )
    assert rules.priority("http://a.org/news/") == 0.9
    assert rules.priority("http://a.org/") == 0.25
    assert rules.priority("http://b.org/") == 0.0
    assert rules.priority("https://b.org/") is None
    assert rules.refuses("http://a.org/news/") == ""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("permit host a.org", "'permit' is no rule; there are allow, deny, priority, default"),
        ("dney host a.org", "'dney' is no rule; did you mean 'deny'?"),
        ("Deny host a.org", "'Deny' is no rule; did you mean 'deny'?"),
        ("deny hots a.org", "'hots' is no condition; did you mean 'host'?"),
        ("deny", "'' is no condition"),
        ("deny host", "which host? nothing follows the word"),
        ("deny regex", "which regex?"),
        ("deny regex (", "'(' is no regular expression"),
        ("deny host https://a.org/", "'https://a.org/' is no host name"),
        ("deny host a b:x", "'b:x' is no host name"),
        ("deny host a.org # bad", "a comment needs a line of its own"),
        ("deny domain a.org:81", "'a.org:81' is no domain"),
        ("deny directory docs/", "'docs/' is no directory; write one such as '/docs/'"),
        ("deny directory " + "/a" * 40, "32 levels"),
        ("deny scheme 1x", "'1x' is no scheme"),
        ("deny extension tar.gz", "'tar.gz' is no extension"),
        ("deny depth > 0", "write 'deny depth > 5'"),
        ("deny depth 5", "write 'deny depth > 5'"),
        ("allow depth > 5", "write 'deny depth > 5'"),
        ("priority 0.5 depth > 5", "write 'deny depth > 5'"),
        ("priority high regex x", "a priority is a number from 0 to 1, such as 0.8, not 'high'"),
        ("priority 1.5 regex x", "not '1.5'"),
        ("priority nan regex x", "not 'nan'"),
        ("default", "write 'default allow' or 'default deny'"),
        ("default maybe", "write 'default allow' or 'default deny'"),
    ],
)
def test_a_bad_line_is_named(line: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_rules(f"# fine\nallow host a.org\n{line}\n", "my.rules")
    assert str(caught.value).startswith("my.rules, line 3: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_defaults_are_one_too_many() -> None:
    with pytest.raises(UsageError, match="line 2: there is a default already"):
        parse_rules("default allow\ndefault allow")


def test_a_long_list_of_hosts_is_one_look_up() -> None:
    """Every kind asks its own sets once per URL, however many lines there are."""
    rules = parse_rules("\n".join(f"deny host h{number}.org" for number in range(5_000)))
    assert len(rules._filters) == 1
    assert rules.refuses("https://h4999.org/") == "rules: line 5000 denies it (deny host h4999.org)"


@given(st.text(max_size=60))
def test_a_line_is_read_or_refused_with_its_number(line: str) -> None:
    complaint = ""
    try:
        parse_rules(line)
    except UsageError as error:
        complaint = str(error)
    says_something = any(text.strip() and text.strip()[0] != "#" for text in line.split("\n"))
    assert bool(re.match("the rules, line [0-9]+: ", complaint)) is says_something


words = st.sampled_from(["a.org", "/x/", "http", "pdf", ".", "/", "é", ":", "#", "[", "%", "*"])
lines = st.builds(
    "{} {} {}".format,
    st.sampled_from(["allow", "deny", "priority 0.5"]),
    st.sampled_from(["host", "domain", "directory", "scheme", "extension", "regex"]),
    st.lists(words, min_size=1, max_size=3).map("".join),
)


@given(lines, st.text(max_size=40))
@example("deny regex [[]", "")
def test_what_can_be_read_can_be_asked_of_anything(line: str, url: str) -> None:
    try:
        rules = parse_rules(line)
    except UsageError:
        return
    for each in (url, f"http://{url}", "mailto:x", "file:///x"):
        rules.refuses(each)
        rules.priority(each)


WIKI = "https://en.wikipedia.org/wiki/"


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        (WIKI + "Karen_Sp%C3%A4rck_Jones", True),
        ("http://en.wikipedia.org/wiki/Fish", True),
        (WIKI + "Main_Page_(film)", True),
        (WIKI + "AC/DC", True),
        (WIKI + "Fish#Anatomy", True),
        (WIKI + "Main_Page", False),
        (WIKI + "Main%5FPage", False),
        (WIKI + "Main_Page?action=raw", False),
        (WIKI + "Help:Authority_control", False),
        (WIKI + "Help%3aAuthority_control", False),
        (WIKI + "Fish?title=Talk:Fish", False),
        (WIKI, False),
        ("https://en.wikipedia.org/w/index.php?title=Fish", False),
        ("https://en.m.wikipedia.org/wiki/Fish", False),
        ("https://de.wikipedia.org/wiki/Fisch", False),
        ("https://en.wikipedia.org:8080/wiki/Fish", False),
        ("https://en.wikipedia.org.evil.net/wiki/Fish", False),
        ("https://evil.net/?https://en.wikipedia.org/wiki/Fish", False),
        ("ftp://en.wikipedia.org/wiki/Fish", False),
    ],
)
def test_the_wikipedia_rules(url: str, wanted: bool) -> None:
    """W12: only /wiki/ articles of en.wikipedia.org over http or https, no Main_Page, no colon."""
    name = canonical(url)
    assert name is not None
    assert (parse_rules(load_rules("wikipedia")).refuses(name) == "") is wanted


def test_the_documents_rules() -> None:
    urls = ["https://x.org/a.pdf", "https://x.org/", "https://x.org/sitemap-1.xml.gz"]
    unwanted = ["https://x.org/a.JPG", "https://x.org/b.css?v=3", "https://x.org/c.tar.gz"]
    assert denied(load_rules("documents"), *urls, *unwanted) == unwanted


def test_a_rules_file_is_found_by_name_or_by_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wikipedia").write_bytes(b"\xef\xbb\xbfdefault deny\r\n")
    assert load_rules("./wikipedia") == "default deny\r\n"
    assert load_rules(str(tmp_path / "wikipedia")) == "default deny\r\n"
    assert "en\\.wikipedia" in load_rules("wikipedia")


def test_a_rules_file_that_is_not_there() -> None:
    with pytest.raises(UsageError) as caught:
        load_rules("wikipaedia")
    assert str(caught.value) == (
        "there is no rules file 'wikipaedia', and no ready-made set of that name "
        "(there are: documents, wikipedia)"
    )


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"deny host \xff", "it is no UTF-8 text"),
        (b"#" * (MAX_RULES_BYTES + 1), "longer than 8,000,000 bytes"),
        (b"\ndney x", "bad.rules, line 2: 'dney' is no rule"),
    ],
)
def test_a_rules_file_that_cannot_be_used(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "bad.rules").write_bytes(data)
    with pytest.raises(UsageError, match=re.escape(said)):
        load_rules(str(tmp_path / "bad.rules"))


def test_a_directory_is_no_rules_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't be read"):
        load_rules(str(tmp_path))
    with pytest.raises(UsageError, match="can't be read"):
        load_rules("a\0b")


def test_the_manual_is_right() -> None:
    """Every example in docs/rules.md reads, and every ready-made set is named there."""
    text = DOCS.read_text(encoding="utf-8")
    examples = re.findall("```rules\n(.*?)```", text, re.DOTALL)
    assert examples
    for rules in examples:
        parse_rules(rules)
    assert all(f"`{name}`" in text for name in ("documents", "wikipedia"))
