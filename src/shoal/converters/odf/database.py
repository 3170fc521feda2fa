"""What can be read of an OpenDocument database? Its tables, its queries, its forms and reports.

Queries stand as SQL in content.xml. The data of an embedded HSQLDB is a log of SQL statements
(`database/script`): CREATE TABLE names the columns, INSERT gives the rows. Tables that HSQLDB
caches in a binary file and Firebird's backups are not read.
"""

import re

from shoal.converters.writer import Writer
from shoal.converters.xml import Element, attribute, named
from shoal.converters.zip import Package

_LEVEL = 2
_MAX_TABLES = 1_000
_MAX_ROWS = 100_000
_CREATE = re.compile(r'CREATE (?:\w+ )?TABLE (?:"?PUBLIC"?\.)?(?:"([^"]+)"|(\w+))\s?\((.*)\)')
_INSERT = re.compile(r'INSERT INTO (?:"?PUBLIC"?\.)?(?:"([^"]+)"|(\w+)) VALUES\s?\((.*)\)')
_COLUMN = re.compile(
    r'(?:"([^"]{1,200})"|([A-Z_][A-Z0-9_]{0,99})) [A-Z][^,(]{0,99}(?:\([\d, ]{0,20}\))?[^,]{0,200}'
)
_VALUE = re.compile(r"'((?:[^']|'')*+)'|([^,']++)")
"""Possessive: of a text that never ends nothing is tried twice."""
_CONSTRAINTS = frozenset({"CONSTRAINT", "PRIMARY", "FOREIGN", "UNIQUE", "CHECK"})
_UNICODE = re.compile(r"\\u([0-9a-fA-F]{4})")


def write_database(body: Element, package: Package | None, writer: Writer) -> None:
    if package is not None:
        script = package.read("database/script").decode("utf-8", "replace")
        for name, rows in _tables(script).items():
            writer.heading(name, _LEVEL)
            writer.table(rows, header_rows=1)
    for query in named(body, "query"):
        writer.heading(attribute(query, "title") or attribute(query, "name"), _LEVEL)
        writer.paragraph(attribute(query, "description"))
        writer.preformatted(attribute(query, "command"))
    for table in named(body, "table-representation", "table"):
        writer.paragraph(attribute(table, "description"))


def components(body: Element) -> list[tuple[str, str]]:
    """(name, folder in the package) of its forms and reports."""
    return [
        (attribute(each, "name"), attribute(each, "href").strip("/"))
        for each in named(body, "component")
        if attribute(each, "href")
    ]


def _tables(script: str) -> dict[str, list[list[str]]]:
    tables: dict[str, list[list[str]]] = {}
    rows = 0
    for line in script.splitlines():
        created = _CREATE.match(line)
        if created and len(tables) < _MAX_TABLES:
            columns = (column[1] or column[2] for column in _COLUMN.finditer(created[3]))
            names = [name for name in columns if name not in _CONSTRAINTS]
            tables[_text(created[1] or created[2])] = [[_text(name) for name in names]]
        inserted = _INSERT.match(line)
        if inserted and rows < _MAX_ROWS:
            rows += 1
            table = tables.get(_text(inserted[1] or inserted[2]))
            if table is not None:
                table.append([_value(found) for found in _VALUE.finditer(inserted[3])])
    return tables


def _value(found: re.Match[str]) -> str:
    if found[1] is not None:
        return _text(found[1].replace("''", "'"))
    return "" if found[2] == "NULL" else found[2]


def _text(escaped: str) -> str:
    return _UNICODE.sub(lambda found: chr(int(found[1], 16)), escaped)
