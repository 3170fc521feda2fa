"""The flat formats before Word 6."""

from shoal.converters.ole.doc_old import convert, convert_wordstar, convert_write
from tests.converters.ole_parts import page_of
from tests.converters.ole_samples import word_2, wordstar, write
from tests.converters.parts import context


def test_word_2_shows_results_of_fields() -> None:
    assert page_of(convert, word_2()).text == 'Word of two\nSee 3 about "gobies".'


def test_write_ends_where_its_text_ends() -> None:
    text = page_of(convert_write, write()).text
    assert text == "A page of Write\nThe tide pool is full of blennies."


def test_wordstar_sets_the_eighth_bit_and_breaks_lines_softly() -> None:
    text = page_of(convert_wordstar, wordstar()).text
    assert text == "The blue tang swims in schools.\nSecond line."


def test_cut_files_say_so() -> None:
    for convert_one in (convert, convert_write):
        (result,) = convert_one(b"\xdb\xa5", context())
        assert result.problem == "damaged: cut off"
