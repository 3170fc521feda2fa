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
    from shoal.api import (
        add,
        add_feeds,
        add_mail,
        apply_classes,
        class_report,
        class_tree,
        clean,
        cluster_status,
        compact,
        compare,
        convert,
        crawl,
        create_cluster,
        dedupe,
        duplicate_clusters,
        duplicate_groups,
        duplicate_pairs,
        entities,
        export_cdxj,
        export_graph,
        export_jsonl,
        export_warc,
        feeds,
        feeds_opml,
        file_clusters,
        fingerprint_accuracy,
        link_graph,
        links,
        make_topic,
        make_tree,
        map_site,
        mark_entities,
        merge,
        mirrors,
        near_duplicates,
        open,  # noqa: A004 - shoal.open reads well
        order_report,
        own_sources,
        page_classes,
        plan,
        rank,
        refresh,
        regroup,
        reindex,
        remove_classes,
        remove_feeds,
        remove_source,
        remove_topic,
        remove_tree,
        repair,
        run_cluster,
        show_feed,
        show_topic,
        slope,
        split,
        stop,
        stop_cluster,
        teach_topic,
        topic_report,
        topics,
        train_classes,
        tree,
        update_index,
        url_lessons,
        verify,
        watch,
    )
    from shoal.collection.page import Page
    from shoal.collection.search.results import Result, Results
    from shoal.config import VERSION as __version__  # noqa: N811 - the name Python expects
    from shoal.control.controls import Collection
    from shoal.control.controls import Collection as Whole
    from shoal.errors import ShoalError, UsageError
    from shoal.files.cleaned import Cleaned
    from shoal.files.deduping import Deduped
    from shoal.worker.conversion import Conversion
    from shoal.worker.converting import Converter

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
    "add",
    "add_feeds",
    "add_mail",
    "apply_classes",
    "class_report",
    "class_tree",
    "clean",
    "cluster_status",
    "compact",
    "compare",
    "convert",
    "crawl",
    "create_cluster",
    "dedupe",
    "duplicate_clusters",
    "duplicate_groups",
    "duplicate_pairs",
    "entities",
    "export_cdxj",
    "export_graph",
    "export_jsonl",
    "export_warc",
    "feeds",
    "feeds_opml",
    "file_clusters",
    "fingerprint_accuracy",
    "link_graph",
    "links",
    "make_topic",
    "make_tree",
    "map_site",
    "mark_entities",
    "merge",
    "mirrors",
    "near_duplicates",
    "open",
    "order_report",
    "own_sources",
    "page_classes",
    "plan",
    "rank",
    "refresh",
    "regroup",
    "reindex",
    "remove_classes",
    "remove_feeds",
    "remove_source",
    "remove_topic",
    "remove_tree",
    "repair",
    "run_cluster",
    "show_feed",
    "show_topic",
    "slope",
    "split",
    "stop",
    "stop_cluster",
    "teach_topic",
    "topic_report",
    "topics",
    "train_classes",
    "tree",
    "update_index",
    "url_lessons",
    "verify",
    "watch",
]

_NOT_IN_API = {
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
}
"""Every other public name is a function of shoal/api.py."""


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    module, attribute = _NOT_IN_API.get(name, ("shoal.api", name))
    return getattr(import_module(module), attribute)
