"""CSV, JSON, notebooks, property lists: dialects, depth, and what is no such file."""

import json
import plistlib

import pytest

from shoal.converters.data import delimited, json_text, notebook, plist, source
from shoal.converters.limits import Limits
from tests.converters.text_samples import blocks_of, bold_of, run, run_all


@pytest.mark.parametrize(
    ("body", "name", "table", "header_rows"),
    [
        ('a,b\n1,"x, y"\n', "f.csv", "a\tb\n1\tx, y", 1),
        ("a;b\n1,5;2,5\n", "f.csv", "a\tb\n1,5\t2,5", 1),
        ("1|2\n3|4\n", "f.csv", "1\t2\n3\t4", 0),
        ("sep=^\na^b\nc^d\n", "f.csv", "a\tb\nc\td", 1),
        ("one, two\tthree\nfour, five\tsix\n", "f.tsv", "one, two\tthree\nfour, five\tsix", 1),
        ('a,"b\nc"\nd,e\n', "f.csv", "a\tb c\nd\te", 1),
        ("just words\nand more\n", "f.csv", "just words\nand more", 0),
        (
            'a,b\n1,"never ends ' + "x" * 140_000,
            "f.csv",
            'a\tb\n1\t"never ends ' + "x" * 140_000,
            1,
        ),
    ],
    ids=lambda value: str(value)[:12],
)
def test_dialects(body: str, name: str, table: str, header_rows: int) -> None:
    (block,) = run(delimited.convert, body, name).page.blocks
    assert (block.text, block.level) == (table, header_rows)


def test_a_long_table_is_cut_and_said() -> None:
    body = b"a,b\n" * 10_000
    (result,) = run_all(delimited.convert, body, limits=Limits(text_chars=1000))
    assert result.problem
    assert len(result.page.text) <= 1000


def test_json_is_nested_items() -> None:
    value = {"name": "Reef", "sites": [{"id": "n", "deep": True, "x": None}], "at": [1, 2]}
    value["coordinates"] = [[1.5] * 30]
    assert blocks_of(json_text.convert, json.dumps(value)) == [
        ("li", 1, "", "name: Reef"),
        ("li", 1, "", "sites"),
        ("li", 2, "", "id: n"),
        ("li", 2, "", "deep: true"),
        ("li", 1, "", "at: 1, 2"),
    ]


def test_json_that_is_none() -> None:
    result = run(json_text.convert, '{"fish": "eel", }')
    assert (result.page.text, result.problem[:7]) == ('{"fish": "eel", }', "damaged")
    assert run(json_text.convert, "[" * 100_000).problem.startswith("damaged")
    assert run(json_text.convert, "[" * 900 + "]" * 900).problem == ""


def test_notebook_of_both_formats() -> None:
    output = {"output_type": "display_data", "data": {"text/html": "<table><tr><td>1</table>"}}
    cells = [
        {"cell_type": "markdown", "source": "# T\n**b**"},
        {"cell_type": "code", "source": ["a\n", "b"], "outputs": [output, 3]},
        "no cell",
    ]
    found = run(notebook.convert, json.dumps({"cells": cells})).page
    assert [block.text for block in found.blocks] == ["T", "b", "a\nb", "1"]
    assert bold_of(found.blocks[1]) == ["b"]
    old = {"worksheets": [{"cells": [{"cell_type": "heading", "level": 2, "source": "H"}]}]}
    assert blocks_of(notebook.convert, json.dumps(old)) == [("h", 2, "", "H")]
    assert run(notebook.convert, "no json").problem


def test_property_lists() -> None:
    value = {"title": "Reef", "when": [{"a": 1}], "raw": b"x"}
    for form in (plistlib.FMT_XML, plistlib.FMT_BINARY):
        page = run(plist.convert, plistlib.dumps(value, fmt=form)).page
        assert (page.title, page.text) == ("Reef", "title: Reef\nwhen\na: 1")
    assert run(plist.convert, b"bplist00" + b"\xff" * 40).problem.startswith("damaged")


def test_source_keeps_its_lines() -> None:
    page = run(source.convert, "if a:\n    b  # ä\n", "x%20y.py").page
    assert (page.title, page.text) == ("x y.py", "if a:\n    b  # ä")
