"""Do the lab's sitemaps and codecs hold for any name and any bytes, as Shoal's do?"""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.lab import folder_sitemap, unicode_codecs
from examples.lab.folder_sitemap import frequency, pages_of, sitemap
from examples.lab.unicode_codecs import (
    REFUSED_UTF8,
    REFUSED_UTF16,
    decode_utf8,
    decode_utf16,
    encode_utf8,
    encode_utf16,
)
from shoal.converters.characters.codecs import as_browsers
from shoal.sources.sitemap import read_sitemap
from shoal.sources.sitemap_make import w3c_date
from shoal.sources.web_folder import WebFolder
from tests.sources.sitemap_schema import faults

BASE = "http://www.example.com/"
NOW = 1_790_000_000.0
DAY = 86_400.0
EDGES = (0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF)
DECODERS = (
    (decode_utf8, "utf-8", "utf-8"),
    (decode_utf16, "utf-16-be", "utf-16be"),
)
"""The lab's, Python's name, Shoal's name."""
hard_bytes = st.lists(
    st.sampled_from([0, 0x2F, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xD8])
    | st.sampled_from([0xDB, 0xDC, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xF8, 0xFE, 0xFF])
).map(bytes)


def fault_of(decode: Callable[[bytes], str], data: bytes) -> int | None:
    """The byte where what can't be read begins; None: all can."""
    try:
        decode(data)
    except UnicodeDecodeError as error:
        return error.start
    except ValueError as error:
        return int(str(error).removeprefix("byte ").partition(":")[0])
    return None


def agree(data: bytes) -> None:
    """What Python and Shoal read is read, and what they refuse is refused at the same byte."""
    for decode, pythons, shoals in DECODERS:
        fault = fault_of(decode, data)
        assert fault == fault_of(partial(str, encoding=pythons), data)
        if fault is None:
            assert decode(data) == data.decode(pythons) == as_browsers(data, shoals)
        else:
            assert "\ufffd" in as_browsers(data, shoals)


