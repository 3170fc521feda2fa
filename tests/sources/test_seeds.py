"""Seeds as people type them: URLs, bare hosts, paths, lists; and what is said about the rest."""

import io
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import UsageError
from shoal.model.link import LinkSource
from shoal.model.urls.params import ParamRules
from shoal.model.urls.rowkey import row_key, url_of
from shoal.model.urls.url import canonical
from shoal.sources.seeds import read_seeds, seed_url


def urls(*words: str, stdin: str | None = None) -> list[str]:
    return [link.url for link in read_seeds(words, None if stdin is None else io.StringIO(stdin))]


@pytest.mark.parametrize(
    ("word", "url"),
    [
        ("https://Example.org/a/../b#c", "https://example.org/b"),
        (" https://example.org/a b ", "https://example.org/a%20b"),
        ("HTTP:example.org", "http://example.org/"),
        ("ftp://files.example/pub", "ftp://files.example/pub"),
        ("gopher://old.example/1", "gopher://old.example/1"),
        ("file:///no/such/file", "file:///no/such/file"),
        ("example.org", "https://example.org/"),
        ("example.org/x?y=1#z", "https://example.org/x?y=1"),
        ("Bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
        ("example.org:8443/x", "https://example.org:8443/x"),
        ("example.org:80", "http://example.org/"),
        ("example.org?q=http://other.example/", "https://example.org/?q=http://other.example/"),
        ("localhost", "http://localhost/"),
        ("localhost:8000/x", "http://localhost:8000/x"),
        ("my.localhost:8000", "http://my.localhost:8000/"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080/"),
        ("192.0.2.7:8080/a", "http://192.0.2.7:8080/a"),
        ("[::1]:8080/a", "http://[::1]:8080/a"),
    ],
)
def test_what_is_meant_by_a_word(word: str, url: str) -> None:
    [link] = read_seeds([word])
    assert (link.url, link.row) == (url, row_key(url))
    assert (link.source, link.priority, link.excluded) == (LinkSource.SEED, 0.5, "")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("", "'' is no URL; write one such as https://example.org/"),
        ("fish", "'fish' is no URL and no file here; for a host write http://fish"),
        ("intranet:8080", "for a host write http://intranet:8080"),
        ("tropical fish", "one URL at a time; a space within one is written %20"),
        ("htp://example.org/x", "did you mean 'http://example.org/x'?"),
        ("htps:/example.org", "did you mean 'https://example.org'?"),
        ("://example.org", "did you mean 'https://example.org'?"),
        ("mailto:a@example.org", "'mailto:a@example.org' can't be crawled"),
        ("javascript:alert(1)", "can't be crawled"),
        ("a@example.org", "did you mean https://example.org/?"),
        ("https://", "'https://' is no URL: it names no host"),
        ("gopher:///x", "it names no host"),
        ("https://exa mple.org/", "'exa mple.org' is no host name"),
        ("http://example.org:99999/", "its port is above 65,535"),
        ("example.org:99999", "its port is above 65,535"),
        ("https://example.org/" + "a" * 5000, "it is longer than 4,096 characters"),
        ("/no/such/place", "there is no such file or directory"),
        ("./nothing.here", "there is no file or directory './nothing.here'"),
        (
            "report.html",
            "there is no file 'report.html' here; for a host write https://report.html",
        ),
        ("a" * 300, "is no URL and no file here"),
        ("a\0b.org", "is no host name"),
        ("-", "'-' reads URLs from the standard input, but there is none here"),
        ("@nothing.txt", "the list of URLs 'nothing.txt' can't be read: No such file"),
    ],
)
def test_what_is_no_seed_is_refused_with_a_fix(
    word: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        read_seeds(["https://fine.example/", word])
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300 or len(word) > 250


def test_each_seed_once_and_in_order() -> None:
    words = ["https://b.org/x/", "a.org", "https://b.org/x", "https://a.org/#top", "c.org"]
    assert urls(*words) == ["https://b.org/x/", "https://a.org/", "https://c.org/"]
    assert urls() == []


def test_parameters_are_stripped_by_the_crawls_own_rules() -> None:
    [link] = read_seeds(["https://a.org/?fish=1&b=2"], params=ParamRules.from_names(["fish"]))
    assert link.url == "https://a.org/?b=2"


def test_lists_of_urls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = "\ufeff# my sites\r\n\r\nhttps://a.org/#top  # the first\r\nb.org\nlocalhost:81"
    (tmp_path / "sites.txt").write_text(lines, encoding="utf-8", newline="")
    expected = ["https://a.org/", "https://b.org/", "http://localhost:81/"]
    assert urls("@sites.txt") == expected
    assert urls("sites.txt") == expected  # its first line is a URL
    assert urls("-", stdin=lines.removeprefix("\ufeff")) == expected
    as_itself = (tmp_path / "sites.txt").as_uri()
    assert urls(as_itself) == [as_itself]


def test_a_bad_line_in_a_list_is_named(tmp_path: Path) -> None:
    path = tmp_path / "sites.txt"
    path.write_text("https://a.org/\n\nfish and chips\n")
    with pytest.raises(UsageError, match=r"^sites.txt, line 3: 'fish and chips' is no URL"):
        urls(f"@{path}")
    with pytest.raises(UsageError, match=r"^the standard input, line 1: 'fish' is no URL"):
        urls("-", stdin="fish\n")
    with pytest.raises(UsageError, match="line 2: longer than 65,536 characters"):
        urls("-", stdin="a.org\n" + "b" * 100_000)


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing yet\n"])
def test_an_empty_list_is_a_mistake(content: str) -> None:
    with pytest.raises(UsageError, match="the standard input names no URL; write one a line"):
        urls("-", stdin=content)


def test_local_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs ä").mkdir()
    page = tmp_path / "docs ä" / "page.html"
    page.write_text("<p>see https://a.org/ and more</p>")
    root = tmp_path.resolve().as_uri()
    assert urls("docs ä") == [f"{root}/docs%20%C3%A4/"]
    assert urls("./docs ä/") == [f"{root}/docs%20%C3%A4/"]
    assert urls(".") == [f"{root}/"]
    assert urls(str(page)) == [f"{root}/docs%20%C3%A4/page.html"]
    assert urls("docs ä/../docs ä/page.html") == [f"{root}/docs%20%C3%A4/page.html"]
    assert urls(root) == [f"{root}/"]  # a directory, also as a URL
    assert urls("/") == ["file:///"]


def test_a_path_that_is_no_unicode(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9"
    try:
        os.mkdir(path)  # noqa: PTH102 - pathlib takes no bytes
    except OSError:
        pytest.skip("this file system takes only Unicode names")
    assert urls(os.fsdecode(path)) == [f"{tmp_path.resolve().as_uri()}/caf%E9/"]
    assert urls(f"{tmp_path.resolve().as_uri()}/caf%E9") == [
        f"{tmp_path.resolve().as_uri()}/caf%E9/"
    ]


def test_a_pipe_is_a_list(tmp_path: Path) -> None:
    """As in `shoal crawl <(grep fish urls.txt)`."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("a.org\nb.org\n",))
    writer.start()
    try:
        assert urls(str(pipe)) == ["https://a.org/", "https://b.org/"]
    finally:
        writer.join()


words = st.text() | st.text("abc.:/@?#[]%0 \\", max_size=20) | st.from_regex(r"[a-z]+:/*[a-z.]*")


@given(words)
def test_any_word_is_a_canonical_url_or_refused(word: str) -> None:
    try:
        url = seed_url(word)
    except ValueError:
        return
    assert canonical(url) == url
    assert url_of(row_key(url)) == url


def test_a_file_that_is_neither_a_list_nor_a_document(tmp_path: Path) -> None:
    empty, data, page = tmp_path / "seeds.txt", tmp_path / "core", tmp_path / "fish.png"
    empty.write_text("\n")
    for binary in (data, page):
        binary.write_bytes(b"\x89\x00\x01\x02")
    with pytest.raises(UsageError, match="is empty: it names no URL"):
        read_seeds([str(empty)])
    with pytest.raises(UsageError, match="neither a list of URLs nor a document"):
        read_seeds([str(data)])
    assert [link.url for link in read_seeds([str(page)])] == [page.as_uri()]
