"""What does a Jupyter notebook say? Its Markdown as Markdown, its code and results as they stand.

nbformat 4 and 3 (cells in worksheets). Pictures and widgets among the outputs are left out; a table
that came with HTML is read as HTML.
"""

from typing import Any

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted, decoded
from shoal.converters.data import json_text
from shoal.converters.html import blocks as html_blocks
from shoal.converters.markup import markdown
from shoal.converters.writer import Writer


def convert(body: bytes, context: Context) -> list[Converted]:
    source = decode(body, context.charset)
    values, problem = json_text.parse(source)
    notebook = values[0] if values else None
    if not isinstance(notebook, dict):
        return json_text.convert(body, context)
    writer = Writer(context.limits)
    for cell in _cells(notebook):
        if writer.full:
            break
        _write_cell(cell, writer)
    metadata = _part(notebook, "metadata")
    page = writer.page(_text(metadata, "title") or writer.first_heading)
    authors = metadata.get("authors")
    if isinstance(authors, list):
        names = (_text(each, "name") for each in authors if isinstance(each, dict))
        page.author = ", ".join(filter(None, names))
    return decoded(page, source, problem or writer.problem)


def _cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    found = notebook.get("cells")
    if not isinstance(found, list):
        sheets = notebook.get("worksheets")
        found = [
            cell
            for sheet in (sheets if isinstance(sheets, list) else [])
            if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list)
            for cell in sheet["cells"]
        ]
    return [cell for cell in found if isinstance(cell, dict)]


def _write_cell(cell: dict[str, Any], writer: Writer) -> None:
    text = _text(cell, "source") or _text(cell, "input")
    kind = cell.get("cell_type")
    if kind == "markdown":
        markdown.write_blocks(text, writer)
    elif kind == "heading":
        level = cell.get("level")
        writer.heading(text, level if isinstance(level, int) else 1)
    else:
        writer.preformatted(text)
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else []:
        if isinstance(output, dict):
            _write_output(output, writer)


def _write_output(output: dict[str, Any], writer: Writer) -> None:
    data = _part(output, "data")
    table = _text(data, "text/html") or _text(output, "html")
    if "<table" in table:
        html_blocks.write_blocks(table, writer)
        return
    if "text/markdown" in data:
        markdown.write_blocks(_text(data, "text/markdown"), writer)
        return
    plain = _text(output, "text") or _text(data, "text/plain")
    if not plain.startswith(("<Figure", "<matplotlib", "<IPython")):
        writer.preformatted(plain)
    if output.get("output_type") in ("error", "pyerr"):
        writer.preformatted(f"{_text(output, 'ename')}: {_text(output, 'evalue')}")


def _part(value: dict[str, Any], name: str) -> dict[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _text(value: dict[str, Any], name: str) -> str:
    """A text, or the lines of one."""
    found = value.get(name)
    if isinstance(found, list):
        return "".join(line for line in found if isinstance(line, str))
    return found if isinstance(found, str) else ""
