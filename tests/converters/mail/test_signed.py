from pathlib import Path

from shoal.converters.mail import signed as mail_signed
from tests.converters.archive_parts import opening

SAMPLE = (Path(__file__).parents[1] / "samples" / "mail-survey.p7m").read_bytes()


def element(tag: int, content: bytes) -> bytes:
    length = len(content)
    head = bytes([tag, length]) if length < 128 else bytes([tag, 0x82, *length.to_bytes(2)])
    return head + content


def endless(tag: int, content: bytes) -> bytes:
    return bytes([tag, 0x80]) + content + b"\0\0"


SIGNED = element(0x06, bytes.fromhex("2a864886f70d010702"))
DATA = element(0x06, bytes.fromhex("2a864886f70d010701"))


def test_signed_content_of_der() -> None:
    assert b"The survey of the outer reef is signed." in mail_signed.unwrap(SAMPLE).content


def test_strings_in_pieces_and_endless_lengths() -> None:
    pieces = endless(0x24, element(0x04, b"moray ") + element(0x04, b"eel"))
    content = endless(0x30, DATA + endless(0xA0, pieces))
    signed = endless(0x30, element(0x02, b"\x01") + element(0x31, b"") + content)
    message = endless(0x30, SIGNED + endless(0xA0, signed))
    assert mail_signed.unwrap(message).content == b"moray eel"


def test_a_signed_file_is_that_file() -> None:
    content = element(0x30, DATA + element(0xA0, element(0x04, b"Whale song.")))
    signed = element(0x30, element(0x02, b"\x01") + element(0x31, b"") + content)
    message = element(0x30, SIGNED + element(0xA0, signed))
    (document,) = mail_signed.convert(message, opening("song.txt.p7m"))
    assert (document.name, document.page.text) == ("", "Whale song.")


def test_what_is_no_message_says_so() -> None:
    for damaged in (b"", b"0", b"0\x80", b"0\x84\xff\xff\xff\xff", b"0\x80" * 500, b"fish"):
        assert mail_signed.unwrap(damaged).problem
    assert mail_signed.convert(b"0\x80", opening("x.p7m"))[0].problem
