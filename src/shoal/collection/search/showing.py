"""What is shown of a page that was found? Title, snippet, dates, and whom it stands for.

Read from the table when it is shown, for the principal of the collection. A page may forbid or
shorten its snippet, and forbid a cached copy (page rules); both are kept to.
"""

import re
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from shoal.clock import iso
from shoal.collection.search.results import Marked, Result
from shoal.index.analysis import Analysis
from shoal.layout.duplicates import groups
from shoal.model.candidate import Candidate, Term
from shoal.model.content import content_text
from shoal.model.urls.file_url import shown_name
from shoal.model.words.words import normal
from shoal.search.snippets import USUAL_CHARS, beginning, snippet
from shoal.store.pages import StoredPage

if TYPE_CHECKING:
    from shoal.collection.view import TabletView

_MOST_TITLE_CHARS = 300
_MOST_COUNTED = 50
"""Near-duplicates that are looked at one by one, where not everyone may read all."""
_SPACE = re.compile(r"\s+")


class Showing:
    def __init__(self, collection: "TabletView") -> None:
        self._collection = collection
        self._analysis = Analysis()

    def result(self, candidate: Candidate, terms: Sequence[Term], score: float) -> Result | None:
        """None when it is no longer there, or not for this principal."""
        page = self._collection.store.page(candidate.row, self._collection.principal)
        if page is None:
            return None
        rules, title = page.document.rules, page.document.title or shown_name(page.url)
        return Result(
            url=page.url,
            title=_SPACE.sub(" ", title[:_MOST_TITLE_CHARS]).strip(),
            snippet=self._snippet(page, terms),
            site=candidate.site,
            media_type=candidate.media_type,
            language=candidate.language,
            fetched=iso(page.when),
            published=iso(candidate.published) if candidate.published else "",
            score=score,
            alike=self._alike(candidate.row),
            has_copy=page.fetch.payload is not None and not rules.noarchive,
        )

    def _snippet(self, page: StoredPage, terms: Sequence[Term]) -> Marked:
        document, rules = page.document, page.document.rules
        if rules.nosnippet:
            return []
        most = USUAL_CHARS if rules.max_snippet is None else min(USUAL_CHARS, rules.max_snippet)
        whole = self._collection.store.text(page.row, self._collection.principal, page.when)
        stemmer = self._analysis.stemmer(document.language)

        def stem(word: str) -> str:
            return stemmer.stem(normal(word))

        content = content_text(whole, document.line_scores) or whole
        for text in (content, document.description):
            if found := snippet(text, terms, stem, most):
                return found
        return beginning(document.description or content, most)

    def _alike(self, row: bytes) -> int:
        """How many pages it stands for, of those that the principal may read."""
        found = groups(self._collection.table, self._collection.store)
        group_id = found.group_of(row)
        if group_id is None:
            return 0
        others = (each for each in found.members(group_id) if each != row)
        if self._collection.principal.everything:
            return sum(1 for _ in islice(others, _MOST_COUNTED))
        store, principal = self._collection.store, self._collection.principal
        readable = (each for each in others if store.page(each, principal) is not None)
        return sum(1 for _ in islice(readable, _MOST_COUNTED))
