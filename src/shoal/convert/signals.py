"""What does the owner say about AI use? Read from headers and meta elements, kept, not judged.

Content-Usage (IETF aipref), Content-Signal, TDMRep (a W3C report), and the page rule `noai`.
"""

from collections.abc import Iterable

from shoal.model.document import Signals
from shoal.model.page_rules import PageRules
from shoal.model.visit import Fetched

MAX_CHARS = 500


def signals(fetched: Fetched, meta: Iterable[tuple[str, str]], rules: PageRules) -> Signals:
    by_name = dict(meta)

    def tdm(name: str) -> str:
        return (joined_header(fetched, name) or by_name.get(name, ""))[:MAX_CHARS]

    return Signals(
        content_usage=joined_header(fetched, "content-usage")[:MAX_CHARS],
        content_signal=joined_header(fetched, "content-signal")[:MAX_CHARS],
        tdm_reservation=tdm("tdm-reservation"),
        tdm_policy=tdm("tdm-policy"),
        noai=rules.noai,
    )


def joined_header(fetched: Fetched, name: str) -> str:
    """All values of a field as one list (RFC 9110, 5.3)."""
    return ", ".join(value for key, value in fetched.headers if key == name)
