"""reStructuredText: levels by adornment, lists, tables, directives, inline marks."""

from shoal.converters.markup import rst
from tests.converters.text_samples import blocks_of, bold_of, links_of, run


def test_levels_follow_the_order_of_adornments() -> None:
    source = "====\nTop\n====\n\nOne\n---\n\nDeep\n~~~~\n\nTwo\n---\n"
    assert blocks_of(rst.convert, source) == [
        *(("h", 1, "", "Top"), ("h", 2, "", "One"), ("h", 3, "", "Deep"), ("h", 2, "", "Two")),
    ]


def test_inline_marks() -> None:
    source = (
        "**b** *e* ``a*b`` `l <https://x.example>`_ :ref:`t <x>` :func:`~a.b` word_ [1]_ "
        r"a\ b snake_case https://y.example."
    )
    (block,) = run(rst.convert, source).page.blocks
    assert block.text == "b e a*b l t a.b word ab snake_case https://y.example."
    assert bold_of(block) == ["b"]
    assert links_of(block)[0] == ("l", "https://x.example")


def test_directives_show_what_a_reader_sees() -> None:
    source = (
        ".. note:: Mind the eels.\n\n   Inner.\n\n.. code-block:: py\n   :linenos:\n\n   x = 1\n\n"
        ".. image:: a.png\n   :alt: A ray\n\n.. toctree::\n\n   other\n\n"
        ".. _target:\n.. comment\n\n"
        ".. list-table:: Counts\n   :header-rows: 1\n\n   * - A\n     - B\n   * - 1\n     - 2\n\n"
        "..\n\n    A quote.\n\n.. [1] A note.\n"
    )
    assert blocks_of(rst.convert, source) == [
        ("p", 0, "", "Mind the eels."),
        ("p", 0, "", "Inner."),
        ("pre", 0, "", "x = 1"),
        ("caption", 0, "", "A ray"),
        ("caption", 0, "", "Counts"),
        ("table", 1, "", "A\tB\n1\t2"),
        ("quote", 0, "", "A quote."),
        ("aside", 0, "", "A note."),
    ]


def test_lists_terms_and_code() -> None:
    source = (
        "- a\n\n  - b\n\n2. c\n#. d\n\n"
        "term\n   means it\n\nCode::\n\n   x\n    y\n\nA. Fish\nwrote.\n"
    )
    assert blocks_of(rst.convert, source) == [
        ("li", 1, "", "a"),
        ("li", 2, "", "b"),
        ("ol", 1, "2.", "c"),
        ("ol", 1, "", "d"),
        ("dt", 0, "", "term"),
        ("dd", 0, "", "means it"),
        ("p", 0, "", "Code:"),
        ("pre", 0, "", "x\n y"),
        ("p", 0, "", "A. Fish wrote."),
    ]


def test_tables_of_both_kinds() -> None:
    grid = "+---+----+\n| A | B  |\n+===+====+\n| 1 | 2  |\n|   | 3  |\n+---+----+\n"
    simple = "=== ==\nA   B\n=== ==\n1   2\n    3\n=== ==\n"
    for source in (grid, simple):
        assert blocks_of(rst.convert, source) == [("table", 1, "", "A\tB\n1\t2 3")]
