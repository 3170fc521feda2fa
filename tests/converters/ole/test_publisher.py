"""Text chunks of Publisher."""

from shoal.converters.ole.pack import pack
from shoal.converters.ole.publisher import convert
from tests.converters.ole_parts import page_of
from tests.converters.ole_samples import publisher
from tests.converters.parts import context


def test_publisher() -> None:
    page = page_of(convert, publisher())
    assert (page.title, page.author) == ("Open day", "Nora Wels")
    assert page.text == "Open day at the aquarium\nFeeding of the groupers at noon"


def test_a_file_without_chunks_says_so() -> None:
    (result,) = convert(pack({"Contents": b"nothing"}), context())
    assert result.problem == "damaged: no text chunks"
