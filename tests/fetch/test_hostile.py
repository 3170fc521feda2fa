"""What comes from outside never raises, whatever it is."""

import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import UsageError
from shoal.fetch.answer import listing, media_type
from shoal.fetch.file import path_of, url_of
from shoal.fetch.head import fields, is_whole, last_block
from shoal.fetch.names import known, literal, parse_overrides, plain_name, read_hosts
from shoal.fetch.target import parse

ends = st.sampled_from([b"\r\n", b"\n", b""])
lines = st.builds(
    lambda start, rest, end: start + rest + end,
    st.sampled_from([b"", b"HTTP/1.1 200 OK", b"HTTP/", b"X: ", b":"]),
    st.binary(max_size=20).map(lambda data: data.replace(b"\n", b"")),
    ends,
)


@given(st.lists(lines, max_size=20), st.integers(0, 999))
def test_header_lines(found: list[bytes], status: int) -> None:
    block = last_block(found)
    assert len(block) <= len(found)
    is_whole(block, status)
    for name, value in fields(block):
        assert name == name.strip().lower()
        assert "\n" not in value


@given(st.text())
def test_any_text_as_a_name(text: str) -> None:
    name = plain_name(text)
    answer = known(name)
    if answer is None:
        assert name.isascii()
        assert 0 < len(name) <= 253
    assert literal(name) in ("", *(answer.addresses if answer else ()))


@given(st.text(alphabet=string.printable + "äß\0", max_size=40))
def test_any_text_as_a_url(text: str) -> None:
    for url in (text, f"http://{text}", f"https://host{text}", f"ftp://host/{text}"):
        target = parse(url)
        if target is not None:
            assert target.url.isascii()
            assert not set(target.url) & set(" \r\n\t\0#")
            assert target.path.startswith("/")
            assert parse(target.url) == target


@given(st.binary(max_size=60))
def test_any_bytes_as_a_path(name: bytes) -> None:
    if b"\0" not in name and name not in (b".", b".."):
        path = Path("/x") / name.replace(b"/", b"_").decode("utf-8", "surrogateescape")
        assert path_of(url_of(path, is_directory=False)) == path


@given(st.text(), st.lists(st.tuples(st.text(), st.text()), max_size=5))
def test_any_text_in_a_listing(title: str, links: list[tuple[str, str]]) -> None:
    page = listing(title, links)
    assert page.count(b"<a href=") == len(links)
    assert page.decode()
    assert media_type(title)


def test_any_bytes_as_a_hosts_file(tmp_path: Path) -> None:
    path = tmp_path / "hosts"

    @given(st.binary())
    def check(content: bytes) -> None:
        path.write_bytes(content)
        read_hosts(str(path))

    check()
    assert read_hosts(str(tmp_path / "absent")) == {}
    assert read_hosts(str(tmp_path)) == {}


@pytest.mark.parametrize(
    ("value", "addresses", "port"),
    [
        ("127.0.0.1", ("127.0.0.1",), 0),
        (" 127.0.0.1:8080 ", ("127.0.0.1",), 8080),
        ("::1", ("::1",), 0),
        ("[::1]", ("::1",), 0),
        ("[::1]:8080", ("::1",), 8080),
        ("2001:DB8::1", ("2001:db8::1",), 0),
    ],
)
def test_what_the_resolve_table_may_say(value: str, addresses: tuple[str], port: int) -> None:
    found = parse_overrides({"A.test": value})["a.test"]
    assert (found.addresses, found.port, found.pinned) == (addresses, port, True)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "localhost",
        "127.0.0.1:",
        "127.0.0.1:0",
        "127.0.0.1:x",
        "127.0.0.1:²",
        "1.2.3.4:65536",
        "1.2.3:80",
        "[::1]x",
        "[::1]:",
        "::1:x",
        "http://127.0.0.1",
    ],
)
def test_what_it_may_not_say(value: str) -> None:
    with pytest.raises(UsageError, match=r"a\.test"):
        parse_overrides({"a.test": value})
