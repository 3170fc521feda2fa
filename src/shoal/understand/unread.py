"""What is known of a page that could not be read? That it is there, where it is kept, and why."""

from shoal.model.document import Document, Fate, Understood
from shoal.model.outcome import Outcome
from shoal.model.record import changed
from shoal.model.visit import OF_SITE, Fetched, Visit


def unread(
    visit: Visit, fetched: Fetched, problem: str, rescued: Understood | None = None
) -> Understood:
    """`rescued` is what a reader gave that was asked only to archive the response."""
    kept = Understood() if rescued is None else rescued
    if visit.kind in OF_SITE or fetched.outcome is not Outcome.OK:
        return changed(kept, documents=[], links=[], robots=None)
    size = len(fetched.body)
    document = next(iter(kept.documents), Document(body_bytes=size, decoded_bytes=size))
    document = changed(document, fate=Fate.UNCONVERTIBLE, problem=problem)
    return changed(kept, documents=[document], links=[], robots=None)
