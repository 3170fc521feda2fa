"""What does the commit add to what a child found? How a page stands among all others, and what the
frontier made of its visit."""

from collections.abc import Sequence

from shoal.model.change_history import Change
from shoal.model.document import Document, Fate, Reassigned
from shoal.model.link import Link
from shoal.model.record import Struct, changed


class Verdict(Struct, frozen=True):
    """How the documents of a visit stand among those that were stored before."""

    documents: Sequence[Document] = ()
    """What is kept of the visit: what a child found, each with its place among duplicates."""
    links_known: bool = False
    """A duplicate's links are those of the first page, which were followed from there."""
    resemblance: float = 0.0
    """How much of the visit's own page is as before, from 0 to 1, when it changed."""
    reassigned: Sequence[Reassigned] = ()
    """Other pages whose place among duplicates changes with this visit."""
    orphaned: Sequence[bytes] = ()
    """Pages that stood for one which has left them: what others call it is theirs no longer."""
    reopened: Sequence[bytes] = ()
    """Rows of URLs that were refused as duplicates and are wanted after all."""
    revoked: Sequence[bytes] = ()
    """Sites where a lesson was unlearned: all that it refused there is wanted after all."""
    left: Sequence[bytes] = ()
    """Rows of documents that stood inside the visit's own, and do no more."""


class Finished(Struct, frozen=True):
    """What the frontier made of a visit, and what is stored of it."""

    verdict: Verdict
    """As it was judged, but that a page may have turned out to be a feed."""
    links: Sequence[Link] = ()
    """The links that lead on from it; of a redirect, where it leads."""
    targets: Sequence[bytes] = ()
    """The row of each link's target, in order; empty where its site is owned elsewhere."""
    change: Change = Change.UNKNOWN
    """Whether the visit's own page says something else than before."""
    removed: Sequence[bytes] = ()
    """Rows of documents inside it that go: they left it, or it is gone for good."""
    is_back: bool = False
    """It was given up, refused or not answered, and is still the page that is stored."""


def graded(document: Document, fate: Fate, duplicate_of: str) -> Document:
    """The document in its place among duplicates; itself where that is its place already."""
    if document.fate is fate and document.duplicate_of == duplicate_of:
        return document
    return changed(document, fate=fate, duplicate_of=duplicate_of)
