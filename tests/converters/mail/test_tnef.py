import struct
from pathlib import Path

from shoal.converters.mail import mail, tnef
from tests.converters.archive_parts import opening

SAMPLE = (Path(__file__).parents[1] / "samples" / "mail-winmail.dat").read_bytes()


def test_letter_and_attachment() -> None:
    letter = tnef.read_tnef(SAMPLE)
    assert (letter.subject, letter.sender) == ("Octopus garden", "Ada Schön")
    assert letter.published == "2026-11-05T08:00:00"
    assert letter.attachments[0].name == "shells of the garden.txt"


def test_winmail_in_a_mail_is_unwrapped() -> None:
    message = (
        b"From: ada@reef.example\nSubject: w\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"
        b"Content-Type: application/ms-tnef; name=winmail.dat\n\n" + SAMPLE + b"\n--b--\n"
    )
    documents = mail.convert(message, opening("a.eml"))
    assert "The octopus collects shells" in documents[0].page.text
    assert documents[1].name == "shells of the garden.txt"


def test_compressed_rtf() -> None:
    # The example of MS-OXRTFCP, 4.1: a hello and a reference into the known text.
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232"
        "0af32068656c090020627705b06c647d0a800fa0"
    )
    assert tnef.unpack_rtf(packed) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    # 4.2: a reference that overlaps what it writes.
    packed = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")
    assert tnef.unpack_rtf(packed) == b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"


def test_claims_do_not_make_it_large() -> None:
    assert (
        len(tnef.unpack_rtf(struct.pack("<II4sI", 50, 0xFFFFFFFF, b"LZFu", 0) + b"\xff" * 999))
        < 20_000
    )
    assert tnef.unpack_rtf(b"LZFu") == b""
    many = SAMPLE[:6] + struct.pack("<BII", 1, 0x00069003, 4) + b"\xff\xff\xff\xff"
    assert tnef.read_tnef(many).attachments == []
    assert tnef.read_tnef(b"no").problem
