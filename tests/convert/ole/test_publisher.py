"""Text chunks of Publisher."""

from shoal.convert.ole.pack import pack
from shoal.convert.ole.publisher import convert
from tests.convert.ole_parts import page_of
from tests.convert.ole_samples import publisher
from tests.convert.parts import context


def test_publisher() -> None:
    page = page_of(convert, publisher())
    assert (page.title, page.author) == ("Open day", "Nora Wels")
    assert page.text == "Open day at the aquarium\nFeeding of the groupers at noon"


def test_a_file_without_chunks_says_so() -> None:
    (result,) = convert(pack({"Contents": b"nothing"}), context())
    assert result.problem == "damaged: no text chunks"
