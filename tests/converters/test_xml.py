"""XML: a tree out of whatever comes, and never anything from outside of the file."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.converters.xml import all_text, attribute, local, named, parse


def text(data: bytes) -> str:
    root = parse(data)
    assert root is not None
    return all_text(root)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"<a>fish</a>", "fish"),
        (b"<a>salt &amp; &#x3b1; &lt;b&gt;</a>", "salt & α <b>"),
        (b"<a>caf&eacute; &ndash; &NotEqualTilde; &amp;</a>", "café – ≂̸ &"),
        (b"<a>x &nosuchname; y</a>", "x  y"),
        (b"<a>salt & pepper &amp; more</a>", "salt & pepper & more"),
        (b"<a><![CDATA[<b>&nbsp;&]]></a>", "<b>&nbsp;&"),
        (b"<a><!-- &nbsp; --><?pi x?>b</a>", "b"),
        (b'<!DOCTYPE a [<!ENTITY ray "flat">]><a>&ray; fish</a>', "flat fish"),
        ('<?xml version="1.0" encoding="koi8-r"?><a>рыба</a>'.encode("koi8-r"), "рыба"),
        ('<?xml version="1.0" encoding="utf-16"?><a>рыба</a>'.encode("utf-16"), "рыба"),
        (b"\xef\xbb\xbf<a>fish</a>", "fish"),
    ],
)
def test_text(data: bytes, says: str) -> None:
    assert text(data) == says


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"<a><b>fish<c>ray", "fishray"),
        (b"<a><b>fish</a>", "fish"),
        (b"<a>fish</b> ray</a>", "fish"),
        (b"<a>fish\x01 ray</a>", "fish"),
        (b'<a x="1" x="2">fish</a>', "fish"),
        (b"<a>fish</a><b>ray</b>", "fish"),
    ],
)
def test_of_a_broken_file_what_can_be_read(data: bytes, says: str) -> None:
    assert text(data).startswith(says)


@pytest.mark.parametrize("data", [b"", b" ", b"fish", b"<", b"<!-- only -->", b"\0\0", b"<?xml?>"])
def test_no_root_is_none(data: bytes) -> None:
    assert parse(data) is None


def test_nothing_is_read_from_another_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("anemone")
    (tmp_path / "x.dtd").write_text('<!ENTITY ray "anemone">')
    place, dtd = secret.as_uri(), (tmp_path / "x.dtd").as_uri()
    for declared in (
        f'<!DOCTYPE a [<!ENTITY ray SYSTEM "{place}">]>',
        f'<!DOCTYPE a SYSTEM "{dtd}">',
        f'<!DOCTYPE a [<!ENTITY % d SYSTEM "{dtd}"> %d;]>',
    ):
        root = parse(f"{declared}<a>seen &ray; too</a>".encode())
        assert root is not None
        assert "seen" in all_text(root)
        assert "anemone" not in all_text(root)
    include = f'<a xmlns:x="http://www.w3.org/2001/XInclude"><x:include href="{place}"/></a>'
    assert text(include.encode()) == ""


def test_entities_do_not_grow_without_bounds() -> None:
    laughs = "".join(f'<!ENTITY l{number} "{f"&l{number - 1};" * 10}">' for number in range(1, 12))
    data = f'<!DOCTYPE a [<!ENTITY l0 "ha">{laughs}]><a>fish &l11;</a>'.encode()
    started = time.process_time()
    root = parse(data)
    assert root is None or len(all_text(root)) < 20_000_000
    assert time.process_time() - started < 3


def test_deep_nesting_is_cut() -> None:
    data = b"<a>" * 100_000 + b"deep" + b"</a>" * 100_000
    started = time.process_time()
    root = parse(data)
    assert time.process_time() - started < 2
    depth, element = 0, root
    while element is not None and len(element):
        depth, element = depth + 1, element[0]
    assert depth <= 256


def test_many_ampersands_take_no_time() -> None:
    started = time.process_time()
    assert text(b"<a>" + b"& " * 200_000 + b"</a>").count("&") == 200_000
    parse(b"<a>" + b"<!--&" * 200_000)
    parse(b"<a>" + b"<![CDATA[&" * 200_000)
    assert time.process_time() - started < 4


def test_names_without_their_namespaces() -> None:
    root = parse(
        b'<x:a xmlns:x="urn:x" x:id="1" id="2" x:only="3"><x:b>1</x:b><c><b>2</b></c></x:a>'
    )
    assert root is not None
    assert local(root) == "a"
    assert (attribute(root, "id"), attribute(root, "only"), attribute(root, "no")) == ("2", "3", "")
    assert [all_text(each) for each in named(root, "b")] == ["1", "2"]
    assert [local(each) for each in named(root, "c", "b")] == ["b", "c", "b"]


@given(st.binary(max_size=80), st.text("<>/&;ab!-[]CDAT ='\"", max_size=60))
def test_nothing_raises(data: bytes, markup: str) -> None:
    parse(data)
    parse(b"<a>" + data)
    parse(markup.encode())
