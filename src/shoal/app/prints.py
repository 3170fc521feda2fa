"""How does the index of prints see the pages? Through the store and the frontier's rows."""

from shoal.dedupe.exact import ExactPrints, Stored
from shoal.frontier.view import FrontierView
from shoal.model.principal import OWNER
from shoal.ports import Table
from shoal.store.pages import PageStore


def exact_prints(table: Table, store: PageStore) -> ExactPrints:
    frontier = FrontierView(table)

    def stored_of(row: bytes) -> Stored | None:
        page, url = store.page(row, OWNER), frontier.url(row)
        if page is None or url is None:
            return None
        return Stored(page.document, page.fetch.payload, url.depth)

    return ExactPrints(table, stored_of, lambda row: [out.link for out in store.links_of(row)])
