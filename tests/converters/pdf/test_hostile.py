"""PDF files made to hurt: cut off, changed at random, linked in circles."""

import random
import re
import time
import zlib
from pathlib import Path

import pytest

from shoal.converters.pdf import info, pdf
from shoal.converters.pdf.nesting import flattened
from shoal.converters.pdf.text import PageText, Wanted, words_of
from shoal.converters.xml import Element, all_text
from tests.converters.pdf.test_pdf import column, made, read, said

SAMPLES = Path(__file__).parents[1] / "samples"
NAMES = ("pdf-tagged.pdf", "pdf-columns.pdf", "pdf-form.pdf", "pdf-encrypted.pdf")


@pytest.mark.parametrize("name", NAMES)
def test_cut_off_files_give_what_is_there(name: str) -> None:
    body = (SAMPLES / name).read_bytes()
    for part in range(11):
        result = read(body[: len(body) * part // 11])
        assert result.problem


def test_most_of_a_cut_file_is_read() -> None:
    body = (SAMPLES / "pdf-columns.pdf").read_bytes()
    half = read(body[: len(body) // 2])
    assert half.problem == "damaged: mended"
    assert "whales" in half.page.text


def test_pages_in_object_streams_are_found_without_a_table() -> None:
    packed = b"<</Type/Page/MediaBox[0 0 300 300]/Contents 8 0 R/Resources<</Font<</F 7 0 R>>>>>>"
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    head = b"6 0 7 %d " % len(packed)
    data = zlib.compress(head + packed + font)
    content = said((20, 200, "Packed fish"))
    body = b"%%PDF-1.5\n8 0 obj\n<</Length %d>>\nstream\n%s\nendstream\nendobj\n" % (
        len(content),
        content,
    )
    body += b"5 0 obj\n<</Type/ObjStm/N 2/First %d/Filter/FlateDecode/Length %d>>\nstream\n%s" % (
        len(head),
        len(data),
        data,
    )
    result = read(body + b"\nendstream\nendobj\n")
    assert (result.page.text, result.problem) == ("Packed fish", "damaged: mended")


@pytest.mark.parametrize("name", NAMES)
def test_changed_bytes_never_raise(name: str) -> None:
    body = (SAMPLES / name).read_bytes()
    chance = random.Random(name)
    started = time.process_time()
    for _ in range(40):
        changed = bytearray(body)
        for _ in range(chance.randint(1, 20)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        read(bytes(changed))
    assert time.process_time() - started < 30


@pytest.mark.parametrize("body", [b"", b"%PDF-", b"%PDF-1.4\n%%EOF", b"fish", bytes(1_000)])
def test_what_is_no_file_at_all(body: bytes) -> None:
    result = read(body)
    assert (result.problem, result.page.blocks) == ("damaged", [])


def test_an_outline_in_a_circle() -> None:
    more = (
        b"<</Type/Outlines/First 6 0 R/Last 7 0 R>>",
        b"<</Title(Fish)/Parent 5 0 R/Next 7 0 R/First 7 0 R/Dest[9 0 R/Fit]>>",
        b"<</Title(Reef)/Parent 6 0 R/Next 6 0 R/First 6 0 R/Dest[9 0 R/Fit]>>",
    )
    body = made(column(72, 700, "Fish"), catalog=b"/Outlines 5 0 R", more=more)
    assert read(body).page.text == "Fish\nReef"


def test_a_page_tree_in_a_circle() -> None:
    body = made(said((72, 700, "Fish")), more=(b"<</Type/Pages/Count 900/Kids[2 0 R 5 0 R]>>",))
    body = body.replace(b"/Kids[6 0 R]", b"/Kids[5 0 R]")
    assert read(body).page.text.count("Fish") <= 1


def test_a_structure_tree_in_a_circle() -> None:
    more = (
        b"<</Type/StructTreeRoot/K 6 0 R/ParentTree<</Nums[0[7 0 R]]>>>>",
        b"<</Type/StructElem/S/Sect/P 7 0 R/K[7 0 R]>>",
        b"<</Type/StructElem/S/P/P 6 0 R/Pg 8 0 R/K[0 6 0 R 7 0 R]>>",
    )
    content = b"/P<</MCID 0>>BDC " + said((72, 700, "Fish")) + b" EMC"
    catalog = b"/StructTreeRoot 5 0 R/MarkInfo<</Marked true>>"
    body = made(content, catalog=catalog, more=more, page=b"/StructParents 0")
    assert read(body).page.text == "Fish"


def test_a_form_that_draws_itself() -> None:
    form = (
        b"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>/Length 5>>"
    )
    page = b"/Resources<</XObject<</X 5 0 R>>/Font<</F 3 0 R>>>>"
    content = said((72, 700, "Fish")) + b" /X Do"
    body = made(content, page=page, more=(form + b"\nstream\n/X Do\nendstream",))
    assert read(body).page.text == "Fish"


def test_a_page_of_very_many_pieces_is_quick() -> None:
    chance = random.Random(4)
    words = [(chance.uniform(0, 600), chance.uniform(0, 780), "fish") for _ in range(8_000)]
    started = time.process_time()
    result = read(made(said(*words)))
    assert result.page.text.count("fish") > 7_000
    assert time.process_time() - started < 8


def test_letters_drawn_one_by_one_are_not_copied_again_and_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The longest stretch is the most that a letter which follows copies, so the work goes with the
    letters; and nothing is lost or parted."""
    longest: list[int] = []

    def watched(page: object, wanted: Wanted) -> PageText:
        found = words_of(page, wanted)
        longest.append(max(len(word.text) for word in found.words))
        return found

    monkeypatch.setattr(pdf, "words_of", watched)
    for letters in (1_000, 10_000, 40_000):
        content = b"BT /F 1 Tf 72 700 Td " + b"(a) Tj " * letters + b"ET"
        body = made(content, page=b"/MediaBox[0 0 99999 792]")
        assert read(body).page.text == "a" * letters
    assert longest == [999, 2_000, 2_000]  # the first letter of a line stands by itself


def test_words_of_a_document_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read before is kept, and it says where it was cut."""
    monkeypatch.setattr(pdf, "MOST_WORDS", 500)
    content = b"BT /F 10 Tf 72 700 Td " + b"(a) Tj " * 300 + b"ET"
    result = read(made(content, content, content))
    assert result.page.text.count("a") == 500
    assert result.problem == "cut within page 2 of 3: too many words"
    whole = read(made(content))
    assert (whole.page.text, whole.problem) == ("a" * 300, "")


OPENS = (b"/P BMC ", b"/P<</MCID 0>>BDC ", b"/Span <</A<</B 1>>/C(x)>> BDC ")


def depth_of(content: bytes) -> int:
    """How many marks are open at once."""
    depth = most = 0
    for operator in re.findall(rb"BDC|BMC|EMC", content):
        depth += -1 if operator == b"EMC" else 1
        most = max(most, depth)
    return most


def packed(body: bytes, content: bytes) -> bytes:
    """The same file with that stream compressed; its table is found anew."""
    data = zlib.compress(content)
    plain = b"<</Length %d>>\nstream\n%s" % (len(content), content)
    assert plain in body
    return body.replace(plain, b"<</Filter/FlateDecode/Length %d>>\nstream\n%s" % (len(data), data))


@pytest.mark.parametrize("opens", OPENS)
@pytest.mark.parametrize("levels", [2_000, 64_000])
def test_marks_within_marks_are_flattened(opens: bytes, levels: int) -> None:
    """PDFium copies all open marks at every new one: what it is given has no more than so many,
    however deep the file goes. No text is lost."""
    inner = said((72, 600, "Deep"))
    content = said((72, 700, "Fish")) + b"\n" + opens * levels + inner + b" EMC" * levels
    content += b"\n" + said((72, 500, "After"))
    for body in (made(content), packed(made(content), content)):
        flat = flattened(body)
        assert len(flat) == len(body)
        result = read(body)
        assert result.page.text.split() == ["Fish", "Deep", "After"]
        assert result.problem in ("marks nested too deep: left out", "damaged: mended")
    assert depth_of(flattened(made(content))) == 1_000


def test_marks_that_stay_open_from_one_stream_to_the_next_are_counted() -> None:
    names = ["cod", "eel", "gar", "ide", "koi", "ray", "tuna"]
    pages = [
        b"/P BMC " * 300 + said((72, 700 - 50 * number, name)) for number, name in enumerate(names)
    ]
    assert depth_of(flattened(made(*pages))) == 1_000
    assert read(made(*pages)).page.text.split() == names


@pytest.mark.parametrize("name", NAMES)
def test_files_with_few_marks_are_read_as_they_are(name: str) -> None:
    body = (SAMPLES / name).read_bytes()
    assert flattened(body) is body


def test_titles_within_titles_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read_elements: list[object] = []

    def counted(element: Element) -> str:
        read_elements.append(element)
        return all_text(element)

    monkeypatch.setattr(info, "all_text", counted)
    titles, items = 100, 200
    packet = b"<title>" * titles + b"<li>fish</li>" * items + b"</title>" * titles
    found = info.xmp(b'<rdf:RDF xmlns:rdf="r">' + packet + b"</rdf:RDF>")
    assert found.title.startswith("fish, fish")
    assert len(read_elements) == items
