"""What is known of a page that could not be read? That it is there, where it is kept, and why."""

from shoal.model.document import Document, Fate, Understood
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Kind, Visit


def unread(
    visit: Visit, fetched: Fetched, problem: str, rescued: Understood | None = None
) -> Understood:
    """`rescued` is what a reader gave that was asked only to archive the response."""
    understood = Understood() if rescued is None else rescued
    understood.links, understood.robots = [], None
    if visit.kind is Kind.ROBOTS or fetched.outcome is not Outcome.OK:
        understood.documents = []
        return understood
    size = len(fetched.body)
    document = next(iter(understood.documents), Document(body_bytes=size, decoded_bytes=size))
    document.fate, document.problem = Fate.UNCONVERTIBLE, problem
    understood.documents = [document]
    return understood
