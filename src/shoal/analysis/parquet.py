"""How is the link graph written as Parquet? The one module that knows pyarrow (the extra `arrow`).

Links as (source, target) by their URLs, pages with what is known of each. In groups of rows, so
that memory stays small however large the graph is.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from shoal.analysis.graph_export import url_text
from shoal.errors import UsageError
from shoal.graph.link_graph import LinkGraph
from shoal.whole_file import whole_file

try:
    import pyarrow
    import pyarrow.parquet
except ImportError as error:
    raise UsageError(
        "Parquet files need the library pyarrow; install it with: pip install 'shoal[arrow]'"
    ) from error

_AT_ONCE = 1 << 16

Progress = Callable[[str, int, int], None]


def write_parquet(graph: LinkGraph, links: Path, nodes: Path, progress: Progress) -> None:
    text = pyarrow.string()
    _write(
        links,
        pyarrow.schema([("source", text), ("target", text)]),
        _links(graph, progress),
    )
    number = pyarrow.int64()
    fields = [
        ("url", text),
        ("site", text),
        ("rank", pyarrow.float64()),
        ("fetched", pyarrow.bool_()),
        ("links_in", number),
        ("links_out", number),
    ]
    _write(nodes, pyarrow.schema(fields), _nodes(graph, progress))


def _write(path: Path, schema: "pyarrow.Schema", rows: Iterator[tuple[object, ...]]) -> None:
    with (
        whole_file(path) as file,
        pyarrow.parquet.ParquetWriter(file, schema, compression="zstd") as out,
    ):
        while batch := list(islice(rows, _AT_ONCE)):
            columns = [list(column) for column in zip(*batch, strict=True)]
            arrays = [
                pyarrow.array(column, field.type)
                for column, field in zip(columns, schema, strict=True)
            ]
            out.write_batch(pyarrow.record_batch(arrays, schema=schema))


def _links(graph: LinkGraph, progress: Progress) -> Iterator[tuple[object, ...]]:
    for node, targets in graph.links():
        progress("links written, page", node, graph.nodes)
        source = url_text(graph.row(node)) if targets else ""
        for target in targets:
            yield source, url_text(graph.row(target))


def _nodes(graph: LinkGraph, progress: Progress) -> Iterator[tuple[object, ...]]:
    for node, row in enumerate(graph.rows()):
        progress("pages written", node, graph.nodes)
        yield (
            url_text(row),
            url_text(graph.site(int(graph.site_of[node]))),
            float(graph.rank[node]),
            bool(graph.fetched[node]),
            len(graph.into.of(node)),
            len(graph.out.of(node)),
        )
