"""/metrics: the same numbers as on the dashboard, for Prometheus."""

import resource
import sys
from collections.abc import Mapping
from pathlib import Path

from shoal.collection.report.cluster_standing import states
from shoal.collection.report.survey import indexed_of
from shoal.layout.snapshot import Live, Status
from shoal.model.outcome import State
from shoal.web.server.exposition import MEDIA_TYPE, Exposition
from shoal.web.server.http import Request, Response
from shoal.web.server.site import Site
from shoal.web.server.view import View
from shoal.web.server.watching import BUCKET_SECONDS

_PAGE_BYTES = resource.getpagesize()


def metrics(site: Site, request: Request) -> Response:
    del request
    out = Exposition()
    status = site.watching.series.latest().status
    _urls(out, status)
    _crawl(out, status)
    _index(out, site)
    _cluster(out, site)
    sizes = site.watching.sizes.get()
    stored = [({"part": part.name}, part.bytes) for part in sizes.parts]
    out.values("shoal_store_bytes", "gauge", "Room taken on the disk.", stored)
    families = [({"family": name}, size) for name, size in sizes.families.items()]
    out.values("shoal_table_bytes", "gauge", "Room of the table's files, by family.", families)
    out.value("shoal_disk_free_bytes", "gauge", "Room left on the disk.", sizes.free_bytes)
    counts, seconds = site.watching.searches.read()
    about = "How long searches took."
    out.histogram("shoal_search_duration_seconds", about, BUCKET_SECONDS, counts, seconds)
    out.value("shoal_searches_total", "counter", "Searches served.", counts[-1])
    about = "Memory of the server's own process."
    out.value("process_resident_memory_bytes", "gauge", about, resident_bytes())
    return Response(out.text(), media_type=None, headers={"content-type": MEDIA_TYPE})


def _urls(out: Exposition, status: Status) -> None:
    by_state = {str(State.QUEUED): status.queued, "in flight": status.in_flight}
    by_state |= {str(state): getattr(status, state) for state in State if state != State.QUEUED}
    out.value("shoal_urls_discovered", "gauge", "Known URLs, in any state.", status.discovered)
    _by(out, "shoal_urls", "Known URLs by state.", "state", by_state)
    _by(out, "shoal_pages", "Fetched pages by fate.", "fate", status.fetched_by_fate)
    about = "Documents inside others by fate."
    _by(out, "shoal_inside", about, "fate", status.inside_by_fate)
    _by(out, "shoal_failed", "Failed URLs by cause.", "cause", status.failed_by_reason)
    _by(out, "shoal_excluded", "Excluded URLs by reason.", "reason", status.excluded_by_reason)
    _by(out, "shoal_gone", "URLs that are gone, by status.", "status", status.gone_by_status)


def _by(out: Exposition, name: str, about: str, label: str, counts: Mapping[str, int]) -> None:
    out.values(name, "gauge", about, [({label: key}, count) for key, count in counts.items()])


def _crawl(out: Exposition, status: Status) -> None:
    live, totals = status.live, status.totals
    requests = totals.get("requests", 0)
    out.value("shoal_requests_total", "counter", "Requests made, robots.txt included.", requests)
    received = totals.get("bytes", 0)
    out.value("shoal_received_bytes_total", "counter", "Bytes received.", received)
    out.value("shoal_sites", "gauge", "Known sites.", totals.get("sites", 0))
    working = totals.get("sites_with_work", 0)
    out.value("shoal_sites_with_work", "gauge", "Sites at which URLs wait.", working)
    out.value("shoal_crawl_running", "gauge", "Whether a crawl runs.", int(status.running))
    about = "Pages answered per second."
    out.value("shoal_pages_per_second", "gauge", about, _of(live, "pages_per_second"))
    out.value("shoal_requests_in_flight", "gauge", "Requests under way.", _of(live, "in_flight"))
    about = "Pages that are being read or committed."
    out.value("shoal_pages_reading", "gauge", about, _of(live, "reading"))
    about = "Bytes of bodies in memory, which arrive or wait for a reader."
    out.value("shoal_body_memory_bytes", "gauge", about, _of(live, "body_bytes"))
    about = "Bytes of memory that the process which writes the index takes."
    out.value("shoal_index_memory_bytes", "gauge", about, _of(live, "index_bytes"))
    out.value("shoal_active_sites", "gauge", "Sites held ready.", _of(live, "active_sites"))


def _of(live: Live | None, name: str) -> float:
    return 0 if live is None else getattr(live, name)


def _index(out: Exposition, site: Site) -> None:
    with site.reading() as collection:
        found = indexed_of(collection)
    out.value("shoal_index_documents", "gauge", "Pages in the index.", found.pages)
    about = "Changes of the table that the index has not taken in."
    out.value("shoal_index_lag_changes", "gauge", about, found.behind)
    about = "When the index was last written, in unix seconds."
    out.value("shoal_index_committed_timestamp_seconds", "gauge", about, found.committed)


def _cluster(out: Exposition, site: Site) -> None:
    if site.cluster is None:
        return
    status = site.cluster.status()
    _by(out, "shoal_cluster_tablets", "Tablets by state.", "state", states(status))
    about = "Items that are not durable yet in the tablet they are for."
    out.value("shoal_cluster_outbox_items", "gauge", about, status.outbox)
    alive = sum(each.alive for each in status.machines) if status.running else 0
    out.value("shoal_cluster_machines", "gauge", "Machines that run the cluster.", alive)


def resident_bytes() -> int:
    """Now where the system says it, else at its highest."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE_BYTES
    except (OSError, ValueError, IndexError):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


VIEWS = (View("/metrics", metrics, "Numbers for Prometheus.", twin=False, media_type="text/plain"),)
