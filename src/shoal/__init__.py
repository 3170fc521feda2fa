"""Shoal: the acquisition half of a search engine.

    import shoal
    shoal.crawl("https://example.org/", dir="corpus", max_pages=100)
    with shoal.open("corpus") as corpus:
        print(corpus.page("https://example.org/").text)
        print(corpus.search("coral reef"))

Names are imported when they are first used: child processes and `shoal --help` import this
package too, and need little of it.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.app.api import crawl, open, refresh  # noqa: A004 - shoal.open reads well
    from shoal.app.cleaned import Cleaned
    from shoal.app.cleaning import clean
    from shoal.app.cluster_api import (
        cluster_status,
        create_cluster,
        merge,
        run_cluster,
        split,
        stop_cluster,
    )
    from shoal.app.collection import Collection, Page
    from shoal.app.conversion import Conversion
    from shoal.app.converting import Converter, convert
    from shoal.app.deduping import Deduped, dedupe
    from shoal.app.dups import (
        duplicate_clusters,
        duplicate_groups,
        duplicate_pairs,
        mirrors,
        regroup,
        url_lessons,
    )
    from shoal.app.dups_accuracy import fingerprint_accuracy
    from shoal.app.dups_files import file_clusters
    from shoal.app.dups_near import compare, near_duplicates
    from shoal.app.graph_export import export_graph
    from shoal.app.graph_report import link_graph
    from shoal.app.indexing import reindex, update_index
    from shoal.app.link_graph import rank
    from shoal.app.offers import export_cdxj, export_jsonl, export_warc, map_site
    from shoal.app.page_links import links
    from shoal.app.page_source import slope
    from shoal.app.results import Result, Results
    from shoal.app.whole import Whole
    from shoal.config import VERSION as __version__  # noqa: N811 - the name Python expects
    from shoal.errors import ShoalError, UsageError
    from shoal.model.plan import plan

__all__ = [
    "Cleaned",
    "Collection",
    "Conversion",
    "Converter",
    "Deduped",
    "Page",
    "Result",
    "Results",
    "ShoalError",
    "UsageError",
    "Whole",
    "__version__",
    "clean",
    "cluster_status",
    "compare",
    "convert",
    "crawl",
    "create_cluster",
    "dedupe",
    "duplicate_clusters",
    "duplicate_groups",
    "duplicate_pairs",
    "export_cdxj",
    "export_graph",
    "export_jsonl",
    "export_warc",
    "file_clusters",
    "fingerprint_accuracy",
    "link_graph",
    "links",
    "map_site",
    "merge",
    "mirrors",
    "near_duplicates",
    "open",
    "plan",
    "rank",
    "refresh",
    "regroup",
    "reindex",
    "run_cluster",
    "slope",
    "split",
    "stop_cluster",
    "update_index",
    "url_lessons",
]

_HOMES = {
    "Cleaned": ("shoal.app.cleaned", "Cleaned"),
    "Collection": ("shoal.app.collection", "Collection"),
    "Conversion": ("shoal.app.conversion", "Conversion"),
    "Converter": ("shoal.app.converting", "Converter"),
    "Deduped": ("shoal.app.deduping", "Deduped"),
    "Page": ("shoal.app.collection", "Page"),
    "Result": ("shoal.app.results", "Result"),
    "Results": ("shoal.app.results", "Results"),
    "ShoalError": ("shoal.errors", "ShoalError"),
    "UsageError": ("shoal.errors", "UsageError"),
    "Whole": ("shoal.app.whole", "Whole"),
    "__version__": ("shoal.config", "VERSION"),
    "clean": ("shoal.app.cleaning", "clean"),
    "cluster_status": ("shoal.app.cluster_api", "cluster_status"),
    "compare": ("shoal.app.dups_near", "compare"),
    "convert": ("shoal.app.converting", "convert"),
    "crawl": ("shoal.app.api", "crawl"),
    "create_cluster": ("shoal.app.cluster_api", "create_cluster"),
    "dedupe": ("shoal.app.deduping", "dedupe"),
    "duplicate_clusters": ("shoal.app.dups", "duplicate_clusters"),
    "duplicate_groups": ("shoal.app.dups", "duplicate_groups"),
    "duplicate_pairs": ("shoal.app.dups", "duplicate_pairs"),
    "export_cdxj": ("shoal.app.offers", "export_cdxj"),
    "export_graph": ("shoal.app.graph_export", "export_graph"),
    "export_jsonl": ("shoal.app.offers", "export_jsonl"),
    "export_warc": ("shoal.app.offers", "export_warc"),
    "file_clusters": ("shoal.app.dups_files", "file_clusters"),
    "fingerprint_accuracy": ("shoal.app.dups_accuracy", "fingerprint_accuracy"),
    "link_graph": ("shoal.app.graph_report", "link_graph"),
    "links": ("shoal.app.page_links", "links"),
    "map_site": ("shoal.app.offers", "map_site"),
    "merge": ("shoal.app.cluster_api", "merge"),
    "mirrors": ("shoal.app.dups", "mirrors"),
    "near_duplicates": ("shoal.app.dups_near", "near_duplicates"),
    "open": ("shoal.app.api", "open"),
    "plan": ("shoal.model.plan", "plan"),
    "rank": ("shoal.app.link_graph", "rank"),
    "refresh": ("shoal.app.api", "refresh"),
    "regroup": ("shoal.app.dups", "regroup"),
    "reindex": ("shoal.app.indexing", "reindex"),
    "run_cluster": ("shoal.app.cluster_api", "run_cluster"),
    "slope": ("shoal.app.page_source", "slope"),
    "split": ("shoal.app.cluster_api", "split"),
    "stop_cluster": ("shoal.app.cluster_api", "stop_cluster"),
    "update_index": ("shoal.app.indexing", "update_index"),
    "url_lessons": ("shoal.app.dups", "url_lessons"),
}


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


class _Package(ModuleType):
    """`shoal.crawl`, `shoal.clean` and `shoal.dedupe` are the functions, though importing the
    modules of the same names would rebind them. Those are imported as ever: `from shoal.clean
    import dom`."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
