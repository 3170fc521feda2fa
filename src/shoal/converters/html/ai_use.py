"""What does the owner say about AI use? Read from headers and meta elements, kept, not judged.

Content-Usage (IETF aipref), Content-Signal, TDMRep (a W3C report), and the page rule `noai`.
"""

from collections.abc import Iterable

from shoal.model.document import Signals
from shoal.model.robots.page_rules import PageRules
from shoal.model.visit import Fetched

MAX_CHARS = 500

_USAGE = "content-usage"
_SIGNAL = "content-signal"
_TDM_RESERVATION = "tdm-reservation"
_TDM_POLICY = "tdm-policy"
_NAMES = frozenset({_USAGE, _SIGNAL, _TDM_RESERVATION, _TDM_POLICY})
_NOTHING = Signals()
_NOAI = Signals(noai=True)


def signals(fetched: Fetched, meta: Iterable[tuple[str, str]], rules: PageRules) -> Signals:
    by_name = dict(meta)
    if _NAMES.isdisjoint(by_name) and not any(name in _NAMES for name, _ in fetched.headers):
        return _NOAI if rules.noai else _NOTHING  # most pages

    def tdm(name: str) -> str:
        return (joined_header(fetched, name) or by_name.get(name, ""))[:MAX_CHARS]

    return Signals(
        content_usage=joined_header(fetched, _USAGE)[:MAX_CHARS],
        content_signal=joined_header(fetched, _SIGNAL)[:MAX_CHARS],
        tdm_reservation=tdm(_TDM_RESERVATION),
        tdm_policy=tdm(_TDM_POLICY),
        noai=rules.noai,
    )


def joined_header(fetched: Fetched, name: str) -> str:
    """All values of a field as one list (RFC 9110, 5.3)."""
    return ", ".join(value for key, value in fetched.headers if key == name)
