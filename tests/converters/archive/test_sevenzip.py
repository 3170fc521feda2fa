import shutil
from pathlib import Path

import pytest

from shoal.converters.archive import rar, sevenzip
from shoal.converters.archive.coders import FAULTS, Coder, undo_coder
from tests.converters.archive_parts import opening, texts

SAMPLES = Path(__file__).parents[1] / "samples"


def test_solid_archives_and_their_members() -> None:
    documents = sevenzip.convert((SAMPLES / "archive-reef.7z").read_bytes(), opening("x.7z"))
    assert [each.name for each in documents[1:]] == documents[0].page.text.split("\n")
    assert "The moray eel waits" in texts(documents)


def test_sealed_names_say_so() -> None:
    (document,) = sevenzip.convert((SAMPLES / "archive-sealed.7z").read_bytes(), opening("x.7z"))
    assert document.problem == "encrypted"


def test_delta_is_undone_channel_by_channel() -> None:
    assert (
        undo_coder(Coder(b"\x03", b"\x01"), b"\x01\x0a\x01\x0a\x01\xff", 6)
        == b"\x01\x0a\x02\x14\x03\x13"
    )


def test_a_dictionary_of_gigabytes_is_not_made() -> None:
    with pytest.raises(FAULTS):
        undo_coder(Coder(b"\x03\x01\x01", b"\xff\xff\xff\xff\xff"), b"x", 10)
    assert undo_coder(Coder(b"\x21", b"\x28"), b"\x00", 1 << 20) == b""


def test_rar_names_in_unicode() -> None:
    # A plain name, and the high byte, flags and bytes that make the Unicode one.
    raw = b"k_ste\0" + bytes([0x00, 0b00000000]) + b"k\xfcst" + bytes([0b00000000]) + b"e"
    assert rar._name_4(raw).decode() == "küste"  # no program here writes it


@pytest.mark.parametrize("version", [4, 5])
def test_rar_packed_members_without_a_program(
    version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    body = bytearray((SAMPLES / f"archive-stored{version}.rar").read_bytes())
    if version == 4:
        body[7 + 13 + 25] = 0x33
    else:
        at = body.index(b"\x00\x01\x0ereef/moray.txt")
        body[at] |= 0x00
        body[at : at + 1] = b"\x80\x01"  # method 1: one byte longer
        size_at = 8 + 4 + 1 + 3 + 4
        body[size_at] += 1
    documents = rar.convert(bytes(body), opening("x.rar"))
    assert documents[0].page.text == "reef/moray.txt\nreef/diary.txt"
    assert documents[0].problem == "packed members need the program bsdtar"
    assert [each.name for each in documents[1:]] == ["reef/diary.txt"]