class TestUnicode:
    @given(st.text() | st.lists(st.sampled_from(EDGES)).map(lambda each: "".join(map(chr, each))))
    def test_any_text_is_encoded_as_by_python_and_comes_back(self, text: str) -> None:
        assert encode_utf8(text) == text.encode("utf-8")
        assert encode_utf16(text) == text.encode("utf-16-be")
        assert decode_utf8(encode_utf8(text)) == decode_utf16(encode_utf16(text)) == text

    @given(st.binary() | hard_bytes)
    def test_any_bytes_are_read_or_refused_as_by_python_and_shoal(self, data: bytes) -> None:
        agree(data)

    def test_every_first_two_bytes(self) -> None:
        for first in range(0x80, 0x100):
            for second in range(0x100):
                agree(bytes([first, second]))

    @pytest.mark.parametrize("form", REFUSED_UTF8 + REFUSED_UTF16)
    def test_the_refused_forms_that_the_program_shows(self, form: str) -> None:
        agree(bytes.fromhex(form))

    @pytest.mark.parametrize("code", [0xD800, 0xDBFF, 0xDC00, 0xDFFF])
    def test_half_a_character_is_not_encoded(self, code: int) -> None:
        for encode in (encode_utf8, encode_utf16):
            with pytest.raises(ValueError, match=f"{code:X} is half"):
                encode(f"a{chr(code)}")

    def test_overlong_forms_are_refused_however_long(self) -> None:
        """Each character below 800 hexadecimal, in three and in four bytes; and those of one byte
        in two."""
        for code in range(0x800):
            low = 0x80 | code & 0x3F
            middle = 0x80 | code >> 6
            forms = [bytes([0xE0, middle, low]), bytes([0xF0, 0x80, middle, low])]
            if code < 0x80:
                forms.append(bytes([0xC0 | code >> 6, low]))
            for form in forms:
                with pytest.raises(ValueError, match="more bytes than it needs"):
                    decode_utf8(form)

    def test_the_characters_of_a_text(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert unicode_codecs.main(["π", "\n"]) == 0
        assert [line.split() for line in capsys.readouterr().out.splitlines()[1:]] == [
            ["03C0", "CF", "80", "03", "C0", "π"],
            ["0020", "20", "00", "20"],
            ["000A", "0A", "00", "0A"],
        ]
        assert unicode_codecs.main(["a\udcff"]) == 2  # as a shell gives bytes that are no text
        assert capsys.readouterr().err.count("\n") == 1

    def test_a_codec_that_is_wrong_is_found(self, monkeypatch: pytest.MonkeyPatch) -> None:
        text = "aπ鱼🐟"
        monkeypatch.setattr(unicode_codecs, "every_character", lambda: text)
        assert "DIFFERS" not in unicode_codecs.check()
        monkeypatch.setattr(unicode_codecs, "encode_utf16", lambda text: text.encode("utf-16-le"))
        assert "encode_utf16 DIFFERS" in unicode_codecs.check()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With names that want care."""
    root = tmp_path / "site"
    names = (
        b"index.html",
        b"a b & <c> 'd' \"e\".html",
        b"100%?#.txt",
        b"\xff\xfe.html",
        "fish/鱼.pdf".encode(),
        b"fish/index.html",
        b"fish/deep/x.html",
        b"~+,;=:@!$()*.html",
        b".hidden.html",
        b".git/config",
    )
    for days, name in enumerate(names):
        path = Path(os.fsdecode(os.fsencode(root) + b"/" + name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
        os.utime(path, (NOW, NOW - days * DAY))
    (tmp_path / "outside").write_bytes(b"x")
    (root / "link.html").symlink_to(tmp_path / "outside")
    (root / "round").symlink_to(root)
    os.mkfifo(root / "pipe")
    return root


class TestFolderSitemap:
    def test_it_is_valid_and_names_what_shoal_names(self, folder: Path, tmp_path: Path) -> None:
        written = tmp_path / "sitemap.xml"
        written.write_text(sitemap(folder, BASE, NOW), "utf-8")
        assert faults(written, BASE) == []
        entries = read_sitemap(written.read_bytes()).entries
        shoals = WebFolder(folder, BASE, takes_all=True).files(lambda _: False)
        assert len(entries) == 8
        assert sorted((each.url, each.last_modified) for each in entries) == sorted(
            (each.url, w3c_date(each.modified)) for each in shoals
        )

    def test_without_a_slash_and_below_a_path(self, folder: Path) -> None:
        assert sitemap(folder, BASE[:-1], NOW) == sitemap(folder, BASE, NOW)
        assert "<loc>http://a.example/x/fish/</loc>" in sitemap(folder, "http://a.example/x", NOW)

    @pytest.mark.parametrize(
        ("seconds", "word"),
        [
            (-5, "hourly"),
            (0, "hourly"),
            (4 * 3_600, "hourly"),
            (6 * 3_600, "daily"),
            (3 * DAY, "weekly"),
            (20 * DAY, "monthly"),
            (120 * DAY, "yearly"),
            (1e12, "yearly"),
        ],
    )
    def test_the_nearest_word(self, seconds: float, word: str) -> None:
        assert frequency(seconds) == word

    def test_dates_beyond_a_calendar(self, tmp_path: Path) -> None:
        for name, when in (("old", -5e9), ("future", 9e9)):
            (tmp_path / name).touch()
            os.utime(tmp_path / name, (when, when))
        entries = sitemap(tmp_path, BASE, NOW)
        assert "1970-01-01T00:00:00Z" in entries
        assert w3c_date(NOW) in entries

    def test_a_url_that_is_too_long_is_left_out(self, tmp_path: Path) -> None:
        (tmp_path / ("鱼" * 80)).touch()
        inside = tmp_path
        for _ in range(3):
            inside /= "深" * 80
        inside.mkdir(parents=True)
        (inside / "x").touch()
        assert sitemap(tmp_path, BASE, NOW).count("<url>") == 1
        assert len(list(pages_of(tmp_path))) == 2

    def test_too_many_files(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(folder_sitemap, "MOST_URLS", 8)
        assert sitemap(folder, BASE, NOW)
        monkeypatch.setattr(folder_sitemap, "MOST_URLS", 7)
        with pytest.raises(ValueError, match="more than 7 files"):
            sitemap(folder, BASE, NOW)
        monkeypatch.setattr(folder_sitemap, "MOST_FOLDERS", 2)
        with pytest.raises(ValueError, match="folders"):
            list(pages_of(folder))

    @pytest.mark.parametrize(
        "base", ["", "example.com", "ftp://a.example", "http://", "http://a/?x", "http://a b"]
    )
    def test_what_is_no_base(
        self, base: str, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert folder_sitemap.main([str(folder), base]) == 2
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["x"], ["nowhere", BASE], ["a", "b", "c"]])
def test_wrong_arguments_get_one_sentence(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert folder_sitemap.main(arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1
