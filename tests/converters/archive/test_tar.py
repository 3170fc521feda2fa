import io
import tarfile

import pytest

from shoal.converters.archive import tar
from tests.converters.archive_parts import opening


def tarred(form: int, *members: tuple[str, bytes]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form) as package:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            package.addfile(info, io.BytesIO(data))
    return file.getvalue()


LONG = "reef/" + "long-" * 60 + "name.txt"


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_names(form: int) -> None:
    body = tarred(form, (LONG, b"moray"), ("küste.txt", b"wrasse"))
    documents = tar.convert(body, opening("x.tar"))
    assert [(each.name, each.page.text) for each in documents[1:]] == [
        (LONG, "moray"),
        ("küste.txt", "wrasse"),
    ]


def test_prefixes_of_ustar() -> None:
    name = "a" * 90 + "/" + "b" * 90
    documents = tar.convert(tarred(tarfile.USTAR_FORMAT, (name, b"fish")), opening("x.tar"))
    assert documents[1].name == name


def test_links_are_listed_and_not_followed() -> None:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as package:
        link = tarfile.TarInfo("passwords")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        package.addfile(link)
        folder = tarfile.TarInfo("folder")
        folder.type = tarfile.DIRTYPE
        package.addfile(folder)
    (document,) = tar.convert(file.getvalue(), opening("x.tar"))
    assert document.page.text == "passwords"


def test_a_damaged_header_does_not_cost_the_rest() -> None:
    body = bytearray(tarred(tarfile.GNU_FORMAT, ("a", b"x" * 600), ("b", b"y"), ("c", b"z")))
    body[512 + 1024] ^= 0xFF  # the header of b
    documents = tar.convert(bytes(body), opening("x.tar"))
    assert [each.name for each in documents[1:]] == ["a", "c"]


def test_a_cut_archive_says_so() -> None:
    body = tarred(tarfile.GNU_FORMAT, ("a", b"x" * 5_000))
    documents = tar.convert(body[:1_000], opening("x.tar"))
    assert documents[0].problem == "damaged: it ends too early"
    assert documents[1].page.text == "x" * 488


def test_old_archives_without_a_mark_are_told_by_their_checksum() -> None:
    body = bytearray(tarred(tarfile.USTAR_FORMAT, ("a", b"x")))
    body[257:265] = bytes(8)
    body[148:156] = b" " * 8
    body[148:156] = b"%06o\0 " % sum(body[:512])
    assert tar.is_tar(bytes(body[:512]))
    assert not tar.is_tar(bytes(512))
    assert not tar.is_tar(b"x" * 512)
