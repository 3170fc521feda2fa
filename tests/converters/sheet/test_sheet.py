from shoal.converters.limits import Limits
from shoal.converters.sheet.sheet import Book, header_text
from shoal.converters.writer import Run, Writer
from shoal.model.page import Page, Tag


def written(book: Book, limits: Limits | None = None) -> Page:
    writer = Writer(limits or Limits())
    book.write(writer)
    return writer.page()


def test_empty_rows_and_columns_are_left_out() -> None:
    book = Book(Limits())
    sheet = book.add("Counts")
    book.put(sheet, 9, 20, "cod")
    book.put(sheet, 2, 4, "eel")
    book.put(sheet, 2, 20, "ray")
    page = written(book)
    assert [(block.kind, block.text) for block in page.blocks] == [
        (Tag.HEADING, "Counts"),
        (Tag.TABLE, "eel\tray\n\tcod"),
    ]
    assert page.blocks[0].level == 2


def test_a_bold_first_row_is_a_header() -> None:
    book = Book(Limits())
    sheet = book.add("Counts")
    for column, text in enumerate(("Species", "Depth")):
        book.put(sheet, 0, column, (Run(text, bold=True),))
        book.put(sheet, 1, column, text)
    assert written(book).blocks[1].level == 1


def test_a_header_that_all_sheets_share_is_given_once() -> None:
    book = Book(Limits())
    for name in ("A", "B"):
        book.add(name).headers.append("&COuter reef")
    page = written(book)
    assert [block.text for block in page.blocks if block.kind is Tag.ASIDE] == ["Outer reef"]


def test_the_codes_of_a_header() -> None:
    assert header_text('&L&"Arial,Bold"&12Reef && sand&C&A&RPage &P of &N', "Counts") == (
        "Reef & sand Counts"
    )
    assert header_text("&KFF0000red&DReport of the spring survey &D") == (
        "redReport of the spring survey"
    )


def test_a_book_is_full_at_the_limit() -> None:
    limits = Limits(text_chars=100)
    book = Book(limits)
    sheet = book.add("Counts")
    for row in range(1000):
        book.put(sheet, row, 0, "herring")
    assert book.full
    assert len(sheet.rows) < 30
    assert len(written(book, limits).text) <= 120
