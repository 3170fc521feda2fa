"""Shoal: the acquisition half of a search engine.

    import shoal
    shoal.crawl("https://example.org/", dir="corpus", max_pages=100)
    with shoal.open("corpus") as corpus:
        print(corpus.page("https://example.org/").text)
        print(corpus.search("coral reef"))

Names are imported when they are first used: child processes and `shoal --help` import this
package too, and need little of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.access.indexing import reindex, update_index
    from shoal.analysis.duplicates import duplicate_clusters, duplicate_pairs, regroup
    from shoal.analysis.graph_export import export_graph
    from shoal.analysis.graph_report import link_graph
    from shoal.analysis.near_duplicates import compare, near_duplicates
    from shoal.analysis.page_links import links
    from shoal.analysis.ranking import rank
    from shoal.api import (
        cluster_status,
        crawl,
        create_cluster,
        export_cdxj,
        export_jsonl,
        export_warc,
        map_site,
        merge,
        open,  # noqa: A004 - shoal.open reads well
        refresh,
        run_cluster,
        split,
        stop_cluster,
    )
    from shoal.collection.page import Page
    from shoal.collection.report.duplicate_groups import duplicate_groups, mirrors, url_lessons
    from shoal.collection.search.results import Result, Results
    from shoal.config import VERSION as __version__  # noqa: N811 - the name Python expects
    from shoal.control.controls import Collection
    from shoal.control.controls import Collection as Whole
    from shoal.errors import ShoalError, UsageError
    from shoal.files.cleaned import Cleaned
    from shoal.files.cleaning import clean
    from shoal.files.deduping import Deduped, dedupe
    from shoal.files.file_duplicates import file_clusters
    from shoal.files.fingerprint_accuracy import fingerprint_accuracy
    from shoal.files.page_source import slope
    from shoal.model.plan import plan
    from shoal.worker.conversion import Conversion
    from shoal.worker.converting import Converter, convert

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
    "Cleaned": ("shoal.files.cleaned", "Cleaned"),
    "Collection": ("shoal.control.controls", "Collection"),
    "Conversion": ("shoal.worker.conversion", "Conversion"),
    "Converter": ("shoal.worker.converting", "Converter"),
    "Deduped": ("shoal.files.deduping", "Deduped"),
    "Page": ("shoal.collection.page", "Page"),
    "Result": ("shoal.collection.search.results", "Result"),
    "Results": ("shoal.collection.search.results", "Results"),
    "ShoalError": ("shoal.errors", "ShoalError"),
    "UsageError": ("shoal.errors", "UsageError"),
    "Whole": ("shoal.control.controls", "Collection"),
    "__version__": ("shoal.config", "VERSION"),
    "clean": ("shoal.files.cleaning", "clean"),
    "cluster_status": ("shoal.api", "cluster_status"),
    "compare": ("shoal.analysis.near_duplicates", "compare"),
    "convert": ("shoal.worker.converting", "convert"),
    "crawl": ("shoal.api", "crawl"),
    "create_cluster": ("shoal.api", "create_cluster"),
    "dedupe": ("shoal.files.deduping", "dedupe"),
    "duplicate_clusters": ("shoal.analysis.duplicates", "duplicate_clusters"),
    "duplicate_groups": ("shoal.collection.report.duplicate_groups", "duplicate_groups"),
    "duplicate_pairs": ("shoal.analysis.duplicates", "duplicate_pairs"),
    "export_cdxj": ("shoal.api", "export_cdxj"),
    "export_graph": ("shoal.analysis.graph_export", "export_graph"),
    "export_jsonl": ("shoal.api", "export_jsonl"),
    "export_warc": ("shoal.api", "export_warc"),
    "file_clusters": ("shoal.files.file_duplicates", "file_clusters"),
    "fingerprint_accuracy": ("shoal.files.fingerprint_accuracy", "fingerprint_accuracy"),
    "link_graph": ("shoal.analysis.graph_report", "link_graph"),
    "links": ("shoal.analysis.page_links", "links"),
    "map_site": ("shoal.api", "map_site"),
    "merge": ("shoal.api", "merge"),
    "mirrors": ("shoal.collection.report.duplicate_groups", "mirrors"),
    "near_duplicates": ("shoal.analysis.near_duplicates", "near_duplicates"),
    "open": ("shoal.api", "open"),
    "plan": ("shoal.model.plan", "plan"),
    "rank": ("shoal.analysis.ranking", "rank"),
    "refresh": ("shoal.api", "refresh"),
    "regroup": ("shoal.analysis.duplicates", "regroup"),
    "reindex": ("shoal.access.indexing", "reindex"),
    "run_cluster": ("shoal.api", "run_cluster"),
    "slope": ("shoal.files.page_source", "slope"),
    "split": ("shoal.api", "split"),
    "stop_cluster": ("shoal.api", "stop_cluster"),
    "update_index": ("shoal.access.indexing", "update_index"),
    "url_lessons": ("shoal.collection.report.duplicate_groups", "url_lessons"),
}


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)
