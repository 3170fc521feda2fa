"""How does the link graph get into other programs? As GraphML or Parquet, streamed.

GraphML (Brandes et al. 2002) is XML that Gephi, igraph, NetworkX and yEd read. URLs are what others
wrote: they are escaped, and what XML can't hold is replaced. A Parquet file holds the links by
their URLs; the pages stand in a second one beside it.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from shoal.analysis.graph_report import with_graph
from shoal.analysis.ranking import Progress
from shoal.errors import UsageError
from shoal.graph.link_graph import LinkGraph
from shoal.layout.layout import place_of
from shoal.model.record import Struct
from shoal.model.urls.rowkey import url_of
from shoal.whole_file import whole_file

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="url" for="node" attr.name="url" attr.type="string"/>
<key id="rank" for="node" attr.name="rank" attr.type="double"/>
<key id="fetched" for="node" attr.name="fetched" attr.type="boolean"/>
<graph id="links" edgedefault="directed">
"""
_TAIL = "</graph>\n</graphml>\n"


class Exported(Struct):
    nodes: int
    edges: int
    files: list[str]


def export_graph(
    file: str | Path,
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    told: Progress | None = None,
) -> Exported:
    """`shoal.export_graph`."""
    path = Path(file)
    if not path.parent.is_dir():
        raise UsageError(f"there is no directory {str(path.parent)!r} to write {path.name!r} into")
    tell = told or (lambda _doing, _done, _total: None)
    match path.suffix.lower():
        case ".graphml":
            return with_graph(place_of(dir), lambda graph: _graphml(graph, path, tell), tell)
        case ".parquet":
            from shoal.analysis.parquet import write_parquet  # noqa: PLC0415 - an extra

            nodes = path.with_suffix(".nodes.parquet")

            def write(graph: LinkGraph) -> Exported:
                write_parquet(graph, path, nodes, tell)
                return Exported(graph.nodes, graph.edges, [str(path), str(nodes)])

            return with_graph(place_of(dir), write, tell)
    raise UsageError(f"{str(file)!r} must end in .graphml or .parquet")


def _graphml(graph: LinkGraph, path: Path, progress: Progress) -> Exported:
    with whole_file(path) as out:
        out.write(_HEAD.encode())
        for line in _elements(graph, progress):
            out.write(line.encode())
        out.write(_TAIL.encode())
    return Exported(graph.nodes, graph.edges, [str(path)])


def _elements(graph: LinkGraph, progress: Progress) -> Iterator[str]:
    for node, row in enumerate(graph.rows()):
        progress("pages written", node, graph.nodes)
        fetched = "true" if graph.fetched[node] else "false"
        yield (
            f'<node id="n{node}"><data key="url">{xml_text(url_text(row))}</data>'
            f'<data key="rank">{float(graph.rank[node])!r}</data>'
            f'<data key="fetched">{fetched}</data></node>\n'
        )
    for node, targets in graph.links():
        progress("links written, page", node, graph.nodes)
        for target in targets:
            yield f'<edge source="n{node}" target="n{target}"/>\n'


def url_text(row: bytes) -> str:
    try:
        return url_of(row)
    except UnicodeDecodeError:  # no URL of ours; whatever it is, it does not stop an export
        return row.decode(errors="replace")


def xml_text(text: str) -> str:
    return escape(_NOT_IN_XML.sub("\ufffd", text))
